//! Fills placeholders with values.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A small seeded random number generator.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `bound`, or 0 if `bound` is 0.
    fn below(&mut self, bound: usize) -> usize {
        // SplitMix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }
}

/// The possible values of placeholders, by name.
#[derive(Clone, Debug, Deserialize)]
pub struct Values {
    default: Vec<String>,
    #[serde(default, rename = "where")]
    special: Vec<Special>,
    #[serde(flatten)]
    named: BTreeMap<String, Vec<String>>,
}

/// Values for formats that contain `text` or, if it starts with `=`, are equal to the rest of it.
#[derive(Clone, Debug, Deserialize)]
struct Special {
    text: String,
    values: BTreeMap<String, Vec<String>>,
}

impl Values {
    /// Parses the list of values.
    ///
    /// # Errors
    /// Fails if the YAML is invalid.
    pub fn parse(yaml: &str) -> Result<Values, serde_yaml::Error> {
        serde_yaml::from_str(yaml)
    }

    fn choices(&self, format: &str, name: &str) -> &[String] {
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let fits = |special: &&Special| match special.text.strip_prefix('=') {
            Some(whole) => format == whole,
            None => format.contains(&special.text),
        };
        let special = self.special.iter().filter(fits);
        let special = special.filter_map(|s| s.values.get(plain)).next();
        let named = special.or_else(|| self.named.get(name));
        named
            .or_else(|| self.named.get(plain))
            .unwrap_or(&self.default)
    }

    /// Returns the format with all placeholders filled in. A name that is repeated gets the same value. If `doubled` is
    /// true, `{{` and `}}` stand for single braces and `\n` for a line break.
    ///
    /// ```
    /// use measure::{Random, VALUES, Values};
    /// let values = Values::parse(VALUES).unwrap();
    /// let text = values.fill("{process} at {sp}: {{x}}", true, &mut Random(1));
    /// assert!(text.ends_with("at 7ffd1a2b3c40: {x}"));
    /// ```
    pub fn fill(&self, format: &str, doubled: bool, random: &mut Random) -> String {
        let mut text = String::with_capacity(format.len() * 2);
        let mut chosen: BTreeMap<&str, &str> = BTreeMap::new();
        let mut rest = format;
        while let Some(at) = rest.find(['{', '}', '\\']) {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            if doubled && (rest.starts_with("{{") || rest.starts_with("}}")) {
                text.push_str(&rest[..1]);
                rest = &rest[2..];
            } else if doubled && rest.starts_with("\\n") {
                text.push('\n');
                rest = &rest[2..];
            } else if let Some(name) = placeholder(rest) {
                let choices = self.choices(format, name);
                let value = chosen.entry(name).or_insert_with(|| {
                    choices
                        .get(random.below(choices.len()))
                        .map_or("", |value| value.as_str())
                });
                text.push_str(value);
                rest = &rest[name.len() + 2..];
            } else {
                text.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
        text.push_str(rest);
        text
    }
}

/// Returns the name of the placeholder at the start of the text, or `None` if there is none.
fn placeholder(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    (!name.is_empty() && name.bytes().all(word)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_text() {
        let values = Values::parse(super::super::VALUES).expect("the list");
        let format = "pod {pod} on {node}: {{taint_key}: {taint_value}}";
        let fill = |seed| values.fill(format, false, &mut Random(seed));
        assert_eq!(fill(3), fill(3));
        assert!(fill(3).contains("{shop.example.com/dedicated: batch}"));
    }
}
