//! Generators of envelopes: how each wraps the lines of a log.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// An envelope.
pub struct Envelope {
    pub name: &'static str,
    kind: Kind,
}

enum Kind {
    /// Wraps each line on its own.
    Line(fn(&str, usize) -> String),
    /// Writes each line in parts of at most this many bytes.
    Parts(usize, fn(&str, bool, usize) -> String),
    /// Interleaves the lines of another stream.
    TwoStreams,
}

use Kind::{Line, Parts, TwoStreams};

/// All envelopes.
pub const ENVELOPES: &[Envelope] = &[
    line("kubectl --timestamps", |line, n| {
        format!("{} {line}", nanos(n))
    }),
    line("kubectl --prefix", |line, _| {
        format!("[pod/crane-0/arm] {line}")
    }),
    line("kubectl both", |line, n| {
        format!("[pod/crane-0/arm] {} {line}", nanos(n))
    }),
    line("stern", |line, _| format!("crane-0 arm {line}")),
    line("stern namespaces", |line, _| {
        format!("dock crane-0 arm {line}")
    }),
    line("stern --timestamps", |line, n| {
        format!("crane-0 arm {} {line}", nanos(n))
    }),
    line("stern short", |line, n| {
        format!("crane-0 arm 05-17 {} {line}", clock(n))
    }),
    line("stern colour", |line, _| {
        format!("\x1b[91mcrane-0\x1b[0m \x1b[32marm\x1b[0m {line}")
    }),
    line("stern json", |line, _| {
        let message = serde_json::to_string(line).unwrap_or_default();
        format!(
            "{{\"message\":{message},\"nodeName\":\"n\",\"namespace\":\"dock\",\
             \"podName\":\"crane-0\",\"containerName\":\"arm\"}}"
        )
    }),
    line("compose", |line, _| format!("crane-1   | {line}")),
    line("docker json-file", |line, n| docker(line, true, n)),
    Envelope {
        name: "docker json-file in parts",
        kind: Parts(70, docker),
    },
    line("CRI", |line, n| cri(line, true, n)),
    Envelope {
        name: "CRI in parts",
        kind: Parts(50, cri),
    },
    Envelope {
        name: "CRI two streams",
        kind: TwoStreams,
    },
    line("journald short", |line, n| {
        format!("May 17 {} berth-1 tide[7]: {}", clock(n), untabbed(line))
    }),
    line("journald short --all", |line, n| {
        format!("May 17 {} berth-1 tide[7]: {line}", clock(n))
    }),
    line("journald short-precise", |line, n| {
        format!("May 17 {}.{n:06} berth-1 tide[7]: {line}", clock(n))
    }),
    line("journald short-iso", |line, n| {
        format!("2024-05-17T{}+0000 berth-1 tide[7]: {line}", clock(n))
    }),
    line("journald short-full", |line, n| {
        format!("Fri 2024-05-17 {} UTC berth-1 tide[7]: {line}", clock(n))
    }),
    line("journald short-unix", |line, n| {
        format!("1715990400.{n:06} berth-1 tide[7]: {line}")
    }),
    line("journald short-monotonic", |line, n| {
        format!("[   17.{n:06}] berth-1 tide[7]: {line}")
    }),
    line("journald json", |line, n| entry(json!(line), n)),
    line("journald json bytes", |line, n| {
        entry(json!(line.as_bytes()), n)
    }),
    line("journald export", |line, n| {
        format!("{}MESSAGE={line}\n", export(n))
    }),
    line("journald export binary", |line, n| {
        let length = u64::try_from(line.len()).unwrap_or(0).to_le_bytes();
        // a byte that is not valid UTF-8 on its own is read as U+FFFD
        let byte = |byte: &u8| {
            if byte.is_ascii() {
                char::from(*byte)
            } else {
                '\u{fffd}'
            }
        };
        let length: String = length.iter().map(byte).collect();
        format!("{}MESSAGE\n{length}{line}\n_COMM=tide\n", export(n))
    }),
    line("journald verbose", |line, n| {
        format!(
            "Fri 2024-05-17 {}.{n:06} UTC [s=a;i={n};b=1]\n    _HOSTNAME=berth-1\n    \
             SYSLOG_IDENTIFIER=tide\n    MESSAGE={line}\n    _PID=7",
            clock(n)
        )
    }),
    line("syslog RFC 3164", |line, n| {
        format!("<30>May 17 {} berth-1 tide[7]: {line}", clock(n))
    }),
    line("syslog RFC 5424", |line, n| {
        format!(
            "<30>1 2024-05-17T{}.5Z berth-1 tide 7 - [a@1 b=\"\\]\"] {line}",
            clock(n)
        )
    }),
    line("talosctl dmesg", |line, n| {
        format!(
            "192.0.2.7: kern:    info: [2024-05-17T{}.{n:09}Z]: {line}",
            clock(n)
        )
    }),
    line("rsyslog file", |line, n| {
        format!(
            "2024-05-17T{}.{n:06}+00:00 berth-1 tide[7]: {line}",
            clock(n)
        )
    }),
];

const fn line(name: &'static str, write: fn(&str, usize) -> String) -> Envelope {
    Envelope {
        name,
        kind: Line(write),
    }
}

/// Returns the time of day of a line. Consecutive lines are a microsecond apart.
fn clock(number: usize) -> String {
    let seconds = number / 1_000_000;
    format!(
        "{:02}:{:02}:{:02}",
        20 + seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

fn nanos(number: usize) -> String {
    format!(
        "2024-05-17T{}.{:09}Z",
        clock(number),
        123_456_789 + number * 1000
    )
}

fn untabbed(line: &str) -> String {
    line.replace('\t', "        ")
}

fn docker(part: &str, whole: bool, number: usize) -> String {
    let end = if whole { "\n" } else { "" };
    let log = serde_json::to_string(&format!("{part}{end}")).unwrap_or_default();
    // Go's encoder escapes these
    let log = log
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026");
    format!(
        "{{\"log\":{log},\"stream\":\"stderr\",\"time\":\"{}\"}}",
        nanos(number)
    )
}

fn cri(part: &str, whole: bool, number: usize) -> String {
    let tag = if whole { "F" } else { "P" };
    format!("{} stderr {tag} {part}", nanos(number))
}

fn entry(message: Value, number: usize) -> String {
    let time = 1_715_990_400_000_000 + number;
    json!({"__CURSOR": "s=1", "__REALTIME_TIMESTAMP": time.to_string(), "MESSAGE": message,
           "PRIORITY": "6", "_HOSTNAME": "berth-1", "SYSLOG_IDENTIFIER": "tide", "_PID": "7"})
    .to_string()
}

fn export(number: usize) -> String {
    let time = 1_715_990_400_000_000 + number;
    format!(
        "__CURSOR=s=a;i={number}\n__REALTIME_TIMESTAMP={time}\n_HOSTNAME=berth-1\n\
         SYSLOG_IDENTIFIER=tide\n_PID=7\n"
    )
}

/// Splits a line into parts of at most `most` bytes, between characters.
fn parts(line: &str, most: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = line;
    while rest.len() > most {
        let cut = (1..=most).rev().find(|at| rest.is_char_boundary(*at));
        let (part, tail) = rest.split_at(cut.unwrap_or(rest.len()));
        parts.push(part);
        rest = tail;
    }
    parts.push(rest);
    parts
}

impl Envelope {
    /// Returns a log in this envelope.
    pub fn around(&self, text: &str) -> String {
        let mut out = String::new();
        let mut number = 0;
        for line in text.lines() {
            number += 1;
            match self.kind {
                Line(write) => {
                    out.push_str(&write(line, number));
                    out.push('\n');
                }
                Parts(most, write) => {
                    let parts = parts(line, most);
                    for (index, part) in parts.iter().enumerate() {
                        number += 1;
                        let whole = index + 1 == parts.len();
                        out.push_str(&write(part, whole, number));
                        out.push('\n');
                    }
                }
                TwoStreams => {
                    let parts = parts(line, 60);
                    for (index, part) in parts.iter().enumerate() {
                        number += 1;
                        let whole = index + 1 == parts.len();
                        let other = if number % 3 == 0 { "P" } else { "F" };
                        writeln!(out, "{}", cri(part, whole, number)).unwrap();
                        writeln!(out, "{} stdout {other} another text", nanos(number)).unwrap();
                    }
                }
            }
        }
        out
    }

    /// Selects the records of the original log.
    pub fn own(&self, records: Vec<Value>) -> Vec<Value> {
        let is_own = |record: &Value| {
            !matches!(self.kind, TwoStreams) || record["envelope"]["stream"] == "stderr"
        };
        records.into_iter().filter(is_own).collect()
    }

    /// Returns true if it writes several lines for one, which other envelopes cannot contain.
    fn is_long(&self) -> bool {
        let sample = self.around("x\n");
        sample.lines().count() > 1
    }
}

/// Returns a log in two nested envelopes, or `None` if the lines of the inner one do not survive the outer one.
pub fn stacked(outer: &Envelope, inner: &Envelope, text: &str) -> Option<String> {
    let in_tabs = |envelope: &Envelope| envelope.name == "journald short";
    if inner.is_long() || outer.is_long() || matches!(outer.kind, TwoStreams) {
        return None;
    }
    // stern prints for a terminal, where the names of other envelopes cannot be recognised
    let needs_record =
        |envelope: &Envelope| envelope.name.starts_with("stern") && !envelope.name.contains("json");
    if needs_record(inner) || in_tabs(outer) {
        return None;
    }
    Some(outer.around(&inner.around(text)))
}
