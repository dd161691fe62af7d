//! The table of `systemctl list-units` and `systemctl --failed` (systemd/systemd
//! `src/systemctl/systemctl-list-units.c`, `output_units_list`, releases 208 to 257).

use super::recognise::{from_name, is_active_state, is_header, is_load_state, is_unit};
use super::{KIND, part, split};
use crate::input::Line;
use kwhy_model::{Format, Map, Object, Parsed, Subject, Text, Value};

/// Parses the rows of a table; `None` if there is none.
pub(super) fn parse<'a>(lines: &[Line<'a>]) -> Option<Parsed<'a>> {
    let mut parsed = Parsed::default();
    for line in lines.iter().filter(|line| !line.is_blank()) {
        if is_header(line.text.trim_start()) {
            continue;
        }
        match row(line) {
            Some(object) => parsed.objects.push(object),
            None => parsed.not_understood.push(line.number),
        }
    }
    (!parsed.objects.is_empty()).then_some(parsed)
}

/// Parses `● kubelet.service loaded failed failed kubelet: The Kubernetes Node Agent`.
fn row<'a>(line: &Line<'a>) -> Option<Object<'a>> {
    let (name, rest) = split(from_name(line), " ")?;
    let (load_state, rest) = split(rest, " ")?;
    let (state, rest) = split(rest, " ")?;
    let (sub_state, description) = split(rest, " ").unwrap_or((rest, part(rest, 0, 0)));
    if !is_unit(name.text) || !is_load_state(load_state.text) || !is_active_state(state.text) {
        return None;
    }
    let text = |line: Line<'a>| Value::Text(Text::borrowed(line.text, line.start));
    let mut active = Map::new();
    active.insert("state", text(state));
    active.insert("sub_state", text(sub_state));
    let mut fields = Map::new();
    fields.insert("load_state", text(load_state));
    fields.insert("active", Value::Map(active));
    if !description.text.is_empty() {
        fields.insert("description", text(description));
    }
    Some(Object {
        format: Format::UnitStatus,
        span: line.span(),
        subject: Subject::new(KIND, None, name.text),
        fields,
        listed: false,
    })
}
