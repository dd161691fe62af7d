//! Kubernetes objects as YAML or JSON: `kubectl get -o yaml`, `-o json`, manifests, one object, a
//! `List`, several documents, whole or cut.
//!
//! The format is the API's (kubernetes/kubernetes `staging/src/k8s.io/api`, to 1.36), as written by
//! sigs.k8s.io/yaml or Go's `encoding/json`. Known kinds get the field names of a describe's
//! objects (`kinds`); any other kind keeps its fields, with keys in snake case. An Event
//! object becomes an event, and so does each condition and container state with a message, so that
//! conditions on an event's text apply to them too.
//!
//! Also accepted: text cut at either end, `...` in place of omitted text, broken lines, items of a list
//! without its head, the API server's internal form (`internal`), and fragments whose fields show where they
//! belong. A fragment without a head has the kind to which its fields or conditions are unique
//! (`kinds/detect_kind.rs`), or else none.

mod block_style;
mod event;
mod extent;
mod internal;
mod json;
mod kinds;
mod loose_scalar;
mod recognise;
mod regular;
mod scalar;
mod source;
mod spread;
mod state_line;
mod yaml;

pub(crate) use event::{of_containers, of_event, of_part, of_status};
pub(crate) use extent::ObjectExtent;
pub(crate) use kinds::{is_condition_type, kind_of_condition};
pub use recognise::{Ahead, begins, begins_item, is_compact, is_compact_head, may_begin};
pub use regular::regular;

use std::collections::HashMap;

use crate::input::{Line, ReadLimits};
use kwhy_model::{Format, LeftOut, Listing, Map, Object, Parsed, Span, Subject, Value};
use source::{Row, Source};

/// The maximum length of a name; the API allows 253 characters.
const MAX_NAME: usize = 1024;

/// The maximum depth of lists within lists; kubectl nests none.
const MAX_LISTS: usize = 6;

/// The budget for reading values, and the parts that were omitted.
struct ReadBudget<'l> {
    limits: &'l ReadLimits,
    /// The lines not understood.
    failed: Vec<u64>,
    left_out: LeftOut,
}

impl<'l> ReadBudget<'l> {
    fn new(limits: &'l ReadLimits) -> Self {
        ReadBudget {
            limits,
            failed: Vec::new(),
            left_out: LeftOut::default(),
        }
    }

    fn add_to(self, parsed: &mut Parsed<'_>) {
        parsed.not_understood.extend(self.failed);
        parsed.left_out.add(self.left_out);
    }
}

/// Parses lines of objects in YAML or JSON.
///
/// ```
/// use kwhy_parse::{object, input::lines};
/// let text = "\
/// apiVersion: v1
/// kind: Pod
/// metadata:
///   name: web-0
///   namespace: shop
/// status:
///   containerStatuses:
///   - name: app
///     restartCount: 4
///     state:
///       waiting:
///         message: back-off 40s restarting failed container
///         reason: CrashLoopBackOff
/// ";
/// let parsed = object::parse(&lines(text).collect::<Vec<_>>());
/// let pod = &parsed.objects[0];
/// assert_eq!(pod.subject.to_string(), "Pod shop/web-0");
/// let app = &pod.fields.items("containers")[0];
/// assert_eq!(app.get("state.reason").unwrap().to_text().unwrap(), "CrashLoopBackOff");
/// assert_eq!(parsed.events[0].subject.container.as_deref(), Some("app"));
/// ```
pub fn parse<'a>(lines: &[Line<'a>]) -> Parsed<'a> {
    parse_within(lines, &ReadLimits::default())
}

/// Parses lines of objects in YAML or JSON, within limits.
pub(crate) fn parse_within<'a>(lines: &[Line<'a>], limits: &ReadLimits) -> Parsed<'a> {
    let mut parsed = Parsed::default();
    let mut rows: Vec<Row<'a>> = lines.iter().map(|line| Row::new(*line)).collect();
    let first = rows.iter().find(|row| !row.line.is_blank());
    let is_json = first.is_some_and(|row| row.bare().starts_with(['{', '[', '"']));
    if is_json {
        drop_foreign(&mut rows, &mut parsed);
        json(&Source::new(&rows), None, limits, &mut parsed);
    } else {
        indent_first(&mut rows);
        for document in rows.split(|row| row.indent() == 0 && row.bare() == "---") {
            self::document(document, limits, &mut parsed);
        }
    }
    parsed.not_understood.sort_unstable();
    parsed.not_understood.dedup();
    parsed
}

/// Drops lines of other programs from pretty-printed JSON, which a terminal shows amid the output. A line without
/// indentation in which a string continues that the terminal wrapped is none.
fn drop_foreign(rows: &mut Vec<Row<'_>>, parsed: &mut Parsed<'_>) {
    let opens_text = |row: &Row<'_>| {
        let text = row.bare().as_bytes();
        let escaped =
            |at: usize| text[..at].iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1;
        memchr::memchr_iter(b'"', text)
            .filter(|at| !escaped(*at))
            .count()
            % 2
            == 1
    };
    // true if a string is open at the end of the row before
    let mut in_text = None;
    let mut foreign = Vec::new();
    for at in 1..rows.len() {
        let (before, row) = (&rows[at - 1], &rows[at]);
        let bare = row.bare();
        if row.indent() > 0
            || bare.is_empty()
            || extent::is_json(bare)
            || recognise::is_ellipsis(bare)
        {
            in_text = None;
            continue;
        }
        if in_text.unwrap_or_else(|| opens_text(before)) {
            in_text = Some(!opens_text(row));
        } else {
            in_text = Some(false);
            foreign.push(at);
        }
    }
    if foreign.is_empty() {
        return;
    }
    let lines = foreign.iter().filter_map(|at| rows.get(*at));
    parsed
        .not_understood
        .extend(lines.map(|row| row.line.number));
    let (mut at, mut foreign) = (0, foreign.into_iter().peekable());
    rows.retain(|_| {
        at += 1;
        foreign.next_if_eq(&(at - 1)).is_none()
    });
}

/// Restores the first line's indentation if it was lost because a selection started at its first letter: the next line
/// is deeper than others, and no later line is at the first one's level.
fn indent_first(rows: &mut [Row<'_>]) {
    let mut filled = rows.iter_mut().filter(|row| !row.line.is_blank());
    let Some(first) = filled.next().filter(|first| first.indent() == 0) else {
        return;
    };
    let opens = first.bare().ends_with(':');
    let Some(second) = filled.next().map(|row| row.indent()) else {
        return;
    };
    let level = filled.map(|row| row.indent()).min().unwrap_or(second);
    if opens && level > 0 && level < second {
        first.pad = level;
    }
}

/// Parses JSON; `of` is the kind of the items of a list that started earlier.
fn json<'a>(source: &Source<'a>, of: Option<&str>, limits: &ReadLimits, parsed: &mut Parsed<'a>) {
    let mut budget = ReadBudget::new(limits);
    let values = json::read(source, &mut budget);
    budget.add_to(parsed);
    for value in values {
        take(Format::ObjectJson, value, None, (0, of), parsed);
    }
}

/// Parses a piece of a line of JSON objects. Unless it starts the line, it starts with an item of a list, whose kind is
/// `of`, or after the list.
pub fn piece<'a>(text: &'a str, of: Option<&str>, limits: &ReadLimits) -> Parsed<'a> {
    let mut parsed = Parsed::default();
    json(&Source::whole(text), of, limits, &mut parsed);
    parsed.not_understood.dedup();
    parsed
}

/// Parses one YAML document: an object, or the items of a list one by one.
fn document<'a>(rows: &[Row<'a>], limits: &ReadLimits, parsed: &mut Parsed<'a>) {
    let given = rows.len();
    let first = parsed.objects.len();
    let mut has_items = false;
    let mut of_kind = false;
    let rows: Vec<Row<'a>> = rows
        .iter()
        .filter(|row| !recognise::is_ellipsis(row.line.text))
        .copied()
        .collect();
    let is_whole = rows.len() == given;
    let filled = rows.iter().filter(|row| !row.line.is_blank());
    let base = filled.map(Row::indent).min().unwrap_or(0);
    let mut object: Vec<Row<'a>> = Vec::new();
    let mut item: Vec<Row<'a>> = Vec::new();
    // true if items at the document's own level are objects
    let mut in_list = true;
    let mut keyed = false;
    for row in rows {
        let on_level = !row.line.is_blank() && row.indent() == base;
        let is_top = on_level && !row.is_item();
        let key = extent::object_key(row.bare()).filter(|_| is_top);
        // a line of another program amid an item does not end the list
        if is_top && key.is_none() && recognise::key_length(row.bare()).is_some() {
            parsed.not_understood.push(row.line.number);
            continue;
        }
        if let Some(key) = key {
            self::item(&mut item, limits, parsed);
            in_list = key == "items";
            has_items |= in_list;
            of_kind |= key == "kind" && is_list_of_kind(row.bare());
            keyed = true;
        }
        if on_level && row.is_item() && in_list {
            self::item(&mut item, limits, parsed);
            // text without a key before the first item is the rest of an earlier item
            if !keyed {
                self::item(&mut object, limits, parsed);
            }
            item.push(row.without_mark());
        } else if item.is_empty() {
            object.push(row);
        } else {
            item.push(row);
        }
    }
    self::item(&mut item, limits, parsed);
    parsed.has_gaps |= !is_whole;
    if has_items {
        mark_listed(parsed, first, (of_kind, None), is_whole);
    }
    self::item(&mut object, limits, parsed);
}

/// Returns true if a line states the kind of a homogeneous list, such as `kind: PodList`.
fn is_list_of_kind(line: &str) -> bool {
    let kind = line.split_once(':').map_or("", |(_, kind)| kind.trim());
    let of = kind.trim_matches(['"', '\'']).strip_suffix("List");
    of.is_some_and(|of| !of.is_empty())
}

/// Marks the objects from `first` on as items of a list. A single object of its kind may be all that
/// was requested, unless the list's own kind shows that the list is complete (`of_kind`). `all_of` is
/// the kind of the items, for a list without any.
fn mark_listed(
    parsed: &mut Parsed<'_>,
    first: usize,
    (of_kind, all_of): (bool, Option<Subject>),
    is_whole: bool,
) {
    let objects = first..parsed.objects.len();
    parsed.lists.push(Listing {
        empty: all_of.filter(|_| objects.is_empty()),
        objects,
        of_kind,
        of_cluster: false,
    });
    let items = parsed.objects.get_mut(first..).unwrap_or_default();
    if !is_whole {
        return;
    }
    let mut counts: HashMap<Option<&str>, usize> = HashMap::new();
    for item in items.iter() {
        *counts.entry(item.subject.kind.as_deref()).or_default() += 1;
    }
    let of_many = items.iter().map(|item| {
        let count = counts.get(&item.subject.kind.as_deref());
        of_kind || count.is_some_and(|count| *count > 1)
    });
    let of_many: Vec<bool> = of_many.collect();
    for (item, of_many) in items.iter_mut().zip(of_many) {
        item.listed = of_many;
    }
}

/// Parses the lines of one object.
fn item<'a>(rows: &mut Vec<Row<'a>>, limits: &ReadLimits, parsed: &mut Parsed<'a>) {
    let rows = std::mem::take(rows);
    let mut filled = rows.iter().filter(|row| !row.line.is_blank());
    let Some(first) = filled.next() else {
        return;
    };
    let last = filled.next_back().unwrap_or(first);
    let span = first.line.trim_start().start..last.line.span().end;
    let mut budget = ReadBudget::new(limits);
    let values = yaml::read(&rows, &mut budget);
    budget.add_to(parsed);
    let mut whole: Vec<(std::borrow::Cow<'a, str>, Value<'a>)> = Vec::new();
    for value in values {
        match value {
            Value::Map(map) => whole.extend(kinds::placed(map)),
            Value::List(items) => {
                for value in items {
                    take(Format::ObjectYaml, value, None, (1, None), parsed);
                }
            }
            _ => {}
        }
    }
    if !whole.is_empty() {
        let value = Value::Map(whole.into_iter().collect());
        take(Format::ObjectYaml, value, Some(span), (0, None), parsed);
    }
}

/// Handles a value according to its kind: a list, an event, an object. `of` is the kind of a list's items,
/// which items of a homogeneous list do not state. Without a span, the object's is that of all its values.
fn take<'a>(
    format: Format,
    value: Value<'a>,
    span: Option<Span>,
    (depth, of): (usize, Option<&str>),
    parsed: &mut Parsed<'a>,
) {
    if depth > MAX_LISTS {
        return;
    }
    let map = match value {
        Value::Map(map) => map,
        Value::List(items) => {
            for item in items {
                take(format, item, None, (depth + 1, of), parsed);
            }
            return;
        }
        _ => return,
    };
    let is_internal = internal::is_internal(&map);
    let span = span.or_else(|| is_internal.then(|| map.span()));
    let map = if is_internal {
        internal::external(map)
    } else {
        map
    };
    let own = match map.text("kind") {
        Some(kind) => Some(kind.into_owned()),
        None if is_internal && map.get("items").is_some() => {
            internal::kind(&map).map(|kind| format!("{kind}List"))
        }
        None if is_internal => internal::kind(&map).map(str::to_owned),
        None => None,
    };
    let kind = own.as_deref().or(of);
    let is_list = kind.is_none_or(|kind| kind.ends_with("List"));
    let within = if is_list && matches!(map.get("items"), Some(Value::List(_))) {
        "items"
    } else if kind.is_none() && matches!(map.get("object"), Some(Value::Map(_))) {
        // an event of a watch
        "object"
    } else {
        let is_event = match kind {
            Some(kind) => kind == "Event",
            None => map.get("involvedObject").is_some() && map.get("reason").is_some(),
        };
        let whole = |span: Option<Span>| span.unwrap_or_else(|| map.span());
        match kind {
            // an empty list, or the members after a list's items
            Some(kind) if kind.ends_with("List") && map.get("metadata.name").is_none() => {
                // Go prints an empty list as null
                if map.get("metadata.resourceVersion").is_some() && map.get("items").is_none() {
                    let first = parsed.objects.len();
                    mark_listed(parsed, first, (true, items_of(kind, &map)), true);
                }
            }
            _ if is_event && event::is_event(&map) => {
                parsed
                    .events
                    .extend(event::of_event(format, &map, &whole(span)));
            }
            Some("Status") => parsed
                .events
                .extend(event::of_failure(format, &map, &whole(span))),
            kind => object(format, kind, &map, &whole(span), parsed),
        }
        return;
    };
    let of = kind
        .and_then(|kind| kind.strip_suffix("List"))
        .filter(|kind| !kind.is_empty());
    let of = of.map(str::to_owned);
    let all_of = kind.and_then(|kind| items_of(kind, &map));
    let first = parsed.objects.len();
    for (key, value) in map {
        if key == within {
            take(format, value, None, (depth + 1, of.as_deref()), parsed);
        }
    }
    if within == "items" {
        mark_listed(parsed, first, (all_of.is_some(), all_of), true);
    }
}

/// Returns the kind of a list's items, and the namespace in its `selfLink`.
fn items_of(kind: &str, list: &Map<'_>) -> Option<Subject> {
    let kind = kind.strip_suffix("List").filter(|kind| !kind.is_empty())?;
    let link = list.text("metadata.selfLink");
    let namespace = link.as_deref().and_then(|link| {
        let (_, rest) = link.split_once("/namespaces/")?;
        rest.split('/').next()
    });
    Some(Subject {
        kind: Some(kind.to_owned()),
        namespace: namespace.map(str::to_owned),
        ..Subject::default()
    })
}

fn object<'a>(
    format: Format,
    kind: Option<&str>,
    map: &Map<'a>,
    span: &Span,
    parsed: &mut Parsed<'a>,
) {
    let placed: Map<'a>;
    let map = if kinds::is_whole(map) {
        map
    } else {
        placed = kinds::placed(map.clone()).into_iter().collect();
        &placed
    };
    let kind = kind
        .filter(|kind| kind.len() <= MAX_NAME)
        .or_else(|| kinds::kind_of_fields(map))
        .map(str::to_owned);
    let annotated = match kind.as_deref() {
        Some("HorizontalPodAutoscaler") => kinds::annotated(map),
        _ => None,
    };
    let map = annotated.as_ref().unwrap_or(map);
    let fields = kinds::fields(kind.as_deref(), map);
    let owned = |path: &str| {
        let text = map.text(path).filter(|text| text.len() <= MAX_NAME);
        text.map(|text| text.into_owned())
    };
    let subject = Subject {
        node: match kind.as_deref() {
            Some("Pod") => owned("spec.nodeName"),
            _ => None,
        },
        namespace: owned("metadata.namespace"),
        name: owned("metadata.name").or_else(|| owned("metadata.generateName")),
        kind,
        container: None,
    };
    let before = parsed.events.len();
    event::of_status(format, map, &subject, &mut parsed.events);
    // a status pasted alone may have no known kind; anything else without one is not an object
    let is_identified = subject.kind.is_some() || subject.name.is_some();
    if !is_identified && !matches!(map.get("status"), Some(Value::Map(_))) {
        // another program's summary of an object may still list its conditions
        if parsed.events.len() == before {
            event::of_conditions(format, map, &subject, &mut parsed.events);
        }
        return;
    }
    parsed.objects.push(Object {
        format,
        span: span.clone(),
        subject,
        fields,
        listed: false,
    });
}

#[cfg(test)]
mod tests;
