//! journald's multi-line entries (systemd 252):
//!
//! - `journalctl -o export`: `__CURSOR=…`, then one line per field, and an empty line at the end. A
//!   field that is not plain text is its name, a line break, its length in eight bytes (little
//!   endian), its bytes and a line break.
//! - `journalctl -o verbose`: `Mon 2024-03-04 05:06:07.123456 UTC [s=…]`, then `    NAME=value`
//!   lines; further lines of a value are indented to its start.

use super::super::payload::Payload;
use super::super::record::joined;
use super::super::timestamp::{epoch, leading_date_time};
use super::journal_json::severity_of;
use super::{Envelopes, Inner, Layer, Names, run, without_escapes};
use crate::input::Line;
use kwhy_model::{Span, Text};

/// The maximum number of lines of an entry.
const MAX_LINES: usize = 4000;
/// The indentation of fields in the verbose format.
const INDENT: &str = "    ";
/// The start of an entry in the export format.
const CURSOR: &str = "__CURSOR=s=";
/// The size in bytes of a binary field's length.
const LENGTH: usize = 8;

/// Decides, line by line after the first, which lines belong to an entry.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    verbose: bool,
    inside: Inside,
    lines: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Fields,
    /// After the name of a binary field.
    Length,
    /// In a binary field, with this many bytes to come if the length could be read.
    Data(Option<usize>),
}

/// The role of a line in an entry.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// A field; its value starts at this offset.
    Field(usize),
    /// The name of a binary field.
    Name,
    /// The start of a binary value, at this offset.
    Start(usize),
    /// A further line of a value, which starts at this offset.
    More(usize),
    /// A line that is part of a binary field's length.
    Nothing,
}

/// Parses the first line of an entry in either format.
pub(crate) fn layer(text: &str) -> Option<Layer> {
    if text.starts_with(CURSOR) {
        return Some(Layer::new(None, Names::default(), Inner::From(text.len())));
    }
    let (day, rest) = (text.get(..3)?, text.get(3..)?.strip_prefix(' ')?);
    let (time, length) = leading_date_time(rest)?;
    let zone = rest.get(length..)?.trim_start_matches(' ');
    let (zone, cursor) = zone.split_once(' ')?;
    let is_entry = day.bytes().all(|byte| byte.is_ascii_alphabetic())
        && zone.len() < 8
        && cursor.starts_with("[s=")
        && cursor.ends_with(']');
    let stamp = kwhy_model::Stamp {
        zone_stated: time.zone_stated || matches!(zone, "UTC" | "GMT"),
        ..time
    };
    is_entry.then(|| Layer::new(Some(stamp), Names::default(), Inner::From(text.len())))
}

/// Returns true if the text starts with a field name and `=`.
fn name_ends(text: &str) -> bool {
    text.as_bytes().get(name_length(text)) == Some(&b'=')
}

/// Returns the length of the field name at the start of the text.
fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    run(bytes.get(..bytes.len().min(65)).unwrap_or(bytes), |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
    })
}

impl Block {
    /// Returns the state for an entry that starts on this line, if one does.
    pub(crate) fn begin(text: &str) -> Option<Block> {
        match text.as_bytes().first()? {
            b'_' | b'A'..=b'Z' => layer(text).map(|_| Block {
                verbose: !text.starts_with('_'),
                inside: Inside::Fields,
                lines: 0,
            }),
            _ => None,
        }
    }

    /// Returns true if the next line belongs to the entry.
    pub(crate) fn takes(&mut self, text: &str) -> bool {
        self.part(text).is_some()
    }

    fn part(&mut self, text: &str) -> Option<Part> {
        self.lines += 1;
        if self.lines > MAX_LINES {
            return None;
        }
        if self.verbose {
            let field = text.strip_prefix(INDENT)?;
            let name = name_length(field);
            let is_field = name > 0 && field.as_bytes().get(name) == Some(&b'=');
            return Some(if is_field {
                Part::Field(INDENT.len() + name + 1)
            } else {
                Part::More(0)
            });
        }
        match self.inside {
            Inside::Fields => self.field(text),
            Inside::Length => {
                let (length, start) = binary_length(text)?;
                if start == 0 {
                    // the first byte of the length is a line break
                    return Some(Part::Nothing);
                }
                let here = text.len() - start;
                self.inside = match length.map(|length| length.checked_sub(here + 1)) {
                    Some(None) => Inside::Fields,
                    Some(left) => Inside::Data(left),
                    None => Inside::Data(None),
                };
                Some(Part::Start(start))
            }
            // colour sequences were removed from the text, so it may end before its stated length
            Inside::Data(Some(_)) if text.starts_with(CURSOR) => None,
            Inside::Data(Some(_)) if text.starts_with('_') && name_ends(text) => self.field(text),
            Inside::Data(Some(left)) => {
                self.inside = match left.checked_sub(text.len() + 1) {
                    Some(left) => Inside::Data(Some(left)),
                    None => Inside::Fields,
                };
                Some(Part::More(0))
            }
            Inside::Data(None) => match self.field(text) {
                None if !text.is_empty() => Some(Part::More(0)),
                found => found,
            },
        }
    }

    fn field(&mut self, text: &str) -> Option<Part> {
        let name = name_length(text);
        match text.as_bytes().get(name) {
            Some(b'=') if name > 0 && !text.starts_with(CURSOR) => {
                self.inside = Inside::Fields;
                Some(Part::Field(name + 1))
            }
            None if name > 0 => {
                self.inside = Inside::Length;
                Some(Part::Name)
            }
            _ => None,
        }
    }

    /// Reads the entry that starts on a line; also returns the number of further lines consumed.
    pub(crate) fn read<'a>(first: &Line<'a>, after: &[Line<'a>]) -> Option<(Entry<'a>, usize)> {
        let mut block = Block::begin(first.text)?;
        let payload = Payload::from_line(*first);
        let mut entry = Entry {
            envelopes: Envelopes::default(),
            message: payload.skip(first.text.len()),
            span: first.span(),
        };
        let layer = layer(first.text)?;
        entry.envelopes.take(layer, &payload);
        let mut taken = 0;
        let mut open: Option<Field<'a>> = None;
        for line in after {
            let Some(part) = block.part(line.text) else {
                // a text shorter than its stated length ends before the empty line
                if let Some(open) = open.as_mut().filter(|open| open.lines.len() > 1) {
                    let last = open.lines.pop().filter(|last| !last.is_empty());
                    open.lines.extend(last);
                }
                break;
            };
            taken += 1;
            entry.span.end = line.span().end;
            let payload = Payload::from_line(*line);
            match part {
                Part::Field(start) => {
                    entry.close(open.take());
                    let value = payload.part(start..line.text.len());
                    let indent = if block.verbose { INDENT.len() } else { 0 };
                    let name = line.text.get(indent..start - 1).unwrap_or("");
                    open = Some(Field {
                        name,
                        lines: vec![value],
                        indent: start,
                    });
                }
                Part::Name => {
                    entry.close(open.take());
                    open = Some(Field {
                        name: line.text,
                        lines: Vec::new(),
                        indent: 0,
                    });
                }
                Part::Start(start) | Part::More(start) => {
                    if let Some(open) = open.as_mut() {
                        let start = start.max(spaces(line.text).min(open.indent));
                        open.lines.push(payload.part(start..line.text.len()));
                    }
                }
                Part::Nothing => {}
            }
        }
        entry.close(open);
        Some((entry, taken))
    }
}

fn spaces(text: &str) -> usize {
    run(text.as_bytes(), |byte| byte == b' ')
}

/// Returns the length of a binary field and the offset of its value. The length is unknown if any
/// of its bytes is not ASCII, as those were invalid UTF-8.
fn binary_length(text: &str) -> Option<(Option<usize>, usize)> {
    if text.is_empty() {
        return Some((None, 0));
    }
    let zeros = run(text.as_bytes(), |byte| byte == 0);
    if zeros == LENGTH - 1 {
        // a line break is the number 10
        return Some((Some(10), zeros));
    }
    let mut length = Some(0usize);
    let mut start = 0;
    for (number, c) in (0u32..).zip(text.chars().take(LENGTH)) {
        let byte = u8::try_from(c).ok().filter(u8::is_ascii);
        length = byte.and_then(|byte| {
            let shifted = usize::from(byte).checked_shl(8 * number)?;
            length?.checked_add(shifted)
        });
        start += c.len_utf8();
    }
    Some((length, start))
}

struct Field<'a> {
    name: &'a str,
    lines: Vec<Text<'a>>,
    /// The indentation of further lines of the value.
    indent: usize,
}

impl<'a> Field<'a> {
    fn value(self) -> Text<'a> {
        joined(&self.lines)
    }
}

/// An entry of the journal.
pub(crate) struct Entry<'a> {
    pub envelopes: Envelopes<'a>,
    pub message: Payload<'a>,
    pub span: Span,
}

impl<'a> Entry<'a> {
    fn close(&mut self, field: Option<Field<'a>>) {
        let Some(field) = field else { return };
        let envelopes = &mut self.envelopes;
        let envelope = &mut envelopes.merged;
        match field.name {
            "MESSAGE" => self.message = Payload::from_text(without_escapes(field.value())),
            "__REALTIME_TIMESTAMP" => {
                envelope.time = epoch(field.value().as_str()).or(envelope.time);
            }
            "PRIORITY" => envelopes.severity = severity_of(field.value().as_str()),
            "_HOSTNAME" => envelope.node = Some(field.value()),
            "SYSLOG_IDENTIFIER" => envelope.program = Some(field.value()),
            "_COMM" if envelope.program.is_none() => envelope.program = Some(field.value()),
            "_PID" => envelope.pid = Some(field.value()),
            "SYSLOG_PID" if envelope.pid.is_none() => envelope.pid = Some(field.value()),
            _ => {}
        }
    }
}
