//! JSON values that count the operations on them.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use jaq_core::box_iter::{BoxIter, box_once};
use jaq_core::path::Opt;
use jaq_core::val::Range;
use jaq_core::{Error, Exn, ValR, ValT, ValX};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::steps::{SIZE_OF_STEP, step, take};

/// A JSON value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// A number: exact up to 2^53, as in jq 1.6.
    Number(f64),
    Text(Rc<str>),
    List(Rc<Vec<Value>>),
    Map(Rc<BTreeMap<Rc<str>, Value>>),
}

impl Value {
    pub fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    /// Returns the name of its type.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::Text(_) => "string",
            Value::List(_) => "array",
            Value::Map(_) => "object",
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Value::Null => 0,
            Value::Bool(false) => 1,
            Value::Bool(true) => 2,
            Value::Number(_) => 3,
            Value::Text(_) => 4,
            Value::List(_) => 5,
            Value::Map(_) => 6,
        }
    }

    /// Returns the error for an unexpected type.
    pub fn wrong<T>(self, expected: &'static str) -> Result<T, Error<Value>> {
        Err(Error::typ(self, expected))
    }

    /// Returns the value as JSON, within the remaining steps.
    fn json(&self) -> Result<String, Error<Value>> {
        let mut text = String::new();
        self.write(&mut text)?;
        Ok(text)
    }

    fn write(&self, into: &mut String) -> Result<(), Error<Value>> {
        step(0)?;
        match self {
            Value::Null => into.push_str("null"),
            Value::Bool(value) => into.push_str(if *value { "true" } else { "false" }),
            Value::Number(number) => into.push_str(&number.to_string()),
            Value::Text(text) => {
                step(text.len())?;
                into.push_str(&serde_json::to_string(&**text).unwrap_or_default());
            }
            Value::List(items) => {
                into.push('[');
                for (at, item) in items.iter().enumerate() {
                    into.push_str(if at > 0 { "," } else { "" });
                    item.write(into)?;
                }
                into.push(']');
            }
            Value::Map(pairs) => {
                into.push('{');
                for (at, (key, value)) in pairs.iter().enumerate() {
                    into.push_str(if at > 0 { "," } else { "" });
                    into.push_str(&serde_json::to_string(&**key).unwrap_or_default());
                    into.push(':');
                    value.write(into)?;
                }
                into.push('}');
            }
        }
        Ok(())
    }

    /// Returns the position that an index refers to in a list of this length.
    fn place(index: f64, length: usize) -> Option<usize> {
        let index = index.floor();
        let at = if index < 0.0 {
            index + length as f64
        } else {
            index
        };
        (at >= 0.0 && at < length as f64).then_some(at as usize)
    }

    /// Returns the bounds that a range refers to.
    fn bounds(range: &Range<&Value>, length: usize) -> Result<(usize, usize), Error<Value>> {
        let end = |end: Option<&Value>, otherwise: usize| match end {
            None | Some(Value::Null) => Ok(otherwise),
            Some(Value::Number(number)) => {
                let at = if *number < 0.0 {
                    number + length as f64
                } else {
                    *number
                };
                Ok((at.max(0.0) as usize).min(length))
            }
            Some(other) => other.clone().wrong("number"),
        };
        let (from, to) = (end(range.start, 0)?, end(range.end, length)?);
        Ok((from, to.max(from)))
    }
}

/// Yields items one by one, while steps remain.
fn counted<T: 'static>(
    items: impl Iterator<Item = T> + 'static,
) -> BoxIter<'static, ValR<T, Value>> {
    Box::new(items.take_while(|_| take(1)).map(Ok))
}

impl ValT for Value {
    fn from_num(n: &str) -> ValR<Self> {
        n.parse().map(Value::Number).map_err(Error::str)
    }

    fn from_map<I: IntoIterator<Item = (Self, Self)>>(iter: I) -> ValR<Self> {
        let mut map = BTreeMap::new();
        for (key, value) in iter {
            step(0)?;
            match key {
                Value::Text(key) => map.insert(key, value),
                other => return other.wrong("string"),
            };
        }
        Ok(Value::Map(map.into()))
    }

    fn key_values(self) -> BoxIter<'static, ValR<(Self, Self), Self>> {
        match self {
            Value::List(items) => counted(
                (0..items.len()).map(move |at| (Value::Number(at as f64), items[at].clone())),
            ),
            Value::Map(pairs) => {
                if let Err(error) = step(pairs.len()) {
                    return box_once(Err(error));
                }
                let pairs: Vec<_> = pairs
                    .iter()
                    .map(|(k, v)| (Value::Text(k.clone()), v.clone()))
                    .collect();
                counted(pairs.into_iter())
            }
            other => box_once(other.wrong("iterable (array or object)")),
        }
    }

    fn values(self) -> Box<dyn Iterator<Item = ValR<Self>>> {
        match self {
            Value::List(items) => counted((0..items.len()).map(move |at| items[at].clone())),
            Value::Map(pairs) => {
                if let Err(error) = step(pairs.len()) {
                    return box_once(Err(error));
                }
                let values: Vec<_> = pairs.values().cloned().collect();
                counted(values.into_iter())
            }
            other => box_once(other.wrong("iterable (array or object)")),
        }
    }

    fn index(self, index: &Self) -> ValR<Self> {
        step(0)?;
        Ok(match (self, index) {
            (Value::Null, _) => Value::Null,
            (Value::Map(pairs), Value::Text(key)) => pairs.get(key).cloned().unwrap_or(Value::Null),
            (Value::List(items), Value::Number(at)) => {
                let at = Value::place(*at, items.len());
                at.and_then(|at| items.get(at))
                    .cloned()
                    .unwrap_or(Value::Null)
            }
            (other, index) => return Err(Error::index(other, index.clone())),
        })
    }

    fn range(self, range: Range<&Self>) -> ValR<Self> {
        match self {
            Value::Null => Ok(Value::Null),
            Value::List(items) => {
                step(items.len())?;
                let (from, to) = Value::bounds(&range, items.len())?;
                Ok(Value::List(items[from..to].to_vec().into()))
            }
            Value::Text(text) => {
                step(text.len())?;
                let (from, to) = Value::bounds(&range, text.chars().count())?;
                let part: String = text.chars().skip(from).take(to - from).collect();
                Ok(Value::text(&part))
            }
            other => other.wrong("rangeable (array or string)"),
        }
    }

    // updates are refused when a program is parsed
    fn map_values<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        _: Opt,
        _: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        Err(Exn::from(Error::str("updates are not allowed")))
    }

    fn map_index<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        _: &Self,
        _: Opt,
        _: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        Err(Exn::from(Error::str("updates are not allowed")))
    }

    fn map_range<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        _: Range<&Self>,
        _: Opt,
        _: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        Err(Exn::from(Error::str("updates are not allowed")))
    }

    fn as_bool(&self) -> bool {
        !matches!(self, Value::Null | Value::Bool(false))
    }

    fn into_string(self) -> Self {
        match self {
            Value::Text(_) => self,
            // a run that has used up its steps has no result
            other => Value::text(&other.json().unwrap_or_default()),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<isize> for Value {
    fn from(number: isize) -> Self {
        Value::Number(number as f64)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text.into())
    }
}

impl From<Range<Value>> for Value {
    fn from(range: Range<Value>) -> Self {
        let ends = [("start", range.start), ("end", range.end)].into_iter();
        let ends = ends.filter_map(|(name, end)| Some((name.into(), end?)));
        Value::Map(Rc::new(ends.collect()))
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<T: IntoIterator<Item = Value>>(iter: T) -> Self {
        // the run ends when no steps remain
        Value::List(Rc::new(iter.into_iter().take_while(|_| take(1)).collect()))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        // comparisons after the last step no longer matter
        if !take(1) {
            return None;
        }
        match (self, other) {
            (Value::Number(one), Value::Number(other)) => one.partial_cmp(other),
            (Value::Text(one), Value::Text(other)) => {
                take((one.len().min(other.len()) / SIZE_OF_STEP) as u64);
                Some(one.cmp(other))
            }
            (Value::List(one), Value::List(other)) => one.partial_cmp(other),
            (Value::Map(one), Value::Map(other)) => {
                let keys = one.keys().cmp(other.keys());
                match keys {
                    Ordering::Equal => one.values().partial_cmp(other.values()),
                    unequal => Some(unequal),
                }
            }
            (one, other) => Some(one.rank().cmp(&other.rank())),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // errors display values, but are never shown
        f.write_str(self.kind())
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Values)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((key, value)) = pairs.next_entry::<String, Value>()? {
            map.insert(Rc::from(key), value);
        }
        Ok(Value::Map(map.into()))
    }
}
