//! Compiles `cre.yaml`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kwhy_signature::{Causes, SignatureError};

use super::yaml;

/// Checks that the cause of each rule exists, and returns the table as a constant, sorted by rule id.
pub fn compile(file: &str, text: &str, causes: &Causes) -> Result<String, SignatureError> {
    let rules: yaml::Pairs<String> = yaml::read(file, text)?;
    if let Some(id) = yaml::repeated(rules.0.iter().map(|(id, _)| id.as_str())) {
        let message = format!("{id:?} is empty or listed twice");
        return Err(SignatureError::about(file, text, id, message));
    }
    let rules: BTreeMap<String, String> = rules.0.into_iter().collect();
    let mut out = String::from("static COMMUNITY: &[(&str, &str)] = &[\n");
    for (id, cause) in &rules {
        let refused = |message| Err(SignatureError::about(file, text, id, message));
        if !id
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'-')
        {
            return refused(format!("{id:?} is not an id of a rule"));
        }
        if causes.meaning(cause).is_none() {
            return refused(format!("unknown cause {cause:?}"));
        }
        let _ = writeln!(out, "    ({id:?}, {cause:?}),");
    }
    out.push_str("];\n");
    Ok(out)
}
