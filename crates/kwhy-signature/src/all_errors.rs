//! Finds all errors of a signature file, not just the first one.
//!
//! Whatever the parser refuses is recorded and removed, or inserted if it is missing, and the rest is parsed again,
//! until it is a signature; that is then validated as a whole.

use std::collections::HashSet;

use serde_yaml::Value;

use super::causes::Causes;
use super::check::{self, YamlDocument};
use super::error::{SignatureError, place};
use super::nearest::nearest;
use super::node::{self, Node};
use super::schema::Signature;

/// The maximum number of errors reported per document.
const MAX_ERRORS: usize = 40;

/// Returns the errors of all documents of a file, in order, except for ids that are used twice.
pub fn all_errors(file: &str, yaml: &str, causes: &Causes) -> Vec<SignatureError> {
    let mut all = Vec::new();
    for document in check::documents(yaml) {
        // most documents are valid
        if check::read_document(file, yaml, &document, causes).is_err() {
            all.extend(of_document(file, yaml, &document, causes));
        }
    }
    all
}

fn of_document(
    file: &str,
    yaml: &str,
    document: &YamlDocument<'_>,
    causes: &Causes,
) -> Vec<SignatureError> {
    let text = document.text();
    let first = || check::read_document(file, yaml, document, causes).err();
    if check::check_size(file, text).is_err() {
        return first().into_iter().collect();
    }
    let tree = node::read(text)
        .ok()
        .and_then(|documents| documents.into_iter().next());
    let (Ok(mut value), Some(tree)) = (serde_yaml::from_str::<Value>(text), tree) else {
        return first().into_iter().collect();
    };
    let mut errors = Vec::new();
    let mut taken = HashSet::new();
    let mut removed = Vec::new();
    let signature = loop {
        let written = serde_yaml::to_string(&value).unwrap_or_default();
        let error = match serde_yaml::from_str::<Signature>(&written) {
            Ok(signature) => break Some(signature),
            Err(error) => error,
        };
        let message = error.to_string();
        let Some(mut refusal) =
            Refusal::read(&message).or_else(|| Refusal::by_trial(&value, &message))
        else {
            break None;
        };
        let repaired = repair(&mut value, &refusal);
        let own = refusal.path.clone();
        refusal.path = in_file(&own, &removed);
        if !taken.contains(&refusal.place()) {
            let at = locate(text, &tree, &refusal);
            let error = SignatureError::refused(file, text, at, &refusal.words);
            errors.push(error.within(yaml, document.lines_before()));
        }
        taken.insert(refusal.place());
        // a misspelled key is not reported as missing too
        taken.extend(refusal.meant());
        if !repaired || errors.len() > MAX_ERRORS {
            break None;
        }
        if matches!(refusal.what, What::Value(_)) {
            removed.push(own);
        }
    };
    if let Some(signature) = signature {
        // if the condition was repaired, its captures are unknown
        let knows_captures = !taken.iter().any(|place| place.starts_with("match"));
        for problem in check::problems(&signature, causes) {
            let is_made = taken.contains(problem.field);
            if !is_made && (knows_captures || !problem.is_of_captures) {
                let error = SignatureError::about(file, text, &problem.piece, problem.message);
                errors.push(error.within(yaml, document.lines_before()));
            }
        }
    }
    if errors.is_empty() {
        errors.extend(first());
    }
    errors.sort_by_key(|error| (error.line(), error.column()));
    errors.dedup_by_key(|error| (error.line(), error.column(), error.message().to_owned()));
    errors
}

/// A refusal of the parser, with its location.
struct Refusal {
    /// The path of keys and item numbers.
    path: Vec<String>,
    what: What,
    /// The parser's message, without location and path.
    words: String,
}

enum What {
    /// An unknown key.
    Unknown(String),
    /// A missing key.
    Missing(String),
    /// An invalid value at the path.
    Value(String),
}

impl Refusal {
    /// Parses the parser's message: `match.any[0].event: unknown field ...`.
    fn read(message: &str) -> Option<Refusal> {
        let message = message.split(" at line ").next().unwrap_or(message);
        let is_path = |text: &&str| {
            let mut bytes = text.bytes();
            !text.is_empty()
                && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_-.[]".contains(&byte))
        };
        let (path, words) = match message.split_once(": ") {
            Some((path, words)) if is_path(&path) => (path, words),
            _ => ("", message),
        };
        let path = path.replace('[', ".[");
        let path: Vec<String> = path
            .split('.')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        let quoted = |start: &str| {
            let rest = words.strip_prefix(start)?;
            rest.split('`').next().map(str::to_owned)
        };
        let what = match (quoted("unknown field `"), quoted("missing field `")) {
            (Some(key), _) => What::Unknown(key),
            (_, Some(key)) => What::Missing(key),
            _ if path.is_empty() => return None,
            _ => What::Value(super::error::quoted(words).unwrap_or_default()),
        };
        Some(Refusal {
            path,
            what,
            words: words.to_owned(),
        })
    }

    /// Finds the key without which the message disappears, for messages without a path.
    fn by_trial(value: &Value, message: &str) -> Option<Refusal> {
        let words = message.split(" at line ").next().unwrap_or(message);
        let keys = value.as_mapping()?.keys().filter_map(Value::as_str);
        let says = |value: &Value| {
            let written = serde_yaml::to_string(value).unwrap_or_default();
            let read = serde_yaml::from_str::<Signature>(&written);
            read.err()
                .is_some_and(|error| error.to_string().starts_with(words))
        };
        let mut at_fault = keys.filter(|key| {
            let mut other = value.clone();
            if let Value::Mapping(map) = &mut other {
                match REQUIRED.contains(key) {
                    true => drop(map.insert((*key).into(), stand_in(key))),
                    false => drop(map.shift_remove(*key)),
                }
            }
            !says(&other)
        });
        Some(Refusal {
            path: vec![at_fault.next()?.to_owned()],
            what: What::Value(super::error::quoted(words).unwrap_or_default()),
            words: words.to_owned(),
        })
    }

    /// Returns the place as text: the path and the key.
    fn place(&self) -> String {
        match &self.what {
            What::Unknown(key) | What::Missing(key) => self.below(key),
            What::Value(_) => self.path.join("."),
        }
    }

    /// Returns the place of the key that an unknown key is a misspelling of.
    fn meant(&self) -> Option<String> {
        let What::Unknown(key) = &self.what else {
            return None;
        };
        let (_, known) = self.words.split_once("expected ")?;
        let meant = nearest(key, known.split('`').skip(1).step_by(2))?;
        Some(self.below(meant))
    }

    fn below(&self, key: &str) -> String {
        let path = self.path.iter().map(String::as_str);
        path.chain([key]).collect::<Vec<_>>().join(".")
    }
}

/// The keys that every signature must have.
const REQUIRED: &[&str] = &["id", "cause", "severity", "title", "match", "why"];

/// Returns a placeholder for a missing key, so that the rest can be parsed.
fn stand_in(key: &str) -> Value {
    let text = match key {
        "match" => "{event: {reason: stand-in}}",
        "severity" => "error",
        "cause" => "stand/in",
        "id" => "stand-in",
        _ => "stand in",
    };
    serde_yaml::from_str(text).unwrap_or(Value::Null)
}

/// Removes what is refused, or inserts what is missing. Returns false if nothing changed.
fn repair(value: &mut Value, refusal: &Refusal) -> bool {
    let (path, key) = match &refusal.what {
        What::Unknown(key) | What::Missing(key) => (refusal.path.as_slice(), key.as_str()),
        What::Value(_) => match refusal.path.split_last() {
            Some((last, path)) => (path, last.as_str()),
            None => return false,
        },
    };
    let mut at = value;
    for part in path {
        let inner = match number(part) {
            Some(number) => at.get_mut(number),
            None => at.get_mut(part.as_str()),
        };
        match inner {
            Some(inner) => at = inner,
            None => return false,
        }
    }
    match (at, &refusal.what) {
        (Value::Mapping(map), What::Missing(key)) => {
            let before = map.insert(key.as_str().into(), stand_in(key));
            before.is_none()
        }
        (Value::Mapping(map), _) => map.shift_remove(key).is_some(),
        (Value::Sequence(items), _) => match number(key) {
            Some(number) if number < items.len() => {
                items.remove(number);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// Maps a path back to the original file, given the paths of removed values, each as it was when it was removed.
fn in_file(path: &[String], removed: &[Vec<String>]) -> Vec<String> {
    let mut path = path.to_vec();
    for gone in removed.iter().rev() {
        let Some((last, list)) = gone.split_last() else {
            continue;
        };
        if path.starts_with(list)
            && let Some(part) = path.get_mut(list.len())
            && let (Some(own), Some(gone)) = (number(part), number(last))
            && own >= gone
        {
            *part = format!("[{}]", own + 1);
        }
    }
    path
}

/// Parses an item number from a path component.
fn number(part: &str) -> Option<usize> {
    part.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// Returns the line and column of a refusal in a document.
fn locate(text: &str, document: &Node, refusal: &Refusal) -> (usize, usize) {
    let mut node = document;
    for part in &refusal.path {
        let inner = match number(part) {
            Some(number) => node.items().get(number),
            None => node.entry(part).map(|entry| &entry.value),
        };
        match inner {
            Some(inner) => node = inner,
            None => break,
        }
    }
    match &refusal.what {
        What::Unknown(key) => node.entry(key).map_or(node.at, |entry| entry.at),
        What::Missing(_) => node.at,
        What::Value(value) => {
            let start = offset(text, node.at);
            let found = text.get(start..).and_then(|rest| rest.find(value.as_str()));
            found.map_or(node.at, |at| place(text, start + at))
        }
    }
}

/// Returns the byte offset of a line and column.
fn offset(text: &str, (line, column): (usize, usize)) -> usize {
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines.by_ref().take(line - 1).map(str::len).sum();
    let own = lines.next().unwrap_or_default().char_indices();
    before + own.map(|(at, _)| at).nth(column - 1).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAUSES: &[(&str, &str)] = &[("shop/shelf-empty", "a shelf has nothing to sell")];

    fn errors(yaml: &str) -> Vec<String> {
        let causes = Causes::new(CAUSES);
        let errors = all_errors("mine.yaml", yaml, &causes);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn all_of_a_file_at_once() {
        let yaml = "\
id: shelf-empty
cause: shop/shelf-emty
severty: error
tile: 'shelf {shelf} is empty'
match:
  any:
    - event: {mesage: 'the shelf {shelf} is empty', reason: X}
    - event: {reason: Y, severity: severe}
  within: 10mm
fix:
  - txt: fill it
why: nobody filled it
check: there
";
        let expected = [
            "mine.yaml:2:8: unknown cause \"shop/shelf-emty\"; did you mean `shop/shelf-empty`?",
            "mine.yaml:3:1: unknown key `severty`; did you mean `severity`?",
            "mine.yaml:4:1: unknown key `tile`; did you mean `title`?",
            "mine.yaml:7:15: unknown key `mesage`; did you mean `message`?",
            "mine.yaml:8:36: `severe` is not one of `debug`, `info`, `warning`, `error`, `fatal`",
            "mine.yaml:9:11: invalid duration \"10mm\": expected a value such as 10m",
            "mine.yaml:11:5: unknown key `txt`; did you mean `text`?",
            "mine.yaml:13:8: the text \"there\" is not a list",
        ];
        let found = errors(yaml);
        for line in expected {
            assert!(found.iter().any(|it| it == line), "{line}: {found:#?}");
        }
        // `severity` and `title` are present, but misspelled
        assert_eq!(found.len(), expected.len(), "{found:#?}");
    }

    #[test]
    fn places_are_those_of_the_path() {
        let yaml = "\
id: shelf-empty
cause: shop/shelf-empty
severity: error
title: x
check: [{look: there, why: it shows}, {look: here, why: so, rule_out: y}]
match: {event: {reason: X}}
why: [nobody, filled it]
";
        assert_eq!(
            errors(yaml),
            [
                "mine.yaml:5:61: unknown key `rule_out`; did you mean `rules_out`?",
                "mine.yaml:7:6: a list is not a text",
            ]
        );
    }

    #[test]
    fn items_have_their_place_though_others_were_refused() {
        let yaml = "\
id: shelf-empty
cause: shop/shelf-empty
severity: error
title: x
match: {event: {reason: X}}
why: x
fix: [fill it, {text: wait}, close it]
";
        let found = errors(yaml);
        let places: Vec<&str> = found
            .iter()
            .map(|it| it.split(": ").next().unwrap())
            .collect();
        let expected = [(7, 7), (7, 30)];
        let expected = expected.map(|(line, column)| format!("mine.yaml:{line}:{column}"));
        assert_eq!(places, expected, "{found:#?}");
    }

    #[test]
    fn what_the_whole_refuses() {
        let yaml = "\
id: Shelf
cause: shop/shelf-empty
severity: error
title: 'shelf {shlf} is empty'
match: {event: {message: 'the shelf {shelf} is empty'}}
why: nobody filled {shelff}
confidence: 3
";
        assert_eq!(
            errors(yaml),
            [
                "mine.yaml:1:5: the id \"Shelf\" must be lower-case words with hyphens",
                "mine.yaml:4:15: the title uses {shlf}, which nothing captures; did you mean `shelf`?",
                "mine.yaml:6:20: the why uses {shelff}, which nothing captures; did you mean `shelf`?",
                "mine.yaml:7:1: confidence must be between 0 and 1",
            ]
        );
    }

    #[test]
    fn several_documents_and_files_that_are_no_yaml() {
        let good = "id: a\ncause: shop/shelf-empty\nseverity: error\ntitle: x\nwhy: x\nmatch: {event: {reason: X}}\n";
        assert!(errors(good).is_empty());
        let two = format!("{good}---\nid: b\n---\nid: [\n");
        let found = errors(&two);
        assert!(
            found
                .iter()
                .any(|it| it == "mine.yaml:8:1: the key `why` is missing"),
            "{found:#?}"
        );
        assert!(
            found.iter().any(|it| it.starts_with("mine.yaml:10:")),
            "{found:#?}"
        );
    }
}
