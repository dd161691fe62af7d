//! Lints: problems in signatures that load and run nevertheless.

use super::condition::ConditionChecks;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::Proof;
use super::conflicts::Conflicts;
use super::location::line_of;
use super::run::{self, ExampleRun};
use crate::correlate::implied_explains;
use crate::parallel;
use crate::report::{Finding, Level, Role};
use crate::sort;
use kwhy_signature::advice;
use kwhy_signature::cre::CommunityRule;
use kwhy_signature::{GIVEN, Signature, SignatureError, What, leaves, placement};

/// The minimum number of positive and of negative examples.
const LEAST_EXAMPLES: usize = 2;

/// The folder of the built-in signatures.
const BUILTIN_FOLDER: &str = "kwhy-catalogue/signatures/";

/// The minimum length of literal text in a message pattern that nothing else narrows down.
const LEAST_LENGTH: usize = 12;

/// A problem in a signature that does not stop it from working.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Lint {
    /// The level.
    pub level: LintLevel,
    /// The kebab-case code of the problem.
    pub code: &'static str,
    /// The signature's id; empty if the file was refused.
    pub signature: String,
    /// Its file.
    pub file: String,
    /// The line concerned, counted from 1.
    pub line: usize,
    /// The field concerned, such as `match` or `examples.no_match`.
    pub field: &'static str,
    /// A description of the problem and how to fix it.
    pub message: String,
}

/// The severity of a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LintLevel {
    /// The signature works, but could be better.
    Warning,
    /// The problem must be fixed.
    Error,
}

impl LintLevel {
    /// The display name.
    pub fn name(self) -> &'static str {
        match self {
            LintLevel::Warning => "warning",
            LintLevel::Error => "error",
        }
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line, level) = (&self.file, self.line, self.level.name());
        write!(f, "{file}:{line}: {level}: ")?;
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        write!(f, "{} [{}]", self.message, self.code)
    }
}

impl From<&SignatureError> for Lint {
    fn from(error: &SignatureError) -> Lint {
        Lint {
            level: LintLevel::Error,
            code: "refused",
            signature: String::new(),
            file: error.file().to_owned(),
            line: error.line(),
            field: "",
            message: error.message().to_owned(),
        }
    }
}

/// The lints of one signature.
pub(super) struct Lints<'s> {
    pub signature: &'s Signature,
    found: Vec<Lint>,
}

impl Lints<'_> {
    pub fn add(
        &mut self,
        (level, code): (LintLevel, &'static str),
        (field, piece): (&'static str, &str),
        message: impl Into<String>,
    ) {
        let line = line_of(self.signature, field, piece);
        self.add_at((level, code), field, line, message);
    }

    pub fn add_at(
        &mut self,
        (level, code): (LintLevel, &'static str),
        field: &'static str,
        line: usize,
        message: impl Into<String>,
    ) {
        self.found.push(Lint {
            level,
            code,
            signature: self.signature.id.clone(),
            file: self.signature.file.to_string(),
            line,
            field,
            message: message.into(),
        });
    }
}

use LintLevel::{Error, Warning};

impl Proof<'_> {
    /// Returns the lints of the `wanted` signatures, sorted by signature and line. The named
    /// `healthy` inputs are free of faults, so any match in them is a false positive.
    pub fn lints(
        &self,
        wanted: impl Fn(&Signature) -> bool,
        healthy: &[(String, Vec<u8>)],
    ) -> Vec<Lint> {
        let mut of: BTreeMap<&str, Vec<&ExampleRun<'_>>> = BTreeMap::new();
        for run in &self.runs {
            of.entry(&run.signature.id).or_default().push(run);
        }
        let overlaps = self.overlaps();
        let conflicts = Conflicts::new(&overlaps);
        let alarms = self.alarms(healthy);
        let mut lints = Vec::new();
        for signature in self.analyzer.catalogue().signatures() {
            if !wanted(signature) {
                continue;
            }
            let mut of_this = Lints {
                signature,
                found: Vec::new(),
            };
            let runs = of.get(signature.id.as_str()).map_or(&[][..], Vec::as_slice);
            match &signature.community {
                Some(rule) => lint_rule(&mut of_this, rule, runs),
                None => {
                    self.lint_ids(&mut of_this);
                    lint_parts(&mut of_this);
                    lint_captures(&mut of_this);
                    lint_match(&mut of_this);
                    lint_examples(&mut of_this, runs);
                    conflicts.lint(&mut of_this, runs, self);
                }
            }
            for (place, _) in alarms.iter().filter(|(_, id)| *id == signature.id) {
                let message =
                    format!("it raises an alarm in {place}, where nothing is wrong; narrow it");
                of_this.add((Error, "healthy"), ("match", ""), message);
            }
            sort::by_key(&mut of_this.found, |lint| lint.line);
            lints.append(&mut of_this.found);
        }
        lints
    }

    fn lint_ids(&self, lints: &mut Lints<'_>) {
        let signature = lints.signature;
        let catalogue = self.analyzer.catalogue();
        let explained = signature
            .explains
            .iter()
            .map(|rule| ("explains", &rule.what));
        let ended = signature.ends.iter().map(|rule| ("ends", &rule.what));
        for (field, what) in explained.chain(ended) {
            let is_cause = what.contains('/') || (field == "ends" && what == "*");
            if !is_cause && catalogue.get(what).is_none() {
                let message = format!("{what:?} is neither a cause nor a signature");
                lints.add((Error, "unknown-id"), (field, what), message);
            }
        }
        if let Some((_, path)) = signature.file.rsplit_once(BUILTIN_FOLDER) {
            let expected = placement::expected(signature, path);
            if expected != path {
                let message = format!("this file belongs at {BUILTIN_FOLDER}{expected}");
                lints.add_at((Error, "misplaced"), "id", 1, message);
            }
        }
        for rule in implied_explains(catalogue, signature) {
            let message = format!("{:?} follows from the cause by mechanisms.yaml", rule.what);
            lints.add((Warning, "implied"), ("explains", &rule.what), message);
        }
        if signature.makes_no_finding() && signature.role != Role::Benign {
            let message = "what ends trouble makes no finding, so its role is benign";
            lints.add((Error, "ends-role"), ("role", ""), message);
        }
        for id in &signature.refines {
            if catalogue.get(id).is_none() {
                let message = format!("unknown signature {id:?}");
                lints.add((Error, "unknown-id"), ("refines", id), message);
            }
        }
    }

    /// Returns the false positives in the healthy inputs, as the location of the evidence and the signature.
    fn alarms(&self, healthy: &[(String, Vec<u8>)]) -> Vec<(String, String)> {
        let alarms = parallel::map(
            healthy.iter().collect(),
            |(name, bytes): &(String, Vec<u8>)| {
                let report = self.analyzer.analyze_text(name, bytes.as_slice());
                let findings = report.findings.into_iter();
                let severe =
                    findings.filter(|f| f.role != Role::Benign && f.severity >= Level::Warning);
                let place = |finding: Finding| {
                    let line = finding.evidence.first().map_or(1, |evidence| evidence.line);
                    (format!("{name}:{line}"), finding.signature)
                };
                severe.map(place).collect::<Vec<_>>()
            },
        );
        alarms.into_iter().flatten().collect()
    }
}

/// Lints a community rule: parts without effect, and logs whose outcome is not the expected one.
fn lint_rule(lints: &mut Lints<'_>, rule: &CommunityRule, runs: &[&ExampleRun<'_>]) {
    for note in &rule.notes {
        lints.add_at((Warning, "no-effect"), "", note.line, note.message.as_str());
    }
    for (key, text) in [("cause", &rule.cause), ("mitigation", &rule.mitigation)] {
        if text.as_ref().is_none_or(|text| text.trim().is_empty()) {
            let message = format!("it states no {key}");
            lints.add((Warning, "no-advice"), ("cre", ""), message);
        }
    }
    let mut conditions = Vec::new();
    leaves(&lints.signature.condition, &mut conditions);
    let is_lone = conditions.len() == 1;
    for condition in conditions {
        let What::Event(event) = &condition.what else {
            continue;
        };
        let Some(entry) = &event.entry else { continue };
        let text = entry.as_str();
        if entry.literals().is_empty() {
            let message = format!(
                "{text:?} demands no text of 3 characters or more, so each record of a large log is parsed for it"
            );
            lints.add((Warning, "boundless"), ("match", text), message);
        }
        if is_lone && entry.weight() < LEAST_LENGTH {
            let message = format!("{text:?} alone is short: other programs print it too");
            lints.add((Warning, "broad-pattern"), ("match", text), message);
        }
    }
    if !runs.iter().any(|run| run.wanted) {
        let message = "there is no test.log beside it in which it must be found";
        lints.add((Warning, "missing-examples"), ("", ""), message);
    }
    for run in runs {
        if let Some(failure) = &run.failure {
            let log = if run.wanted {
                "test.log"
            } else {
                "test-fp.log"
            };
            let message = format!("{log}: {failure}");
            lints.add((Error, "example-fails"), ("", ""), message);
        }
    }
}

/// Lints missing or faulty advice.
fn lint_parts(lints: &mut Lints<'_>) {
    let signature = lints.signature;
    let empty = |text: &str| text.trim().is_empty();
    if empty(signature.why.as_str()) {
        let message = "say how it comes about, in two sentences";
        lints.add((Error, "no-why"), ("why", ""), message);
    }
    if signature.role == Role::Cause {
        for (field, none) in [
            ("check", signature.check.is_empty()),
            ("fix", signature.fix.is_empty()),
        ] {
            if none {
                let message = format!("a cause needs a {field}");
                lints.add((Error, "no-advice"), (field, ""), message);
            }
        }
    }
    for error in advice::errors(signature) {
        let place = (error.field, error.piece.as_str());
        lints.add((Error, error.code), place, error.message);
    }
}

/// Lints values that are captured but not used, or used but not always captured.
fn lint_captures(lints: &mut Lints<'_>) {
    let signature = lints.signature;
    let mut captured = Vec::new();
    signature.condition.captures(&mut captured);
    let captured: BTreeSet<&str> = captured
        .into_iter()
        .filter(|name| *name != "item")
        .collect();
    for name in &captured {
        let mut templates = signature.templates();
        let shown = templates.any(|(_, template)| template.slots().any(|slot| slot == *name));
        let mut commands = signature.commands();
        let used = shown || commands.any(|(_, run)| run.slots().any(|(slot, _)| slot == *name));
        if !used && !signature.condition.uses(name) {
            let message =
                format!("{{{name}}} is captured and no text shows it; show it, or write {{_}}");
            let piece = format!("{{{name}");
            lints.add((Warning, "unused-capture"), ("match", &piece), message);
        }
    }
    let sure = signature.condition.sure_captures();
    let always = |slot: &str| {
        let of_image = slot == "registry" && sure.contains("image");
        slot == "count" || of_image || sure.contains(slot) || signature.condition.gives(slot)
    };
    let mut reported = BTreeSet::new();
    // parts of a subject are optional, and commands without a value are not shown
    let texts = signature.templates_people_read();
    for (field, template) in texts {
        let is_title = field == "title";
        for slot in template.bare_slots() {
            let known = always(slot) || (!is_title && GIVEN.contains(&slot));
            if !known && reported.insert((field, slot)) {
                let level = if is_title { Error } else { Warning };
                let message = format!(
                    "not every match captures {{{slot}}}; add a default, as in {{{slot}|words}}"
                );
                let piece = format!("{{{slot}");
                lints.add((level, "maybe-missing"), (field, &piece), message);
            }
        }
    }
    for (field, template) in [
        ("title", Some(&signature.title)),
        ("label", signature.label.as_ref()),
    ] {
        let Some(template) = template else { continue };
        let empty = template.fill(|slot| match template.is_bare(slot) {
            true => Some(slot.to_owned()),
            false => None,
        });
        let hole = empty.as_deref().and_then(hole);
        if let Some(hole) = hole {
            let message = format!(
                "without the values that may be missing it reads `{hole}`; write other words for them"
            );
            lints.add((Error, "hole"), (field, template.as_str()), message);
        }
    }
}

/// Returns the trace that a missing value leaves in a text, if any.
fn hole(text: &str) -> Option<&'static str> {
    let marks = ["  ", " ,", "()", "( ", " )", "\"\"", "::", " ?", "(?"];
    let open = || text.ends_with(':').then_some(":");
    let mut marks = marks.into_iter();
    marks.find(|mark| text.contains(mark)).or_else(open)
}

/// Lints conditions that match too much, or slow down large logs.
fn lint_match(lints: &mut Lints<'_>) {
    let signature = lints.signature;
    // a generic signature yields to all others, so it may require less
    let least = match signature.generic {
        true => LEAST_LENGTH / 2,
        false => LEAST_LENGTH,
    };
    for pattern in signature.condition.broad(least) {
        let pattern = pattern.as_str();
        let message = format!("{pattern:?} is too short on its own; add a reason or more text");
        lints.add((Error, "broad-pattern"), ("match", pattern), message);
    }
    for ((level, code), piece, message) in signature.condition.costs() {
        lints.add((level, code), ("match", &piece), message);
    }
}

/// Lints examples that are missing, fail, leave a value unfilled or join it to a word.
fn lint_examples(lints: &mut Lints<'_>, runs: &[&ExampleRun<'_>]) {
    for wanted in [true, false] {
        let field = run::field(wanted);
        let there = runs.iter().filter(|run| run.wanted == wanted).count();
        if there < LEAST_EXAMPLES {
            let message = match wanted {
                true => format!("{there} of {LEAST_EXAMPLES}; add one of another version or form"),
                false => format!(
                    "{there} of {LEAST_EXAMPLES}; add a text that is nearly the same and means something else"
                ),
            };
            lints.add((Error, "missing-examples"), (field, ""), message);
        }
    }
    let mut reported = BTreeSet::new();
    for run in runs {
        let field = run::field(run.wanted);
        if let Some(failure) = &run.failure {
            lints.add_at((Error, "example-fails"), field, run.line, failure.as_str());
        }
        let glued = run.glued.iter().filter(|_| run.wanted);
        for slot in glued.filter(|slot| reported.insert(("title", (*slot).clone()))) {
            let message = format!(
                "the title of this example runs a word and the value of {{{slot}}} together; write `: {{{slot}|}}` or `({{{slot}|}})`"
            );
            lints.add_at((Error, "glued"), field, run.line, message);
        }
        for (of, slot) in run.unfilled.iter().filter(|_| run.wanted) {
            if reported.insert((*of, slot.clone())) {
                let message = format!(
                    "the {of} of this example has no value for {{{slot}}}; write {{{slot}|words}} for where it is missing"
                );
                lints.add_at((Warning, "unfilled"), field, run.line, message);
            }
        }
    }
}
