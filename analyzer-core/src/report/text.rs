//! Types that are strings in JSON.

/// Implements serialization of a type as a string, with one function that formats it and one that parses it.
macro_rules! as_text {
    ($type:ty, $text:expr, $read:expr) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(&$text(self))
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(from)?;
                $read(&text).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(super) use as_text;
