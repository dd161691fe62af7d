//! A line of the input with its proof underlined, drawn by miette.

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use kwhy_core::Level;
use kwhy_core::report::Evidence;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError,
    MietteSpanContents, SourceCode, SourceSpan, SpanContents,
};
use unicode_width::UnicodeWidthStr;

use crate::escape::{columns, push_visible, visible};
use crate::style::Layout;

const ELLIPSIS: char = '…';
/// The columns that miette draws between the underlined text and its label: `╰── `.
const LEADER: usize = 4;
/// The columns that a label gets beside its mark; it is never wrapped to less than half of them.
const LEAST_LABEL: usize = 24;

/// Draws a line of the input, cut around its mark to the width of the layout.
pub fn draw(
    layout: &Layout,
    level: Level,
    evidence: &Evidence,
    out: &mut dyn Write,
) -> io::Result<()> {
    // the line's number in ` 25 │ `
    let gutter = evidence.line.to_string().len() + 4;
    let room = layout.width.saturating_sub(gutter);
    let label = evidence.label.as_deref().map(visible).unwrap_or_default();
    let window = Window::around(&evidence.text, &evidence.mark, room, label.width());
    let label = window.fit(&label, room);
    let excerpt = Excerpt {
        name: visible(&evidence.source).into_owned(),
        line: to_index(evidence.line),
        column: to_index(evidence.column),
        window,
        label,
    };
    let mut theme = if layout.color {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    theme.styles.highlights = vec![match level {
        Level::Error => theme.styles.error,
        Level::Warning => theme.styles.warning,
        Level::Info => theme.styles.advice,
    }];
    theme.styles.link = theme.styles.linum;
    let mut drawn = String::new();
    GraphicalReportHandler::new_themed(theme)
        .with_wrap_lines(false)
        .with_context_lines(0)
        .with_links(false)
        .render_report(&mut drawn, &excerpt)
        .map_err(io::Error::other)?;
    // the diagnostic has no message, so its first line is empty
    let drawn = drawn.trim_start_matches('\n');
    match drawn.split_once('\n') {
        Some((head, rest)) => {
            named(layout, head, out)?;
            out.write_all(rest.as_bytes())
        }
        None => out.write_all(drawn.as_bytes()),
    }
}

/// Writes the line with the source's name, `  ╭─[dock/crane.log:4:5]`. A name that does not fit is broken after a
/// slash.
fn named(layout: &Layout, head: &str, out: &mut dyn Write) -> io::Result<()> {
    let start = head.find("─[").map_or(0, |at| at + "─[".len());
    let (frame, name) = head.split_at(start);
    let indent = textwrap::core::display_width(frame);
    if layout.width >= textwrap::core::display_width(head) || start == 0 {
        return writeln!(out, "{head}");
    }
    for (index, part) in layout.wrap(name, indent).iter().enumerate() {
        match index {
            0 => writeln!(out, "{frame}{part}")?,
            _ => writeln!(out, "{:indent$}{part}", "")?,
        }
    }
    Ok(())
}

/// Converts a number that counts from 1 to one that counts from 0, as miette's do.
fn to_index(number: u64) -> usize {
    usize::try_from(number.saturating_sub(1).min(u64::from(u32::MAX))).unwrap_or(0)
}

/// The part of a line that is shown, made visible, with its mark.
#[derive(Debug, Default)]
struct Window {
    text: String,
    mark: Range<usize>,
    /// The columns before the mark, and those of the mark.
    before: usize,
    marked: usize,
}

impl Window {
    /// Returns as much of a line as fits `room` columns, without its indentation. Reads only what it may show, however
    /// long the line is.
    fn around(line: &str, mark: &Range<usize>, room: usize, label: usize) -> Window {
        let start = floor_char(line, mark.start);
        let end = floor_char(line, mark.end.max(mark.start));
        let (head, rest) = line.split_at(start);
        let (marked, tail) = rest.split_at(end - start);
        let head = head.trim_start();

        let wanted = Cut::forward(marked, room);
        let before = Cut::backward(head, room);
        let after = Cut::forward(tail, room);
        // the label is below the middle of the mark, and needs space to the right of it
        let label = LEADER + label.min(LEAST_LABEL);
        let most_before = room.saturating_sub(label + wanted.columns / 2);
        let all = before.columns + wanted.columns + after.columns;
        let whole = before.complete && wanted.complete && after.complete && all <= room;
        if whole && before.columns <= most_before {
            return Window::build(before, [wanted, Cut::empty()], after);
        }

        let (wanted, end) = if wanted.complete && wanted.columns + 2 <= room {
            (wanted, Cut::empty())
        } else {
            // both ends of a long mark matter: what was done, and how it ended
            let room = room.saturating_sub(3);
            let start = Cut::forward(marked, room / 2);
            let rest = marked.get(start.text.len()..).unwrap_or_default();
            (start, Cut::backward(rest, room - room / 2))
        };
        let spare = room.saturating_sub(wanted.shown_columns() + end.columns);
        let least_before = spare.saturating_sub(after.columns);
        let share = least_before.max(spare / 2).min(most_before.max(1));
        let before = if before.complete && before.columns <= share {
            before
        } else {
            Cut::backward(head, share.saturating_sub(1))
        };
        let spare = spare.saturating_sub(before.shown_columns());
        let after = if after.complete && after.columns <= spare {
            after
        } else {
            Cut::forward(tail, spare.saturating_sub(1))
        };
        Window::build(before, [wanted, end], after)
    }

    fn build(before: Cut<'_>, [marked, end]: [Cut<'_>; 2], after: Cut<'_>) -> Window {
        let mut text = String::new();
        if !before.complete {
            text.push(ELLIPSIS);
        }
        let push = |text: &mut String, part: &str| {
            for c in part.chars() {
                push_visible(text, c);
            }
        };
        push(&mut text, before.text);
        let start = text.len();
        push(&mut text, marked.text);
        if !marked.complete {
            text.push(ELLIPSIS);
        }
        push(&mut text, end.text);
        let mark = start..text.len();
        push(&mut text, after.text);
        if !after.complete {
            text.push(ELLIPSIS);
        }
        if text.is_empty() {
            // miette draws nothing at all for an empty line
            text.push(' ');
        }
        Window {
            mark,
            before: before.shown_columns(),
            marked: marked.shown_columns() + end.columns,
            text,
        }
    }

    /// Wraps the label to the space below the mark.
    fn fit(&self, label: &str, room: usize) -> Option<String> {
        if label.is_empty() {
            return None;
        }
        let left = room.saturating_sub(self.before + self.marked / 2 + LEADER);
        let lines = textwrap::wrap(label, left.max(LEAST_LABEL / 2));
        Some(lines.join("\n"))
    }
}

/// The start or end of a text, as much as fits some columns.
struct Cut<'a> {
    text: &'a str,
    columns: usize,
    complete: bool,
}

impl<'a> Cut<'a> {
    fn forward(text: &'a str, room: usize) -> Cut<'a> {
        let mut taken = 0;
        for (at, c) in text.char_indices() {
            if taken + columns(c) > room {
                let text = text.get(..at).unwrap_or_default();
                return Cut::new(text, taken, false);
            }
            taken += columns(c);
        }
        Cut::new(text, taken, true)
    }

    fn backward(text: &'a str, room: usize) -> Cut<'a> {
        let mut taken = 0;
        for (at, c) in text.char_indices().rev() {
            if taken + columns(c) > room {
                let text = text.get(at + c.len_utf8()..).unwrap_or_default();
                return Cut::new(text, taken, false);
            }
            taken += columns(c);
        }
        Cut::new(text, taken, true)
    }

    fn empty() -> Cut<'a> {
        Cut::new("", 0, true)
    }

    fn new(text: &'a str, columns: usize, complete: bool) -> Cut<'a> {
        Cut {
            text,
            columns,
            complete,
        }
    }

    /// Returns the number of columns with the ellipsis.
    fn shown_columns(&self) -> usize {
        self.columns + usize::from(!self.complete)
    }
}

fn floor_char(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the text cut to `room` columns around its mark and made visible, with the place of the mark in it.
pub fn window(text: &str, mark: &Range<usize>, room: usize) -> (String, Range<usize>) {
    let window = Window::around(text, mark, room, 0);
    (window.text, window.mark)
}

/// Returns the text cut to `room` columns around its mark and made visible.
pub fn cut(text: &str, mark: &Range<usize>, room: usize) -> String {
    Window::around(text, mark, room, 0).text
}

/// One line as miette's source code, which knows its own name, line and column.
#[derive(Debug)]
struct Excerpt {
    name: String,
    line: usize,
    column: usize,
    window: Window,
    label: Option<String>,
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        _span: &SourceSpan,
        _before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let data = self.window.text.as_bytes();
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            data,
            SourceSpan::from(0..data.len()),
            self.line,
            self.column,
            1,
        )))
    }
}

impl Diagnostic for Excerpt {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let Range { start, end } = self.window.mark;
        let label = LabeledSpan::new(self.label.clone(), start, end - start);
        Some(Box::new(std::iter::once(label)))
    }
}

impl std::error::Error for Excerpt {}

impl fmt::Display for Excerpt {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(line: &str, marked: &str, room: usize) -> (String, String) {
        let start = line.find(marked).unwrap();
        let window = Window::around(line, &(start..start + marked.len()), room, 0);
        assert!(window.text.width() <= room, "{window:?}");
        let shown = window.text[window.mark.clone()].to_owned();
        (window.text, shown)
    }

    #[test]
    fn a_line_that_fits_stays_whole() {
        assert_eq!(
            window("one two three", "two", 20),
            ("one two three".into(), "two".into())
        );
        assert_eq!(window("\t  one two  ", "two", 20).0, "one two  ");
    }

    #[test]
    fn a_long_line_is_cut_around_its_mark() {
        let line = format!("{}MARK{}", "a".repeat(100), "b".repeat(100));
        let (text, mark) = window(&line, "MARK", 24);
        assert_eq!(text, "…aaaaaaaaaMARKbbbbbbbbb…");
        assert_eq!(mark, "MARK");
        let (text, _) = window(&line[..110], "MARK", 24);
        assert_eq!(text, "…aaaaaaaaaaaaaMARKbbbbbb");
        let (text, _) = window(&line[94..], "MARK", 24);
        assert_eq!(text, "aaaaaaMARKbbbbbbbbbbbbb…");
    }

    #[test]
    fn a_mark_that_does_not_fit_is_cut_itself() {
        let line = "a".repeat(100) + &"b".repeat(100) + &"c".repeat(100) + "d";
        let (text, mark) = window(&line, &line[100..300], 30);
        assert_eq!(text, "…bbbbbbbbbbbbb…ccccccccccccccd");
        assert_eq!(mark, "bbbbbbbbbbbbb…cccccccccccccc");
        let (text, _) = window(&line[100..300], &line[100..300], 30);
        assert_eq!(text, "bbbbbbbbbbbbb…cccccccccccccc");
    }

    #[test]
    fn wide_and_hostile_text() {
        let line = "日本語".repeat(40) + "MARK\u{202e}" + &"\x1b".repeat(90);
        let (text, _) = window(&line, "MARK\u{202e}", 31);
        assert!(text.contains("MARK\\u{202e}␛"), "{text}");
    }

    proptest::proptest! {
        #[test]
        fn fits_and_marks_what_it_shows(
            line in "[a-z \\t日\u{202e}\u{1b}]{0,60}",
            start in 0..80usize,
            length in 0..80usize,
            room in 4..70usize,
        ) {
            let window = Window::around(&line, &(start..start + length), room, 10);
            // an escaped character is never cut, so that a narrow width may be exceeded
            assert!(window.text.width() <= room.max(12), "{window:?}");
            assert!(window.text.get(window.mark.clone()).is_some());
        }
    }

    #[test]
    fn nonsense_marks_do_no_harm() {
        for (start, end) in [(0, 0), (5, 2), (90, 99), (1, 2), (usize::MAX, usize::MAX)] {
            let mark = start..end;
            for room in [0, 1, 2, 5, 50] {
                Window::around("日本", &mark, room, 9);
                Window::around("", &mark, room, 0);
            }
        }
    }
}
