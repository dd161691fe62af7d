//! Detection of lost indentation.

use super::key_case;
use super::layout::{Content, Entry, Schema, is_absent};
use crate::input::Line;

/// The maximum depth of nested blocks searched: the state of a template's container is the deepest.
const MAX_DEPTH: usize = 5;

/// Returns true if most lines of deeper levels are not indented more than those of outer levels.
pub(super) fn is_flat(schema: &Schema, lines: &[Line<'_>]) -> bool {
    if schema.generic {
        return key_case::is_flat(lines);
    }
    let mut least = [usize::MAX; MAX_DEPTH + 1];
    let mut found = Vec::new();
    // the level of the lines that belong to the last key
    let mut open = None;
    for line in lines.iter().filter(|line| !line.is_blank()) {
        let entry = Entry::new(*line);
        let indent = line.indent();
        match key_level(schema.root, &entry, 0) {
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

/// The levels at which the schema knows a key.
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
