//! The plain text that every match of a pattern contains.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Runs of characters that occur in every envelope as they are. A run may start with a double quote,
/// which precedes the next character however deep it is escaped, and end at one.
#[derive(Default)]
pub(crate) struct Phrases {
    /// Each with whether a double quote follows it.
    done: Vec<(String, bool)>,
    open: String,
}

impl Phrases {
    pub fn add(&mut self, c: char) {
        // JSON and logfmt escape quotes and backslashes, Go's JSON also < > &
        let plain = c.is_ascii_graphic() && !"\"'`\\<>&".contains(c);
        let blank = c == ' ' && !self.open.is_empty();
        if plain || blank {
            self.open.push(c);
        } else if c == '"' {
            let run = std::mem::replace(&mut self.open, "\"".to_owned());
            self.done.push((run, true));
        } else {
            self.end();
        }
    }

    pub fn end(&mut self) {
        let run = std::mem::take(&mut self.open);
        self.done.push((run.trim_end().to_owned(), false));
    }

    /// The longest run, as texts of which one occurs where it does: the quote after it follows at
    /// once or after a backslash.
    pub fn longest(mut self) -> Vec<String> {
        self.end();
        // of equally long ones the first
        let runs = self.done.into_iter().rev();
        match runs.max_by_key(|(run, quoted)| run.len() + usize::from(*quoted)) {
            Some((run, true)) => vec![format!("{run}\""), format!("{run}\\")],
            Some((run, false)) => vec![run],
            None => Vec::new(),
        }
    }
}

/// The least number of letters and digits that a match contains.
pub(crate) fn weight_of(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Literal(literal) => literal
            .0
            .iter()
            .filter(|b| b.is_ascii_alphanumeric())
            .count(),
        HirKind::Concat(parts) => parts.iter().map(weight_of).sum(),
        HirKind::Alternation(parts) => parts.iter().map(weight_of).min().unwrap_or(0),
        HirKind::Capture(group) => weight_of(&group.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => weight_of(&repeated.sub),
        _ => 0,
    }
}

/// A byte that each match of a regular expression contains, and that is no letter or digit.
pub(crate) fn required_byte(hir: &Hir) -> Option<u8> {
    match hir.kind() {
        HirKind::Literal(literal) => {
            let mut bytes = literal.0.iter().copied();
            bytes.find(|byte| byte.is_ascii_punctuation())
        }
        HirKind::Concat(parts) => parts.iter().find_map(required_byte),
        HirKind::Capture(group) => required_byte(&group.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => required_byte(&repeated.sub),
        _ => None,
    }
}

/// Texts of which each match of a regular expression contains one; none if nothing is known.
pub(crate) fn required(hir: &Hir) -> Vec<String> {
    match hir.kind() {
        HirKind::Literal(_) => of_concat(std::slice::from_ref(hir)),
        HirKind::Concat(parts) => of_concat(parts),
        HirKind::Alternation(parts) => {
            let each: Vec<Vec<String>> = parts.iter().map(required).collect();
            if each.iter().any(Vec::is_empty) {
                Vec::new()
            } else {
                each.concat()
            }
        }
        HirKind::Capture(group) => required(&group.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => required(&repeated.sub),
        _ => Vec::new(),
    }
}

/// The parts of a concatenation, those of groups in place of the groups.
fn flat<'h>(parts: &'h [Hir], into: &mut Vec<&'h Hir>) {
    for part in parts {
        match part.kind() {
            HirKind::Capture(group) => flat(std::slice::from_ref(&group.sub), into),
            HirKind::Concat(parts) => flat(parts, into),
            _ => into.push(part),
        }
    }
}

/// Returns true if a part is a run of spaces: as in a template, it is one space where nothing was wrapped.
fn is_blank(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Repetition(repeated) => repeated.min > 0 && is_blank(&repeated.sub),
        HirKind::Class(Class::Bytes(class)) => {
            let blank = |byte: u8| byte.is_ascii_whitespace() || byte == 0x0b;
            let mut ranges = class.ranges().iter();
            ranges.any(|range| range.start() <= b' ' && b' ' <= range.end())
                && (class.ranges().iter()).all(|r| (r.start()..=r.end()).all(blank))
        }
        _ => false,
    }
}

fn of_concat(parts: &[Hir]) -> Vec<String> {
    let shortest = |texts: &[String]| texts.iter().map(String::len).min().unwrap_or(0);
    let mut phrases = Phrases::default();
    let mut best = Vec::new();
    let mut all = Vec::new();
    flat(parts, &mut all);
    for part in all {
        if is_blank(part) {
            phrases.add(' ');
            continue;
        }
        if is_plain(part) {
            collect_literals(part, &mut phrases);
            continue;
        }
        phrases.end();
        let inner = required(part);
        if shortest(&inner) > shortest(&best) {
            best = inner;
        }
    }
    let own = phrases.longest();
    if shortest(&own) > shortest(&best) {
        own
    } else {
        best
    }
}

/// The literal texts that each match contains.
pub(crate) fn plain_runs(hir: &Hir) -> Vec<String> {
    let mut runs = vec![String::new()];
    let mut all = Vec::new();
    flat(std::slice::from_ref(hir), &mut all);
    for part in all {
        match part.kind() {
            HirKind::Literal(literal) => {
                if let Some(run) = runs.last_mut() {
                    run.push_str(&String::from_utf8_lossy(&literal.0));
                }
            }
            HirKind::Look(_) | HirKind::Empty => {}
            HirKind::Repetition(repeated) if repeated.min > 0 => {
                runs.append(&mut plain_runs(&repeated.sub));
                runs.push(String::new());
            }
            _ => runs.push(String::new()),
        }
    }
    runs
}

fn is_plain(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(_) | HirKind::Look(_) | HirKind::Empty => true,
        HirKind::Capture(group) => is_plain(&group.sub),
        HirKind::Concat(parts) => parts.iter().all(is_plain),
        _ => false,
    }
}

/// The names of the groups.
pub(crate) fn names(hir: &Hir, into: &mut Vec<String>) {
    match hir.kind() {
        HirKind::Capture(group) => {
            into.extend(group.name.as_deref().map(str::to_owned));
            names(&group.sub, into);
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().for_each(|part| names(part, into));
        }
        HirKind::Repetition(repeated) => names(&repeated.sub, into),
        _ => {}
    }
}

/// Adds a part that is nothing but literal text.
fn collect_literals(hir: &Hir, phrases: &mut Phrases) {
    match hir.kind() {
        HirKind::Literal(literal) => {
            for c in String::from_utf8_lossy(&literal.0).chars() {
                phrases.add(c);
            }
        }
        HirKind::Concat(parts) => {
            for part in parts {
                collect_literals(part, phrases);
            }
        }
        HirKind::Capture(group) => collect_literals(&group.sub, phrases),
        HirKind::Repetition(repeated) if repeated.min > 0 => {
            collect_literals(&repeated.sub, phrases);
            phrases.end();
        }
        HirKind::Look(_) | HirKind::Empty => {}
        _ => phrases.end(),
    }
}
