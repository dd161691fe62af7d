//! Notes on standard error.

use std::io::{self, Write};

use kwhy_core::events::masked;
use kwhy_render::Layout;
use kwhy_render::escape::visible;
use kwhy_render::style::Style;

/// The indentation of the further lines of a note: the width of `kwhy: `.
const INDENT: usize = 6;

/// Writes notes, one a line, or wrapped on a terminal.
pub struct Notes<'w> {
    err: &'w mut dyn Write,
    columns: Option<usize>,
}

impl<'w> Notes<'w> {
    /// Creates a writer of notes for a terminal of `columns`, or for any other reader.
    pub fn new(err: &'w mut dyn Write, columns: Option<usize>) -> Notes<'w> {
        Notes { err, columns }
    }

    /// Writes a note.
    ///
    /// # Errors
    /// The writer fails.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        // a path may be a URL with a password
        let text = format!("kwhy: {}", visible(&masked(text)));
        fitted(&mut *self.err, self.columns, Style::Plain, &text, INDENT)
    }

    /// Writes a text of several lines as it is.
    ///
    /// # Errors
    /// The writer fails.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.err, "{text}")
    }
}

/// Writes a text on one line. On a terminal it is wrapped, with its further lines indented by `indent`.
///
/// # Errors
/// The writer fails.
pub fn fitted(
    out: &mut dyn Write,
    columns: Option<usize>,
    style: Style,
    text: &str,
    indent: usize,
) -> io::Result<()> {
    let Some(width) = columns else {
        return writeln!(out, "{text}");
    };
    let color = false;
    let layout = Layout { width, color };
    layout.hang(out, style, text, indent, indent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(columns: Option<usize>) -> String {
        let mut err = Vec::new();
        let text = "cannot read dock/crane-0.log: \x1b[2J it is not there, or not any more";
        Notes::new(&mut err, columns).note(text).unwrap();
        String::from_utf8(err).unwrap()
    }

    #[test]
    fn a_note_fits_a_terminal() {
        assert_eq!(noted(None).lines().count(), 1);
        assert_eq!(
            noted(Some(40)),
            "kwhy: cannot read\n      dock/crane-0.log: ␛[2J it is not\n      there, or not any more\n"
        );
    }
}
