//! Groups of the events of whole logs.

use super::*;
use kwhy_model::{Format, Text};

fn folded<'m>(messages: impl IntoIterator<Item = &'m str>) -> Folded {
    let mut folded = Folded::new();
    for (line, message) in (1..).zip(messages) {
        let text = Text::borrowed(message, 0);
        folded.add(
            &Event::new(Format::Plain, 0..message.len(), text),
            ("x", line),
        );
    }
    folded
}

fn counts(folded: &Folded) -> Vec<(String, u64)> {
    let rows = folded.rows().into_iter();
    rows.map(|row| (row.template, row.count)).collect()
}

#[test]
fn names_without_digits_vary_between_messages() {
    let names = ["web", "cart", "search", "mail", "till"];
    let all: Vec<String> = names
        .iter()
        .map(|name| format!("failed to sync the pod {name} of the shop in time"))
        .collect();
    let rows = counts(&folded(all.iter().map(String::as_str)));
    assert_eq!(
        rows,
        [("failed to sync the pod <*> of the shop in time".into(), 5)]
    );
    let few = counts(&folded(all.iter().take(4).map(String::as_str)));
    assert_eq!(
        few.len(),
        4,
        "a few words may be what the messages are about"
    );
}

#[test]
fn identifiers_vary_at_once() {
    let rows = counts(&folded([
        "com.example.cart: the job of the crane starts later",
        "com.example.mail: the job of the crane starts later",
        "com.example.mail: the job of the crane starts never",
    ]));
    assert_eq!(
        rows,
        [
            ("<*>: the job of the crane starts later".into(), 2),
            (
                "com.example.mail: the job of the crane starts never".into(),
                1
            )
        ]
    );
}

#[test]
fn values_keep_their_type_until_they_differ_in_it() {
    let rows = |messages: &[&str]| {
        let rows = counts(&folded(messages.iter().copied()));
        rows.into_iter()
            .map(|(template, _)| template)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        rows(&[
            "lift of 10.0.0.1 took 1.5s",
            "lift of 10.0.0.2:80 took 20ms"
        ]),
        ["lift of <ip> took <duration>"]
    );
    assert_eq!(
        rows(&["lift of 10.0.0.1 took 1.5s", "lift of crane-7 took 20ms"]),
        ["lift of <*> took <duration>"]
    );
}

#[test]
fn lines_name_the_rows_that_are_left() {
    let mut folded = Folded::with_lines();
    let names = ["web", "cart", "search", "mail", "till"];
    let mut add = |line: u64, message: String| {
        let text = Text::borrowed(&message, 0);
        folded.add(
            &Event::new(Format::Plain, 0..message.len(), text),
            ("x", line),
        );
    };
    add(1, "all is well".to_owned());
    for (line, name) in (2..).zip(names) {
        add(
            line,
            format!("failed to sync the pod {name} of the shop in time"),
        );
    }
    add(7, "all is done".to_owned());
    let templates: Vec<usize> = folded.lines().map(|line| line.template).collect();
    assert_eq!(templates, [0, 1, 1, 1, 1, 1, 2]);
}

#[test]
fn different_messages_stay_separate() {
    let rows = counts(&folded([
        "image not found",
        "secret not found",
        "image not allowed",
    ]));
    assert_eq!(rows.len(), 3);
}

#[test]
fn merging_parts_in_order_equals_the_whole() {
    let messages: Vec<String> = (0..600)
        .map(|n| match n % 3 {
            0 => format!("dial tcp 10.0.0.{}: connection refused by the peer", n % 7),
            1 => format!(
                "retry of the job {} in the queue is late",
                ["a", "b", "c"][n % 2]
            ),
            _ => format!("took {n}ms"),
        })
        .collect();
    let whole = folded(messages.iter().map(String::as_str));
    for size in [1, 7, 100] {
        let mut merged = Folded::new();
        for part in messages.chunks(size) {
            merged.merge(folded(part.iter().map(String::as_str)));
        }
        assert_eq!(counts(&merged), counts(&whole), "{size}");
    }
    assert_eq!(
        counts(&whole).iter().map(|(_, count)| count).sum::<u64>(),
        600
    );
}

/// Returns a word of letters for a number.
fn word(n: usize) -> String {
    (0..4)
        .map(|k| char::from(b'a' + ((n >> (4 * k)) & 15) as u8))
        .collect()
}

#[test]
fn names_of_letters_alone_take_no_room() {
    for place in [0, 1, 5] {
        let message = |n| {
            let mut words: Vec<String> = "the lift of the crane is"
                .split(' ')
                .map(str::to_owned)
                .collect();
            words.insert(place, word(n));
            words.join(" ")
        };
        let all: Vec<String> = (0..3 * MAX_ROWS).map(message).collect();
        let mut folded = Folded::with_lines();
        for (line, message) in (1..).zip(&all) {
            let text = Text::borrowed(message, 0);
            folded.add(
                &Event::new(Format::Plain, 0..message.len(), text),
                ("x", line),
            );
        }
        assert_eq!(folded.further(), 0);
        let counts: Vec<u64> = folded.rows().iter().map(|row| row.count).collect();
        assert_eq!(counts, [all.len() as u64], "{place}");
        assert_eq!(
            folded.lines().filter(|line| line.template == 0).count(),
            all.len()
        );
    }
}

#[test]
fn rows_are_bounded() {
    let all: Vec<String> = (0..2 * MAX_ROWS)
        .map(|n| format!("{} is new", word(n)))
        .collect();
    let folded = folded(all.iter().map(String::as_str));
    assert_eq!(folded.rows().len(), MAX_ROWS);
    assert_eq!(folded.further(), MAX_ROWS as u64);
}
