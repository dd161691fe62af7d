//! Text laid out on a page: colour, wrapping, hanging indentation.

use std::fmt::{self, Display};
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use kwhy_core::Level;
use textwrap::{Options, WordSeparator, WordSplitter};

use crate::plan::Page;

/// What a piece of text is; its colour follows.
#[derive(Clone, Copy)]
pub enum Ink {
    /// Plain text.
    Plain,
    /// What the eye should find first.
    Strong,
    /// What is there for completeness.
    Faint,
    /// A command to type.
    Command,
    /// A level's word.
    Level(Level),
}

impl Ink {
    fn style(self) -> Style {
        let bold = Style::new().bold();
        match self {
            Ink::Plain => Style::new(),
            Ink::Strong => bold,
            Ink::Faint => Style::new().dimmed(),
            Ink::Command => AnsiColor::Cyan.on_default(),
            Ink::Level(Level::Error) => bold.fg_color(Some(AnsiColor::Red.into())),
            Ink::Level(Level::Warning) => bold.fg_color(Some(AnsiColor::Yellow.into())),
            Ink::Level(Level::Info) => bold.fg_color(Some(AnsiColor::Blue.into())),
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
pub struct Inked<T> {
    text: T,
    style: Option<Style>,
}

impl<T: Display> Display for Inked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.style {
            Some(style) => write!(f, "{style}{}{style:#}", self.text),
            None => self.text.fmt(f),
        }
    }
}

/// Below this many columns text is no longer narrowed.
const LEAST_TEXT: usize = 20;

impl Page {
    /// Text in its colour.
    pub fn ink<T: Display>(&self, ink: Ink, text: T) -> Inked<T> {
        let style = ink.style();
        Inked {
            text,
            style: (self.color && style != Style::new()).then_some(style),
        }
    }

    /// Breaks text into lines for a column that begins at `indent`.
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

    /// Writes text that hangs at `indent`, in one colour. The first line stands where the line
    /// already is: `taken` columns, filled up with blanks.
    pub fn hang(
        &self,
        out: &mut dyn Write,
        ink: Ink,
        text: &str,
        taken: usize,
        indent: usize,
    ) -> io::Result<()> {
        let first = indent.max(taken);
        write!(out, "{:1$}", "", first - taken)?;
        let mut lines = self.wrap(text, first).into_iter();
        writeln!(out, "{}", self.ink(ink, lines.next().unwrap_or_default()))?;
        for line in lines {
            writeln!(out, "{:indent$}{}", "", self.ink(ink, line))?;
        }
        Ok(())
    }
}
