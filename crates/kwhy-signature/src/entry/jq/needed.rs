//! The texts that an entry must contain for a program to hold.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::ops::Cmp;
use jaq_core::path::Part;

/// Texts of which an entry contains one wherever a condition is true of it; none if nothing is known.
pub(super) fn needed(term: &Term<&str>) -> Vec<String> {
    let longest = |texts: Vec<String>| texts.into_iter().max_by_key(String::len);
    match term {
        Term::BinOp(left, BinaryOp::And | BinaryOp::Pipe(None), right) => {
            let (left, right) = (needed(left), needed(right));
            let shortest = |texts: &[String]| texts.iter().map(String::len).min().unwrap_or(0);
            // the right side of a pipe sees what the left one yields, which may be made up
            let right_counts = !matches!(term, Term::BinOp(of, BinaryOp::Pipe(_), _) if makes(of));
            match right_counts && shortest(&right) > shortest(&left) {
                true => right,
                false => left,
            }
        }
        Term::BinOp(left, BinaryOp::Or, right) => {
            let (mut left, mut right) = (needed(left), needed(right));
            match left.is_empty() || right.is_empty() {
                true => Vec::new(),
                false => {
                    left.append(&mut right);
                    left
                }
            }
        }
        Term::BinOp(left, BinaryOp::Cmp(Cmp::Eq), right) => {
            let texts = [left, right].into_iter().filter_map(|side| constant(side));
            let is_path = [left, right]
                .into_iter()
                .any(|side| matches!(**side, Term::Path(..)));
            let texts: Vec<String> = texts.filter(|_| is_path).collect();
            longest(texts).into_iter().collect()
        }
        Term::BinOp(left, BinaryOp::Cmp(Cmp::Ne), right) => match &**right {
            Term::Call("null", arguments) if arguments.is_empty() => {
                longest(keys(left)).into_iter().collect()
            }
            _ => Vec::new(),
        },
        Term::Call("select", arguments) => arguments.first().map(needed).unwrap_or_default(),
        Term::Call("test" | "contains" | "startswith" | "endswith", _) => Vec::new(),
        Term::Path(..) => longest(keys(term)).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Returns true if a term may yield what the entry does not contain.
fn makes(term: &Term<&str>) -> bool {
    match term {
        Term::Id | Term::Recurse => false,
        Term::Path(of, _) => makes(of),
        Term::Call("select", _) => false,
        Term::BinOp(left, BinaryOp::Pipe(None), right) => makes(left) || makes(right),
        _ => true,
    }
}

/// The text of a constant.
fn constant(term: &Term<&str>) -> Option<String> {
    match term {
        Term::Str(None, parts) => match parts.as_slice() {
            [StrPart::Str(text)] => Some((*text).to_owned()),
            _ => None,
        },
        _ => None,
    }
}

/// The keys of a path that must be there where it yields something.
fn keys(term: &Term<&str>) -> Vec<String> {
    let Term::Path(of, path) = term else {
        return Vec::new();
    };
    if makes(of) {
        return Vec::new();
    }
    let keys = path.0.iter().filter_map(|(part, _)| match part {
        Part::Index(index) => constant(index),
        Part::Range(..) => None,
    });
    keys.collect()
}

#[cfg(test)]
mod tests {
    use crate::EntryTerm;

    #[test]
    fn texts_that_an_entry_must_contain() {
        for (program, wanted) in [
            (
                ".kind == \"PersistentVolume\" and (.spec.nfs != null)",
                &["PersistentVolume"][..],
            ),
            (
                ".kind == \"Pod\" and .spec.securityContext.fsGroup != null",
                &["securityContext"],
            ),
            (
                "select(.reason == \"Killing\" or .reason == \"Evicted\")",
                &["Evicted", "Killing"],
            ),
            (".message | test(\"x\")", &["message"]),
            (".message // \"x\" | test(\"x\")", &[]),
            ("length > 1", &[]),
            ("{kind: \"a\"} | .kind == \"made up\"", &[]),
            (".a == null", &[]),
        ] {
            assert_eq!(
                EntryTerm::jq(program).unwrap().literals(),
                wanted,
                "{program}"
            );
        }
    }
}
