//! Selection of events.

use kwhy_core::events::{Event, Severity, Text};

/// Criteria for events; those that are not set match all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventFilter {
    /// The minimum severity; an event without one counts as `Debug`.
    pub severity: Option<Severity>,
    /// The component's name, or a part of it.
    pub component: Option<String>,
    /// A part of the subject as it is printed: kind, namespace and name.
    pub subject: Option<String>,
    /// The exact reason.
    pub reason: Option<String>,
    /// A part of the message or of a field's value.
    pub text: Option<String>,
    /// The earliest time.
    pub since: Option<Moment>,
    /// The latest time.
    pub until: Option<Moment>,
    /// The moment at which the input was collected.
    pub now: Option<jiff::Timestamp>,
}

/// A point in time, as typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// An absolute time.
    At(jiff::Timestamp),
    /// A number of seconds before the input was collected.
    Ago(u64),
}

impl Moment {
    /// Returns the absolute time. An age counts back from `now`, the time of collection; `None` if that is unknown.
    pub fn at(self, now: Option<jiff::Timestamp>) -> Option<jiff::Timestamp> {
        match self {
            Moment::At(time) => Some(time),
            Moment::Ago(seconds) => {
                let ago = jiff::SignedDuration::from_secs(i64::try_from(seconds).ok()?);
                now?.checked_sub(ago).ok()
            }
        }
    }
}

impl std::str::FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Moment, String> {
        if let Some(age) = kwhy_core::events::Age::parse(text) {
            return Ok(Moment::Ago(age.seconds));
        }
        text.parse().map(Moment::At).map_err(|_| {
            format!("{text:?} is neither a time (2024-03-04T05:06:07Z) nor an age (90m, 2d4h)")
        })
    }
}

impl EventFilter {
    /// Returns true if an event meets all criteria. One whose time is unknown passes.
    pub fn passes(&self, event: &Event<'_>) -> bool {
        let holds = |wanted: &Option<String>, text: &dyn Fn(&str) -> bool| {
            wanted.as_deref().is_none_or(text)
        };
        let is = |known: &Option<Text<'_>>, wanted: &str| {
            known.as_ref().is_some_and(|text| text.as_str() == wanted)
        };
        let has = |known: &Option<Text<'_>>, wanted: &str| {
            known
                .as_ref()
                .is_some_and(|text| text.as_str().contains(wanted))
        };
        self.severity
            .is_none_or(|least| event.severity.unwrap_or(Severity::Debug) >= least)
            && holds(&self.component, &|wanted| has(&event.component, wanted))
            && holds(&self.reason, &|wanted| is(&event.reason, wanted))
            && holds(&self.subject, &|wanted| {
                event.subject.to_string().contains(wanted)
            })
            && holds(&self.text, &|wanted| {
                event.message.as_str().contains(wanted)
                    || event
                        .fields
                        .iter()
                        .any(|field| field.value.as_str().contains(wanted))
            })
            && self
                .since
                .is_none_or(|since| self.order(event, since) != Some(Order::Before))
            && self
                .until
                .is_none_or(|until| self.order(event, until) != Some(Order::After))
    }

    /// Returns true if a time is asked for and the event cannot be compared with it.
    pub fn is_undated(&self, event: &Event<'_>) -> bool {
        let mut moments = self.since.into_iter().chain(self.until);
        moments.any(|moment| self.order(event, moment).is_none())
    }

    /// Compares an event's time with a moment; `None` if the input does not show it.
    fn order(&self, event: &Event<'_>, moment: Moment) -> Option<Order> {
        let now = self.now.map(|now| now.as_nanosecond());
        let second = 1_000_000_000i128;
        if let (Moment::Ago(wanted), Some(age)) = (moment, event.age) {
            return Some(Order::of(-i128::from(age.seconds), -i128::from(wanted)));
        }
        let wanted = match moment {
            Moment::At(time) => time.as_nanosecond(),
            Moment::Ago(seconds) => now? - i128::from(seconds) * second,
        };
        let own = match (event.time, event.age) {
            (Some(time), _) if time.year_stated => time.nanos,
            (_, Some(age)) => now? - i128::from(age.seconds) * second,
            _ => return None,
        };
        Some(Order::of(own, wanted))
    }
}

/// The position of one time relative to another.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Before,
    Same,
    After,
}

impl Order {
    fn of(own: i128, other: i128) -> Order {
        match own.cmp(&other) {
            std::cmp::Ordering::Less => Order::Before,
            std::cmp::Ordering::Equal => Order::Same,
            std::cmp::Ordering::Greater => Order::After,
        }
    }
}

#[cfg(test)]
mod tests {
    use kwhy_core::Document;
    use kwhy_core::events::{lines, parse};

    use super::*;

    fn passing(filter: &EventFilter) -> Vec<usize> {
        let text = "\
time=\"2024-03-04T05:06:07Z\" level=info msg=\"go on\" controller=shop
time=\"2024-03-04T06:06:07Z\" level=error msg=\"no way\" reason=Blocked
Warning  BackOff  5m  kubelet  back-off restarting
";
        let document = Document::new("x", text);
        let all: Vec<_> = lines(document.text()).collect();
        let mut events = parse::log::parse(&all[..2]).events;
        events.extend(parse::events::parse(&all[2..]).events);
        (0..)
            .zip(&events)
            .filter(|(_, e)| filter.passes(e))
            .map(|(n, _)| n)
            .collect()
    }

    #[test]
    fn each_part_of_a_filter() {
        let none = EventFilter::default;
        let word = |word: &str| Some(word.to_owned());
        assert_eq!(passing(&none()), [0, 1, 2]);
        let severity = Some(Severity::Warning);
        assert_eq!(passing(&EventFilter { severity, ..none() }), [1, 2]);
        assert_eq!(
            passing(&EventFilter {
                text: word("way"),
                ..none()
            }),
            [1]
        );
        assert_eq!(
            passing(&EventFilter {
                reason: word("BackOff"),
                ..none()
            }),
            [2]
        );
        assert_eq!(
            passing(&EventFilter {
                component: word("kube"),
                ..none()
            }),
            [2]
        );
        let since = Some("2024-03-04T06:00:00Z".parse().unwrap());
        assert_eq!(passing(&EventFilter { since, ..none() }), [1, 2]);
        let now = Some("2024-03-04T06:00:00Z".parse().unwrap());
        let until = Some("4m".parse().unwrap());
        assert_eq!(
            passing(&EventFilter {
                until,
                now,
                ..none()
            }),
            [0, 2]
        );
        assert!("noon".parse::<Moment>().is_err());
    }
}
