//! The most telling events that no finding covers.

use std::collections::HashMap;

use super::Covered;
use crate::input::Document;
use crate::model::{Event, Format, Severity};
use crate::report::{Evidence, Unexplained};

/// How many are told.
const MAX_TOLD: usize = 10;

/// Events at warning or above, and lines that speak of errors, folded by what stays the same in
/// them; the gravest and most frequent first.
pub(crate) fn telling(
    documents: &[Document],
    events: &[(usize, Vec<Event<'_>>)],
    covered: &Covered,
) -> Vec<Unexplained> {
    let mut order: Vec<(Unexplained, usize)> = Vec::new();
    let mut known: HashMap<(Option<String>, String), usize> = HashMap::new();
    let all = events
        .iter()
        .flat_map(|(document, events)| events.iter().map(move |event| (*document, event)));
    for (number, event) in all {
        if covered.contains(&(number, event.span.start)) || !is_telling(event) {
            continue;
        }
        let reason = event.reason.as_ref().map(|text| text.as_str().to_owned());
        let key = (reason.clone(), skeleton(event.message.as_str()));
        if let Some(&at) = known.get(&key) {
            order[at].0.count += event.count;
            continue;
        }
        let Some(document) = documents.get(number) else {
            continue;
        };
        let span = if event.message.is_empty() {
            event.span.clone()
        } else {
            event.message.span()
        };
        let place = document.place(&span);
        let message: String = event.message.as_str().chars().take(120).collect();
        known.insert(key, order.len());
        let told = Unexplained {
            reason: reason.unwrap_or(message),
            count: event.count,
            severity: event.severity,
            evidence: vec![Evidence {
                source: document.name().to_owned(),
                line: place.line,
                column: place.column,
                text: place.text,
                mark: place.mark,
                label: None,
            }],
        };
        order.push((told, known.len()));
    }
    order.sort_by_key(|(told, at)| {
        (
            std::cmp::Reverse(told.severity),
            std::cmp::Reverse(told.count),
            *at,
        )
    });
    order.truncate(MAX_TOLD);
    order.into_iter().map(|(told, _)| told).collect()
}

fn is_telling(event: &Event<'_>) -> bool {
    match event.severity {
        Some(severity) => severity >= Severity::Warning,
        None => {
            event.format == Format::Plain
                && [
                    "error", "Error", "ERROR", "failed", "Failed", "fatal", "panic", "denied",
                    "refused",
                ]
                .iter()
                .any(|word| event.message.as_str().contains(word))
        }
    }
}

/// What stays the same from one occurrence to the next: digits and identifiers are masked.
fn skeleton(message: &str) -> String {
    let mut out = String::new();
    for word in message.split_whitespace().take(24) {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        if digits > 0 {
            out.push('#');
        } else {
            out.push_str(word);
        }
        out.push(' ');
    }
    out
}
