//! One JSON object of the schema `kwhy.report/1`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use super::escape::is_hostile;
use super::{Render, View};

/// Writes a report as JSON, with a line end after it.
pub struct Json {
    /// True to write it indented, on several lines.
    pub pretty: bool,
}

impl Render for Json {
    fn render(&self, view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
        if self.pretty {
            let form = Escaping(PrettyFormatter::new());
            view.report
                .serialize(&mut Serializer::with_formatter(&mut *out, form))?;
        } else {
            let form = Escaping(CompactFormatter);
            view.report
                .serialize(&mut Serializer::with_formatter(&mut *out, form))?;
        }
        writeln!(out)
    }
}

/// Writes a value on one line, with a line end after it.
pub fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let form = Escaping(CompactFormatter);
    value.serialize(&mut Serializer::with_formatter(&mut *out, form))?;
    writeln!(out)
}

/// Returns a value on one line; `None` if it cannot be serialised.
pub fn text(value: &impl Serialize) -> Option<String> {
    let mut out = Vec::new();
    let form = Escaping(CompactFormatter);
    let written = value.serialize(&mut Serializer::with_formatter(&mut out, form));
    written.ok()?;
    String::from_utf8(out).ok()
}

/// Writes characters that control a terminal as `\u` escapes, which leaves the values the same.
struct Escaping<F>(F);

impl<F: Formatter> Formatter for Escaping<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_hostile) {
            let (plain, hostile) = rest.split_at(at);
            out.write_all(plain.as_bytes())?;
            let mut chars = hostile.chars();
            if let Some(c) = chars.next() {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
            rest = chars.as_str();
        }
        out.write_all(rest.as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn rendered(pretty: bool) -> String {
        let report = samples::hostile();
        let view = View {
            report: &report,
            left_out: 0,
        };
        let mut out = Vec::new();
        Json { pretty }.render(&view, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_stay_and_nothing_steers_the_terminal() {
        let expected = serde_json::to_value(samples::hostile()).unwrap();
        for pretty in [false, true] {
            let written = rendered(pretty);
            let read: serde_json::Value = serde_json::from_str(&written).unwrap();
            assert_eq!(read, expected);
            assert!(!written.chars().any(|c| c != '\n' && is_hostile(c)));
        }
        assert_eq!(rendered(false).matches('\n').count(), 1);
    }
}
