//! Multi-line JSON objects, alone or with another writer's head before each line.

use std::rc::Rc;

use super::super::envelope::Envelopes;
use super::super::json;
use super::super::payload::Payload;
use super::super::record::{Lines, Record};
use super::{Reader, SPREAD_LINES};
use crate::input::Line;

impl<'a> Reader<'a> {
    /// Parses a record that is a multi-line JSON object; returns the number of lines after the first.
    pub(super) fn spread_object(
        &mut self,
        first: &Line<'a>,
        following: &[Line<'a>],
    ) -> Option<usize> {
        let window = following.get(..following.len().min(SPREAD_LINES))?;
        let last = window
            .iter()
            .position(|line| matches!(line.text, "}" | "{"))?;
        let inside = window.get(..=last)?;
        if inside.last()?.text != "}" {
            return None;
        }
        let mut record = Record::new(
            Some(&json::FORMAT),
            Envelopes::default(),
            Payload::from_line(*first),
            first.span(),
        );
        for line in inside {
            record.join(Payload::from_line(*line), line.span().end, Lines::default());
        }
        if !(json::FORMAT.begins)(record.payload().as_str()) {
            return None;
        }
        self.close();
        self.current = Some(record);
        Some(last + 1)
    }

    /// Parses a multi-line JSON object with another writer's head before each line; returns the number of lines after
    /// the first. The first head supplies what the object lacks.
    pub(super) fn spread_after_heads(
        &mut self,
        first: &Line<'a>,
        following: &[Line<'a>],
    ) -> Option<usize> {
        if !first.text.ends_with('{') {
            return None;
        }
        let layout = Rc::clone(self.layout.as_ref()?);
        let said =
            |line: &Line<'a>| Some(Payload::from_line(*line).skip(layout.message(line.text)?));
        let open = said(first).filter(|said| said.as_str() == "{")?;
        let mut record = Record::new(
            Some(&json::FORMAT),
            Envelopes::default(),
            open,
            first.span(),
        );
        for (taken, line) in following.iter().take(SPREAD_LINES).enumerate() {
            let said = said(line)?;
            let is_end = said.as_str() == "}";
            record.join(said, line.span().end, Lines::default());
            if is_end && json::is_whole(record.payload().as_str()) {
                if !(json::FORMAT.begins)(record.payload().as_str()) {
                    return None;
                }
                let head = layout.header(first.text);
                record.envelopes.enveloped_by(head);
                self.close();
                self.current = Some(record);
                return Some(taken + 1);
            }
        }
        None
    }
}
