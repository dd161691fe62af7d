//! Tests of one value: patterns, and bounds on a number, quantity or age.

use std::fmt;

use kwhy_model::Value;
use serde::Deserialize;
use serde::de::value::StrDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::compare::{Order, number};
use super::one_or_many::OneOrMany;
use super::pattern::Pattern;

/// A test of a value in an object.
#[derive(Debug, Default)]
pub struct ValueTest {
    /// Patterns for the whole value, one of which matches.
    pub equals: Vec<Pattern>,
    /// Patterns matched within the value.
    pub matches: Vec<Pattern>,
    /// Patterns for the whole value, none of which matches.
    pub not: Vec<Pattern>,
    /// True if the value must be absent.
    pub absent: bool,
    /// True if the value must be present.
    pub present: bool,
    /// The name under which the whole value, even a map or list, is captured as text; the text is empty if the value is
    /// absent.
    pub flat: Option<String>,
    /// Bounds of the value as a number.
    pub number: NumberTest,
}

impl ValueTest {
    /// Returns true if a value certainly fails the test: it is missing, or is a text other than the
    /// required words.
    pub fn refuses(&self, value: Option<&Value<'_>>) -> bool {
        match value {
            None => self.refuses_none(),
            Some(Value::Text(text)) => {
                let other = |word: &str| word != text.as_str();
                let is_other = |equal: &Pattern| equal.as_word().is_some_and(other);
                !self.equals.is_empty() && self.equals.iter().all(is_other)
            }
            Some(_) => false,
        }
    }

    /// Returns true if a missing value fails the test.
    pub fn refuses_none(&self) -> bool {
        !self.absent && !self.is_negative() && (self.flat.is_none() || self.present)
    }

    /// The words that a text must equal one of; empty if other texts may pass.
    pub fn words(&self) -> Vec<&str> {
        let words = self.equals.iter().map(Pattern::as_word);
        words.collect::<Option<_>>().unwrap_or_default()
    }

    /// Returns true if comparing words, or checking for presence, decides the test for a text.
    pub fn is_plain(&self) -> bool {
        let only_words = self.equals.is_empty() || !self.words().is_empty();
        let rest = [&self.matches, &self.not];
        let is_plain = only_words && rest.iter().all(|patterns| patterns.is_empty());
        self.flat.is_some() || (is_plain && self.number.0.is_empty() && !self.absent)
    }

    /// Returns true if the test applies to a number as such, without comparing its text.
    pub fn is_of_number(&self) -> bool {
        let texts = [&self.equals, &self.matches, &self.not];
        texts.iter().all(|patterns| patterns.is_empty()) && self.flat.is_none() && !self.absent
    }

    /// Returns true if the test only has `not`, which a missing value passes.
    pub fn is_negative(&self) -> bool {
        !self.not.is_empty()
            && self.equals.is_empty()
            && self.matches.is_empty()
            && self.number.0.is_empty()
            && !self.present
    }
}

/// Bounds on a number, quantity or age.
#[derive(Debug, Default)]
pub struct NumberTest(pub Vec<(Order, f64)>);

impl NumberTest {
    pub fn holds(&self, value: f64) -> bool {
        self.0
            .iter()
            .all(|(order, bound)| order.holds(value, *bound))
    }

    /// The names of bounds in a file.
    pub(crate) const NAMES: [(&str, Order); 6] = [
        ("lt", Order::Less),
        ("le", Order::LessOrEqual),
        ("gt", Order::Greater),
        ("ge", Order::GreaterOrEqual),
        ("eq", Order::Equal),
        ("ne", Order::NotEqual),
    ];

    fn key(name: &str) -> Option<Order> {
        let known = NumberTest::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, order)| *order)
    }
}

struct Bound(f64);

impl<'de> Deserialize<'de> for Bound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let OneOrMany(texts) = OneOrMany::<String>::deserialize(deserializer)?;
        match texts.as_slice() {
            [text] => number(text).map(Bound).ok_or_else(|| {
                D::Error::custom(format!(
                    "invalid quantity {text:?}: expected a number, quantity or age"
                ))
            }),
            _ => Err(D::Error::custom("a bound is one number")),
        }
    }
}

impl<'de> Deserialize<'de> for NumberTest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let test = ValueTest::deserialize(deserializer)?;
        let only_number = test.equals.is_empty() && test.matches.is_empty() && test.not.is_empty();
        if !only_number || test.number.0.is_empty() {
            return Err(D::Error::custom("write bounds, such as {ge: 10}"));
        }
        Ok(test.number)
    }
}

struct ValueTestVisitor;

impl<'de> Visitor<'de> for ValueTestVisitor {
    type Value = ValueTest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pattern, a list of patterns, or {lt, le, gt, ge, eq, ne, not, matches, absent, present, flat}")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<ValueTest, E> {
        let pattern = Pattern::deserialize(StrDeserializer::<E>::new(value))?;
        Ok(ValueTest {
            equals: vec![pattern],
            ..ValueTest::default()
        })
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<ValueTest, E> {
        self.visit_str(if value { "true" } else { "false" })
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<ValueTest, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<ValueTest, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ValueTest, A::Error> {
        let mut test = ValueTest::default();
        while let Some(OneOrMany(mut patterns)) = seq.next_element::<OneOrMany<Pattern>>()? {
            test.equals.append(&mut patterns);
        }
        Ok(test)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ValueTest, A::Error> {
        let mut test = ValueTest::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "equals" => test.equals = map.next_value::<OneOrMany<Pattern>>()?.0,
                "matches" => test.matches = map.next_value::<OneOrMany<Pattern>>()?.0,
                "not" => test.not = map.next_value::<OneOrMany<Pattern>>()?.0,
                "absent" => test.absent = map.next_value()?,
                "present" => test.present = map.next_value()?,
                "flat" => test.flat = Some(map.next_value()?),
                other => match NumberTest::key(other) {
                    Some(order) => test.number.0.push((order, map.next_value::<Bound>()?.0)),
                    None => return Err(A::Error::custom(format!("unknown test {other:?}"))),
                },
            }
        }
        Ok(test)
    }
}

impl<'de> Deserialize<'de> for ValueTest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueTestVisitor)
    }
}
