//! Community rules: Common Reliability Enumerations (CRE), in the language of preq.
//!
//! A rule becomes a signature whose condition consists of tests of entries ([`EntryTerm`](crate::EntryTerm)), in sets
//! and sequences over time; one engine runs both. Keys without an effect and other oddities that preq accepts become
//! notes.

mod markdown;
mod native;
mod rule;
mod term;
mod written;

use std::collections::HashSet;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::causes::Causes;
use crate::error::SignatureError;
use crate::node::{self, Node};
use crate::schema::{Signature, read_source};
use rule::{Reader, Terms};

pub use written::{to_cre, to_native};

/// The family of causes of rules that map to no known cause.
pub const FAMILY: &str = "cre";

/// The maximum number of rules per file.
const MAX_RULES: usize = 20_000;

/// The description of a problem in a community rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CommunityRule {
    /// The id: `CRE-2024-0007`.
    pub id: String,
    /// The severity: 0 critical, 1 high, 2 medium, 3 low, 4 information.
    pub severity: u8,
    /// The problem in one line.
    pub title: String,
    /// The category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The problem, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The cause, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The consequences, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<String>,
    /// The score of the impact, from 0 to 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact_score: Option<u8>,
    /// The repair, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mitigation: Option<String>,
    /// The effort of the mitigation, from 0 to 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mitigation_score: Option<u8>,
    /// Links for further reading.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The programs concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applications: Vec<Application>,
    /// The version of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The id of the rule, which stays the same when its text changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<String>,
    /// The source that it is written for, such as `cre.log.nginx`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The line of the file at which it starts, counted from 1.
    #[serde(skip)]
    pub line: usize,
    /// The oddities of its file.
    #[serde(skip)]
    pub notes: Vec<Note>,
}

/// A program that a rule is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Application {
    /// The name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_name: Option<String>,
    /// The path of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_path: Option<String>,
    /// The name of the container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container_name: Option<String>,
    /// The image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    /// The repository of its source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_url: Option<String>,
    /// The versions concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl CommunityRule {
    /// Returns the id, category and programs on one line: `CRE-2024-0007 (message-queue-problem), rabbitmq 3.9.x`.
    pub fn heading(&self) -> String {
        let mut heading = self.id.clone();
        if let Some(category) = &self.category {
            heading += &format!(" ({category})");
        }
        for application in &self.applications {
            let Some(name) = application
                .name
                .as_ref()
                .or(application.process_name.as_ref())
            else {
                continue;
            };
            heading += &format!(", {name}");
            let version = application.version.as_deref();
            if let Some(version) = version.filter(|version| !version.trim_matches('*').is_empty()) {
                heading += &format!(" {version}");
            }
        }
        heading
    }

    /// Returns a copy without its location in the file.
    #[must_use]
    pub fn without_place(&self) -> CommunityRule {
        CommunityRule {
            line: 0,
            notes: Vec::new(),
            ..self.clone()
        }
    }

    /// Returns the impact as one paragraph of plain text.
    pub fn impact_text(&self) -> Option<String> {
        let impact = markdown::steps(self.impact.as_deref()?).join(" ");
        (!impact.is_empty()).then_some(impact)
    }
}

/// An oddity of a rule's file that does not stop the rule from working.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// The line, counted from 1.
    pub line: usize,
    /// A description.
    pub message: String,
}

/// The kind of a file, judging by its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Native signatures, or an attempt at them.
    Native,
    /// Community rules.
    Rules,
    /// Files that accompany rules but contain none: tags, categories, data sources.
    BesideRules,
}

/// Returns the kind of a file, judging by its top-level keys.
///
/// ```
/// use kwhy_signature::cre::{FileKind, file_kind};
/// assert_eq!(file_kind("rules:\n  - cre: {id: CRE-2024-0001}\n"), FileKind::Rules);
/// assert_eq!(file_kind("id: shelf-empty\ncause: shop/shelf-empty\n"), FileKind::Native);
/// assert_eq!(file_kind("categories:\n  - name: shop-problem\n"), FileKind::BesideRules);
/// ```
pub fn file_kind(yaml: &str) -> FileKind {
    if yaml.trim_start().starts_with('{') {
        return match yaml.contains("\"rules\"") && yaml.contains("\"cre\"") {
            true => FileKind::Rules,
            false => FileKind::Native,
        };
    }
    let is_plain = |line: &&str| {
        line.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '"' || c == '\'')
    };
    let lines = yaml.lines().filter(is_plain);
    let keys: Vec<&str> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(key, _)| key.trim().trim_matches(['"', '\'']))
        .collect();
    let has = |key: &str| keys.contains(&key);
    if has("id") || has("cause") || has("match") {
        FileKind::Native
    } else if has("rules") || has("terms") {
        FileKind::Rules
    } else if has("section")
        || has("categories")
        || has("tags")
        || has("sources")
        || (!keys.is_empty() && keys.iter().all(|key| key.starts_with("cre.")))
    {
        FileKind::BesideRules
    } else {
        FileKind::Native
    }
}

/// The rules of a file as signatures, and the causes that they add.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Rules {
    /// The signatures, in file order.
    pub signatures: Vec<Signature>,
    /// The causes of rules that map to no known cause, with their meanings.
    pub causes: Vec<(String, String)>,
}

/// Parses the rules of a file. `cause_of` returns the known cause for a rule's id.
///
/// # Errors
/// The first error, with its location.
pub fn read<'c>(
    file: &str,
    yaml: &str,
    causes: &Causes,
    cause_of: impl Fn(&str) -> Option<&'c str>,
) -> Result<Rules, SignatureError> {
    let wrong = |(at, message): node::Wrong| SignatureError::new(file, yaml, at, message);
    let documents = node::read(yaml).map_err(wrong)?;
    let terms = terms(&documents).map_err(wrong)?;
    let mut read = Rules::default();
    let mut known = causes.clone();
    let mut ids = HashSet::new();
    let nodes = rules(&documents).map_err(wrong)?;
    let starts = offsets(yaml, &nodes);
    for (number, node) in nodes.iter().enumerate() {
        let rule = Reader::new(&terms).rule(node).map_err(wrong)?;
        let (id, title) = (rule.about.id.clone(), rule.about.title.clone());
        let cause = match cause_of(&id) {
            Some(cause) => cause.to_owned(),
            None => {
                let cause = own_cause(&id);
                known.add(&cause, &title);
                read.causes.push((cause.clone(), title));
                cause
            }
        };
        let written = native::signature(&rule, &cause);
        let at = node.at;
        let mut signature = Signature::from_json(file, written, &known)
            .map_err(|message| SignatureError::new(file, yaml, at, format!("{id}: {message}")))?;
        if !ids.insert(signature.id.clone()) {
            return Err(SignatureError::taken(file, yaml, &id, file));
        }
        signature.community = Some(Box::new(rule.about));
        signature.source = read_source(lines_of(yaml, &starts, number).into());
        read.signatures.push(signature);
    }
    Ok(read)
}

/// Returns the cause of a rule that maps to no known cause.
fn own_cause(id: &str) -> String {
    format!("{FAMILY}/{}", id.to_ascii_lowercase())
}

/// Returns the byte offsets at which the lines of rules start.
fn offsets(yaml: &str, rules: &[Rc<Node>]) -> Vec<usize> {
    let breaks = yaml.match_indices('\n').map(|(at, _)| at + 1);
    let lines: Vec<usize> = std::iter::once(0).chain(breaks).collect();
    let line_of = |rule: &Rc<Node>| rule.at.0.saturating_sub(1);
    let offset = |rule| lines.get(line_of(rule)).copied().unwrap_or(yaml.len());
    rules.iter().map(offset).collect()
}

/// Returns the lines of one rule; the whole file if it has only one.
fn lines_of<'y>(yaml: &'y str, starts: &[usize], number: usize) -> &'y str {
    if starts.len() == 1 {
        return yaml;
    }
    let start = starts[number];
    // a rule given as an alias may be written above the previous one
    let later = starts
        .iter()
        .skip(number + 1)
        .copied()
        .find(|next| *next > start);
    yaml[start..later.unwrap_or(yaml.len())].trim_end()
}

/// Collects the named terms of all documents.
fn terms(documents: &[Rc<Node>]) -> Result<Terms, node::Wrong> {
    let mut terms = Terms::new();
    for entry in documents
        .iter()
        .filter_map(|node| node.get("terms"))
        .flat_map(|node| node.entries())
    {
        if terms
            .insert(entry.key.clone(), Rc::clone(&entry.value))
            .is_some()
        {
            return Err((entry.at, format!("the term {:?} is given twice", entry.key)));
        }
    }
    Ok(terms)
}

/// Collects the rules of all documents.
fn rules(documents: &[Rc<Node>]) -> Result<Vec<Rc<Node>>, node::Wrong> {
    let mut rules = Vec::new();
    for document in documents {
        if document.get_text("section") == Some("version") {
            continue;
        }
        let Some(list) = document.get("rules") else {
            match document.get("terms") {
                Some(_) => continue,
                None => return Err((document.at, "a file of rules has a list of rules".into())),
            }
        };
        if list.items().is_empty() {
            return Err((list.at, "rules is a list".into()));
        }
        rules.extend(list.items().iter().cloned());
    }
    if rules.len() > MAX_RULES {
        return Err((
            rules[MAX_RULES].at,
            format!("more than {MAX_RULES} rules in one file"),
        ));
    }
    Ok(rules)
}
