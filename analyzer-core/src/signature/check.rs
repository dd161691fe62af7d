//! From a file's text to signatures, with every mistake refused at its place.

use std::collections::HashSet;
use std::sync::Arc;

use super::error::SignatureError;
use super::schema::{GIVEN, Signature};
use super::temporal::MISPLACED;

/// Reads the signatures of a YAML text: one, or several as documents.
///
/// # Errors
/// The first mistake, with its line and reason.
pub(crate) fn read(file: &str, yaml: &str) -> Result<Vec<Signature>, SignatureError> {
    let mut signatures: Vec<Signature> = Vec::new();
    let mut ids = HashSet::new();
    let text: Arc<str> = yaml.into();
    for document in serde_yaml::Deserializer::from_str(yaml) {
        let mut signature = <Signature as serde::Deserialize>::deserialize(document)
            .map_err(|error| SignatureError::from_yaml(file, yaml, &error))?;
        check(&signature)
            .map_err(|(piece, message)| SignatureError::about(file, yaml, &piece, message))?;
        if !ids.insert(signature.id.clone()) {
            return Err(SignatureError::taken(file, yaml, &signature.id));
        }
        signature.file = file.to_owned().into();
        signature.source = Arc::clone(&text);
        signatures.push(signature);
    }
    if signatures.is_empty() {
        let message = "no signature in the file".to_owned();
        return Err(SignatureError::about(file, yaml, "", message));
    }
    Ok(signatures)
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
    if signature.condition.reach.is_some() {
        return Err(("match".into(), MISPLACED.into()));
    }
    let mut patterns = Vec::new();
    signature.condition.patterns(&mut patterns);
    for pattern in patterns {
        let source = pattern.as_str();
        let refused = |message| (source.to_owned(), format!("{source:?}: {message}"));
        pattern.check().map_err(refused)?;
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
