//! Container lines joined by page layout: `Host Port: <none>   State:  Waiting`.

use super::layout::part;
use crate::input::Line;

/// Keys of a container that may share a line.
const KEYS: &[&str] = &[
    "Container ID",
    "Image",
    "Image ID",
    "Port",
    "Ports",
    "Host Port",
    "Host Ports",
    "State",
    "Last State",
    "Reason",
    "Message",
    "Exit Code",
    "Signal",
    "Started",
    "Finished",
    "Ready",
    "Restart Count",
];

/// The key whose value may be any text.
const FREE_TEXT_KEY: &str = "Message";

/// Splits lines with several keys into one line per key; `None` if there are none. Joined lines
/// have lost their indentation, so it is removed from all.
pub(super) fn split<'a>(lines: &[Line<'a>]) -> Option<Vec<Line<'a>>> {
    if !lines.iter().any(|line| second_key(line.text).is_some()) {
        return None;
    }
    let mut all = Vec::with_capacity(lines.len() + 8);
    for line in lines {
        let mut rest = line.trim_start();
        while let Some(at) = second_key(rest.text) {
            all.push(part(
                rest,
                0,
                rest.text.get(..at).unwrap_or("").trim_end().len(),
            ));
            rest = part(rest, at, rest.text.len());
        }
        all.push(rest);
    }
    Some(all)
}

/// Returns the offset of the second key of a line whose first key is a container's.
fn second_key(line: &str) -> Option<usize> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let (first, _) = text.split_once(':')?;
    if first == FREE_TEXT_KEY || !KEYS.contains(&first) {
        return None;
    }
    let mut from = first.len() + 1;
    while let Some(colon) = text.get(from..)?.find(':').map(|at| from + at) {
        from = colon + 1;
        let before = text.get(..colon)?;
        let Some(gap) = before.rfind("  ") else {
            continue;
        };
        let at = gap + 2;
        let after = text.as_bytes().get(colon + 1);
        // the gap between a key and its own value does not count
        let is_value = before.get(..gap)?.trim_end().ends_with(':');
        if KEYS.contains(&before.get(at..)?)
            && after.is_none_or(u8::is_ascii_whitespace)
            && !is_value
        {
            return Some(indent + at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::lines;

    #[test]
    fn one_key_per_line() {
        let text = "  app:\n    Image: a:1   Port: <none>   State:  Waiting\n    Reason: CrashLoopBackOff   Last State: Terminated\n    Message: lost  Reason: no\n";
        let all: Vec<_> = lines(text).collect();
        let split = split(&all).unwrap();
        let texts: Vec<&str> = split.iter().map(|line| line.text).collect();
        assert_eq!(
            texts,
            [
                "app:",
                "Image: a:1",
                "Port: <none>",
                "State:  Waiting",
                "Reason: CrashLoopBackOff",
                "Last State: Terminated",
                "Message: lost  Reason: no",
            ]
        );
        for line in &split {
            assert_eq!(&text[line.span()], line.text);
        }
    }

    #[test]
    fn lines_as_printed_are_kept() {
        let text = "    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Port:  80/TCP  Ready\n    Command:  Reason:  x\n    State:  Reason: x\n";
        assert!(split(&lines(text).collect::<Vec<_>>()).is_none());
    }
}
