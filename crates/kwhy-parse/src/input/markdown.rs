//! List markers and emphasis (Markdown, reStructuredText) before lines that a program printed.
//!
//! A marker is removed only if a program's output follows: `- ` also starts an item of
//! YAML, and sentences may follow any marker.

use super::line::Line;
use crate::{events, log, table};

/// List markers, and the marker of lines added in a diff.
const ITEMS: &[&str] = &["- ", "* ", "+ ", "\u{2022} ", "+"];

/// Markers of emphasis and code, the same at both ends; the longer ones first.
const EMPHASES: &[&str] = &["**", "__", "*", "_", "`"];

/// Words before a colon with which programs start an error.
const ERRORS: &[&str] = &[
    "ERROR",
    "Error",
    "FATAL",
    "Fatal",
    "Fatal error",
    "error",
    "fatal",
    "fatal error",
    "panic",
    "rpc error",
    "Error from server",
    "Error response from daemon",
];

/// Removes a list marker and emphasis from a line, if a program printed the rest.
pub(super) fn strip(line: Line<'_>) -> Line<'_> {
    let bare = line.trim_start();
    if !bare
        .text
        .starts_with(['-', '*', '+', '_', '`', '#', '\u{2022}'])
    {
        return line;
    }
    // an error that lists others indents them by a tab (hashicorp/go-multierror)
    let is_tabbed = line.text.starts_with('\t');
    let item = ITEMS
        .iter()
        .find(|mark| !is_tabbed && bare.text.starts_with(**mark))
        .map(|mark| bare.skip(mark.len()).trim_start());
    let inner = item.unwrap_or(bare);
    let emphasized = unemphasized(inner);
    let Some(found) = emphasized.or(item) else {
        return line;
    };
    let is_item = item.is_some() && emphasized.is_none();
    if is_output(found.text, is_item) && log::detect(line.text).is_none() {
        found
    } else {
        line
    }
}

/// Returns the log record after a list marker or emphasis.
pub fn marked_record(text: &str) -> Option<&str> {
    let line = Line {
        text,
        start: 0,
        number: 1,
    };
    let bare = strip(line);
    (bare != line && log::detect(bare.text).is_some()).then_some(bare.text)
}

/// Returns the text between emphasis markers, the second of which may be on a later line.
fn unemphasized(line: Line<'_>) -> Option<Line<'_>> {
    let mark = EMPHASES.iter().find(|mark| line.text.starts_with(**mark))?;
    let mut inner = line.skip(mark.len());
    if inner.text.starts_with([' ', '\t', '`', '*']) {
        return None;
    }
    let end = inner.text.trim_end();
    if let Some(rest) = end.strip_suffix(mark) {
        inner.text = rest;
    }
    Some(inner)
}

/// Returns true if a text looks like a program's output; `is_item` means that it could be a YAML item.
fn is_output(text: &str, is_item: bool) -> bool {
    if is_item && is_member(text) {
        return false;
    }
    let is_record = log::detect(text).is_some_and(|_| is_printed(text));
    is_record
        || is_error(text)
        || events::is_row(text)
        || events::is_header(text)
        || table::is_row_without_header(text)
        || (!is_item && table::is_header(text))
}

/// Returns true if a record is unmistakable on its own. Of enveloped records this holds only for the journal's: other
/// tools' prefixes are recognised only from preceding lines, and a container runtime's payload may
/// have markers of its own.
pub(crate) fn is_printed(text: &str) -> bool {
    !log::is_enveloped(text) || text.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Returns true if a text starts like a YAML member.
fn is_member(text: &str) -> bool {
    let is_key = |key: &str| {
        key.starts_with(|c: char| c.is_ascii_lowercase()) && !key.contains(char::is_whitespace)
    };
    let colon = text.split_once(':');
    colon.is_some_and(|(key, rest)| is_key(key) && (rest.is_empty() || rest.starts_with(' ')))
}

/// Returns true if a text starts like a program's error message.
fn is_error(text: &str) -> bool {
    const LONGEST: usize = 64;
    let head = text.get(..super::line::floor_char(text, LONGEST));
    let Some((head, _)) = head.and_then(|head| head.split_once(": ")) else {
        return false;
    };
    let reason = head.find(" (").filter(|_| head.ends_with(')'));
    let head = reason.and_then(|at| head.get(..at)).unwrap_or(head);
    ERRORS.contains(&head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(text: &str) -> &str {
        strip(Line {
            text,
            start: 0,
            number: 1,
        })
        .text
    }

    #[test]
    fn output_loses_its_marks() {
        let klog = "E0304 05:06:07.123456       1 oven.go:143] \"no heat\" err=\"no wood\"";
        for text in [
            klog,
            "Mar 04 05:06:07 barge kubelet[12]: no berth",
            "{\"level\":\"error\",\"ts\":1709528767,\"msg\":\"no heat\"}",
            "level=fatal msg=\"no berth\"",
            "Warning  BackOff  5s (x7 over 2m)  kubelet  Back-off restarting failed container",
            "web-0   0/1   CrashLoopBackOff   4 (2m ago)   9m50s",
            "Error: no berth",
            "Error from server (NotFound): quays \"north\" not found",
        ] {
            for mark in [
                "- ",
                "* ",
                "+ ",
                "+",
                "  - ",
                "\u{2022} ",
                "*",
                "**",
                "_",
                "`",
                "- `",
            ] {
                assert_eq!(stripped(&format!("{mark}{text}")), text, "{mark}");
            }
            for mark in ["*", "**", "__", "_", "`"] {
                assert_eq!(stripped(&format!("{mark}{text}{mark} ")), text, "{mark}");
            }
        }
        assert_eq!(
            stripped("_NAME   READY   STATUS   RESTARTS   AGE"),
            "NAME   READY   STATUS   RESTARTS   AGE"
        );
        assert_eq!(stripped("**error: no berth**"), "error: no berth");
    }

    #[test]
    fn what_is_no_output_keeps_them() {
        for text in [
            "- type: Ready",
            "- error: no berth",
            "- warning: no berth",
            "- web-0",
            "- The pod says that it has no berth.",
            "- NAME   READY   STATUS   RESTARTS   AGE",
            "- first | second",
            "- quay-0 crane I0304 05:06:07.123456       1 oven.go:143] no heat",
            "- [pod/quay-0/crane] I0304 05:06:07.123456       1 oven.go:143] no heat",
            "\t* Error: no berth",
            "**Events:**",
            "*v1.Pod ended with: too old resource version",
            "``E0304 05:06:07.123456       1 oven.go:143] no heat``",
            "_PID=7",
            "- 2024-03-04T05:06:07Z stderr P the end is",
            "- 2024-03-04T05:06:07Z stderr F the end",
            "__CURSOR=s=1;i=2",
            "--- FAIL: TestOven",
            "-- Logs begin at Mon 2024-03-04 05:06:07 UTC. --",
            "*",
            "",
        ] {
            assert_eq!(stripped(text), text);
        }
    }
}
