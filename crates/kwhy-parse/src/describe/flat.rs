//! Detection of lost indentation.

use super::label;
use super::layout::{Below, Entry, Schema, is_nothing};
use crate::input::Line;

/// The maximum depth of nested blocks searched: the state of a template's container is the deepest.
const DEEPEST: usize = 5;

/// Returns true if most lines of deeper levels are not indented more than those of outer levels.
pub(super) fn is_flat(schema: &Schema, lines: &[Line<'_>]) -> bool {
    if schema.generic {
        return label::is_flat(lines);
    }
    let mut least = [usize::MAX; DEEPEST + 1];
    let mut found = Vec::new();
    // the level of the lines that belong to the last key
    let mut open = None;
    for line in lines.iter().filter(|line| !line.is_blank()) {
        let entry = Entry::new(*line);
        let indent = line.indent();
        match level(schema.root, &entry, 0) {
            Place::One(level, below) => {
                if let Some(slot) = least.get_mut(level) {
                    *slot = indent.min(*slot);
                }
                found.push((level, indent));
                let takes = matches!(
                    below,
                    Below::Lines | Below::Entries | Below::Rows(_) | Below::Table(_)
                );
                open = (takes && !is_nothing(entry.value.text)).then_some(level + 1);
            }
            Place::Many => open = None,
            Place::None => found.extend(open.map(|level| (level, indent))),
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
enum Place {
    None,
    One(usize, Below),
    Many,
}

fn level(below: Below, entry: &Entry<'_>, depth: usize) -> Place {
    let block = match below {
        Below::Fields(block) | Below::Open(block) => block,
        Below::Named(block) if depth < DEEPEST => {
            return level(Below::Fields(block), entry, depth + 1);
        }
        _ => return Place::None,
    };
    let mut place = match block.find(entry).and_then(|at| block.fields.get(at)) {
        Some(field) => Place::One(depth, field.below),
        None => Place::None,
    };
    if depth == DEEPEST {
        return place;
    }
    for field in block.fields {
        place = match (place, level(field.below, entry, depth + 1)) {
            (Place::Many, _) | (_, Place::Many) => return Place::Many,
            (known, Place::None) => known,
            (Place::None, found) => found,
            (Place::One(a, below), Place::One(b, _)) if a == b => Place::One(a, below),
            _ => return Place::Many,
        };
    }
    place
}
