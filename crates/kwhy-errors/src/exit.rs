//! Exits of processes: Go's `os.ProcessState` (`exit status 1`, `signal: killed`) and the
//! runtimes' `exit code 137`.

use super::part::{Cursor, Part};
use super::recognise::Found;
use super::{Fact, LinkKind};

/// Linux signals by their texts, as printed by Go's `syscall`.
const SIGNALS: &[(&str, &str)] = &[
    ("aborted", "ABRT"),
    ("alarm clock", "ALRM"),
    ("broken pipe", "PIPE"),
    ("bus error", "BUS"),
    ("floating point exception", "FPE"),
    ("hangup", "HUP"),
    ("illegal instruction", "ILL"),
    ("interrupt", "INT"),
    ("killed", "KILL"),
    ("quit", "QUIT"),
    ("segmentation fault", "SEGV"),
    ("terminated", "TERM"),
];

const STATUS_WORDS: &[&str] = &[
    "exit status",
    "exit code",
    "exited with code",
    "exited with status",
    "exited with exit code",
    "exitcode",
];

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    if let Some((before, signal)) = first.split_once("signal: ") {
        let facts = vec![name(signal)?];
        return Some(Found::new(LinkKind::Exit, facts).at(before.as_str().len()));
    }
    let place = STATUS_WORDS
        .iter()
        .find_map(|words| first.find_words(words))?;
    // in brackets it becomes a link of its own
    if first.ending(place.range().start).as_str().ends_with('(') && !first.as_str().starts_with('(')
    {
        return None;
    }
    let after = first.from(place.range().end - first.range().start);
    if let Some(status) = number(after) {
        return Some(Found::new(
            LinkKind::Exit,
            vec![status.fact(Fact::ExitStatus)],
        ));
    }
    let second = after.trim().is_empty().then(|| cursor.part(1))??;
    let status = number(second)?;
    Some(Found::new(LinkKind::Exit, vec![status.fact(Fact::ExitStatus)]).taking(2))
}

fn name<'a>(signal: Part<'_, 'a>) -> Option<(Fact, kwhy_model::Text<'a>)> {
    let (words, name) = SIGNALS
        .iter()
        .find(|(words, _)| signal.as_str().starts_with(words))?;
    Some(signal.slice(0..words.len()).says(Fact::Signal, name))
}

fn number<'c, 'a>(part: Part<'c, 'a>) -> Option<Part<'c, 'a>> {
    let part = part
        .words()
        .next()?
        .trim_matches(&['=', ':', '(', ')', ',', '.', '"', ';']);
    let digits = part.as_str().strip_prefix('-').unwrap_or(part.as_str());
    let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    number.then_some(part)
}
