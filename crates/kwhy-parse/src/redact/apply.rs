//! Masks the secrets in parsed events and objects.

use super::names;
use super::{MARK, Secrets, find};
use kwhy_model::{Event, Format, Map, Object, Parsed, Span, Text, TextBuilder, Value};

/// Masks the secrets in events and objects; `secrets` are those of the text that was parsed.
pub fn parsed(parsed: &mut Parsed<'_>, secrets: &Secrets) {
    if secrets.is_empty() {
        return;
    }
    parsed
        .events
        .iter_mut()
        .for_each(|event| self::event(event, secrets));
    parsed
        .objects
        .iter_mut()
        .for_each(|object| self::object(object, secrets));
}

fn event(event: &mut Event<'_>, secrets: &Secrets) {
    if secrets.within(&event.span).is_empty() {
        return;
    }
    event.parts_mut().for_each(|part| text(part, secrets));
    for field in &mut event.fields {
        // a secret that ends in `=` was parsed as a key
        let value = field.value.span();
        let is_cut = |secret: &Span| secret.start < value.start && secret.end > value.start;
        if secrets.within(&value).iter().any(is_cut) {
            field.key = MARK.into();
        }
        let kind = names::kind(&field.key);
        match kind.filter(|kind| !names::is_readable(field.value.as_str(), *kind)) {
            Some(_) if !field.value.as_str().starts_with(['{', '[']) => replace(&mut field.value),
            _ => text(&mut field.value, secrets),
        }
    }
}

fn object(object: &mut Object<'_>, secrets: &Secrets) {
    // tables and describes show only the number or sizes of the values
    let is_whole = matches!(object.format, Format::ObjectYaml | Format::ObjectJson);
    let is_secret = is_whole && object.subject.kind.as_deref() == Some("Secret");
    for (key, value) in object.fields.values_mut() {
        if is_secret && matches!(key, "data" | "stringData" | "string_data") {
            all(value);
        } else {
            member(key, value, secrets);
        }
    }
}

fn member(key: &str, value: &mut Value<'_>, secrets: &Secrets) {
    let kind = names::kind(key);
    if let (Some(kind), Value::Text(text)) = (kind, &mut *value)
        && !names::is_readable(text.as_str(), kind)
    {
        return replace(text);
    }
    self::value(value, secrets);
}

fn value(value: &mut Value<'_>, secrets: &Secrets) {
    match value {
        Value::Text(part) => text(part, secrets),
        Value::Integer(_, span) | Value::Boolean(_, span) => {
            if !secrets.within(span).is_empty() {
                let span = span.clone();
                *value = Value::Text(mark(span));
            }
        }
        Value::Map(map) => {
            pair(map);
            map.values_mut()
                .for_each(|(key, value)| member(key, value, secrets));
        }
        Value::List(items) => items.iter_mut().for_each(|item| self::value(item, secrets)),
    }
}

/// Masks the value of an environment variable.
fn pair(map: &mut Map<'_>) {
    let kind = map.text("name").and_then(|name| names::kind(&name));
    let Some(kind) = kind else { return };
    for (key, value) in map.values_mut() {
        if let (true, Value::Text(text)) = (key == "value", value)
            && !names::is_readable(text.as_str(), kind)
        {
            replace(text);
        }
    }
}

/// Masks everything in a value.
fn all(value: &mut Value<'_>) {
    match value {
        Value::Text(text) => replace(text),
        Value::Integer(_, span) | Value::Boolean(_, span) => {
            *value = Value::Text(mark(span.clone()))
        }
        Value::Map(map) => map.values_mut().for_each(|(_, value)| all(value)),
        Value::List(items) => items.iter_mut().for_each(all),
    }
}

/// Returns the mark that replaces a range of the document.
fn mark<'a>(span: Span) -> Text<'a> {
    let mut builder = TextBuilder::new();
    builder.push_decoded(MARK, span);
    builder.finish()
}

fn replace(text: &mut Text<'_>) {
    *text = mark(text.span());
}

/// Masks the secrets in a text.
fn text(text: &mut Text<'_>, secrets: &Secrets) {
    let span = text.span();
    let inside = secrets.within(&span);
    let value = text.as_str();
    let mut found = find::secrets(value);
    let is_raw = span.len() == value.len();
    for secret in inside {
        let is_known = found.iter().any(|own| {
            let own = text.source_span(own.clone());
            own.start < secret.end && secret.start < own.end
        });
        if is_known && !is_raw {
            continue;
        }
        if !is_raw {
            // the secret was found only before decoding, so its place in the text is unknown
            return replace(text);
        }
        found
            .push(secret.start.max(span.start) - span.start..secret.end.min(span.end) - span.start);
    }
    if found.is_empty() {
        return;
    }
    found.sort_unstable_by_key(|own| (own.start, own.end));
    let mut builder = TextBuilder::new();
    let mut kept = 0;
    for own in found {
        if own.end <= kept {
            continue;
        }
        if own.start > kept || kept == 0 {
            let before = value.get(kept..own.start).unwrap_or("");
            builder.push_decoded(before, text.source_span(kept..own.start));
        }
        builder.push_decoded(MARK, text.source_span(own.start.max(kept)..own.end));
        kept = own.end;
    }
    builder.push_decoded(
        value.get(kept..).unwrap_or(""),
        text.source_span(kept..value.len()),
    );
    *text = builder.finish();
}
