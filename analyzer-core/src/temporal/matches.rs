//! Collects matches, up to `MAX_MATCHES`.

use super::compile::Plan;
use crate::matcher::{Hit, Match};
use crate::sort;

/// The maximum number of matches of one condition; the hits of further ones are counted as dropped.
pub(super) const MAX_MATCHES: usize = 1024;

#[derive(Clone, Debug, Default)]
pub(super) struct MatchCollector {
    pub matches: Vec<Match>,
    /// The number of hits dropped.
    pub dropped: u64,
}

impl MatchCollector {
    /// Adds the filled slots of an automaton, if they form a match.
    pub fn complete(
        &mut self,
        plan: &Plan,
        values: &[Option<String>],
        mut filled: Vec<(usize, &Hit)>,
    ) {
        sort::by_key(&mut filled, |(slot, _)| *slot);
        let mut captures: Vec<(usize, &(String, String))> = Vec::new();
        for (slot, hit) in &filled {
            for capture in &hit.captures {
                match captures.iter().find(|(_, (name, _))| *name == capture.0) {
                    None => captures.push((*slot, capture)),
                    // captures may differ between events of one part
                    Some((other, (name, value))) => {
                        if other != slot && name != "item" && *value != capture.1 {
                            return;
                        }
                    }
                }
            }
        }
        let value = |name: &str| {
            let known = captures.iter().find(|(_, (known, _))| known == name);
            known.map(|(_, (_, value))| value.as_str())
        };
        // another partition reports matches with fewer values
        let mut shared = plan.names.iter().zip(values);
        if !shared.all(|(name, known)| value(name) == known.as_deref()) {
            return;
        }
        let mut comparisons = plan.comparisons.iter();
        if !comparisons.all(|comparison| comparison.holds(value)) {
            return;
        }
        let captures = captures
            .into_iter()
            .map(|(_, capture)| capture.clone())
            .collect();
        let first = filled.first().map(|(slot, _)| *slot);
        let hits = filled.iter().map(|(slot, hit)| Hit {
            leads: Some(*slot) == first && hit.leads,
            ..(*hit).clone()
        });
        self.push(Match {
            hits: hits.collect(),
            captures,
        });
    }

    /// Adds events of one kind.
    pub fn add(&mut self, hits: Vec<Hit>) {
        let mut captures: Vec<(String, String)> = Vec::new();
        for (name, value) in hits.iter().flat_map(|hit| &hit.captures) {
            if !captures.iter().any(|(known, _)| known == name) {
                captures.push((name.clone(), value.clone()));
            }
        }
        self.push(Match { hits, captures });
    }

    fn push(&mut self, found: Match) {
        if found.hits.is_empty() {
            return;
        }
        if self.matches.len() < MAX_MATCHES {
            self.matches.push(found);
            return;
        }
        let leading = found.hits.iter().filter(|hit| hit.leads);
        let count = leading.map(|hit| hit.count).fold(0, u64::saturating_add);
        self.dropped = self.dropped.saturating_add(count);
    }
}
