//! The root causes that a signature may name.

use std::collections::BTreeMap;

/// Root causes by their id (`family/name`), with what they mean in one line.
///
/// ```
/// use kwhy_signature::Causes;
/// static BUILTIN: &[(&str, &str)] = &[("node/disk-full", "a filesystem of the node is full")];
/// let mut causes = Causes::new(BUILTIN);
/// causes.add("shop/cart-full", "the cart takes no more");
/// assert_eq!(causes.meaning("shop/cart-full"), Some("the cart takes no more"));
/// assert_eq!(causes.ids().count(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Causes {
    /// In the order of their ids.
    builtin: &'static [(&'static str, &'static str)],
    added: BTreeMap<String, String>,
}

impl Causes {
    /// The causes of a table that is sorted by id.
    pub fn new(builtin: &'static [(&'static str, &'static str)]) -> Causes {
        Causes {
            builtin,
            added: BTreeMap::new(),
        }
    }

    /// Adds a cause. It replaces one with the same id.
    pub fn add(&mut self, id: impl Into<String>, meaning: impl Into<String>) {
        self.added.insert(id.into(), meaning.into());
    }

    /// What a cause means; `None` for an unknown id.
    pub fn meaning(&self, id: &str) -> Option<&str> {
        let builtin = || {
            let at = self.builtin.binary_search_by_key(&id, |(known, _)| known);
            at.ok().map(|at| self.builtin[at].1)
        };
        self.added.get(id).map(String::as_str).or_else(builtin)
    }

    /// The ids of all causes, in no particular order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let builtin = self.builtin.iter().map(|(id, _)| *id);
        builtin.chain(self.added.keys().map(String::as_str))
    }

    /// All causes with their meaning, in the order of their ids.
    pub fn all(&self) -> BTreeMap<&str, &str> {
        let mut all: BTreeMap<&str, &str> = self.builtin.iter().copied().collect();
        let added = self.added.iter();
        all.extend(added.map(|(id, meaning)| (id.as_str(), meaning.as_str())));
        all
    }
}
