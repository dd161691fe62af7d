//! Limits on reading an input, whatever it contains.

use super::line::MAX_LINE;

/// The deepest that maps and lists are read, whatever is asked for: each level takes a place on the stack.
const DEEPEST: u64 = 500;

/// Limits on what is read of an input. What they omit is reported in `Report::limits`.
///
/// ```
/// use kwhy_parse::input::ReadLimits;
/// let limits = ReadLimits { line_length: 64 * 1024, ..ReadLimits::default() };
/// assert_eq!(limits.depth, 100);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes of a line; 1 MiB at most.
    pub line_length: u64,
    /// Maps and lists in one another, in YAML and JSON; 500 at most.
    pub depth: u64,
    /// Values for which the anchors and aliases of one object in YAML may occur together.
    pub aliases: u64,
}

impl Default for ReadLimits {
    fn default() -> ReadLimits {
        ReadLimits {
            line_length: MAX_LINE as u64,
            // objects of Kubernetes have less than 30
            depth: 100,
            // kubectl writes none, people a few dozen
            aliases: 10_000,
        }
    }
}

impl ReadLimits {
    /// Within what can be held.
    pub fn bounded(self) -> ReadLimits {
        ReadLimits {
            line_length: self.line_length.min(MAX_LINE as u64),
            depth: self.depth.min(DEEPEST),
            aliases: self.aliases,
        }
    }
}
