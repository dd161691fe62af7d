//! Checks that a program cannot run forever or access more than the entry.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::path::Part;

use super::natives::ALLOWED;

/// The maximum number of open brackets.
const MAX_DEPTH: usize = 64;

/// The maximum number of generator commas per program: each doubles the number of possible outputs.
const MAX_COMMAS: usize = 6;

/// The maximum size of a program in bytes.
const MAX_PROGRAM: usize = 4 << 10;

/// Refuses programs that would take the parser long, or deep recursion.
pub(super) fn check_form(source: &str) -> Result<(), String> {
    if source.len() > MAX_PROGRAM {
        return Err(format!(
            "a jq program has at most {} KiB",
            MAX_PROGRAM >> 10
        ));
    }
    let (mut open, mut deepest) = (0usize, 0usize);
    for byte in source.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    // keywords that nest without brackets
    let words = source.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let nesting = words
        .filter(|word| {
            [
                "if", "try", "reduce", "foreach", "label", "def", "as", "elif",
            ]
            .contains(word)
        })
        .count();
    if deepest.max(nesting) > MAX_DEPTH || source.matches('-').count() > MAX_PROGRAM / 16 {
        return Err(format!("a jq program nests at most {MAX_DEPTH} deep"));
    }
    Ok(())
}

/// Refuses programs with disallowed parts.
pub(super) fn check(term: &Term<&str>) -> Result<(), String> {
    Checked::default().term(term)
}

/// The counts kept while checking a program.
#[derive(Default)]
struct Checked {
    commas: usize,
}

impl Checked {
    /// Refuses disallowed parts of a term.
    fn term(&mut self, term: &Term<&str>) -> Result<(), String> {
        match term {
            Term::Id | Term::Recurse | Term::Num(_) | Term::Var(_) | Term::Break(_) => Ok(()),
            Term::Str(Some(format), _) => Err(format!("{format} is not allowed in a jq term")),
            Term::Str(None, parts) => parts.iter().try_for_each(|part| match part {
                StrPart::Term(term) => self.term(term),
                StrPart::Str(_) | StrPart::Char(_) => Ok(()),
            }),
            Term::Arr(inner) => inner.iter().try_for_each(|inner| self.term(inner)),
            Term::Obj(pairs) => pairs.iter().try_for_each(|(key, value)| {
                self.term(key)?;
                value.iter().try_for_each(|value| self.term(value))
            }),
            Term::Neg(inner) | Term::Label(_, inner) => self.term(inner),
            Term::BinOp(left, op, right) => {
                match op {
                    BinaryOp::Assign
                    | BinaryOp::Update
                    | BinaryOp::UpdateMath(_)
                    | BinaryOp::UpdateAlt => {
                        return Err("assignments are not allowed in a jq term".into());
                    }
                    BinaryOp::Comma => {
                        self.commas += 1;
                        if self.commas > MAX_COMMAS {
                            return Err(format!(
                                "a jq term has at most {MAX_COMMAS} commas between generators"
                            ));
                        }
                    }
                    _ => {}
                }
                self.term(left)?;
                self.term(right)
            }
            Term::Fold(_, over, _, parts) => {
                self.term(over)?;
                parts.iter().try_for_each(|part| self.term(part))
            }
            Term::TryCatch(inner, otherwise) => {
                self.term(inner)?;
                otherwise.iter().try_for_each(|other| self.term(other))
            }
            Term::IfThenElse(cases, otherwise) => {
                for (condition, then) in cases {
                    self.term(condition)?;
                    self.term(then)?;
                }
                otherwise.iter().try_for_each(|other| self.term(other))
            }
            Term::Def(..) => Err("definitions are not allowed in a jq term".into()),
            Term::Call(name, arguments) => {
                if !ALLOWED.contains(&(name, arguments.len())) {
                    return Err(format!(
                        "{name}/{} is not allowed in a jq term",
                        arguments.len()
                    ));
                }
                arguments
                    .iter()
                    .try_for_each(|argument| self.term(argument))
            }
            Term::Path(inner, path) => {
                self.term(inner)?;
                path.0.iter().try_for_each(|(part, _)| match part {
                    Part::Index(index) => self.term(index),
                    Part::Range(from, to) => {
                        let ends = [from, to].into_iter().flatten();
                        ends.into_iter().try_for_each(|end| self.term(end))
                    }
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::EntryTerm;

    #[test]
    fn what_may_not_end_is_refused() {
        for program in [
            "def f: f; f",
            "repeat(.)",
            "[range(1000000000)]",
            "until(false; .)",
            "recurse(.)",
            "while(true; .)",
            "input",
            "env",
            "$ENV",
            "halt",
            "now",
            ".a |= 1",
            ".a = 1",
            "del(.a)",
            "@base64",
            "limit(1; repeat(.))",
            "((((",
            "nothing",
            "",
            ".a as $x |",
            "walk(.)",
            "1,2,3,4,5,6,7,8,9",
            "import \"a\" as a; .",
            "include \"a\"; .",
            "getpath([1])",
            "$__loc__",
            "debug",
            "inputs",
            "input_line_number",
            "splits(\"a\")",
            "tojson",
        ] {
            assert!(EntryTerm::jq(program).is_err(), "{program}");
        }
        for deep in [
            "(",
            "[",
            "{a:",
            "-",
            "if ",
            "try ",
            ".a|",
            "not|",
            ".[",
            "label $x | ",
            ". as $x | ",
        ] {
            let program = deep.repeat(1000);
            assert!(EntryTerm::jq(&program).is_err(), "{deep}");
        }
    }
}
