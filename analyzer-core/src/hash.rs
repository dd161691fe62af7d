//! Tables by hash for what every object and record is looked up in.
//!
//! Their hasher is cheaper than the standard library's, and keyed at each start as that is: what collides in one run does not in the
//! next.

use std::hash::{BuildHasher, Hash};
use std::sync::LazyLock;

use foldhash::fast::RandomState;

/// A map by hash.
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;

/// A set by hash.
pub(crate) type HashSet<T> = std::collections::HashSet<T, RandomState>;

/// A map in the order in which its keys came.
pub(crate) type IndexMap<K, V> = indexmap::IndexMap<K, V, RandomState>;

/// A hash that is the same throughout a run.
pub(crate) fn hash_one(value: impl Hash) -> u64 {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    KEY.hash_one(value)
}
