//! What a row's cells become.

use super::columns::Cell;
use super::fit;
use crate::model::{Age, Map, Subject, Value};

/// Reads the name's cell: `web-0`, `pod/web-0`, `standard (default)`.
pub(super) fn name<'a>(
    kind: Option<&str>,
    cell: Cell<'a>,
    subject: &mut Subject,
    fields: &mut Map<'a>,
) {
    let name = match cell.text.strip_suffix(" (default)") {
        Some(name) => cell.first(name.len()),
        None => cell,
    };
    let mark = cell.skip(name.text.len());
    if kind == Some("StorageClass") || !mark.is_empty() {
        let place = if mark.is_empty() { name } else { mark };
        fields.insert(
            "is_default_class",
            Value::Boolean(!mark.is_empty(), place.span()),
        );
    }
    subject.name = Some(match name.text.split_once('/') {
        Some((kind, name)) => {
            subject.kind = Some(Subject::kind_from_word(kind));
            name.to_owned()
        }
        None => name.text.to_owned(),
    });
}

/// Adds the field of a filled cell.
pub(super) fn field<'a>(column: &str, cell: Cell<'a>, fields: &mut Map<'a>) {
    let key = key(column);
    let age =
        |age: Age| Value::Integer(i64::try_from(age.seconds).unwrap_or(i64::MAX), cell.span());
    match column {
        "RESTARTS" => {
            if let Some((number, last)) = fit::restarts(cell.text) {
                let digits = cell.text.split(' ').next().unwrap_or("");
                let number_cell = cell.first(digits.len());
                fields.insert(key, Value::Integer(number, number_cell.span()));
                if let Some(last) = last {
                    let rest = cell.skip(digits.len());
                    let seconds = i64::try_from(last.seconds).unwrap_or(i64::MAX);
                    fields.insert("last_restart_age_s", Value::Integer(seconds, rest.span()));
                }
            } else {
                fields.insert(key, Value::Text(cell.text()));
            }
        }
        "AGE" | "DURATION" | "LAST SCHEDULE" => match Age::parse(cell.text) {
            Some(parsed) => {
                let key = if column == "LAST SCHEDULE" {
                    "last_schedule_age"
                } else {
                    &key
                };
                fields.insert(format!("{key}_s"), age(parsed));
            }
            None if matches!(cell.text, "<unknown>" | "<invalid>") => {}
            None => fields.insert(key, Value::Text(cell.text())),
        },
        "DESIRED" | "CURRENT" | "READY" | "UP-TO-DATE" | "AVAILABLE" | "DATA" | "SECRETS"
        | "MINPODS" | "MAXPODS" | "REPLICAS" | "ACTIVE" => match cell.text.parse() {
            Ok(number) => fields.insert(key, Value::Integer(number, cell.span())),
            Err(_) => fields.insert(key, Value::Text(cell.text())),
        },
        _ => fields.insert(key, Value::Text(cell.text())),
    }
}

/// A column's name as a field's: `NOMINATED NODE` is `nominated_node`, `PORT(S)` is `ports`.
pub(super) fn key(column: &str) -> String {
    // words that kubectl writes without a gap
    const JOINED: &[(&str, &str)] = &[
        ("STORAGECLASS", "storage_class"),
        ("ACCESSMODES", "access_modes"),
        ("RECLAIMPOLICY", "reclaim_policy"),
        ("VOLUMEBINDINGMODE", "volume_binding_mode"),
        ("ALLOWVOLUMEEXPANSION", "allow_volume_expansion"),
        ("VOLUMEATTRIBUTESCLASS", "volume_attributes_class"),
        ("VOLUMEMODE", "volume_mode"),
        ("VOLUMESNAPSHOTCLASS", "volume_snapshot_class"),
        ("ADDRESSTYPE", "address_type"),
        ("MINPODS", "min_pods"),
        ("MAXPODS", "max_pods"),
        ("LASTSCHEDULE", "last_schedule"),
        ("READYTOUSE", "ready_to_use"),
        ("SOURCEPVC", "source_pvc"),
        ("RESTORESIZE", "restore_size"),
        ("SNAPSHOTCONTENT", "snapshot_content"),
        ("CREATIONTIME", "creation_time"),
        ("SIGNERNAME", "signer_name"),
        ("REQUESTEDDURATION", "requested_duration"),
        ("ATTACHREQUIRED", "attach_required"),
        ("PODINFOONMOUNT", "pod_info_on_mount"),
        ("STORAGECAPACITY", "storage_capacity"),
        ("PORT(S)", "ports"),
        ("CPU(cores)", "cpu"),
        ("MEMORY(bytes)", "memory"),
    ];
    if let Some((_, key)) = JOINED.iter().find(|(name, _)| *name == column) {
        return (*key).to_owned();
    }
    let plain = column.split('(').next().unwrap_or(column);
    let mut key = String::with_capacity(plain.len() + 8);
    for c in plain.chars() {
        match c {
            '%' => key.push_str("_percent"),
            '?' => {}
            _ if c.is_ascii_alphanumeric() => key.push(c.to_ascii_lowercase()),
            _ => key.push('_'),
        }
    }
    key
}
