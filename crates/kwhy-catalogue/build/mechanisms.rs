//! Compiles `mechanisms.yaml`.

use std::collections::HashSet;
use std::fmt::Write as _;

use kwhy_signature::{Causes, SignatureError};
use serde::Deserialize;

use super::yaml::{self, Pairs};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mechanisms {
    quoting: Vec<String>,
    rules: Vec<Pairs<Vec<String>>>,
}

/// The text that starts a rule.
const RULE: &str = "- causes:";

/// The keys of a rule besides `causes`, each with its variant of `Distance`.
const DISTANCES: &[(&str, &str)] = &[
    ("owner", "Owner"),
    ("callers", "Callers"),
    ("host", "Host"),
    ("node", "Node"),
    ("source", "Source"),
    ("input", "Input"),
];

/// The names that a rule may use.
pub struct KnownNames<'n> {
    causes: HashSet<&'n str>,
    /// `None` if the signatures are not read: then any name is accepted.
    signatures: Option<HashSet<&'n str>>,
}

impl<'n> KnownNames<'n> {
    pub fn new(
        causes: &'n Causes,
        signatures: Option<impl Iterator<Item = &'n str>>,
    ) -> KnownNames<'n> {
        KnownNames {
            causes: causes.ids().collect(),
            signatures: signatures.map(Iterator::collect),
        }
    }

    /// Returns what is wrong with the name of a cause or a family of causes (`family/*`); `None` if it is known.
    pub fn refuse_cause(&self, name: &str) -> Option<String> {
        let is_known = match name.strip_suffix('*') {
            Some(family) => {
                family.ends_with('/') && self.causes.iter().any(|id| id.starts_with(family))
            }
            None => self.causes.contains(name),
        };
        (!is_known).then(|| format!("unknown cause {name:?}"))
    }

    /// Returns what is wrong with the name of an effect (a cause, a family or a signature); `None` if it is known.
    pub fn refuse_effect(&self, name: &str) -> Option<String> {
        if name.contains('/') {
            return self.refuse_cause(name);
        }
        let known = self.signatures.as_ref();
        let is_unknown = known.is_some_and(|signatures| !signatures.contains(name));
        is_unknown.then(|| format!("unknown signature {name:?}"))
    }
}

/// Checks the rules, and returns them as a constant.
pub fn compile(file: &str, text: &str, known: &KnownNames<'_>) -> Result<String, SignatureError> {
    let Mechanisms { quoting, rules } = yaml::read(file, text)?;
    let refuse = |names: &[String], of_causes: bool| {
        if names.is_empty() {
            return Some((String::new(), "an empty list".to_owned()));
        }
        if let Some(name) = yaml::repeated(names.iter().map(String::as_str)) {
            return Some((name.to_owned(), format!("{name:?} is listed twice")));
        }
        names.iter().find_map(|name| {
            let refused = match of_causes {
                true => known.refuse_cause(name),
                false => known.refuse_effect(name),
            };
            refused.map(|message| (name.clone(), message))
        })
    };
    if let Some((piece, message)) = refuse(&quoting, true) {
        return Err(SignatureError::about(file, text, &piece, message));
    }
    let mut out = format!(
        "static MECHANISMS: Mechanisms = Mechanisms {{\n    quoting: &{quoting:?},\n    rules: &[\n"
    );
    for (number, Pairs(rule)) in rules.iter().enumerate() {
        let at = |(piece, message): (String, String)| {
            let line = line_in_rule(text, number, &piece);
            SignatureError::new(file, text, (line, 1), message)
        };
        let Some(((first, causes), effects)) = rule.split_first() else {
            return Err(at((String::new(), "an empty rule".into())));
        };
        if first != "causes" || effects.is_empty() {
            let message = "a rule is `causes`, then their effects by how far they reach";
            return Err(at((String::new(), message.into())));
        }
        if let Some(refused) = refuse(causes, true) {
            return Err(at(refused));
        }
        if let Some(key) = yaml::repeated(effects.iter().map(|(key, _)| key.as_str())) {
            return Err(at((key.to_owned(), format!("{key:?} is given twice"))));
        }
        for (key, effects) in effects {
            let distance = DISTANCES.iter().find(|(name, _)| name == key);
            let Some((_, distance)) = distance else {
                let message = format!("unknown reach {key:?}");
                return Err(at((key.clone(), message)));
            };
            if let Some((piece, message)) = refuse(effects, false) {
                return Err(at((piece, format!("{key}: {message}"))));
            }
            let _ = writeln!(
                out,
                "        CausalRule {{ causes: &{causes:?}, distance: Distance::{distance}, effects: &{effects:?} }},"
            );
        }
    }
    out.push_str("    ],\n};\n");
    Ok(out)
}

/// Returns the line, counted from 1, at which a piece of text last occurs in a rule; the rule's first line if it does
/// not.
fn line_in_rule(text: &str, rule: usize, piece: &str) -> usize {
    let lines = || (1..).zip(text.lines());
    let starts = lines().filter(|(_, line)| line.trim_start().starts_with(RULE));
    let mut starts = starts.map(|(number, _)| number).skip(rule);
    let first = starts.next().unwrap_or(1);
    let end = starts.next().unwrap_or(usize::MAX);
    let within = lines().filter(|(number, _)| (first..end).contains(number));
    let containing = within.filter(|(_, line)| !piece.is_empty() && line.contains(piece));
    containing.last().map_or(first, |(number, _)| number)
}
