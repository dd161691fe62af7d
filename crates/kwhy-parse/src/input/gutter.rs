//! Gutters, which editors, diffs and comments put before every line: `+`, `# `, `// `, `* `, line numbers.
//!
//! A single line may start with anything; a gutter precedes all non-empty lines. It is removed because tables,
//! descriptions and objects cannot be recognised line by line.

use std::ops::Range;

/// Marks that may precede each line, the longer ones first. `- ` is missing, as it starts list items in YAML.
const MARKS: &[&str] = &["# ", "#", "// ", "//", "* ", "+ ", "+", "| ", "; "];

/// Separators after line numbers, the longer ones first.
const SIGNS: &[&str] = &[" | ", "| ", "|", ": ", ":"];

/// The minimum number of lines with a gutter.
const LINES: usize = 3;

/// Returns the ranges of a text's gutter, one per non-empty line; empty if it has none.
pub(super) fn ranges(text: &str) -> Vec<Range<usize>> {
    of_marks(text)
        .or_else(|| of_numbers(text))
        .unwrap_or_default()
}

/// Returns the lines of a text with their offsets.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

/// Returns the gutter of a mark, if every non-empty line starts with it or consists of it.
fn of_marks(text: &str) -> Option<Vec<Range<usize>>> {
    let mark = MARKS.iter().find(|mark| text.starts_with(**mark))?;
    // a space after the first mark may belong to the text
    let fits = |mark: &&&str| {
        let bare = mark.trim_end();
        let mut filled = lines(text).filter(|(_, line)| !line.trim().is_empty());
        filled.all(|(_, line)| line.starts_with(**mark) || line.trim_end() == bare)
    };
    let shorter = MARKS.iter().filter(|other| mark.starts_with(**other));
    let mark = shorter.into_iter().find(fits)?;
    let length = |line: &str| match line.starts_with(mark) {
        true => mark.len(),
        false => mark.trim_end().len(),
    };
    let filled = lines(text).filter(|(_, line)| !line.trim().is_empty());
    let found: Vec<_> = filled
        .map(|(start, line)| start..start + length(line))
        .collect();
    (found.len() >= LINES).then_some(found)
}

/// Returns the gutter of line numbers, if the lines are numbered consecutively with the same separator.
fn of_numbers(text: &str) -> Option<Vec<Range<usize>>> {
    if !text
        .trim_start_matches(' ')
        .starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    SIGNS.iter().find_map(|sign| numbered(text, sign))
}

/// Returns the gutter of line numbers followed by this separator.
fn numbered(text: &str, sign: &str) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let mut before: Option<u64> = None;
    for (start, line) in lines(text) {
        let bare = line.trim_start_matches(' ');
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = bare.get(..digits)?.parse().ok()?;
        if before.is_some_and(|last| number != last + 1) {
            return None;
        }
        before = Some(number);
        let rest = bare.get(digits..)?;
        let is_empty = rest.trim_end() == sign.trim_end();
        let length = match rest.starts_with(sign) {
            true => sign.len(),
            false => is_empty.then_some(sign.trim_end().len())?,
        };
        found.push(start..start + line.len() - rest.len() + length);
    }
    (found.len() >= LINES).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use proptest::prelude::*;

    fn read(text: &str) -> Document {
        Document::new("x", text).with_joined_lines()
    }

    #[test]
    fn gutters_go() {
        let inner = "Name:  oven-0\nEvents:\n\n  Warning  NoHeat  3s  oven  no wood\n";
        for mark in ["+", "+ ", "# ", "#", "// ", "//", "* ", "| ", "; "] {
            let marked = |line: &str| format!("{mark}{line}\n");
            let all: String = inner.lines().map(marked).collect();
            assert_eq!(read(&all).text(), inner, "{mark}");
            // editors strip trailing spaces
            let trimmed: String = all
                .lines()
                .map(|line| line.trim_end().to_owned() + "\n")
                .collect();
            assert_eq!(read(&trimmed).text(), inner, "{mark}");
        }
        for sign in [": ", " | ", "|"] {
            let numbered = |(number, line): (usize, &str)| format!("{number:3}{sign}{line}\n");
            let all: String = (8..).zip(inner.lines()).map(numbered).collect();
            assert_eq!(read(&all).text(), inner, "{sign}");
        }
    }

    #[test]
    fn what_is_after_a_gutter_keeps_its_place() {
        let document = read("+oven\n+  no wood\n+\n+cold\n");
        let at = document.text().find("wood").unwrap();
        let place = document.place(&(at..at + 4));
        assert_eq!((place.line, place.column), (2, 7));
        assert_eq!(&place.text[place.mark], "wood");
        assert_eq!(document.original_line(4), "+cold");
    }

    #[test]
    fn what_only_some_lines_have_is_none() {
        for text in [
            "# a comment\noven: cold\n# another\n",
            "- a\n- b\n- c\n",
            "1: a\n3: b\n4: c\n",
            "1: a\n2| b\n3: c\n",
            "+one\n+two\n",
            "2024-03-04T05:06:07Z a\n2024-03-04T05:06:08Z b\n2024-03-04T05:06:09Z c\n",
            "",
        ] {
            assert!(!read(text).has_joined_lines(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[#+*/|;0-9: a\n]{0,60}") {
            let document = read(&text);
            prop_assert_eq!(document.original(), text.as_bytes());
        }
    }
}
