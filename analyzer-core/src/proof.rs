//! Signatures prove themselves: their examples are run, and their files are read for mistakes
//! that do not stop them from working.

use std::fmt;

use rayon::prelude::*;

use crate::analyzer::Analyzer;
use crate::report::{Finding, Role};
use crate::signature::{Condition, Example, Need, SHORTEST, STARTS, Signature, What, leaves};

/// How much text a message pattern must demand if nothing else narrows it.
const LEAST_LENGTH: usize = 12;

/// What became of one example of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleOutcome {
    /// The signature's id.
    pub signature: String,
    /// Its file.
    pub file: String,
    /// The line of the example in the file, counted from 1.
    pub line: usize,
    /// What went wrong; `None` if nothing did.
    pub failure: Option<String>,
}

/// A mistake in a signature that does not stop it from working.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lint {
    /// The signature's id.
    pub signature: String,
    /// Its file.
    pub file: String,
    /// The line that it is about, counted from 1.
    pub line: usize,
    /// What is wrong, in a word with hyphens.
    pub code: &'static str,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: {} [{}]",
            self.file, self.line, self.message, self.code
        )
    }
}

impl Analyzer {
    /// Runs the examples of the catalogue's signatures, each against the whole catalogue.
    pub fn test_signatures(&self) -> Vec<ExampleOutcome> {
        self.test_signatures_of(|_| true)
    }

    /// Runs the examples of those signatures that are `wanted`, each against the whole catalogue.
    pub fn test_signatures_of(&self, wanted: impl Fn(&Signature) -> bool) -> Vec<ExampleOutcome> {
        let signatures = self.catalogue().signatures();
        let signatures: Vec<&Signature> = signatures.filter(|&signature| wanted(signature)).collect();
        signatures
            .par_iter()
            .flat_map_iter(|signature| self.test_signature(signature))
            .collect()
    }

    fn test_signature(&self, signature: &Signature) -> Vec<ExampleOutcome> {
        let examples = signature.examples();
        let positive = examples.matching.iter().map(|example| (true, example));
        let negative = examples.no_match.iter().map(|example| (false, example));
        positive
            .chain(negative)
            .map(|(wanted, example)| ExampleOutcome {
                signature: signature.id.clone(),
                file: signature.file.to_string(),
                line: line_of(signature, &example.text),
                failure: self.failure(signature, wanted, example),
            })
            .collect()
    }

    fn failure(&self, signature: &Signature, wanted: bool, example: &Example) -> Option<String> {
        let report = self.analyze_text("example", example.text.as_str());
        let own = report
            .findings
            .iter()
            .find(|finding| finding.signature == signature.id);
        let Some(own) = own else {
            let others = told(&report.findings);
            return wanted.then(|| format!("it should match and does not{others}"));
        };
        if !wanted {
            return Some("it should not match and does".into());
        }
        let wrong = example
            .captures
            .iter()
            .find(|(name, value)| own.captures.get(name.as_str()) != Some(*value));
        if let Some((name, value)) = wrong {
            let got = own.captures.get(name.as_str());
            return Some(format!(
                "it should capture {name}: {value:?}, and captured {got:?}"
            ));
        }
        let first = report
            .findings
            .iter()
            .find(|finding| finding.role == Role::Cause)?;
        let misled = signature.role == Role::Cause && first.cause != signature.cause;
        misled.then(|| format!("the first cause is {} ({})", first.cause, first.signature))
    }

    /// Reads the catalogue's signatures for mistakes.
    pub fn lint_signatures(&self) -> Vec<Lint> {
        let signatures = self.catalogue().signatures();
        signatures
            .flat_map(|signature| self.lint_signature(signature))
            .collect()
    }

    fn lint_signature(&self, signature: &Signature) -> Vec<Lint> {
        let mut lints = Vec::new();
        let mut add = |code, piece: &str, message: String| {
            lints.push(Lint {
                signature: signature.id.clone(),
                file: signature.file.to_string(),
                line: line_of(signature, piece),
                code,
                message,
            });
        };
        for (kind, wanted, there) in [
            ("match", 2, signature.examples().matching.len()),
            ("no_match", 2, signature.examples().no_match.len()),
        ] {
            if there < wanted {
                let message = format!("{there} of at least {wanted} examples under {kind}");
                add("missing-examples", "examples:", message);
            }
        }
        let mut captured = Vec::new();
        signature.condition.captures(&mut captured);
        for name in captured {
            let used = signature
                .templates()
                .any(|(_, template)| template.slots().any(|slot| slot == name));
            let tested = signature.condition.compares(name)
                || signature
                    .examples()
                    .matching
                    .iter()
                    .any(|example| example.captures.contains_key(name));
            if !used && !tested && name != "item" {
                let message = format!("{{{name}}} is captured and never used; write {{_}}");
                add("unused-capture", &format!("{{{name}"), message);
            }
        }
        for pattern in signature.condition.broad() {
            let message =
                format!("{pattern:?} is too short to stand for itself; add a reason or more text");
            add("broad-pattern", &pattern, message);
        }
        for (kind, message) in signature.condition.dear() {
            add(kind, "match:", message);
        }
        for rule in &signature.explains {
            let known = rule.what.contains('/') || self.catalogue().get(&rule.what).is_some();
            if !known {
                add(
                    "unknown-id",
                    &rule.what,
                    format!(
                        "it explains {:?}, which is no cause and no signature",
                        rule.what
                    ),
                );
            }
        }
        for id in &signature.refines {
            if self.catalogue().get(id).is_none() {
                add(
                    "unknown-id",
                    id,
                    format!("it refines {id:?}, which is no signature"),
                );
            }
        }
        if signature.role == Role::Cause && (signature.check.is_empty() || signature.fix.is_empty())
        {
            add("no-advice", "id:", "a cause needs a check and a fix".into());
        }
        lints
    }
}

impl Condition {
    fn compares(&self, name: &str) -> bool {
        let here = self
            .comparisons
            .iter()
            .any(|comparison| comparison.captures().any(|known| known == name));
        here || match &self.what {
            What::All(parts) | What::Any(parts) | What::Sequence(parts) => {
                parts.iter().any(|part| part.compares(name))
            }
            What::Event(_) | What::Object(_) => false,
        }
    }

    /// What makes large logs slow: conditions that no text announces, or a short one.
    fn dear(&self) -> Vec<(&'static str, String)> {
        let mut conditions = Vec::new();
        leaves(self, &mut conditions);
        let mut dear = Vec::new();
        for need in conditions.into_iter().map(Need::of) {
            if need.is_boundless() {
                let message = "every log record must be parsed for it; name `literals`, texts of which the message holds one";
                dear.push(("boundless", message.to_owned()));
            }
            let is_short =
                |text: &&String| text.len() < SHORTEST && !STARTS.contains(&text.as_str());
            dear.extend(need.raw.iter().filter(is_short).map(|text| {
                let message = format!(
                    "large logs are searched for {text:?} alone; with {SHORTEST} characters or more it would be found with all others"
                );
                ("short-text", message)
            }));
        }
        dear
    }

    /// Message patterns that demand too little text, in event patterns that demand nothing else.
    fn broad(&self) -> Vec<String> {
        match &self.what {
            What::Event(event) => {
                let narrowed = !event.reason.0.is_empty()
                    || !event.chain.is_empty()
                    || !event.fields.is_empty()
                    || !event.component.0.is_empty();
                let patterns = event.message.0.iter().filter(|_| !narrowed);
                patterns
                    .filter(|pattern| pattern.least_length() < LEAST_LENGTH)
                    .map(|pattern| pattern.as_str().to_owned())
                    .collect()
            }
            What::Object(_) => Vec::new(),
            What::All(parts) | What::Any(parts) | What::Sequence(parts) => {
                parts.iter().flat_map(Condition::broad).collect()
            }
        }
    }
}

fn line_of(signature: &Signature, piece: &str) -> usize {
    let first = piece.lines().next().unwrap_or(piece).trim();
    let at = signature.source.find(first).unwrap_or(0);
    signature.source[..at].matches('\n').count() + 1
}

fn told(findings: &[Finding]) -> String {
    let ids: Vec<&str> = findings
        .iter()
        .map(|finding| finding.signature.as_str())
        .collect();
    if ids.is_empty() {
        String::new()
    } else {
        format!("; found instead: {}", ids.join(", "))
    }
}
