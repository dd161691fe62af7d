//! YAML as a tree of texts with their lines and columns.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::str::Chars;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, StrInput};

use super::error::has_other_breaks;

/// The maximum nesting depth of lists and mappings.
const MAX_DEPTH: usize = 100;

/// The maximum number of nodes per file, including those that aliases expand to.
const MAX_NODES: usize = 2_000_000;

/// An error, with its line and column.
pub(super) type Wrong = ((usize, usize), String);

/// A value with its location.
#[derive(Debug)]
pub(super) struct Node {
    /// The line and column, counted from 1.
    pub at: (usize, usize),
    pub value: Value,
    /// The number of nodes that it consists of.
    size: usize,
}

/// A value. Numbers and booleans are texts.
#[derive(Debug)]
pub(super) enum Value {
    /// An absent or null value.
    Null,
    Text(String),
    List(Vec<Rc<Node>>),
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug)]
pub(super) struct Entry {
    pub key: String,
    pub at: (usize, usize),
    pub value: Rc<Node>,
}

impl Node {
    /// Returns the text; `None` for other values.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list; empty for other values.
    pub fn items(&self) -> &[Rc<Node>] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The entries of a mapping; empty for other values.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// Returns true if it is a mapping.
    pub fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    /// Returns the value of a key; `None` if it is null.
    pub fn get(&self, key: &str) -> Option<&Rc<Node>> {
        let value = &self.entry(key)?.value;
        (!matches!(value.value, Value::Null)).then_some(value)
    }

    /// Returns the text of a key.
    pub fn get_text(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }
}

/// A list or mapping whose end has not been reached.
enum Open {
    List(Vec<Rc<Node>>),
    Map {
        entries: Vec<Entry>,
        /// Its keys so far.
        known: HashSet<String>,
        /// The key whose value comes next.
        key: Option<(String, (usize, usize))>,
    },
}

/// Parses the documents of a file.
pub(super) fn read(yaml: &str) -> Result<Vec<Rc<Node>>, Wrong> {
    let mut open: Vec<(Open, (usize, usize), usize)> = Vec::new();
    let mut documents = Vec::new();
    let mut anchors: HashMap<usize, Rc<Node>> = HashMap::new();
    let mut nodes = 0;
    let mut places = Places::new(yaml);
    for event in Parser::new(StrInput::new(yaml)) {
        let (event, span) =
            event.map_err(|error| (places.of(error.marker()), error.info().to_owned()))?;
        let at = places.of(&span.start);
        let refused = |message: String| Err((at, message));
        let (value, anchor, at) = match event {
            Event::Scalar(text, style, anchor, _) => {
                let is_plain = style == ScalarStyle::Plain;
                let value = match &*text {
                    "" | "~" | "null" | "Null" | "NULL" if is_plain => Value::Null,
                    text => Value::Text(text.to_owned()),
                };
                (value, anchor, at)
            }
            Event::Alias(anchor) => {
                let Some(known) = anchors.get(&anchor).cloned() else {
                    return refused("an alias to what is not complete".into());
                };
                nodes += known.size;
                if nodes > MAX_NODES {
                    return refused(format!("aliases make more than {MAX_NODES} values"));
                }
                give(known, &mut open, &mut documents)?;
                continue;
            }
            Event::SequenceStart(anchor, _) => {
                open.push((Open::List(Vec::new()), at, anchor));
                if open.len() > MAX_DEPTH {
                    return refused(format!(
                        "lists and mappings nest more than {MAX_DEPTH} deep"
                    ));
                }
                continue;
            }
            Event::MappingStart(anchor, _) => {
                let map = Open::Map {
                    entries: Vec::new(),
                    known: HashSet::new(),
                    key: None,
                };
                open.push((map, at, anchor));
                if open.len() > MAX_DEPTH {
                    return refused(format!(
                        "lists and mappings nest more than {MAX_DEPTH} deep"
                    ));
                }
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some((Open::List(items), at, anchor)) => (Value::List(items), anchor, at),
                Some((Open::Map { entries, .. }, at, anchor)) => (Value::Map(entries), anchor, at),
                None => continue,
            },
            _ => continue,
        };
        nodes += 1;
        if nodes > MAX_NODES {
            return refused(format!("more than {MAX_NODES} values"));
        }
        let size = match &value {
            Value::List(items) => items.iter().map(|item| item.size).sum::<usize>() + 1,
            Value::Map(entries) => entries.iter().map(|e| e.value.size).sum::<usize>() + 1,
            Value::Null | Value::Text(_) => 1,
        };
        let node = Rc::new(Node { at, value, size });
        if anchor > 0 {
            anchors.insert(anchor, Rc::clone(&node));
        }
        give(node, &mut open, &mut documents)?;
    }
    Ok(documents)
}

/// Computes the lines and columns of values, which must be requested in order.
struct Places<'y> {
    /// The text after the last place, if lines must be counted differently from the parser; otherwise `None`.
    rest: Option<Chars<'y>>,
    index: usize,
    at: (usize, usize),
}

impl<'y> Places<'y> {
    fn new(yaml: &'y str) -> Places<'y> {
        Places {
            rest: has_other_breaks(yaml).then(|| yaml.chars()),
            index: 0,
            at: (1, 1),
        }
    }

    fn of(&mut self, marker: &Marker) -> (usize, usize) {
        let Some(rest) = &mut self.rest else {
            return (marker.line(), marker.col() + 1);
        };
        while self.index < marker.index() {
            match rest.next() {
                Some('\n') => self.at = (self.at.0 + 1, 1),
                Some(_) => self.at.1 += 1,
                None => break,
            }
            self.index += 1;
        }
        self.at
    }
}

/// Adds a value to the innermost open list or mapping.
fn give(
    node: Rc<Node>,
    open: &mut [(Open, (usize, usize), usize)],
    documents: &mut Vec<Rc<Node>>,
) -> Result<(), Wrong> {
    match open.last_mut() {
        None => documents.push(node),
        Some((Open::List(items), ..)) => items.push(node),
        Some((
            Open::Map {
                entries,
                known,
                key,
            },
            ..,
        )) => match key.take() {
            Some((key, at)) => entries.push(Entry {
                key,
                at,
                value: node,
            }),
            None => {
                let name = match &node.value {
                    Value::Text(text) => text.clone(),
                    Value::Null => String::new(),
                    Value::List(_) | Value::Map(_) => {
                        return Err((node.at, "a key that is not a text".into()));
                    }
                };
                if !known.insert(name.clone()) {
                    return Err((node.at, format!("the key {name:?} is given twice")));
                }
                *key = Some((name, node.at));
            }
        },
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_place() {
        let documents = read("a: 401\nb:\n  - x: [y, ~]\n---\n'null'\n").unwrap();
        let [first, second] = documents.as_slice() else {
            panic!("{documents:?}");
        };
        assert_eq!(
            (first.get_text("a"), second.text()),
            (Some("401"), Some("null"))
        );
        let list = first.get("b").unwrap().items()[0].get("x").unwrap();
        assert_eq!((list.at, list.items().len()), ((3, 8), 2));
        assert!(matches!(list.items()[1].value, Value::Null));
    }

    #[test]
    fn aliases_are_values_up_to_a_limit() {
        let documents = read("a: &x {b: c}\nd: *x\n").unwrap();
        assert_eq!(documents[0].get("d").unwrap().get_text("b"), Some("c"));
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let of = format!("*a{}, ", level - 1).repeat(10);
            bomb += &format!("a{level}: &a{level} [{of}]\n");
        }
        assert!(read(&bomb).unwrap_err().1.contains("aliases"));
        assert!(read("a: &a [*a]").is_err());
    }

    #[test]
    fn lines_are_those_of_editors() {
        for other in ["\r", "\u{85}", "\u{2028}"] {
            let text = format!("a: 'b{other} {other} c'\nc: d\nc: e\n");
            assert_eq!(read(&text).unwrap_err().0, (3, 1), "{other:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_has_a_place() {
        assert_eq!(read("a: b\na: c\n").unwrap_err().0, (2, 1));
        assert!(read("a: [b\nc: d").is_err());
        let many: String = (0..200_000).map(|key| format!("k{key}: x\n")).collect();
        assert_eq!(read(&many).unwrap()[0].entries().len(), 200_000);
        assert_eq!(read(&(many + "k7: x\n")).unwrap_err().0, (200_001, 1));
        for deep in ["[", "- ", "{a: ", "? "] {
            assert!(read(&deep.repeat(100_000)).is_err(), "{deep}");
        }
    }
}
