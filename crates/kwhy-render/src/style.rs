//! Colour, wrapping and hanging indentation.

use std::fmt::{self, Display};
use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Ansi};
use kwhy_core::Level;
use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter};
use unicode_width::UnicodeWidthChar;

/// The role of a piece of text, which determines its colour.
#[derive(Clone, Copy)]
pub enum Style {
    /// Plain text.
    Plain,
    /// Text to be noticed first.
    Strong,
    /// Text of minor importance.
    Faint,
    /// A command to type.
    Command,
    /// The name of a level.
    Level(Level),
}

impl Style {
    fn ansi(self) -> Ansi {
        let bold = Ansi::new().bold();
        match self {
            Style::Plain => Ansi::new(),
            Style::Strong => bold,
            Style::Faint => Ansi::new().dimmed(),
            Style::Command => AnsiColor::Cyan.on_default(),
            Style::Level(Level::Error) => bold.fg_color(Some(AnsiColor::Red.into())),
            Style::Level(Level::Warning) => bold.fg_color(Some(AnsiColor::Yellow.into())),
            Style::Level(Level::Info) => bold.fg_color(Some(AnsiColor::Blue.into())),
        }
    }
}

/// Returns the name of a level.
pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}

/// A text that is displayed in its colour, if colours are on.
pub struct Styled<T> {
    text: T,
    ansi: Option<Ansi>,
}

impl<T: Display> Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ansi {
            Some(style) => write!(f, "{style}{}{style:#}", self.text),
            None => self.text.fmt(f),
        }
    }
}

/// The layout of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The width in columns.
    pub width: usize,
    /// True if text may be coloured by ANSI escapes.
    pub color: bool,
}

/// Splits a line into words at spaces; in scripts without spaces also where Unicode allows a break.
fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    if line.is_ascii() {
        return WordSeparator::AsciiSpace.find_words(line);
    }
    let mut ends: Vec<usize> = Vec::new();
    let mut end = 0;
    for word in WordSeparator::UnicodeBreakProperties.find_words(line) {
        let (before, after) = line.split_at(end);
        let is_inside = before.ends_with(|c: char| c.is_ascii() && c != ' ')
            && after.starts_with(|c: char| c.is_ascii());
        if is_inside {
            ends.pop();
        }
        end += word.word.len() + word.whitespace.len();
        ends.push(end);
    }
    let starts = std::iter::once(0).chain(ends.clone());
    Box::new(
        starts
            .zip(ends)
            .map(|(start, end)| Word::from(&line[start..end])),
    )
}

/// Returns the byte at which a line that is too wide is broken: after the last slash that fits, otherwise after the
/// last hyphen, dot or underscore, otherwise where it is full. `None` if it fits.
fn end_of_line(line: &str, width: usize) -> Option<usize> {
    let mut columns = 0;
    let mut slash = None;
    let mut mark = None;
    for (at, c) in line.char_indices() {
        columns += c.width().unwrap_or(0);
        if columns > width {
            return Some(slash.or(mark).unwrap_or(at)).filter(|end| *end > 0);
        }
        match c {
            '/' => slash = Some(at + 1),
            '-' | '_' | '.' => mark = Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The minimum width of a column of text, even if lines become wider than the layout.
const LEAST_TEXT: usize = 20;

impl Layout {
    /// Returns a text in its colour.
    pub fn styled<T: Display>(&self, style: Style, text: T) -> Styled<T> {
        let ansi = style.ansi();
        Styled {
            text,
            ansi: (self.color && ansi != Ansi::new()).then_some(ansi),
        }
    }

    /// Breaks a text into lines for a column that starts at `indent`. Names and paths are broken only if one is longer
    /// than a line, preferably after a slash.
    pub fn wrap(&self, text: &str, indent: usize) -> Vec<String> {
        let width = self.width.saturating_sub(indent).max(LEAST_TEXT);
        let options = Options::new(width)
            .word_separator(WordSeparator::Custom(words))
            .word_splitter(WordSplitter::NoHyphenation)
            .break_words(false);
        let mut lines = Vec::new();
        for line in textwrap::wrap(text, options) {
            let mut rest = &*line;
            while let Some(end) = end_of_line(rest, width) {
                let (start, more) = rest.split_at(end);
                lines.push(start.to_owned());
                rest = more;
            }
            lines.push(rest.to_owned());
        }
        lines
    }

    /// Writes a text in one colour with a hanging indentation. The first line starts after the `taken` columns that
    /// the output line already has, filled up with spaces to `indent`.
    pub fn hang(
        &self,
        out: &mut dyn Write,
        style: Style,
        text: &str,
        taken: usize,
        indent: usize,
    ) -> io::Result<()> {
        let first = indent.max(taken);
        write!(out, "{:1$}", "", first - taken)?;
        let mut lines = self.wrap(text, first).into_iter();
        writeln!(
            out,
            "{}",
            self.styled(style, lines.next().unwrap_or_default())
        )?;
        for line in lines {
            writeln!(out, "{:indent$}{}", "", self.styled(style, line))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        let color = false;
        Layout { width, color }.wrap(text, 0)
    }

    #[test]
    fn paths_and_names_stay_whole() {
        let path = "dock/pods/crane-0-arm/current.log";
        for text in [format!("see {path} – there"), format!("see {path} there")] {
            let lines = wrapped(&text, 35);
            assert!(lines.iter().any(|line| line.contains(path)), "{lines:?}");
        }
        assert_eq!(
            wrapped(path, 20),
            ["dock/pods/", "crane-0-arm/", "current.log"]
        );
        assert_eq!(
            wrapped("crane-0-of-the-northern-dock", 20),
            ["crane-0-of-the-", "northern-dock"]
        );
        assert_eq!(
            wrapped(&"x".repeat(30), 20),
            ["x".repeat(20), "x".repeat(10)]
        );
        assert_eq!(wrapped(&"先挂载卷".repeat(4), 20).len(), 2);
    }
}
