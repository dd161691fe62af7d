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
    /// The document's bytes that prove it.
    pub mark: Span,
    /// The bytes of the entry that it is in, where that is not the whole record.
    pub entry: Option<Span>,
    pub captures: Vec<Capture>,
    /// How specific the proof is: literal characters demanded.
    pub weight: usize,
    /// The container that it is about.
    pub container: Option<String>,
    /// The time at which the previous run of the container ended, if it is about that, in nanoseconds since 1970.
    pub ended: Option<i128>,
    /// What else states it: the other values that were asked for, and those beside them.
    pub around: Vec<Span>,
}

impl Found {
    /// Takes what a pattern captures in a text, if it is there.
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

/// Returns true if a value is one of these words, or starts as one that ends in `*`; any if there is none.
pub(super) fn is_one_of(known: &[String], value: Option<&str>) -> bool {
    known.is_empty()
        || value.is_some_and(|value| {
            known.iter().any(|word| match word.strip_suffix('*') {
                Some(start) => value.starts_with(start),
                None => word == value,
            })
        })
}

/// Returns true if one of these patterns is all of a text.
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

/// Returns true if captured values compare as is asked of them.
pub(crate) fn compare(captures: &[Capture], comparisons: &[Comparison]) -> bool {
    let value = |name: &str| {
        let captured = captures.iter().find(|(known, _)| known == name);
        captured.map(|(_, value)| value.as_str())
    };
    let mut comparisons = comparisons.iter();
    comparisons.all(|comparison| comparison.holds(value))
}
