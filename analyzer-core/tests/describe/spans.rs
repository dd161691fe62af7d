//! Every value is found at its span, in any text.

use std::sync::LazyLock;

use kwhy_core::Document;
use kwhy_core::events::{Value, lines, parse};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::fixtures;

static TEXTS: LazyLock<Vec<String>> =
    LazyLock::new(|| fixtures().into_iter().map(|fixture| fixture.text).collect());

/// A change to the lines of a text.
#[derive(Clone, Debug)]
enum Change {
    Drop(Index),
    Swap(Index, Index),
    Indent(Index, usize),
    Insert(Index, Index, &'static str),
    /// Replaces a line with one from any fixture.
    Borrow(Index, Index, Index),
}

const PIECES: &[&str] = &[
    ":", ": ", "  ", "\t", "<none>", "(", ")", "[", "]", "----", "====", "é", "世", "\u{a0}", "%",
    "=", ",", " / ", " from ", "Name:", "Data", "- ",
];

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        at().prop_map(Change::Drop),
        (at(), at()).prop_map(|(one, other)| Change::Swap(one, other)),
        (at(), 0usize..9).prop_map(|(line, spaces)| Change::Indent(line, spaces)),
        (at(), at(), proptest::sample::select(PIECES))
            .prop_map(|(line, place, piece)| Change::Insert(line, place, piece)),
        (at(), at(), at()).prop_map(|(to, text, from)| Change::Borrow(to, text, from)),
    ]
}

fn apply(lines: &mut Vec<String>, change: &Change) {
    if lines.is_empty() {
        return;
    }
    let count = lines.len();
    match change {
        Change::Drop(at) => {
            lines.remove(at.index(count));
        }
        Change::Swap(one, other) => lines.swap(one.index(count), other.index(count)),
        Change::Indent(at, spaces) => {
            let line = &mut lines[at.index(count)];
            *line = " ".repeat(*spaces) + line.trim_start();
        }
        Change::Insert(at, place, piece) => {
            let line = &mut lines[at.index(count)];
            let places: Vec<usize> = line.char_indices().map(|(place, _)| place).collect();
            let place = places.get(place.index(places.len() + 1)).copied();
            line.insert_str(place.unwrap_or(line.len()), piece);
        }
        Change::Borrow(at, text, from) => {
            let other: Vec<&str> = TEXTS[text.index(TEXTS.len())].lines().collect();
            let line = other.get(from.index(other.len().max(1)));
            lines.insert(at.index(count), (*line.unwrap_or(&"")).to_owned());
        }
    }
}

fn check(value: &Value<'_>, path: &str, text: &str) {
    let span = value.span();
    let shown = text.get(span);
    assert!(shown.is_some(), "{path}: {value:?}");
    match value {
        Value::Map(map) => {
            for (key, value) in map.iter() {
                check(value, &format!("{path}.{key}"), text);
            }
        }
        Value::List(items) => {
            for item in items {
                check(item, path, text);
            }
        }
        // ages are printed in other units than they are stored
        Value::Integer(number, _) if !path.ends_with("_s") => {
            let shown = shown.map(|shown| shown.trim_end_matches('s').parse());
            assert_eq!(shown, Some(Ok(*number)), "{path}");
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn values_are_found_at_their_spans(text in any::<Index>(), changes in vec(change(), 0..12)) {
        let mut all: Vec<String> =
            TEXTS[text.index(TEXTS.len())].lines().map(str::to_owned).collect();
        changes.iter().for_each(|change| apply(&mut all, change));
        let document = Document::new("stdin", all.join("\n"));
        let lines: Vec<_> = lines(document.text()).collect();
        let parsed = parse::describe::parse(&lines);
        for object in &parsed.objects {
            assert!(document.text().get(object.span.clone()).is_some());
            for (key, value) in object.fields.iter() {
                check(value, key, document.text());
            }
        }
        for event in &parsed.events {
            assert!(document.text().get(event.span.clone()).is_some());
        }
        for line in &parsed.not_understood {
            assert!((1..=lines.len() as u64).contains(line));
        }
    }
}
