//! Cheaper expressions that only decide whether another expression matches somewhere in a text.

use regex_syntax::hir::{Capture, Class, Hir, HirKind, Repetition};

/// Returns an expression that occurs in a text if and only if this one does, without optional parts at its ends; `None`
/// if its start has none, as optional parts at the end alone cost little.
pub(super) fn trimmed(hir: &Hir) -> Option<Hir> {
    let plain = without_groups(hir);
    let trimmed = trimmed_at(End::First, &plain);
    (trimmed != plain).then(|| trimmed_at(End::Last, &trimmed))
}

/// Returns true if [`trimmed`] may return an expression, without building it.
pub(super) fn may_be_trimmed(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty => false,
        _ if may_be_missing(hir) => true,
        HirKind::Repetition(repeated) => repeated.min == 1 || repeated.max != Some(repeated.min),
        HirKind::Capture(Capture { sub, .. }) => may_be_trimmed(sub),
        HirKind::Concat(parts) => parts.first().is_some_and(may_be_trimmed),
        HirKind::Alternation(parts) => parts.iter().any(may_be_trimmed),
        HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(_) => false,
    }
}

/// Returns the expression without its groups. The recursion is bounded by the parser's nesting limit.
fn without_groups(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Look(_) | HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
        HirKind::Repetition(repeated) => Hir::repetition(Repetition {
            sub: Box::new(without_groups(&repeated.sub)),
            ..repeated.clone()
        }),
        HirKind::Capture(Capture { sub, .. }) => without_groups(sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(without_groups).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(without_groups).collect()),
    }
}

/// The approximate number of states of an automaton for an expression.
pub(super) fn states(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Repetition(repeated) => {
            let times = repeated.max.unwrap_or(repeated.min).max(1);
            states(&repeated.sub).saturating_mul(times as usize)
        }
        HirKind::Capture(group) => states(&group.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(states).fold(1, usize::saturating_add)
        }
    }
}

/// An upper bound of the bytes that a compiled expression takes.
pub(super) fn most_bytes(hir: &Hir) -> usize {
    // a range of characters becomes up to eight sequences of up to four bytes
    const OF_RANGE: usize = 8 * 4 * OF_STATE;
    const OF_STATE: usize = 64;
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => OF_STATE,
        HirKind::Literal(literal) => literal.0.len().saturating_mul(OF_STATE),
        HirKind::Class(Class::Unicode(class)) => class.ranges().len().saturating_mul(OF_RANGE),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len().saturating_mul(OF_STATE),
        HirKind::Repetition(repeated) => {
            let times = repeated
                .max
                .unwrap_or(repeated.min)
                .max(1)
                .saturating_add(1);
            let one = most_bytes(&repeated.sub).saturating_add(OF_STATE);
            one.saturating_mul(times as usize)
        }
        HirKind::Capture(group) => most_bytes(&group.sub).saturating_add(2 * OF_STATE),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            let parts = parts.iter().map(most_bytes);
            parts.fold(2 * OF_STATE, usize::saturating_add)
        }
    }
}

#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

/// Returns true if it may match the empty text anywhere, so that its neighbours match without it too.
fn may_be_missing(hir: &Hir) -> bool {
    let properties = hir.properties();
    properties.minimum_len() == Some(0) && properties.look_set().is_empty()
}

fn trimmed_at(end: End, hir: &Hir) -> Hir {
    if may_be_missing(hir) {
        return Hir::empty();
    }
    match hir.kind() {
        // of several copies, the minimum number suffices
        HirKind::Repetition(repeated) if repeated.min == 1 => trimmed_at(end, &repeated.sub),
        HirKind::Repetition(repeated) => Hir::repetition(Repetition {
            max: Some(repeated.min),
            ..repeated.clone()
        }),
        HirKind::Concat(parts) => {
            let mut parts = parts.clone();
            let place = |parts: &[Hir]| match end {
                End::First => 0,
                End::Last => parts.len().saturating_sub(1),
            };
            while parts.get(place(&parts)).is_some_and(may_be_missing) {
                parts.remove(place(&parts));
            }
            let at = place(&parts);
            if let Some(part) = parts.get_mut(at) {
                *part = trimmed_at(end, part);
            }
            Hir::concat(parts)
        }
        HirKind::Alternation(parts) => {
            Hir::alternation(parts.iter().map(|part| trimmed_at(end, part)).collect())
        }
        _ => hir.clone(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex_automata::meta::Regex;

    use super::super::parsed::parse;
    use super::*;

    #[test]
    fn ends_that_may_be_missing_go() {
        for (expression, wanted) in [
            (r"(?P<a>[^\n]*(?:b|c+d?)[^\n]*)", Some("b|c")),
            (r"x{0,9}y{2,5}z+", Some("y{2}z")),
            (r"(?:ab*)+?c(?:d?e*)", Some("ab*c")),
            (r"(?:a*b|c)d", Some("(?:b|c)d")),
            (r"^a*b", None),
            (r"\b(?P<a>a+b)", None),
            (r"ab*", None),
            (r"a?", Some("")),
            (r"(?:a?\b)b", Some(r"\bb")),
        ] {
            let wanted = wanted.and_then(|wanted| parse(wanted).ok());
            let may_be = may_be_trimmed(&parse(expression).unwrap());
            assert_eq!(may_be, wanted.is_some(), "{expression}");
            assert_eq!(trimmed(&parse(expression).unwrap()), wanted, "{expression}");
        }
    }

    proptest! {
        #[test]
        fn what_is_left_is_found_where_all_is(
            parts in proptest::collection::vec(
                prop_oneof![
                    r"[ab](?:\*|\+|\?|\{1,2\}|\{2,3\})?\??",
                    Just(r"\b".to_owned()),
                    Just("^".to_owned()),
                    Just("$".to_owned()),
                    r"\([ab]\*?\|[bc ]\+?\)[*+?]?",
                ],
                1..5,
            ),
            text in "[abc \n]{0,12}",
        ) {
            let expression = parts.concat();
            // a repetition of a repetition is not a valid expression
            if let Ok(parsed) = parse(&expression) && let Some(trimmed) = trimmed(&parsed) {
                prop_assert!(may_be_trimmed(&parsed), "{}", expression);
                let found = |hir: &Hir| Regex::builder().build_from_hir(hir).unwrap().is_match(&text);
                prop_assert_eq!(found(&parsed), found(&trimmed), "{} {}", expression, trimmed);
            }
        }
    }
}
