//! What an expression requires literally.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::tokens::in_words;

/// Returns the minimum number of letters and digits in a match.
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

/// Returns a byte that satisfies a predicate and that every match of an expression contains.
pub(crate) fn required_byte(hir: &Hir, is_kind: fn(&u8) -> bool) -> Option<u8> {
    let of = |part: &Hir| required_byte(part, is_kind);
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.iter().copied().find(is_kind),
        HirKind::Concat(parts) => parts.iter().find_map(of),
        HirKind::Capture(group) => of(&group.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => of(&repeated.sub),
        _ => None,
    }
}

/// Returns true if an expression is a run of spaces, which a template writes as one space.
pub(crate) fn is_blank(hir: &Hir) -> bool {
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

/// Collects the parts of a concatenation, with groups replaced by their parts.
pub(crate) fn flat<'h>(parts: &'h [Hir], into: &mut Vec<&'h Hir>) {
    for part in parts {
        match part.kind() {
            HirKind::Capture(group) => flat(std::slice::from_ref(&group.sub), into),
            HirKind::Concat(parts) => flat(parts, into),
            _ => into.push(part),
        }
    }
}

/// For each place of an expression that requires words, returns a list of words one of which every match contains.
pub(crate) fn demanded(hir: &Hir) -> Vec<Vec<String>> {
    let mut runs = vec![String::new()];
    let mut demanded = Vec::new();
    let mut all = Vec::new();
    flat(std::slice::from_ref(hir), &mut all);
    for part in all {
        match part.kind() {
            HirKind::Literal(literal) => {
                if let Some(run) = runs.last_mut() {
                    run.push_str(&String::from_utf8_lossy(&literal.0));
                }
                continue;
            }
            HirKind::Look(_) | HirKind::Empty => continue,
            HirKind::Repetition(repeated) if repeated.min > 0 => {
                demanded.append(&mut self::demanded(&repeated.sub));
            }
            HirKind::Alternation(parts) => demanded.extend(one_of(parts)),
            _ => {}
        }
        runs.push(String::new());
    }
    let words = runs.iter().flat_map(|run| in_words(run));
    demanded.extend(words.map(|word| vec![word.to_owned()]));
    demanded.sort_unstable();
    demanded.dedup();
    demanded
}

/// Returns the longest word of each alternative, if all have one.
fn one_of(parts: &[Hir]) -> Option<Vec<String>> {
    let longest = |part: &Hir| {
        let words = demanded(part).into_iter();
        let alone = words.filter(|words| words.len() == 1).flatten();
        alone.max_by_key(String::len)
    };
    let mut words: Vec<String> = parts.iter().map(longest).collect::<Option<_>>()?;
    words.sort_unstable();
    words.dedup();
    Some(words)
}
