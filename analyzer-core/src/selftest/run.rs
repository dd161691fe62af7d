//! Runs one example against the whole catalogue.

use super::ExampleOutcome;
use super::location::line_of;
use crate::analyzer::Analyzer;
use crate::report::{Finding, Report, Role};
use kwhy_signature::{Example, Signature};

/// The result of running an example.
#[derive(Debug)]
pub(super) struct ExampleRun<'a> {
    pub signature: &'a Signature,
    pub example: &'a Example,
    /// True if the signature must match the example.
    pub wanted: bool,
    /// The line of the signature's file at which the example starts.
    pub line: usize,
    pub failure: Option<String>,
    /// The findings in order of rank.
    pub found: Vec<Found>,
    /// The ids of the signatures whose conditions are fulfilled, in order.
    pub matched: Vec<String>,
    /// The lines of the example that prove the signature's own finding, counted from 1.
    pub proved_at: Vec<u64>,
    /// The texts of the signature's own finding with a missing value: field and slot.
    pub unfilled: Vec<(&'static str, String)>,
    /// The slot of a value in the signature's own title that runs into the word before it.
    pub glued: Option<String>,
}

/// The relevant parts of a finding.
#[derive(Debug)]
pub(super) struct Found {
    pub signature: String,
    pub role: Role,
    /// The signature whose finding explains it.
    pub explained_by: Option<String>,
}

/// Returns the field that lists such examples.
pub(super) fn field(wanted: bool) -> &'static str {
    if wanted {
        "examples.match"
    } else {
        "examples.no_match"
    }
}

/// Runs a signature's examples.
pub(super) fn of<'a>(analyzer: &Analyzer, signature: &'a Signature) -> Vec<ExampleRun<'a>> {
    let examples = signature.examples();
    let analyzer = analyzer.clone().with_audit();
    let positive = examples.matching.iter().map(|example| (true, example));
    let negative = examples.no_match.iter().map(|example| (false, example));
    positive
        .chain(negative)
        .map(|(wanted, example)| {
            let report = analyzer.analyze_text("example", example.text.as_str());
            let own = report.findings.iter().find(|f| is_of(f, signature));
            ExampleRun {
                signature,
                example,
                wanted,
                line: line_of(signature, field(wanted), &example.text),
                failure: failure(&report, own, signature, wanted, example),
                proved_at: own.map_or(Vec::new(), |own| {
                    own.evidence.iter().map(|evidence| evidence.line).collect()
                }),
                glued: own.and_then(|own| glued(signature, own)),
                unfilled: own.map_or(Vec::new(), |own| unfilled(&analyzer, signature, own)),
                found: found(&report),
                matched: report.matched.into_keys().collect(),
            }
        })
        .collect()
}

/// Returns true if a finding is made by a signature, or by a community rule that joined it.
fn is_of(finding: &Finding, signature: &Signature) -> bool {
    let is_rule = |id: &str| id.eq_ignore_ascii_case(&signature.id);
    finding.signature == signature.id || finding.rules.iter().any(|rule| is_rule(&rule.id))
}

fn found(report: &Report) -> Vec<Found> {
    let by_rank = |rank: usize| report.findings.iter().find(|f| f.rank == rank);
    let found = report.findings.iter().map(|finding| Found {
        signature: finding.signature.clone(),
        role: finding.role,
        explained_by: finding
            .explained_by
            .and_then(by_rank)
            .map(|by| by.signature.clone()),
    });
    found.collect()
}

impl ExampleRun<'_> {
    /// The finding reported as the root cause.
    pub fn first_cause(&self) -> Option<&Found> {
        self.found.iter().find(|found| found.role == Role::Cause)
    }

    /// Returns the finding of a signature.
    pub fn finding_of(&self, signature: &str) -> Option<&Found> {
        self.found.iter().find(|found| found.signature == signature)
    }

    pub fn into_outcome(self) -> ExampleOutcome {
        ExampleOutcome {
            signature: self.signature.id.clone(),
            file: self.signature.file.to_string(),
            line: self.line,
            failure: self.failure,
        }
    }
}

fn failure(
    report: &Report,
    own: Option<&Finding>,
    signature: &Signature,
    wanted: bool,
    example: &Example,
) -> Option<String> {
    let matched = report.matched.contains_key(&signature.id);
    if signature.makes_no_finding() && matched {
        return (!wanted).then(|| "it should not match and does".into());
    }
    // a resolved finding does not count
    let is_rule = signature.community.is_some();
    let Some(own) = own.filter(|own| own.recovered.is_none() || is_rule) else {
        let others = found_instead(&report.findings);
        return wanted.then(|| match matched {
            true => format!(
                "it matches, and gives way{others}; say what it `refines`, or demand more text"
            ),
            false => format!("it should match and does not{others}"),
        });
    };
    if !wanted {
        return Some("it should not match and does".into());
    }
    // its log may show other faults too
    if is_rule {
        return None;
    }
    let wrong = example
        .captures
        .iter()
        .find(|(name, value)| own.captures.get(name.as_str()) != Some(*value));
    if let Some((name, value)) = wrong {
        let got = match own.captures.get(name.as_str()) {
            Some(got) => format!("{got:?}"),
            None => "nothing".into(),
        };
        return Some(format!(
            "it should capture {name}: {value:?}, and captured {got}"
        ));
    }
    let proves = |what: &String| {
        let mut findings = report.findings.iter();
        findings.any(|finding| finding.signature == *what || finding.cause == *what)
    };
    if let Some(missing) = example.also.iter().find(|what| !proves(what)) {
        return Some(format!("it should also prove {missing} and does not"));
    }
    let first = report
        .findings
        .iter()
        .find(|finding| finding.role == Role::Cause)?;
    let misled = signature.role == Role::Cause && first.cause != signature.cause;
    misled.then(|| format!("the first cause is {} ({})", first.cause, first.signature))
}

fn found_instead(findings: &[Finding]) -> String {
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

/// Returns the slot of a value in the title that runs into the word before it.
fn glued(signature: &Signature, finding: &Finding) -> Option<String> {
    let is_word = |slot: &&str| {
        let value = finding.captures.get(*slot);
        value.is_some_and(|value| value.starts_with(char::is_alphanumeric))
    };
    let mut slots = signature.title.slots_after_words();
    slots.find(is_word).map(str::to_owned)
}

/// Returns the titles or labels of a finding that could not be filled, each with the first value that may be missing.
fn unfilled(
    analyzer: &Analyzer,
    signature: &Signature,
    finding: &Finding,
) -> Vec<(&'static str, String)> {
    let meaning = analyzer.catalogue().cause(&signature.cause);
    let title = (meaning == Some(&finding.title)).then_some(("title", &signature.title));
    let has_label = finding.evidence.first().is_none_or(|e| e.label.is_some());
    let label = signature.label.as_ref().filter(|_| !has_label);
    let open = title.into_iter().chain(label.map(|label| ("label", label)));
    let slots = open.filter_map(|(field, template)| {
        let slot = template.bare_slots().next()?;
        Some((field, slot.to_owned()))
    });
    slots.collect()
}
