//! The named values of a record as a JSON object.

use std::collections::HashMap;

use analyzer_core::Field;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

/// Fields with their values typed as the log shows them; nothing of them is read but its end.
pub struct Fields<'e>(pub &'e [Field<'e>]);

impl Fields<'_> {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Up to how many fields comparing each name with all is faster than a table of the names.
const FEW: usize = 16;

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let last = (self.0.len() > FEW).then(|| last_of_each(self.0));
        for (at, field) in self.0.iter().enumerate() {
            // of a repeated name the last one counts
            let is_last = match &last {
                Some(last) => last.get(field.key.as_ref()) == Some(&at),
                None => {
                    let mut behind = self.0.iter().skip(at + 1);
                    !behind.any(|other| other.key == field.key)
                }
            };
            if !is_last {
                continue;
            }
            match field.json() {
                // a line holds one record
                Some(json) if json.get().contains('\n') => match on_one_line(json) {
                    Some(json) => map.serialize_entry(&field.key, &json)?,
                    None => map.serialize_entry(&field.key, field.value.as_str())?,
                },
                Some(json) => map.serialize_entry(&field.key, json)?,
                None => map.serialize_entry(&field.key, field.value.as_str())?,
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

/// JSON without its line ends, all of which stand between its values.
fn on_one_line(json: &RawValue) -> Option<Box<RawValue>> {
    let lines = json.get().lines().map(str::trim);
    RawValue::from_string(lines.collect()).ok()
}

#[cfg(test)]
mod tests {
    use analyzer_core::{Text, Written};

    use super::*;

    fn json(fields: &[Field<'_>]) -> String {
        serde_json::to_string(&Fields(fields)).unwrap()
    }

    fn field(key: &str, value: &'static str, written: Written) -> Field<'static> {
        Field::new(key.to_owned(), Text::borrowed(value, 0), written)
    }

    #[test]
    fn of_a_repeated_name_the_last_one_stays() {
        let repeated = |count: usize| {
            let fields = (0..count).map(|at| field(&(at % 7).to_string(), "x", Written::Text));
            let mut fields: Vec<_> = fields.collect();
            fields.push(field("0", "y", Written::Text));
            json(&fields)
        };
        assert_eq!(repeated(2), r#"{"1":"x","0":"y"}"#);
        assert_eq!(repeated(7), repeated(70));
    }

    #[test]
    fn values_keep_their_types() {
        let fields = [
            field("number", "1.50", Written::Unquoted),
            field("text", "1.50", Written::Text),
            field("flag", "true", Written::Bare),
            field("json", "{\"c\":[1]}", Written::Unquoted),
            field("quoted", "{\"c\":[1]}", Written::Text),
            field("spread", "{\n  \"a  b\": [\n 1, 2 ]\n}", Written::Unquoted),
        ];
        assert_eq!(
            json(&fields),
            r#"{"number":1.50,"text":"1.50","flag":true,"json":{"c":[1]},"quoted":"{\"c\":[1]}","spread":{"a  b": [1, 2 ]}}"#
        );
    }
}
