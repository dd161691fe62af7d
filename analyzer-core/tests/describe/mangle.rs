//! What chats, trackers and terminals do to a describe, and what must still be read.


use super::compare::misses;
use super::{described, fixtures, pasted};

/// A change that a text suffers on its way.
struct Mangling {
    name: &'static str,
    /// Changes one line, given its number from 1.
    change: fn(&str, usize) -> String,
    /// Whether the describe parser alone must bear it; else a whole paste is read.
    layout: bool,
}

const MANGLINGS: &[Mangling] = &[
    Mangling { name: "plain paste", change: |line, _| line.to_owned(), layout: false },
    Mangling { name: "indented", change: |line, _| format!("      {line}"), layout: true },
    Mangling { name: "trailing blanks", change: |line, _| format!("{line}   "), layout: true },
    Mangling { name: "tabs", change: |line, _| gaps(line, "\t"), layout: true },
    Mangling { name: "squeezed", change: |line, _| gaps(line, " "), layout: true },
    Mangling { name: "one blank a level", change: |line, _| shallow(line), layout: true },
    Mangling { name: "flat", change: |line, _| line.trim_start().to_owned(), layout: true },
    Mangling { name: "flat and squeezed", change: |line, _| gaps(line.trim_start(), " "), layout: true },
    Mangling { name: "quoted", change: |line, _| format!("> {line}"), layout: false },
    Mangling { name: "numbered", change: |line, number| format!("{number}. {line}"), layout: false },
    Mangling { name: "carriage returns", change: |line, _| format!("{line}\r"), layout: false },
    Mangling { name: "no-break spaces", change: |line, _| line.replace(' ', "\u{a0}"), layout: false },
    Mangling { name: "zero-width spaces", change: |line, _| format!("\u{200b}{line}"), layout: false },
    Mangling { name: "coloured keys", change: |line, _| coloured(line), layout: false },
    Mangling { name: "HTML entities", change: |line, _| entities(line), layout: false },
    Mangling { name: "typographic quotes", change: |line, _| typographic(line), layout: false },
];

/// A line with its runs of blanks behind the indentation replaced.
fn gaps(line: &str, by: &str) -> String {
    let text = line.trim_start();
    let mut changed = line[..line.len() - text.len()].to_owned();
    let mut blanks = 0;
    for c in text.chars() {
        if c == ' ' {
            blanks += 1;
            continue;
        }
        changed.push_str(if blanks == 1 { " " } else if blanks > 1 { by } else { "" });
        blanks = 0;
        changed.push(c);
    }
    changed
}

/// A line with half of its indentation.
fn shallow(line: &str) -> String {
    let text = line.trim_start();
    " ".repeat((line.len() - text.len()).div_ceil(2)) + text
}

/// A line whose key is set in colours.
fn coloured(line: &str) -> String {
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    match text.find(": ") {
        Some(at) => format!("{indent}\x1b[1;33m{}\x1b[0m{}", &text[..at], &text[at..]),
        None => line.to_owned(),
    }
}

fn entities(line: &str) -> String {
    line.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// Straight quotes made curly, as by a word processor.
fn typographic(line: &str) -> String {
    let mut changed = String::new();
    let mut before = ' ';
    for c in line.chars() {
        let opens = !before.is_alphanumeric();
        changed.push(match c {
            '"' if opens => '\u{201c}',
            '"' => '\u{201d}',
            '\'' if opens => '\u{2018}',
            '\'' => '\u{2019}',
            c => c,
        });
        before = c;
    }
    changed
}

fn mangled(text: &str, mangling: &Mangling) -> String {
    let mut changed: String = text
        .lines()
        .enumerate()
        .map(|(index, line)| (mangling.change)(line, index + 1) + "\n")
        .collect();
    if text.is_empty() {
        changed.clear();
    }
    changed
}

#[test]
fn mangled_texts_read_like_the_plain_ones() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let plain = described(&fixture.text);
        for mangling in MANGLINGS {
            let text = mangled(&fixture.text, mangling);
            let found = if mangling.layout { described(&text) } else { pasted(&text) };
            for miss in misses(&plain, &found) {
                wrong.push(format!("{} | {} | {miss}", mangling.name, fixture.name));
            }
            for line in found["not_understood"].as_array().unwrap() {
                wrong.push(format!("{} | {} | lost {line}", mangling.name, fixture.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
