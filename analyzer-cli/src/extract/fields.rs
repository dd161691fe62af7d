//! The named values of a record as a JSON object.

use std::borrow::Cow;
use std::collections::HashMap;

use analyzer_core::Field;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

/// Fields with their values typed: an object or a list of JSON stays one.
pub struct Fields<'e>(pub &'e [Field<'e>]);

impl Fields<'_> {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let last = last_of_each(self.0);
        for (at, field) in self.0.iter().enumerate() {
            // of a repeated name the last one counts
            if last.get(field.key.as_ref()) != Some(&at) {
                continue;
            }
            let value = field.value.as_str();
            match nested(value) {
                Some(json) => map.serialize_entry(&field.key, &json)?,
                None => map.serialize_entry(&field.key, value)?,
            }
        }
        map.end()
    }
}

/// Where the last field of each name stands.
fn last_of_each<'f>(fields: &'f [Field<'_>]) -> HashMap<&'f str, usize> {
    let places = fields.iter().enumerate();
    places.map(|(at, field)| (field.key.as_ref(), at)).collect()
}

fn nested(value: &str) -> Option<Cow<'_, RawValue>> {
    if !value.starts_with(['{', '[']) {
        return None;
    }
    let json = serde_json::from_str::<&RawValue>(value).ok()?;
    if !value.contains('\n') {
        return Some(Cow::Borrowed(json));
    }
    // a line holds one record
    let value: serde_json::Value = serde_json::from_str(value).ok()?;
    serde_json::value::to_raw_value(&value).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use analyzer_core::Text;

    use super::*;

    #[test]
    fn of_a_repeated_name_the_last_one_stays_and_json_stays_json() {
        let field = |key: &'static str, value: &'static str| Field {
            key: key.into(),
            value: Text::borrowed(value, 0),
        };
        let fields = [field("a", "1"), field("b", "{\"c\":[1]}"), field("a", "{x")];
        let json = serde_json::to_string(&Fields(&fields)).unwrap();
        assert_eq!(json, "{\"b\":{\"c\":[1]},\"a\":\"{x\"}");
    }
}
