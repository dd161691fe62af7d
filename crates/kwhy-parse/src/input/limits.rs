//! Limits on parsing an input, whatever it contains.

use super::line::MAX_LINE;

/// The upper bound of the nesting depth, whatever is requested, as each level uses the stack.
const DEEPEST: u64 = 500;

/// Limits on parsing an input. Anything omitted because of them is reported in `Report::limits`.
///
/// ```
/// use kwhy_parse::input::ReadLimits;
/// let limits = ReadLimits::default().with_line_length(64 * 1024);
/// assert_eq!(limits.depth, 100);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadLimits {
    /// The maximum length of a line in bytes; at most 1 MiB.
    pub line_length: u64,
    /// The maximum nesting depth of YAML and JSON; at most 500.
    pub depth: u64,
    /// The maximum number of values to which the anchors and aliases of one YAML object may expand.
    pub aliases: u64,
}

impl Default for ReadLimits {
    fn default() -> ReadLimits {
        ReadLimits {
            line_length: MAX_LINE as u64,
            // Kubernetes objects nest less than 30 levels deep
            depth: 100,
            // kubectl prints none, people write a few dozen
            aliases: 10_000,
        }
    }
}

impl ReadLimits {
    /// Sets the maximum length of a line in bytes.
    pub fn with_line_length(mut self, bytes: u64) -> ReadLimits {
        self.line_length = bytes;
        self
    }

    /// Sets the maximum nesting depth.
    pub fn with_depth(mut self, depth: u64) -> ReadLimits {
        self.depth = depth;
        self
    }

    /// Sets the maximum number of values to which the anchors and aliases of one object may expand.
    pub fn with_aliases(mut self, values: u64) -> ReadLimits {
        self.aliases = values;
        self
    }

    /// Returns the limits, reduced to their upper bounds.
    pub fn bounded(self) -> ReadLimits {
        ReadLimits {
            line_length: self.line_length.min(MAX_LINE as u64),
            depth: self.depth.min(DEEPEST),
            aliases: self.aliases,
        }
    }
}
