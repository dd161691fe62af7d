//! Rows of a Conditions table whose header was cut off.

use crate::object;

/// Returns true if a line is a row of the conditions of a built-in kind: its type and status, then
/// nothing, a time or a reason.
pub(super) fn is_condition_row(text: &str) -> bool {
    let text = text.trim();
    let mut words = text.split_whitespace();
    let (Some(kind), Some(status)) = (words.next(), words.next()) else {
        return false;
    };
    if !matches!(status, "True" | "False" | "Unknown") || !object::is_condition_type(kind) {
        return false;
    }
    let gap = text.get(kind.len()..).unwrap_or("");
    let is_column = gap.starts_with('\t') || gap.starts_with("  ");
    match words.next() {
        None => is_column,
        Some(word) if is_time(word) => true,
        // without a column gap, more words would make it a sentence
        Some(word) => is_reason(word) && (is_column || words.next().is_none()),
    }
}

/// Returns the kind that the conditions in these rows identify, if they belong to one kind only.
pub(super) fn kind<'a>(rows: impl Iterator<Item = &'a str>) -> Option<&'static str> {
    let mut rows = rows.filter(|row| is_condition_row(row));
    rows.find_map(|row| {
        let mut words = row.split_whitespace();
        // only a node's conditions have a heartbeat beside the time of the last transition
        let times = words.clone().filter(|word| is_day(word)).count();
        object::kind_of_condition(words.next()?).or((times > 1).then_some("Node"))
    })
}

/// Returns true for `Mon,`, the start of an RFC 1123 time, and for an RFC 3339 time.
fn is_time(word: &str) -> bool {
    is_day(word) || word.parse::<jiff::Timestamp>().is_ok()
}

fn is_day(word: &str) -> bool {
    ["Mon,", "Tue,", "Wed,", "Thu,", "Fri,", "Sat,", "Sun,"].contains(&word)
}

/// Returns true if a word is spelled like a reason: `MinimumReplicasUnavailable`.
fn is_reason(word: &str) -> bool {
    let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && (2..word.len()).contains(&capitals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        for (row, of) in [
            ("Progressing    False   ProgressDeadlineExceeded", None),
            ("  ReplicaFailure True FailedCreate", None),
            ("Ready             False", None),
            (
                "Ready   False   Fri, 20 Nov 2026 19:57:01 +0000   Fri, 20 Nov 2026 19:50:01 +0000   KubeletNotReady   no network",
                Some("Node"),
            ),
            (
                "  DiskPressure   True   Fri, 20 Nov 2026 19:57:01 +0000   Fri, 20 Nov 2026 19:50:01 +0000   KubeletHasDiskPressure   full",
                Some("Node"),
            ),
            ("PodScheduled\tFalse", Some("Pod")),
            (
                "ScalingActive   False   FailedGetResourceMetric   the HPA was unable to compute",
                Some("HorizontalPodAutoscaler"),
            ),
        ] {
            assert!(is_condition_row(row), "{row}");
            assert_eq!(kind([row].into_iter()), of, "{row}");
        }
        for text in [
            "Ready True",
            "Ready False when the probe fails",
            "Ready False ContainersNotReady is what it says",
            "Quay   False   NoBerth",
            "Available   no",
            "web    True    5d",
            "Ready   True   5d",
            "Ready",
            "",
        ] {
            assert!(!is_condition_row(text), "{text}");
        }
    }
}
