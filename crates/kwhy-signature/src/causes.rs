//! The root causes that a signature may name.

use std::collections::{BTreeMap, HashSet};

use super::error::SignatureError;

/// Root causes by id (`family/name`), with their meanings in one line.
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
    /// Sorted by id.
    builtin: &'static [(&'static str, &'static str)],
    added: BTreeMap<String, String>,
}

impl Causes {
    /// Creates the causes of a table that is sorted by id.
    pub fn new(builtin: &'static [(&'static str, &'static str)]) -> Causes {
        Causes {
            builtin,
            added: BTreeMap::new(),
        }
    }

    /// Parses causes from text: a YAML mapping of `family/name` to meanings, one entry per line.
    ///
    /// ```
    /// use kwhy_signature::Causes;
    /// let causes = Causes::read("causes.yaml", "shop/cart-full: the cart takes no more").unwrap();
    /// assert_eq!(causes, [("shop/cart-full".into(), "the cart takes no more".into())]);
    /// let twice = "shop/shut: it is shut\n# again\nshop/shut: nobody is there\n";
    /// assert_eq!(Causes::read("causes.yaml", twice).unwrap_err().line(), 3);
    /// ```
    ///
    /// # Errors
    /// The first line that is not an entry, or whose id occurred before.
    pub fn read(file: &str, text: &str) -> Result<Vec<(String, String)>, SignatureError> {
        let mut ids = HashSet::new();
        let mut causes = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let refused = |message: String| SignatureError::new(file, text, (number, 1), message);
            let Some((id, meaning)) = entry(line) else {
                let message = "a cause is written `family/name: what it means`";
                return Err(refused(message.to_owned()));
            };
            if !ids.insert(id) {
                return Err(refused(format!("the cause {id:?} is given twice")));
            }
            causes.push((id.to_owned(), meaning));
        }
        Ok(causes)
    }

    /// Adds a cause, replacing one with the same id.
    pub fn add(&mut self, id: impl Into<String>, meaning: impl Into<String>) {
        self.added.insert(id.into(), meaning.into());
    }

    /// Returns the meaning of a cause; `None` for an unknown id.
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

    /// All causes with their meanings, sorted by id.
    pub fn all(&self) -> BTreeMap<&str, &str> {
        let mut all: BTreeMap<&str, &str> = self.builtin.iter().copied().collect();
        let added = self.added.iter();
        all.extend(added.map(|(id, meaning)| (id.as_str(), meaning.as_str())));
        all
    }
}

/// Parses the id and meaning of a line. An unquoted meaning is taken literally.
fn entry(line: &str) -> Option<(&str, String)> {
    let (id, meaning) = line.split_once(": ")?;
    let meaning = match meaning.trim_start() {
        quoted if quoted.starts_with(['\'', '"']) => serde_yaml::from_str(quoted).ok()?,
        plain => plain.to_owned(),
    };
    let is_id = id.contains('/') && !id.contains(char::is_whitespace);
    (is_id && !meaning.is_empty()).then_some((id, meaning))
}
