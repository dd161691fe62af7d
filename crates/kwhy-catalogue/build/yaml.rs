//! YAML mappings that keep order and repeated keys.

use std::fmt;
use std::marker::PhantomData;

use kwhy_signature::SignatureError;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};

/// The entries of a mapping in file order, including repeated keys.
pub struct Pairs<V>(pub Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Pairs<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor(PhantomData))
    }
}

struct PairsVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for PairsVisitor<V> {
    type Value = Pairs<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<V>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

/// Reads a whole file.
pub fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, SignatureError> {
    serde_yaml::from_str(text).map_err(|error| SignatureError::from_yaml(file, text, error))
}

/// Returns the first name that is empty or a repetition.
pub fn repeated<'n>(names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let mut seen = std::collections::HashSet::new();
    let mut names = names;
    names.find(|name| name.is_empty() || !seen.insert(*name))
}
