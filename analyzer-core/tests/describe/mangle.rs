//! Changes that chats, issue trackers and terminals make to describe output, and what must still be parsed.

use serde_json::Value;

use super::compare::misses;
use super::{described, fixtures, pasted};

/// A change to a text in transit.
struct Mangling {
    name: &'static str,
    /// Changes one line, given its number, counted from 1.
    change: fn(&str, usize) -> String,
    /// True if the describe parser alone must cope with it; otherwise the text is segmented first, like any paste.
    layout: bool,
}

const MANGLINGS: &[Mangling] = &[
    Mangling {
        name: "plain paste",
        change: |line, _| line.to_owned(),
        layout: false,
    },
    Mangling {
        name: "indented",
        change: |line, _| format!("      {line}"),
        layout: true,
    },
    Mangling {
        name: "trailing spaces",
        change: |line, _| format!("{line}   "),
        layout: true,
    },
    Mangling {
        name: "tabs",
        change: |line, _| gaps(line, "\t"),
        layout: true,
    },
    Mangling {
        name: "squeezed",
        change: |line, _| gaps(line, " "),
        layout: true,
    },
    Mangling {
        name: "one space per level",
        change: |line, _| shallow(line),
        layout: true,
    },
    Mangling {
        name: "flat",
        change: |line, _| line.trim_start().to_owned(),
        layout: true,
    },
    Mangling {
        name: "flat and squeezed",
        change: |line, _| gaps(line.trim_start(), " "),
        layout: true,
    },
    Mangling {
        name: "quoted",
        change: |line, _| format!("> {line}"),
        layout: false,
    },
    Mangling {
        name: "numbered",
        change: |line, number| format!("{number}. {line}"),
        layout: false,
    },
    Mangling {
        name: "carriage returns",
        change: |line, _| format!("{line}\r"),
        layout: false,
    },
    Mangling {
        name: "no-break spaces",
        change: |line, _| line.replace(' ', "\u{a0}"),
        layout: false,
    },
    Mangling {
        name: "zero-width spaces",
        change: |line, _| format!("\u{200b}{line}"),
        layout: false,
    },
    Mangling {
        name: "coloured keys",
        change: |line, _| coloured(line),
        layout: false,
    },
    Mangling {
        name: "HTML entities",
        change: |line, _| entities(line),
        layout: false,
    },
    Mangling {
        name: "typographic quotes",
        change: |line, _| typographic(line),
        layout: false,
    },
];

/// Information that a mangling destroys, or that is not parsed yet.
struct Exception {
    manglings: &'static [&'static str],
    /// The names of the fixtures, or prefixes followed by `*`.
    fixtures: &'static [&'static str],
    /// Prefixes of the paths whose values may differ.
    paths: &'static [&'static str],
    reason: &'static str,
}

const FLAT: &[&str] = &["flat", "flat and squeezed"];

const EXCEPTIONS: &[Exception] = &[
    Exception {
        manglings: FLAT,
        fixtures: &[
            "certificate-*",
            "crd-*",
            "csidriver-*",
            "data-volume-*",
            "helm-release-*",
            "kafka-*",
            "lease-*",
            "runtime-class-*",
            "volume-attachment-*",
        ],
        paths: &[
            "[].fields",
            "[].metadata",
            "[].spec",
            "[].status",
            "[].scheduling",
            "[].overhead",
        ],
        reason: "in the output of the generic describer only the indentation shows the parent of a field",
    },
    Exception {
        manglings: FLAT,
        fixtures: &["pod-odd-text", "pods-all", "mixed-all"],
        paths: &["[].containers"],
        reason: "an argument and a variable look like the container's state",
    },
    Exception {
        manglings: FLAT,
        fixtures: &["deployment-crane-api", "mixed-all"],
        paths: &["[].pod_template.annotations"],
        reason: "the second line of an annotation looks like another one",
    },
    Exception {
        manglings: &[
            "plain paste",
            "carriage returns",
            "coloured keys",
            "no-break spaces",
            "typographic quotes",
            "zero-width spaces",
            "HTML entities",
        ],
        fixtures: &["config-map-odd"],
        paths: &["[]", "lost"],
        reason: "segmentation ends a describe at an empty line followed by raw data",
    },
    Exception {
        manglings: &["HTML entities"],
        fixtures: &["pod-all-volumes", "pods-all", "mixed-all"],
        paths: &["[].volumes[].secret_ref"],
        reason: "the decoder of HTML entities keeps an ampersand before a name",
    },
];

impl Exception {
    fn covers(&self, mangling: &str, fixture: &str, miss: &str) -> bool {
        let fits = |name: &&str| match name.strip_suffix('*') {
            Some(start) => fixture.starts_with(start),
            None => fixture == *name,
        };
        self.manglings.contains(&mangling)
            && self.fixtures.iter().any(fits)
            && self.paths.iter().any(|path| miss.starts_with(path))
    }
}

/// Replaces each run of spaces in a line, except its indentation.
fn gaps(line: &str, by: &str) -> String {
    let text = line.trim_start();
    let mut changed = line[..line.len() - text.len()].to_owned();
    let mut spaces = 0;
    for c in text.chars() {
        if c == ' ' {
            spaces += 1;
            continue;
        }
        changed.push_str(if spaces == 1 {
            " "
        } else if spaces > 1 {
            by
        } else {
            ""
        });
        spaces = 0;
        changed.push(c);
    }
    changed
}

/// Halves the indentation of a line.
fn shallow(line: &str) -> String {
    let text = line.trim_start();
    " ".repeat((line.len() - text.len()).div_ceil(2)) + text
}

/// Colours the key of a line.
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

/// Replaces straight quotes with typographic ones, as word processors do.
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

/// Removes fields without a value: only trailing spaces distinguish them from titles.
fn forget_empty(answer: &mut Value) {
    for object in answer["objects"].as_array_mut().unwrap() {
        if let Some(fields) = object.get_mut("fields").and_then(Value::as_array_mut) {
            fields.retain(|field| field["value"] != "");
        }
    }
}

#[test]
fn mangled_texts_give_the_result_of_the_plain_ones() {
    let mut wrong = Vec::new();
    let mut used = vec![false; EXCEPTIONS.len()];
    for fixture in fixtures() {
        let mut plain = described(&fixture.text);
        forget_empty(&mut plain);
        for mangling in MANGLINGS {
            let text = mangled(&fixture.text, mangling);
            let read = if mangling.layout { described } else { pasted };
            let mut found = read(&text);
            forget_empty(&mut found);
            let lost = found["not_understood"].as_array().unwrap();
            let lost = lost.iter().map(|line| format!("lost line {line}"));
            for miss in misses(&plain, &found).into_iter().chain(lost) {
                let exception = EXCEPTIONS
                    .iter()
                    .position(|exception| exception.covers(mangling.name, &fixture.name, &miss));
                match exception {
                    Some(at) => used[at] = true,
                    None => wrong.push(format!("{} | {} | {miss}", mangling.name, fixture.name)),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (exception, used) in EXCEPTIONS.iter().zip(used) {
        assert!(used, "no longer needed: {}", exception.reason);
    }
}
