//! Conditions over hits: all, any, sequence, none, at least, within.

use std::collections::HashSet;
use std::time::Duration;

use super::hit::{Hit, Moment};
use super::leaf::Capture;
use super::scope::related;
use crate::engine::Listed;
use crate::sort;
use kwhy_model::Subject;
use kwhy_signature::{Condition, Pattern, Scope, What};

/// Hits that together fulfil a condition; the one that proves most comes first.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub hits: Vec<Hit>,
    pub captures: Vec<Capture>,
}

impl Match {
    /// Creates the match of a single hit.
    pub fn of(hit: Hit) -> Match {
        Match {
            captures: hit.captures.clone(),
            hits: vec![hit],
        }
    }

    /// The hit that proves most.
    pub fn primary(&self) -> &Hit {
        &self.hits[0]
    }

    fn value<'m>(&'m self, name: &str) -> Option<&'m str> {
        self.captures
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns true if the other match does not capture a different value under the same name.
    fn unifies(&self, other: &Match) -> bool {
        self.captures.iter().all(|(name, value)| {
            name == "item" || other.value(name).is_none_or(|theirs| theirs == value)
        })
    }

    fn is_related(&self, other: &Match, scope: Scope) -> bool {
        self.hits
            .iter()
            .all(|mine| other.hits.iter().all(|theirs| related(mine, theirs, scope)))
    }

    /// The positions of its hits, sorted.
    fn records(&self) -> Vec<(usize, usize)> {
        let mut records: Vec<_> = self.hits.iter().map(Hit::position).collect();
        records.sort_unstable();
        records
    }

    /// Adds the details of another match.
    fn join(&mut self, other: &Match) {
        let further = self.hits.len();
        self.join_alike(other);
        for hit in self.hits.iter_mut().skip(further) {
            hit.leads = false;
        }
    }

    /// Adds another match of the same fault.
    fn join_alike(&mut self, other: &Match) {
        self.hits.extend(other.hits.iter().cloned());
        for (name, value) in &other.captures {
            if self.value(name).is_none() {
                self.captures.push((name.clone(), value.clone()));
            }
        }
    }

    fn lasts_at_most(&self, limit: Option<Duration>) -> bool {
        let Some(limit) = limit else { return true };
        let moments: Vec<Moment> = self
            .hits
            .iter()
            .flat_map(|hit| [hit.first, hit.last])
            .flatten()
            .collect();
        moments.iter().all(|a| {
            moments.iter().all(|b| {
                a.distance(b)
                    .is_none_or(|distance| distance <= limit.as_secs_f64())
            })
        })
    }

    /// Returns true if it does not start before the other one ends.
    fn follows(&self, earlier: &Match) -> bool {
        match (self.primary().last, earlier.primary().first) {
            (Some(mine), Some(theirs)) => match theirs.is_after(&mine) {
                Some(after) => !after,
                None => self.primary().position() >= earlier.primary().position(),
            },
            _ => self.primary().position() >= earlier.primary().position(),
        }
    }
}

/// Returns all matches of a condition, given the hits of its leaves in the order of [`leaves`](kwhy_signature::leaves)
/// and the kinds of which the input shows all objects.
pub(crate) fn evaluate(
    condition: &Condition,
    hits: &mut std::slice::Iter<'_, Vec<Hit>>,
    listed: &Listed,
) -> Vec<Match> {
    let is_temporal = condition.is_temporal();
    let mut matches = match &condition.what {
        _ if is_temporal => crate::temporal::matches(condition, hits),
        What::Event(_) | What::Object(_) => hits
            .next()
            .map(Vec::as_slice)
            .unwrap_or_default()
            .iter()
            .cloned()
            .map(Match::of)
            .collect(),
        What::Any(parts) => parts
            .iter()
            .flat_map(|part| evaluate(part, hits, listed))
            .collect(),
        What::All(parts) => together(condition, parts, (hits, listed), |_, _| true),
        What::Sequence(parts) => together(condition, parts, (hits, listed), |next, last| {
            next.follows(last)
        }),
    };
    matches.retain(|found| {
        condition
            .comparisons
            .iter()
            .all(|c| c.holds(|name| found.value(name)))
    });
    if condition.at_least > 1 && !is_temporal {
        matches = often(condition, matches);
    }
    enrich(condition, &mut matches, hits, listed);
    for absent in &condition.none {
        let refuting = evaluate(absent, hits, listed);
        if is_temporal {
            continue;
        }
        matches.retain(|found| {
            let namespace = found.primary().subject.namespace.as_deref();
            is_known(absent, namespace, |name| found.value(name), listed)
                && !refuting.iter().any(|other| {
                    found.is_related(other, condition.per)
                        && found.unifies(other)
                        && near(found, other, condition.within)
                        && compares_with(absent, other, found)
                })
        });
    }
    matches
}

/// Adds details to the matches of a condition; `hits` yields the hits of the leaves of its `also` first.
pub(crate) fn enrich(
    condition: &Condition,
    matches: &mut [Match],
    hits: &mut std::slice::Iter<'_, Vec<Hit>>,
    listed: &Listed,
) {
    for further in &condition.also {
        let known = evaluate(further, hits, listed);
        for found in matches.iter_mut() {
            let at = found.primary().position();
            if let Some(nearest) = nearest(condition, found, known.iter(), at) {
                found.join(nearest);
            }
        }
    }
}

/// Returns true if the input shows whether the object of an entry of `none` exists: all objects that could be it are
/// listed. `namespace` is that of the match it would refute, `value` returns its captures.
pub(crate) fn is_known<'v>(
    absent: &Condition,
    namespace: Option<&'v str>,
    value: impl Fn(&str) -> Option<&'v str>,
    listed: &Listed,
) -> bool {
    match &absent.what {
        What::Object(pattern) if pattern.complete => {
            let mut named = pattern.namespace.0.iter().flat_map(Pattern::slots);
            let namespace = match named.next() {
                Some(slot) => value(slot),
                None => namespace,
            };
            pattern.kind.0.iter().all(|kind| {
                let namespace = namespace.filter(|_| !Subject::is_of_cluster(kind));
                listed.lists(kind, namespace)
            })
        }
        _ => true,
    }
}

fn joined(a: &Match, b: &Match) -> Match {
    let mut both = a.clone();
    both.join(b);
    both
}

fn near(a: &Match, b: &Match, within: Option<Duration>) -> bool {
    within.is_none() || joined(a, b).lasts_at_most(within)
}

/// Returns true if the comparisons of an entry of `none` hold between its captures and those of the match.
fn compares_with(condition: &Condition, other: &Match, found: &Match) -> bool {
    let value = |name: &str| other.value(name).or_else(|| found.value(name));
    let mut comparisons = condition.open.iter();
    comparisons.all(|comparison| comparison.holds(value))
}

/// Returns true if the comparisons hold; while the match is incomplete, those whose values are known.
fn compares_well(condition: &Condition, found: &Match, complete: bool) -> bool {
    condition.comparisons.iter().all(|comparison| {
        let known = comparison
            .captures()
            .all(|name| found.value(name).is_some());
        (!complete && !known) || comparison.holds(|name| found.value(name))
    })
}

/// Returns the match nearest to a place among those that fit.
fn nearest<'m>(
    condition: &Condition,
    found: &Match,
    candidates: impl Iterator<Item = &'m Match>,
    at: (usize, usize),
) -> Option<&'m Match> {
    candidates
        .filter(|next| {
            found.is_related(next, condition.per)
                && found.unifies(next)
                && near(found, next, condition.within)
                && compares_well(condition, &joined(found, next), false)
        })
        .min_by_key(|next| {
            let (document, start) = next.primary().position();
            (document != at.0, start.abs_diff(at.1))
        })
}

/// Returns, for each match of the first part, its join with the nearest fitting match of every other part.
fn together(
    condition: &Condition,
    parts: &[Condition],
    (hits, listed): (&mut std::slice::Iter<'_, Vec<Hit>>, &Listed),
    in_order: impl Fn(&Match, &Match) -> bool,
) -> Vec<Match> {
    // every part must be evaluated, so that the leaves' hits stay in step
    let found: Vec<Vec<Match>> = parts
        .iter()
        .map(|part| evaluate(part, hits, listed))
        .collect();
    let Some((first, others)) = found.split_first() else {
        return Vec::new();
    };
    let mut matches = Vec::new();
    let mut seen = HashSet::new();
    for anchor in first {
        let mut whole = anchor.clone();
        let mut last = anchor;
        let complete = others.iter().all(|candidates| {
            let at = last.primary().position();
            let next = candidates.iter().filter(|next| in_order(next, last));
            let next = nearest(condition, &whole, next, at);
            match next {
                Some(next) => {
                    whole.join(next);
                    last = next;
                    true
                }
                None => false,
            }
        });
        // two equal parts find each other twice
        if complete && seen.insert(whole.records()) {
            matches.push(whole);
        }
    }
    matches
}

/// Groups matches by scope, and returns the groups with enough of them within the window, joined.
fn often(condition: &Condition, matches: Vec<Match>) -> Vec<Match> {
    let mut groups: Vec<Vec<Match>> = Vec::new();
    for found in matches {
        let group = groups
            .iter_mut()
            .find(|group| group[0].is_related(&found, condition.per));
        match group {
            Some(group) => group.push(found),
            None => groups.push(vec![found]),
        }
    }
    groups
        .into_iter()
        .filter_map(|group| enough(condition, group))
        .collect()
}

fn enough(condition: &Condition, mut group: Vec<Match>) -> Option<Match> {
    let wanted = condition.at_least;
    let time = |found: &Match| match found.primary().last {
        Some(Moment::At(stamp)) => stamp.nanos,
        Some(Moment::Ago(seconds)) => -i128::from(seconds) * 1_000_000_000,
        None => 0,
    };
    sort::by_key(&mut group, |found| {
        (time(found), found.primary().position())
    });
    for start in 0..group.len() {
        let mut seen = 0;
        for end in start..group.len() {
            if !near(&group[start], &group[end], condition.within) {
                break;
            }
            seen += group[end].primary().count;
            if seen >= wanted {
                // the whole group is one fault, and is reported as one match
                let mut whole = group.swap_remove(start);
                for other in &group {
                    whole.join_alike(other);
                }
                return Some(whole);
            }
        }
    }
    None
}
