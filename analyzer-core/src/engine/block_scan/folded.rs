//! Lines without a time that follow a record: community rules treat them as part of its entry.

use super::BlockScan;
use crate::matcher::Hit;
use kwhy_model::{Event, Format, Span, Stamp, Text};
use kwhy_parse::framing::begins_record;
use kwhy_parse::input::Chunk;
use kwhy_signature::ConditionId;

/// The maximum number of lines and bytes of one entry.
const MAX_LINES: usize = 64;
const MAX_BYTES: usize = 32 << 10;

/// Joins records with the lines that follow them.
#[derive(Default)]
pub(super) struct Folder<'a> {
    open: Option<Folded<'a>>,
    done: Vec<Folded<'a>>,
}

/// A record with the lines that follow it.
struct Folded<'a> {
    head: Event<'a>,
    span: Span,
    lines: usize,
}

impl<'a> Folder<'a> {
    /// Takes the next event of a text. Returns the time of the record that it continues if it is a line without one.
    pub fn take(&mut self, text: &str, event: &Event<'a>) -> Option<Stamp> {
        if event.time.is_some() {
            self.close();
            self.open = Some(Folded {
                head: event.clone(),
                span: event.span.clone(),
                lines: 1,
            });
            return None;
        }
        let open = self.open.as_mut()?;
        let between = text.get(open.span.end..event.span.start);
        let follows = between.is_some_and(|between| between.trim().is_empty())
            && matches!(event.format, Format::Plain | Format::Prose)
            && !begins_record(text.as_bytes(), line_start(text, event.span.start))
            && open.lines < MAX_LINES
            && event.span.end - open.span.start <= MAX_BYTES;
        if follows {
            open.span.end = event.span.end;
            open.lines += 1;
            let envelope = open.head.envelope.as_ref();
            envelope
                .and_then(|envelope| envelope.time)
                .or(open.head.time)
        } else {
            self.close();
            None
        }
    }

    fn close(&mut self) {
        self.done
            .extend(self.open.take().filter(|folded| folded.lines > 1));
    }
}

fn line_start(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)
}

impl BlockScan<'_, '_, '_> {
    /// Tests records together with the lines that follow them.
    pub(super) fn test_folded(&mut self, chunk: &Chunk, mut folder: Folder<'_>) {
        folder.close();
        let before = self.outcome.hits.len();
        let text = chunk.text.text();
        for Folded { head, span, .. } in folder.done {
            let Some(whole) = text.get(span.clone()).filter(|_| self.tester.takes(&head)) else {
                continue;
            };
            // a JSON object may end with a bracket that belongs to no event
            let rest = text.get(span.end..).unwrap_or_default();
            let bracket = rest.trim_start();
            let is_closed = bracket.starts_with('}') && whole.contains('{');
            let end = if is_closed {
                span.end + (rest.len() - bracket.len()) + 1
            } else {
                span.end
            };
            let span = span.start..end;
            let Some(whole) = text.get(span.clone()) else {
                continue;
            };
            let event = Event {
                format: Format::Plain,
                message: Text::borrowed(whole, span.start),
                fields: Vec::new(),
                span,
                ..head
            };
            self.outcome.stopped += self.tester.folded(chunk, &event, &mut self.outcome.hits);
        }
        // hits are kept in input order
        if self.outcome.hits.len() > before {
            let start = chunk.first_byte;
            let of_chunk = |(_, hit): &(ConditionId, Box<Hit>)| hit.record.start >= start;
            let hits = &mut self.outcome.hits;
            let first = hits.iter().position(of_chunk).unwrap_or(before);
            hits[first..].sort_by_key(|(leaf, hit)| (hit.record.start, *leaf));
        }
    }
}
