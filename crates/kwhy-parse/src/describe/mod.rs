//! `kubectl describe` of one or several objects, complete or cut.
//!
//! The format is that of kubernetes/kubectl `pkg/describe/describe.go`, releases 0.17 to 0.36 (1.17
//! to 1.36), with the fields renamed between them. Also accepted: a common indentation, damaged or
//! lost indentation, columns separated by one space, text cut at either end, and `...` in place of
//! omitted lines. Each kind with a describer in kubectl has a schema in `kinds`; any other is
//! parsed as output of the generic describer. The lines of an Events table are parsed by
//! [`events`](super::events).

mod condition_row;
mod generic;
mod headless_events;
mod joined_lines;
mod key_case;
mod kinds;
mod layout;
mod lost_indent;
mod raw_data;
mod recognise;
mod table;
mod tree_builder;
mod values;

use crate::input::Line;
use kwhy_model::{Format, Object, Parsed, Span, Subject, Value};
use layout::{Entry, Tree, is_absent, part};
pub(crate) use recognise::is_reason_of_container;

/// Returns true if the line starts a describe: `Name:` and a value.
///
/// ```
/// use kwhy_parse::describe;
/// assert!(describe::is_start("Name:         web-0"));
/// assert!(!describe::is_start("Name: of the pod that fails"));
/// ```
pub fn is_start(line: &str) -> bool {
    recognise::is_start(line)
}

/// Returns true if the line on its own is certainly part of a describe (a known field and its
/// value).
///
/// ```
/// use kwhy_parse::describe;
/// assert!(describe::is_field("    Restart Count:  4"));
/// assert!(!describe::is_field("Note: the pod was restarted"));
/// ```
pub fn is_field(line: &str) -> bool {
    recognise::is_field(line)
}

/// Returns true if the line on its own states the condition of a container or an object.
///
/// ```
/// use kwhy_parse::describe;
/// assert!(describe::is_state("      Reason:       OOMKilled"));
/// assert!(describe::is_state("  Progressing    False   ProgressDeadlineExceeded"));
/// assert!(!describe::is_state("    Restart Count:  4"));
/// ```
pub fn is_state(line: &str) -> bool {
    recognise::is_state(line)
}

/// Parses the lines of one or several describes.
///
/// ```
/// use kwhy_parse::{describe, input::{Document, lines}};
/// let text = "Name: web-0\nNamespace: shop\nContainers:\n  app:\n    State:  Waiting\n      Reason:  CrashLoopBackOff\n";
/// let document = Document::new("stdin", text);
/// let parsed = describe::parse(&lines(document.text()).collect::<Vec<_>>());
/// let pod = &parsed.objects[0];
/// assert_eq!(pod.subject.to_string(), "Pod shop/web-0");
/// let app = &pod.fields.items("containers")[0];
/// assert_eq!(app.get("state.reason").unwrap().to_text().unwrap(), "CrashLoopBackOff");
/// ```
pub fn parse<'a>(lines: &[Line<'a>]) -> Parsed<'a> {
    let mut parsed = Parsed::default();
    let base = common_indent(lines);
    let unindented: Vec<_>;
    let mut rest = lines;
    if base > 0 {
        let cut = |line: &Line<'a>| part(*line, line.indent().min(base), line.text.len());
        unindented = lines.iter().map(cut).collect();
        rest = &unindented;
    }
    while !rest.is_empty() {
        let length = object_length(rest);
        let (object, after) = rest.split_at(length.clamp(1, rest.len()));
        parse_object(object, &mut parsed);
        rest = after;
    }
    parsed
}

/// Returns the indentation of the object's own keys. Only a leading first key determines it: a
/// fragment may start at any level, and then its keys are indented more than others.
fn common_indent(lines: &[Line<'_>]) -> usize {
    let first = lines.iter().find(|line| !line.is_blank());
    let base = first
        .filter(|line| is_start(line.text))
        .map_or(0, Line::indent);
    if base == 0 {
        return 0;
    }
    let keys = lines.iter().filter(|line| is_field(line.text));
    keys.map(Line::indent)
        .min()
        .map_or(base, |least| least.min(base))
}

/// Returns the number of lines before the next object.
fn object_length(lines: &[Line<'_>]) -> usize {
    let base = lines
        .iter()
        .find(|line| !line.is_blank())
        .map_or(0, Line::indent);
    let mut after_blank = false;
    let mut has_started = false;
    for (index, line) in lines.iter().enumerate() {
        if line.is_blank() {
            after_blank = true;
            continue;
        }
        if has_started
            && line.indent() <= base
            && is_start(line.text)
            && (after_blank || second_key_follows(lines.get(index + 1..).unwrap_or(&[])))
        {
            return index;
        }
        has_started = true;
        after_blank = false;
    }
    lines.len()
}

/// Returns true if the next line is one that comes second in an object, so that the `Name:` before
/// it is an object's and not a volume's.
fn second_key_follows(lines: &[Line<'_>]) -> bool {
    const SECOND: &[&str] = &["Namespace", "Labels", "Roles", "IsDefaultClass", "Priority"];
    lines
        .iter()
        .find(|line| !line.is_blank())
        .is_some_and(|line| SECOND.contains(&Entry::new(*line).key_text()))
}

fn parse_object<'a>(lines: &[Line<'a>], parsed: &mut Parsed<'a>) {
    let split = joined_lines::split(lines);
    let lines = split.as_deref().unwrap_or(lines);
    let Some(span) = span_of(lines) else {
        return;
    };
    let (head, raw) = raw_data::split(lines);
    let (layout, raw, events) = if raw.is_empty() {
        let (layout, events) = split_events(head);
        (layout, raw, events)
    } else {
        let (raw, rest) = raw_data::split_at_events(raw);
        (head, raw, split_events(rest).1)
    };
    let headless = match events {
        Events::Absent => headless_events::rows(layout),
        _ => None,
    };
    let without_rows;
    let (layout, events) = match headless {
        Some(rows) => {
            without_rows = [&layout[..rows.start], &layout[rows.end..]].concat();
            (without_rows.as_slice(), Events::Lines(&layout[rows]))
        }
        None => (layout, events),
    };
    let rows = match events {
        Events::Lines(rows) => rows,
        _ => &[],
    };
    let own = lines.get(..layout.len() + raw.len()).unwrap_or(lines);
    let found = kinds::detect_kind::detect(own, rows);
    let kind = found.map(|found| found.kind);
    let is_part = found.is_none() && kinds::detect_kind::is_generic_part(layout);
    let reader = if is_part {
        kinds::generic_part()
    } else {
        kinds::reader(found)
    };
    let tree = Tree::build(&reader.schema, layout);
    let mut fields = if is_part {
        generic::fields_of_part(&tree)
    } else {
        reader.fields(&tree)
    };
    parsed.not_understood.extend(&tree.not_understood);
    raw_data::add(
        &mut fields,
        kind.unwrap_or(""),
        raw,
        &mut parsed.not_understood,
    );
    let value = |key| tree.child(tree.root(), key).map(|node| node.value);
    let mut subject = Subject {
        kind: kind.map(str::to_owned),
        namespace: value("Namespace").and_then(known),
        name: object_name(&tree).and_then(known),
        ..Subject::default()
    };
    if kind == Some("Pod") {
        subject.node = fields.text("node").map(|node| node.into_owned());
        super::object::of_containers(Format::Describe, &fields, &subject, &mut parsed.events);
    }
    // a condition's message is in the Events table too, unless both ends of the text were cut off or no events are left
    let has_ends = subject.name.is_some() || matches!(events, Events::Lines(_));
    if found.is_some_and(|found| found.is_generic) {
        super::object::of_status(Format::Describe, &fields, &subject, &mut parsed.events);
    } else if is_part || (kind != Some("Pod") && !has_ends) {
        super::object::of_part(Format::Describe, &fields, &subject, &mut parsed.events);
    }
    // programs print their own kinds in a similar way, with a message about what happened
    let has_message = || kind.is_none() && !is_part && fields.get("message").is_some();
    if kind == Some("Event") || has_message() {
        let event = super::object::of_event(Format::Describe, &fields, &span);
        parsed.events.extend(event.map(|mut event| {
            if event.subject.name.is_none() {
                event.subject = subject.clone();
            }
            event
        }));
    }
    match events {
        Events::Absent => {}
        Events::None(line) => fields.insert("no_events", Value::Boolean(true, line.span())),
        Events::Lines(lines) => {
            let mut events = super::events::parse(&without_rule(lines));
            for event in &mut events.events {
                event.subject.fill_from(&subject);
            }
            parsed.append(events);
        }
    }
    if !fields.is_empty() || subject.name.is_some() {
        parsed.objects.push(Object {
            format: Format::Describe,
            span,
            subject,
            fields,
            listed: false,
        });
    }
}

/// Returns the object's name. If the top of the text was cut off, the first name may be that of a
/// nested part, which is indented more than the object's other keys.
fn object_name<'a>(tree: &Tree<'a>) -> Option<Line<'a>> {
    let node = tree.child(tree.root(), "Name")?;
    let outermost = tree.children(tree.root()).map(|node| node.indent).min()?;
    (node.indent == outermost).then_some(node.value)
}

fn known(line: Line<'_>) -> Option<String> {
    (!line.text.is_empty() && !is_absent(line.text)).then(|| line.text.to_owned())
}

/// Returns the span from the first to the last non-empty line.
fn span_of(lines: &[Line<'_>]) -> Option<Span> {
    let mut filled = lines.iter().filter(|line| !line.is_blank());
    let first = filled.next()?;
    let last = filled.next_back().unwrap_or(first);
    Some(first.start..last.span().end)
}

enum Events<'l, 'a> {
    Absent,
    None(Line<'a>),
    Lines(&'l [Line<'a>]),
}

/// Splits off the Events table; returns the lines before it and the table.
fn split_events<'l, 'a>(lines: &'l [Line<'a>]) -> (&'l [Line<'a>], Events<'l, 'a>) {
    let base = lines
        .iter()
        .find(|line| !line.is_blank())
        .map_or(0, Line::indent);
    for (index, line) in lines.iter().enumerate() {
        if !line.text.contains("Events:") && !super::events::is_header(line.text) {
            continue;
        }
        let (before, from) = lines.split_at(index);
        let entry = Entry::new(*line);
        let after = from.get(1..).unwrap_or(&[]);
        if entry.key_text() == "Events" {
            match entry.value.text {
                "" if line.indent() <= base || table_follows(after) => {
                    return (before, Events::Lines(after));
                }
                "<none>" => return (before, Events::None(entry.value)),
                _ => {}
            }
        } else if super::events::is_header(line.text) {
            return (before, Events::Lines(from));
        }
    }
    (lines, Events::Absent)
}

/// Returns the lines of an Events table without the rule below the header, whatever separates its
/// dashes.
fn without_rule<'a>(lines: &[Line<'a>]) -> Vec<Line<'a>> {
    let is_rule = |(index, line): &(usize, &Line<'a>)| *index < 4 && table::is_dashes(line.text);
    let kept = lines.iter().enumerate().filter(|line| !is_rule(line));
    kept.map(|(_, line)| *line).collect()
}

/// Returns true if the header of an Events table comes next.
fn table_follows(lines: &[Line<'_>]) -> bool {
    let header = lines.iter().find(|line| !line.is_blank());
    header.is_some_and(|line| {
        let mut words = line.text.split_whitespace();
        words.next() == Some("Type") && words.next() == Some("Reason")
    })
}

#[cfg(test)]
mod tests;
