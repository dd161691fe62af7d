//! The functions that a jq term may call: those of jaq's core that terminate, and a few of the standard library.

use jaq_core::data::JustLut;
use jaq_core::load::parse::Def;
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{Error, ValR, ValT};

use super::super::re2;
use super::steps::step;
use super::value::Value;
use crate::expression::Expression;
use crate::hir;

/// The functions that a term may call, with the number of their arguments.
pub(super) const ALLOWED: &[(&str, usize)] = &[
    ("all", 0),
    ("all", 1),
    ("all", 2),
    ("any", 0),
    ("any", 1),
    ("any", 2),
    ("arrays", 0),
    ("ascii_downcase", 0),
    ("ascii_upcase", 0),
    ("booleans", 0),
    ("contains", 1),
    ("empty", 0),
    ("endswith", 1),
    ("error", 0),
    ("error", 1),
    ("false", 0),
    ("first", 0),
    ("first", 1),
    ("has", 1),
    ("inside", 1),
    ("isempty", 1),
    ("iterables", 0),
    ("join", 1),
    ("keys", 0),
    ("last", 0),
    ("last", 1),
    ("length", 0),
    ("ltrimstr", 1),
    ("map", 1),
    ("not", 0),
    ("null", 0),
    ("nulls", 0),
    ("numbers", 0),
    ("objects", 0),
    ("recurse", 0),
    ("rtrimstr", 1),
    ("scalars", 0),
    ("select", 1),
    ("split", 1),
    ("startswith", 1),
    ("strings", 0),
    ("test", 1),
    ("to_entries", 0),
    ("tonumber", 0),
    ("tostring", 0),
    ("true", 0),
    ("type", 0),
    ("values", 0),
];

/// Definitions in addition to those of jaq's core.
const DEFS: &str = r#"
def null: [][0];
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type == "array" or type == "object");
def scalars: select((type == "array" or type == "object") | not);
def split($by): . / $by;
def inside($other): . as $own | $other | contains($own);
def ltrimstr($part): trimstr($part; false);
def rtrimstr($part): trimstr($part; true);
"#;

/// Returns the definitions available to a program, without the core definition that a native function replaces.
pub(super) fn defs() -> impl Iterator<Item = Def<&'static str>> {
    let own = jaq_core::load::parse(DEFS, |parser| parser.defs()).unwrap_or_default();
    jaq_core::defs().filter(|def| def.name != "join").chain(own)
}

/// Returns the functions implemented in Rust.
pub(super) fn funs() -> impl Iterator<Item = Fun<JustLut<Value>>> {
    type Data = JustLut<Value>;
    let own: [jaq_core::native::Filter<jaq_core::RunPtr<Data>>; 13] = [
        ("type", v(0), |cv| bome(Ok(Value::text(cv.1.kind())))),
        ("length", v(0), |cv| bome(length(&cv.1))),
        ("keys", v(0), |cv| {
            bome(
                cv.1.key_values()
                    .map(|pair| pair.map(|(key, _)| key))
                    .collect(),
            )
        }),
        ("tonumber", v(0), |cv| bome(number(cv.1))),
        ("ascii_downcase", v(0), |cv| {
            bome(changed(cv.1, str::to_ascii_lowercase))
        }),
        ("ascii_upcase", v(0), |cv| {
            bome(changed(cv.1, str::to_ascii_uppercase))
        }),
        ("has", v(1), |mut cv| {
            let key = cv.0.pop_var();
            bome(has(&cv.1, &key))
        }),
        ("contains", v(1), |mut cv| {
            let part = cv.0.pop_var();
            bome(contains(&cv.1, &part).map(Value::Bool))
        }),
        ("startswith", v(1), |mut cv| {
            let start = cv.0.pop_var();
            bome(with_texts(cv.1, start, |text, start| {
                text.starts_with(start)
            }))
        }),
        ("endswith", v(1), |mut cv| {
            let end = cv.0.pop_var();
            bome(with_texts(cv.1, end, |text, end| text.ends_with(end)))
        }),
        ("test", v(1), |mut cv| {
            let expression = cv.0.pop_var();
            bome(test(cv.1, expression))
        }),
        ("join", v(1), |mut cv| {
            let by = cv.0.pop_var();
            bome(join(cv.1, by))
        }),
        ("trimstr", v(2), |mut cv| {
            let at_end = cv.0.pop_var();
            let part = cv.0.pop_var();
            bome(Ok(trimmed(cv.1, &part, at_end.as_bool())))
        }),
    ];
    jaq_core::funs().chain(own.into_iter().map(|native| run::<Data>(native)))
}

fn length(value: &Value) -> ValR<Value> {
    let length = match value {
        Value::Null => 0,
        Value::Number(number) => return Ok(Value::Number(number.abs())),
        Value::Text(text) => {
            step(text.len())?;
            text.chars().count()
        }
        Value::List(items) => items.len(),
        Value::Map(pairs) => pairs.len(),
        Value::Bool(_) => return Err(Error::str("a boolean has no length")),
    };
    Ok(Value::Number(length as f64))
}

fn number(value: Value) -> ValR<Value> {
    match value {
        Value::Number(_) => Ok(value),
        Value::Text(text) => text.trim().parse().map(Value::Number).map_err(Error::str),
        other => Err(Error::typ(other, "string")),
    }
}

fn changed(value: Value, change: impl Fn(&str) -> String) -> ValR<Value> {
    match value {
        Value::Text(text) => {
            step(text.len())?;
            Ok(Value::from(change(&text)))
        }
        other => Err(Error::typ(other, "string")),
    }
}

fn has(value: &Value, key: &Value) -> ValR<Value> {
    match (value, key) {
        (Value::Map(pairs), Value::Text(key)) => Ok(Value::Bool(pairs.contains_key(key))),
        (Value::List(items), Value::Number(at)) => {
            Ok(Value::Bool(*at >= 0.0 && (*at as usize) < items.len()))
        }
        (value, key) => Err(Error::index(value.clone(), key.clone())),
    }
}

fn contains(whole: &Value, part: &Value) -> Result<bool, Error<Value>> {
    step(0)?;
    Ok(match (whole, part) {
        (Value::Text(whole), Value::Text(part)) => {
            step(whole.len())?;
            whole.contains(&**part)
        }
        (Value::List(whole), Value::List(parts)) => {
            for part in parts.iter() {
                let mut found = false;
                for item in whole.iter().filter(|item| item.kind() == part.kind()) {
                    found |= contains(item, part)?;
                }
                if !found {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Map(whole), Value::Map(parts)) => {
            for (key, part) in parts.iter() {
                match whole.get(key).filter(|item| item.kind() == part.kind()) {
                    Some(item) if contains(item, part)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (whole, part) if whole.kind() == part.kind() => whole == part,
        (whole, _) => return Err(Error::typ(whole.clone(), "value of the same type")),
    })
}

fn with_texts(value: Value, other: Value, test: impl Fn(&str, &str) -> bool) -> ValR<Value> {
    match (value, other) {
        (Value::Text(text), Value::Text(other)) => {
            step(0)?;
            Ok(Value::Bool(test(&text, &other)))
        }
        (other, _) => Err(Error::typ(other, "string")),
    }
}

/// The number of bytes of text whose search costs as much as compiling an expression.
const COMPILING: usize = 256;

/// Tests a text against an expression, which is compiled each time, as it may come from the entry.
fn test(value: Value, expression: Value) -> ValR<Value> {
    let (Value::Text(text), Value::Text(expression)) = (value, expression) else {
        return Err(Error::str("test needs a text and an expression"));
    };
    step(expression.len() * 64)?;
    let hir = re2::parse(&expression).map_err(Error::str)?;
    let work = (text.len() + COMPILING).saturating_mul(hir::states(&hir));
    step(text.len() + work / 16)?;
    let compiled =
        Expression::new(&hir).ok_or_else(|| Error::str("the expression is too large"))?;
    let found = compiled.is_match(&regex_automata::Input::new(&*text));
    Ok(Value::Bool(found))
}

fn join(value: Value, by: Value) -> ValR<Value> {
    let Value::Text(by) = by else {
        return Err(Error::typ(by, "string"));
    };
    let mut joined = String::new();
    for (at, item) in value.values().enumerate() {
        let item = match item? {
            Value::Null => Value::text(""),
            item => item.into_string(),
        };
        let Value::Text(text) = item else { continue };
        step(joined.len() / 16 + text.len() + by.len())?;
        joined.push_str(if at > 0 { &by } else { "" });
        joined.push_str(&text);
    }
    Ok(Value::from(joined))
}

fn trimmed(value: Value, part: &Value, at_end: bool) -> Value {
    let (Value::Text(text), Value::Text(part)) = (&value, part) else {
        return value;
    };
    let rest = match at_end {
        true => text.strip_suffix(&**part),
        false => text.strip_prefix(&**part),
    };
    rest.map(Value::text).unwrap_or(value)
}
