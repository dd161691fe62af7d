//! Locates parts of a signature in its file.

use kwhy_signature::Signature;

/// Returns the line, counted from 1, at which `piece` occurs in a field of a signature's file; the
/// field's line if it does not occur literally, and the signature's line if there is no such field.
pub(super) fn line_of(signature: &Signature, field: &str, piece: &str) -> usize {
    if let Some(rule) = &signature.community {
        return rule.line;
    }
    let text: &str = &signature.source;
    let start = document(text, &signature.id);
    let (key, inner) = field.split_once('.').unwrap_or((field, ""));
    let at = match after_key(text, start, key) {
        Some(field) => {
            let rest = text.get(field..).unwrap_or_default();
            let field = field + inner_key(rest, inner).unwrap_or(0);
            let first = piece.trim_start().lines().next().unwrap_or(piece).trim();
            let found = text.get(field..).and_then(|rest| rest.find(first));
            field + found.unwrap_or(0)
        }
        None => start,
    };
    text.get(..at)
        .map_or(1, |before| before.matches('\n').count() + 1)
}

/// Returns the byte offset of a key on an indented line below the first line of a text.
fn inner_key(text: &str, key: &str) -> Option<usize> {
    let mut lines = text.split_inclusive('\n');
    let mut at = lines.next()?.len();
    for line in lines {
        let rest = line.trim_start();
        let spaces = line.len() - rest.len();
        if spaces == 0 || key.is_empty() {
            return None;
        }
        if rest
            .strip_prefix(key)
            .is_some_and(|rest| rest.starts_with(':'))
        {
            return Some(at + spaces);
        }
        at += line.len();
    }
    None
}

/// Returns the byte offset of the line with a signature's id; 0 if there is none.
fn document(text: &str, id: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let value = line.strip_prefix("id:").map(str::trim);
        if value.is_some_and(|value| value.trim_matches(['"', '\'']) == id) {
            return at;
        }
        at += line.len();
    }
    0
}

/// Returns the byte offset of the line of a top-level key, at or after `start`.
fn after_key(text: &str, start: usize, key: &str) -> Option<usize> {
    let mut at = start;
    for line in text.get(start..)?.split_inclusive('\n') {
        let rest = line.strip_prefix(key);
        if rest.is_some_and(|rest| rest.trim_start().starts_with(':')) {
            return Some(at);
        }
        if line.trim_end() == "---" && at > start {
            return None;
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use kwhy_catalogue::Catalogue;

    #[test]
    fn the_line_of_the_right_document() {
        let one = "\
id: one
cause: storage/configmap-missing
severity: error
title: '{name} is gone'
match:
  event: {reason: FailedMount, message: 'configmap \"{name}\" not found'}
why: it is mounted
";
        let two = format!("{one}---\n{}", one.replace("id: one", "id: two"));
        let mut catalogue = Catalogue::empty();
        catalogue.add_str("x.yaml", &two).unwrap();
        let line = |id, field, piece| line_of(catalogue.get(id).unwrap(), field, piece);
        assert_eq!(line("one", "match", "{name}"), 6);
        assert_eq!(line("two", "title", "{name}"), 12);
        assert_eq!(line("two", "match", "configmap \"{name}"), 14);
        assert_eq!(line("two", "match", "nothing of it"), 13);
        assert_eq!(line("two", "examples.match", "x"), 9);
    }
}
