//! The state of an open describe, by which further lines are assigned to it.

use super::segment::Segment;
use crate::input::Line;
use crate::{describe, events};

/// The raw data of a ConfigMap, which may contain any text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Data {
    #[default]
    None,
    /// `Data` or `BinaryData`.
    Title,
    /// The rule below the title.
    Open,
}

impl Data {
    pub fn after(self, text: &str, open: &Segment<'_>) -> Data {
        let is_type = |line: &Line<'_>| line.text.starts_with("Type:");
        match (self, text.trim()) {
            (_, "Data" | "BinaryData") => Data::Title,
            // Secrets show only sizes
            (Data::Title, "====") if !open.lines.iter().any(is_type) => Data::Open,
            (Data::Open, _) if events_title(text).is_none() => Data::Open,
            _ => Data::None,
        }
    }
}

/// The state of the events of the current object of a describe.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum EventsState {
    #[default]
    NotYet,
    /// `Events:  <none>`.
    None,
    /// `Events:`.
    Title,
    /// The header of their table.
    Header,
}

impl EventsState {
    pub fn after(self, text: &str) -> EventsState {
        if describe::is_start(text) {
            EventsState::NotYet
        } else if let Some(value) = events_title(text) {
            if value.is_empty() {
                EventsState::Title
            } else {
                EventsState::None
            }
        } else if events::is_header(text) {
            EventsState::Header
        } else {
            self
        }
    }

    /// Returns true if the line starts a second list of events, which must belong to another object: a paste may
    /// contain only that object's events.
    pub fn is_over_at(self, text: &str) -> bool {
        match self {
            EventsState::NotYet => false,
            EventsState::None => {
                events_title(text).is_some() || events::is_header(text) || events::is_row(text)
            }
            EventsState::Title => events_title(text).is_some(),
            EventsState::Header => events_title(text).is_some() || events::is_header(text),
        }
    }
}

/// Returns the text after the title of a describe's events; `None` if the line is not that title.
pub(super) fn events_title(text: &str) -> Option<&str> {
    let value = text.trim_start().strip_prefix("Events:")?.trim();
    matches!(value, "" | "<none>").then_some(value)
}
