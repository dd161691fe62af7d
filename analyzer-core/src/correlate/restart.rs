//! The last restart of a pod's containers, and whether they have run long enough since.

use kwhy_model::{Event, Format, Object, Subject};

use super::health::ContainerState;

/// The minimum number of seconds that a restarted container must have run.
const LEAST: i128 = 600;

/// The number of seconds after which a running container is stable, however rarely it ended before.
pub(super) const STABLE: i128 = 6 * 3600;

/// The number of seconds for which a cluster keeps events.
const EVENTS_KEPT: i128 = 3600;

const NANOS: i128 = 1_000_000_000;

/// The last restart of a container of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Restart {
    /// The seconds from the restart to the output.
    ago: Option<i128>,
    /// The time at which the run before it ended, in nanoseconds since 1970.
    ended: Option<i128>,
    /// The seconds for which that run lasted.
    ran: Option<i128>,
    /// The time at which the pod was created, in nanoseconds since 1970.
    created: Option<i128>,
    /// The seconds from the pod's creation to the output.
    age: Option<i128>,
    count: i64,
}

impl Restart {
    /// Returns the last restart that a pod shows; `None` if its containers were never restarted, or only with their
    /// node.
    pub fn of(object: &Object<'_>, containers: &[ContainerState], count: i64) -> Option<Restart> {
        if count < 1 {
            return None;
        }
        let mut ended = containers.iter().filter(|container| container.restarts > 0);
        if !containers.is_empty() && ended.clone().all(|container| container.ended_with_node) {
            return None;
        }
        let last = ended
            .by_ref()
            .filter(|container| !container.ended_with_node)
            .max_by_key(|container| container.ended);
        let seconds = |key: &str| object.fields.integer(key).map(i128::from);
        let has_no_events = object.fields.get("no_events").is_some();
        Some(Restart {
            ago: seconds("last_restart_age_s").or(has_no_events.then_some(EVENTS_KEPT)),
            ended: last.and_then(|container| container.ended),
            ran: last.and_then(|container| container.ran),
            created: ["created_time", "start_time"]
                .iter()
                .find_map(|key| super::health::time(object.fields.get(key))),
            age: seconds("age_s"),
            count,
        })
    }

    /// Sets the age of the restart from the events in the pod's describe.
    pub fn read(&mut self, pod: &Subject, events: &[Event<'_>]) {
        let is_own = |event: &&Event<'_>| {
            event.format == Format::DescribeEvents && event.subject.name == pod.name
        };
        let mut own = events.iter().filter(is_own).peekable();
        if own.peek().is_none() || self.ago.is_some() {
            return;
        }
        let starts = own.filter(|event| {
            let reason = event.reason.as_ref().map(|reason| reason.as_str());
            matches!(reason, Some("Started" | "Created" | "Pulled"))
        });
        let ages = starts.filter_map(|event| Some(i128::from(event.age?.seconds)));
        self.ago = Some(ages.min().unwrap_or(EVENTS_KEPT));
    }

    /// Returns true if the container may be restarted again after running for as long as before. `collected` is the
    /// time of the output, in nanoseconds since 1970.
    pub fn is_recent(&self, collected: Option<i128>) -> bool {
        let since = |time: Option<i128>| Some((collected? - time?) / NANOS);
        let each = self
            .age
            .or_else(|| since(self.created))
            .map(|age| age / i128::from(self.count + 1));
        match (self.ago.or_else(|| since(self.ended)), self.ran) {
            (Some(ago), _) => ago < LEAST.max(each.unwrap_or(0).min(STABLE)),
            (None, Some(ran)) => ran < LEAST,
            // tables of older kubectl do not show when
            (None, None) => each.is_some_and(|each| each < EVENTS_KEPT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restart(ago: Option<i128>, ran: Option<i128>, age: Option<i128>, count: i64) -> Restart {
        Restart {
            ago,
            ran,
            age,
            count,
            ..Restart::default()
        }
    }

    #[test]
    fn what_ran_as_long_as_before_is_stable() {
        let day = 86_400;
        for (restart, recent) in [
            (restart(Some(30), None, Some(10 * day), 1), true),
            (restart(Some(7200), None, Some(10 * day), 1), true),
            (restart(Some(7 * 3600), None, Some(10 * day), 1), false),
            (restart(Some(900), None, Some(3600), 8), false),
            (restart(Some(500), None, Some(3600), 8), true),
            (restart(None, Some(8), None, 1), true),
            (restart(None, Some(day), None, 1), false),
            (restart(None, None, Some(7200), 14), true),
            (restart(None, None, Some(45 * day), 3), false),
            (restart(None, None, None, 3), false),
        ] {
            assert_eq!(restart.is_recent(None), recent, "{restart:?}");
        }
    }

    #[test]
    fn the_time_of_the_output_shows_where_it_is_known() {
        let second = |seconds: i128| Some(seconds * NANOS);
        let restart = Restart {
            ended: second(1000),
            created: second(0),
            count: 1,
            ..Restart::default()
        };
        assert!(restart.is_recent(second(1300)));
        assert!(!restart.is_recent(second(5000)));
    }
}
