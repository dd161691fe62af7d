//! Who wrote a record decides to which family its fault belongs: a panic of the container runtime is the runtime's.
//!
//! `writers.yaml` says of which writers which causes are reported as another signature.

use std::collections::{HashMap, HashSet};

use super::Surplus;
use super::advice::writers;
use crate::matcher::{Hit, Match};
use kwhy_catalogue::{Catalogue, WriterRule};
use kwhy_model::Format;

/// Gives matches whose writer has a family of its own to that one's signature.
pub(super) fn name_family(
    catalogue: &Catalogue,
    matches: &mut Vec<(usize, Match)>,
    surplus: &mut [Surplus],
) {
    let mut numbers: HashMap<&str, Option<usize>> = HashMap::new();
    let mut number_of = |id: &'static str| {
        let find = || {
            catalogue
                .signatures()
                .position(|signature| signature.id == id)
        };
        *numbers.entry(id).or_insert_with(find)
    };
    let mut moved: HashMap<(usize, (usize, usize)), usize> = HashMap::new();
    for (number, found) in matches.iter_mut() {
        let signature = catalogue.at(*number);
        if signature.makes_no_finding() || signature.is_frame() {
            continue;
        }
        let hit = found.primary();
        let mut rules = kwhy_catalogue::writers().iter();
        let rule = rules.find(|rule| rule.causes.contains(&&*signature.cause) && wrote(rule, hit));
        if let Some(own) = rule.and_then(|rule| number_of(rule.signature)) {
            moved.insert((*number, hit.record_at()), own);
            *number = own;
        }
    }
    if moved.is_empty() {
        return;
    }
    // matches that were not kept are of the writer of those that were
    for more in surplus {
        let mut kept = more.kept.iter();
        if let Some(own) = kept.find_map(|record| moved.get(&(more.signature, *record))) {
            more.signature = *own;
        }
    }
    let mut seen = HashSet::new();
    matches.retain(|(number, found)| {
        seen.insert((*number, found.primary().record_at()))
            || !moved.values().any(|own| own == number)
    });
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
