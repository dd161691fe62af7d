//! Output quoted in sentences: errors and lines of output between backticks, and klog records after other words.

use super::reports_failure;
use crate::input::{Line, is_printed};
use crate::{describe, events, log, table};
use kwhy_model::{Format, Parsed};

/// The minimum length of an error in a code span.
const LEAST_ERROR: usize = 16;

/// A part of a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece<'a> {
    /// The offset in the sentence.
    pub start: usize,
    pub text: &'a str,
    /// True if it was between backticks.
    pub is_quoted: bool,
}

/// Splits a sentence at the errors and lines of output in its code spans, or before a log record; empty if there are
/// none.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let spans = spans(text);
    match embedded_record(text) {
        Some(at) if spans.is_empty() => around_record(text, at),
        _ => spans,
    }
}

/// Returns the offset of the klog record that starts after other words: `it says: "kubelet[7]: E0304 05:06:07.123 ..."`.
/// No other head is as unmistakable.
fn embedded_record(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let heads = bytes.windows(7).enumerate().skip(1);
    let mut starts = heads.filter(|(at, head)| {
        matches!(head, [b'I' | b'W' | b'E' | b'F', a, b, c, d, b' ', e]
            if [a, b, c, d, e].iter().all(|digit| digit.is_ascii_digit()))
            && !bytes[at - 1].is_ascii_alphanumeric()
    });
    let (at, _) = starts.next()?;
    (log::detect(text.get(at..)?) == Some(Format::Klog)).then_some(at)
}

/// Splits a sentence before a record. The quotes around it are no part of it.
fn around_record(text: &str, at: usize) -> Vec<Piece<'_>> {
    let (before, record) = text.split_at(at);
    let quote = |quote: &char| ['"', '`', '*', '_', '\''].contains(quote);
    let open = before
        .rsplit(char::is_whitespace)
        .find(|word| !word.is_empty())
        .and_then(|word| word.chars().next().filter(quote));
    let bare = record.trim_end_matches(['.', ',']);
    let record = open
        .and_then(|open| bare.strip_suffix(open))
        .unwrap_or(record);
    let piece = |start, text, is_quoted| Piece {
        start,
        text,
        is_quoted,
    };
    vec![
        piece(0, before.trim_end(), false),
        piece(at, record.trim_end(), true),
    ]
}

/// Splits a sentence at the errors and lines of output in its code spans; empty if there are none.
fn spans(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = 0;
    let mut from = 0;
    let next = |from: usize| {
        let found = memchr::memchr(b'`', text.as_bytes().get(from..)?)?;
        Some(from + found)
    };
    while let Some(open) = next(from) {
        let Some(close) = next(open + 1) else { break };
        let inside = text.get(open + 1..close).unwrap_or("");
        let bare = inside.trim();
        if !is_error(bare) && !is_output(bare) {
            // this backtick may also open the next span
            from = if inside.is_empty() { close } else { close + 1 };
            continue;
        }
        pieces.push(Piece {
            start: rest,
            text: text.get(rest..open).unwrap_or("").trim_end(),
            is_quoted: false,
        });
        let spaces = inside.len() - inside.trim_start().len();
        pieces.push(Piece {
            start: open + 1 + spaces,
            text: bare,
            is_quoted: true,
        });
        (rest, from) = (close + 1, close + 1);
    }
    if !pieces.is_empty() {
        let after = text.get(rest..).unwrap_or("");
        let bare = after.trim_start();
        pieces.push(Piece {
            start: rest + after.len() - bare.len(),
            text: bare,
            is_quoted: false,
        });
    }
    pieces
}

/// Parses a quoted line in its own format; `None` if it is an error in words.
pub(super) fn read<'a>(line: Line<'a>) -> Option<Parsed<'a>> {
    let text = line.text;
    if !is_output(text) {
        return None;
    }
    Some(if log::detect(text).is_some() {
        log::parse(&[line])
    } else if events::is_row(text) {
        events::parse(&[line])
    } else if table::is_row_without_header(text) {
        table::parse(&[line])
    } else {
        describe::parse(&[line])
    })
}

fn is_error(text: &str) -> bool {
    text.len() >= LEAST_ERROR && text.contains(' ') && reports_failure(text)
}

/// Returns true if a text is unmistakably a line of a log, a table or a describe. Most fields of a
/// describe are too ambiguous.
fn is_output(text: &str) -> bool {
    text.contains(' ')
        && (log::detect(text).is_some_and(|_| is_printed(text))
            || events::is_row(text)
            || table::is_row_without_header(text)
            || describe::is_state(text))
}

#[cfg(test)]
mod tests {
    use super::super::{parse, quotes_output};
    use crate::input::lines;
    use kwhy_model::Format;

    #[test]
    fn errors_stand_alone() {
        let text = "`crane get`で`Error: berth \"north\" not found, failed`が発生している\nI ran `crane lift` and saw nothing\n";
        let all: Vec<_> = lines(text).collect();
        let parsed = parse(Format::Prose, &all);
        let messages = parsed.events.iter().map(|event| event.message.as_str());
        let wanted = [
            "`crane get`で",
            "Error: berth \"north\" not found, failed",
            "が発生している",
            "I ran `crane lift` and saw nothing",
        ];
        assert_eq!(messages.collect::<Vec<_>>(), wanted);
        let event = &parsed.events[1];
        assert_eq!(&text[event.span.clone()], event.message.as_str());
    }

    #[test]
    fn lines_of_output_are_read_as_such() {
        for (quoted, format, said) in [
            (
                "E0304 05:06:07.123456       1 oven.go:143] \"no heat\" err=\"no wood\"",
                Format::Klog,
                "no heat",
            ),
            (
                "Warning  BackOff  5s (x7 over 2m)  kubelet  Back-off restarting the oven",
                Format::DescribeEvents,
                "Back-off restarting the oven",
            ),
            (
                "5s   Warning   BackOff   pod/oven-0   Back-off restarting the oven",
                Format::EventsTable,
                "Back-off restarting the oven",
            ),
        ] {
            let text = format!("we see `{quoted}` and wonder\n");
            assert!(quotes_output(&text));
            let all: Vec<_> = lines(&text).collect();
            let parsed = parse(Format::Prose, &all);
            let [_, event, _] = parsed.events.as_slice() else {
                panic!("{:?}", parsed.events);
            };
            assert_eq!((event.format, event.message.as_str()), (format, said));
            assert_eq!(&text[event.message.span()], said);
        }
        for (quoted, path, said) in [
            ("Reason:       OOMKilled", "state.reason", "OOMKilled"),
            ("oven-0   0/1   Pending   0   7s", "status", "Pending"),
        ] {
            let text = format!("is `{quoted}` bad, and `kubectl get pods` too\n");
            let all: Vec<_> = lines(&text).collect();
            let parsed = parse(Format::Prose, &all);
            let fields = &parsed.objects[0].fields;
            let own = fields.items("containers").first();
            let value = own.map_or_else(|| fields.get(path), |own| own.get(path));
            assert_eq!(value.unwrap().to_text().unwrap(), said);
        }
    }

    #[test]
    fn a_record_may_follow_other_words() {
        let record = "E0304 05:06:07.123456    2903 oven.go:24] \"No heat\" err=\"no wood\"";
        for text in [
            format!("it does not bake: \"oven[2903]: {record}\""),
            format!("it says {record}"),
            format!("_{record}_"),
        ] {
            let all: Vec<_> = lines(&text).collect();
            let parsed = parse(Format::Prose, &all);
            let event = parsed.events.last().unwrap();
            assert_eq!(
                (event.format, event.message.as_str()),
                (Format::Klog, "No heat")
            );
            let error = event.fields.iter().find(|field| field.key == "err");
            assert_eq!(error.unwrap().value.as_str(), "no wood", "{text}");
        }
    }

    #[test]
    fn words_stay_in_their_sentence() {
        for text in [
            "set `Image: oven:7` and `Restart Count: 4` there",
            "run `kubectl get pods` or `make`",
            "the `Warning` about `oven-0` is `Pending`",
            "a lone ` mark",
            "level `info` and `key=value` are well",
        ] {
            assert!(!quotes_output(text), "{text}");
            let all: Vec<_> = lines(text).collect();
            assert_eq!(parse(Format::Prose, &all).events.len(), 1, "{text}");
        }
    }
}
