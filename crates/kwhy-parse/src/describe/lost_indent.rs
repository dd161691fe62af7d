//! Detection of lost indentation.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::key_case;
use super::layout::{Block, Content, Entry, Field, Schema, is_absent};
use crate::input::Line;

/// The maximum depth of nested blocks searched: the state of a template's container is the deepest.
const MAX_DEPTH: usize = 5;

/// Returns true if most lines of deeper levels are not indented more than those of outer levels.
pub(super) fn is_flat(schema: &Schema, lines: &[Line<'_>]) -> bool {
    if schema.generic {
        return key_case::is_flat(lines);
    }
    let keys = Keys::of(schema.root);
    let mut least = [usize::MAX; MAX_DEPTH + 1];
    let mut found = Vec::new();
    // the level of lines that belong to the last key
    let mut open = None;
    for line in lines.iter().filter(|line| !line.is_blank()) {
        let entry = Entry::new(*line);
        let indent = line.indent();
        match keys.level(schema.root, &entry) {
            KeyLevel::One(level, content) => {
                if let Some(slot) = least.get_mut(level) {
                    *slot = indent.min(*slot);
                }
                found.push((level, indent));
                let takes_lines = matches!(
                    content,
                    Content::Lines | Content::Entries | Content::Rows(_) | Content::Table(_)
                );
                open = (takes_lines && !is_absent(entry.value.text)).then_some(level + 1);
            }
            KeyLevel::Many => open = None,
            KeyLevel::None => found.extend(open.map(|level| (level, indent))),
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

/// The keys of a schema with their levels; cached, as a large input has many objects of one kind.
#[derive(Default)]
struct Keys {
    known: HashMap<&'static str, OnceLock<KeyLevel>>,
    /// The fields printed without a colon.
    bare: Vec<&'static Field>,
}

impl Keys {
    /// Returns the keys below the root of a schema.
    fn of(root: Content) -> Arc<Keys> {
        /// Keyed by the address of the root's block.
        static ALL: RwLock<Vec<(usize, Arc<Keys>)>> = RwLock::new(Vec::new());
        let Some(block) = block_of(root) else {
            return Arc::default();
        };
        let address = std::ptr::from_ref(block).addr();
        let all = ALL.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, keys)) = all.iter().find(|(known, _)| *known == address) {
            return Arc::clone(keys);
        }
        drop(all);
        let mut keys = Keys::default();
        keys.add(block, 0);
        let keys = Arc::new(keys);
        let mut all = ALL.write().unwrap_or_else(PoisonError::into_inner);
        all.push((address, Arc::clone(&keys)));
        keys
    }

    fn add(&mut self, block: &'static Block, depth: usize) {
        for field in block.fields {
            if field.bare {
                self.bare.push(field);
            } else {
                self.known.entry(field.key).or_default();
            }
            if let Some(below) = block_of(field.content).filter(|_| depth < MAX_DEPTH) {
                self.add(below, depth + 1);
            }
        }
    }

    /// Returns the levels at which the schema knows the key of a line.
    fn level(&self, root: Content, entry: &Entry<'_>) -> KeyLevel {
        match entry.key {
            Some(key) => match self.known.get(key.text) {
                Some(level) => *level.get_or_init(|| key_level(root, entry, 0)),
                None => KeyLevel::None,
            },
            None => match self.bare.iter().any(|field| field.starts(entry.value.text)) {
                true => key_level(root, entry, 0),
                false => KeyLevel::None,
            },
        }
    }
}

/// Returns the block of a content's known keys, if it has one.
fn block_of(content: Content) -> Option<&'static Block> {
    match content {
        Content::Fields(block) | Content::Open(block) | Content::Named(block) => Some(block),
        _ => None,
    }
}

/// The levels of a key in a schema.
#[derive(Clone, Copy)]
enum KeyLevel {
    None,
    One(usize, Content),
    Many,
}

fn key_level(content: Content, entry: &Entry<'_>, depth: usize) -> KeyLevel {
    let block = match content {
        Content::Fields(block) | Content::Open(block) => block,
        Content::Named(block) if depth < MAX_DEPTH => {
            return key_level(Content::Fields(block), entry, depth + 1);
        }
        _ => return KeyLevel::None,
    };
    let mut found = match block.find(entry).and_then(|at| block.fields.get(at)) {
        Some(field) => KeyLevel::One(depth, field.content),
        None => KeyLevel::None,
    };
    if depth == MAX_DEPTH {
        return found;
    }
    for field in block.fields {
        found = match (found, key_level(field.content, entry, depth + 1)) {
            (KeyLevel::Many, _) | (_, KeyLevel::Many) => return KeyLevel::Many,
            (known, KeyLevel::None) => known,
            (KeyLevel::None, found) => found,
            (KeyLevel::One(a, content), KeyLevel::One(b, _)) if a == b => KeyLevel::One(a, content),
            _ => return KeyLevel::Many,
        };
    }
    found
}
