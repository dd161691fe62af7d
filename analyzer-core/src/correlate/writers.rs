//! Who wrote a record decides to which family its fault belongs: a panic of the container runtime is the runtime's.
//!
//! `writers.yaml` says of which writers which causes are reported as another signature.

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
    let mut rules = kwhy_catalogue::writers().iter();
    let is_frame = signature.is_frame();
    let rule = rules.find(|rule| {
        rule.marks.is_empty() != is_frame
            && rule.causes.contains(&&*signature.cause)
            && match is_frame {
                true => is_theirs(rule, hit),
                false => wrote(rule, hit),
            }
    })?;
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

/// Returns true if a record of unknown words is of one of a rule's writers, which may be known by a pod, a workload or
/// a part of theirs (`longhorn-manager` of `longhorn`), or by a text that only they write.
fn is_theirs(rule: &WriterRule, hit: &Hit) -> bool {
    let is_name = |writer: &str| {
        rule.writers.iter().any(|name| {
            let rest = writer.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '/', '.', ' ']))
        })
    };
    let line = hit.place.text.as_str();
    writers(hit).any(is_name) || rule.marks.iter().any(|mark| line.contains(mark))
}
