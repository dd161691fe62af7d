//! jq programs that are run on entries within bounds: jaq reads and runs them, on values that count each step.
//!
//! What may run without end, or reaches beyond the entry, is refused when a program is read: definitions, updates,
//! generators without an end, inputs, the environment. All other loops go over the entry's own values, each of which is
//! a step.

mod natives;
mod value;

use jaq_core::data::JustLut;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::load::{self, Arena, File, Loader};
use jaq_core::ops::Cmp;
use jaq_core::path::Part;
use jaq_core::{Compiler, Ctx, Filter, Vars, load::lex::StrPart};

use super::{EntryMatch, literals};
use natives::ALLOWED;
use value::{Steps, Value};

/// The most brackets that may be open at once.
const MAX_DEPTH: usize = 64;

/// The most commas of generators in one program: each doubles what the rest may yield.
const MAX_COMMAS: usize = 6;

/// The most bytes of a program.
const MAX_PROGRAM: usize = 4 << 10;

/// The most bytes of an entry that is read as JSON.
const MAX_ENTRY: usize = 1 << 20;

/// The most bytes of an object that is read as YAML.
const MAX_YAML: usize = 256 << 10;

/// A compiled program.
pub(super) struct Program {
    filter: Filter<JustLut<Value>>,
    literals: Vec<String>,
    weight: usize,
}

impl Program {
    /// Reads and checks a program.
    pub fn parse(source: &str) -> Result<Program, String> {
        check_form(source)?;
        let invalid = || format!("{source:?} is not a jq program");
        let term = load::parse(source, |parser| parser.term()).ok_or_else(invalid)?;
        let mut checked = Checked::default();
        checked.term(&term)?;
        let arena = Arena::default();
        let file = File {
            code: source,
            path: (),
        };
        let modules = Loader::new(natives::defs())
            .load(&arena, file)
            .map_err(|_| invalid())?;
        let filter = Compiler::default()
            .with_funs(natives::funs())
            .compile(modules)
            .map_err(|errors| {
                let mut names = errors.iter().flat_map(|(_, found)| found);
                match names.next() {
                    Some((name, _)) => format!("{name} is not known in a jq term"),
                    None => invalid(),
                }
            })?;
        let needed = needed(&term);
        Ok(Program {
            weight: needed.iter().map(String::len).min().unwrap_or(0),
            literals: literals::best(needed.iter().map(|text| literals::plain_part(text))),
            filter,
        })
    }

    /// Texts of which each entry that fulfils it contains one.
    pub fn literals(&self) -> Vec<String> {
        self.literals.clone()
    }

    /// The number of characters of names and texts that it demands.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Runs it on an entry. One that is not JSON does not fulfil it.
    pub fn run(&self, entry: &str) -> EntryMatch {
        let trimmed = entry.trim();
        if !trimmed.starts_with(['{', '[']) {
            return EntryMatch::No;
        }
        if trimmed.len() > MAX_ENTRY {
            return EntryMatch::Stopped;
        }
        match serde_json::from_str::<Value>(trimmed) {
            Ok(input) => self.run_on(input, entry.len()),
            Err(_) => EntryMatch::No,
        }
    }

    /// Runs it on an object in YAML, or an item of a list.
    pub fn run_on_yaml(&self, object: &str) -> EntryMatch {
        // what an alias stands for may be of any size
        let has_aliases = || {
            [": *", "- *", "[*", ", *"]
                .iter()
                .any(|mark| object.contains(mark))
        };
        if object.len() > MAX_YAML || has_aliases() {
            return EntryMatch::Stopped;
        }
        let inner = object.trim_start_matches(' ');
        let indent = object.len() - inner.len();
        let item = inner.strip_prefix("- ");
        let item = item.map(|rest| format!("{}  {rest}", " ".repeat(indent)));
        match serde_yaml::from_str::<Value>(item.as_deref().unwrap_or(object)) {
            Ok(input) => self.run_on(input, object.len()),
            Err(_) => EntryMatch::No,
        }
    }

    /// Runs it on a value that takes so many bytes.
    fn run_on(&self, input: Value, length: usize) -> EntryMatch {
        let steps = Steps::begin();
        let ctx = Ctx::<JustLut<Value>>::new(&self.filter.lut, Vars::new([]));
        let mut holds = false;
        for output in self.filter.id.run((ctx, input)) {
            match output {
                Ok(value) => holds |= !matches!(value, Value::Null | Value::Bool(false)),
                // an error takes back what came before it
                Err(_) => {
                    holds = false;
                    break;
                }
            }
            if steps.are_used_up() || !steps.take_one() {
                break;
            }
        }
        match (steps.are_used_up(), holds) {
            (true, _) => EntryMatch::Stopped,
            (false, true) => EntryMatch::At(0..length),
            (false, false) => EntryMatch::No,
        }
    }
}

/// Refuses what would take the parser long, or deep.
fn check_form(source: &str) -> Result<(), String> {
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

/// What was counted while a program is checked.
#[derive(Default)]
struct Checked {
    commas: usize,
}

impl Checked {
    /// Refuses what is not allowed in a term.
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

/// Texts of which an entry contains one wherever a condition is true of it; none if nothing is known.
fn needed(term: &Term<&str>) -> Vec<String> {
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
    use super::super::{EntryMatch, EntryTerm};

    fn holds(program: &str, entry: &str) -> bool {
        let term = EntryTerm::jq(program).unwrap_or_else(|error| panic!("{program}: {error}"));
        matches!(term.find(entry), EntryMatch::At(_))
    }

    #[test]
    fn any_value_but_null_and_false_holds() {
        let entry = r#"{"kind":"Crate","n":0,"empty":null,"off":false,"list":[{"a":1},{"a":2}]}"#;
        for program in [
            ".kind",
            ".n",
            ".kind == \"Crate\"",
            ".list[] | select(.a == 2)",
            "[.list[].a] == [1,2]",
            ".kind | test(\"^C.*e$\")",
            "(.list | length) > 1",
            "any(.list[]; .a > 1)",
            ".missing == null",
            ".kind | startswith(\"Cr\")",
            "has(\"n\") and (has(\"x\") | not)",
            ".kind != null and (.list[0].a // 0) != 0",
            "if .n == 0 then 1 else empty end",
            "reduce .list[] as $x (0; . + $x.a) == 3",
            "[.. | numbers] | length == 3",
            ".x?.y?, .kind",
            "\"\\(.n)-\\(.kind)\" == \"0-Crate\"",
            "try error(\"x\") catch .",
            ".list | map(.a) | contains([2])",
            "(.kind | ascii_downcase) == \"crate\"",
        ] {
            assert!(holds(program, entry), "{program}");
        }
        for program in [
            ".empty",
            ".off",
            ".missing",
            "empty",
            ".kind == \"crate\"",
            ".n[0]",
            ".kind, .n[0]",
        ] {
            assert!(!holds(program, entry), "{program}");
        }
        assert!(!holds(".", "no JSON") && !holds(".a", "{\"a\": 1") && !holds(".", "7"));
    }

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

    #[test]
    fn programs_run_within_their_steps() {
        let list = format!("[{}0]", "0,".repeat(5000));
        for program in [
            "[.. | .. | .. | .. | ..] | length",
            "[.[] as $x | .[] as $y | .[] as $z | 1] | length",
            "reduce .[] as $x (\"ab\"; . + .)",
            "reduce .[] as $x ([1]; . + .)",
            "[.[] | (1,2) | (1,2) | (1,2) | (1,2)] | length",
            "..|..|..|..|..",
            "first(.[] | .[]? | .[]?)",
            "[limit(1000000000; .[], .[])] | length",
            "reduce .[] as $x (3; . * . * .)",
        ] {
            let term = EntryTerm::jq(program);
            let Ok(term) = term else { continue };
            let start = std::time::Instant::now();
            let found = term.find(&list);
            assert!(start.elapsed().as_secs() < 20, "{program}: {found:?}");
        }
        let term = EntryTerm::jq("[.[] as $x | .[] as $y | 1] | length").unwrap();
        assert_eq!(term.find(&list), EntryMatch::Stopped);
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(term.find(&deep), EntryMatch::No);
    }

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
