//! What is known of a pattern without its expression: by which texts it is found, and what a match contains.
//!
//! Most patterns are only asked for this, and few for their expression. Working it out takes far longer than reading it,
//! so that a build script may write it down ([`digests`]) and a catalogue take it from there ([`use_digests`]).

use kwhy_pack::PackedText;
use serde::Deserialize;

use super::condition::Condition;
use super::meaning::Loosening;
use super::parsed;
use super::pattern::Pattern;

/// What is known of a pattern without its expression.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Digest {
    /// True if its expression is about text as it is written, not about text in lower case.
    pub is_exact: bool,
    /// How its expression is made of what is written; none if that is it.
    pub loosening: Option<Loosening>,
    /// Texts of which each match contains one, in lower case; none if nothing is known.
    pub literals: Vec<String>,
    /// A byte that every match contains, which most texts lack.
    pub byte: Option<u8>,
    pub phrases: Vec<String>,
    /// Words of which each match contains one, for each place at which there must be some.
    pub demanded: Vec<Vec<String>>,
    /// The number of literal characters that it demands: the measure of how specific it is.
    pub weight: usize,
    /// The length of the shortest text that it matches, in bytes.
    pub least_length: usize,
    /// True if its expression may start with what may be missing.
    pub may_be_trimmed: bool,
}

impl Digest {
    /// Writes it as one line of JSON: a list of the values in the order of the fields.
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

    /// Reads what [`Digest::written`] wrote.
    pub fn read(line: &str) -> Option<Digest> {
        serde_json::from_str(line).ok()
    }
}

/// Writes down what is known of all patterns of a condition, for [`use_digests`].
///
/// # Errors
/// Says what is wrong with the first pattern that cannot be read.
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

/// Spares the patterns of a condition the work that [`digests`] did for them: takes each line of what it wrote.
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
