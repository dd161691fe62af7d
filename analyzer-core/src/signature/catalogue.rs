//! A set of signatures, built in or read from YAML.

use std::collections::HashMap;

use super::causes;
use super::error::SignatureError;
use super::schema::{GIVEN, Signature};

include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// A set of signatures.
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
    signatures: Vec<Signature>,
    by_id: HashMap<String, usize>,
}

impl Catalogue {
    /// A catalogue without signatures.
    pub fn empty() -> Catalogue {
        Catalogue::default()
    }

    /// The built-in signatures.
    ///
    /// # Panics
    /// Never: a test reads each built-in file, so none is refused here.
    pub fn builtin() -> Catalogue {
        let mut catalogue = Catalogue::empty();
        for (file, yaml) in BUILTIN {
            let added = catalogue.add_str(file, yaml);
            debug_assert!(added.is_ok(), "{added:?}");
        }
        catalogue
    }

    /// The built-in files' names and texts.
    pub fn builtin_files() -> &'static [(&'static str, &'static str)] {
        BUILTIN
    }

    /// Adds the signatures of a YAML text: one, or several as documents.
    ///
    /// # Errors
    /// The first mistake, with its file, line and reason; nothing of the text is added then.
    pub fn add_str(&mut self, file: &str, yaml: &str) -> Result<(), SignatureError> {
        let mut added = Vec::new();
        for document in serde_yaml::Deserializer::from_str(yaml) {
            let mut signature = <Signature as serde::Deserialize>::deserialize(document)
                .map_err(|error| SignatureError::from_yaml(file, yaml, &error))?;
            check(&signature)
                .map_err(|(piece, message)| SignatureError::about(file, yaml, &piece, message))?;
            let twice = self.by_id.contains_key(&signature.id)
                || added
                    .iter()
                    .any(|other: &Signature| other.id == signature.id);
            if twice {
                let message = format!("the id {:?} is taken", signature.id);
                return Err(SignatureError::about(file, yaml, &signature.id, message));
            }
            signature.file = file.to_owned();
            signature.source = yaml.to_owned();
            added.push(signature);
        }
        if added.is_empty() {
            return Err(SignatureError::new(
                file,
                yaml,
                (1, 1),
                "no signature in the file".into(),
            ));
        }
        for signature in added {
            self.by_id
                .insert(signature.id.clone(), self.signatures.len());
            self.signatures.push(signature);
        }
        Ok(())
    }

    /// The signatures in the order added.
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// A signature by its id.
    pub fn get(&self, id: &str) -> Option<&Signature> {
        self.by_id.get(id).map(|at| &self.signatures[*at])
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

/// Checks that need the whole signature; the error names the piece of text it is about.
fn check(signature: &Signature) -> Result<(), (String, String)> {
    let id = &signature.id;
    let proper = id
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if id.is_empty() || !proper {
        return Err((
            id.clone(),
            format!("the id {id:?} must be lower-case words with hyphens"),
        ));
    }
    if let Some(confidence) = signature.confidence
        && !(0.0..=1.0).contains(&confidence)
    {
        return Err((
            "confidence".into(),
            "a confidence lies between 0 and 1".into(),
        ));
    }
    let mut captured = Vec::new();
    signature.condition.captures(&mut captured);
    for (what, template) in signature.templates() {
        let known = |slot: &str| GIVEN.contains(&slot) || captured.contains(&slot);
        if let Some(slot) = template.slots().find(|slot| !known(slot)) {
            let message = format!("the {what} uses {{{slot}}}, which nothing captures");
            return Err((format!("{{{slot}"), message));
        }
    }
    Ok(())
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
