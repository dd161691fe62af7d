//! Lines wrapped or cut inside the borders of a drawn box: k9s, Terraform.
//!
//! Without its borders, the inside of a box is ordinary text, whose lines are joined by `wrap` and `terminal_wrap`;
//! the joins are then mapped to the document's lines, borders included.

use std::ops::Range;

/// The borders at the sides of a box.
pub(super) const BORDERS: [char; 3] = ['\u{2502}', '\u{2503}', '\u{2551}'];

/// The inside of a box: its lines without borders.
#[derive(Default)]
pub(super) struct Inside {
    pub text: String,
    /// The number of characters that fit on a line, if the box has borders at both sides.
    pub width: Option<usize>,
    /// The start of each line in `text` and in the document.
    starts: Vec<(usize, usize)>,
}

impl Inside {
    /// Maps an offset in the text to the document.
    fn outside(&self, at: usize) -> usize {
        let line = self.starts.partition_point(|(start, _)| *start <= at);
        let before = line.checked_sub(1).and_then(|line| self.starts.get(line));
        before.map_or(at, |(start, outside)| outside + (at - start))
    }

    /// Maps a range to remove between two lines of the text to the document.
    pub fn between(&self, range: &Range<usize>) -> Range<usize> {
        self.outside(range.start)..self.outside(range.end)
    }

    /// Adds a line; `start` is its offset in the document.
    pub fn push(&mut self, line: &str, start: usize) {
        self.starts.push((self.text.len(), start));
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Returns true if there is more than one line.
    pub fn has_several(&self) -> bool {
        self.starts.len() > 1
    }

    fn push_inner(&mut self, inner: &Inner<'_>, start: usize) {
        let is_first = self.starts.is_empty();
        self.width = inner
            .width
            .filter(|width| is_first || self.width == Some(*width));
        self.push(inner.text, start + inner.start);
    }
}

/// Returns the insides of all boxes in a text, in order.
pub(super) fn insides(text: &str) -> Vec<Inside> {
    if text.is_ascii() || !text.contains(BORDERS) {
        return Vec::new();
    }
    let mut found: Vec<Inside> = Vec::new();
    let mut is_within = false;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let inner = inner(line);
        if let Some(inner) = &inner {
            if !is_within {
                found.push(Inside::default());
            }
            if let Some(inside) = found.last_mut() {
                inside.push_inner(inner, start);
            }
        }
        is_within = inner.is_some();
        start += line.len();
    }
    found.retain(Inside::has_several);
    found
}

/// The part of a line inside the borders and the padding next to them.
struct Inner<'a> {
    start: usize,
    /// The text without padding; a single space at the end stays, as the line may have been cut there.
    text: &'a str,
    /// The number of characters that fit, if there are borders at both ends.
    width: Option<usize>,
}

fn inner(line: &str) -> Option<Inner<'_>> {
    let bare = line.trim_start();
    let inside = bare.strip_prefix(BORDERS)?;
    let inside = inside.strip_prefix(' ').unwrap_or(inside);
    let start = line.len() - inside.len();
    let inside = inside.trim_end();
    let padded = inside.strip_suffix(BORDERS);
    let padded = padded.map(|padded| padded.strip_suffix(' ').unwrap_or(padded));
    let inside = padded.unwrap_or(inside);
    let words = inside.trim_end();
    let text = match inside.len() - words.len() {
        1 => inside,
        _ => words,
    };
    let width = padded.map(|padded| padded.chars().count());
    Some(Inner { start, text, width })
}

#[cfg(test)]
mod tests {
    use super::super::Document;

    fn joined(text: &str) -> Document {
        Document::new("x", text).with_joined_lines()
    }

    #[test]
    fn lines_cut_in_a_box_are_joined() {
        let row = "  Lifting  True  Mon, 04 Mar 2024 05:06:07 +0000  failed to lift the load with rpc error: code = Internal desc = the quay of the north has no crane that could lift it";
        let letters: Vec<char> = row.chars().collect();
        let mut text = "Conditions:\n".to_owned();
        for part in letters.chunks(60) {
            let part: String = part.iter().collect();
            text.push_str(&format!("\u{2502} {part:<60} \u{2502}\n"));
        }
        let document = joined(&text);
        assert!(document.text().contains(row), "{}", document.text());
        let at = document.text().find("could lift").unwrap();
        let place = document.place(&(at..at + 10));
        assert_eq!((place.line, &place.text[place.mark]), (4, "could lift"));
    }

    #[test]
    fn lines_wrapped_beside_a_bar_are_joined() {
        let text = "\u{2577}\n\u{2502} Error: the harbour refuses the load of the crane, as the papers of it are\n\u{2502} not signed by anybody\n\u{2502} \n\u{2502}   with crane.north,\n\u{2502}   on harbour.tf line 7, in resource \"crane\" \"north\":\n\u{2575}\n";
        let document = joined(text);
        assert!(
            document
                .text()
                .contains("papers of it are not signed by anybody\n")
        );
        assert!(document.text().contains("with crane.north,\n"));
    }

    #[test]
    fn trees_and_rows_stay() {
        for text in [
            "\u{2502} NAME   READY \u{2502}\n\u{2502} oven-0 1/1   \u{2502}\n",
            "\u{2514}\u{2500} oven\n\u{2502} tide\n",
            "\u{2502}\n\u{2502}\n",
        ] {
            assert!(!joined(text).has_joined_lines(), "{text}");
        }
    }
}
