//! Parses the terms of a rule.

use std::rc::Rc;

use kwhy_model::duration::nanoseconds;

use super::rule::{Body, Reader};
use crate::entry::EntryTerm;
use crate::node::{Node, Value, Wrong};
use crate::temporal::{MAX_DEPTH as MAX_NESTING, MAX_PARTS};

/// A term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    /// A test of one entry.
    Entry(EntryTest),
    /// A set or sequence.
    Nested(Box<Body>),
}

/// The key and text of a test of one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EntryTest {
    pub key: &'static str,
    pub text: String,
    /// The number of literal characters that it requires.
    pub weight: usize,
}

impl Term {
    /// The number of literal characters that it requires.
    pub fn weight(&self) -> usize {
        match self {
            Term::Entry(test) => test.weight,
            Term::Nested(body) => body.weight(),
        }
    }
}

/// A negative term with the range in which it is searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Negative {
    pub term: Term,
    pub window: Option<String>,
    pub slide: Option<String>,
    pub anchor: u64,
    pub is_absolute: bool,
}

/// The maximum length of a chain of references to named terms.
const MAX_REFERENCES: usize = 16;

/// The maximum number of terms of a rule with nested sets and sequences, at all depths.
const MAX_TERMS: usize = 2 * MAX_PARTS;

/// The known keys of a term.
const OF_TERM: &[&str] = &[
    "value", "regex", "jq", "field", "count", "extract", "set", "sequence", "promql",
];
/// Further keys of a negative term.
const OF_NEGATIVE: &[&str] = &["window", "slide", "anchor", "absolute"];

impl Reader<'_> {
    /// Parses a duration in Go's syntax.
    pub(super) fn duration(
        &self,
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

    /// Parses a term and its count. Also returns the nodes in which it is written: the place of use first, then the
    /// definitions of the names that it refers to.
    pub(super) fn term(
        &mut self,
        node: &Rc<Node>,
        is_negative: bool,
    ) -> Result<(Term, u64, Vec<Rc<Node>>), Wrong> {
        let mut written = vec![Rc::clone(node)];
        let mut count = None;
        while let Some(last) = written.last().filter(|_| written.len() <= MAX_REFERENCES) {
            let name = match &last.value {
                Value::Text(text) => Some(text.as_str()),
                Value::Map(_) => last.get_text("value").filter(|_| {
                    let others = ["regex", "jq", "set", "sequence", "promql"];
                    others.iter().all(|key| last.get(key).is_none())
                }),
                Value::Null | Value::List(_) => None,
            };
            count = count.or(self.count(last, is_negative)?);
            let Some(named) = name.and_then(|name| self.terms.get(name)) else {
                let term = self.plain_term(&Rc::clone(last), is_negative)?;
                return Ok((term, count.unwrap_or(1), written));
            };
            written.push(Rc::clone(named));
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

    /// Counts a term, as named terms can expand to ever more of them.
    fn count_term(&mut self, node: &Node) -> Result<(), Wrong> {
        self.read += 1;
        match self.read > MAX_TERMS {
            true => Err((node.at, format!("more than {MAX_TERMS} terms in one rule"))),
            false => Ok(()),
        }
    }

    /// Parses a term that is a set or sequence.
    fn nested(&mut self, node: &Node) -> Result<Term, Wrong> {
        let others = ["value", "regex", "jq", "promql"];
        if let Some(other) = others.iter().find_map(|key| node.get(key)) {
            let message = "a term that is a set or sequence is nothing else too";
            return Err((other.at, message.into()));
        }
        self.depth += 1;
        if self.depth > MAX_NESTING {
            let message = format!("sets and sequences are nested more than {MAX_NESTING} deep");
            return Err((node.at, message));
        }
        let body = self.body(node, false)?;
        self.depth -= 1;
        Ok(Term::Nested(Box::new(body)))
    }

    /// Parses a term that is not a reference.
    fn plain_term(&mut self, node: &Node, is_negative: bool) -> Result<Term, Wrong> {
        if let Some(text) = node.text() {
            self.count_term(node)?;
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
        self.count_term(node)?;
        if node.get("set").or(node.get("sequence")).is_some() {
            return self.nested(node);
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

    /// Parses a negative term of a rule whose matches have `entries` entries.
    pub(super) fn negative(&mut self, node: &Rc<Node>, entries: u64) -> Result<Negative, Wrong> {
        let (term, _, written) = self.term(node, true)?;
        // keys at the place of use override those at the definition
        let of = |key: &str| {
            let mut nodes = written.iter();
            nodes.find(|node| node.get(key).is_some()).unwrap_or(node)
        };
        let window = self.duration(of("window"), "window", true)?;
        let slide = self.duration(of("slide"), "slide", true)?;
        let anchor = match of("anchor").get("anchor") {
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

/// Creates a term after validating its text.
fn checked(node: &Node, key: &'static str, text: &str) -> Result<Term, Wrong> {
    match EntryTerm::of(key, text) {
        Ok(read) => Ok(Term::Entry(EntryTest {
            key,
            text: text.to_owned(),
            weight: read.weight(),
        })),
        Err(message) => Err((node.at, format!("{key}: {message}"))),
    }
}
