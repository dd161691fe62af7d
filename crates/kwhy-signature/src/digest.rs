//! Properties of a pattern that are known without its expression: the texts by which it is found, and what a match
//! contains.
//!
//! Most patterns are only asked for these, few for their expression. Deriving them takes far longer than reading them,
//! so a build script may write them down ([`digests`]) for a catalogue to use ([`use_digests`]).

use kwhy_pack::PackedText;
use serde::Deserialize;

use super::condition::Condition;
use super::meaning::Loosening;
use super::parsed;
use super::pattern::Pattern;

/// The properties of a pattern that are known without its expression.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Digest {
    /// True if its expression applies to the original text rather than to lower-case text.
    pub is_exact: bool,
    /// The derivation of its expression from the written one; `None` if it is the same.
    pub loosening: Option<Loosening>,
    /// Lower-case texts one of which every match contains; empty if none are known.
    pub literals: Vec<String>,
    /// A byte that every match contains, which most texts lack.
    pub byte: Option<u8>,
    pub phrases: Vec<String>,
    /// For each place that requires words, a list of words one of which every match contains.
    pub demanded: Vec<Vec<String>>,
    /// The number of literal characters required: a measure of how specific it is.
    pub weight: usize,
    /// The length in bytes of the shortest text that it matches.
    pub least_length: usize,
    /// True if its expression may start with an optional part.
    pub may_be_trimmed: bool,
}

impl Digest {
    /// Writes it as one line of JSON: a list of the values in field order.
    fn written(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&(
            self.is_exact,
            &self.loosening,
            &self.literals,
            self.byte,
            &self.phrases,
            &self.demanded,
            self.weight,
            self.least_length,
            self.may_be_trimmed,
        ))
    }

    /// Parses the output of [`Digest::written`].
    pub fn read(line: &str) -> Option<Digest> {
        serde_json::from_str(line).ok()
    }
}

/// Writes the digests of all patterns of a condition, for [`use_digests`].
///
/// # Errors
/// Returns a description of the first pattern that is invalid.
pub fn digests(condition: &Condition) -> Result<String, String> {
    let mut patterns = Vec::new();
    condition.patterns(&mut patterns);
    let lines = patterns.into_iter().map(|pattern| {
        let digest = parsed::digest(pattern.as_str())?;
        digest.written().map_err(|error| error.to_string())
    });
    let lines: Vec<String> = lines.collect::<Result<_, _>>()?;
    Ok(lines.join("\n"))
}

/// Sets the digests of a condition's patterns from the lines that [`digests`] wrote, so that they need not be derived.
pub fn use_digests(condition: &Condition, lines: impl Iterator<Item = PackedText<'static>>) {
    let mut patterns: Vec<&Pattern> = Vec::new();
    condition.patterns(&mut patterns);
    for (pattern, line) in patterns.into_iter().zip(lines) {
        pattern.use_digest(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_it_was_written() {
        for pattern in [
            "volume \"{v}\" of {p:word}: not found",
            "regex:(?-i)No (?P<what>disk|room) left on \\d+",
            "regex:[A-Z]{3} of the (?:oven|shelf)",
            "{a} {b}",
            "^OvenCold$",
        ] {
            let digest = parsed::digest(pattern).unwrap();
            assert_eq!(
                Digest::read(&digest.written().unwrap()),
                Some(digest),
                "{pattern}"
            );
        }
    }
}
