//! Which signatures may explain which others.

use std::collections::HashSet;

use crate::report::Role;
use crate::signature::{Catalogue, Scope, Signature};

use super::super::mechanism::{Effects, Mechanisms, reach};
use super::Group;

/// Which signatures of an input explain which, and how far.
pub(super) struct Rules {
    /// By the number of the signature that is explained.
    of: Vec<OfSignature>,
}

/// What may explain a signature, in the order of numbers.
#[derive(Clone, Default)]
struct OfSignature {
    causes: Vec<(usize, Allowed)>,
    /// Those that name the same cause.
    same: Vec<usize>,
}

/// How far from its cause a symptom may lie.
#[derive(Clone, Copy)]
pub(super) struct Allowed {
    pub on: Scope,
    /// Whether it lies on another object, which depends on the one at fault.
    pub apart: bool,
    /// Whether by the mechanism whoever calls the same host suffers...
    pub at_host: bool,
    /// ... and nobody else.
    pub only_host: bool,
    /// Whether by the mechanism two objects share no more than the host, whatever the signature says.
    pub host_decides: bool,
    /// Whether by the mechanism only callers suffer, whatever the signature says.
    pub is_called: bool,
    /// See [`Candidate::weak`](super::Candidate::weak).
    pub weak: bool,
    /// Whether the signature says it itself.
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
        let mechanisms = Mechanisms::new();
        let mut said = HashSet::new();
        for &one in &signatures {
            let effects = mechanisms.effects(&catalogue.at(one).cause);
            for &other in signatures.iter().filter(|other| **other != one) {
                if catalogue.at(one).cause == catalogue.at(other).cause {
                    of[other].same.push(one);
                }
                if let Some(rule) = allowed(catalogue.at(one), &effects, catalogue.at(other)) {
                    if rule.is_said {
                        said.insert((one, other));
                    }
                    of[other].causes.push((one, rule));
                }
            }
        }
        // what a signature says of another counts over what would follow from that by its cause
        for (other, of) in of.iter_mut().enumerate() {
            of.causes
                .retain(|(one, rule)| rule.is_said || !said.contains(&(other, *one)));
        }
        Rules { of }
    }

    pub fn are_same(&self, one: usize, other: usize) -> bool {
        let of = self.of.get(other);
        of.is_some_and(|of| of.same.binary_search(&one).is_ok())
    }

    pub fn between(&self, cause: usize, symptom: usize) -> Option<Allowed> {
        let causes = &self.of.get(symptom)?.causes;
        let at = causes.binary_search_by_key(&cause, |(number, _)| *number);
        at.ok().map(|at| causes[at].1)
    }
}

fn allowed(explaining: &Signature, effects: &Effects, explained: &Signature) -> Option<Allowed> {
    if explaining.role == Role::Benign || explained.role == Role::Benign {
        return None;
    }
    let own = explaining
        .explains
        .iter()
        .filter(|rule| rule.what == explained.cause || rule.what == explained.id);
    let own = own.map(|rule| rule.on).max();
    let by_mechanism = reach(effects, explained);
    Some(Allowed {
        on: own.max(by_mechanism.map(|reach| reach.on))?,
        apart: own.is_none() && by_mechanism.is_some_and(|reach| !reach.near),
        at_host: by_mechanism.is_some_and(|reach| reach.at_host),
        host_decides: by_mechanism
            .is_some_and(|reach| reach.at_host && (!reach.near || reach.on <= Scope::Owner)),
        only_host: own.is_none() && by_mechanism.is_some_and(|reach| !reach.near && !reach.called),
        is_called: by_mechanism.is_some_and(|reach| reach.called && !reach.near),
        weak: own.is_none() && explaining.role == Role::Symptom,
        is_said: own.is_some(),
    })
}
