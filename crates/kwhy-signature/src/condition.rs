//! The condition of a signature over events and objects.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error};

use super::compare::Comparison;
use super::entry::EntryTerm;
use super::one_or_many::OneOrMany;
use super::pattern::Pattern;
use super::temporal::{Reach, rate};
use super::value_test::{NumberTest, ValueTest};
use kwhy_errors::Fact;
use kwhy_model::{Severity, duration};

/// A condition over the events and objects of an input.
#[derive(Debug)]
#[non_exhaustive]
pub struct Condition {
    /// The events or objects that it matches.
    pub what: What,
    /// Conditions that must not hold in the same scope.
    pub none: Vec<Condition>,
    /// Optional conditions: if they hold too, their captures and evidence are added.
    pub also: Vec<Condition>,
    /// The number of times that `what` must be seen in the scope; counts of events add up.
    pub at_least: u64,
    /// The maximum time between the first and the last event, inclusive.
    pub within: Option<Duration>,
    /// The time range of an entry of `none`, if it states one.
    pub reach: Option<Reach>,
    /// The scope that the parts must share.
    pub per: Scope,
    /// Comparisons of captured values.
    pub comparisons: Vec<Comparison>,
    /// Comparisons of an entry of `none` with captures of the condition that it belongs to.
    pub open: Vec<Comparison>,
}

/// The positive part of a condition.
#[derive(Debug)]
pub enum What {
    /// One event.
    Event(Arc<EventPattern>),
    /// One object.
    Object(Arc<ObjectPattern>),
    /// All of these, in any order.
    All(Vec<Condition>),
    /// One of these.
    Any(Vec<Condition>),
    /// All of these, each no earlier than the one before it.
    Sequence(Vec<Condition>),
}

/// The scope that the events of one match must share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The same object, if it is known.
    Subject,
    /// The same owner: pods of one workload.
    #[default]
    Owner,
    /// The same node, if it is known.
    Node,
    /// The same namespace, if it is known.
    Namespace,
    /// The same document.
    Source,
    /// Nothing: the whole input.
    Input,
}

/// A pattern of one event.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EventPattern {
    /// The reason, or `*` for any.
    #[serde(default)]
    pub reason: OneOrMany<String>,
    /// The component, or its prefix before `*`.
    #[serde(default)]
    pub component: OneOrMany<String>,
    /// Components that exclude the event; an event without a known component is excluded too.
    #[serde(default)]
    pub not_component: OneOrMany<String>,
    /// The subject's kind.
    #[serde(default)]
    pub kind: OneOrMany<String>,
    /// The format's name.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "OneOrMany<kwhy_model::Format>"))]
    pub format: OneOrMany<String>,
    /// The minimum severity; an event without one passes.
    pub severity: Option<Severity>,
    /// Texts, one of which occurs literally in the message or an error field: a prefilter for patterns that provide no
    /// literal.
    #[serde(default)]
    pub literals: OneOrMany<String>,
    /// Texts, one of which occurs in the raw record: a prefilter for what is not in the message, such as the level.
    #[serde(default)]
    pub raw: OneOrMany<String>,
    /// Patterns, one of which matches in the message or an error field.
    #[serde(default)]
    pub message: OneOrMany<Pattern>,
    /// Patterns, none of which matches in the message or an error field.
    #[serde(default)]
    pub not: OneOrMany<Pattern>,
    /// True if the text that a message pattern finds must be stated as a present fact: a sentence that denies it, asks
    /// for it or supposes it does not count. Prose that states it is a proof, however short.
    #[serde(default)]
    pub stated: bool,
    /// Facts of the error chain, each with patterns for its whole value.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "crate::json_schema::Chain"))]
    pub chain: BTreeMap<Fact, OneOrMany<Pattern>>,
    /// Named values of the record, each with patterns matched within it.
    #[serde(default)]
    pub fields: BTreeMap<String, OneOrMany<Pattern>>,
    /// A test of the whole raw record.
    pub entry: Option<EntryTerm>,
    /// The number of occurrences.
    pub count: Option<NumberTest>,
    /// The seconds from the first to the last occurrence.
    pub lasted: Option<NumberTest>,
}

impl EventPattern {
    /// Returns true if it matches statements in prose but no log records: it is tested only in documents that are
    /// parsed completely, as pastes are, so that large logs are not searched for its short texts.
    pub fn is_statement(&self) -> bool {
        let is_text = |format: &String| matches!(format.as_str(), "plain" | "prose");
        self.stated && !self.format.0.is_empty() && self.format.0.iter().all(is_text)
    }

    /// Returns true if it only selects the fatal records of a program that logs with klog: any such record marks the
    /// program's end, whatever its message.
    pub fn is_klog_fatal(&self) -> bool {
        self.severity == Some(Severity::Fatal) && self.format.0 == ["klog"] && self.raw.0.is_empty()
    }
}

/// A pattern of one object.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ObjectPattern {
    /// The kind.
    #[serde(default)]
    pub kind: OneOrMany<String>,
    /// Patterns for the whole name.
    #[serde(default)]
    pub name: OneOrMany<Pattern>,
    /// Patterns for the whole namespace.
    #[serde(default)]
    pub namespace: OneOrMany<Pattern>,
    /// The format's name: `describe` or `table`.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "OneOrMany<kwhy_model::Format>"))]
    pub format: OneOrMany<String>,
    /// True if it appears in a list of all objects of its kind, rather than alone.
    #[serde(default)]
    pub listed: bool,
    /// In an entry of `none`: no match means that there is no such object only if the input lists all objects of the
    /// kind in the namespace concerned.
    #[serde(default)]
    pub complete: bool,
    /// Lists, one of whose items must pass all of `item`.
    #[serde(default)]
    pub each: OneOrMany<String>,
    /// Tests of the item's values by path.
    #[serde(default)]
    pub item: BTreeMap<String, ValueTest>,
    /// Tests of the object's values by path, or of `sum(LIST.PATH)`.
    #[serde(default, rename = "where")]
    pub fields: BTreeMap<String, ValueTest>,
}

/// Exactly one of `event`, `object`, `all`, `any` and `sequence`, with further conditions on it.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("oneOf" = [
    {"required": ["event"]}, {"required": ["object"]}, {"required": ["all"]}, {"required": ["any"]}, {"required": ["sequence"]}
])))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawCondition {
    /// One event.
    event: Option<Box<EventPattern>>,
    /// One object.
    object: Option<Box<ObjectPattern>>,
    /// All of these, in any order.
    all: Option<Vec<Condition>>,
    /// One of these.
    any: Option<Vec<Condition>>,
    /// All of these, in order of time.
    sequence: Option<Vec<Condition>>,
    /// None of these in the same scope.
    #[serde(default)]
    none: Vec<Condition>,
    /// Conditions whose captures and evidence are added if they hold too.
    #[serde(default)]
    also: Vec<Condition>,
    /// The number of times that it must be seen, 1 by default; counts of an event add up.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    at_least: Option<u64>,
    /// The maximum time from the first event to the last, inclusive, such as `10m`.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = DURATION)))]
    within: Option<String>,
    /// For an event: `100/1m` means `at_least: 100` and `within: 1m`.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = "^[0-9]+ */")))]
    rate: Option<String>,
    /// In an entry of `none`: by how much the range is longer than the time from the first event to the last.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = DURATION)))]
    window: Option<String>,
    /// In an entry of `none`: shifts the range by this duration.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = DURATION)))]
    slide: Option<String>,
    /// In an entry of `none`: the index of the event, in order of time, at which the range starts.
    anchor: Option<usize>,
    /// In an entry of `none`: true if the range is exactly as long as `window`.
    absolute: Option<bool>,
    /// The scope that the parts must share.
    #[serde(default)]
    per: Scope,
    /// Comparisons of captured values.
    #[serde(default, rename = "where")]
    comparisons: Vec<Comparison>,
}

/// A duration such as `10m`, `1h30m`, `250ms` or `2d`.
#[cfg(feature = "schema")]
const DURATION: &str = "^-?([0-9.]+(ns|us|ms|s|m|h|d|w))+$";

/// Parses an optional duration into nanoseconds.
fn nanoseconds(text: Option<&str>) -> Result<Option<i64>, String> {
    let read = |text| {
        duration::nanoseconds(text)
            .ok_or_else(|| format!("invalid duration {text:?}: expected a value such as 10m"))
    };
    text.map(read).transpose()
}

impl RawCondition {
    /// Returns the required count and the time within which it must be reached.
    fn frequency(&self) -> Result<(u64, Option<Duration>), String> {
        let Some(text) = &self.rate else {
            let within = match (nanoseconds(self.within.as_deref())?, &self.within) {
                (Some(nanos), Some(text)) => Some(
                    u64::try_from(nanos)
                        .map(Duration::from_nanos)
                        .map_err(|_| format!("{text:?}: within cannot be negative"))?,
                ),
                _ => None,
            };
            return Ok((self.at_least.unwrap_or(1).max(1), within));
        };
        if self.at_least.is_some() || self.within.is_some() {
            return Err("rate replaces at_least and within; use one or the other".into());
        }
        if self.event.is_none() {
            return Err("rate is only allowed on an event".into());
        }
        let (count, within) = rate(text).ok_or_else(|| {
            format!(
                "invalid rate {text:?}: expected a value such as 100/1m, with at least 2 events"
            )
        })?;
        Ok((count, Some(within)))
    }

    fn reach(&self) -> Result<Option<Reach>, String> {
        let window = nanoseconds(self.window.as_deref())?;
        let slide = nanoseconds(self.slide.as_deref())?;
        let said = window.is_some() || slide.is_some();
        if !said && self.anchor.is_none() && self.absolute.is_none() {
            return Ok(None);
        }
        Ok(Some(Reach {
            window: window.unwrap_or(0),
            slide: slide.unwrap_or(0),
            anchor: self.anchor.unwrap_or(0),
            absolute: self.absolute.unwrap_or(false),
        }))
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawCondition::deserialize(deserializer)?;
        Condition::from_raw(raw).map_err(D::Error::custom)
    }
}

impl Condition {
    fn from_raw(raw: RawCondition) -> Result<Condition, String> {
        let (at_least, within) = raw.frequency()?;
        let reach = raw.reach()?;
        let mut parts = Vec::new();
        parts.extend(raw.event.map(|event| What::Event(event.into())));
        parts.extend(raw.object.map(|object| What::Object(object.into())));
        for (list, make) in [
            (raw.all, What::All as fn(Vec<Condition>) -> What),
            (raw.any, What::Any),
            (raw.sequence, What::Sequence),
        ] {
            let Some(conditions) = list else { continue };
            if conditions.is_empty() {
                return Err("an empty list of conditions".into());
            }
            parts.push(make(conditions));
        }
        let what = match (parts.pop(), parts.is_empty()) {
            (Some(what), true) => what,
            _ => {
                return Err(
                    "a condition is exactly one of event, object, all, any, sequence".into(),
                );
            }
        };
        let mut condition = Condition {
            what,
            none: raw.none,
            also: raw.also,
            at_least,
            within,
            reach,
            per: raw.per,
            comparisons: Vec::new(),
            open: Vec::new(),
        };
        // reading capture names from patterns is costly
        if !raw.comparisons.is_empty() {
            let mut captured = Vec::new();
            condition.captures(&mut captured);
            let is_own = |comparison: &Comparison| {
                let mut names = comparison.captures();
                names.all(|name| captured.contains(&name))
            };
            let (own, open) = raw.comparisons.into_iter().partition(is_own);
            (condition.comparisons, condition.open) = (own, open);
        }
        condition.check()?;
        Ok(condition)
    }

    /// Refuses comparisons with names that nothing captures.
    pub(super) fn check_closed(&self) -> Result<(), String> {
        if self.open.is_empty() {
            return Ok(());
        }
        let mut captured = Vec::new();
        self.captures(&mut captured);
        let mut names = self.open.iter().flat_map(Comparison::captures);
        match names.find(|name| !captured.contains(name)) {
            Some(name) => Err(format!(
                "the comparison uses {{{name}}}, which nothing captures"
            )),
            None => Ok(()),
        }
    }

    fn check(&self) -> Result<(), String> {
        match &self.what {
            What::Event(event) if event.is_unbounded() => {
                return Err(
                    "an event pattern needs a reason, message, chain, field, entry or raw text"
                        .into(),
                );
            }
            What::Object(object) if object.is_unbounded() => {
                return Err("an object pattern needs a kind, name or value".into());
            }
            _ => {}
        }
        self.check_times()?;
        let listed = match &self.what {
            What::All(parts) | What::Any(parts) | What::Sequence(parts) => parts.as_slice(),
            What::Event(_) | What::Object(_) => &[],
        };
        listed
            .iter()
            .chain(&self.also)
            .try_for_each(Condition::check_closed)?;
        for absent in self.none.iter().filter(|absent| !absent.open.is_empty()) {
            if self.is_temporal() {
                absent.check_closed()?;
            }
            let mut known = Vec::new();
            self.captures(&mut known);
            absent.captures(&mut known);
            let mut names = absent.open.iter().flat_map(Comparison::captures);
            if let Some(name) = names.find(|name| !known.contains(name)) {
                return Err(format!(
                    "the comparison uses {{{name}}}, which nothing captures"
                ));
            }
        }
        Ok(())
    }

    /// Collects all patterns.
    pub(crate) fn patterns<'c>(&'c self, into: &mut Vec<&'c Pattern>) {
        match &self.what {
            What::Event(event) => {
                let facts = event.chain.values().chain(event.fields.values());
                let facts = facts.flat_map(|many| &many.0);
                into.extend(event.message.0.iter().chain(&event.not.0).chain(facts));
            }
            What::Object(object) => {
                let tests = object.item.values().chain(object.fields.values());
                let tested =
                    tests.flat_map(|test| test.equals.iter().chain(&test.matches).chain(&test.not));
                into.extend(
                    object
                        .name
                        .0
                        .iter()
                        .chain(&object.namespace.0)
                        .chain(tested),
                );
            }
            What::All(parts) | What::Any(parts) | What::Sequence(parts) => {
                parts.iter().for_each(|part| part.patterns(into));
            }
        }
        for further in self.also.iter().chain(&self.none) {
            further.patterns(into);
        }
    }

    /// Collects the names that a match captures.
    pub fn captures<'c>(&'c self, into: &mut Vec<&'c str>) {
        self.leaf_captures(into);
        if let What::All(parts) | What::Any(parts) | What::Sequence(parts) = &self.what {
            parts.iter().for_each(|part| part.captures(into));
        }
        self.also.iter().for_each(|part| part.captures(into));
    }

    /// Collects the names that the event or object of a leaf captures.
    pub fn leaf_captures<'c>(&'c self, into: &mut Vec<&'c str>) {
        match &self.what {
            What::Event(event) => {
                let facts = event.chain.values().chain(event.fields.values());
                let patterns = event.message.0.iter().chain(facts.flat_map(|many| &many.0));
                into.extend(patterns.flat_map(Pattern::slots));
            }
            What::Object(object) => {
                let tests = object.item.values().chain(object.fields.values());
                let tested = tests.flat_map(|test| test.equals.iter().chain(&test.matches));
                let named = object.name.0.iter().chain(&object.namespace.0);
                into.extend(named.chain(tested).flat_map(Pattern::slots));
                let tests = object.item.values().chain(object.fields.values());
                into.extend(tests.filter_map(|test| test.flat.as_deref()));
                if !object.each.0.is_empty() {
                    into.push("item");
                }
            }
            What::All(_) | What::Any(_) | What::Sequence(_) => {}
        }
    }
}

impl EventPattern {
    /// Returns true if it tests nothing but the raw record.
    pub fn is_only_entry(&self) -> bool {
        let lists = [
            &self.reason,
            &self.component,
            &self.not_component,
            &self.kind,
            &self.format,
            &self.literals,
            &self.raw,
        ];
        let asks_more = lists.iter().any(|list| !list.0.is_empty())
            || !self.message.0.is_empty()
            || !self.not.0.is_empty()
            || !self.chain.is_empty()
            || !self.fields.is_empty()
            || self.severity.is_some()
            || self.stated
            || self.count.is_some()
            || self.lasted.is_some();
        self.entry.is_some() && !asks_more
    }

    fn is_unbounded(&self) -> bool {
        self.reason.0.is_empty()
            && self.message.0.is_empty()
            && self.chain.is_empty()
            && self.fields.is_empty()
            && self.raw.0.is_empty()
            && self.entry.is_none()
    }
}

impl ObjectPattern {
    fn is_unbounded(&self) -> bool {
        self.kind.0.is_empty() && self.name.0.is_empty() && self.fields.is_empty()
    }
}
