//! Reads one rule: what it is about, and its condition.

use std::collections::BTreeMap;
use std::rc::Rc;

use kwhy_model::duration::nanoseconds;

use super::node::{Node, Value, Wrong};
use super::{Application, CommunityRule, Note};
use crate::entry::EntryTerm;
use crate::temporal::{MAX_COUNT, MAX_LONE_COUNT, MAX_PARTS};

/// The shortest id.
const MIN_ID: usize = 4;

/// The most terms that stand for others.
const MAX_REFERENCES: usize = 16;

/// Named terms of a file.
pub(super) type Terms = BTreeMap<String, Rc<Node>>;

/// A rule as it is read.
#[derive(Debug)]
pub(super) struct Rule {
    pub about: CommunityRule,
    pub body: Body,
}

/// The condition of a rule.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub is_sequence: bool,
    pub window: Option<String>,
    /// The name of the property that the entries must share.
    pub correlations: Vec<String>,
    /// The positive terms, equal ones joined, each with how many entries it takes.
    pub positives: Vec<(Term, u64)>,
    pub negatives: Vec<Negative>,
}

/// A term: its key and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub key: &'static str,
    pub text: String,
}

/// A negative term with where it is looked for.
#[derive(Debug)]
pub(super) struct Negative {
    pub term: Term,
    pub window: Option<String>,
    pub slide: Option<String>,
    pub anchor: u64,
    pub is_absolute: bool,
}

/// Reads the rules of a file.
pub(super) struct Reader<'t> {
    terms: &'t Terms,
    notes: Vec<Note>,
}

/// Keys of the parts of a rule. Others have no effect.
const OF_RULE: &[&str] = &["metadata", "cre", "rule"];
// `gen` has no effect, and most of the public rules write it
const OF_METADATA: &[&str] = &["id", "hash", "gen", "generation", "kind", "version", "name"];
const OF_CRE: &[&str] = &[
    "id",
    "severity",
    "title",
    "category",
    "tags",
    "author",
    "description",
    "impact",
    "impactScore",
    "cause",
    "mitigation",
    "mitigationScore",
    "references",
    "reports",
    "version",
    "applications",
];
const OF_APPLICATION: &[&str] = &[
    "name",
    "processName",
    "processPath",
    "containerName",
    "imageUrl",
    "repoUrl",
    "version",
];
const OF_SET: &[&str] = &["event", "match", "negate", "window", "correlations"];
const OF_SEQUENCE: &[&str] = &[
    "event",
    "order",
    "negate",
    "window",
    "correlations",
    "origin",
];
const OF_TERM: &[&str] = &[
    "value", "regex", "jq", "field", "count", "extract", "set", "sequence", "promql",
];
const OF_NEGATIVE: &[&str] = &["window", "slide", "anchor", "absolute"];

impl<'t> Reader<'t> {
    pub fn new(terms: &'t Terms) -> Reader<'t> {
        Reader {
            terms,
            notes: Vec::new(),
        }
    }

    /// Reads a rule.
    pub fn rule(mut self, node: &Node) -> Result<Rule, Wrong> {
        if !node.is_map() {
            return Err((
                node.at,
                "a rule is a mapping of metadata, cre and rule".into(),
            ));
        }
        self.unknown(node, &[OF_RULE]);
        let mut about = self.about(node)?;
        let name = about.id.clone();
        let of_rule = |(at, message): Wrong| (at, format!("{name}: {message}"));
        let Some(rule) = node.get("rule") else {
            return Err(of_rule((node.at, "it has no rule section".into())));
        };
        let body = self.body(rule, true).map_err(of_rule)?;
        let event = ["sequence", "set"]
            .iter()
            .find_map(|kind| rule.get(kind)?.get("event"));
        about.source = event
            .and_then(|event| event.get_text("source"))
            .map(str::to_owned);
        about.notes = self.notes;
        Ok(Rule { about, body })
    }

    fn note(&mut self, at: (usize, usize), message: String) {
        self.notes.push(Note {
            line: at.0,
            message,
        });
    }

    /// Notes keys without an effect.
    fn unknown(&mut self, node: &Node, known: &[&[&str]]) {
        for entry in node.entries() {
            if !known.iter().any(|keys| keys.contains(&entry.key.as_str())) {
                let message = format!("the key {:?} has no effect", entry.key);
                self.note(entry.at, message);
            }
        }
    }

    fn about(&mut self, node: &Node) -> Result<CommunityRule, Wrong> {
        let Some(cre) = node.get("cre").filter(|cre| cre.is_map()) else {
            return Err((node.at, "a rule without a cre section".into()));
        };
        self.unknown(cre, &[OF_CRE]);
        let is_id = |id: &str| {
            let proper = id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            id.len() >= MIN_ID && proper
        };
        let id = match cre.get("id").map(|id| (id, id.text())) {
            Some((_, Some(id))) if is_id(id) => id.to_owned(),
            Some((id, _)) => {
                let message = format!("an id is at least {MIN_ID} letters, digits and hyphens");
                return Err((id.at, message));
            }
            None => return Err((cre.at, "a rule without an id".into())),
        };
        let text = |key: &str| cre.get_text(key).map(|text| text.trim().to_owned());
        let texts = |key: &str| {
            let items = cre.get(key).map(|list| list.items()).unwrap_or_default();
            items
                .iter()
                .filter_map(|item| item.text())
                .map(str::to_owned)
                .collect()
        };
        let severity = match cre.get("severity") {
            None => 0,
            Some(severity) => (severity.text())
                .and_then(|text| text.parse().ok())
                .filter(|severity| *severity <= 4)
                .ok_or((
                    severity.at,
                    "a severity is 0 (critical) to 4 (information)".to_owned(),
                ))?,
        };
        let score = |key: &str| cre.get_text(key).and_then(|text| text.parse().ok());
        let metadata = node.get("metadata");
        if let Some(metadata) = metadata {
            self.unknown(metadata, &[OF_METADATA]);
            for key in ["id", "hash"] {
                if let Some(value) = metadata.get(key).filter(|value| !is_hash(value.text())) {
                    let message =
                        format!("{id}: {key} is at least 12 characters of 1-9, A-Z and a-z");
                    return Err((value.at, message));
                }
            }
        }
        let applications = cre
            .get("applications")
            .map(|list| list.items())
            .unwrap_or_default();
        for application in applications {
            self.unknown(application, &[OF_APPLICATION]);
        }
        let own = |key: &str| {
            metadata
                .and_then(|metadata| metadata.get_text(key))
                .map(str::to_owned)
        };
        Ok(CommunityRule {
            severity,
            title: text("title").unwrap_or_else(|| id.clone()),
            category: text("category"),
            tags: texts("tags"),
            author: text("author"),
            description: text("description"),
            cause: text("cause"),
            impact: text("impact"),
            impact_score: score("impactScore"),
            mitigation: text("mitigation"),
            mitigation_score: score("mitigationScore"),
            references: texts("references"),
            applications: applications.iter().map(|node| application(node)).collect(),
            version: text("version"),
            rule_id: own("id"),
            source: None,
            line: node.at.0,
            notes: Vec::new(),
            id,
        })
    }

    fn body(&mut self, rule: &Node, is_top: bool) -> Result<Body, Wrong> {
        self.unknown(rule, &[&["set", "sequence"]]);
        let (set, sequence) = (rule.get("set"), rule.get("sequence"));
        let (body, is_sequence) = match (set, sequence) {
            (Some(set), Some(sequence)) => {
                let message = "the rule is a sequence: its set has no effect";
                self.note(set.at, message.into());
                (sequence, true)
            }
            (None, Some(sequence)) => (sequence, true),
            (Some(set), None) => (set, false),
            (None, None) => return Err((rule.at, "a rule is a set or a sequence".into())),
        };
        self.unknown(body, &[if is_sequence { OF_SEQUENCE } else { OF_SET }]);
        let event = body.get("event");
        let source = event.and_then(|event| event.get("source"));
        match (event, source) {
            (Some(event), Some(_)) => self.unknown(event, &[&["source", "origin"]]),
            (Some(event), None) if is_top => {
                return Err((event.at, "an event names its source".into()));
            }
            (None, _) if is_top => {
                return Err((body.at, "a rule names the source of its event".into()));
            }
            _ => {}
        }
        let (key, what) = if is_sequence {
            ("order", "sequence")
        } else {
            ("match", "set")
        };
        let Some(listed) = body.get(key).filter(|list| !list.items().is_empty()) else {
            return Err((body.at, format!("a {what} lists its terms as {key}")));
        };
        let mut positives: Vec<(Term, u64)> = Vec::new();
        for node in listed.items() {
            let (term, count, _) = self.term(node, false)?;
            let known = match is_sequence {
                true => positives.last_mut().filter(|(known, _)| *known == term),
                false => positives.iter_mut().find(|(known, _)| *known == term),
            };
            match known {
                Some((_, known)) => *known = known.saturating_add(count),
                None => positives.push((term, count)),
            }
        }
        let all = positives.iter().map(|(_, count)| count);
        let entries = all.fold(0, |sum: u64, count| sum.saturating_add(*count));
        let window = self.duration(body, "window", false)?;
        let mut negatives = Vec::new();
        let negate = body
            .get("negate")
            .map(|list| list.items())
            .unwrap_or_default();
        for node in negate {
            negatives.push(self.negative(node, entries)?);
        }
        let wrong = |message: String| Err((body.at, message));
        match (is_sequence, entries, &window) {
            (true, 0 | 1, _) => return wrong("a sequence has at least two terms".into()),
            (true, _, None) => return wrong("a sequence has a window".into()),
            (false, 1, Some(_)) => return wrong("a set of one term has no window".into()),
            (false, 2.., None) => return wrong("a set of several terms has a window".into()),
            _ => {}
        }
        if positives.len() > MAX_PARTS || negatives.len() > MAX_PARTS {
            return wrong(format!("more than {MAX_PARTS} terms"));
        }
        let is_lone = positives.len() == 1 && !is_sequence && negatives.is_empty();
        let most = if is_lone { MAX_LONE_COUNT } else { MAX_COUNT };
        if positives.iter().any(|(_, count)| *count > most) {
            return wrong(format!("a count is at most {most} here"));
        }
        let correlations = body
            .get("correlations")
            .map(|list| list.items())
            .unwrap_or_default();
        let correlations = correlations.iter().filter_map(|name| name.text());
        Ok(Body {
            is_sequence,
            window,
            correlations: correlations.map(str::to_owned).collect(),
            positives,
            negatives,
        })
    }

    /// Reads a duration as Go writes it.
    fn duration(
        &mut self,
        node: &Node,
        key: &str,
        is_signed: bool,
    ) -> Result<Option<String>, Wrong> {
        let Some(value) = node.get(key) else {
            return Ok(None);
        };
        let text = value.text().unwrap_or_default();
        let nanos = nanoseconds(text).filter(|_| !text.contains('d'));
        match nanos {
            Some(nanos) if is_signed || nanos >= 0 => Ok(Some(text.to_owned())),
            _ => Err((
                value.at,
                format!("invalid {key} {text:?}: expected a value such as 30s"),
            )),
        }
    }

    /// Reads a term, and how often it is asked for. Also returns the mapping that it was written as.
    fn term<'n>(
        &mut self,
        node: &'n Rc<Node>,
        is_negative: bool,
    ) -> Result<(Term, u64, Rc<Node>), Wrong>
    where
        't: 'n,
    {
        let mut written = Rc::clone(node);
        let mut count = None;
        for _ in 0..MAX_REFERENCES {
            let name = match &written.value {
                Value::Text(text) => Some(text.as_str()),
                Value::Map(_) => written.get_text("value").filter(|_| {
                    let others = ["regex", "jq", "set", "sequence", "promql"];
                    others.iter().all(|key| written.get(key).is_none())
                }),
                Value::Null | Value::List(_) => None,
            };
            count = count.or(self.count(&written, is_negative)?);
            let Some(named) = name.and_then(|name| self.terms.get(name)) else {
                let term = self.plain_term(&written, is_negative)?;
                return Ok((term, count.unwrap_or(1), Rc::clone(node)));
            };
            written = Rc::clone(named);
        }
        Err((node.at, "a term that stands for itself".into()))
    }

    fn count(&self, node: &Node, is_negative: bool) -> Result<Option<u64>, Wrong> {
        let Some(count) = node.get("count") else {
            return Ok(None);
        };
        match count.text().and_then(|text| text.parse::<u64>().ok()) {
            Some(0 | 1) => Ok(Some(1)),
            Some(_) if is_negative => Err((count.at, "a negative term has no count".into())),
            Some(times) => Ok(Some(times)),
            None => Err((count.at, "a count is a whole number".into())),
        }
    }

    /// Reads a term that stands for itself.
    fn plain_term(&mut self, node: &Node, is_negative: bool) -> Result<Term, Wrong> {
        if let Some(text) = node.text() {
            return checked(node, "value", text);
        }
        if !node.is_map() {
            return Err((
                node.at,
                "a term is a text, or a mapping of value, regex or jq".into(),
            ));
        }
        match is_negative {
            true => self.unknown(node, &[OF_TERM, OF_NEGATIVE]),
            false => self.unknown(node, &[OF_TERM]),
        }
        for key in ["set", "sequence"] {
            if let Some(nested) = node.get(key) {
                return Err((nested.at, "nested rules are not supported".into()));
            }
        }
        if let Some(query) = node.get("promql") {
            return Err((
                query.at,
                "promql is not supported: kwhy reads no metrics".into(),
            ));
        }
        for key in ["field", "extract"] {
            if let Some(entry) = node.entries().iter().find(|entry| entry.key == key) {
                self.note(entry.at, format!("{key} has no effect, as in preq"));
            }
        }
        let keys = ["value", "regex", "jq"].into_iter();
        let mut given = keys.filter_map(|key| Some((key, node.get(key)?)));
        match (given.next(), given.next()) {
            (Some((key, value)), None) => match value.text() {
                Some(text) => checked(value, key, text),
                None => Err((value.at, format!("{key} is a text"))),
            },
            (None, _) => Err((node.at, "a term has a value, a regex or jq".into())),
            (Some(_), Some((key, other))) => Err((
                other.at,
                format!("a term has only one of value, regex and jq, not {key} too"),
            )),
        }
    }

    fn negative(&mut self, node: &Rc<Node>, entries: u64) -> Result<Negative, Wrong> {
        let (term, _, written) = self.term(node, true)?;
        // what is written where a term is named goes before what is written where it is defined
        let named = match &written.value {
            Value::Text(name) => self.terms.get(name),
            _ => written
                .get_text("value")
                .and_then(|name| self.terms.get(name)),
        };
        let of = |key: &str| -> Rc<Node> {
            match (written.get(key), named) {
                (None, Some(named)) => Rc::clone(named),
                _ => Rc::clone(&written),
            }
        };
        let window = self.duration(&of("window"), "window", true)?;
        let slide = self.duration(&of("slide"), "slide", true)?;
        let place = of("anchor");
        let anchor = match place.get("anchor") {
            None => 0,
            Some(anchor) => {
                let number = anchor.text().and_then(|text| text.parse().ok());
                number.filter(|number| *number < entries).ok_or_else(|| {
                    let message = format!(
                        "an anchor is less than {entries}, the number of entries of a match"
                    );
                    (anchor.at, message)
                })?
            }
        };
        let is_absolute = of("absolute").get_text("absolute") == Some("true");
        Ok(Negative {
            term,
            window,
            slide,
            anchor,
            is_absolute,
        })
    }
}

fn is_hash(text: Option<&str>) -> bool {
    text.is_some_and(|text| {
        let proper = text.bytes().all(|b| b.is_ascii_alphanumeric() && b != b'0');
        text.len() >= 12 && proper
    })
}

/// A term whose text is right.
fn checked(node: &Node, key: &'static str, text: &str) -> Result<Term, Wrong> {
    let read = match key {
        "value" => EntryTerm::value(text),
        "regex" => EntryTerm::regex(text),
        _ => EntryTerm::jq(text),
    };
    match read {
        Ok(_) => Ok(Term {
            key,
            text: text.to_owned(),
        }),
        Err(message) => Err((node.at, format!("{key}: {message}"))),
    }
}

fn application(node: &Node) -> Application {
    let text = |key: &str| node.get_text(key).map(str::to_owned);
    Application {
        name: text("name"),
        process_name: text("processName"),
        process_path: text("processPath"),
        container_name: text("containerName"),
        image_url: text("imageUrl"),
        repo_url: text("repoUrl"),
        version: text("version"),
    }
}
