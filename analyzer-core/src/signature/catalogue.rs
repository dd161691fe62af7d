//! A set of signatures, built in or read from YAML.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::error::SignatureError;
use super::grams::Grams;
use super::index::Index;
use super::need::needs;
use super::schema::Signature;
use super::{causes, check};

include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// A built-in signature as the build script laid it out.
#[derive(Debug)]
struct Builtin {
    id: &'static str,
    file: &'static str,
    yaml: &'static str,
    /// The checked signature; read when it is asked for.
    json: &'static str,
}

/// A set of signatures.
///
/// The built-in ones are checked when the crate is built and read one by one when they are asked
/// for, so an empty input costs next to nothing.
///
/// ```
/// use analyzer_core::Catalogue;
/// let mut catalogue = Catalogue::empty();
/// let error = catalogue.add_str("mine.yaml", "id: x\ncause: no/such\n").unwrap_err();
/// assert_eq!(error.line(), 2);
/// assert!(Catalogue::builtin().get("configmap-mount-missing").is_some());
/// ```
#[derive(Debug, Default)]
pub struct Catalogue {
    entries: Vec<Entry>,
    /// The ids of signatures that are not built in.
    by_id: HashMap<String, usize>,
}

#[derive(Debug)]
struct Entry {
    builtin: Option<&'static Builtin>,
    signature: OnceLock<Box<Signature>>,
}

impl Catalogue {
    /// A catalogue without signatures.
    pub fn empty() -> Catalogue {
        Catalogue::default()
    }

    /// The built-in signatures.
    pub fn builtin() -> Catalogue {
        let entries = BUILTIN.iter().map(|builtin| Entry {
            builtin: Some(builtin),
            signature: OnceLock::new(),
        });
        Catalogue {
            entries: entries.collect(),
            by_id: HashMap::new(),
        }
    }

    /// Adds the signatures of a YAML text: one, or several as documents.
    ///
    /// # Errors
    /// The first mistake, with its file, line and reason; nothing of the text is added then.
    pub fn add_str(&mut self, file: &str, yaml: &str) -> Result<(), SignatureError> {
        let documents = check::documents(yaml);
        let parts = documents
            .par_iter()
            .map(|document| check::read_document(file, yaml, document));
        let added = check::joined(file, yaml, parts.collect())?;
        if let Some(taken) = added.iter().find(|added| self.get(&added.id).is_some()) {
            return Err(SignatureError::taken(file, yaml, &taken.id));
        }
        for signature in added {
            self.by_id.insert(signature.id.clone(), self.entries.len());
            self.entries.push(Entry {
                builtin: None,
                signature: OnceLock::from(Box::new(signature)),
            });
        }
        Ok(())
    }

    /// How many signatures there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no signature.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The signatures: the built-in ones in the order of their files, then the others as added.
    pub fn signatures(&self) -> impl Iterator<Item = &Signature> {
        self.entries.iter().map(Entry::signature)
    }

    /// A signature by its id.
    pub fn get(&self, id: &str) -> Option<&Signature> {
        let built_in = || {
            let same = |entry: &Entry| entry.builtin.is_some_and(|builtin| builtin.id == id);
            self.entries.iter().position(same)
        };
        let at = self.by_id.get(id).copied().or_else(built_in)?;
        Some(self.entries[at].signature())
    }

    /// The signature with this number, in the order of [`Catalogue::signatures`].
    pub(crate) fn at(&self, number: usize) -> &Signature {
        self.entries[number].signature()
    }

    /// The index of all signatures.
    pub(crate) fn index(&self) -> Cow<'static, Index> {
        let is_builtin = |entry: &&Entry| entry.builtin.is_some();
        let builtin = self.entries.iter().take_while(is_builtin).count();
        let others = (0..).zip(&self.entries).skip(builtin);
        let mut needs = others
            .flat_map(|(number, entry)| needs(number, &entry.signature().condition))
            .peekable();
        match (builtin > 0, needs.peek().is_some()) {
            (true, false) => Cow::Borrowed(&INDEX),
            (true, true) => Cow::Owned(INDEX.joined(needs)),
            (false, _) => Cow::Owned(Index::new(needs, "")),
        }
    }

    /// What a cause means, in one line; `None` for an unknown id.
    pub fn cause(id: &str) -> Option<&'static str> {
        causes::description(id)
    }

    /// All causes that a signature may name, with their meaning, in order.
    pub fn causes() -> impl Iterator<Item = (&'static str, &'static str)> {
        causes::all()
    }
}

impl Entry {
    fn signature(&self) -> &Signature {
        self.signature.get_or_init(|| {
            let read = self.builtin.and_then(|builtin| {
                let mut signature: Signature = serde_json::from_str(builtin.json).ok()?;
                signature.file = builtin.file.into();
                signature.source = builtin.yaml.into();
                Some(signature)
            });
            // the build script read the same text with the same code
            Box::new(read.expect("a built-in signature was checked when the crate was built"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
id: config-gone
cause: storage/configmap-missing
severity: error
title: 'ConfigMap {name} is gone'
match:
  event: {reason: FailedMount, message: 'configmap \"{name}\" not found'}
why: it is mounted
";

    fn refused(yaml: &str) -> String {
        Catalogue::empty()
            .add_str("x.yaml", yaml)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn good_and_bad_files() {
        let mut catalogue = Catalogue::empty();
        catalogue.add_str("x.yaml", GOOD).unwrap();
        assert!(
            catalogue
                .add_str("y.yaml", GOOD)
                .unwrap_err()
                .to_string()
                .contains("y.yaml:1:5: the id")
        );
    }

    #[test]
    fn mistakes_have_a_place() {
        let cases = [
            (GOOD.replace("{name} is", "{nam} is"), "x.yaml:4:", "{nam}"),
            (
                GOOD.replace("storage/configmap-missing", "image/configmap-missing"),
                "x.yaml:2:",
                "container/configmap-missing",
            ),
            (
                GOOD.replace("{name}\" not", "{name\" not"),
                "x.yaml:6:",
                "not closed",
            ),
            (GOOD.replace("reason:", "reasn:"), "x.yaml:6:", "reasn"),
            (GOOD.replace("error", "grave"), "x.yaml:3:", "grave"),
            ("[".into(), "x.yaml:", ""),
            (String::new(), "x.yaml:1:1", "id"),
        ];
        for (yaml, place, says) in cases {
            let error = refused(&yaml);
            assert!(error.starts_with(place) && error.contains(says), "{error}");
        }
    }
}
