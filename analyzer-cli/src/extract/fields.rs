//! The named values of a record as a JSON object.

use std::collections::HashMap;

use kwhy_core::events::Field;

use super::json::{Object, string};

/// Up to this number of fields, comparing every two names is faster than a hash table.
const FEW: usize = 16;

/// Appends fields as a JSON object. Values that are JSON in the log are copied, all others become strings. If a name
/// is repeated, its last value is written.
pub fn object(text: &mut Vec<u8>, fields: &[Field<'_>]) {
    let mut json = Object::open(text);
    let last = (fields.len() > FEW).then(|| last_of_each(fields));
    for (at, field) in fields.iter().enumerate() {
        let is_last = match &last {
            Some(last) => last.get(field.key.as_ref()) == Some(&at),
            None => {
                let mut after = fields.iter().skip(at + 1);
                !after.any(|other| other.key == field.key)
            }
        };
        if is_last {
            json.member(&field.key, |text| value(text, field));
        }
    }
    json.close();
}

fn value(text: &mut Vec<u8>, field: &Field<'_>) {
    match field.json().map(|json| json.get()) {
        Some(json) if json.contains('\n') => {
            // a record must stay on one line, and line ends in JSON are always between values
            json.lines()
                .for_each(|line| text.extend_from_slice(line.trim().as_bytes()));
        }
        Some(json) => text.extend_from_slice(json.as_bytes()),
        None => string(text, field.value.as_str()),
    }
}

/// Maps each name to the position of its last field.
fn last_of_each<'f>(fields: &'f [Field<'_>]) -> HashMap<&'f str, usize> {
    let places = fields.iter().enumerate();
    places.map(|(at, field)| (field.key.as_ref(), at)).collect()
}

#[cfg(test)]
mod tests {
    use kwhy_core::events::{Text, Written};

    use super::*;

    fn json(fields: &[Field<'_>]) -> String {
        let mut text = Vec::new();
        object(&mut text, fields);
        String::from_utf8(text).unwrap()
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
