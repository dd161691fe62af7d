//! Level words.

use crate::input::floor_char;
use kwhy_model::{Event, Field, Severity, Text};

/// Returns the severity of a level word or number: the usual words, logr's `Level(-3)`, slog's
/// `INFO+2`, and the numbers of pino and bunyan.
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
        "10" | "20" | "TRC" | "DBG" | "TRCE" | "DEBG" | "trce" | "debg" | "verbose" | "silly"
        | "http" | "VERBOSE" | "SILLY" | "HTTP" | "CONFIG" | "FINE" | "FINER" | "FINEST" => {
            Some(Severity::Debug)
        }
        "30" | "INF" => Some(Severity::Info),
        "40" | "WRN" => Some(Severity::Warning),
        "50" | "ERR" | "SEVERE" => Some(Severity::Error),
        "60" | "FTL" | "PNC" | "alert" => Some(Severity::Fatal),
        _ => None,
    }
}

/// Returns the severity of a level word at the head of a line: in one case, or capitalised, or one upper-case letter.
/// Words that may start a sentence count only in upper case.
pub(super) fn of_head(word: &str) -> Option<Severity> {
    let (first, rest) = word.as_bytes().split_first()?;
    if rest.is_empty() {
        return of_letter(*first);
    }
    let is_upper = first.is_ascii_uppercase() && rest.iter().all(u8::is_ascii_uppercase);
    if !is_upper && !rest.iter().all(u8::is_ascii_lowercase) {
        return None;
    }
    let mut lower = [0; "information".len()];
    let lower = lower.get_mut(..word.len())?;
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    Some(match &*lower {
        b"trc" | b"trce" | b"dbg" | b"debg" | b"silly" | b"verbose" | b"fine" | b"finer"
        | b"finest" | b"config" => Severity::Debug,
        b"inf" | b"success" => Severity::Info,
        b"log" | b"ready" | b"start" | b"http" if is_upper => Severity::Info,
        b"wrn" => Severity::Warning,
        b"severe" => Severity::Error,
        b"ftl" | b"pnc" | b"alert" | b"emergency" => Severity::Fatal,
        b"normal" | b"eror" => return None,
        _ => return Severity::from_word(word),
    })
}

fn of_letter(letter: u8) -> Option<Severity> {
    Some(match letter {
        b'T' | b'D' | b'V' => Severity::Debug,
        b'I' | b'N' => Severity::Info,
        b'W' => Severity::Warning,
        b'E' => Severity::Error,
        b'F' | b'C' => Severity::Fatal,
        _ => return None,
    })
}

/// Returns true if a text starts with a level in upper case and a space.
pub(super) fn starts_with_upper(text: &str) -> bool {
    let length = text
        .bytes()
        .take(9)
        .take_while(u8::is_ascii_uppercase)
        .count();
    length > 2
        && text.as_bytes().get(length) == Some(&b' ')
        && text.get(..length).and_then(of_head).is_some()
}

/// The number of leading bytes searched for a level.
const MAX_PREFIX: usize = 96;

/// Returns the severity of a level preceded only by times, numbers, threads and sources:
/// `0 [ERROR] [server] text`, `[2024/03/04 05:06:07] [error] text`,
/// `05:06:07.123 [id=7]\tWARNING\ttext`, `SEVERE: text`, `{} <Error> text`.
pub(crate) fn stated(text: &str) -> Option<Severity> {
    let line = text.trim_start().lines().next()?;
    let mut rest = line.get(..floor_char(line, MAX_PREFIX))?;
    loop {
        let after = rest.trim_start_matches(|c: char| {
            c.is_ascii_digit()
                || matches!(
                    c,
                    ' ' | '\t' | '-' | '/' | ':' | '.' | ',' | '+' | '{' | '}'
                )
        });
        let begun = rest.len() - after.len();
        // the `T` or `Z` of a time
        let is_time = after.starts_with(['T', 'Z'])
            && rest.get(..begun)?.ends_with(|c: char| c.is_ascii_digit())
            && !after
                .get(1..)?
                .starts_with(|c: char| c.is_ascii_alphabetic());
        rest = if is_time {
            after.get(1..)?
        } else if let Some(inside) = after.strip_prefix('[') {
            let (word, after) = inside.split_once(']')?;
            if let Some(severity) = of_word(word.trim()) {
                return Some(severity);
            }
            after
        } else if let Some(inside) = after.strip_prefix('<') {
            let (word, after) = inside.split_once('>')?;
            if let Some(severity) = of_word(word) {
                return Some(severity);
            }
            after
        } else {
            let end = after.find(|c: char| !c.is_ascii_uppercase())?;
            let (word, after) = after.split_at_checked(end)?;
            let is_level = after.starts_with(": ") || after.starts_with('\t');
            return of_word(word).filter(|_| is_level);
        };
    }
}

/// Returns the severity of a level word; numbers are rejected, and the name of a protocol.
fn of_word(word: &str) -> Option<Severity> {
    let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    severity(word).filter(|_| is_word && word != "HTTP")
}

/// Sets an event's severity from a level. A word with more detail than the severity (`trace`,
/// `panic`, an unknown one) is kept as the field `level`.
pub(super) fn set<'a>(event: &mut Event<'a>, level: Text<'a>) {
    set_field(event, Field::text("level", level));
}

/// Like [`set`], for a level that may be a number.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_inside_messages() {
        let error = Some(Severity::Error);
        let fatal = Some(Severity::Fatal);
        for (text, expected) in [
            ("[ERROR] no berth", error),
            ("0 [ERROR] [QY-010119] [Quay] no berth", error),
            (
                "[2024/03/04 05:06:07] [error] [output:quay] no berth",
                error,
            ),
            (
                "2024-03-04 05:06:07.123456+00:00 [error] <0.230.0> no berth",
                error,
            ),
            (
                "2024-03-04T05:06:07Z [ warn] no berth",
                Some(Severity::Warning),
            ),
            (
                "2024-03-04 05:06:07.123+0000 [id=7]\tWARNING\tno berth",
                Some(Severity::Warning),
            ),
            (
                "2024.03.04 05:06:07.123456 [ 1 ] {} <Error> Quay: no berth",
                error,
            ),
            ("SEVERE: no berth", error),
            ("[FATAL] no berth", fatal),
            ("[crit] no berth", fatal),
            ("no berth [ERROR]", None),
            ("[quay] error handling is set up", None),
            ("ERROR CODES AND THEIR MEANING", None),
            ("[30] no berth", None),
            ("[HTTP] no berth", None),
            ("[", None),
            ("", None),
        ] {
            assert_eq!(stated(text), expected, "{text}");
        }
    }
}
