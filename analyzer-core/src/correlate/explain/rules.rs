//! Which signatures may explain which others.

use std::collections::{HashMap, HashSet};

use crate::report::Role;
use crate::signature::{Catalogue, Scope, Signature};

use super::super::mechanism::{Effects, Mechanisms, reach};
use super::Group;

/// Which signatures of an input explain which, and how far.
pub(super) struct Rules {
    allowed: HashMap<(usize, usize), Allowed>,
    /// Pairs that name the same cause.
    same: HashSet<(usize, usize)>,
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
        if signatures.len() < 2 {
            return Rules {
                allowed: HashMap::new(),
                same: HashSet::new(),
            };
        }
        let mechanisms = Mechanisms::new();
        let mut rules = HashMap::new();
        let mut same = HashSet::new();
        for &one in &signatures {
            let effects = mechanisms.effects(&catalogue.at(one).cause);
            for &other in signatures.iter().filter(|other| **other != one) {
                if catalogue.at(one).cause == catalogue.at(other).cause {
                    same.insert((one, other));
                }
                let rule = allowed(catalogue.at(one), &effects, catalogue.at(other));
                if let Some(rule) = rule {
                    rules.insert((one, other), rule);
                }
            }
        }
        // what a signature says of another counts over what would follow from that by its cause
        let all = rules.clone();
        rules.retain(|(one, other), rule: &mut Allowed| {
            let back = all.get(&(*other, *one));
            rule.is_said || !back.is_some_and(|back| back.is_said)
        });
        Rules {
            allowed: rules,
            same,
        }
    }

    pub fn are_same(&self, one: usize, other: usize) -> bool {
        self.same.contains(&(one, other))
    }

    pub fn between(&self, cause: usize, symptom: usize) -> Option<Allowed> {
        self.allowed.get(&(cause, symptom)).copied()
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
