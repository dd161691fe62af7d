//! The entries of a catalogue.

use serde::Deserialize;

/// The role of a message in a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It points at the fault.
    Cause,
    /// It follows from another fault.
    Symptom,
    /// It is not a fault.
    Benign,
    /// It helps to decide, and is not measured.
    Context,
}

/// Some formats of one meaning: of a component of Kubernetes where `kind` is set, of another system where
/// `system` is.
#[derive(Clone, Debug, Deserialize)]
pub struct Entry {
    /// A slug, in catalogues that have one.
    pub id: Option<String>,
    /// The reason of an event or a status.
    pub reason: Option<String>,
    /// `event`, `log`, `status` and so on.
    pub kind: Option<String>,
    /// The writer of an event.
    pub component: Option<String>,
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub severity: Option<String>,
    /// The system that writes it.
    pub system: Option<String>,
    /// The kinds of object that it depends on.
    #[serde(default)]
    pub applies_to: Vec<String>,
    /// The messages, with `{placeholders}`.
    #[serde(default)]
    pub formats: Vec<String>,
    /// The causes that it may occur for; any one is right.
    #[serde(default)]
    pub causes: Vec<String>,
    /// Its text.
    pub role: Role,
}

impl Entry {
    /// A name for lists: the slug, or kind and reason.
    pub fn name(&self) -> String {
        match (&self.id, &self.kind, &self.reason) {
            (Some(id), _, _) => id.clone(),
            (_, Some(kind), Some(reason)) => format!("{kind}/{reason}"),
            (_, Some(kind), None) => {
                format!("{kind}/{}", self.component.as_deref().unwrap_or("any"))
            }
            _ => "unnamed".to_owned(),
        }
    }

    /// The formats; an entry without any stands for its reason alone.
    pub fn messages(&self) -> Vec<&str> {
        if self.formats.is_empty() {
            vec![""]
        } else {
            self.formats.iter().map(String::as_str).collect()
        }
    }
}
