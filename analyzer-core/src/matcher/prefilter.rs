//! Selects the conditions that an event or object may fulfil, by a few words in it.

use std::borrow::Cow;
use std::sync::OnceLock;

use kwhy_catalogue::Catalogue;
use kwhy_model::{Event, Format, Text};
use kwhy_prefilter::WordStarts;
use kwhy_signature::{ConditionId, Index};

use super::object_prefilter::ObjectPrefilter;

/// Finds the leaf conditions worth a full test.
#[derive(Debug)]
pub(crate) struct Prefilter {
    index: Cow<'static, Index>,
    /// The conditions on objects of each kind that a condition names, and last those on other kinds; built when such an
    /// object is first tested.
    of_objects: Vec<OnceLock<ObjectPrefilter>>,
    /// Finds the words of statements; built when a text is first tested.
    statements: OnceLock<WordStarts>,
}

impl Prefilter {
    /// Creates the prefilter of a catalogue's signatures.
    pub fn new(catalogue: &Catalogue) -> Prefilter {
        let index = catalogue.index();
        Prefilter {
            of_objects: (0..=index.kinds.len()).map(|_| OnceLock::new()).collect(),
            statements: OnceLock::new(),
            index,
        }
    }

    /// Returns the index, for texts that are not parsed yet.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the leaf conditions that an event may fulfil whatever its texts, sorted and deduplicated.
    pub fn class(&self, event: &Event<'_>) -> Vec<ConditionId> {
        let mut leaves = self.index.any_event.to_vec();
        if let Some(reason) = &event.reason {
            self.index.reason(reason.as_str(), &mut leaves);
        }
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    /// Returns the leaf conditions that an event may fulfil, judging by its texts and its class, sorted and
    /// deduplicated. `record` is the raw event.
    pub fn event(
        &self,
        (event, record): (&Event<'_>, &[u8]),
        texts: &[Text<'_>],
        class: &[ConditionId],
    ) -> Vec<ConditionId> {
        let mut found = class.to_vec();
        let into = &mut found;
        self.index.entry(record, into);
        if matches!(event.format, Format::Plain | Format::Prose) {
            self.statements(texts, into);
        }
        for text in texts {
            let text = text.as_str();
            if is_verbatim(event.format) || is_folded(text) {
                self.index.text(text.as_bytes(), into);
            } else {
                self.index.text(folded(text).as_bytes(), into);
            }
        }
        // a stable sort merges sorted runs fast
        found.sort();
        found.dedup();
        found
    }

    /// Adds the conditions on statements that one of these texts may fulfil.
    fn statements(&self, texts: &[Text<'_>], into: &mut Vec<ConditionId>) {
        let all = &self.index.statements;
        // conditions that need no word come first, under an empty word
        if all.words.get(0) == Some("") {
            into.extend(all.conditions.get(0));
        }
        let search = self.statements.get_or_init(|| WordStarts::new(&all.words));
        for text in texts {
            search.find_all(&all.words, text.as_str().as_bytes(), |word| {
                into.extend(all.conditions.get(word));
            });
        }
    }

    /// Returns the leaf conditions that a raw object may fulfil, sorted and deduplicated.
    pub fn entries(&self, record: &[u8]) -> Vec<ConditionId> {
        let mut leaves = Vec::new();
        self.index.entry(record, &mut leaves);
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    /// Returns the slot of the conditions on objects of a kind; kinds that no condition names share the last one.
    pub(super) fn of_objects(&self, kind: Option<&str>) -> Option<&OnceLock<ObjectPrefilter>> {
        let number = kind.and_then(|kind| self.index.kind_number(kind));
        self.of_objects
            .get(number.unwrap_or(self.index.kinds.len()))
    }

    /// Returns the leaf conditions on objects of a kind, sorted and deduplicated.
    pub fn objects(&self, kind: Option<&str>) -> Vec<ConditionId> {
        let mut leaves = self.index.any_object.to_vec();
        if let Some(kind) = kind {
            self.index.kind(kind, &mut leaves);
        }
        // a stable sort merges sorted runs fast
        leaves.sort();
        leaves.dedup();
        leaves
    }
}

/// Returns true if the literals of a condition must occur in a record of this format with exactly their spaces, so that
/// they can be found before the record is parsed. People and terminals wrap tables, descriptions and objects, but not
/// log files.
pub(crate) fn is_verbatim(format: Format) -> bool {
    !format.is_structured()
}

/// Collapses each run of spaces into one, and adds one at each end.
fn folded(text: &str) -> String {
    let mut folded = String::from(" ");
    for word in text.split_whitespace() {
        folded.push_str(word);
        folded.push(' ');
    }
    folded
}

/// Returns true if a text contains only single spaces.
fn is_folded(text: &str) -> bool {
    let blank = |b: u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r');
    let bytes = text.as_bytes();
    let other = |b: &u8| blank(*b) && *b != b' ';
    !bytes.iter().any(other) && !bytes.windows(2).any(|pair| pair == b"  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding() {
        assert!(is_folded("a b c") && is_folded(""));
        assert!(!is_folded("a  b") && !is_folded("a\tb") && !is_folded("a\nb"));
    }
}
