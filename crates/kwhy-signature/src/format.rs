//! The canonical layout of signature files: the top-level keys of each document in one order.
//!
//! The formatter works on the text. It moves whole blocks, each with the comments above it, so comments, quotes and
//! line breaks stay as they were written. Documents without an `id` are not signatures and are left alone.

use super::check::documents;
use super::error::SignatureError;

/// The keys of a signature in the order in which they are written.
pub const KEYS: &[&str] = &[
    "id",
    "cause",
    "role",
    "alone",
    "generic",
    "tier",
    "severity",
    "at_any_level",
    "audit",
    "confidence",
    "title",
    "label",
    "subject",
    "match",
    "extent",
    "since",
    "needs",
    "fold",
    "families",
    "refines",
    "explains",
    "ends",
    "collect",
    "why",
    "check",
    "fix",
    "values",
    "references",
    "versions",
    "cre",
    "examples",
];

/// Returns the text of a signature file with the keys of each document in order, and without blank lines between
/// them. Formatting a second time changes nothing.
///
/// ```
/// use kwhy_signature::format::format;
/// let written = "# of the bakery\ncause: api/object-missing\n\nid: flour-missing\n";
/// let formatted = format("x.yaml", written).unwrap();
/// assert_eq!(formatted, "id: flour-missing\n# of the bakery\ncause: api/object-missing\n");
/// ```
///
/// # Errors
/// The text is not YAML, or moving its blocks would change its meaning, as with an anchor that would be used before it
/// is defined.
pub fn format(file: &str, yaml: &str) -> Result<String, SignatureError> {
    let before = values(file, yaml)?;
    let mut formatted = String::with_capacity(yaml.len() + 1);
    let mut document = Vec::new();
    for line in yaml.split_inclusive('\n') {
        if is_separator(line) {
            write_document(&document, &mut formatted);
            document.clear();
            formatted.push_str(line);
        } else {
            document.push(line);
        }
    }
    write_document(&document, &mut formatted);
    if values(file, &formatted).ok() != Some(before) {
        let message =
            "the keys cannot be put in order without a change of meaning; write each at the margin";
        return Err(SignatureError::new(file, yaml, (1, 1), message.to_owned()));
    }
    Ok(formatted)
}

/// Parses the values of all documents.
fn values(file: &str, yaml: &str) -> Result<Vec<serde_yaml::Value>, SignatureError> {
    let documents = documents(yaml);
    let values = documents.iter().map(|document| {
        serde_yaml::from_str(document.text()).map_err(|error| {
            SignatureError::from_yaml(file, document.text(), error)
                .within(yaml, document.lines_before())
        })
    });
    values.collect()
}

/// A top-level key with its value, and the comments above it.
struct Block<'y> {
    key: &'y str,
    lines: Vec<&'y str>,
}

impl Block<'_> {
    /// Returns true if blank lines after the block are part of its last value.
    fn keeps_blank_lines(&self) -> bool {
        self.lines.iter().any(|line| line.trim_end().ends_with('+'))
    }

    /// Returns its position in the order of keys; unknown keys come last.
    fn rank(&self) -> usize {
        let known = KEYS.iter().position(|key| *key == self.key);
        known.unwrap_or(KEYS.len())
    }
}

fn write_document(lines: &[&str], out: &mut String) {
    let is_signature = |blocks: &[Block<'_>]| blocks.iter().any(|block| block.key == "id");
    let split = split(lines).filter(|(_, blocks)| is_signature(blocks));
    let Some((head, mut blocks)) = split else {
        lines.iter().for_each(|line| out.push_str(line));
        return;
    };
    blocks.sort_by_key(Block::rank);
    for line in head
        .iter()
        .chain(blocks.iter().flat_map(|block| &block.lines))
    {
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push('\n');
        }
    }
}

/// Splits a document into the comments at its head, which belong to no key, and its blocks. Returns `None` if it is not
/// a mapping with its keys at the margin.
fn split<'y>(lines: &[&'y str]) -> Option<(Vec<&'y str>, Vec<Block<'y>>)> {
    let mut head = Vec::new();
    let mut blocks: Vec<Block<'y>> = Vec::new();
    // comments and blank lines that belong to the next block, or to the previous one if that continues
    let mut pending: Vec<&str> = Vec::new();
    for line in lines {
        if let Some(key) = key_of(line) {
            let blank = pending.iter().rposition(|line| is_blank(line));
            match (blocks.last_mut(), blank) {
                (None, Some(blank)) => head.extend(pending.drain(..=blank)),
                (Some(last), Some(_)) if last.keeps_blank_lines() => {
                    last.lines.append(&mut pending)
                }
                _ => {}
            }
            let modeline = |line: &&str| line.starts_with("# yaml-language-server:");
            if blocks.is_empty() && pending.first().is_some_and(modeline) {
                head.push(pending.remove(0));
            }
            pending.retain(|line| !is_blank(line));
            pending.push(line);
            blocks.push(Block {
                key,
                lines: std::mem::take(&mut pending),
            });
        } else if is_blank(line) || line.starts_with('#') {
            pending.push(line);
        } else {
            let last = blocks.last_mut()?;
            last.lines.append(&mut pending);
            last.lines.push(line);
        }
    }
    // comments at the end stay there
    let mut last = Block {
        key: "",
        lines: pending,
    };
    match blocks.last_mut() {
        Some(block) if block.keeps_blank_lines() => block.lines.append(&mut last.lines),
        Some(_) => last.lines.retain(|line| !is_blank(line)),
        None => return None,
    }
    blocks.push(last);
    Some((head, blocks))
}

/// Returns the key that a line at the margin starts with.
fn key_of(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(':')?;
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let is_key = !key.is_empty() && key.bytes().all(is_name);
    (is_key && value.chars().next().is_none_or(char::is_whitespace)).then_some(key)
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Returns true if a line separates documents.
fn is_separator(line: &str) -> bool {
    line.trim_end() == "---"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schema::Signature;

    fn formatted(yaml: &str) -> String {
        format("x.yaml", yaml).unwrap()
    }

    #[test]
    fn the_reader_knows_the_same_keys() {
        let error = serde_yaml::from_str::<Signature>("no_such_key: 1").unwrap_err();
        let message = error.to_string();
        let (_, list) = message.split_once("expected one of ").unwrap();
        let mut known: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
        known.sort_unstable();
        let mut keys = KEYS.to_vec();
        keys.sort_unstable();
        assert_eq!(known, keys);
    }

    #[test]
    fn blocks_move_with_their_comments() {
        let yaml = "\
# yaml-language-server: $schema=signature.schema.json
# the proof
match:
  # inside
  event:
# at the margin
    reason: X

why: |
  one

  two
refines:
- a
# of b
- b
# the id
id: x
# the end
";
        let expected = "\
# yaml-language-server: $schema=signature.schema.json
# the id
id: x
# the proof
match:
  # inside
  event:
# at the margin
    reason: X
refines:
- a
# of b
- b
why: |
  one

  two
# the end
";
        assert_eq!(formatted(yaml), expected);
    }

    #[test]
    fn documents_are_formatted_one_by_one() {
        let yaml = "# file\n\ntitle: b\nid: a\n---\nwhy: d\nid: c";
        let expected = "# file\n\nid: a\ntitle: b\n---\nid: c\nwhy: d\n";
        assert_eq!(formatted(yaml), expected);
    }

    #[test]
    fn what_cannot_move_stays_or_is_refused() {
        for other in ["{title: x, id: y}\n", "quoting: [a]\n\nrules: []\n"] {
            assert_eq!(formatted(other), other);
        }
        let kept = "why: |+\n  one\n\nid: x\n";
        assert_eq!(formatted(kept), "id: x\nwhy: |+\n  one\n\n");
        assert!(format("x.yaml", "why: &a one\nid: *a\n").is_err());
        assert_eq!(
            format("x.yaml", "id: x\n---\nid: [\n").unwrap_err().line(),
            4
        );
    }

    proptest! {
        #[test]
        fn formatting_twice_changes_nothing(
            blocks in prop::collection::vec((0..KEYS.len(), 0..8_usize, 0..4_usize), 0..12),
            ends_in_line_break: bool,
        ) {
            let mut seen = Vec::new();
            let mut yaml = String::new();
            for (key, value, above) in blocks {
                if seen.contains(&key) {
                    continue;
                }
                seen.push(key);
                yaml += ["", "# a comment\n", "\n", "# of all\n\n# of one\n"][above];
                yaml += KEYS[key];
                yaml += [
                    ": x\n",
                    ": 'a: b # c'\n",
                    ":\n- a\n# of b\n- b\n",
                    ": >-\n  folded\n\n  text\n",
                    ": |\n  id: x\n  # no comment\n",
                    ": [a,\n  b]\n",
                    ":\n  event: {reason: X}\n  none:\n    - event: {reason: Y}\n",
                    ": |+\n  kept\n\n",
                ][value];
            }
            if !seen.contains(&0) {
                yaml += "id: x\n";
            }
            if !ends_in_line_break && !yaml.ends_with("\n\n") {
                yaml.truncate(yaml.trim_end_matches('\n').len());
            }
            let Ok(once) = format("x.yaml", &yaml) else {
                return Ok(());
            };
            prop_assert_eq!(&formatted(&once), &once);
            let lines = |text: &str| {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.retain(|line| !is_blank(line));
                lines.sort_unstable();
                lines
            };
            prop_assert_eq!(lines(&once), lines(&yaml));
        }
    }
}
