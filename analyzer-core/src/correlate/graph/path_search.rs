//! Searches the path from an object to one that it depends on.

use std::collections::{HashMap, HashSet};

use super::topology::{may_be_served, serves};
use super::{Edge, Graph, Named};
use crate::matcher::subjects_agree;
use kwhy_model::Subject;

/// The maximum number of steps between two objects.
const MAX_STEPS: usize = 4;

/// The maximum number of objects that a search visits.
const MAX_LOOKED_AT: usize = 256;

/// An object that was reached, and the one that depends on it.
struct Reached<'g> {
    document: usize,
    subject: &'g Subject,
    before: Option<usize>,
    verb: &'static str,
    /// The number of steps to it.
    steps: usize,
    /// False if the search did not go beyond it.
    is_expanded: bool,
}

/// The objects that one object depends on, the nearest first.
pub(crate) struct Reach<'g> {
    all: Vec<Reached<'g>>,
    by_name: HashMap<&'g str, Vec<usize>>,
    /// The Services and Endpoints that the workload may serve although no edge says so.
    services: Vec<usize>,
}

impl Reach<'_> {
    /// Returns the number of steps to an object, and a description of the path.
    pub fn path_to(&self, to: &Named) -> Option<(usize, String)> {
        let of_name = self.by_name.get(to.1.name.as_deref()?);
        let same = of_name.into_iter().flatten().copied().find(|at| {
            let reached = &self.all[*at];
            reached.steps > 0 && agree((reached.document, reached.subject), (to.0, &to.1))
        });
        let service = self.services.iter().copied();
        let served = service
            .take_while(|at| same.is_none_or(|same| *at < same))
            .find(|at| serves(self.all[*at].subject, &to.1));
        if let Some(service) = served {
            let text = self.words(service);
            let joint = if service == 0 { " " } else { ", which " };
            return Some((
                self.all[service].steps + 1,
                format!("{text}{joint}is served by {}", to.1),
            ));
        }
        same.map(|at| (self.all[at].steps, self.words(at)))
    }

    /// Describes the path to an object that was reached.
    fn words(&self, to: usize) -> String {
        let mut steps = Vec::new();
        let mut at = to;
        while let Some(before) = self.all.get(at).and_then(|reached| reached.before) {
            steps.push(at);
            at = before;
        }
        let from = self.all.first();
        let mut text = from.map_or_else(String::new, |from| from.subject.to_string());
        for (number, at) in steps.into_iter().rev().enumerate() {
            let Reached { subject, verb, .. } = &self.all[at];
            let joint = if number == 0 { " " } else { ", which " };
            text += &format!("{joint}{verb} {subject}");
        }
        text
    }
}

impl Graph {
    /// Returns the number of steps from an object to one that it depends on, and a description of
    /// the path.
    pub fn path(&self, from: &Named, to: &Named) -> Option<(usize, String)> {
        self.reach(from).path_to(to)
    }

    /// Finds the objects that one depends on, breadth first.
    pub fn reach<'g>(&'g self, from: &'g Named) -> Reach<'g> {
        let mut all: Vec<Reached<'_>> = vec![Reached {
            document: from.0,
            subject: &from.1,
            before: None,
            verb: "",
            steps: 0,
            is_expanded: false,
        }];
        let mut seen: HashSet<[Option<&str>; 3]> = HashSet::new();
        let mut at = 0;
        while let Some(Reached {
            document,
            subject,
            steps,
            ..
        }) = all.get(at)
        {
            let (document, subject, steps) = (*document, *subject, *steps + 1);
            if steps <= MAX_STEPS && all.len() < MAX_LOOKED_AT {
                all[at].is_expanded = true;
                for edge in self.of((document, subject)) {
                    let on = &*edge.on;
                    if seen.insert([&on.kind, &on.namespace, &on.name].map(Option::as_deref)) {
                        all.push(Reached {
                            document: edge.document,
                            subject: on,
                            before: Some(at),
                            verb: edge.verb,
                            steps,
                            is_expanded: false,
                        });
                    }
                }
            }
            at += 1;
        }
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, reached) in all.iter().enumerate() {
            if let Some(name) = &reached.subject.name {
                by_name.entry(name).or_default().push(at);
            }
        }
        let is_service = |at: &usize| all[*at].is_expanded && may_be_served(all[*at].subject);
        let services = (0..all.len()).filter(is_service).collect();
        Reach {
            all,
            by_name,
            services,
        }
    }

    /// The edges from an object of a document.
    pub(super) fn of<'g>(&'g self, named: (usize, &'g Subject)) -> impl Iterator<Item = &'g Edge> {
        let name = named.1.name.as_deref().unwrap_or_default();
        let known = self.by_dependant.get(name).into_iter().flatten();
        known.filter(move |edge| agree((edge.document, &edge.dependant), named))
    }
}

/// Returns true if two objects, each of a document, may be the same.
fn agree(a: (usize, &Subject), b: (usize, &Subject)) -> bool {
    a.1.name.is_some() && b.1.name.is_some() && subjects_agree(a.1, b.1, a.0 == b.0, false)
}
