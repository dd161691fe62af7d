//! jq programs that run on entries within bounds: jaq parses and runs them, on values that count each step.
//!
//! Anything that could run forever, or access more than the entry, is refused when a program is parsed: definitions,
//! updates, infinite generators, inputs, the environment. All other loops iterate over the entry's own values, each of
//! which is a step.

mod allowed;
mod arithmetic;
mod natives;
mod needed;
mod steps;
mod value;

use jaq_core::data::JustLut;
use jaq_core::load::{self, Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Filter, Vars};

use super::{EntryMatch, literals};
use needed::needed;
use steps::Steps;
use value::Value;

/// The maximum size in bytes of an entry that is parsed as JSON.
const MAX_ENTRY: usize = 1 << 20;

/// The maximum size in bytes of an object that is parsed as YAML.
const MAX_YAML: usize = 256 << 10;

/// A compiled program.
pub(super) struct Program {
    filter: Filter<JustLut<Value>>,
    literals: Vec<String>,
    weight: usize,
}

impl Program {
    /// Parses and checks a program.
    pub fn parse(source: &str) -> Result<Program, String> {
        allowed::check_form(source)?;
        let invalid = || format!("{source:?} is not a jq program");
        let term = load::parse(source, |parser| parser.term()).ok_or_else(invalid)?;
        allowed::check(&term)?;
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

    /// Texts one of which every matching entry contains.
    pub fn literals(&self) -> Vec<String> {
        self.literals.clone()
    }

    /// The number of characters of names and strings that it requires.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Runs it on an entry. An entry that is not JSON does not match.
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

    /// Runs it on an object in YAML, or on an item of a list.
    pub fn run_on_yaml(&self, object: &str) -> EntryMatch {
        // an alias may expand to any size
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

    /// Runs it on a value that takes `length` bytes.
    fn run_on(&self, input: Value, length: usize) -> EntryMatch {
        let steps = Steps::begin();
        let ctx = Ctx::<JustLut<Value>>::new(&self.filter.lut, Vars::new([]));
        let mut holds = false;
        for output in self.filter.id.run((ctx, input)) {
            match output {
                Ok(value) => holds |= !matches!(value, Value::Null | Value::Bool(false)),
                // an error discards the outputs before it
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
    fn programs_run_within_their_steps() {
        let list = format!("[{}0]", "0,".repeat(5000));
        for (program, stops) in [
            ("[.. | .. | .. | .. | ..] | length", false),
            ("[.[] as $x | .[] as $y | .[] as $z | 1] | length", true),
            ("reduce .[] as $x (\"ab\"; . + .)", true),
            ("reduce .[] as $x ([1]; . + .)", true),
            (
                "[.[] | (1,2) | (1,2) | (1,2) | (1,2) | (1,2) | (1,2)] | length",
                true,
            ),
            ("..|..|..|..|..", false),
            ("first(.[] as $x | .[] as $y | select($x > $y))", true),
            ("reduce .[] as $x (3; . * . * .)", false),
            ("(map([.]) - map([1])) | length", true),
            ("any(.[]; tostring | test(\"[a-z]{900}\"))", true),
        ] {
            let term = EntryTerm::jq(program).unwrap();
            let start = std::time::Instant::now();
            let found = term.find(&list);
            assert_eq!(found == EntryMatch::Stopped, stops, "{program}: {found:?}");
            assert!(start.elapsed().as_secs() < 20, "{program}: {found:?}");
        }
        let term = EntryTerm::jq("[.[] as $x | .[] as $y | 1] | length").unwrap();
        assert_eq!(term.find(&list), EntryMatch::Stopped);
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(term.find(&deep), EntryMatch::No);
    }
}
