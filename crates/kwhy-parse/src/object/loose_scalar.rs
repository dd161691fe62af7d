//! The text of a scalar that is not valid YAML: its quotes are not closed, or occur unescaped inside it.
//!
//! Web pages and editors change quotes, people quote by hand, pastes end in the middle. Indentation still shows where
//! the text ends, as every line deeper than its key belongs to it.

use super::recognise::key_length;
use super::scalar;
use super::source::{Row, Source};
use crate::input::Line;
use kwhy_model::Text;

/// Returns the text that starts with `value` in the first row, and the rows after it. `rows` are the
/// source's rows: the key's and all that are deeper.
pub(super) fn text<'r, 'a>(
    source: &Source<'a>,
    rows: &'r [Row<'a>],
    value: Line<'a>,
) -> Option<(Text<'a>, &'r [Row<'a>])> {
    let (first, rest) = rows.split_first()?;
    let start = first.pad + value.start.checked_sub(first.line.start)?;
    let quote = value
        .text
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\''));
    let inside = start + quote.map_or(0, char::len_utf8);
    let closes = |row: &Row<'a>| quote.is_some_and(|quote| row.bare().ends_with(quote));
    // a lone quote on the first line can only open
    let is_closed = |row: &usize| {
        rows.get(*row).is_some_and(closes) && (*row > 0 || value.text.trim_end().len() > 1)
    };
    let closing = (0..rows.len()).rev().find(is_closed);
    let last = match (quote, closing) {
        (Some(_), Some(row)) => row,
        (Some(_), None) => rest.len(),
        (None, _) if rest.iter().all(is_running) => rest.len(),
        (None, _) => 0,
    };
    let (whole, row) = source.row(last)?;
    let end = whole.end - (row.line.text.len() - row.line.text.trim_end().len());
    let end = end - usize::from(closing.is_some());
    let text = scalar::flowing(source, inside..end.max(inside), quote).trim();
    (!text.is_empty()).then_some((text, rows.get(last + 1..)?))
}

/// Returns true if a row is neither an item nor a key.
fn is_running(row: &Row<'_>) -> bool {
    !row.is_item() && key_length(row.bare()).is_none()
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;
    use kwhy_model::Value;

    /// Returns the `message` of a status, and the lines not understood.
    fn message(lines: &str) -> (String, Vec<u64>) {
        let indented = lines.replace('\n', "\n  ");
        let text = format!(
            "kind: Crane\nmetadata:\n  name: north\nstatus:\n  message: {indented}\n  phase: Stuck\n"
        );
        let read = parsed(&text);
        let fields = &read.objects[0].fields;
        let found = fields.get("status.message").or(fields.get("message"));
        let Some(Value::Text(message)) = found else {
            panic!("{fields:?}");
        };
        // each word is at the place that its span states
        let mut at = 0;
        for word in message.as_str().split_whitespace() {
            at += message.as_str()[at..].find(word).unwrap();
            let source = &text[message.source_span(at..at + word.len())];
            assert_eq!(
                source.replace("''", "'").replace("\\\"", "\""),
                word.replace("''", "'")
            );
            at += word.len();
        }
        let phase = fields.get("status.phase").or(fields.get("phase"));
        assert_eq!(phase.and_then(Value::to_text).unwrap_or_default(), "Stuck");
        (message.as_str().to_owned(), read.not_understood)
    }

    #[test]
    fn quotes_inside_quotes() {
        for (lines, wanted) in [
            ("'berth 'seven' is not free'", "berth 'seven' is not free"),
            (
                "'berth 'seven' can't\n  be 'reached''",
                "berth 'seven' can't be 'reached'",
            ),
            (
                "'lift of 'box':\n  no oil: it''s\n  late'",
                "lift of 'box': no oil: it's late",
            ),
            (
                "\"berth \"seven\" is\n  not \\\"free\\\"\"",
                "berth \"seven\" is not \"free\"",
            ),
            ("'don't: ''no'' berth'", "don't: 'no' berth"),
        ] {
            assert_eq!(message(lines), (wanted.to_owned(), vec![]), "{lines}");
        }
    }

    #[test]
    fn quotes_that_are_not_closed() {
        for (lines, wanted) in [
            (
                "'lift: no berth:\n  out of oil",
                "lift: no berth: out of oil",
            ),
            ("\"lift: no berth", "lift: no berth"),
            (
                "lift: no berth:\n  out of oil",
                "lift: no berth: out of oil",
            ),
            ("'\n  lift it", "lift it"),
        ] {
            assert_eq!(message(lines), (wanted.to_owned(), vec![]), "{lines}");
        }
        let cut = message("lift: no berth\n  - at: seven");
        assert_eq!(cut, ("lift: no berth".to_owned(), vec![6]));
    }
}
