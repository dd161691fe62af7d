//! Streams whose lines are whole objects, or consist of pairs, with a message each: they may have nothing else of a record.

use super::formats::FormatSpec;
use super::{json, logrus};
use crate::input::Line;

/// A way to write such lines.
pub(crate) struct Said {
    pub(super) form: &'static FormatSpec,
    /// Returns true if a line is one of these.
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

/// The way in which nearly all lines of a stream are written.
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
