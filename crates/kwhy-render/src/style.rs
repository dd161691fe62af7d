//! Colour, wrapping and hanging indentation.

use std::fmt::{self, Display};
use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Ansi};
use kwhy_core::Level;
use textwrap::{Options, WordSeparator, WordSplitter};

/// The role of a piece of text, from which its colour follows.
#[derive(Clone, Copy)]
pub enum Style {
    /// Plain text.
    Plain,
    /// The text that the eye should find first.
    Strong,
    /// Text that is there for completeness.
    Faint,
    /// A command to type.
    Command,
    /// A level's word.
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

/// The name of a level.
pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}

/// Text in its colour, if the page has colours.
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

/// How text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The width in columns.
    pub width: usize,
    /// True if text may be coloured by ANSI escapes.
    pub color: bool,
}

/// Below this many columns text is no longer narrowed.
const LEAST_TEXT: usize = 20;

impl Layout {
    /// Text in its colour.
    pub fn styled<T: Display>(&self, style: Style, text: T) -> Styled<T> {
        let ansi = style.ansi();
        Styled {
            text,
            ansi: (self.color && ansi != Ansi::new()).then_some(ansi),
        }
    }

    /// Breaks text into lines for a column that starts at `indent`.
    pub fn wrap(&self, text: &str, indent: usize) -> Vec<String> {
        let separator = if text.is_ascii() {
            // keeps names such as `shop/web-0` together
            WordSeparator::AsciiSpace
        } else {
            WordSeparator::UnicodeBreakProperties
        };
        let options = Options::new(self.width.saturating_sub(indent).max(LEAST_TEXT))
            .word_separator(separator)
            .word_splitter(WordSplitter::NoHyphenation);
        textwrap::wrap(text, options)
            .into_iter()
            .map(Into::into)
            .collect()
    }

    /// Writes text that hangs at `indent`, in one colour. The first line starts where the output
    /// already is: `taken` columns, filled up with spaces.
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
