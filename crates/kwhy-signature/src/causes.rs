//! The root causes that a finding may name.

include!(concat!(env!("OUT_DIR"), "/causes.rs"));

/// What a cause means, in one line; `None` for an unknown id.
pub(crate) fn description(id: &str) -> Option<&'static str> {
    CAUSES
        .binary_search_by_key(&id, |(known, _)| known)
        .ok()
        .map(|at| CAUSES[at].1)
}

/// All causes in order of their ids.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    CAUSES.iter().copied()
}
