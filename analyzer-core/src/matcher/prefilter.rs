//! The conditions that an event or object may fulfil, found by a few words in it.

use std::borrow::Cow;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use kwhy_catalogue::Catalogue;
use kwhy_model::{Event, Format, Text};
use kwhy_signature::{ConditionId, Index};

use super::object_prefilter::ObjectPrefilter;

/// Finds the leaf conditions worth a full test.
#[derive(Debug)]
pub(crate) struct Prefilter {
    index: Cow<'static, Index>,
    /// The conditions on objects of each kind that one asks for, and on those of other kinds, made when such
    /// an object is tested first.
    of_objects: Vec<OnceLock<ObjectPrefilter>>,
    /// Finds the words of statements, made when a text is tested first.
    statements: OnceLock<Option<AhoCorasick>>,
}

impl Prefilter {
    /// For all signatures of a catalogue.
    pub fn new(catalogue: &Catalogue) -> Prefilter {
        let index = catalogue.index();
        Prefilter {
            of_objects: (0..=index.kinds.len()).map(|_| OnceLock::new()).collect(),
            statements: OnceLock::new(),
            index,
        }
    }

    /// The index, for texts that are not parsed yet.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The leaf conditions that an event may fulfil whatever its texts say, in order, each once.
    pub fn class(&self, event: &Event<'_>) -> Vec<ConditionId> {
        let mut leaves = self.index.any_event.to_vec();
        if let Some(reason) = &event.reason {
            self.index.reason(reason.as_str(), &mut leaves);
        }
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    /// The leaf conditions that an event may fulfil by what its texts say and those of its class, in order, each once; `record` is the
    /// event as it is written.
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
        // the class is in order, and a stable sort joins what is
        found.sort();
        found.dedup();
        found
    }

    /// Adds the conditions on what sentences state that one of these texts may fulfil.
    fn statements(&self, texts: &[Text<'_>], into: &mut Vec<ConditionId>) {
        let all = &self.index.statements;
        // those that need no word come first, under an empty one
        let first = usize::from(all.words.get(0) == Some(""));
        let words = || all.iter().skip(first);
        into.extend((0..first).flat_map(|number| all.conditions.get(number)));
        let search = self.statements.get_or_init(|| {
            // quicker to make than what finds faster
            let kind = Some(AhoCorasickKind::NoncontiguousNFA);
            let mut search = AhoCorasick::builder();
            let search = search.kind(kind).ascii_case_insensitive(true);
            search.build(words().map(|(word, _)| word.as_bytes())).ok()
        });
        let Some(search) = search else {
            into.extend(words().flat_map(|(_, leaves)| leaves));
            return;
        };
        for text in texts {
            let found = search.find_overlapping_iter(text.as_str());
            into.extend(
                found.flat_map(|word| all.conditions.get(first + word.pattern().as_usize())),
            );
        }
    }

    /// The leaf conditions that an object may fulfil as it is written, in order, each once.
    pub fn entries(&self, record: &[u8]) -> Vec<ConditionId> {
        let mut leaves = Vec::new();
        self.index.entry(record, &mut leaves);
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    /// The place of the conditions on objects of a kind; kinds that no condition asks for share the last one.
    pub(super) fn of_objects(&self, kind: Option<&str>) -> Option<&OnceLock<ObjectPrefilter>> {
        let number = kind.and_then(|kind| self.index.kind_number(kind));
        self.of_objects
            .get(number.unwrap_or(self.index.kinds.len()))
    }

    /// The leaf conditions on objects of a kind, in order, each once.
    pub fn objects(&self, kind: Option<&str>) -> Vec<ConditionId> {
        let mut leaves = self.index.any_object.to_vec();
        if let Some(kind) = kind {
            self.index.kind(kind, &mut leaves);
        }
        // each of both is sorted, and a stable sort joins what is
        leaves.sort();
        leaves.dedup();
        leaves
    }
}

/// Returns true if the texts that a condition needs must occur in a record of this format with just the
/// spaces that they have: so they can be found before the record is parsed. People and terminals
/// wrap tables, descriptions and objects, but not log files.
pub(crate) fn is_verbatim(format: Format) -> bool {
    !format.is_structured()
}

/// The text with one space for each run of spaces, and one at each end for those that may be there.
fn folded(text: &str) -> String {
    let mut folded = String::from(" ");
    for word in text.split_whitespace() {
        folded.push_str(word);
        folded.push(' ');
    }
    folded
}

/// Returns true if all spaces of a text are alone.
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
