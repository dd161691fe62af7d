//! Errors as people read them on standard error, drawn by miette.

use std::borrow::Cow;
use std::fmt;

use kwhy_core::signature::SignatureError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource};

use kwhy_render::Layout;
use kwhy_render::counted;
use kwhy_render::escape::visible;

/// Draws an error with its advice.
pub fn draw(layout: &Layout, problem: &dyn Diagnostic) -> String {
    let theme = if layout.color {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let mut drawn = String::new();
    let written = GraphicalReportHandler::new_themed(theme)
        .with_width(layout.width)
        .with_links(false)
        .with_break_words(false)
        .with_word_separator(textwrap::WordSeparator::AsciiSpace)
        .with_word_splitter(textwrap::WordSplitter::NoHyphenation)
        .render_report(&mut drawn, problem);
    match written {
        Ok(()) => drawn,
        Err(_) => format!("{problem}\n"),
    }
}

/// An error in a file, with its place and the text around it.
pub struct BadFile {
    file: String,
    place: (usize, usize),
    message: String,
    advice: Cow<'static, str>,
    source: Box<NamedSource<String>>,
    at: usize,
    length: usize,
}

impl From<SignatureError> for BadFile {
    fn from(error: SignatureError) -> BadFile {
        let place = (error.line(), error.column());
        BadFile::new(
            error.file(),
            error.source_text(),
            place,
            error.message(),
            "`kwhy signatures lint PATH` checks a signature",
        )
    }
}

impl BadFile {
    /// Mentions the number of further errors in the advice.
    pub fn with_more(mut self, more: u64) -> BadFile {
        if more > 0 {
            let errors = counted(more, "more error");
            self.advice = format!("{errors}: `kwhy signatures lint PATH` lists all").into();
        }
        self
    }

    /// Returns the file, and the line and column of the error, counted from 1.
    pub fn place(&self) -> (&str, (usize, usize)) {
        (&self.file, self.place)
    }

    /// Creates an error at `place`, its line and column counted from 1.
    pub fn new(
        file: &str,
        source: &str,
        place: (usize, usize),
        message: &str,
        advice: &'static str,
    ) -> BadFile {
        let mut shown = String::with_capacity(source.len());
        let mut at = 0;
        let mut length = 0;
        for (index, line) in source.lines().enumerate() {
            if index + 1 == place.0 {
                let column = place.1.saturating_sub(1);
                let start = line
                    .char_indices()
                    .nth(column)
                    .map_or(line.len(), |(start, _)| start);
                let (before, marked) = line.split_at(start);
                at = shown.len() + visible(before).len();
                length = visible(marked.trim_end()).len();
            }
            shown.push_str(&visible(line));
            shown.push('\n');
        }
        BadFile {
            file: file.to_owned(),
            place,
            message: visible(message).into_owned(),
            advice: advice.into(),
            source: Box::new(NamedSource::new(visible(file), shown)),
            at,
            length,
        }
    }
}

impl Diagnostic for BadFile {
    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&*self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new(None, self.at, self.length);
        Some(Box::new(std::iter::once(label)))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.advice))
    }
}

impl std::error::Error for BadFile {}

impl fmt::Debug for BadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for BadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(line: usize, column: usize) -> String {
        let source = "id: cart\ntitel: \x1b[2J the cart\nseverity: error\n";
        let message = "unknown key `titel`";
        let problem = BadFile::new(
            "mine/cart.yaml",
            source,
            (line, column),
            message,
            "`kwhy signatures lint PATH` checks a signature",
        );
        let layout = Layout {
            width: 80,
            color: false,
        };
        draw(&layout, &problem)
    }

    #[test]
    fn a_bad_signature() {
        insta::assert_snapshot!(drawn(2, 1));
    }

    #[test]
    fn places_that_do_not_exist() {
        for (line, column) in [(0, 0), (3, 99), (4, 1), (99, 1), (usize::MAX, usize::MAX)] {
            assert!(drawn(line, column).contains("unknown key"));
        }
    }
}
