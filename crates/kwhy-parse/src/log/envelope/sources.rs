//! Known prefixes of envelopes that a single line cannot identify (the names written by stern and
//! compose).

use super::{Inner, Layer, Names, stern};

/// The maximum number of names kept.
const MAX_SOURCES: usize = 64;

/// The names that prefix the lines of a log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    known: Vec<(String, Names)>,
}

impl Sources {
    /// Records the source of a line, if a line of this envelope cannot identify it on its own.
    pub(crate) fn learn(&mut self, line: &str, envelope: &Layer) {
        let Some(prefix) = envelope.source.and_then(|length| line.get(..length)) else {
            return;
        };
        if self.known.iter().any(|(known, _)| known == prefix) {
            return;
        }
        if self.known.len() == MAX_SOURCES {
            self.known.remove(0);
        }
        self.known.push((prefix.to_owned(), envelope.names.clone()));
    }

    /// Returns true if a line comes from a known source.
    pub(crate) fn contains(&self, line: &str) -> bool {
        self.prefix(line).is_some()
    }

    fn prefix(&self, line: &str) -> Option<&(String, Names)> {
        self.known.iter().find(|(prefix, _)| {
            line.starts_with(prefix.as_str()) || line == prefix.trim_end_matches(' ')
        })
    }

    /// Returns the envelope of a line from a known source.
    pub(crate) fn layer(&self, line: &str) -> Option<Layer> {
        let (prefix, names) = self.prefix(line)?;
        let start = prefix.len().min(line.len());
        let found = Layer::new(None, names.clone(), Inner::From(start));
        // compose puts a bar after its names
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
