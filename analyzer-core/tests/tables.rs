//! Tables and their rows: each file of `fixtures/tables` is parsed verbatim and after copying it in several ways, with
//! the same result.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use kwhy_core::Document;
use kwhy_core::events::parse::{events, table};
use kwhy_core::events::{Event, Format, Object, Parsed, Value, lines, parse};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The fixtures by name.
static FIXTURES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let folder = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/tables"
    ));
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    files
        .filter(|file| file.extension().is_some_and(|end| end == "txt"))
        .map(|file| {
            let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(&file).unwrap())
        })
        .collect()
});

/// Renders each row as a line with single spaces, as copying changes the number of spaces.
fn rows(parsed: &Parsed<'_>) -> Vec<String> {
    let is_row = |event: &&Event<'_>| !matches!(event.format, Format::Plain | Format::Prose);
    let objects = parsed.objects.iter().map(object);
    let events = parsed.events.iter().filter(is_row).map(event);
    let one_blank = |row: String| row.split_whitespace().collect::<Vec<_>>().join(" ");
    objects.chain(events).map(one_blank).collect()
}

fn object(object: &Object<'_>) -> String {
    let subject = serde_json::to_string(&object.subject).unwrap();
    let fields = serde_json::to_string(&object.fields).unwrap();
    format!("{subject} {fields}")
}

fn event(event: &Event<'_>) -> String {
    let mut row = serde_json::to_string(&event.subject).unwrap();
    let text = |text: Option<&kwhy_core::events::Text<'_>>| text.map(ToString::to_string);
    let age = |age: Option<kwhy_core::events::Age>| {
        age.map_or("-".to_owned(), |age| {
            format!("{}s/{}", age.seconds, age.resolution)
        })
    };
    write!(
        row,
        " {:?} {} last={} first={} count={} from={} {:?}",
        event.severity.unwrap(),
        text(event.reason.as_ref()).unwrap_or_default(),
        event
            .time
            .map_or_else(|| age(event.age), |time| time.to_string()),
        age(event.first_age),
        event.count,
        text(event.component.as_ref()).unwrap_or_default(),
        event.message.as_str(),
    )
    .unwrap();
    for field in &event.fields {
        write!(row, " {}={}", field.key, field.value).unwrap();
    }
    row
}

#[test]
fn rows_as_printed() {
    for (name, text) in FIXTURES.iter() {
        let document = Document::new(name.as_str(), text.as_str());
        let parsed = parse::document(&document);
        check_spans(&document, &parsed);
        insta::assert_snapshot!(name.as_str(), rows(&parsed).join("\n"));
    }
}

/// Checks that each value equals the text at its span.
fn check_spans(document: &Document, parsed: &Parsed<'_>) {
    let text = document.text();
    for object in &parsed.objects {
        let whole = text.get(object.span.clone()).expect("a span of the text");
        for (key, value) in object.fields.iter() {
            let span = value.span();
            assert!(
                span.is_empty() || (object.span.start <= span.start && span.end <= object.span.end),
                "{key} outside of {whole}"
            );
            let shown = text.get(span).expect("a span of the text");
            match value {
                // a value that a terminal wrapped is on two lines
                Value::Text(value) if !shown.contains('\n') => assert_eq!(value.as_str(), shown),
                Value::Integer(number, _) if !key.ends_with("_s") => {
                    assert!(shown.contains(&number.to_string()), "{key}: {shown}");
                }
                _ => {}
            }
        }
    }
    for event in &parsed.events {
        assert!(text.get(event.span.clone()).is_some());
        let shown = text.get(event.message.span()).expect("a span of the text");
        if !shown.contains('\n') {
            assert_eq!(event.message.as_str(), shown);
        }
    }
}

/// A change made to text by copying it.
struct Mangle {
    name: &'static str,
    apply: fn(&str) -> String,
}

fn each_line(text: &str, change: impl Fn(usize, &str) -> String) -> String {
    let changed = text.lines().enumerate();
    changed.map(|(at, line)| change(at, line) + "\n").collect()
}

/// Wraps lines at the width of a terminal.
fn wrap(text: &str, width: usize) -> String {
    each_line(text, |_, line| {
        let characters: Vec<char> = line.trim_end().chars().collect();
        let parts: Vec<String> = characters
            .chunks(width)
            .map(|part| part.iter().collect())
            .collect();
        parts.join("\n")
    })
}

/// Converts spaces to tabs at tab stops, as editors do.
fn unexpand(line: &str) -> String {
    let characters: Vec<char> = line.chars().collect();
    let stops = characters.chunks(8).map(|stop| {
        let stop: String = stop.iter().collect();
        match stop.trim_end_matches(' ') {
            text if stop.chars().count() == 8 && stop.ends_with("  ") => format!("{text}\t"),
            _ => stop,
        }
    });
    stops.collect()
}

const MANGLES: &[Mangle] = &[
    Mangle {
        name: "squeezed",
        apply: |text| {
            each_line(text, |_, line| {
                line.split_whitespace().collect::<Vec<_>>().join(" ")
            })
        },
    },
    Mangle {
        name: "tabs-for-gaps",
        apply: |text| {
            each_line(text, |_, line| {
                let parts = line.trim_end().split("  ").map(str::trim);
                parts
                    .filter(|part| !part.is_empty())
                    .collect::<Vec<_>>()
                    .join("\t")
            })
        },
    },
    Mangle {
        name: "tabs-to-stops",
        apply: |text| each_line(text, |_, line| unexpand(line)),
    },
    Mangle {
        name: "trimmed",
        apply: |text| each_line(text, |_, line| line.trim().to_owned()),
    },
    Mangle {
        name: "indented",
        apply: |text| each_line(text, |_, line| format!("      {line}")),
    },
    Mangle {
        name: "quoted",
        apply: |text| each_line(text, |_, line| format!("> {line}")),
    },
    Mangle {
        name: "numbered",
        apply: |text| each_line(text, |at, line| format!("{}. {line}", at + 1)),
    },
    Mangle {
        name: "numbered-by-cat",
        apply: |text| each_line(text, |at, line| format!("{:6}\t{line}", at + 1)),
    },
    Mangle {
        name: "wide-spaces",
        apply: |text| text.replace(' ', "\u{a0}"),
    },
    Mangle {
        name: "zero-width",
        apply: |text| text.replace(' ', "\u{200b} "),
    },
    Mangle {
        name: "typographic",
        apply: |text| {
            let mut is_open = false;
            let quoted = text.chars().map(|c| {
                is_open ^= c == '"';
                match c {
                    '"' if is_open => '\u{201c}',
                    '"' => '\u{201d}',
                    '\'' => '\u{2019}',
                    '-' => '\u{2011}',
                    _ => c,
                }
            });
            quoted.collect()
        },
    },
    Mangle {
        name: "escaped",
        apply: |text| {
            let ampersands = text.replace('&', "&amp;");
            let brackets = ampersands.replace('<', "&lt;").replace('>', "&gt;");
            brackets.replace('"', "&quot;").replace('\'', "&#39;")
        },
    },
    Mangle {
        name: "tags",
        apply: |text| {
            format!(
                "<pre>\n{}</pre>\n",
                each_line(text, |_, line| format!("{line}<br />"))
            )
        },
    },
    Mangle {
        name: "coloured",
        apply: |text| each_line(text, |_, line| format!("\x1b[32m{line}\x1b[0m")),
    },
    Mangle {
        name: "crlf",
        apply: |text| text.replace('\n', "\r\n"),
    },
    Mangle {
        name: "cut-at-80",
        apply: |text| wrap(text, 80),
    },
    Mangle {
        name: "cut-at-100",
        apply: |text| wrap(text, 100),
    },
    Mangle {
        name: "cut-at-110-and-trimmed",
        apply: |text| each_line(&wrap(text, 110), |_, line| line.trim_end().to_owned()),
    },
    Mangle {
        name: "cut-at-137",
        apply: |text| wrap(text, 137),
    },
];

/// Returns a copy of each fixture for each way of copying, with a name.
pub fn copies() -> impl Iterator<Item = (String, String)> {
    FIXTURES.iter().flat_map(|(name, text)| {
        MANGLES
            .iter()
            .map(move |way| (format!("{name} {}", way.name), (way.apply)(text)))
    })
}

/// Known losses: fixture, way of copying, reason.
const LOST: &[(&str, &str, &str)] = &[
    ("crictl", "cut-at-80", CUT_NAMES),
    ("crictl", "cut-at-100", CUT_NAMES),
    ("crictl", "cut-at-110-and-trimmed", CUT_NAMES),
    ("events-before-1-11", "cut-at-110-and-trimmed", WIDTH_LOST),
    ("events-before-1-9", "cut-at-110-and-trimmed", WIDTH_LOST),
    ("events-custom", "cut-at-110-and-trimmed", WIDTH_LOST),
    ("events-wide", "cut-at-110-and-trimmed", WIDTH_LOST),
    ("get-all", "cut-at-110-and-trimmed", WIDTH_LOST),
    ("k9s", "cut-at-110-and-trimmed", BORDERS),
    (
        "custom",
        "squeezed",
        "names that nobody knows are sentences too",
    ),
    (
        "custom",
        "tabs-for-gaps",
        "which of two cells is empty is lost",
    ),
    (
        "events-before-1-9",
        "cut-at-137",
        "one line of an unusual width does not tell that it was cut",
    ),
    ("events-custom", "squeezed", LIKE_A_LOG),
    ("events-custom", "tabs-for-gaps", LIKE_A_LOG),
    ("helm", "cut-at-80", "how wide a tab was is lost"),
    ("k9s", "cut-at-80", BORDERS),
    ("k9s", "cut-at-100", BORDERS),
    (
        "watch",
        "cut-at-80",
        "a row outside of the header's columns is not joined",
    ),
];

const CUT_NAMES: &str = "the rest of the names does not identify a table of crictl";
const WIDTH_LOST: &str = "if lines were cut between columns and trimmed, their width is unknown";
const LIKE_A_LOG: &str = "a row that starts with a timestamp is first of all a log record";
const BORDERS: &str = "the borders are on other lines than the cells";

#[test]
fn copied_in_other_ways() {
    let mut wrong = String::new();
    for (name, text) in FIXTURES.iter() {
        let read = |text: &str| {
            let document = Document::new(name.as_str(), text);
            let parsed = parse::document(&document);
            check_spans(&document, &parsed);
            rows(&parsed)
        };
        let wanted = read(text);
        for Mangle { name: way, apply } in MANGLES {
            let is_lost = LOST
                .iter()
                .any(|(fixture, lost, _)| fixture == name && lost == way);
            let got = read(&apply(text));
            if (got == wanted) == is_lost {
                writeln!(wrong, "{name} {way}: lost is {is_lost}").unwrap();
                let differing = got.iter().zip(&wanted).find(|(got, wanted)| got != wanted);
                writeln!(wrong, "  {} of {}: {differing:#?}", got.len(), wanted.len()).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn each_line_is_parsed_or_listed() {
    let text = &FIXTURES["rows-not-understood"];
    let parsed = table::parse(&lines(text).collect::<Vec<_>>());
    assert_eq!(parsed.objects.len(), 2);
    assert_eq!(parsed.not_understood, [3, 6]);
    let text = "what is that\n  Type  Reason  Age  From  Message\n  ----  ------  ----  ----  -------\n  Normal  Pulled  5s  kubelet  ok\n";
    let parsed = events::parse(&lines(text).collect::<Vec<_>>());
    assert_eq!((parsed.events.len(), parsed.not_understood), (1, vec![1]));
    for (name, text) in FIXTURES.iter() {
        let document = Document::new(name.as_str(), text.as_str());
        assert_eq!(
            parse::document(&document).not_understood,
            Vec::<u64>::new(),
            "{name}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn mangled_in_any_way(
        name in select(FIXTURES.keys().cloned().collect::<Vec<_>>()),
        ways in prop::collection::vec(any::<Index>(), 0..4),
        from in any::<Index>(),
        to in any::<Index>(),
    ) {
        let mut text = FIXTURES[&name].clone();
        for way in ways {
            text = (MANGLES[way.index(MANGLES.len())].apply)(&text);
        }
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let (from, to) = (places[from.index(places.len())], places[to.index(places.len())]);
        let document = Document::new("any", &text[from.min(to)..from.max(to)]);
        let parsed = parse::document(&document);
        check_spans(&document, &parsed);
        let last = document.line_count();
        prop_assert!(parsed.not_understood.iter().all(|line| (1..=last).contains(line)));
    }
}
