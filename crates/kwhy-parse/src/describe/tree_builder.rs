//! Assignment of lines to nodes of the tree.

use super::condition_row::is_condition_row;
use super::key_case;
use super::layout::{Block, Content, Entry, Field, Node, Schema, Tree, is_absent, part, trimmed};
use super::recognise::is_container_reason;
use super::table::{Table, is_dashes};
use crate::input::Line;

/// The maximum depth of the tree; deeper nodes are attached to an ancestor at this depth.
const MAX_DEPTH: usize = 24;
/// The maximum number of entries per node; further lines are listed as not understood.
const MAX_ENTRIES: usize = 1000;

/// The name of the field whose rows are recognised without their header.
const CONDITIONS: &str = "conditions";

/// The way in which a line belongs to a node.
enum Placement {
    Field(&'static Block, usize),
    Child(Content),
    Line,
}

/// Builds the tree line by line.
pub(super) struct TreeBuilder<'a, 's> {
    tree: Tree<'a>,
    /// The path from the root to the node of the last line.
    open: Vec<usize>,
    /// Empty lines since that line.
    empty_lines: Vec<Line<'a>>,
    flat: bool,
    schema: &'s Schema,
}

impl<'a, 's> TreeBuilder<'a, 's> {
    /// Starts with a tree that has only its root; `flat` means that indentation was lost.
    pub fn new(tree: Tree<'a>, schema: &'s Schema, flat: bool) -> Self {
        TreeBuilder {
            tree,
            open: vec![0],
            empty_lines: Vec::new(),
            flat,
            schema,
        }
    }

    /// Adds a line; `next` is the key of the line after it.
    pub fn push(&mut self, entry: &Entry<'a>, next: &str) {
        if !entry.line.is_blank() {
            self.place(entry, next);
        } else if self.empty_lines.len() < MAX_ENTRIES {
            self.empty_lines.push(entry.line);
        }
    }

    /// Returns the tree.
    pub fn finish(self) -> Tree<'a> {
        self.tree
    }

    fn place(&mut self, entry: &Entry<'a>, next: &str) {
        let empty_lines = std::mem::take(&mut self.empty_lines);
        let indent = entry.line.indent() as i64;
        // the text starts inside a block whose keys the object has too
        if self.tree.nodes.len() == 1 {
            let is_inside = !next.is_empty() && known_key(self.schema.root, next).is_none();
            if (is_container_reason(entry) && self.place_implied(entry, indent, next, false))
                || (is_inside && self.place_implied(entry, indent, next, true))
            {
                return;
            }
        }
        if self.place_headless(entry.line, indent) {
            return;
        }
        match self.find(entry, indent, next) {
            Some((depth, Placement::Line)) => self.add_line(depth, entry.line, empty_lines),
            Some((depth, Placement::Field(block, position))) => {
                if let Some(field) = block.fields.get(position) {
                    self.retitle_implied(depth, block, position);
                    if let Some(node) = self.node_mut(depth)
                        && !block.repeats
                        && !field.repeats
                    {
                        node.seen |= 1 << (position % 64);
                    }
                    self.add_child(depth, entry, indent, field.content, Some(field));
                }
            }
            Some((depth, Placement::Child(content))) => {
                self.add_child(depth, entry, indent, content, None)
            }
            None if self.place_implied(entry, indent, next, false) => {}
            None if is_dashes(entry.line.text) => {}
            None => self.place_unknown(entry, indent),
        }
    }

    fn find(&self, entry: &Entry<'a>, indent: i64, next: &str) -> Option<(usize, Placement)> {
        let open = || {
            self.open
                .iter()
                .enumerate()
                .rev()
                .filter_map(|(depth, index)| Some((depth, self.tree.nodes.get(*index)?)))
        };
        if !self.flat {
            let placement = open()
                .filter(|(_, node)| node.indent < indent)
                .find_map(|(depth, node)| Some((depth, placement(node, entry, next, true)?)));
            if placement.is_some() {
                return placement;
            }
        }
        let known =
            open().find_map(|(depth, node)| Some((depth, known_placement(node, entry, next)?)));
        if known.is_some() {
            return known;
        }
        if let Some((depth, node)) = open().next()
            && continues_text(node, entry)
        {
            return Some((depth, Placement::Line));
        }
        open()
            .filter(|(_, node)| self.flat || node.indent == indent)
            .find_map(|(depth, node)| Some((depth, placement(node, entry, next, self.flat)?)))
    }

    /// Opens the table of a header, or of a leading condition row, whose title was cut off; returns false otherwise.
    fn place_headless(&mut self, line: Line<'a>, indent: i64) -> bool {
        let (Content::Fields(block) | Content::Open(block)) = self.schema.root else {
            return false;
        };
        let nodes = || {
            self.open
                .iter()
                .filter_map(|index| self.tree.nodes.get(*index))
        };
        let is_inside = || {
            nodes().any(|node| matches!(node.content, Content::Table(table) if table.accepts(line)))
        };
        let is_first = self.tree.nodes.len() == 1;
        let begins = |field: &Field, table: &Table| {
            let is_row = || is_first && field.name == CONDITIONS && is_condition_row(line.text);
            table.is_header(line.text) || is_row()
        };
        let seen = nodes().next().map_or(0, |root| root.seen);
        let found = (0..).zip(block.fields).find(|(position, field)| {
            matches!(field.content, Content::Table(table) if begins(field, table))
                && seen & (1 << (position % 64)) == 0
        });
        let Some((position, field)) = found.filter(|_| !is_inside()) else {
            return false;
        };
        let origin = part(line, 0, 0);
        let node = Node::new(origin, origin, 0, indent - 1, field.content, Some(field));
        if !self.push_node(0, node) {
            return false;
        }
        if let Some(root) = self.tree.nodes.first_mut() {
            root.seen |= 1 << (position % 64);
        }
        self.add_line(1, line, Vec::new());
        true
    }

    /// Opens the block whose title was cut off.
    fn place_implied(
        &mut self,
        entry: &Entry<'a>,
        indent: i64,
        next: &str,
        next_too: bool,
    ) -> bool {
        for path in self.schema.implied {
            let mut content = self.schema.root;
            let mut blocks = Vec::new();
            for key in *path {
                match content {
                    Content::Fields(block) => {
                        let Some(position) = block.position(key) else {
                            break;
                        };
                        let Some(field) = block.fields.get(position) else {
                            break;
                        };
                        blocks.push((part(entry.line, 0, 0), *key, field.content, Some(field)));
                        content = field.content;
                    }
                    Content::Named(block) => {
                        content = Content::Fields(block);
                        blocks.push((part(entry.line, 0, 0), "", content, None));
                    }
                    _ => break,
                }
            }
            let probe = Node::new(entry.value, entry.value, 0, i64::MIN, content, None);
            let Some(found) = known_placement(&probe, entry, next) else {
                continue;
            };
            if next_too && known_key(content, next).is_none() {
                continue;
            }
            self.open.truncate(1);
            let count = blocks.len() as i64;
            for (step, (origin, key, content, field)) in (0..).zip(blocks) {
                let depth = self.open.len() - 1;
                let existing = self.node(depth).and_then(|node| {
                    node.children.iter().copied().rfind(|index| {
                        self.tree.nodes.get(*index).is_some_and(|child| {
                            !key.is_empty()
                                && child.field.is_some_and(|known| known.key == key)
                                && matches!(child.content, Content::Named(_))
                        })
                    })
                });
                if let Some(index) = existing {
                    self.open.push(index);
                    continue;
                }
                let node = Node::new(origin, origin, 0, indent - count + step, content, field);
                self.push_node(depth, node);
            }
            let depth = self.open.len() - 1;
            match found {
                Placement::Field(block, position) => {
                    if let Some(node) = self.node_mut(depth)
                        && !block.repeats
                    {
                        node.seen |= 1 << (position % 64);
                    }
                    if let Some(field) = block.fields.get(position) {
                        self.add_child(depth, entry, indent, field.content, Some(field));
                    }
                }
                Placement::Child(content) => self.add_child(depth, entry, indent, content, None),
                Placement::Line => {}
            }
            return true;
        }
        false
    }

    /// Gives a block whose title was cut off the title before the one that was assumed, as the assumed one comes now:
    /// containers before `Containers:` are init containers.
    fn retitle_implied(&mut self, depth: usize, block: &'static Block, position: usize) {
        let Some((field, earlier)) = block.fields.get(..=position).and_then(|f| f.split_last())
        else {
            return;
        };
        let Content::Named(named) = field.content else {
            return;
        };
        let is_alike = |field: &&Field| matches!(field.content, Content::Named(other) if std::ptr::eq(other, named));
        let Some(earlier) = earlier.iter().rfind(is_alike) else {
            return;
        };
        let children = self.node(depth).map(|node| node.children.clone());
        for index in children.unwrap_or_default() {
            if let Some(node) = self.tree.nodes.get_mut(index)
                && node.key.text.is_empty()
                && node.field.is_some_and(|known| std::ptr::eq(known, field))
            {
                node.field = Some(earlier);
            }
        }
    }

    /// Keeps a key missing from the schema; a newer kubectl may print it.
    fn place_unknown(&mut self, entry: &Entry<'a>, indent: i64) {
        let depth = (0..self.open.len()).rev().find(|depth| {
            self.node(*depth).is_some_and(|node| {
                node.indent < indent
                    && matches!(
                        node.content,
                        Content::Fields(_) | Content::Any | Content::Open(_)
                    )
            })
        });
        match (entry.key, depth) {
            (Some(key), Some(depth)) if is_title(key.text) => {
                self.add_child(depth, entry, indent, Content::Any, None);
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

    fn add_line(&mut self, depth: usize, line: Line<'a>, empty_lines: Vec<Line<'a>>) {
        let is_last = depth + 1 == self.open.len();
        self.open.truncate(depth + 1);
        match self.node_mut(depth) {
            Some(node) if node.lines.len() < MAX_ENTRIES => {
                if is_last {
                    node.lines.extend(empty_lines);
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
        content: Content,
        field: Option<&'static Field>,
    ) {
        let (key, value) = match (entry.key, field) {
            (Some(key), _) => (key, entry.value),
            // a field printed without a colon
            (None, Some(field)) => (
                part(entry.value, 0, field.key.len()),
                trimmed(part(entry.value, field.key.len(), entry.value.text.len())),
            ),
            (None, None) => return,
        };
        let column = value.start.saturating_sub(entry.line.start);
        let node = Node::new(key, value, column, indent, content, field);
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

/// Returns true if a line continues the text of the previous node, at any indentation.
fn continues_text(node: &Node<'_>, entry: &Entry<'_>) -> bool {
    match node.content {
        Content::Text => node.field.is_some() || entry.key.is_none(),
        Content::Table(table) => table.last_cell_continues && node.lines.len() > 1,
        // text of the generic describer
        Content::Any => {
            entry.key.is_none()
                && node.indent > i64::MIN
                && node.children.is_empty()
                && (!node.value.text.is_empty() || !node.lines.is_empty())
        }
        _ => false,
    }
}

fn known_key(content: Content, key: &str) -> Option<usize> {
    match content {
        Content::Fields(block) | Content::Open(block) => block.position(key),
        _ => None,
    }
}

/// Matches a line that certainly belongs to the node: by a known key, or by the name of a block
/// that is followed by a known key.
fn known_placement(node: &Node<'_>, entry: &Entry<'_>, next: &str) -> Option<Placement> {
    match node.content {
        Content::Fields(block) | Content::Open(block) => {
            let position = block.find(entry)?;
            (node.seen & (1 << (position % 64)) == 0).then_some(Placement::Field(block, position))
        }
        Content::Named(block) => {
            let key = entry.key?.text;
            (entry.value.text.is_empty() && is_name(key) && block.position(next).is_some())
                .then_some(Placement::Child(Content::Fields(block)))
        }
        _ => None,
    }
}

/// Matches a line by its syntax; `inside` means that it is probably below the node.
fn placement(node: &Node<'_>, entry: &Entry<'_>, next: &str, inside: bool) -> Option<Placement> {
    let line = || inside.then_some(Placement::Line);
    let indent = entry.line.indent() as i64;
    match node.content {
        Content::Value if entry.key.is_none() && !is_absent(node.value.text) => {
            (indent > node.indent).then_some(Placement::Line)
        }
        Content::Text => (inside && indent > node.indent).then_some(Placement::Line),
        Content::Lines if !is_absent(node.value.text) => line(),
        Content::Rows(accepts) => accepts(entry.line.text).then_some(Placement::Line),
        Content::Table(table) => {
            let continues =
                table.last_cell_continues && !node.lines.is_empty() && indent > node.indent;
            (table.accepts(entry.line) || continues).then_some(Placement::Line)
        }
        Content::Fields(_) => known_placement(node, entry, next),
        Content::Named(block) => (entry.value.text.is_empty()
            && entry.key.is_some_and(|key| is_name(key.text)))
        .then_some(Placement::Child(Content::Fields(block))),
        Content::Entries if entry.key.is_some() && !is_absent(node.value.text) => {
            inside.then_some(Placement::Child(Content::Text))
        }
        Content::Open(_) => known_placement(node, entry, next)
            .or_else(|| (inside && entry.key.is_some()).then_some(Placement::Child(Content::Any))),
        // list items that are not maps are lines without a key, all at the same indentation
        Content::Any
            if node
                .lines
                .first()
                .is_some_and(|first| first.indent() as i64 == indent && indent > node.indent) =>
        {
            line()
        }
        Content::Any if entry.key.is_some() => {
            // without indentation, all that follows a title belongs to it, up to the object's next
            // part
            let is_title = node.value.text.is_empty() && node.lines.is_empty();
            let holds = indent > node.indent || (is_title && !key_case::is_part(entry));
            (inside && holds).then_some(Placement::Child(Content::Any))
        }
        Content::Any if node.children.is_empty() => line(),
        _ => None,
    }
}

/// Returns true if the key can be the name of a container or volume.
fn is_name(key: &str) -> bool {
    key.len() <= 253
        && key.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && key
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-._".contains(&b))
}

/// Returns true if the key looks like one of kubectl's: an initial capital and few words.
fn is_title(key: &str) -> bool {
    key.len() <= 64
        && key.starts_with(|c: char| c.is_ascii_uppercase())
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b" -_/.()".contains(&b))
        && key.split(' ').count() <= 5
}
