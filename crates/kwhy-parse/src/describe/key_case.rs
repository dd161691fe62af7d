//! Keys as the generic describer prints them.
//!
//! kubernetes/kubectl `pkg/describe/describe.go`, `smartLabelFor` and `printUnstructuredContent`: a
//! field's name becomes capitalised words (`lastProbeTime` is `Last Probe Time`), unless it
//! contains anything but letters and hyphens. Values follow the colon after two spaces or more.

use super::layout::{Entry, trimmed};
use crate::input::Line;

/// Returns the reader for lines of a generic describe; `lines` show whether runs of spaces were
/// squeezed.
pub(super) fn reader<'a>(lines: &[Line<'a>]) -> fn(Line<'a>) -> Entry<'a> {
    let (mut wide, mut narrow) = (0usize, 0usize);
    // the first keys are the object's own, without free text between them
    for line in lines.iter().take(16) {
        let entry = Entry::new(*line);
        if entry.key.is_some_and(|key| is_label(key.text)) && !entry.value.text.is_empty() {
            *(if is_wide(&entry) {
                &mut wide
            } else {
                &mut narrow
            }) += 1;
        }
    }
    if narrow > wide { squeezed } else { aligned }
}

fn squeezed(line: Line<'_>) -> Entry<'_> {
    let entry = Entry::new(line);
    if entry.key.is_none_or(|key| is_label(key.text)) {
        return entry;
    }
    text(line)
}

fn aligned(line: Line<'_>) -> Entry<'_> {
    let entry = squeezed(line);
    if entry.key.is_none() || entry.value.text.is_empty() || is_wide(&entry) {
        return entry;
    }
    text(line)
}

fn text(line: Line<'_>) -> Entry<'_> {
    Entry {
        line,
        key: None,
        value: trimmed(line),
    }
}

/// Returns true if two spaces or a tab follow the key's colon.
fn is_wide(entry: &Entry<'_>) -> bool {
    entry.key.is_some_and(|key| {
        let end = (key.start + key.text.len() + 1).saturating_sub(entry.line.start);
        let gap = entry.line.text.get(end..).unwrap_or("");
        gap.starts_with("  ") || gap.starts_with('\t')
    })
}

/// Returns true if the line is the title of a part common to objects of all kinds.
pub(super) fn is_part(entry: &Entry<'_>) -> bool {
    entry.value.text.is_empty() && matches!(entry.key_text(), "Metadata" | "Spec" | "Status")
}

/// Returns true if the lines of a generic describe lost their indentation: the lines after the
/// titles of its parts are not indented more.
pub(super) fn is_flat(lines: &[Line<'_>]) -> bool {
    let mut filled = lines.iter().filter(|line| !line.is_blank()).peekable();
    let (mut flat, mut deep) = (0usize, 0usize);
    while let Some(line) = filled.next() {
        if is_part(&Entry::new(*line))
            && let Some(next) = filled.peek()
        {
            *(if next.indent() > line.indent() {
                &mut deep
            } else {
                &mut flat
            }) += 1;
        }
    }
    flat > deep
}

/// Returns true if the key can be a label of the generic describer.
pub(super) fn is_label(key: &str) -> bool {
    if key.is_empty() || key.len() > 512 {
        return false;
    }
    // from managed fields, printed by releases up to 1.26
    if key == "." || key.starts_with("k:{\"") || key.starts_with("v:\"") {
        return true;
    }
    let is_smart = key
        .chars()
        .all(|c| c.is_alphabetic() || c == '-' || c == ' ');
    if is_smart {
        return key
            .split(' ')
            .all(|word| word.starts_with(|c: char| c.is_uppercase() || c == '-'));
    }
    // anything else is a field name printed verbatim
    !key.contains(char::is_whitespace)
        && !key.contains([
            '"', '\'', '{', '}', '[', ']', '(', ')', '<', '>', ',', ';', '=',
        ])
        && key.contains(char::is_alphanumeric)
        && !key.starts_with(['-', '*'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels() {
        for label in [
            "Last Probe Time",
            "UID",
            "app.kubernetes.io/name",
            "tls.crt",
            "x_y",
            "Á B",
        ] {
            assert!(is_label(label), "{label}");
        }
        for text in ["error", "3 of 12 failed", "Get \"https", "open file", ""] {
            assert!(!is_label(text), "{text}");
        }
    }

    #[test]
    fn single_spaces_do_not_separate_columns() {
        let line = |text| Line {
            text,
            start: 0,
            number: 1,
        };
        assert_eq!(aligned(line("  E_TIMEOUT: none")).key_text(), "");
        assert_eq!(aligned(line("  Phase:  Bound")).key_text(), "Phase");
        assert_eq!(aligned(line("  Errors:")).key_text(), "Errors");
        assert_eq!(squeezed(line("Phase: Bound")).key_text(), "Phase");
    }
}
