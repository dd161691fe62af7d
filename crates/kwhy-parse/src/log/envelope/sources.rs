//! What has been seen before lines whose carrier no line shows alone (stern's and compose's names).

use super::{Inner, Layer, Names, stern};

/// How many names are kept.
const MAX_SOURCES: usize = 64;

/// The names that stand before the lines of a log.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Sources {
    known: Vec<(String, Names)>,
}

impl Sources {
    /// Makes the source of a line known, if its carrier is one that no line shows alone.
    pub(in super::super) fn learn(&mut self, line: &str, carrier: &Layer) {
        let Some(prefix) = carrier.source.and_then(|length| line.get(..length)) else {
            return;
        };
        if self.known.iter().any(|(known, _)| known == prefix) {
            return;
        }
        if self.known.len() == MAX_SOURCES {
            self.known.remove(0);
        }
        self.known.push((prefix.to_owned(), carrier.names.clone()));
    }

    /// Whether a line comes from a source that is known.
    pub(in super::super) fn know(&self, line: &str) -> bool {
        self.prefix(line).is_some()
    }

    fn prefix(&self, line: &str) -> Option<&(String, Names)> {
        self.known.iter().find(|(prefix, _)| {
            line.starts_with(prefix.as_str()) || line == prefix.trim_end_matches(' ')
        })
    }

    /// The carrier of a line from a source that is known.
    pub(super) fn layer(&self, line: &str) -> Option<Layer> {
        let (prefix, names) = self.prefix(line)?;
        let start = prefix.len().min(line.len());
        let found = Layer::new(None, names.clone(), Inner::From(start));
        // compose's names stand before a bar
        if prefix.contains('|') {
            return Some(found);
        }
        Some(match stern::stamp(line.get(start..)?) {
            Some((time, length)) => Layer {
                time: Some(time),
                inner: Inner::From((start + length + 1).min(line.len())),
                ..found
            },
            None => found,
        })
    }
}
