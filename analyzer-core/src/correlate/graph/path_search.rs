//! Searches the path from an object to one that it depends on.

use std::collections::{HashSet, VecDeque};

use super::topology::serves;
use super::{Edge, Graph, Named};
use crate::matcher::subjects_agree;
use kwhy_model::Subject;

/// The maximum number of steps between two objects.
const MAX_STEPS: usize = 4;

/// The maximum number of objects that a search visits.
const MAX_LOOKED_AT: usize = 256;

/// A visited object, and the step from which it was reached.
struct Step<'g> {
    document: usize,
    subject: &'g Subject,
    before: Option<usize>,
    verb: &'static str,
}

impl Graph {
    /// Returns the number of steps from an object to one that it depends on, and a description of
    /// the path.
    pub fn path(&self, from: &Named, to: &Named) -> Option<(usize, String)> {
        let mut reached: Vec<Step<'_>> = vec![Step {
            document: from.0,
            subject: &from.1,
            before: None,
            verb: "",
        }];
        let mut seen: HashSet<[Option<&str>; 3]> = HashSet::new();
        let mut open = VecDeque::from([(0, 0)]);
        while let Some((at, steps)) = open.pop_front() {
            let (document, here) = (reached[at].document, reached[at].subject);
            if steps > 0 && agree((document, here), (to.0, &to.1)) {
                return Some((steps, words(&reached, at)));
            }
            if steps == MAX_STEPS || reached.len() >= MAX_LOOKED_AT {
                continue;
            }
            let before = Some(at);
            if serves(here, &to.1) {
                reached.push(Step {
                    document: to.0,
                    subject: &to.1,
                    before,
                    verb: "is served by",
                });
                return Some((steps + 1, words(&reached, reached.len() - 1)));
            }
            for edge in self.of((document, here)) {
                let on = &edge.on;
                if seen.insert([&on.kind, &on.namespace, &on.name].map(Option::as_deref)) {
                    open.push_back((reached.len(), steps + 1));
                    reached.push(Step {
                        document: edge.document,
                        subject: on,
                        before,
                        verb: edge.verb,
                    });
                }
            }
        }
        None
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

/// Describes the path to an object that was reached.
fn words(reached: &[Step<'_>], to: usize) -> String {
    let mut steps = Vec::new();
    let mut at = to;
    while let Some(before) = reached.get(at).and_then(|step| step.before) {
        steps.push(at);
        at = before;
    }
    let mut text = reached
        .first()
        .map_or_else(String::new, |from| from.subject.to_string());
    for (number, step) in steps.into_iter().rev().enumerate() {
        let Step { subject, verb, .. } = &reached[step];
        let joint = if number == 0 { " " } else { ", which " };
        text += &format!("{joint}{verb} {subject}");
    }
    text
}
