//! Removes the gutter of a document, or joins its broken lines.

use super::super::{boxes, gutter, quoted, terminal_wrap, wrap};
use super::{Document, Edit};
use kwhy_model::Span;

/// A range to replace: a line break with the spaces and borders around it, or the gutter of a line.
struct Join {
    at: Span,
    /// The replacement: a space between words, nothing within a word.
    by: &'static str,
    /// True if the break was within a word.
    glues: bool,
}

/// Returns the line breaks of a text to remove; `width` is the length of its lines, if known.
fn joins(text: &str, width: Option<usize>) -> Vec<Join> {
    let cuts = match width {
        Some(width) => terminal_wrap::cuts_at(text, width),
        None => terminal_wrap::cuts(text),
    };
    let breaks = wrap::breaks(text);
    // if lines are broken between words, some reach the full width by chance
    let is_cut = |place: &Span| {
        let at = cuts.binary_search_by_key(&place.start, |cut| cut.start);
        at.is_ok()
    };
    let others = breaks.iter().filter(|place| !is_cut(place)).count();
    let (places, by) = match cuts.len() > 2 * others {
        true => (cuts, ""),
        false => (breaks, " "),
    };
    let glues = by.is_empty();
    let join = |at| Join { at, by, glues };
    places.into_iter().map(join).collect()
}

impl Document {
    /// Joins lines that were broken because they were too long: a break between words becomes a space, and a cut made
    /// by a terminal within a word disappears. Lines keep their numbers and positions. If all lines have a gutter, it
    /// is removed instead, and nothing is joined.
    pub fn with_joined_lines(self) -> Document {
        let gutter = gutter::ranges(&self.text);
        if !gutter.is_empty() {
            let gone = gutter.into_iter().map(|at| Join {
                at,
                by: "",
                glues: false,
            });
            return self.joined(gone.collect());
        }
        let mut all = joins(&self.text, None);
        let quoted = quoted::insides(&self.text).into_iter();
        for inside in quoted.chain(boxes::insides(&self.text)) {
            let within = joins(&inside.text, inside.width).into_iter();
            all.extend(within.map(|join| Join {
                at: inside.between(&join.at),
                ..join
            }));
        }
        if all.is_empty() {
            return self;
        }
        all.sort_by_key(|join| join.at.start);
        self.joined(all)
    }

    /// Replaces these ranges of the text.
    fn joined(mut self, joins: Vec<Join>) -> Document {
        let unjoined = std::mem::take(&mut self.text);
        let mut text = String::with_capacity(unjoined.len());
        let mut done = 0;
        let mut starts = self.line_starts.iter_mut().peekable();
        for join in joins {
            let range = join.at;
            let Some(before) = unjoined.get(done..range.start) else {
                continue;
            };
            while let Some(start) = starts.next_if(|start| **start <= range.start) {
                *start = text.len() + (*start).saturating_sub(done);
            }
            text.push_str(before);
            text.push_str(join.by);
            if join.glues {
                self.glued.push(text.len());
            }
            while let Some(start) = starts.next_if(|start| **start <= range.end) {
                *start = text.len();
            }
            done = range.end;
            self.joins.push(Edit {
                clean: text.len(),
                original: done,
            });
        }
        for start in starts {
            *start = text.len() + start.saturating_sub(done);
        }
        text.push_str(unjoined.get(done..).unwrap_or(""));
        self.text = text;
        self.original.get_or_insert_with(|| unjoined.into_bytes());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_broken_between_words_are_not_glued() {
        // the first and third line have 80 characters by chance
        let text = "E0304 05:06:07.123456       1 crane.go:88] Lift failed: the harbour of the north\nhas asked for all the papers of the load, which nobody has signed, and it is\nsaid that nobody will ever do it, as there is no pen in all of the harbours here\nand of the others that are near\n";
        let document = Document::new("x", text).with_joined_lines();
        assert!(
            document.text().contains("north has asked"),
            "{}",
            document.text()
        );
    }

    #[test]
    fn joined_lines_keep_their_places() {
        let text = "E0304 05:06:07.123456       1 crane.go:88] Lift failed: the \u{201c}harbour\u{201d} has\r\n    asked for papers\nnext\r\n";
        let document = Document::new("x", text).with_joined_lines();
        assert!(document.has_joined_lines());
        assert_eq!(document.text().lines().count(), 2);
        assert_eq!(document.line_count(), 3);
        for (word, line, column) in [
            ("has", 1, 71),
            ("asked", 2, 5),
            ("papers", 2, 15),
            ("next", 3, 1),
        ] {
            let at = document.text().find(word).unwrap();
            let place = document.place(&(at..at + word.len()));
            assert_eq!((place.line, place.column), (line, column), "{word}");
            assert_eq!(&place.text[place.mark], word);
        }
        assert_eq!(document.original_line(2), "    asked for papers");
        let at = document.text().find("has asked").unwrap();
        let place = document.place(&(at..at + 9));
        assert_eq!(&place.text[place.mark], "has");
        let whole = Document::new("x", "no\nberth\n").with_joined_lines();
        assert!(!whole.has_joined_lines());
    }

    #[test]
    fn lines_that_a_terminal_cut_keep_their_places() {
        let text = "E0304 05:06:07.123456       1 crane.go:88] Lift failed: the \u{201c}harbour\u{201d} of the nor\r\nth has asked for all the papers of the load, which nobody has ever signed and no\r\nbody will\r\nnext\r\n";
        let document = Document::new("x", text).with_joined_lines();
        assert_eq!(document.text().lines().count(), 2);
        assert_eq!(document.line_count(), 4);
        for (word, line, column) in [
            ("of the nor", 1, 71),
            ("th has", 2, 1),
            ("and no", 2, 75),
            ("body will", 3, 1),
            ("next", 4, 1),
        ] {
            let at = document.text().find(word).unwrap();
            let place = document.place(&(at..at + word.len()));
            assert_eq!((place.line, place.column), (line, column), "{word}");
            assert_eq!(&place.text[place.mark], word);
        }
        for (number, line) in (1..).zip(text.lines()) {
            assert_eq!(document.original_line(number), line);
        }
        let at = document.text().rfind("nobody").unwrap();
        let place = document.place(&(at..at + 6));
        assert_eq!((place.line, &place.text[place.mark]), (2, "no"));
    }
}
