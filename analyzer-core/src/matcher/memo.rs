//! What tests of objects said last: most rows of a table, and most pods of a list, say the same.

use std::collections::HashMap;

use super::leaf;
use kwhy_model::Value;
use kwhy_signature::ValueTest;

/// The results of the tests of each kind of object, by the address of its prefilter.
#[derive(Debug, Default)]
pub(crate) struct Memo(HashMap<usize, Results>);

impl Memo {
    /// The results of the tests of a kind, which has so many.
    pub(super) fn of(&mut self, kind: usize, tests: usize) -> &mut Results {
        let results = self.0.entry(kind).or_default();
        results.0.resize_with(tests, || None);
        results
    }
}

/// By the numbers of the tests, the value that each was held against last, and whether it passed.
#[derive(Debug, Default)]
pub(super) struct Results(Vec<Option<(Known, bool)>>);

impl Results {
    /// Returns true if a value passes the test with a number.
    pub fn holds(&mut self, number: usize, test: &ValueTest, value: Option<&Value<'_>>) -> bool {
        let slot = self.0.get_mut(number);
        if let Some(Some((known, holds))) = &slot
            && known.is(value)
        {
            return *holds;
        }
        let holds = leaf::holds(test, value);
        if let (Some(slot), Some(known)) = (slot, Known::new(value)) {
            *slot = Some((known, holds));
        }
        holds
    }
}

/// A value that a test was held against.
#[derive(Debug)]
enum Known {
    Text(Box<str>),
    Integer(i64),
}

impl Known {
    fn new(value: Option<&Value<'_>>) -> Option<Known> {
        match value? {
            Value::Text(text) => Some(Known::Text(text.as_str().into())),
            Value::Integer(number, _) => Some(Known::Integer(*number)),
            _ => None,
        }
    }

    fn is(&self, value: Option<&Value<'_>>) -> bool {
        match (self, value) {
            (Known::Text(known), Some(Value::Text(text))) => **known == *text.as_str(),
            (Known::Integer(known), Some(Value::Integer(number, _))) => known == number,
            _ => false,
        }
    }
}
