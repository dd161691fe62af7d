//! Caches test results of events and objects: most rows of a table and most pods of a list are alike.

use std::borrow::Cow;

use super::leaf::{self, Kept};
use crate::hash::HashMap;
use kwhy_model::{Event, Format, Map, Object, Severity, Text, Value};
use kwhy_signature::{ConditionId, ValueTest};

/// The cached results for events and objects.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// The cached results per kind of object, by the address of the kind's prefilter.
    kinds: HashMap<usize, OfKind>,
    pub(super) classes: EventClasses,
}

/// The maximum number of cached event classes; the rows of an event table have few.
const MAX_CLASSES: usize = 512;
/// The maximum length of a word of a class: anything longer is not a name.
const MAX_WORD: usize = 256;

/// The properties of an event, other than its message, that most conditions test.
#[derive(Debug, PartialEq, Eq, Hash)]
struct EventClass {
    format: Format,
    severity: Option<Severity>,
    reason: Option<Box<str>>,
    component: Option<Box<str>>,
    kind: Option<Box<str>>,
}

impl EventClass {
    fn of(event: &Event<'_>) -> EventClass {
        let word = |text: &Option<Text<'_>>| text.as_ref().map(|text| text.as_str().into());
        EventClass {
            format: event.format,
            severity: event.severity,
            reason: word(&event.reason),
            component: word(&event.component),
            kind: event.subject.kind.as_deref().map(Box::from),
        }
    }
}

/// The conditions that events of a class may fulfil whatever their message, in order.
#[derive(Debug, Default)]
pub(super) struct EventClasses(HashMap<EventClass, Box<[ConditionId]>>);

impl EventClasses {
    /// Returns the conditions for the class of an event; `find` computes them if they are not cached.
    pub fn of(
        &mut self,
        event: &Event<'_>,
        find: impl FnOnce() -> Vec<ConditionId>,
    ) -> Cow<'_, [ConditionId]> {
        let texts = [event.reason.as_ref(), event.component.as_ref()];
        if texts
            .into_iter()
            .flatten()
            .any(|text| text.as_str().len() > MAX_WORD)
        {
            return find().into();
        }
        if self.0.len() >= MAX_CLASSES {
            self.0.clear();
        }
        let class = self.0.entry(EventClass::of(event));
        Cow::Borrowed(class.or_insert_with(|| find().into()))
    }
}

impl Memo {
    /// Returns the cache of a kind, sized for its number of tests.
    pub(super) fn of(&mut self, kind: usize, tests: usize) -> &mut OfKind {
        let of_kind = self.kinds.entry(kind).or_default();
        of_kind.results.0.resize_with(tests, || None);
        of_kind
    }
}

#[derive(Debug, Default)]
pub(super) struct OfKind {
    pub results: Results,
    /// The last object whose values are all scalars.
    pub last: Option<LastRow>,
}

/// A table row with the conditions that it passed. A row that differs only in values that none of them tested passes
/// the same ones.
#[derive(Debug)]
pub(super) struct LastRow {
    format: Format,
    listed: bool,
    keys: Vec<Box<str>>,
    /// The tested values by path, except numbers of which only the range matters.
    values: Vec<(Box<str>, Known)>,
    /// The results of the range tests of these numbers.
    ranges: Vec<RangeTest>,
    /// The numbers of the conditions that it passed.
    pub passed: Vec<usize>,
}

/// The result of testing the range of a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct RangeTest {
    /// The number of the condition.
    pub condition: usize,
    /// The number of the test among those of the condition.
    pub test: usize,
    pub holds: bool,
}

impl LastRow {
    /// Remembers an object; `None` if a tested value cannot be compared. Missing values are covered by the comparison
    /// of the keys.
    pub fn new<'p>(
        object: &Object<'_>,
        paths: impl Iterator<Item = &'p str>,
        ranges: Vec<RangeTest>,
        passed: Vec<usize>,
    ) -> Option<LastRow> {
        let values = paths.filter_map(|path| Some((path, object.fields.get(path)?)));
        let values = values.map(|(path, value)| Some((path.into(), Known::new(Some(value))?)));
        Some(LastRow {
            format: object.format,
            listed: object.listed,
            keys: object.fields.iter().map(|(key, _)| key.into()).collect(),
            values: values.collect::<Option<_>>()?,
            ranges,
            passed,
        })
    }

    /// Returns true if an object passes the same conditions. `holds` evaluates a range test on it.
    pub fn is_like(&self, object: &Object<'_>, holds: impl Fn(&RangeTest) -> bool) -> bool {
        (self.format, self.listed) == (object.format, object.listed)
            && has_keys(&object.fields, &self.keys)
            && (self.values.iter()).all(|(path, known)| known.is(object.fields.get(path)))
            && self.ranges.iter().all(|range| holds(range) == range.holds)
    }
}

fn has_keys(fields: &Map<'_>, keys: &[Box<str>]) -> bool {
    fields.len() == keys.len()
        && fields
            .iter()
            .zip(keys)
            .all(|((one, _), other)| *one == **other)
}

/// The last result of each test, by test number.
#[derive(Debug, Default)]
pub(super) struct Results(Vec<Option<Remembered>>);

/// A tested value and the result.
#[derive(Debug)]
struct Remembered {
    value: Known,
    holds: bool,
    /// The captures of the value, once they have been requested.
    kept: Option<Kept>,
}

impl Results {
    /// Returns true if a value passes the test with a number.
    pub fn holds(&mut self, number: usize, test: &ValueTest, value: Option<&Value<'_>>) -> bool {
        match self.remembered(number, test, value) {
            Some(remembered) => remembered.holds,
            None => leaf::holds(test, value),
        }
    }

    /// Returns what the test with a number captures from a value that passes it; `None` if such values are not cached.
    pub fn kept(&mut self, number: usize, test: &ValueTest, value: &Value<'_>) -> Option<&Kept> {
        let remembered = self.remembered(number, test, Some(value))?;
        if remembered.kept.is_none() {
            remembered.kept = Some(leaf::kept(test, value));
        }
        remembered.kept.as_ref()
    }

    /// Returns what the test with a number captured from the value that it tested last.
    pub fn last_kept(&self, number: usize) -> Option<&Kept> {
        self.0.get(number)?.as_ref()?.kept.as_ref()
    }

    /// Returns the result of a test for a value, cached or computed; `None` if the value cannot be cached.
    fn remembered(
        &mut self,
        number: usize,
        test: &ValueTest,
        value: Option<&Value<'_>>,
    ) -> Option<&mut Remembered> {
        let slot = self.0.get_mut(number)?;
        let is_known = slot.as_ref().is_some_and(|last| last.value.is(value));
        if !is_known {
            *slot = Some(Remembered {
                value: Known::new(value)?,
                holds: leaf::holds(test, value),
                kept: None,
            });
        }
        slot.as_mut()
    }
}

/// A tested value, for comparison.
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
