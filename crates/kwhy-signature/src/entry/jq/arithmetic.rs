//! Arithmetic of values.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};
use std::rc::Rc;

use jaq_core::{Error, ValR, ops::Math};

use super::steps::{SIZE_OF_STEP, step};
use super::value::Value;

impl Add for Value {
    type Output = ValR<Value>;

    fn add(self, other: Value) -> ValR<Value> {
        match (self, other) {
            (Value::Null, value) | (value, Value::Null) => Ok(value),
            (Value::Number(one), Value::Number(other)) => {
                step(0)?;
                Ok(Value::Number(one + other))
            }
            (Value::Text(one), Value::Text(other)) => {
                step(one.len() + other.len())?;
                Ok(Value::from(format!("{one}{other}")))
            }
            (Value::List(one), Value::List(other)) => {
                step((one.len() + other.len()) * SIZE_OF_STEP)?;
                Ok(Value::List(Rc::new([&one[..], &other[..]].concat())))
            }
            (Value::Map(one), Value::Map(other)) => {
                step((one.len() + other.len()) * SIZE_OF_STEP)?;
                let mut both = (*one).clone();
                both.extend(
                    other
                        .iter()
                        .map(|(key, value)| (key.clone(), value.clone())),
                );
                Ok(Value::Map(both.into()))
            }
            (one, other) => Err(Error::math(one, Math::Add, other)),
        }
    }
}

impl Sub for Value {
    type Output = ValR<Value>;

    fn sub(self, other: Value) -> ValR<Value> {
        match (self, other) {
            (Value::Number(one), Value::Number(other)) => {
                step(0)?;
                Ok(Value::Number(one - other))
            }
            (Value::List(one), Value::List(other)) => {
                step(one.len().saturating_mul(other.len()))?;
                let kept = one.iter().filter(|item| !other.contains(item));
                Ok(kept.cloned().collect())
            }
            (one, other) => Err(Error::math(one, Math::Sub, other)),
        }
    }
}

impl Mul for Value {
    type Output = ValR<Value>;

    fn mul(self, other: Value) -> ValR<Value> {
        match (self, other) {
            (Value::Number(one), Value::Number(other)) => {
                step(0)?;
                Ok(Value::Number(one * other))
            }
            (one, other) => Err(Error::math(one, Math::Mul, other)),
        }
    }
}

impl Div for Value {
    type Output = ValR<Value>;

    fn div(self, other: Value) -> ValR<Value> {
        match (self, other) {
            (Value::Number(_), Value::Number(0.0)) => Err(Error::str("division by zero")),
            (Value::Number(one), Value::Number(other)) => {
                step(0)?;
                Ok(Value::Number(one / other))
            }
            (Value::Text(text), Value::Text(by)) => {
                step(text.len())?;
                Ok(text.split(&*by).map(Value::text).collect())
            }
            (one, other) => Err(Error::math(one, Math::Div, other)),
        }
    }
}

impl Rem for Value {
    type Output = ValR<Value>;

    fn rem(self, other: Value) -> ValR<Value> {
        match (self, other) {
            (Value::Number(one), Value::Number(other)) if other.trunc() != 0.0 => {
                step(0)?;
                Ok(Value::Number(one.trunc() % other.trunc()))
            }
            (one, other) => Err(Error::math(one, Math::Rem, other)),
        }
    }
}

impl Neg for Value {
    type Output = ValR<Value>;

    fn neg(self) -> ValR<Value> {
        match self {
            Value::Number(number) => Ok(Value::Number(-number)),
            other => other.wrong("number"),
        }
    }
}
