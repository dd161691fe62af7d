//! Converts between rules and native signatures as text.

use serde_json::{Map, Value, json};

use super::{CommunityRule, Reader, native, own_cause, rules, terms};
use crate::condition::{Condition, EventPattern, Scope, What};
use crate::error::SignatureError;
use crate::format::format;
use crate::node;
use crate::schema::Signature;

/// Converts the rules of a file to native signatures, one document each. `cause_of` returns the known cause for a
/// rule's id.
///
/// ```
/// use kwhy_signature::cre::to_native;
/// let rule = "
/// rules:
///   - cre: {id: CRE-2030-0001, severity: 1, title: the shelf is bare}
///     rule: {set: {event: {source: cre.log.shop}, match: [{value: shelf is bare}]}}
/// ";
/// let native = to_native("rule.yaml", rule, |_| None)?;
/// assert!(native.contains("cause: cre/cre-2030-0001\n") && native.contains("value: shelf is bare"));
/// # Ok::<(), kwhy_signature::SignatureError>(())
/// ```
///
/// # Errors
/// The first error in the file.
pub fn to_native<'c>(
    file: &str,
    yaml: &str,
    cause_of: impl Fn(&str) -> Option<&'c str>,
) -> Result<String, SignatureError> {
    let wrong = |(at, message): node::Wrong| SignatureError::new(file, yaml, at, message);
    let documents = node::read(yaml).map_err(wrong)?;
    let terms = terms(&documents).map_err(wrong)?;
    let mut texts = Vec::new();
    for node in rules(&documents).map_err(wrong)? {
        let rule = Reader::new(&terms).rule(&node).map_err(wrong)?;
        let own = own_cause(&rule.about.id);
        let cause = cause_of(&rule.about.id).unwrap_or(&own);
        texts.push(written(file, yaml, &native::signature(&rule, cause))?);
    }
    format(file, &texts.join("---\n"))
}

/// Writes a value as YAML.
fn written(file: &str, source: &str, value: &Value) -> Result<String, SignatureError> {
    serde_yaml::to_string(value).map_err(|error| SignatureError::from_yaml(file, source, error))
}

/// Converts a native signature to a rule.
///
/// # Errors
/// Names what a rule cannot express: objects, captures, fields, reasons, alternatives, anything beyond sets and
/// sequences.
pub fn to_cre(signature: &Signature) -> Result<String, String> {
    let about = match &signature.community {
        Some(about) => (**about).clone(),
        None => about(signature)?,
    };
    let source = about.source.as_deref().unwrap_or("*");
    let mut events = Events {
        source,
        is_nested: is_nested(&signature.condition),
        has_origin: false,
    };
    let (kind, rule) = body(&signature.condition, &mut events)?;
    let metadata = about.rule_id.as_ref().map(|id| json!({ "id": id }));
    let mut whole = Map::new();
    whole.extend(metadata.map(|metadata| ("metadata".to_owned(), metadata)));
    whole.insert("cre".into(), section(&about));
    whole.insert("rule".into(), json!({ kind: rule }));
    serde_yaml::to_string(&json!({ "rules": [whole] })).map_err(|error| error.to_string())
}

/// Returns the description of a native signature in the form of a rule.
fn about(signature: &Signature) -> Result<CommunityRule, String> {
    let title = &signature.title;
    if title.slots().next().is_some() {
        return Err("its title shows captured values, which a rule cannot".into());
    }
    let plain = |text: &str| text.replace("{{", "{").replace("}}", "}");
    let fixes: Vec<String> = (signature.fix.iter())
        .map(|fix| format!("- {}", plain(fix.text.as_str())))
        .collect();
    Ok(CommunityRule {
        id: signature.id.clone(),
        severity: match signature.severity {
            kwhy_model::Level::Error => 1,
            kwhy_model::Level::Warning => 2,
            kwhy_model::Level::Info => 4,
        },
        title: plain(title.as_str()),
        category: Some(signature.family().to_owned()),
        cause: Some(plain(signature.why.as_str())),
        mitigation: (!fixes.is_empty()).then(|| fixes.join("\n")),
        references: signature.references.clone(),
        ..CommunityRule::default()
    })
}

/// Returns the section `cre` of a rule, with its key names.
fn section(about: &CommunityRule) -> Value {
    let mut section = Map::new();
    for (key, value) in serde_json::to_value(about)
        .ok()
        .and_then(|value| match value {
            Value::Object(pairs) => Some(pairs),
            _ => None,
        })
        .unwrap_or_default()
    {
        if key == "rule_id" || key == "source" {
            continue;
        }
        let value = match value {
            Value::Array(items) if key == "applications" => items
                .into_iter()
                .map(|item| match item {
                    Value::Object(pairs) => pairs
                        .into_iter()
                        .map(|(key, value)| (camel(&key), value))
                        .collect(),
                    other => other,
                })
                .collect(),
            other => other,
        };
        section.insert(camel(&key), value);
    }
    Value::Object(section)
}

/// Converts a name to the camel case of rules.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let (start, rest) = part.split_at(part.len().min(1));
        name + &start.to_ascii_uppercase() + rest
    })
}

/// The `event` keys of sets and sequences.
struct Events<'s> {
    source: &'s str,
    is_nested: bool,
    /// True once the origin of a nested rule has been written, which is the first.
    has_origin: bool,
}

impl Events<'_> {
    fn next(&mut self) -> Value {
        let is_origin = self.is_nested && !std::mem::replace(&mut self.has_origin, true);
        match is_origin {
            true => json!({ "source": self.source, "origin": true }),
            false => json!({ "source": self.source }),
        }
    }
}

/// Returns true if parts of a condition are sets or sequences.
fn is_nested(condition: &Condition) -> bool {
    let mut parts = condition.temporal_parts().iter().chain(&condition.none);
    parts.any(|part| !matches!(part.what, What::Event(_)))
}

/// Converts a condition to a set or sequence.
fn body(
    condition: &Condition,
    events: &mut Events<'_>,
) -> Result<(&'static str, Map<String, Value>), String> {
    if !condition.also.is_empty() || !condition.comparisons.is_empty() || !condition.open.is_empty()
    {
        return Err("it compares captured values or adds details, which a rule cannot".into());
    }
    let (kind, key) = match &condition.what {
        What::Sequence(_) => ("sequence", "order"),
        What::Event(_) | What::All(_) => ("set", "match"),
        What::Object(_) | What::Any(_) => {
            return Err(
                "a rule is a set or a sequence of entries, not of objects or alternatives".into(),
            );
        }
    };
    let mut body = Map::new();
    let parts = condition.temporal_parts();
    let mut all = parts.iter().chain(&condition.none);
    if all.any(|part| matches!(part.what, What::Event(_))) {
        body.insert("event".into(), events.next());
    }
    let terms: Result<Vec<Value>, String> = parts
        .iter()
        .map(|part| {
            let mut term = term(part, events)?;
            if part.at_least > 1 {
                term.insert("count".into(), part.at_least.into());
            }
            Ok(Value::Object(term))
        })
        .collect();
    body.insert(key.into(), terms?.into());
    // a set with one term has no window: its match lasts as long as that of the term
    let is_one = matches!(parts, [one] if one.at_least <= 1) && kind == "set";
    if is_one {
        let lasts = |part: &Condition| match part.what {
            What::Event(_) => std::time::Duration::ZERO,
            _ => part.within.unwrap_or_default(),
        };
        if condition
            .within
            .is_some_and(|within| parts.iter().any(|part| within != lasts(part)))
        {
            return Err("a set of one term has no window".into());
        }
    } else if let Some(within) = condition.within {
        body.insert("window".into(), duration(within.as_nanos() as i128).into());
    } else if parts.len() > 1 {
        return Err("a set or sequence of a rule has a window; it has no `within`".into());
    }
    let negatives: Result<Vec<Value>, String> = condition
        .none
        .iter()
        .map(|absent| negative(absent, events))
        .collect();
    let negatives = negatives?;
    if !negatives.is_empty() {
        body.insert("negate".into(), negatives.into());
    }
    let correlation = match condition.per {
        Scope::Input | Scope::Owner => None,
        Scope::Node => Some("hostname"),
        Scope::Namespace => Some("namespace"),
        Scope::Source | Scope::Subject => Some("container_id"),
    };
    if let Some(name) = correlation {
        body.insert("correlations".into(), json!([name]));
    }
    Ok((kind, body))
}

fn negative(absent: &Condition, events: &mut Events<'_>) -> Result<Value, String> {
    let mut term = term(absent, events)?;
    let Some(reach) = absent.reach else {
        return Err("an entry of `none` without a window is not looked for by time".into());
    };
    if reach.window != 0 {
        term.insert("window".into(), duration(reach.window.into()).into());
    }
    if reach.slide != 0 {
        term.insert("slide".into(), duration(reach.slide.into()).into());
    }
    if reach.anchor > 0 {
        term.insert("anchor".into(), reach.anchor.into());
    }
    if reach.absolute {
        term.insert("absolute".into(), true.into());
    }
    Ok(Value::Object(term))
}

/// Converts a test of one entry, or a set or sequence, to a term.
fn term(condition: &Condition, events: &mut Events<'_>) -> Result<Map<String, Value>, String> {
    if let What::All(_) | What::Sequence(_) = condition.what {
        let (kind, body) = body(condition, events)?;
        return Ok(Map::from_iter([(kind.to_owned(), body.into())]));
    }
    let What::Event(event) = &condition.what else {
        return Err("a part is not one event".into());
    };
    let EventPattern {
        entry: Some(entry), ..
    } = &**event
    else {
        return Err(
            "it matches what was parsed of an event; a rule knows only the entry (`entry`)".into(),
        );
    };
    if !event.is_only_entry() {
        return Err("it asks more of an event than its entry".into());
    }
    Ok(Map::from_iter([(
        entry.key().to_owned(),
        entry.as_str().into(),
    )]))
}

/// Formats a duration in Go's syntax.
fn duration(nanos: i128) -> String {
    for (unit, size) in [
        ("h", 3_600_000_000_000),
        ("m", 60_000_000_000),
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
    ] {
        if nanos % size == 0 && (nanos != 0 || unit == "s") {
            return format!("{}{unit}", nanos / size);
        }
    }
    format!("{nanos}ns")
}
