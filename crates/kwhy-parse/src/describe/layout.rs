//! The layout of a describe: lines become a tree of named values.
//!
//! kubectl indents by two spaces per level (kubernetes/kubectl `pkg/describe/describe.go`,
//! unchanged in releases 0.17 to 0.36). Pasted text has often lost some or all of that indentation,
//! so a line is placed by two kinds of evidence: its indentation, and the [`Block`]s of the kind's
//! schema, which list the keys of each block. Without a schema, indentation alone decides. The
//! schema also shows whether indentation was lost: its deeper keys are not indented more.

use super::table::Table;
use super::tree_builder::TreeBuilder;
use super::{key_case, lost_indent};
use crate::input::Line;
use kwhy_model::Value;

/// Converts a node to its value.
pub(super) type Reader = for<'a> fn(&Tree<'a>, &Node<'a>) -> Option<Value<'a>>;

/// A known key of a block.
pub(super) struct Field {
    /// The key as printed, without its colon.
    pub key: &'static str,
    /// The name of the value in the object.
    pub name: &'static str,
    /// The content that may follow below the key.
    pub content: Content,
    /// Converts the node to the field's value.
    pub read: Reader,
    /// True if the field may repeat within its block.
    pub repeats: bool,
    /// True if the key is printed without a colon.
    pub bare: bool,
}

/// Returns a field that occurs once, with a colon.
pub(super) const fn field(
    key: &'static str,
    name: &'static str,
    content: Content,
    read: Reader,
) -> Field {
    Field {
        key,
        name,
        content,
        read,
        repeats: false,
        bare: false,
    }
}

impl Field {
    /// Marks the field as repeatable.
    pub const fn repeatable(mut self) -> Field {
        self.repeats = true;
        self
    }

    /// Returns true if a text without a colon starts with the field's key.
    pub fn starts(&self, text: &str) -> bool {
        text.strip_prefix(self.key).is_some_and(|rest| {
            rest.is_empty()
                || (rest.starts_with([' ', '\t']) && matches!(self.content, Content::Value))
        })
    }

    /// Marks the field as printed without a colon.
    pub const fn bare(mut self) -> Field {
        self.bare = true;
        self
    }
}

/// The known keys of a block.
pub(super) struct Block {
    /// The fields; at most 64 unless they repeat.
    pub fields: &'static [Field],
    /// True if keys may repeat within the block.
    pub repeats: bool,
}

impl Block {
    /// Returns the position of a key among the fields.
    pub fn position(&self, key: &str) -> Option<usize> {
        self.fields
            .iter()
            .position(|field| field.key == key && !field.bare)
    }

    /// Returns the position of the field that a line starts.
    pub fn find(&self, entry: &Entry<'_>) -> Option<usize> {
        match entry.key {
            Some(key) => self.position(key.text),
            None => self
                .fields
                .iter()
                .position(|field| field.bare && field.starts(entry.value.text)),
        }
    }
}

/// The content that may follow below a key.
#[derive(Clone, Copy)]
pub(super) enum Content {
    /// Continuation lines of the value only.
    Value,
    /// Raw text that may continue at any indentation.
    Text,
    /// One entry per line.
    Lines,
    /// Lines with a syntax of their own.
    Rows(fn(&str) -> bool),
    /// The header and rows of a table.
    Table(&'static Table),
    /// Known keys.
    Fields(&'static Block),
    /// Named blocks of known keys, such as containers.
    Named(&'static Block),
    /// Values under user-defined names.
    Entries,
    /// Anything, structured by indentation.
    Any,
    /// Known keys, and anything else structured by indentation.
    Open(&'static Block),
}

/// The layout of a kind's describe.
pub(super) struct Schema {
    /// The keys of the object itself.
    pub root: Content,
    /// Paths to the blocks in which a text without its top may start.
    pub implied: &'static [&'static [&'static str]],
    /// True if only keys as printed by the generic describer count as keys, because free text may
    /// occur between them.
    pub generic: bool,
}

/// A line split at its first colon that is followed by a space or the end of the line.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    /// The whole line.
    pub line: Line<'a>,
    /// The key, if there is a colon.
    pub key: Option<Line<'a>>,
    /// The text after the key; without a key, the trimmed line.
    pub value: Line<'a>,
}

impl<'a> Entry<'a> {
    /// Splits a line.
    pub fn new(line: Line<'a>) -> Entry<'a> {
        let text = trimmed(line);
        // the spaces after an empty value distinguish it from a title
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

    /// Returns the text of the key, empty if there is none.
    pub fn key_text(&self) -> &'a str {
        self.key.map_or("", |key| key.text)
    }
}

/// Returns a line without its surrounding spaces.
pub(super) fn trimmed(line: Line<'_>) -> Line<'_> {
    let line = line.trim_start();
    Line {
        text: line.text.trim_end(),
        ..line
    }
}

/// Returns the bytes `from..to` of a line; its empty end if they are not on character boundaries.
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

/// A key with its value and the content below it.
pub(super) struct Node<'a> {
    /// The key; empty for the root and for a block whose title was cut off.
    pub key: Line<'a>,
    /// The value on the line of the key.
    pub value: Line<'a>,
    /// The column of the value within its line.
    pub column: usize,
    /// Further lines of the value, verbatim.
    pub lines: Vec<Line<'a>>,
    /// Indices of the child nodes.
    pub children: Vec<usize>,
    /// The field in the schema, if known.
    pub field: Option<&'static Field>,
    /// The content that may follow below it.
    pub content: Content,
    /// The indentation of the key; less than any other for the root.
    pub indent: i64,
    /// Bit set of the block's fields that were present.
    pub seen: u64,
}

/// The lines of one object as a tree.
pub(super) struct Tree<'a> {
    /// The nodes, root first; none is ever removed.
    pub nodes: Vec<Node<'a>>,
    /// Numbers of the lines that could not be placed.
    pub not_understood: Vec<u64>,
    /// True if the keys of a map are sorted, as the generic describer prints them.
    pub sorted: bool,
}

impl<'a> Tree<'a> {
    /// Returns the root: the object itself.
    pub fn root(&self) -> &Node<'a> {
        &self.nodes[0]
    }

    /// Returns the child nodes, in order.
    pub fn children(&self, node: &Node<'a>) -> impl Iterator<Item = &Node<'a>> {
        node.children
            .iter()
            .filter_map(|index| self.nodes.get(*index))
    }

    /// Returns the first child node with that key.
    pub fn child(&self, node: &Node<'a>, key: &str) -> Option<&Node<'a>> {
        self.children(node).find(|child| child.key.text == key)
    }

    /// Returns a tree that consists of its root.
    pub fn new(root: Content, at: Line<'a>, sorted: bool) -> Tree<'a> {
        Tree {
            sorted,
            nodes: vec![Node::new(at, at, 0, i64::MIN, root, None)],
            not_understood: Vec::new(),
        }
    }

    /// Builds the tree of the lines of one object.
    pub fn build(schema: &Schema, lines: &[Line<'a>]) -> Tree<'a> {
        let at = lines.first().map_or_else(empty, |line| part(*line, 0, 0));
        let tree = Tree::new(schema.root, at, schema.generic);
        let is_entry = if schema.generic {
            key_case::reader(lines)
        } else {
            Entry::new
        };
        let mut builder = TreeBuilder::new(tree, schema, lost_indent::is_flat(schema, lines));
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

/// Returns true if the line replaces omitted lines.
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
    /// Returns a node without children.
    pub fn new(
        key: Line<'a>,
        value: Line<'a>,
        column: usize,
        indent: i64,
        content: Content,
        field: Option<&'static Field>,
    ) -> Node<'a> {
        Node {
            key,
            value,
            column,
            lines: Vec::new(),
            children: Vec::new(),
            field,
            content,
            indent,
            seen: 0,
        }
    }
}

/// Returns true if the printed value is a placeholder for none.
pub(super) fn is_absent(text: &str) -> bool {
    matches!(
        text,
        "<none>" | "<unset>" | "<unknown>" | "<nil>" | "<invalid>"
    )
}
