//! Assigns faults to families by the writer of the record: a panic of the container runtime is the runtime's fault.
//!
//! `writers.yaml` lists, for writers and causes, the signature to report instead.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::advice::writers;
use crate::matcher::Hit;
use kwhy_catalogue::{Catalogue, WriterRule};
use kwhy_model::Format;
use kwhy_prefilter::{Bloom, Token};

/// Returns the number of the signature that a match is reported as because of its record's writer; `None` if it stays
/// the same.
pub(crate) fn signature_of_writer(
    catalogue: &Catalogue,
    number: usize,
    hit: &Hit,
) -> Option<usize> {
    let signature = catalogue.at(number);
    if signature.makes_no_finding() {
        return None;
    }
    let of_frame = || rule_of_frame(&signature.cause, hit);
    let of_cause = || {
        let mut rules = RULES.of_cause.get(&*signature.cause)?.iter();
        rules.find(|rule| wrote(rule, hit)).copied()
    };
    let rule = match (signature.is_frame(), signature.generic) {
        (true, _) => of_frame(),
        // this signature does not know the words either
        (false, true) => of_cause().or_else(of_frame),
        (false, false) => of_cause(),
    };
    catalogue.number(rule?.signature)
}

/// Returns true if one of a rule's writers wrote a record.
fn wrote(rule: &WriterRule, hit: &Hit) -> bool {
    if !hit.format.is_log() && hit.format != Format::Plain {
        return false;
    }
    let line = hit.place.text.as_str();
    let is_of_file = || {
        rule.files.iter().any(|file| {
            let at = line.find(file).map(|at| at + file.len());
            at.is_some_and(|end| line[end..].starts_with(':'))
        })
    };
    let says = || rule.words.is_empty() || rule.words.iter().any(|word| line.contains(word));
    (writers(hit).any(|writer| rule.writers.contains(&writer)) || is_of_file()) && says()
}

/// Returns the first rule about frames that applies to a record. The writer may be identified by a pod, a workload or a
/// part of their names (`longhorn` of `longhorn-manager`), or by a text that only this writer logs.
fn rule_of_frame(cause: &str, hit: &Hit) -> Option<&'static WriterRule> {
    // most causes occur in no rule
    if !RULES.of_frames.contains(cause) {
        return None;
    }
    let rules = kwhy_catalogue::writers();
    let is_of = |number: &usize| {
        let rule = rules.get(*number);
        rule.is_some_and(|rule| !rule.marks.is_empty() && rule.causes.contains(&cause))
    };
    let names = writers(hit).flat_map(names);
    let named = names.filter_map(|name| RULES.of_writer.get(name));
    let named = named.flatten().copied().filter(is_of);
    let text = hit.place.text.as_bytes();
    let bloom = Bloom::of([text]);
    let is_there = |mark: &Token| mark.may_occur(&bloom) && mark.occurs(text);
    let mut marked = RULES.marks.iter().filter(|(number, _)| is_of(number));
    let marked = marked.find(|(_, marks)| marks.iter().any(is_there));
    rules.get(named.chain(marked.map(|(number, _)| *number)).min()?)
}

/// The names that a writer may be listed under: its own and each leading part of it (`longhorn` for
/// `longhorn-manager`).
fn names(writer: &str) -> impl Iterator<Item = &str> {
    let parts = writer.match_indices(['-', '/', '.', ' ']);
    parts.map(|(end, _)| &writer[..end]).chain([writer])
}

/// The rules, indexed for lookup.
struct Rules {
    /// The rules about known wordings, by the causes that they change.
    of_cause: HashMap<&'static str, Vec<&'static WriterRule>>,
    /// The causes that rules about frames change.
    of_frames: HashSet<&'static str>,
    /// The numbers of the rules about frames, by writer.
    of_writer: HashMap<&'static str, Vec<usize>>,
    /// The texts that identify a writer, with the numbers of their rules about frames.
    marks: Vec<(usize, Vec<Token>)>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let mut of_cause: HashMap<&str, Vec<&WriterRule>> = HashMap::new();
    let mut of_writer: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut of_frames = HashSet::new();
    let mut marks = Vec::new();
    for (number, rule) in kwhy_catalogue::writers().iter().enumerate() {
        if rule.marks.is_empty() {
            for cause in rule.causes {
                of_cause.entry(cause).or_default().push(rule);
            }
        } else {
            of_frames.extend(rule.causes.iter().copied());
            for writer in rule.writers {
                of_writer.entry(writer).or_default().push(number);
            }
            let tokens = rule.marks.iter().map(|mark| Token::new(mark));
            marks.push((number, tokens.collect()));
        }
    }
    Rules {
        of_cause,
        of_frames,
        of_writer,
        marks,
    }
});
