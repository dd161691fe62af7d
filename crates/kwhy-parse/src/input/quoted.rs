//! Lines that a mail client quoted (`> `, also `>> ` and `> > `), and broke because they were too long for it.
//!
//! Without the marks, consecutive lines of the same depth are ordinary text, whose breaks are found as elsewhere.

use super::boxes::Inside;

/// Returns the depth of a quoted line and the offset of its text; depth 0 if it is not quoted.
pub(super) fn depth(line: &str) -> (usize, usize) {
    let (mut depth, mut at) = (0, 0);
    loop {
        let rest = line.get(at..).unwrap_or("");
        let bare = rest.trim_start_matches(' ');
        let Some(inner) = bare.strip_prefix('>') else {
            return (depth, at);
        };
        // as decoration is removed: `>=` quotes nothing
        if !(inner.is_empty() || inner.starts_with([' ', '>', '\t', '\n', '\r'])) {
            return (depth, at);
        }
        depth += 1;
        at = line.len() - inner.len() + usize::from(inner.starts_with(' '));
    }
}

/// Returns the runs of at least two lines that are quoted alike, without their marks.
pub(super) fn insides(text: &str) -> Vec<Inside> {
    if !text.starts_with('>') && memchr::memmem::find(text.as_bytes(), b"\n>").is_none() {
        return Vec::new();
    }
    let mut found: Vec<Inside> = Vec::new();
    let (mut before, mut start) = (0, 0);
    for line in text.split_inclusive('\n') {
        let (depth, from) = match line.starts_with('>') {
            true => depth(line),
            false => (0, 0),
        };
        if depth > 0 {
            if depth != before {
                found.push(Inside::default());
            }
            if let Some(inside) = found.last_mut() {
                let inner = line.get(from..).unwrap_or("");
                inside.push(inner.trim_end_matches(['\n', '\r']), start + from);
            }
        }
        before = depth;
        start += line.len();
    }
    found.retain(Inside::has_several);
    found
}

/// Returns true if a line below deeper quoted ones answers them, rather than being the end of one.
pub(super) fn is_answer(line: &str) -> bool {
    let (depth, from) = depth(line);
    let text = line.get(from..).unwrap_or("").trim();
    let is_sentence = text.starts_with(char::is_uppercase) && text.ends_with(['.', '!', ':']);
    depth > 0 || text.ends_with('?') || is_sentence
}

#[cfg(test)]
mod tests {
    use super::super::{Document, segments};
    use super::*;

    const RECORD: &str =
        "E0304 05:06:07.123456       1 crane.go:88] Lift of the load failed: the harbour has";

    #[test]
    fn depths() {
        for (line, wanted) in [
            ("> a", (1, 2)),
            (">a", (0, 0)),
            (">> a", (2, 3)),
            ("> >  a", (2, 4)),
            (">= 3", (0, 0)),
            (">", (1, 1)),
            ("a > b", (0, 0)),
        ] {
            assert_eq!(depth(line), wanted, "{line}");
        }
    }

    #[test]
    fn broken_quoted_lines_are_joined() {
        for mark in ["> ", ">> ", "> > "] {
            let text = format!(
                "Kim wrote:\n{mark}{RECORD}\n{mark}asked for papers\n{mark}{RECORD}\n{mark}no berth\nSo?\n"
            );
            let document = Document::new("x", text.as_str()).with_joined_lines();
            let wanted = format!(
                "Kim wrote:\n{mark}{RECORD} asked for papers\n{mark}{RECORD} no berth\nSo?\n"
            );
            assert_eq!(document.text(), wanted);
            let at = document.text().find("papers").unwrap();
            let place = document.place(&(at..at + 6));
            assert_eq!((place.line, &place.text[place.mark]), (3, "papers"));
        }
    }

    #[test]
    fn lines_of_another_depth_stay() {
        let text = format!("> {RECORD}\n>> asked for papers\n> no berth\n");
        let document = Document::new("x", text.as_str()).with_joined_lines();
        assert_eq!(document.text(), text);
    }

    #[test]
    fn an_answer_is_no_part_of_what_is_quoted() {
        let row = "  Warning  NoBerth  2m  crane  no berth is free";
        for answer in ["> which one?", "which one?", "It is the tide."] {
            let text = format!(">> {row}\n{answer}\n");
            let found = segments(&text);
            assert_eq!(found.len(), 2, "{text}");
        }
        let text = format!("> {row}\nin the north\n");
        assert_eq!(segments(&text).len(), 1);
    }
}
