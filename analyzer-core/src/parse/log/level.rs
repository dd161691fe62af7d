//! Level words.

use crate::model::{Event, Field, Severity, Text};

/// The severity of a level's word or number: the usual words, logr's `Level(-3)`, slog's
/// `INFO+2`, pino's and bunyan's numbers.
pub(super) fn severity(word: &str) -> Option<Severity> {
    if let Some(severity) = Severity::from_word(word) {
        return Some(severity);
    }
    if let Some((base, _)) = word.split_once(['+', '-', '(']) {
        return if base.eq_ignore_ascii_case("level") {
            Some(Severity::Debug)
        } else {
            Severity::from_word(base)
        };
    }
    match word {
        "10" | "20" | "TRC" | "DBG" | "verbose" | "silly" | "http" | "VERBOSE" | "CONFIG"
        | "FINE" | "FINER" | "FINEST" => Some(Severity::Debug),
        "30" | "INF" => Some(Severity::Info),
        "40" | "WRN" => Some(Severity::Warning),
        "50" | "ERR" | "SEVERE" => Some(Severity::Error),
        "60" | "FTL" | "PNC" | "alert" => Some(Severity::Fatal),
        _ => None,
    }
}

/// Sets an event's severity from a level. A word that says more than the severity (`trace`,
/// `panic`, an unknown one) is kept as the field `level`.
pub(super) fn set<'a>(event: &mut Event<'a>, level: Text<'a>) {
    set_field(event, Field::text("level", level));
}

/// The same of a level that may be a number.
pub(super) fn set_field<'a>(event: &mut Event<'a>, level: Field<'a>) {
    let word = level.value.as_str();
    event.severity = severity(word);
    let usual = [
        "debug", "debu", "info", "warn", "warning", "error", "erro", "fatal", "fata",
    ];
    if !usual.iter().any(|known| known.eq_ignore_ascii_case(word)) {
        event.fields.push(level);
    }
}
