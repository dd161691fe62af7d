//! The times of a report.

use std::fmt;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use kwhy_model::{Age, Stamp};

use super::text::as_text;

/// A time as the input states it. In JSON it is a string: RFC 3339, without the year if that is unknown
/// (`03-04T05:06:07.25`), or an age such as `18m ago`.
///
/// ```
/// use kwhy_core::report::When;
/// use kwhy_core::jiff::SignedDuration;
/// let first: When = "2024-03-04T05:06:07.25Z".parse()?;
/// let last: When = "2024-03-04T05:08:07Z".parse()?;
/// assert_eq!(last.since(&first), Some(SignedDuration::from_millis(119_750)));
/// assert_eq!(first.to_string(), "2024-03-04T05:06:07.25Z");
///
/// let ago: When = "18m ago".parse()?;
/// assert!(matches!(ago, When::Ago(age) if age.seconds == 1080));
/// // only the time of collection relates ages to times
/// assert_eq!(ago.since(&first), None);
/// assert_eq!(ago.timestamp(), None);
/// # Ok::<(), kwhy_core::report::ParseWhenError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum When {
    /// At this time. One parsed from a string counts as stating its zone.
    At(Stamp),
    /// This long before the input was collected.
    Ago(Age),
}

impl When {
    /// Returns the time, if it is known with its year.
    pub fn timestamp(&self) -> Option<Timestamp> {
        match self {
            When::At(stamp) if stamp.year_stated => stamp.timestamp(),
            _ => None,
        }
    }

    /// Returns the duration from `earlier` to this time; negative if this one is earlier. `None` if only one is an age,
    /// or only one states its year.
    pub fn since(&self, earlier: &When) -> Option<SignedDuration> {
        match (self, earlier) {
            (When::At(a), When::At(b)) if a.year_stated == b.year_stated => {
                Some(a.timestamp()?.duration_since(b.timestamp()?))
            }
            (When::Ago(a), When::Ago(b)) => {
                let seconds = |age: &Age| i64::try_from(age.seconds).ok();
                Some(SignedDuration::from_secs(
                    seconds(b)?.checked_sub(seconds(a)?)?,
                ))
            }
            _ => None,
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            When::At(stamp) => stamp.fmt(f),
            When::Ago(age) => write!(f, "{age} ago"),
        }
    }
}

impl From<Timestamp> for When {
    /// Converts a time, keeping all digits of its fraction.
    fn from(time: Timestamp) -> When {
        When::At(time.into())
    }
}

impl FromStr for When {
    type Err = ParseWhenError;

    fn from_str(text: &str) -> Result<When, ParseWhenError> {
        if let Some(age) = text.strip_suffix(" ago") {
            return Age::parse(age).map(When::Ago).ok_or(ParseWhenError(()));
        }
        text.parse().map(When::At).map_err(|_| ParseWhenError(()))
    }
}

as_text!(When, |when: &When| *when, str::parse::<When>);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for When {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "When".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "RFC 3339, without the year where none is known (`03-04T05:06:07.25`), or an age (`18m ago`).",
            "type": "string",
        })
    }
}

/// The error for a string that is neither a time nor an age.
///
/// ```
/// use kwhy_core::report::When;
/// let error = "yesterday".parse::<When>().unwrap_err();
/// assert_eq!(error.to_string(), "neither a time as in RFC 3339 nor an age such as `18m ago`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseWhenError(());

impl fmt::Display for ParseWhenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("neither a time as in RFC 3339 nor an age such as `18m ago`")
    }
}

impl std::error::Error for ParseWhenError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_as_they_are() {
        for text in [
            "2024-03-04T05:06:07Z",
            "2024-03-04T05:06:07.250000Z",
            "2024-03-04T05:06:07.123456789Z",
            "03-04T05:06:07.123456",
            "02-29T05:06:07",
            "0s ago",
            "1h5s ago",
            "3d6h ago",
            "105s ago",
        ] {
            let when: When = text.parse().unwrap();
            let expected = match text {
                // the largest units come first
                "105s ago" => "1m45s ago",
                text => text,
            };
            assert_eq!(when.to_string(), expected);
            let json = serde_json::to_string(&when).unwrap();
            assert_eq!(serde_json::from_str::<When>(&json).unwrap(), when);
        }
        for text in ["", "18m", "ago", " ago", "2024-13-04T05:06:07Z", "soon ago"] {
            assert!(text.parse::<When>().is_err(), "{text}");
        }
    }
}
