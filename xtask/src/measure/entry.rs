//! The entries of a catalogue.

use serde::Deserialize;

/// The role that a message plays in a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It shows the fault itself.
    Cause,
    /// It is a consequence of another fault.
    Symptom,
    /// It does not indicate a fault.
    Benign,
    /// It is background information and is not measured.
    Context,
}

/// Message formats that mean the same: of a Kubernetes component if `kind` is set, of another system if `system` is
/// set.
#[derive(Clone, Debug, Deserialize)]
pub struct Entry {
    /// A slug, in catalogues that have one.
    pub id: Option<String>,
    /// The reason of an event or status.
    pub reason: Option<String>,
    /// `event`, `log`, `status` and so on.
    pub kind: Option<String>,
    /// The component that writes the event.
    pub component: Option<String>,
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub severity: Option<String>,
    /// The system that writes the message.
    pub system: Option<String>,
    /// The kinds of objects that the message is about.
    #[serde(default)]
    pub applies_to: Vec<String>,
    /// The message formats, with `{placeholders}`.
    #[serde(default)]
    pub formats: Vec<String>,
    /// The acceptable causes, any of which counts as right.
    #[serde(default)]
    pub causes: Vec<String>,
    /// The role of the messages.
    pub role: Role,
}

impl Entry {
    /// Returns a name for lists: the id, or kind and reason.
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

    /// Returns the message formats. An entry without any has a single empty one and is recognised by its reason.
    pub fn messages(&self) -> Vec<&str> {
        if self.formats.is_empty() {
            vec![""]
        } else {
            self.formats.iter().map(String::as_str).collect()
        }
    }
}
