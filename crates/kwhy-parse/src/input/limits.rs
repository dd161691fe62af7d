//! Limits on reading an input, whatever it contains.

use super::line::MAX_LINE;

/// The deepest that maps and lists are read, whatever is asked for: each level takes a place on the stack.
const DEEPEST: u64 = 500;

/// Limits on what is read of an input. What they omit is reported in `Report::limits`.
///
/// ```
/// use kwhy_parse::input::ReadLimits;
/// let limits = ReadLimits::default().with_line_length(64 * 1024);
/// assert_eq!(limits.depth, 100);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// Sets the bytes of a line.
    pub fn with_line_length(mut self, bytes: u64) -> ReadLimits {
        self.line_length = bytes;
        self
    }

    /// Sets the number of maps and lists in one another.
    pub fn with_depth(mut self, depth: u64) -> ReadLimits {
        self.depth = depth;
        self
    }

    /// Sets the number of values for which the anchors and aliases of one object may occur together.
    pub fn with_aliases(mut self, values: u64) -> ReadLimits {
        self.aliases = values;
        self
    }

    /// Within what can be held.
    pub fn bounded(self) -> ReadLimits {
        ReadLimits {
            line_length: self.line_length.min(MAX_LINE as u64),
            depth: self.depth.min(DEEPEST),
            aliases: self.aliases,
        }
    }
}
