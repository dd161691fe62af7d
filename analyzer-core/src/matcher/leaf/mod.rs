//! Tests of one event or one object against one pattern.

mod event;
mod object;
mod value;

use kwhy_model::Span;
use kwhy_signature::{Comparison, Pattern, Place};

pub(crate) use event::{RequiredTexts, event, is_of_class};
pub(super) use object::{TestedFields, compares_otherwise, object};
pub(super) use value::{Kept, holds, kept};

/// A captured value with its name.
pub(crate) type Capture = (String, String);

/// A place at which a pattern was found in an event or object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The byte range of the proof in the document.
    pub mark: Span,
    /// The byte range of the entry that contains it, if that is not the whole record.
    pub entry: Option<Span>,
    pub captures: Vec<Capture>,
    /// How specific the proof is: the number of literal characters required.
    pub weight: usize,
    /// The container that it is about.
    pub container: Option<String>,
    /// The time at which the previous run of the container ended, if it is about that run, in nanoseconds since 1970.
    pub ended: Option<i128>,
    /// The spans of further evidence: the other values that were tested, and those beside them.
    pub around: Vec<Span>,
}

impl Found {
    /// Searches a text for a pattern and adds its captures. Returns false if it does not occur.
    fn find(&mut self, pattern: &Pattern, text: &str) -> bool {
        let place = pattern.find(text);
        if let Some(place) = &place {
            self.take(pattern, text, place);
        }
        place.is_some()
    }

    fn take(&mut self, pattern: &Pattern, text: &str, place: &Place) {
        self.weight += pattern.weight();
        for name in pattern.slots() {
            // patterns match bytes, and may cut a character
            if let Some(range) = place.slot(name, text) {
                let value = text.as_bytes().get(range).unwrap_or_default();
                let value = String::from_utf8_lossy(value).into_owned();
                self.captures.push((name.to_owned(), value));
            }
        }
    }
}

/// Returns true if a value is one of these words, where `*` at the end matches any rest; always true if there are none.
pub(super) fn is_one_of(known: &[String], value: Option<&str>) -> bool {
    known.is_empty()
        || value.is_some_and(|value| {
            known.iter().any(|word| match word.strip_suffix('*') {
                Some(start) => value.starts_with(start),
                None => word == value,
            })
        })
}

/// Returns true if one of these patterns matches a whole text.
fn whole(patterns: &[Pattern], text: &str, found: &mut Found) -> bool {
    patterns.iter().any(|pattern| {
        if let Some(word) = pattern.as_word() {
            let equal = word == text;
            if equal {
                found.weight += word.bytes().filter(u8::is_ascii_alphanumeric).count();
            }
            return equal;
        }
        match pattern.find_whole(text) {
            Some(place) => {
                found.take(pattern, text, &place);
                true
            }
            None => false,
        }
    })
}

/// Returns true if comparisons of captured values hold.
pub(crate) fn compare(captures: &[Capture], comparisons: &[Comparison]) -> bool {
    let value = |name: &str| {
        let captured = captures.iter().find(|(known, _)| known == name);
        captured.map(|(_, value)| value.as_str())
    };
    let mut comparisons = comparisons.iter();
    comparisons.all(|comparison| comparison.holds(value))
}
