//! Streams of objects or pairs in which every line has a message, but possibly neither a time nor a level.

use super::formats::FormatSpec;
use super::{json, logrus};
use crate::input::Line;

/// A format of such lines.
pub(crate) struct Said {
    pub(super) form: &'static FormatSpec,
    /// Returns true if a line has this format and a message.
    pub(super) is: fn(&str) -> bool,
}

static WAYS: [Said; 2] = [
    Said {
        form: &json::FORMAT,
        is: json::is_said,
    },
    Said {
        form: &logrus::FORMAT,
        is: logrus::is_said,
    },
];

/// Returns the format that nearly all lines of a stream have, if any.
pub(super) fn of(lines: &[Line<'_>]) -> Option<&'static Said> {
    const LINES: usize = 200;
    const LEAST: usize = 4;
    const SHARE: usize = 95;
    let lines = lines.iter().filter(|line| !line.is_blank()).take(LINES);
    let first = lines.clone().next()?;
    WAYS.iter().find(|way| {
        (way.is)(first.text) && {
            let said = lines.clone().filter(|line| (way.is)(line.text)).count();
            said >= LEAST && said * 100 >= lines.clone().count() * SHARE
        }
    })
}
