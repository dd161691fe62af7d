//! Which conditions an event or object may fulfil, told from a few words in it.

use crate::model::{Event, Object, Text};
use crate::signature::{Catalogue, Index, Leaf};

/// Finds the leaf conditions worth a full test.
#[derive(Debug)]
pub(crate) struct Prefilter {
    builtin: Option<&'static Index>,
    others: Index,
}

impl Prefilter {
    /// For all signatures of a catalogue.
    pub fn new(catalogue: &Catalogue) -> Prefilter {
        let (builtin, others) = catalogue.indexes();
        Prefilter { builtin, others }
    }

    fn indexes(&self) -> impl Iterator<Item = &Index> {
        self.builtin
            .into_iter()
            .chain(std::iter::once(&self.others))
    }

    /// The leaf conditions that an event may fulfil, in order, each once.
    pub fn event(&self, event: &Event<'_>, texts: &[Text<'_>], into: &mut Vec<Leaf>) {
        into.clear();
        for index in self.indexes() {
            into.extend(index.any_event.iter());
            if let Some(reason) = &event.reason {
                index.reason(reason.as_str(), into);
            }
        }
        for text in texts {
            let text = text.as_str();
            if is_folded(text) {
                self.text(text, into);
            } else {
                self.text(&text.split_whitespace().collect::<Vec<_>>().join(" "), into);
            }
        }
        into.sort_unstable();
        into.dedup();
    }

    fn text(&self, text: &str, into: &mut Vec<Leaf>) {
        for index in self.indexes() {
            index.text(text.as_bytes(), into);
        }
    }

    /// The leaf conditions that an object may fulfil, in order, each once.
    pub fn object(&self, object: &Object<'_>, into: &mut Vec<Leaf>) {
        into.clear();
        for index in self.indexes() {
            into.extend(index.any_object.iter());
            if let Some(kind) = &object.subject.kind {
                index.kind(kind, into);
            }
        }
        into.sort_unstable();
        into.dedup();
    }
}

/// Whether all blanks of a text stand alone.
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
