//! Short phrases of a report: confidence, counts, times, places.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

use jiff::SignedDuration;
use kwhy_core::report::{Evidence, When};
use kwhy_core::{Finding, Subject};

use crate::escape::visible;

/// Returns the confidence of a finding in words.
pub fn confidence(value: f64) -> &'static str {
    if value >= 0.95 {
        "certain"
    } else if value >= 0.8 {
        "very likely"
    } else if value >= 0.6 {
        "likely"
    } else {
        "possible"
    }
}

/// Truncates a text to a number of characters, with an ellipsis after it.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            let start = text.get(..end).unwrap_or(text);
            // at a space, unless that would lose more than half
            let whole = start.rfind(' ').filter(|at| *at > end / 2);
            let start = whole.and_then(|at| start.get(..at)).unwrap_or(start);
            Cow::Owned(format!("{}…", start.trim_end_matches([' ', ',', ';', ':'])))
        }
    }
}

/// Shortens a path to its last components if it is longer than a number of characters.
pub fn path(path: &str, most: usize) -> String {
    let mut rest = path;
    while rest.chars().count() + 2 > most
        && let Some((_, below)) = rest.split_once('/')
    {
        rest = below;
    }
    if rest.len() == path.len() {
        path.to_owned()
    } else {
        format!("…/{rest}")
    }
}

/// Returns a count with its noun: `1 cause`, `2 causes`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Returns a number of times in words: `once`, `16 times`, `at least 512 times`.
pub fn times(count: u64, at_least: bool) -> String {
    let times = match count {
        1 => "once".into(),
        _ => counted(count, "time"),
    };
    if at_least {
        format!("at least {times}")
    } else {
        times
    }
}

/// Lists subjects, such as `Pod shop/web-1, Pod shop/web-2 and 37 more`. At most `most` are named.
pub fn subjects(subjects: &[Subject], most: usize, at_least: bool) -> String {
    let named = subjects.iter().take(most);
    let named: Vec<String> = named.map(ToString::to_string).collect();
    let text = named.join(", ");
    match subjects.len().saturating_sub(most) {
        0 if at_least => format!("{text} and others"),
        0 => text,
        more if at_least => format!("{text} and at least {more} more"),
        more => format!("{text} and {more} more"),
    }
}

/// Returns the count and times of a finding: `16 times in 18m, last 1m45s before the end`.
pub fn seen(finding: &Finding) -> String {
    let mut out = times(finding.count, finding.at_least);
    let (first, last) = (finding.first, finding.last);
    if finding.count > 1
        && let Some(span) = span(first, last)
    {
        let _ = write!(out, " in {span}");
    }
    let Some(last) = last.or(first) else {
        return out;
    };
    let word = if finding.count > 1 { "last " } else { "" };
    let _ = match last {
        When::Ago(age) => write!(out, ", {word}{age} before the end"),
        time => write!(out, ", {word}at {time}"),
    };
    out
}

/// Returns the duration of a finding. Ages count from the end, as in `x16 over 18m` of an Events table.
fn span(first: Option<When>, last: Option<When>) -> Option<String> {
    let (first, last) = (first?, last?);
    if let When::Ago(age) = first {
        return (first.to_string() != last.to_string()).then(|| age.to_string());
    }
    let span = last.timestamp()?.duration_since(first.timestamp()?);
    (span > SignedDuration::ZERO).then(|| duration(span))
}

/// Returns a duration in its two largest units.
fn duration(span: SignedDuration) -> String {
    let seconds = span.as_secs();
    if seconds == 0 {
        return format!("{}ms", span.as_millis());
    }
    let mut rest = seconds;
    let mut out = String::new();
    let mut units = 0;
    for (letter, unit) in [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)] {
        if rest >= unit && units < 2 {
            let _ = write!(out, "{}{letter}", rest / unit);
            rest %= unit;
            units += 1;
        } else if units > 0 {
            break;
        }
    }
    out
}

/// Returns a number of seconds in its two largest units.
pub fn seconds(seconds: i64) -> String {
    duration(SignedDuration::from_secs(seconds))
}

/// Shortens a name in its middle, as names often differ at either end.
pub fn middle(text: &str, most: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= most {
        return Cow::Borrowed(text);
    }
    let half = most.saturating_sub(1) / 2;
    let start: String = text.chars().take(most - 1 - half).collect();
    let end: String = text.chars().skip(count - half).collect();
    Cow::Owned(format!("{start}…{end}"))
}

/// The maximum number of line ranges, and of inputs, that are listed; the rest is counted.
const LISTED: usize = 6;
const INPUTS: usize = 2;

/// Lists the lines of some evidence: `line 23`, `lines 23, 24, 30-35`, with the name of the input unless it is `home`.
pub fn lines<'a>(evidence: impl Iterator<Item = &'a Evidence>, home: &str) -> String {
    let mut places: Vec<_> = evidence.map(|e| (e.source.as_str(), e.line)).collect();
    // inputs are listed in the order in which they occur
    let mut order: HashMap<&str, usize> = HashMap::new();
    for (source, _) in &places {
        let next = order.len();
        order.entry(source).or_insert(next);
    }
    places.sort_by_key(|(source, line)| (order.get(source), *line));
    places.dedup();

    let mut runs: Vec<(&str, u64, u64)> = Vec::new();
    for (source, line) in places {
        match runs.last_mut() {
            Some((known, _, end)) if *known == source && *end + 1 == line => *end = line,
            _ => runs.push((source, line, line)),
        }
    }
    let plural = runs.len() > 1 || runs.iter().any(|(_, start, end)| start != end);
    let mut out = String::new();
    let mut current = "";
    let (mut inputs, mut listed) = (0, 0);
    for (index, (source, start, end)) in runs.iter().take(LISTED).enumerate() {
        inputs += usize::from(*source != current);
        if inputs > INPUTS {
            break;
        }
        listed += 1;
        if index > 0 {
            out.push_str(", ");
        }
        if *source != current && *source != home {
            let _ = write!(out, "{} ", visible(source));
        }
        if index == 0 {
            out.push_str(if plural { "lines " } else { "line " });
        }
        current = source;
        let _ = match end - start {
            0 => write!(out, "{start}"),
            1 => write!(out, "{start}, {end}"),
            _ => write!(out, "{start}-{end}"),
        };
    }
    if let Some(more) = runs.len().checked_sub(listed).filter(|more| *more > 0) {
        let _ = write!(out, " and {more} more");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(source: &str, line: u64) -> Evidence {
        Evidence::new(source, line, "", 0..0)
    }

    #[test]
    fn which_lines() {
        let list = |places: &[(&str, u64)]| {
            let evidence: Vec<_> = places.iter().map(|(s, l)| at(s, *l)).collect();
            lines(evidence.iter(), "stdin")
        };
        assert_eq!(list(&[]), "");
        assert_eq!(list(&[("stdin", 7)]), "line 7");
        assert_eq!(
            list(&[("stdin", 26), ("stdin", 23), ("stdin", 24), ("stdin", 23)]),
            "lines 23, 24, 26"
        );
        assert_eq!(
            list(&[("a", 1), ("a", 2), ("a", 3), ("a", 9)]),
            "a lines 1-3, 9"
        );
        let many: Vec<_> = (0..20).map(|n| ("stdin", n * 2)).collect();
        assert_eq!(list(&many), "lines 0, 2, 4, 6, 8, 10 and 14 more");
    }

    #[test]
    fn long_titles_and_paths_are_cut() {
        assert_eq!(cut("no berth is free", 16), "no berth is free");
        assert_eq!(cut("no berth is free at the quay", 17), "no berth is free…");
        assert_eq!(
            path("dock/pods/crane-0/arm/current.log", 40),
            "dock/pods/crane-0/arm/current.log"
        );
        assert_eq!(
            path("dock/pods/crane-0/arm/current.log", 20),
            "…/arm/current.log"
        );
        assert_eq!(path("current.log", 4), "current.log");
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(middle("crane-0", 9), "crane-0");
        assert_eq!(middle("crane-controller-7d9f4-x2x", 11), "crane…4-x2x");
    }

    #[test]
    fn how_often_and_when() {
        let mut finding = crate::samples::configmap();
        assert_eq!(seen(&finding), "16 times in 18m, last 1m45s before the end");
        finding.first = "2026-03-01T10:00:00Z".parse().ok();
        finding.last = "2026-03-01T12:03:04.5Z".parse().ok();
        assert_eq!(
            seen(&finding),
            "16 times in 2h3m, last at 2026-03-01T12:03:04.5Z"
        );
        finding.count = 1;
        finding.first = None;
        finding.last = "3s ago".parse().ok();
        assert_eq!(seen(&finding), "once, 3s before the end");
        finding.last = None;
        assert_eq!(seen(&finding), "once");
    }

    #[test]
    fn durations() {
        for (millis, text) in [
            (20, "20ms"),
            (1_500, "1s"),
            (61_000, "1m1s"),
            (3_601_000, "1h"),
            (90_000_000, "1d1h"),
        ] {
            assert_eq!(duration(SignedDuration::from_millis(millis)), text);
        }
    }
}
