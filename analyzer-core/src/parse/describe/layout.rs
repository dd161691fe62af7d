//! The layout of a describe: lines become a tree of named values.
//!
//! kubectl indents by two blanks a level (kubernetes/kubectl `pkg/describe/describe.go`, the same
//! in releases 0.17 to 0.36). What people paste often lost some or all of that indentation, so a
//! line is placed by two kinds of evidence: its indentation, and the [`Block`]s of the kind's
//! schema, which say what keys belong where. Without a schema the indentation alone decides.

use crate::input::Line;
use crate::model::Value;

/// Nodes deeper than this are kept as plain lines of their ancestor.
const MAX_DEPTH: usize = 24;
/// Entries that one node takes; further lines are listed as not understood.
const MAX_ENTRIES: usize = 1000;

/// Makes the value of a node.
pub(super) type Reader = for<'a> fn(&Tree<'a>, &Node<'a>) -> Option<Value<'a>>;

/// A known key of a block.
pub(super) struct Field {
    /// The key as printed, without its colon.
    pub key: &'static str,
    /// The value's name in the object.
    pub name: &'static str,
    /// What may stand below it.
    pub below: Below,
    /// Makes its value.
    pub read: Reader,
}

/// The known keys of one block.
pub(super) struct Block {
    /// The keys, at most 64.
    pub fields: &'static [Field],
    /// Whether a key may occur again in the same block.
    pub repeats: bool,
}

impl Block {
    fn position(&self, key: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.key == key)
    }
}

/// What may stand below a key.
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
    /// Known keys.
    Fields(&'static Block),
    /// Named blocks of known keys, such as containers.
    Named(&'static Block),
    /// Values under names that the user chose.
    Entries,
    /// Anything, by indentation.
    Any,
}

/// What a kind's describe looks like.
pub(super) struct Schema {
    /// The keys of the object itself.
    pub root: Below,
    /// Paths of keys to blocks that a text cut at its top may begin in.
    pub implied: &'static [&'static [&'static str]],
    /// Keys that stand at one level, outer levels first; tells whether indentation was lost.
    pub levels: &'static [&'static [&'static str]],
}

/// A line taken apart at its first colon that a blank or the line's end follows.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    /// The whole line.
    pub line: Line<'a>,
    /// The key, if there is a colon.
    pub key: Option<Line<'a>>,
    /// What follows the key; without a key the line without its outer blanks.
    pub value: Line<'a>,
}

impl<'a> Entry<'a> {
    /// Takes a line apart.
    pub fn new(line: Line<'a>) -> Entry<'a> {
        let text = trimmed(line);
        let bytes = text.text.as_bytes();
        let colon = memchr::memchr_iter(b':', bytes)
            .take(64)
            .find(|&at| bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace));
        match colon {
            Some(at) if at > 0 => Entry {
                line,
                key: Some(part(text, 0, at)),
                value: trimmed(part(text, at + 1, text.text.len())),
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

/// A line without its outer blanks.
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

/// A key with its value and what stands below it.
pub(super) struct Node<'a> {
    /// The key; empty for the root and for a block whose title was cut off.
    pub key: Line<'a>,
    /// The value on the key's line.
    pub value: Line<'a>,
    /// The column of the value in its line.
    pub column: usize,
    /// Further lines of the value, as they stand.
    pub lines: Vec<Line<'a>>,
    /// The nodes below.
    pub children: Vec<usize>,
    /// The schema's field, if it is a known one.
    pub field: Option<&'static Field>,
    below: Below,
    indent: i64,
    seen: u64,
}

/// The lines of one object as a tree.
pub(super) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    /// Lines that fit nowhere.
    pub not_understood: Vec<u64>,
}

impl<'a> Tree<'a> {
    /// The object itself.
    pub fn root(&self) -> &Node<'a> {
        // a tree is made with its root and never loses a node
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

    /// Places the lines of one object.
    pub fn build(schema: &Schema, lines: &[Line<'a>]) -> Tree<'a> {
        let Some(first) = lines.first() else {
            return Tree {
                nodes: vec![Node::new(empty(), empty(), 0, i64::MIN, schema.root, None)],
                not_understood: Vec::new(),
            };
        };
        let nothing = part(*first, 0, 0);
        let mut builder = Builder {
            tree: Tree {
                nodes: vec![Node::new(nothing, nothing, 0, i64::MIN, schema.root, None)],
                not_understood: Vec::new(),
            },
            open: vec![0],
            blanks: Vec::new(),
            flat: is_flat(schema, lines),
            schema,
        };
        let mut entries = lines
            .iter()
            .filter(|line| !is_gap(line.text))
            .map(|line| Entry::new(*line))
            .peekable();
        while let Some(entry) = entries.next() {
            if entry.line.is_blank() {
                if builder.blanks.len() < MAX_ENTRIES {
                    builder.blanks.push(entry.line);
                }
                continue;
            }
            let next = entries.peek().map_or("", Entry::key_text);
            builder.place(&entry, next);
        }
        builder.tree
    }
}

fn empty<'a>() -> Line<'a> {
    Line {
        text: "",
        start: 0,
        number: 1,
    }
}

/// Whether a line stands for lines that the writer left out.
fn is_gap(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.len() < 16
        && text
            .trim_matches(['.', '…', '[', ']', ' ', '<', '>'])
            .is_empty()
        && (text.contains("..") || text.contains('…'))
}

/// Whether the lines of deeper levels mostly stand no deeper than those of outer levels.
fn is_flat(schema: &Schema, lines: &[Line<'_>]) -> bool {
    let mut least = vec![usize::MAX; schema.levels.len()];
    let mut found = Vec::new();
    for line in lines.iter() {
        let entry = Entry::new(*line);
        let Some(key) = entry.key else { continue };
        let level = schema
            .levels
            .iter()
            .position(|level| level.contains(&key.text));
        if let Some(level) = level {
            let indent = line.indent();
            if let Some(slot) = least.get_mut(level) {
                *slot = indent.min(*slot);
            }
            found.push((level, indent));
        }
    }
    let (mut deeper, mut shallow) = (0usize, 0usize);
    for (level, indent) in found {
        let outer = least.iter().take(level).min().copied();
        if let Some(outer) = outer.filter(|outer| *outer < usize::MAX) {
            deeper += 1;
            shallow += usize::from(indent <= outer);
        }
    }
    shallow * 2 > deeper
}

/// Where a line fits.
enum Fit {
    Field(&'static Block, usize),
    Child(Below),
    Line,
}

struct Builder<'a, 's> {
    tree: Tree<'a>,
    /// The path from the root to the node of the last line.
    open: Vec<usize>,
    /// Empty lines since then.
    blanks: Vec<Line<'a>>,
    flat: bool,
    schema: &'s Schema,
}

impl<'a> Builder<'a, '_> {
    fn place(&mut self, entry: &Entry<'a>, next: &str) {
        let blanks = std::mem::take(&mut self.blanks);
        let indent = entry.line.indent() as i64;
        // cut at its top inside a block whose keys the object itself has too
        if self.tree.nodes.len() == 1
            && !next.is_empty()
            && known_key(self.schema.root, next).is_none()
            && self.place_implied(entry, indent, next, true)
        {
            return;
        }
        match self.find(entry, indent, next) {
            Some((depth, Fit::Line)) => self.add_line(depth, entry.line, blanks),
            Some((depth, Fit::Field(block, position))) => {
                if let Some(field) = block.fields.get(position) {
                    if let Some(node) = self.node_mut(depth)
                        && !block.repeats
                    {
                        node.seen |= 1 << (position % 64);
                    }
                    self.add_child(depth, entry, indent, field.below, Some(field));
                }
            }
            Some((depth, Fit::Child(below))) => self.add_child(depth, entry, indent, below, None),
            None if self.place_implied(entry, indent, next, false) => {}
            None => self.place_unknown(entry, indent),
        }
    }

    fn find(&self, entry: &Entry<'a>, indent: i64, next: &str) -> Option<(usize, Fit)> {
        let open = || {
            self.open
                .iter()
                .enumerate()
                .rev()
                .filter_map(|(depth, index)| Some((depth, self.tree.nodes.get(*index)?)))
        };
        if !self.flat {
            let fit = open()
                .filter(|(_, node)| node.indent < indent)
                .find_map(|(depth, node)| Some((depth, fit(node, entry, next, true)?)));
            if fit.is_some() {
                return fit;
            }
        }
        let known = open().find_map(|(depth, node)| Some((depth, known_fit(node, entry, next)?)));
        if known.is_some() {
            return known;
        }
        if let Some((depth, node)) = open().next()
            && matches!(node.below, Below::Text)
            && (node.field.is_some() || entry.key.is_none())
        {
            return Some((depth, Fit::Line));
        }
        open()
            .filter(|(_, node)| self.flat || node.indent == indent)
            .find_map(|(depth, node)| Some((depth, fit(node, entry, next, self.flat)?)))
    }

    /// Opens the block that an outer title, which was cut off, would have opened.
    fn place_implied(
        &mut self,
        entry: &Entry<'a>,
        indent: i64,
        next: &str,
        next_too: bool,
    ) -> bool {
        for path in self.schema.implied {
            let mut below = self.schema.root;
            let mut blocks = Vec::new();
            for key in *path {
                match below {
                    Below::Fields(block) => {
                        let Some(position) = block.position(key) else {
                            break;
                        };
                        let field = &block.fields[position];
                        blocks.push((part(entry.line, 0, 0), *key, field.below, Some(field)));
                        below = field.below;
                    }
                    Below::Named(block) => {
                        below = Below::Fields(block);
                        blocks.push((part(entry.line, 0, 0), "", below, None));
                    }
                    _ => break,
                }
            }
            let probe = Node::new(entry.value, entry.value, 0, i64::MIN, below, None);
            let Some(found) = known_fit(&probe, entry, next) else {
                continue;
            };
            if next_too && known_key(below, next).is_none() {
                continue;
            }
            self.open.truncate(1);
            let count = blocks.len() as i64;
            for (step, (place, key, below, field)) in (0..).zip(blocks) {
                let depth = self.open.len() - 1;
                let existing = self.node(depth).and_then(|node| {
                    node.children.iter().copied().rfind(|index| {
                        self.tree.nodes.get(*index).is_some_and(|child| {
                            !key.is_empty()
                                && child.field.is_some_and(|known| known.key == key)
                                && matches!(child.below, Below::Named(_))
                        })
                    })
                });
                if let Some(index) = existing {
                    self.open.push(index);
                    continue;
                }
                let node = Node::new(place, place, 0, indent - count + step, below, field);
                self.push_node(depth, node);
            }
            let depth = self.open.len() - 1;
            match found {
                Fit::Field(block, position) => {
                    if let Some(node) = self.node_mut(depth)
                        && !block.repeats
                    {
                        node.seen |= 1 << (position % 64);
                    }
                    let field = &block.fields[position];
                    self.add_child(depth, entry, indent, field.below, Some(field));
                }
                Fit::Child(below) => self.add_child(depth, entry, indent, below, None),
                Fit::Line => {}
            }
            return true;
        }
        false
    }

    /// Keeps a key that the schema lacks, as a newer kubectl may print it.
    fn place_unknown(&mut self, entry: &Entry<'a>, indent: i64) {
        let depth = (0..self.open.len()).rev().find(|depth| {
            self.node(*depth).is_some_and(|node| {
                node.indent < indent && matches!(node.below, Below::Fields(_) | Below::Any)
            })
        });
        match (entry.key, depth) {
            (Some(key), Some(depth)) if is_title(key.text) => {
                self.add_child(depth, entry, indent, Below::Any, None);
            }
            _ => self.reject(entry.line),
        }
    }

    fn node(&self, depth: usize) -> Option<&Node<'a>> {
        self.tree.nodes.get(*self.open.get(depth)?)
    }

    fn node_mut(&mut self, depth: usize) -> Option<&mut Node<'a>> {
        self.tree.nodes.get_mut(*self.open.get(depth)?)
    }

    fn reject(&mut self, line: Line<'a>) {
        self.tree.not_understood.push(line.number);
    }

    fn add_line(&mut self, depth: usize, line: Line<'a>, blanks: Vec<Line<'a>>) {
        let is_last = depth + 1 == self.open.len();
        self.open.truncate(depth + 1);
        match self.node_mut(depth) {
            Some(node) if node.lines.len() < MAX_ENTRIES => {
                if is_last {
                    node.lines.extend(blanks);
                }
                node.lines.push(line);
            }
            _ => self.reject(line),
        }
    }

    fn add_child(
        &mut self,
        depth: usize,
        entry: &Entry<'a>,
        indent: i64,
        below: Below,
        field: Option<&'static Field>,
    ) {
        let Some(key) = entry.key else { return };
        let column = entry.value.start.saturating_sub(entry.line.start);
        let node = Node::new(key, entry.value, column, indent, below, field);
        if !self.push_node(depth, node) {
            self.reject(entry.line);
        }
    }

    fn push_node(&mut self, depth: usize, node: Node<'a>) -> bool {
        let depth = depth.min(MAX_DEPTH);
        let index = self.tree.nodes.len();
        match self.node_mut(depth) {
            Some(parent) if parent.children.len() < MAX_ENTRIES => parent.children.push(index),
            _ => return false,
        }
        self.tree.nodes.push(node);
        self.open.truncate(depth + 1);
        self.open.push(index);
        true
    }
}

impl<'a> Node<'a> {
    fn new(
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

fn known_key(below: Below, key: &str) -> Option<usize> {
    match below {
        Below::Fields(block) => block.position(key),
        _ => None,
    }
}

/// Where a line fits that is sure to belong to a node: by a known key, or by the name of a block
/// that a known key follows.
fn known_fit(node: &Node<'_>, entry: &Entry<'_>, next: &str) -> Option<Fit> {
    let key = entry.key?.text;
    match node.below {
        Below::Fields(block) => {
            let position = block.position(key)?;
            (node.seen & (1 << (position % 64)) == 0).then_some(Fit::Field(block, position))
        }
        Below::Named(block) => {
            (entry.value.text.is_empty() && is_name(key) && block.position(next).is_some())
                .then_some(Fit::Child(Below::Fields(block)))
        }
        _ => None,
    }
}

/// Where a line fits by its form; `inside` says that its place is likely below the node.
fn fit(node: &Node<'_>, entry: &Entry<'_>, next: &str, inside: bool) -> Option<Fit> {
    let line = || inside.then_some(Fit::Line);
    match node.below {
        Below::Value if entry.key.is_none() && !is_nothing(node.value.text) => {
            let deep = (entry.line.indent() as i64) > node.indent;
            deep.then_some(Fit::Line)
        }
        Below::Text => (inside && (entry.line.indent() as i64) > node.indent).then_some(Fit::Line),
        Below::Lines if !is_nothing(node.value.text) => line(),
        Below::Rows(accepts) => accepts(entry.line.text).then_some(Fit::Line),
        Below::Fields(_) => known_fit(node, entry, next),
        Below::Named(block) => (entry.value.text.is_empty()
            && entry.key.is_some_and(|key| is_name(key.text)))
        .then_some(Fit::Child(Below::Fields(block))),
        Below::Entries if entry.key.is_some() && !is_nothing(node.value.text) => {
            inside.then_some(Fit::Child(Below::Text))
        }
        Below::Any if entry.key.is_some() => inside.then_some(Fit::Child(Below::Any)),
        // the object itself has no lines without a key
        Below::Any if node.indent > i64::MIN => line(),
        _ => None,
    }
}

/// Whether a printed value stands for none.
pub(super) fn is_nothing(text: &str) -> bool {
    matches!(
        text,
        "<none>" | "<unset>" | "<unknown>" | "<nil>" | "<invalid>"
    )
}

/// Whether a key can be the name of a container or volume.
fn is_name(key: &str) -> bool {
    key.len() <= 253
        && key.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && key
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-._".contains(&b))
}

/// Whether a key reads like one of kubectl's: a capital letter and few words.
fn is_title(key: &str) -> bool {
    key.len() <= 64
        && key.starts_with(|c: char| c.is_ascii_uppercase())
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b" -_/.()".contains(&b))
        && key.split(' ').count() <= 5
}
