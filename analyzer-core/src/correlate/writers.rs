//! Who wrote a record decides to which family its fault belongs: a panic of the container runtime is the runtime's.
//!
//! `writers.yaml` says of which writers which causes are reported as another signature.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::advice::writers;
use crate::matcher::Hit;
use kwhy_catalogue::{Catalogue, WriterRule};
use kwhy_model::Format;

/// The number of the signature that a match is reported as because of who wrote its record, if that is another one.
pub(crate) fn signature_of_writer(
    catalogue: &Catalogue,
    number: usize,
    hit: &Hit,
) -> Option<usize> {
    let signature = catalogue.at(number);
    if signature.makes_no_finding() {
        return None;
    }
    let rule = match signature.is_frame() {
        true => rule_of_frame(&signature.cause, hit)?,
        false => kwhy_catalogue::writers().iter().find(|rule| {
            rule.marks.is_empty() && rule.causes.contains(&&*signature.cause) && wrote(rule, hit)
        })?,
    };
    catalogue.number(rule.signature)
}

/// Returns true if a record is of one of a rule's writers.
fn wrote(rule: &WriterRule, hit: &Hit) -> bool {
    if !hit.format.is_log() && hit.format != Format::Plain {
        return false;
    }
    let line = hit.place.text.as_str();
    let says = rule.words.is_empty() || rule.words.iter().any(|word| line.contains(word));
    let is_of_file = || {
        rule.files.iter().any(|file| {
            let at = line.find(file).map(|at| at + file.len());
            at.is_some_and(|end| line[end..].starts_with(':'))
        })
    };
    says && (writers(hit).any(|writer| rule.writers.contains(&writer)) || is_of_file())
}

/// The first rule about frames that a record of unknown words is of. Its writer may be known by a pod, a workload or a
/// part of theirs (`longhorn-manager` of `longhorn`), or by a text that only they write.
fn rule_of_frame(cause: &str, hit: &Hit) -> Option<&'static WriterRule> {
    let rules = kwhy_catalogue::writers();
    let is_of = |rule: &WriterRule| !rule.marks.is_empty() && rule.causes.contains(&cause);
    let named = rules
        .iter()
        .position(|rule| is_of(rule) && writers(hit).any(|writer| is_named(rule, writer)));
    let marks = MARKS.as_ref();
    let marked = marks.and_then(|(marks, owners)| {
        let found = marks.find_overlapping_iter(&hit.place.text);
        let owners = found.filter_map(|mark| owners.get(mark.pattern().as_usize()).copied());
        owners
            .filter(|owner| rules.get(*owner).is_some_and(is_of))
            .min()
    });
    rules.get(named.into_iter().chain(marked).min()?)
}

/// The marks of all rules, searched for at once, and the rule of each.
static MARKS: LazyLock<Option<(AhoCorasick, Vec<usize>)>> = LazyLock::new(|| {
    let rules = kwhy_catalogue::writers().iter().enumerate();
    let marks = rules.flat_map(|(number, rule)| rule.marks.iter().map(move |mark| (*mark, number)));
    let (marks, owners): (Vec<&str>, Vec<usize>) = marks.unzip();
    Some((AhoCorasick::new(marks).ok()?, owners))
});

fn is_named(rule: &WriterRule, writer: &str) -> bool {
    rule.writers.iter().any(|name| {
        let rest = writer.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '/', '.', ' ']))
    })
}
