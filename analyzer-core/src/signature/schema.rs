//! A signature as its YAML file says it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::condition::{Condition, Scope};
use super::one_or_many::OneOrMany;
use super::template::Template;
use crate::report::{Level, Role};

/// A pattern over events and objects with the root cause that it proves.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Signature {
    /// The id: lower-case words with hyphens, unique in a catalogue.
    pub id: String,
    /// The cause that it proves.
    pub cause: String,
    /// Whether it is a root cause, a symptom of one, or benign.
    #[serde(default = "role_cause")]
    pub role: Role,
    /// What a symptom counts as where nothing explains it; `cause` if nothing is said.
    #[serde(default = "role_cause")]
    pub alone: Role,
    /// How grave it is.
    pub severity: Level,
    /// How sure a match is, from 0 to 1.
    #[serde(default)]
    pub confidence: Option<f64>,
    /// What is wrong, in one line.
    pub title: Template,
    /// A few words on what the marked text proves.
    #[serde(default)]
    pub label: Option<Template>,
    /// The object at fault, where it is not the event's own.
    #[serde(default)]
    pub subject: Option<SubjectTemplate>,
    /// What must be seen.
    #[serde(rename = "match")]
    pub condition: Condition,
    /// The causes whose findings it explains.
    #[serde(default)]
    pub explains: Vec<Explains>,
    /// What it shows to be over: it makes no finding itself.
    #[serde(default)]
    pub ends: Vec<Ends>,
    /// Pods without which what it tells of cannot work: their trouble explains it.
    #[serde(default)]
    pub needs: Vec<Needs>,
    /// What to ask the cluster next where it is seen and no cause is known for sure: it makes no finding
    /// itself.
    #[serde(default)]
    pub collect: Vec<CheckTemplate>,
    /// Signatures that it replaces where both match the same event.
    #[serde(default)]
    pub refines: Vec<String>,
    /// Whether it stands for a family of errors of any wording: any other cause that is proved by the same
    /// record, unless it refines that one, is the better answer.
    #[serde(default)]
    pub generic: bool,
    /// Captures that tell one fault from another: findings that agree in them are one, whatever their
    /// objects. All captures if nothing is said.
    #[serde(default)]
    pub fold: Option<Vec<String>>,
    /// The capture that counts how many objects it concerns: of causes that are as sure the one that concerns
    /// more comes first.
    #[serde(default)]
    pub extent: Option<String>,
    /// The capture that says when it began, which may be long before it was seen: a certificate's end.
    #[serde(default)]
    pub since: Option<String>,
    /// The mechanism, in two sentences or so.
    pub why: Template,
    /// Read-only checks.
    #[serde(default)]
    pub check: Vec<CheckTemplate>,
    /// Repairs.
    #[serde(default)]
    pub fix: Vec<FixTemplate>,
    /// Where to read more.
    #[serde(default)]
    pub references: Vec<String>,
    /// The versions that it is about, in words.
    #[serde(default)]
    pub versions: Option<String>,
    #[serde(default, deserialize_with = "read_examples")]
    examples: OnceLock<Examples>,
    /// The file that it was read from.
    #[serde(skip)]
    pub file: Cow<'static, str>,
    /// The file's text.
    #[serde(skip)]
    pub source: Arc<str>,
}

/// The object at fault, with captured values.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectTemplate {
    /// The kind.
    pub kind: Template,
    /// The namespace; the event's own if nothing is said.
    #[serde(default)]
    pub namespace: Option<Template>,
    /// The name.
    pub name: Template,
}

/// A cause whose findings a signature explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explains {
    /// The cause, or a signature's id.
    pub what: String,
    /// What the two must share.
    pub on: Scope,
}

/// Pods that something cannot do without.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Needs {
    /// Their name up to a `*`; without one, a name with which theirs share two words.
    pub pod: Template,
    /// Where they must run: on the same node, or anywhere.
    #[serde(default = "anywhere")]
    pub on: Scope,
}

fn anywhere() -> Scope {
    Scope::Input
}

/// Findings that a signature shows to be over.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ends {
    /// The cause, a family of causes (`scheduling/*`), any (`*`), or a signature's id.
    #[serde(rename = "cause")]
    pub what: String,
    /// What the two must share.
    #[serde(default)]
    pub on: Scope,
    /// Captures that must be the same where both have them.
    #[serde(default)]
    pub same: Vec<String>,
    /// Only what was last reported with one of these reasons of an event; anything if there is none.
    #[serde(default)]
    pub(crate) reason: OneOrMany<String>,
}

/// A read-only check.
#[derive(Debug, Deserialize)]
#[serde(try_from = "RawCheck")]
pub struct CheckTemplate {
    /// The command.
    pub run: Template,
    /// What its result says: the file's `why`, then which result confirms and which rules out.
    pub why: Template,
    /// The result that confirms the cause.
    pub confirms: Option<Template>,
    /// The result that rules the cause out.
    pub rules_out: Option<Template>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCheck {
    #[serde(default)]
    run: Option<Template>,
    #[serde(default)]
    look: Option<Template>,
    #[serde(default)]
    why: Option<Template>,
    #[serde(default)]
    confirms: Option<Template>,
    #[serde(default)]
    rules_out: Option<Template>,
}

impl TryFrom<RawCheck> for CheckTemplate {
    type Error = String;

    fn try_from(raw: RawCheck) -> Result<CheckTemplate, String> {
        let parts = [
            raw.why.as_ref().map(ToString::to_string),
            raw.confirms
                .as_ref()
                .map(|result| format!("{result} confirms it")),
            raw.rules_out
                .as_ref()
                .map(|result| format!("{result} rules it out")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            return Err(
                "a check says what its result means: `confirms`, `rules_out` or `why`".into(),
            );
        }
        Ok(CheckTemplate {
            run: match (raw.run, raw.look) {
                (Some(run), None) => run,
                (None, Some(look)) => look,
                _ => return Err("a check is either `run` or `look`".into()),
            },
            why: Template::parse(&parts.join("; "))?,
            confirms: raw.confirms,
            rules_out: raw.rules_out,
        })
    }
}

/// A repair.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixTemplate {
    /// What to do.
    pub text: Template,
    /// The command that does it.
    #[serde(default)]
    pub run: Option<Template>,
    /// Whether it destroys.
    #[serde(default)]
    pub destructive: bool,
    /// What must be true before.
    #[serde(default)]
    pub precondition: Option<Template>,
    /// Who proves it.
    #[serde(default)]
    pub written_by: Vec<String>,
}

/// Texts that a signature must and must not match.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Examples {
    /// Inputs that it must match.
    #[serde(default, rename = "match")]
    pub matching: Vec<Example>,
    /// Inputs that it must not match.
    #[serde(default)]
    pub no_match: Vec<Example>,
}

/// An example input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The input, as it would be pasted.
    pub text: String,
    /// Values that must be captured.
    #[serde(default)]
    pub captures: BTreeMap<String, String>,
    /// Causes or signatures that the same input proves too: a report that lists several.
    #[serde(default)]
    pub also: Vec<String>,
    /// Why it is here: which version, or whose neighbour.
    #[serde(default)]
    pub why: Option<String>,
}

fn read_examples<'de, D: Deserializer<'de>>(from: D) -> Result<OnceLock<Examples>, D::Error> {
    Examples::deserialize(from).map(OnceLock::from)
}

/// The part of a file that the built form leaves out.
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

/// Names that templates may use without capturing them: they come from the event's subject and
/// the finding.
pub(crate) const GIVEN: &[&str] = &[
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

impl Signature {
    /// The family: the first part of the cause.
    pub fn family(&self) -> &str {
        self.cause.split('/').next().unwrap_or(&self.cause)
    }

    /// Whether it makes no finding, and only shows that others are over or what to ask next.
    pub fn makes_no_finding(&self) -> bool {
        !self.ends.is_empty() || !self.collect.is_empty()
    }

    /// Texts that it must and must not match. Of a built-in signature they are read from the file's
    /// text when they are first asked for.
    pub fn examples(&self) -> &Examples {
        self.examples.get_or_init(|| {
            serde_yaml::Deserializer::from_str(&self.source)
                .filter_map(|document| WithExamples::deserialize(document).ok())
                .find(|other| other.id == self.id)
                .map(|other| other.examples)
                .unwrap_or_default()
        })
    }

    /// All of its templates with a word for each.
    pub(crate) fn templates(&self) -> impl Iterator<Item = (&'static str, &Template)> {
        let subject = self.subject.iter().flat_map(|subject| {
            [
                Some(&subject.kind),
                subject.namespace.as_ref(),
                Some(&subject.name),
            ]
        });
        let checks = self
            .check
            .iter()
            .chain(&self.collect)
            .flat_map(|check| [("check", &check.run), ("check", &check.why)]);
        let fixes = self.fix.iter().flat_map(|fix| {
            std::iter::once(("fix", &fix.text)).chain(fix.run.as_ref().map(|run| ("fix", run)))
        });
        std::iter::once(("title", &self.title))
            .chain(self.label.as_ref().map(|label| ("label", label)))
            .chain(subject.flatten().map(|template| ("subject", template)))
            .chain(self.needs.iter().map(|needed| ("needs", &needed.pod)))
            .chain(std::iter::once(("why", &self.why)))
            .chain(checks)
            .chain(fixes)
    }

    /// The templates that people read as text, with a word for each: not commands, and not the subject.
    pub(crate) fn templates_people_read(&self) -> impl Iterator<Item = (&'static str, &Template)> {
        let checks = self.check.iter().map(|check| ("check", &check.why));
        let fixes = self.fix.iter().map(|fix| ("fix", &fix.text));
        std::iter::once(("title", &self.title))
            .chain(self.label.as_ref().map(|label| ("label", label)))
            .chain(std::iter::once(("why", &self.why)))
            .chain(checks)
            .chain(fixes)
    }
}
