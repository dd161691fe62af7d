//! Marks times that run backwards: a record whose time is before that of the same writer's previous record. Either the
//! clock was set back, or the line arrived late; the order of the input is kept.
//!
//! A writer is identified by the envelope and the record's format: several write into one stream, and
//! their clocks may be in different zones.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use kwhy_model::{Event, Text};

/// The maximum number of writers that are tracked.
const WRITERS: usize = 4096;
/// Times without a year run backwards at the end of a year.
const HALF_A_YEAR: i128 = 183 * 86_400_000_000_000;

/// The time of each writer's last record, in nanoseconds since 1970.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    last: HashMap<u64, i128>,
}

/// The clocks of the writers in a part of a document.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Each writer's first record.
    first: Vec<(u64, usize)>,
    last: HashMap<u64, i128>,
}

impl Seen {
    /// Marks times that run backwards within a part.
    pub(super) fn mark(events: &mut [Event<'_>]) -> Seen {
        let mut seen = Seen::default();
        for (index, event) in events.iter_mut().enumerate() {
            let Some(time) = event.time.filter(|_| event.format.is_log()) else {
                continue;
            };
            let writer = writer(event);
            match seen.last.insert(writer, time.nanos) {
                Some(before) => event.back = back(event, before),
                None => seen.first.push((writer, index)),
            }
        }
        seen
    }
}

impl Clocks {
    /// Marks the first records of a part's writers if they run backwards, and continues after the part.
    pub(super) fn resume(&mut self, events: &mut [Event<'_>], seen: Seen) {
        for (writer, index) in seen.first {
            if let (Some(before), Some(event)) = (self.last.get(&writer), events.get_mut(index)) {
                event.back = back(event, *before);
            }
        }
        if self.last.len() + seen.last.len() > WRITERS {
            self.last.clear();
        }
        self.last.extend(seen.last);
    }
}

/// Returns by how many nanoseconds an event precedes its writer's previous one; `None` if it does not.
fn back(event: &Event<'_>, before: i128) -> Option<u64> {
    let time = event.time?;
    let back = before - time.nanos;
    let is_new_year = !time.year_stated && back > HALF_A_YEAR;
    u64::try_from(back)
        .ok()
        .filter(|back| *back > 0 && !is_new_year)
}

fn writer(event: &Event<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let stated = event.time.map(|time| (time.zone_stated, time.year_stated));
    (event.format, stated).hash(&mut hasher);
    if let Some(envelope) = &event.envelope {
        let names = [
            &envelope.namespace,
            &envelope.pod,
            &envelope.container,
            &envelope.node,
            &envelope.program,
            &envelope.pid,
        ];
        envelope.stream.hash(&mut hasher);
        for name in names {
            name.as_ref().map(Text::as_str).hash(&mut hasher);
        }
    }
    hasher.finish()
}
