//! Compiles `writers.yaml`.

use std::fmt::Write as _;

use kwhy_signature::SignatureError;
use serde::Deserialize;

use super::mechanisms::KnownNames;
use super::yaml;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    writers: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    marks: Vec<String>,
    causes: Vec<String>,
    signature: String,
}

/// Checks the rules about writers, and returns them as a constant.
pub fn compile(file: &str, text: &str, known: &KnownNames<'_>) -> Result<String, SignatureError> {
    let rules: Vec<Rule> = yaml::read(file, text)?;
    let mut out = String::from("static WRITERS: &[WriterRule] = &[\n");
    for rule in &rules {
        let Rule {
            writers,
            files,
            words,
            marks,
            causes,
            ..
        } = rule;
        let names = [writers, files, words, marks, causes];
        let repeated = names
            .iter()
            .find_map(|list| yaml::repeated(list.iter().map(String::as_str)));
        if let Some(name) = repeated {
            let message = format!("{name:?} is empty or listed twice");
            return Err(SignatureError::about(file, text, name, message));
        }
        let mut refusals = causes.iter().map(|name| (name, known.refuse_cause(name)));
        let refused = refusals.find(|(_, refused)| refused.is_some());
        let own = (&rule.signature, known.refuse_effect(&rule.signature));
        for (name, refused) in refused.into_iter().chain([own]) {
            if let Some(message) = refused {
                return Err(SignatureError::about(file, text, name, message));
            }
        }
        let signature = &rule.signature;
        let _ = writeln!(
            out,
            "    WriterRule {{ writers: &{writers:?}, files: &{files:?}, words: &{words:?}, marks: &{marks:?}, causes: &{causes:?}, signature: {signature:?} }},"
        );
    }
    out.push_str("];\n");
    Ok(out)
}
