//! Conversion of a row's cells to fields.

use std::borrow::Cow;

use super::columns::Cell;
use super::names::{self, Conversion};
use super::unwrap::LogicalLine;
use super::{align, runtime};
use kwhy_model::{Age, Map, Subject, Value};

/// A row being parsed: its source and the fields found so far.
pub(super) struct RowBuilder<'a, 'r> {
    pub whole: &'r LogicalLine<'a>,
    pub kind: Option<&'static str>,
    pub subject: Subject,
    pub fields: Map<'a>,
}

/// The conversion of a column's cells.
#[derive(Debug)]
pub(super) enum CellUse {
    Namespace,
    Name,
    /// The container, if the pod has a column of its own: `kubectl top --containers`, crictl.
    Container,
    /// The pod of a [`CellUse::Container`].
    Pod,
    /// The name of an image, which is also a field.
    Image(FieldName),
    /// The container names of `docker ps`.
    ContainerNames(FieldName),
    Field(FieldName),
}

impl CellUse {
    /// Returns the use of a column in a kind's table that has these columns.
    pub fn of(kind: Option<&str>, column: &str, all: &[&str]) -> CellUse {
        let has_pod = all.contains(&"POD");
        match column {
            "NAMESPACE" => CellUse::Namespace,
            "NAME" if has_pod => CellUse::Container,
            "POD" if has_pod && all.contains(&"NAME") => CellUse::Pod,
            "NAME" => CellUse::Name,
            "IMAGE" | "REPOSITORY" if kind == Some("Image") => {
                CellUse::Image(FieldName::of(kind, column))
            }
            "NAMES" if kind == Some("Container") => {
                CellUse::ContainerNames(FieldName::of(kind, column))
            }
            _ => CellUse::Field(FieldName::of(kind, column)),
        }
    }
}

/// The field of a column and the conversion of its cells.
#[derive(Debug)]
pub(super) struct FieldName {
    key: Cow<'static, str>,
    conversion: Conversion,
}

impl FieldName {
    fn of(kind: Option<&str>, column: &str) -> FieldName {
        let known = names::find(kind, column);
        FieldName {
            key: names::key(kind, column),
            conversion: known.map_or(Conversion::Text, |known| known.conversion),
        }
    }

    /// Returns the key of a field in seconds.
    fn of_seconds(&self, suffix: &str) -> Cow<'static, str> {
        match (&*self.key, suffix) {
            ("age", "_s") => Cow::Borrowed("age_s"),
            (key, suffix) => Cow::Owned(format!("{key}{suffix}")),
        }
    }
}

impl<'a> RowBuilder<'a, '_> {
    /// Adds a cell.
    pub fn add(&mut self, of: &CellUse, cell: Cell<'_>) {
        let cell = cell.unmarked();
        if cell.is_empty() {
            return;
        }
        let owned = || (!is_absent(cell.text)).then(|| cell.text.to_owned());
        match of {
            CellUse::Namespace => self.subject.namespace = owned(),
            CellUse::Name => self.name(cell),
            CellUse::Container => self.subject.container = owned(),
            CellUse::Pod => {
                self.subject.kind = Some("Pod".to_owned());
                self.subject.name = owned();
            }
            CellUse::Image(field) => {
                self.subject.name = owned();
                self.field(field, cell);
            }
            CellUse::ContainerNames(field) => self.docker_name(field, cell),
            CellUse::Field(field) => self.field(field, cell),
        }
    }

    /// Parses the name cell: `web-0`, `pod/web-0`, `standard (default)`.
    fn name(&mut self, cell: Cell<'_>) {
        let name = match cell.text.strip_suffix(" (default)") {
            Some(name) => cell.first(name.trim_end().len()),
            None => cell,
        };
        let default_marker = cell.skip(name.text.len());
        if self.kind == Some("StorageClass") || !default_marker.is_empty() {
            let source = if default_marker.is_empty() {
                name
            } else {
                default_marker
            };
            self.fields.insert(
                "is_default_class",
                Value::Boolean(!default_marker.is_empty(), self.whole.span(source)),
            );
        }
        if is_absent(name.text) {
            return;
        }
        self.subject.name = Some(match name.text.split_once('/') {
            Some((kind, name)) if self.kind != Some("Image") => {
                self.subject.kind = Some(Subject::kind_from_word(kind));
                name.to_owned()
            }
            _ => name.text.to_owned(),
        });
    }

    /// Parses the names cell of `docker ps`, where the kubelet named its containers
    /// `k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT`.
    fn docker_name(&mut self, field: &FieldName, cell: Cell<'_>) {
        let first = cell.text.split(',').next().unwrap_or(cell.text);
        let mut parts = first.strip_prefix("k8s_").unwrap_or("").splitn(4, '_');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(container), Some(pod), Some(namespace), Some(_)) => {
                self.subject = Subject::new("Pod", Some(namespace), pod);
                self.subject.container = Some(container.to_owned());
            }
            _ => self.subject.name = Some(first.to_owned()),
        }
        self.text(field.key.clone(), cell);
    }

    /// Adds the field of a non-empty cell.
    fn field(&mut self, field: &FieldName, cell: Cell<'_>) {
        let key = field.key.clone();
        match field.conversion {
            // an absent value is kept as printed, whatever the type of the column
            _ if cell.text == "<none>" => self.text(key, cell),
            Conversion::Text => self.text(key, cell),
            Conversion::Integer => match cell.text.parse() {
                Ok(number) => self.integer(key, number, cell),
                Err(_) => self.text(key, cell),
            },
            Conversion::Age => match Age::parse(cell.text) {
                Some(age) => self.seconds(field.of_seconds("_s"), age.seconds, cell),
                None if matches!(cell.text, "<unknown>" | "<invalid>") => {}
                None => self.text(key, cell),
            },
            Conversion::Ago => match runtime::ago(cell.text) {
                Some(seconds) => self.seconds(field.of_seconds("_age_s"), seconds, cell),
                None => self.text(key, cell),
            },
            Conversion::Restarts => self.restarts(key, cell),
            Conversion::ContainerState => self.state(key, cell),
            Conversion::Labels => self.labels(key, cell),
        }
    }

    fn text(&mut self, key: impl Into<Cow<'a, str>>, cell: Cell<'_>) {
        self.fields.insert(key, Value::Text(self.whole.cell(cell)));
    }

    fn integer(&mut self, key: impl Into<Cow<'a, str>>, number: i64, cell: Cell<'_>) {
        self.fields
            .insert(key, Value::Integer(number, self.whole.span(cell)));
    }

    fn seconds(&mut self, key: impl Into<Cow<'a, str>>, seconds: u64, cell: Cell<'_>) {
        self.integer(key, i64::try_from(seconds).unwrap_or(i64::MAX), cell);
    }

    fn restarts(&mut self, key: Cow<'static, str>, cell: Cell<'_>) {
        let Some((number, last)) = align::restarts(cell.text) else {
            return self.text(key, cell);
        };
        let digits = cell.text.split(' ').next().unwrap_or("").len();
        self.integer(key, number, cell.first(digits));
        if let Some(last) = last {
            self.seconds("last_restart_age_s", last.seconds, cell.skip(digits));
        }
    }

    fn state(&mut self, key: Cow<'static, str>, cell: Cell<'_>) {
        self.text(key, cell);
        let Some(state) = runtime::state(cell.text) else {
            return;
        };
        if let Some(code) = state.exit_code {
            self.integer("exit_code", code, cell);
        }
        if let Some(seconds) = state.for_seconds {
            self.seconds("status_age_s", seconds, cell);
        }
        if let Some(health) = state.health {
            let start = cell.text.rfind('(').map_or(0, |at| at + 1);
            let health_cell = cell.skip(start).first(health.len());
            self.text("health", health_cell);
        }
    }

    fn labels(&mut self, key: Cow<'static, str>, cell: Cell<'_>) {
        let mut labels = Map::new();
        let mut at = 0;
        for part in cell.text.split(',') {
            let Some((label, _)) = part.split_once('=') else {
                return self.text(key, cell);
            };
            let value = cell.skip(at + label.len() + 1);
            let length = part.len() - label.len() - 1;
            labels.insert(
                label.to_owned(),
                Value::Text(self.whole.cell(value.first(length))),
            );
            at += part.len() + 1;
        }
        self.fields.insert(key, Value::Map(labels));
    }
}

/// Returns true if the cell is a placeholder for an absent value.
pub(super) fn is_absent(text: &str) -> bool {
    matches!(text, "<none>" | "<unknown>" | "<unset>" | "<nil>")
}
