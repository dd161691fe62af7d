//! Parses one rule: its description and its condition.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::term::{Negative, Term};
use super::{Application, CommunityRule, Note};
use crate::node::{Node, Wrong};
use crate::temporal::{MAX_COUNT, MAX_LONE_COUNT, MAX_PARTS};

/// The minimum length of an id.
const MIN_ID: usize = 4;

/// The named terms of a file.
pub(super) type Terms = BTreeMap<String, Rc<Node>>;

/// A parsed rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub about: CommunityRule,
    pub body: Body,
}

/// The condition of a rule, or a nested set or sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Body {
    pub is_sequence: bool,
    /// The source of its entries.
    pub source: Option<String>,
    /// True if it declares its entries to be the origin of the problem.
    pub is_origin: bool,
    pub window: Option<String>,
    /// The names of the properties that the entries must share.
    pub correlations: Vec<String>,
    /// The positive terms, with equal ones merged, each with the number of entries that it takes.
    pub positives: Vec<(Term, u64)>,
    pub negatives: Vec<Negative>,
}

impl Body {
    /// The number of literal characters that it requires.
    pub fn weight(&self) -> usize {
        self.positives.iter().map(|(term, _)| term.weight()).sum()
    }

    /// The sets and sequences among its terms.
    fn nested(&self) -> impl Iterator<Item = &Body> {
        let positives = self.positives.iter().map(|(term, _)| term);
        let all = positives.chain(self.negatives.iter().map(|negative| &negative.term));
        all.filter_map(|term| match term {
            Term::Nested(body) => Some(&**body),
            Term::Entry(_) => None,
        })
    }

    /// The number of declared origins, at all depths.
    fn origins(&self) -> usize {
        usize::from(self.is_origin) + self.nested().map(Body::origins).sum::<usize>()
    }

    /// Returns the source of its origin; without an origin, the first source that it names.
    fn source_of_origin(&self) -> Option<&str> {
        let own = self.source.as_deref();
        if self.is_origin {
            return own;
        }
        let inner = self.nested().find(|body| body.origins() > 0);
        let inner = inner.or_else(|| self.nested().next());
        inner.and_then(Body::source_of_origin).or(own)
    }
}

/// Parses the rules of a file.
pub(super) struct Reader<'t> {
    pub(super) terms: &'t Terms,
    notes: Vec<Note>,
    /// The number of sets and sequences around the current term.
    pub(super) depth: usize,
    /// The number of terms parsed so far.
    pub(super) read: usize,
}

/// The known keys of the parts of a rule. Others have no effect.
const OF_RULE: &[&str] = &["metadata", "cre", "rule"];
// `gen` has no effect, but most public rules contain it
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

impl<'t> Reader<'t> {
    pub fn new(terms: &'t Terms) -> Reader<'t> {
        Reader {
            terms,
            notes: Vec::new(),
            depth: 0,
            read: 0,
        }
    }

    /// Parses a rule.
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
        if body.nested().next().is_some() && body.origins() != 1 {
            let message = "of the events of a nested rule one is its origin (`origin: true`)";
            return Err(of_rule((rule.at, message.into())));
        }
        about.source = body.source_of_origin().map(str::to_owned);
        about.notes = self.notes;
        Ok(Rule { about, body })
    }

    pub(super) fn note(&mut self, at: (usize, usize), message: String) {
        self.notes.push(Note {
            line: at.0,
            message,
        });
    }

    /// Adds notes about keys without an effect.
    pub(super) fn unknown(&mut self, node: &Node, known: &[&[&str]]) {
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

    /// Parses the condition of a rule or of a term.
    pub(super) fn body(&mut self, rule: &Node, is_rule: bool) -> Result<Body, Wrong> {
        if is_rule {
            self.unknown(rule, &[&["set", "sequence"]]);
        }
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
        let is_entry = |term: &Term| matches!(term, Term::Entry(_));
        let asks = positives.iter().any(|(term, _)| is_entry(term));
        let mut negatives = Vec::new();
        let negate = body
            .get("negate")
            .map(|list| list.items())
            .unwrap_or_default();
        for node in negate {
            negatives.push(self.negative(node, entries)?);
        }
        let (source, is_origin) = self.event(body, asks)?;
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
            source,
            is_origin,
            window,
            correlations: correlations.map(str::to_owned).collect(),
            positives,
            negatives,
        })
    }

    /// Parses the source of the entries of a set or sequence, and whether it is the origin. A body whose terms are all
    /// nested has no source.
    fn event(&mut self, body: &Node, asks: bool) -> Result<(Option<String>, bool), Wrong> {
        let is_true = |node: &Node| node.get_text("origin") == Some("true");
        let Some(event) = body.get("event") else {
            return match asks {
                true => Err((body.at, "a rule names the source of its event".into())),
                false => Ok((None, is_true(body))),
            };
        };
        let Some(source) = event.get("source") else {
            return Err((event.at, "an event names its source".into()));
        };
        self.unknown(event, &[&["source", "origin"]]);
        let is_origin = is_true(event) || is_true(body);
        Ok((source.text().map(str::to_owned), is_origin))
    }
}

fn is_hash(text: Option<&str>) -> bool {
    text.is_some_and(|text| {
        let proper = text.bytes().all(|b| b.is_ascii_alphanumeric() && b != b'0');
        text.len() >= 12 && proper
    })
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
