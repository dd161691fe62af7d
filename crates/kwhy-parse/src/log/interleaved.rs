//! Records glued to the end of a line because two writers were not separated by a newline.
//!
//! Only unmistakable starts count: `time="2024-..." level=` and klog's complete header, with no
//! space before them and outside quoted strings. Records quoted in a message stay part of it.

use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

use super::quote::closing_quote;
use super::{klog, logrus};

/// Finds the starts of glued records.
pub(super) struct GluedStarts {
    logrus_start: Finder<'static>,
    go_file: Finder<'static>,
}

/// The finders, built once.
pub(super) static GLUED: LazyLock<GluedStarts> = LazyLock::new(GluedStarts::new);

impl GluedStarts {
    fn new() -> Self {
        GluedStarts {
            logrus_start: Finder::new("time=\""),
            go_file: Finder::new(".go:"),
        }
    }

    /// Returns the offsets of glued records within a line, in order.
    pub(super) fn find(&self, text: &str) -> Vec<usize> {
        let mut starts: Vec<usize> = self.candidates(text).collect();
        starts.sort_unstable();
        let mut quotes = Quotes { text, at: 0 };
        starts.retain(|at| !quotes.hold(*at));
        starts
    }

    /// Returns true if another record may start inside a line: true for every line where
    /// [`GluedStarts::find`] finds one, and for some others.
    pub(super) fn may_be(&self, text: &str) -> bool {
        self.candidates(text).next().is_some()
    }

    /// Returns the offsets of unmistakable starts with no space before them, quoted or not, in any order.
    fn candidates<'t>(&'t self, text: &'t str) -> impl Iterator<Item = usize> + 't {
        let bytes = text.as_bytes();
        let logrus = self.logrus_start.find_iter(bytes).filter(|at| {
            // `time="2024-`: any other time is an ordinary value
            bytes.get(at + 10) == Some(&b'-') && text.get(*at..).is_some_and(logrus::detect)
        });
        let klog = self.go_file.find_iter(bytes);
        let klog = klog.filter_map(|at| header_before(text, at));
        logrus.chain(klog).filter(|at| {
            at.checked_sub(1)
                .and_then(|before| bytes.get(before))
                .is_some_and(|byte| !byte.is_ascii_whitespace() && !b"\\=:".contains(byte))
        })
    }
}

/// Determines which bytes of a line are inside quoted strings; queried from left to right.
struct Quotes<'t> {
    text: &'t str,
    /// The offset after the last closed string.
    at: usize,
}

impl Quotes<'_> {
    fn hold(&mut self, byte: usize) -> bool {
        loop {
            let Some(before) = self.text.get(self.at..byte) else {
                return true;
            };
            let Some(open) = memchr(b'"', before.as_bytes()) else {
                self.at = byte;
                return false;
            };
            let close = closing_quote(self.text, self.at + open);
            // an unclosed string extends to the end of the line
            self.at = close.map_or(usize::MAX, |close| close + 1);
        }
    }
}

/// Returns the start of the klog header whose `.go:` is at this offset.
fn header_before(text: &str, go_file: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    // `E0304 05:06:07.123456    1234 file`
    let digits = bytes
        .get(go_file + 4..)?
        .iter()
        .take(8)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if digits == 0 || bytes.get(go_file + 4 + digits) != Some(&b']') {
        return None;
    }
    let window = go_file.saturating_sub(160);
    let blank = window
        + bytes
            .get(window..go_file)?
            .iter()
            .rposition(|byte| *byte == b' ')?;
    let mut at = blank;
    while at > window && bytes.get(at - 1).is_some_and(u8::is_ascii_digit) {
        at -= 1;
    }
    while at > window && bytes.get(at - 1) == Some(&b' ') {
        at -= 1;
    }
    // `E0304 05:06:07.123456` is 21 bytes
    let start = at.checked_sub(21)?;
    klog::is_whole_header(text.get(start..)?).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts() {
        let klog = "E0304 05:06:07.123456       1 sync.go:88] stop";
        let logrus = "time=\"2024-03-04T05:06:07Z\" level=info msg=\"go on\"";
        let found = |text: &str| GluedStarts::new().find(text);
        assert_eq!(found(&format!("{logrus}{klog}")), [logrus.len()]);
        assert_eq!(
            found(&format!("{klog}{logrus}{klog}")),
            [klog.len(), klog.len() + logrus.len()]
        );
        for whole in [
            klog.to_owned(),
            logrus.to_owned(),
            format!("{klog} {logrus}"),
            format!("msg=\"{klog}\""),
            format!("copied={logrus}"),
        ] {
            assert!(found(&whole).is_empty(), "{whole}");
        }
    }
}
