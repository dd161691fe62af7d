//! Expressions without what they ask of the text around a match.

use regex_syntax::hir::{Capture, Hir, HirKind, Repetition};

/// The expression that matches wherever this one does, and also where that is no start or end of a line, a
/// text or a word.
pub(super) fn relaxed(expression: &str) -> Option<Hir> {
    Some(without_looks(&super::parts::parse(expression).ok()?))
}

/// The parser limits how deep an expression nests.
fn without_looks(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Look(_) | HirKind::Empty => Hir::empty(),
        HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
        HirKind::Repetition(Repetition {
            min,
            max,
            greedy,
            sub,
        }) => Hir::repetition(Repetition {
            min: *min,
            max: *max,
            greedy: *greedy,
            sub: Box::new(without_looks(sub)),
        }),
        HirKind::Capture(Capture { sub, .. }) => without_looks(sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(without_looks).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(without_looks).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_asked_of_the_text_around() {
        for (expression, wanted) in [
            (r"^a\b(?P<x>b|\Ac$)+?", "a(?:b|c)+?"),
            (r"(?m)^\s+x$|y", r"\s+x|y"),
            ("ab", "ab"),
        ] {
            let wanted = super::super::parts::parse(wanted).unwrap();
            assert_eq!(relaxed(expression).unwrap(), wanted, "{expression}");
        }
        assert!(relaxed("(").is_none());
    }
}
