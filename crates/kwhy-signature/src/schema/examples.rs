//! The texts that a signature is tested on.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Texts that a signature must and must not match.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Examples {
    /// Inputs that it must match.
    #[serde(default, rename = "match")]
    pub matching: Vec<Example>,
    /// Inputs that it must not match.
    #[serde(default)]
    pub no_match: Vec<Example>,
}

impl Examples {
    /// Creates examples that consist of texts only.
    pub fn of_texts(matching: Vec<String>, no_match: Vec<String>) -> Examples {
        let example = |text| Example {
            text,
            captures: BTreeMap::new(),
            also: Vec::new(),
            why: None,
        };
        Examples {
            matching: matching.into_iter().map(example).collect(),
            no_match: no_match.into_iter().map(example).collect(),
        }
    }
}

/// An example input.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Example {
    /// The input, as it would be pasted.
    pub text: String,
    /// Values that must be captured.
    #[serde(default)]
    pub captures: BTreeMap<String, String>,
    /// Causes or signatures that the same input proves too, as in a report that lists several.
    #[serde(default)]
    pub also: Vec<String>,
    /// The reason for the example: a version, or a similar signature.
    #[serde(default)]
    pub why: Option<String>,
}
