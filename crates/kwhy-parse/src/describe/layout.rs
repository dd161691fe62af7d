//! The layout of a describe: lines become a tree of named values.
//!
//! kubectl indents by two spaces a level (kubernetes/kubectl `pkg/describe/describe.go`, the same
//! in releases 0.17 to 0.36). What people paste often lost some or all of that indentation, so a
//! line is placed by two kinds of evidence: its indentation, and the [`Block`]s of the kind's
//! schema, which say what keys belong where. Without a schema the indentation alone decides.
//! Whether indentation was lost is recognised by the schema too: its deeper keys occur no deeper.

use super::place::Builder;
use super::table::Table;
use super::{flat, label};
use crate::input::Line;
use kwhy_model::Value;

/// Makes the value of a node.
pub(super) type Reader = for<'a> fn(&Tree<'a>, &Node<'a>) -> Option<Value<'a>>;

/// A known key of a block.
pub(super) struct Field {
    /// The key as printed, without its colon.
    pub key: &'static str,
    /// The value's name in the object.
    pub name: &'static str,
    /// The lines that may follow below it.
    pub below: Below,
    /// Makes its value.
    pub read: Reader,
    /// True if it may occur again in its block.
    pub repeats: bool,
    /// True if it occurs without a colon.
    pub bare: bool,
}

/// A field that occurs once, with a colon.
pub(super) const fn field(
    key: &'static str,
    name: &'static str,
    below: Below,
    read: Reader,
) -> Field {
    Field {
        key,
        name,
        below,
        read,
        repeats: false,
        bare: false,
    }
}

impl Field {
    /// The same field, which may occur again.
    pub const fn again(mut self) -> Field {
        self.repeats = true;
        self
    }

    /// Returns true if a text without a colon starts with the field's key.
    pub fn begins(&self, text: &str) -> bool {
        text.strip_prefix(self.key).is_some_and(|rest| {
            rest.is_empty() || (rest.starts_with([' ', '\t']) && matches!(self.below, Below::Value))
        })
    }

    /// The same field, which occurs without a colon.
    pub const fn bare(mut self) -> Field {
        self.bare = true;
        self
    }
}

/// The known keys of one block.
pub(super) struct Block {
    /// The keys, at most 64 where none repeats.
    pub fields: &'static [Field],
    /// True if a key may occur again in the same block.
    pub repeats: bool,
}

impl Block {
    /// The place of a key among the block's fields.
    pub fn position(&self, key: &str) -> Option<usize> {
        self.fields
            .iter()
            .position(|field| field.key == key && !field.bare)
    }

    /// The place of the field that a line starts.
    pub fn find(&self, entry: &Entry<'_>) -> Option<usize> {
        match entry.key {
            Some(key) => self.position(key.text),
            None => self
                .fields
                .iter()
                .position(|field| field.bare && field.begins(entry.value.text)),
        }
    }
}

/// The lines that may follow below a key.
#[derive(Clone, Copy)]
pub(super) enum Below {
    /// Nothing but the value's own continuation.
    Value,
    /// Raw text that may run on in any column.
    Text,
    /// One entry a line.
    Lines,
    /// Lines that have a form of their own.
    Rows(fn(&str) -> bool),
    /// The header and rows of a table.
    Table(&'static Table),
    /// Known keys.
    Fields(&'static Block),
    /// Named blocks of known keys, such as containers.
    Named(&'static Block),
    /// Values under names that the user chose.
    Entries,
    /// Anything, by indentation.
    Any,
    /// Known keys, and anything else by indentation.
    Open(&'static Block),
}

/// The schema of a kind's describe.
pub(super) struct Schema {
    /// The keys of the object itself.
    pub root: Below,
    /// Paths of keys to blocks that a text cut at its top may start in.
    pub implied: &'static [&'static [&'static str]],
    /// True if only what the generic describer prints as a key is one: texts of any form occur
    /// between its keys.
    pub generic: bool,
}

/// A line parsed at its first colon that a space or the line's end follows.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    /// The whole line.
    pub line: Line<'a>,
    /// The key, if there is a colon.
    pub key: Option<Line<'a>>,
    /// The text after the key; without a key the line without its outer spaces.
    pub value: Line<'a>,
}

impl<'a> Entry<'a> {
    /// Parses a line.
    pub fn new(line: Line<'a>) -> Entry<'a> {
        let text = trimmed(line);
        // the spaces after an empty value show it from a title
        let whole = line.trim_start();
        let bytes = text.text.as_bytes();
        let colon = memchr::memchr_iter(b':', bytes)
            .take(64)
            .find(|&at| bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace));
        match colon {
            Some(at) if at > 0 => Entry {
                line,
                key: Some(part(text, 0, at)),
                value: trimmed(part(whole, at + 1, whole.text.len())),
            },
            _ => Entry {
                line,
                key: None,
                value: text,
            },
        }
    }

    /// The key's text, empty if there is none.
    pub fn key_text(&self) -> &'a str {
        self.key.map_or("", |key| key.text)
    }
}

/// A line without its outer spaces.
pub(super) fn trimmed(line: Line<'_>) -> Line<'_> {
    let line = line.trim_start();
    Line {
        text: line.text.trim_end(),
        ..line
    }
}

/// The bytes `from..to` of a line; an empty end of it if they are no range of whole characters.
pub(super) fn part(line: Line<'_>, from: usize, to: usize) -> Line<'_> {
    match line.text.get(from..to) {
        Some(text) => Line {
            text,
            start: line.start + from,
            number: line.number,
        },
        None => Line {
            text: "",
            start: line.start + line.text.len(),
            number: line.number,
        },
    }
}

/// A key with its value and what is below it.
pub(super) struct Node<'a> {
    /// The key; empty for the root and for a block whose title was cut off.
    pub key: Line<'a>,
    /// The value on the key's line.
    pub value: Line<'a>,
    /// The column of the value in its line.
    pub column: usize,
    /// Further lines of the value, as they are.
    pub lines: Vec<Line<'a>>,
    /// The nodes below.
    pub children: Vec<usize>,
    /// The schema's field, if it is a known one.
    pub field: Option<&'static Field>,
    /// The lines that may follow below it.
    pub below: Below,
    /// The key's column, smaller than any for the root.
    pub indent: i64,
    /// The positions of the block's fields that were there.
    pub seen: u64,
}

/// The lines of one object as a tree.
pub(super) struct Tree<'a> {
    /// The nodes, the root first; none is ever removed.
    pub nodes: Vec<Node<'a>>,
    /// Lines that fit nowhere.
    pub not_understood: Vec<u64>,
    /// True if the keys of a map are sorted, as the generic describer prints them.
    pub sorted: bool,
}

impl<'a> Tree<'a> {
    /// The object itself.
    pub fn root(&self) -> &Node<'a> {
        &self.nodes[0]
    }

    /// The nodes below a node, in order.
    pub fn children(&self, node: &Node<'a>) -> impl Iterator<Item = &Node<'a>> {
        node.children
            .iter()
            .filter_map(|index| self.nodes.get(*index))
    }

    /// The first node below a node with that key.
    pub fn child(&self, node: &Node<'a>, key: &str) -> Option<&Node<'a>> {
        self.children(node).find(|child| child.key.text == key)
    }

    /// A tree with nothing but its root.
    pub fn new(root: Below, at: Line<'a>, sorted: bool) -> Tree<'a> {
        Tree {
            sorted,
            nodes: vec![Node::new(at, at, 0, i64::MIN, root, None)],
            not_understood: Vec::new(),
        }
    }

    /// Places the lines of one object.
    pub fn build(schema: &Schema, lines: &[Line<'a>]) -> Tree<'a> {
        let at = lines.first().map_or_else(empty, |line| part(*line, 0, 0));
        let tree = Tree::new(schema.root, at, schema.generic);
        let is_entry = if schema.generic {
            label::reader(lines)
        } else {
            Entry::new
        };
        let mut builder = Builder::new(tree, schema, flat::is_flat(schema, lines));
        let mut entries = lines
            .iter()
            .filter(|line| !is_gap(line.text))
            .map(|line| is_entry(*line))
            .peekable();
        while let Some(entry) = entries.next() {
            let next = entries.peek().map_or("", Entry::key_text);
            builder.push(&entry, next);
        }
        builder.finish()
    }
}

fn empty<'a>() -> Line<'a> {
    Line {
        text: "",
        start: 0,
        number: 1,
    }
}

/// Returns true if a line stands for lines that the writer omitted, or says that there are none.
fn is_gap(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.len() < 16
        && text
            .trim_matches(['.', '…', '[', ']', ' ', '<', '>'])
            .is_empty()
        && (text.contains("..") || text.contains('…'))
}

impl<'a> Node<'a> {
    /// A node without anything below it.
    pub fn new(
        key: Line<'a>,
        value: Line<'a>,
        column: usize,
        indent: i64,
        below: Below,
        field: Option<&'static Field>,
    ) -> Node<'a> {
        Node {
            key,
            value,
            column,
            lines: Vec::new(),
            children: Vec::new(),
            field,
            below,
            indent,
            seen: 0,
        }
    }
}

/// Returns true if a printed value stands for none.
pub(super) fn is_nothing(text: &str) -> bool {
    matches!(
        text,
        "<none>" | "<unset>" | "<unknown>" | "<nil>" | "<invalid>"
    )
}
