//! The verdict in words: what is wrong now, what is over, what was checked.

use kwhy_core::events::Severity;
use kwhy_core::report::{KindHealth, Limit, Situation, State, Unexplained};
use kwhy_core::{Report, Role, Verdict};

use super::words::counted;
use crate::escape::visible;

/// The maximum number of kinds whose health is reported one by one.
const KINDS: usize = 3;

/// Returns the verdict on a report in a sentence or two; `None` if the findings say everything.
pub fn verdict(report: &Report, left_out: usize) -> Option<String> {
    let situations = report.situations.iter().map(situation);
    let looked_at: Vec<String> = situations.chain(looked_at(report)).collect();
    let looked_at = (!looked_at.is_empty()).then(|| looked_at.join(" "));
    let with = |text: &str| match &looked_at {
        Some(looked_at) => format!("{text} {looked_at}"),
        None => text.to_owned(),
    };
    match report.verdict {
        Verdict::Healthy => Some(with("This looks healthy.")),
        Verdict::Over => {
            let over = report.findings.iter().filter(|f| f.state == State::Over);
            let unexplained = report.unexplained.iter();
            let ended = unexplained.filter(|e| e.state == State::Over && is_error(e));
            let problems = match (over.count(), ended.count()) {
                (0, 1) => "One error that is not known here was not seen again".to_owned(),
                (0, kinds) => {
                    format!("{kinds} kinds of error that are not known here were not seen again")
                }
                (1, _) => "One earlier problem is over".to_owned(),
                (count, _) => format!("{} are over", counted(count as u64, "earlier problem")),
            };
            Some(with(&format!("{problems}; nothing is wrong now.")))
        }
        Verdict::Unknown if !report.health.is_empty() => looked_at,
        Verdict::Unknown if shows_nothing(report, left_out) => Some(with(
            "Nothing is known to be wrong here, and nothing shows that anything is well: no log, no event, no \
             object with a state.",
        )),
        Verdict::Faults if report.inputs.len() > 1 => {
            let causes = report.findings.iter().filter(|finding| {
                finding.role == Role::Cause && finding.severity > kwhy_core::Level::Info
            });
            let causes = counted(causes.count() as u64, "root cause");
            Some(with(&format!("{causes} found.")))
        }
        _ => None,
    }
}

/// Returns true if an event is an error by its severity; one that states none counts as an error.
fn is_error(event: &Unexplained) -> bool {
    event.severity != Some(Severity::Warning)
}

/// Returns true if an input was read but contains nothing to report, and nothing was omitted from the report.
pub fn shows_nothing(report: &Report, left_out: usize) -> bool {
    let is_quiet = report
        .findings
        .iter()
        .all(|finding| finding.severity == kwhy_core::Level::Info);
    let is_narrowed = report
        .limits
        .iter()
        .any(|met| matches!(met.limit, Limit::Namespace | Limit::NamespaceUnknown));
    !is_narrowed
        && left_out == 0
        && report.stats.bytes > 0
        && is_quiet
        && report.unexplained.is_empty()
        && report.health.is_empty()
}

/// Describes a situation in a sentence.
fn situation(situation: &Situation) -> String {
    match situation {
        Situation::Starting { since } => format!("The cluster was made at {since}."),
        Situation::NodeRestarted { node, at } => {
            format!("Node {} was restarted at {at}.", visible(node))
        }
        Situation::Rollout { object } => {
            let object = object.to_string();
            format!("{} is being rolled out.", visible(&object))
        }
        _ => String::new(),
    }
}

/// Returns what was checked: the health of objects, the number of events and log records. `None` if there was nothing.
fn looked_at(report: &Report) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for kind in report.health.iter().take(KINDS) {
        let name = plural(&kind.kind);
        let all = kind.well + kind.unwell;
        let restarted = match kind.restarted {
            0 => String::new(),
            count if count == all => " (restarted shortly before)".to_owned(),
            count => format!(" ({count} restarted shortly before)"),
        };
        parts.push(match kind.unwell {
            0 if kind.at_least => format!("at least {} {name}", kind.well),
            _ if kind.at_least => {
                format!("at least {} {name} (not well: {})", kind.well, kind.unwell)
            }
            0 if all == 1 => format!("the {}{restarted}", singular(&kind.kind)),
            0 => format!("all {all} {name}{restarted}"),
            _ => format!("{} of {all} {name}{restarted}", kind.well),
        });
    }
    let others = report.health.get(KINDS..).unwrap_or_default();
    let sum = |count: fn(&KindHealth) -> u64| others.iter().map(count).sum::<u64>();
    let (well, unwell) = (sum(|kind| kind.well), sum(|kind| kind.unwell));
    if well + unwell > 0 {
        let all = well + unwell;
        let at_least = others.iter().any(|kind| kind.at_least);
        parts.push(match unwell {
            0 if at_least => format!("at least {}", counted(well, "other object")),
            _ if at_least => format!("at least {well} other objects (not well: {unwell})"),
            0 => counted(well, "other object"),
            _ => format!("{well} of {all} other objects"),
        });
    }
    let objects = match parts.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [first @ .., last] => Some(format!("{} and {last}", first.join(", "))),
    };
    let verb = match report.health.as_slice() {
        [only] if only.well + only.unwell == 1 => "is",
        _ => "are",
    };
    let records = match report.stats.events {
        0 => None,
        count => Some(
            counted(count, "event and log record")
                .replace("event and log records", "events and log records"),
        ),
    };
    let until = report.until.map(|until| format!(" until {until}"));
    let until = until.unwrap_or_default();
    let text = match (objects, records) {
        (Some(objects), Some(records)) => {
            format!("Well {verb} {objects}; {records} were read{until}.")
        }
        (Some(objects), None) => format!("Well {verb} {objects}."),
        (None, Some(records)) => format!("{records} were read{until}."),
        (None, None) => return None,
    };
    Some(text)
}

fn singular(kind: &str) -> String {
    match kind {
        "PersistentVolumeClaim" => "claim".to_owned(),
        "Pod" | "Node" => kind.to_ascii_lowercase(),
        _ => kind.to_owned(),
    }
}

fn plural(kind: &str) -> String {
    let mut name = singular(kind);
    name.push_str(if name.ends_with('s') { "es" } else { "s" });
    name
}
