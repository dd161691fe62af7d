//! Decides which signatures may explain which others.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::report::{Level, Role};
use kwhy_catalogue::Catalogue;
use kwhy_signature::{Explains, Scope, Signature};

use super::super::causal_rules::{self, Effects, names, reach};
use super::{Group, hundredths};

/// The signatures of an input that may explain each other, with the scope of each rule.
pub(super) struct Rules {
    /// Indexed by the explained signature.
    of: Vec<OfSignature>,
}

/// The signatures that may explain one signature, sorted by index.
#[derive(Clone, Default)]
struct OfSignature {
    causes: Vec<(usize, Allowed)>,
    /// The signatures that name the same cause, with this signature's strength relative to each.
    same: Vec<(usize, Ordering)>,
    near: Vec<Near>,
}

/// A signature that may explain another one.
#[derive(Clone)]
pub(super) struct Near {
    pub signature: usize,
    /// The rule under which it explains the other, if it does.
    pub rule: Option<Allowed>,
    /// The relative strength of the other signature, if both may describe one fault in different
    /// words.
    pub same: Option<Ordering>,
}

/// The allowed distance between a symptom and its cause.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Allowed {
    pub on: Scope,
    /// True if the symptom is on another object, which depends on the one at fault.
    pub apart: bool,
    /// True if the mechanism affects every caller of the same host...
    pub at_host: bool,
    /// ... and nothing else.
    pub only_host: bool,
    /// True if by the mechanism two objects share only the host, whatever the signature says.
    pub host_decides: bool,
    /// True if by the mechanism only callers are affected, whatever the signature says.
    pub is_called: bool,
    /// True if a neighbour in the same log explains it only by quoting the error.
    pub quoting: bool,
    /// See [`Candidate::weak`](super::Candidate::weak).
    pub weak: bool,
    /// True if the signature itself states the relation.
    is_said: bool,
}

impl Rules {
    pub fn new(catalogue: &Catalogue, groups: &[Group]) -> Rules {
        let mut signatures: Vec<usize> = groups.iter().map(|group| group.signature).collect();
        signatures.sort_unstable();
        signatures.dedup();
        let mut of = vec![OfSignature::default(); signatures.last().map_or(0, |last| last + 1)];
        if signatures.len() < 2 {
            return Rules { of };
        }
        let mut effects: HashMap<&str, Effects> = HashMap::new();
        let known: Vec<NamedSignature<'_>> = signatures
            .iter()
            .map(|number| NamedSignature::new(*number, catalogue.at(*number)))
            .filter(|known| known.signature.role != Role::Benign)
            .collect();
        let mut said = HashSet::new();
        for one in &known {
            let cause = one.signature.cause.as_str();
            let effects = effects
                .entry(cause)
                .or_insert_with(|| causal_rules::effects(cause));
            let explains = !effects.is_empty() || !one.signature.explains.is_empty();
            for other in known.iter().filter(|other| other.number != one.number) {
                if cause == other.signature.cause {
                    let strength = strength(other.signature).cmp(&strength(one.signature));
                    of[other.number].same.push((one.number, strength));
                }
                if explains && let Some(rule) = allowed(one.signature, effects, other) {
                    if rule.is_said {
                        said.insert((one.number, other.number));
                    }
                    of[other.number].causes.push((one.number, rule));
                }
            }
        }
        // an explicit rule takes precedence over one that follows from its cause
        for (other, of) in of.iter_mut().enumerate() {
            of.causes
                .retain(|(one, rule)| rule.is_said || !said.contains(&(other, *one)));
        }
        for number in signatures {
            let near = near(&of, number);
            of[number].near = near;
        }
        Rules { of }
    }

    /// The signatures that may explain one, or describe the same fault, sorted by index.
    pub fn near(&self, symptom: usize) -> &[Near] {
        self.of.get(symptom).map_or(&[], |of| &of.near)
    }
}

/// The signatures that may explain one, or describe the same fault.
fn near(of: &[OfSignature], symptom: usize) -> Vec<Near> {
    let OfSignature { causes, same, .. } = &of[symptom];
    let all = causes.iter().map(|(one, _)| *one);
    let all: BTreeSet<usize> = all.chain(same.iter().map(|(one, _)| *one)).collect();
    let near = |one: usize| {
        let same = same.binary_search_by_key(&one, |(number, _)| *number).ok();
        Near {
            signature: one,
            rule: between(of, one, symptom),
            // a signature that explicitly explains another is not a rewording of it
            same: same
                .map(|at| of[symptom].same[at].1)
                .filter(|_| between(of, symptom, one).is_none()),
        }
    };
    all.into_iter().map(near).collect()
}

fn between(of: &[OfSignature], cause: usize, symptom: usize) -> Option<Allowed> {
    let causes = &of.get(symptom)?.causes;
    let at = causes.binary_search_by_key(&cause, |(number, _)| *number);
    at.ok().map(|at| causes[at].1)
}

/// The strength of a signature relative to others that name the same cause.
fn strength(signature: &Signature) -> (bool, bool, Level, i64) {
    let is_cause = signature.role == Role::Cause;
    let hundredths = hundredths(signature);
    (is_cause, !signature.generic, signature.severity, hundredths)
}

/// A signature that made a finding.
struct NamedSignature<'c> {
    number: usize,
    signature: &'c Signature,
    names: [Cow<'c, str>; 3],
}

impl<'c> NamedSignature<'c> {
    fn new(number: usize, signature: &'c Signature) -> NamedSignature<'c> {
        NamedSignature {
            number,
            signature,
            names: names(signature),
        }
    }
}

/// Returns the entries of `explains` that are redundant: the signature's mechanism explains the same in the same way
/// without them.
#[cfg(feature = "selftest")]
pub(crate) fn implied_explains<'s>(
    catalogue: &Catalogue,
    signature: &'s Signature,
) -> Vec<&'s Explains> {
    if signature.explains.is_empty() || signature.role == Role::Benign {
        return Vec::new();
    }
    let own_effects = causal_rules::effects(&signature.cause);
    let this = NamedSignature::new(0, signature);
    let is_implied = |entry: &Explains| {
        let covered = catalogue.signatures().filter(|other| {
            let is_named = entry.what == other.cause || entry.what == other.id;
            is_named && other.id != signature.id && other.role != Role::Benign
        });
        let mut covered = covered.peekable();
        let rest = || signature.explains.iter().filter(|rule| *rule != entry);
        covered.peek().is_some()
            && covered.all(|other| {
                let known = NamedSignature::new(0, other);
                let all = signature.explains.iter();
                let with = relation(signature, all, &own_effects, &known);
                let without = relation(signature, rest(), &own_effects, &known);
                // if two signatures explain each other, the one with the explicit rule wins
                let is_mutual = || {
                    let effects = causal_rules::effects(&other.cause);
                    relation(other, other.explains.iter(), &effects, &this).is_some()
                };
                match (with, without) {
                    (Some(with), Some(without)) => {
                        with == without
                            || (Allowed {
                                is_said: true,
                                ..without
                            } == with
                                && !is_mutual())
                    }
                    _ => false,
                }
            })
    };
    let entries = signature.explains.iter();
    entries.filter(|entry| is_implied(entry)).collect()
}

fn allowed(
    explaining: &Signature,
    effects: &Effects,
    explained: &NamedSignature<'_>,
) -> Option<Allowed> {
    relation(explaining, explaining.explains.iter(), effects, explained)
}

/// Returns how far the signature explains another one, by the given entries of its `explains` and the effects of its
/// cause.
fn relation<'s>(
    explaining: &Signature,
    entries: impl Iterator<Item = &'s Explains>,
    effects: &Effects,
    explained: &NamedSignature<'_>,
) -> Option<Allowed> {
    let names = &explained.names;
    let explained = explained.signature;
    let own = entries.filter(|rule| rule.what == explained.cause || rule.what == explained.id);
    let own = own.map(|rule| rule.on).max();
    let by_mechanism = reach(effects, names);
    Some(Allowed {
        on: own.max(by_mechanism.map(|reach| reach.on))?,
        apart: own.is_none() && by_mechanism.is_some_and(|reach| !reach.near),
        at_host: by_mechanism.is_some_and(|reach| reach.at_host),
        host_decides: by_mechanism
            .is_some_and(|reach| reach.at_host && (!reach.near || reach.on <= Scope::Owner)),
        only_host: own.is_none() && by_mechanism.is_some_and(|reach| !reach.near && !reach.called),
        is_called: by_mechanism.is_some_and(|reach| reach.called && !reach.near),
        quoting: explained.role == Role::Cause && causal_rules::is_quoting(&explained.cause),
        weak: own.is_none()
            && explaining.role == Role::Symptom
            && !answers_why(explaining, explained),
        is_said: own.is_some(),
    })
}
/// Returns true if a frame, which is reported only where nothing names a cause, says why a workload is in its state.
fn answers_why(explaining: &Signature, explained: &Signature) -> bool {
    explaining.is_frame() && explained.family() == "workload" && !explained.is_frame()
}
