//! Determines the texts that an entry must contain for a program to hold.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::ops::Cmp;
use jaq_core::path::Part;

/// Returns texts one of which an entry contains whenever a condition is true of it; empty if none are known.
pub(super) fn needed(term: &Term<&str>) -> Vec<String> {
    match term {
        Term::BinOp(left, BinaryOp::And, right) => rarer(needed(left), needed(right)),
        Term::BinOp(left, BinaryOp::Pipe(None), right) => {
            // a missing path yields null, for which the right side may still be true
            let of_path = match **left {
                Term::Path(..) if refuses_null(right) => needed(left),
                _ => Vec::new(),
            };
            rarer(
                rarer(of_path, demanded(left)),
                seen_through(left, needed(right)),
            )
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
                .any(|side| matches!(**side, Term::Path(..)) && !makes(side));
            let texts: Vec<String> = texts.filter(|_| is_path).collect();
            longest(texts).into_iter().collect()
        }
        Term::BinOp(left, BinaryOp::Cmp(Cmp::Ne), right) => match &**right {
            Term::Call("null", arguments) if arguments.is_empty() => {
                longest(keys(left)).into_iter().collect()
            }
            _ => Vec::new(),
        },
        Term::Call("select", _) => demanded(term),
        Term::Path(..) => longest(keys(term)).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn longest(texts: Vec<String>) -> Option<String> {
    texts.into_iter().max_by_key(String::len)
}

/// Returns the list of texts that selects fewer entries.
fn rarer(left: Vec<String>, right: Vec<String>) -> Vec<String> {
    let shortest = |texts: &[String]| texts.iter().map(String::len).min().unwrap_or(0);
    match shortest(&right) > shortest(&left) {
        true => right,
        false => left,
    }
}

/// Returns the texts needed by the right side of a pipe, unless the left side yields values that are not in the entry.
fn seen_through(left: &Term<&str>, texts: Vec<String>) -> Vec<String> {
    match makes(left) {
        true => Vec::new(),
        false => texts,
    }
}

/// Returns texts one of which an entry contains whenever a term yields anything at all.
fn demanded(term: &Term<&str>) -> Vec<String> {
    match term {
        Term::Call("select", arguments) => arguments.first().map(needed).unwrap_or_default(),
        Term::BinOp(left, BinaryOp::Pipe(None), right) => {
            rarer(demanded(left), seen_through(left, demanded(right)))
        }
        _ => Vec::new(),
    }
}

/// Returns true if a term is never true for null: it yields null or nothing, or fails.
fn refuses_null(term: &Term<&str>) -> bool {
    match term {
        Term::Call("select", _) => true,
        Term::BinOp(left, BinaryOp::And, right) => refuses_null(left) || refuses_null(right),
        Term::BinOp(left, BinaryOp::Or, right) => refuses_null(left) && refuses_null(right),
        Term::BinOp(left, BinaryOp::Cmp(Cmp::Eq), right) => {
            let sides = [(left, right), (right, left)].into_iter();
            let mut sides = sides.map(|(one, other)| constant(one).is_some() && keeps_null(other));
            sides.any(|is_refused| is_refused)
        }
        Term::BinOp(left, BinaryOp::Cmp(Cmp::Ne), right) => {
            keeps_null(left) && matches!(**right, Term::Call("null", _))
        }
        Term::BinOp(left, BinaryOp::Pipe(None), right) => {
            fails_of_null(left) || keeps_null(left) && refuses_null(right)
        }
        _ => keeps_null(term) || fails_of_null(term),
    }
}

/// Returns true if a term yields only null for null.
fn keeps_null(term: &Term<&str>) -> bool {
    match term {
        Term::Id | Term::Recurse | Term::Call("select", _) => true,
        Term::Path(of, _) => keeps_null(of),
        Term::BinOp(left, BinaryOp::Pipe(None), right) => keeps_null(left) && keeps_null(right),
        _ => false,
    }
}

/// Returns true if a term applies only to strings, and so fails for null.
fn fails_of_null(term: &Term<&str>) -> bool {
    match term {
        Term::Call("test" | "startswith" | "endswith" | "ascii_downcase" | "ascii_upcase", _) => {
            true
        }
        Term::Call("contains", arguments) => arguments.first().and_then(constant).is_some(),
        _ => false,
    }
}

/// Returns true if a term may yield values that the entry does not contain.
fn makes(term: &Term<&str>) -> bool {
    match term {
        Term::Id | Term::Recurse => false,
        Term::Path(of, _) => makes(of),
        Term::Call("select", _) => false,
        Term::BinOp(left, BinaryOp::Pipe(None), right) => makes(left) || makes(right),
        _ => true,
    }
}

/// Returns the text of a constant.
fn constant(term: &Term<&str>) -> Option<String> {
    match term {
        Term::Str(None, parts) => match parts.as_slice() {
            [StrPart::Str(text)] => Some((*text).to_owned()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the keys that must exist for a path to yield something.
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
            (".oven | (\"x\")", &[]),
            (".oven | length", &[]),
            (".oven | not", &[]),
            (".oven | contains(null)", &[]),
            (".oven | select(true) | \"x\"", &[]),
            (".oven | .shelf | ascii_downcase | test(\"x\")", &["shelf"]),
            (".oven | select(.shelf == \"bread\") | length", &["bread"]),
            (".oven | . == \"bread\"", &["oven"]),
            ("{a: \"made up\"}.a == \"made up\"", &[]),
        ] {
            assert_eq!(
                EntryTerm::jq(program).unwrap().literals(),
                wanted,
                "{program}"
            );
        }
    }
}
