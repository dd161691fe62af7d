//! Lines with an error text and no other form: what a program printed, quoted in a paste.
//!
//! A line whose quotes do not close is taken together with the lines that close them, as page
//! layout and YAML wrap long texts.

use crate::input::Line;
use crate::model::{Event, Format, Parsed, TextBuilder};

/// How many lines a wrapped text may take.
const MAX_WRAPPED: usize = 24;

/// Reads each line as an event of its own, wrapped ones together.
pub fn parse<'a>(format: Format, lines: &[Line<'a>]) -> Parsed<'a> {
    let mut parsed = Parsed::default();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].trim_start();
        let taken = wrapped(&lines[at..]);
        let message = if taken == 1 {
            crate::model::Text::borrowed(line.text.trim_end(), line.start)
        } else {
            join(&lines[at..at + taken])
        };
        if !message.is_empty() {
            let span = message.span();
            parsed.events.push(Event::new(format, span, message));
        }
        at += taken;
    }
    parsed
}

/// How many lines the text at the start takes: more than one if its quotes close further down.
fn wrapped(lines: &[Line<'_>]) -> usize {
    let mut open = Quotes::default();
    for (at, line) in lines.iter().take(MAX_WRAPPED).enumerate() {
        open.read(line.text);
        if !open.any() {
            return at + 1;
        }
        if line.is_blank() {
            break;
        }
    }
    1
}

/// Whether quotes are open at a line's end.
pub(crate) fn is_open(line: &str) -> bool {
    let mut quotes = Quotes::default();
    quotes.read(line);
    quotes.any()
}

fn join(lines: &[Line<'_>]) -> crate::model::Text<'static> {
    let mut builder = TextBuilder::new();
    let mut end = None;
    for line in lines {
        let line = line.trim_start();
        let text = line.text.trim_end();
        if text.is_empty() {
            continue;
        }
        if let Some(end) = end {
            builder.push_decoded(" ", end..line.start);
        }
        builder.push(text, line.start);
        end = Some(line.start + text.len());
    }
    builder.finish()
}

/// Which quotes are open, by how many backslashes stand before them.
#[derive(Default)]
struct Quotes {
    /// Depths of the open quotes, the outermost first.
    open: Vec<(u8, usize)>,
}

impl Quotes {
    fn any(&self) -> bool {
        !self.open.is_empty()
    }

    fn read(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut backslashes = 0;
        for (at, &b) in bytes.iter().enumerate() {
            match b {
                b'\\' => {
                    backslashes += 1;
                    continue;
                }
                // an apostrophe between letters is no quote
                b'\''
                    if at > 0 && bytes[at - 1].is_ascii_alphanumeric() && self.open.is_empty() => {}
                b'"' | b'\'' => self.toggle(b, backslashes),
                _ => {}
            }
            backslashes = 0;
        }
    }

    fn toggle(&mut self, quote: u8, depth: usize) {
        // `\"\"": a quote closes all that was opened inside it
        if let Some(at) = self.open.iter().position(|&known| known == (quote, depth)) {
            self.open.truncate(at);
        } else if self.open.len() < 8 {
            self.open.push((quote, depth));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::lines;

    #[test]
    fn wrapped_quotes_are_joined() {
        let text = "state: waiting\nmessage: 'create failed: container_linux.go:1:\n  starting caused \"mounting \\\"/a\\\"\n  caused \\\"not found\\\"\"'\nready: false\ndon't\n";
        let all: Vec<_> = lines(text).collect();
        let parsed = parse(Format::Plain, &all);
        let messages: Vec<&str> = parsed
            .events
            .iter()
            .map(|event| event.message.as_str())
            .collect();
        assert_eq!(messages.len(), 4);
        assert_eq!(
            messages[1],
            "message: 'create failed: container_linux.go:1: starting caused \"mounting \\\"/a\\\" caused \\\"not found\\\"\"'"
        );
        let at = messages[1].find("mounting").unwrap();
        assert_eq!(
            &text[parsed.events[1].message.source_span(at..at + 8)],
            "mounting"
        );
    }
}
