//! Hash tables for lookups of every object and record.
//!
//! Their hasher is cheaper than the standard library's and likewise keyed anew at each start, so that inputs cannot be
//! made to collide in every run.

use std::hash::{BuildHasher, Hash};
use std::sync::LazyLock;

use foldhash::fast::RandomState;

/// A hash map.
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;

/// A hash set.
pub(crate) type HashSet<T> = std::collections::HashSet<T, RandomState>;

/// A hash map that keeps insertion order.
pub(crate) type IndexMap<K, V> = indexmap::IndexMap<K, V, RandomState>;

/// Returns a hash that is the same throughout a run.
pub(crate) fn hash_one(value: impl Hash) -> u64 {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    KEY.hash_one(value)
}
