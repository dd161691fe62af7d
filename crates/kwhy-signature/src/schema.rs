//! The schema of a signature's YAML file.

mod examples;
mod steps;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::causes::Causes;
use super::command::{CommandTemplate, ValueType};
use super::condition::{Condition, Scope};
use super::cre::CommunityRule;
use super::one_or_many::OneOrMany;
use super::template::Template;
use kwhy_model::{Level, Role};

pub use examples::{Example, Examples};
#[cfg(feature = "schema")]
pub(crate) use steps::RawCheck;
pub use steps::{CheckTemplate, FixTemplate, StepTemplate};

/// A pattern over events and objects with the root cause that it proves.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Signature {
    /// The id: lower-case words with hyphens, unique in a catalogue.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = "^[a-z0-9-]+$")))]
    pub id: String,
    /// The cause that it proves.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = "^[^/ ]+/[^/ ]+$")))]
    pub cause: String,
    /// Its role: a root cause, a symptom of one, or benign.
    #[serde(default = "role_cause")]
    pub role: Role,
    /// The role of a symptom that nothing explains; `cause` by default.
    #[serde(default = "role_cause")]
    pub alone: Role,
    /// The severity.
    pub severity: Level,
    /// The confidence of a match, from 0 to 1.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub confidence: Option<f64>,
    /// The fault in one line.
    pub title: Template,
    /// A short annotation of the marked text.
    #[serde(default)]
    pub label: Option<Template>,
    /// The object at fault, if it is not the event's own.
    #[serde(default)]
    pub subject: Option<SubjectTemplate>,
    /// The condition to match.
    #[serde(rename = "match")]
    pub condition: Condition,
    /// The causes whose findings it explains.
    #[serde(default)]
    pub explains: Vec<Explains>,
    /// The findings that it shows to be resolved; it makes no finding itself.
    #[serde(default)]
    pub ends: Vec<Ends>,
    /// Pods that the affected object cannot work without: their faults explain it.
    #[serde(default)]
    pub needs: Vec<Needs>,
    /// Commands to suggest if it matches and no cause is certain; it makes no finding itself.
    #[serde(default)]
    pub collect: Vec<CheckTemplate>,
    /// Signatures that it supersedes if both match the same event.
    #[serde(default)]
    pub refines: Vec<String>,
    /// The families of causes that a record of its operation may prove: it supersedes matches of other families on the
    /// same event, whose words concern only a step of that operation. Any family by default.
    #[serde(default)]
    pub families: Vec<String>,
    /// True if it represents errors of any wording: any other cause proved by the same record takes precedence, unless
    /// this signature refines it.
    #[serde(default)]
    pub generic: bool,
    /// The part of a fault that it knows.
    #[serde(default)]
    pub tier: Tier,
    /// True if the severity applies at whatever level the writer logs the record. Otherwise a finding whose records are
    /// all logged as information is reported as information.
    #[serde(default)]
    pub at_any_level: bool,
    /// True if what it shows is a fault only if something suffers from it. A finding that explains nothing is a note,
    /// which is reported only in an audit.
    #[serde(default)]
    pub audit: bool,
    /// Captures that distinguish faults: findings that agree in them are one, whatever their
    /// objects. All captures by default.
    #[serde(default)]
    pub fold: Option<Vec<String>>,
    /// The capture with the number of objects concerned: of equally confident causes, the one that concerns more ranks
    /// first.
    #[serde(default)]
    pub extent: Option<String>,
    /// The capture with the time at which the fault started, which may be long before it was seen, such as a
    /// certificate's expiry.
    #[serde(default)]
    pub since: Option<String>,
    /// The mechanism, in about two sentences.
    pub why: Template,
    /// Read-only checks.
    #[serde(default)]
    pub check: Vec<CheckTemplate>,
    /// Fixes.
    #[serde(default)]
    pub fix: Vec<FixTemplate>,
    /// The types of values in commands, if a slot's name does not determine them.
    #[serde(default)]
    pub values: BTreeMap<String, ValueType>,
    /// Links for further reading.
    #[serde(default)]
    pub references: Vec<String>,
    /// The affected versions, as text.
    #[serde(default)]
    pub versions: Option<String>,
    /// The description of the problem in a community rule, if the signature is made from one.
    #[serde(default, rename = "cre")]
    pub community: Option<Box<CommunityRule>>,
    /// Texts that it must and must not match: its tests.
    #[serde(default, deserialize_with = "read_examples")]
    #[cfg_attr(feature = "schema", schemars(with = "Examples"))]
    examples: OnceLock<Examples>,
    /// The file that it was read from.
    #[serde(skip)]
    pub file: Cow<'static, str>,
    /// The file's text.
    #[serde(skip, default = "no_source")]
    pub source: SourceText,
}

/// The text of a signature's file. That of a built-in signature is unpacked on demand.
pub type SourceText = LazyLock<Arc<str>, Box<dyn FnOnce() -> Arc<str> + Send>>;

fn no_source() -> SourceText {
    read_source("".into())
}

/// Wraps a text that has been read.
pub(crate) fn read_source(text: Arc<str>) -> SourceText {
    LazyLock::new(Box::new(move || text))
}

/// The part of a fault that a signature knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Tier {
    /// The words of the fault.
    #[default]
    Fault,
    /// Only what surrounds the words. It counts only if nothing else answers.
    Frame,
}

/// The object at fault, with captured values.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Subject"))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SubjectTemplate {
    /// The kind.
    pub kind: Template,
    /// The namespace; the event's own by default.
    #[serde(default)]
    pub namespace: Option<Template>,
    /// The name.
    pub name: Template,
}

/// A cause whose findings a signature explains.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explains {
    /// The cause, or a signature's id.
    pub what: String,
    /// The scope that the two must share.
    pub on: Scope,
}

/// Pods that an object cannot work without.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Needs {
    /// Their name, up to a `*`; without a `*`, a name that shares two words with theirs.
    pub pod: Template,
    /// The required location: on the same node, or anywhere.
    #[serde(default = "anywhere")]
    pub on: Scope,
}

fn anywhere() -> Scope {
    Scope::Input
}

/// Findings that a signature shows to be resolved.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Ends {
    /// The cause, a family of causes (`scheduling/*`), any (`*`), or a signature's id.
    #[serde(rename = "cause")]
    pub what: String,
    /// The scope that the two must share.
    #[serde(default)]
    pub on: Scope,
    /// Captures that must be equal if both have them.
    #[serde(default)]
    pub same: Vec<String>,
    /// Restricts it to findings last reported with one of these event reasons; any if empty.
    #[serde(default)]
    pub reason: OneOrMany<String>,
    /// True if what it shows cannot be the case while the fault lasts, however recently the fault was seen: a bound
    /// claim is not waiting to be bound.
    #[serde(default)]
    pub at_once: bool,
}

fn read_examples<'de, D: Deserializer<'de>>(from: D) -> Result<OnceLock<Examples>, D::Error> {
    Examples::deserialize(from).map(OnceLock::from)
}

/// The part of a file that the compiled catalogue omits.
#[derive(Deserialize)]
struct WithExamples {
    id: String,
    #[serde(default)]
    examples: Examples,
}

fn role_cause() -> Role {
    Role::Cause
}

struct ExplainsVisitor;

impl<'de> Visitor<'de> for ExplainsVisitor {
    type Value = Explains;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cause, or {cause, on: subject|owner|node|namespace|source|input}")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Explains, E> {
        Ok(Explains {
            what: value.to_owned(),
            on: Scope::Owner,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Explains, A::Error> {
        let mut what = None;
        let mut on = Scope::Owner;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "cause" => what = Some(map.next_value::<String>()?),
                "on" => on = map.next_value()?,
                other => return Err(A::Error::custom(format!("unknown field {other:?}"))),
            }
        }
        let what = what.ok_or_else(|| A::Error::custom("missing field `cause`"))?;
        Ok(Explains {
            on,
            ..self.visit_str(&what)?
        })
    }
}

impl<'de> Deserialize<'de> for Explains {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExplainsVisitor)
    }
}

/// Names that templates may use without capturing them: they come from the event's subject and the
/// finding.
pub const GIVEN: &[&str] = &[
    "subject",
    "kind",
    "namespace",
    "name",
    "node",
    "container",
    "pod",
    "count",
    "component",
    "reason",
    "source",
    "owner",
];

/// Returns the message of an error without the place in a text that nobody wrote.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&place).unwrap_or(&message).to_owned()
}

impl Signature {
    /// Reads a signature from JSON that is trusted, without its file and its text: nothing is checked, and its depth is not
    /// limited. All callers share one instance of what serde makes for this type: 0.1 MB.
    ///
    /// # Errors
    /// The text is not JSON, or is not a signature.
    #[inline(never)]
    pub fn unchecked(json: &str) -> Result<Signature, serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_str(json);
        // rules may nest deeper than this reader's limit; their own was tested before
        reader.disable_recursion_limit();
        let signature = serde::Deserialize::deserialize(&mut reader)?;
        reader.end()?;
        Ok(signature)
    }

    /// Reads a signature from JSON.
    ///
    /// # Errors
    /// Returns a description of the problem.
    pub(crate) fn from_json(
        file: &str,
        value: serde_json::Value,
        causes: &Causes,
    ) -> Result<Signature, String> {
        // through a text: what reads values themselves would be a third instance of all that reads signatures
        let mut signature =
            Signature::unchecked(&value.to_string()).map_err(|error| without_place(&error))?;
        super::check::check(&signature, causes).map_err(|(_, message)| message)?;
        signature.file = file.to_owned().into();
        // it has no examples, so its text need not be parsed for them
        signature.set_examples(Examples::default());
        Ok(signature)
    }

    /// Replaces its examples with ones from outside its file.
    pub fn set_examples(&mut self, examples: Examples) {
        self.examples = OnceLock::from(examples);
    }

    /// The family: the first part of the cause.
    pub fn family(&self) -> &str {
        self.cause.split('/').next().unwrap_or(&self.cause)
    }

    /// Returns true if it supersedes another signature when both match the same event: it refines it, or its `families`
    /// exclude that one's family.
    pub fn supersedes(&self, other: &Signature) -> bool {
        let is_foreign = || {
            let family = other.family();
            let is_known = |known: &String| known == family;
            family != "none"
                && other.community.is_none()
                && !other.refines.contains(&self.id)
                && !self.families.iter().any(is_known)
        };
        self.refines.contains(&other.id) || !self.families.is_empty() && is_foreign()
    }

    /// Returns true if it knows only the frame of a fault.
    pub fn is_frame(&self) -> bool {
        self.tier == Tier::Frame
    }

    /// Returns true if its finding is an answer: it shows the cause, or that all is well.
    pub fn answers(&self) -> bool {
        let is_lone_symptom = self.role == Role::Symptom && self.alone == Role::Symptom;
        !self.is_frame() && !self.audit && !is_lone_symptom
    }

    /// Returns true if its finding is an answer that names a cause: frames are then not needed. A lone symptom, such as
    /// a container that restarts again and again, leaves the question why.
    pub fn names_cause(&self) -> bool {
        self.answers() && self.role != Role::Symptom && !self.makes_no_finding()
    }

    /// Returns true if it makes no finding, but only shows that others are resolved, or what to run next.
    pub fn makes_no_finding(&self) -> bool {
        !self.ends.is_empty() || !self.collect.is_empty()
    }

    /// Returns the texts that it must and must not match. Those of a built-in signature are parsed from the file's text
    /// on first use.
    pub fn examples(&self) -> &Examples {
        self.examples.get_or_init(|| {
            serde_yaml::Deserializer::from_str(&self.source)
                .filter_map(|document| WithExamples::deserialize(document).ok())
                .find(|other| other.id == self.id)
                .map(|other| other.examples)
                .unwrap_or_default()
        })
    }

    /// All of its texts except commands, each with the name of its field.
    pub fn templates(&self) -> impl Iterator<Item = (&'static str, &Template)> {
        let subject = self.subject.iter().flat_map(|subject| {
            [
                Some(&subject.kind),
                subject.namespace.as_ref(),
                Some(&subject.name),
            ]
        });
        std::iter::empty()
            .chain(subject.flatten().map(|template| ("subject", template)))
            .chain(self.needs.iter().map(|needed| ("needs", &needed.pod)))
            .chain(self.templates_people_read())
    }

    /// The templates that are displayed as text, each with the name of its field: neither commands nor the subject.
    pub fn templates_people_read(&self) -> impl Iterator<Item = (&'static str, &Template)> {
        let checks = self.check.iter().map(|check| ("check", check));
        let steps = checks.chain(self.collect.iter().map(|step| ("collect", step)));
        let steps = steps.flat_map(|(field, step)| {
            let prose = step.prose().map(|(template, _)| template);
            prose.chain(step.look()).map(move |it| (field, it))
        });
        let fixes = self.fix.iter().flat_map(|fix| {
            let text = std::iter::once(&fix.text);
            text.chain(&fix.precondition).map(|it| ("fix", it))
        });
        std::iter::once(("title", &self.title))
            .chain(self.label.as_ref().map(|label| ("label", label)))
            .chain(std::iter::once(("why", &self.why)))
            .chain(steps)
            .chain(fixes)
    }

    /// Its commands, each with the name of its field.
    pub fn commands(&self) -> impl Iterator<Item = (&'static str, &CommandTemplate)> {
        let checks = self.check.iter().filter_map(CheckTemplate::run);
        let steps = self.collect.iter().filter_map(CheckTemplate::run);
        let fixes = self.fix.iter().filter_map(|fix| fix.run.as_ref());
        let checks = checks.map(|run| ("check", run));
        checks
            .chain(steps.map(|run| ("collect", run)))
            .chain(fixes.map(|run| ("fix", run)))
    }

    /// Returns the type of a slot's values in a command; `kind` returns the known value of a slot that contains a kind.
    pub fn form(&self, slot: &str, kind: impl Fn(&str) -> Option<String>) -> ValueType {
        let of_name = || {
            let whose = match slot {
                "name" => "kind".to_owned(),
                slot => format!("{slot}_kind"),
            };
            ValueType::of_slot(slot).of_kind(kind(&whose).as_deref())
        };
        self.values.get(slot).copied().unwrap_or_else(of_name)
    }
}
