//! Rows of pods in columns that somebody chose (`kubectl get -o custom-columns`), which no header identifies.

use kwhy_model::{Object, Value};

/// Columns that may show a reason, the most telling first.
const COLUMNS: [&str; 4] = ["reason", "status", "state", "phase"];

/// Reasons that only pods and their containers have (kubernetes/kubernetes `pkg/kubelet/container`, `images`, `events`,
/// `pkg/kubelet/lifecycle/predicate.go`, `api/core/v1`).
const REASONS: &[&str] = &[
    "ContainerCannotRun",
    "ContainerCreating",
    "ContainerStatusUnknown",
    "CrashLoopBackOff",
    "CreateContainerConfigError",
    "CreateContainerError",
    "ErrImageNeverPull",
    "ErrImagePull",
    "Evicted",
    "ImageInspectError",
    "ImagePullBackOff",
    "InvalidImageName",
    "NodeLost",
    "OOMKilled",
    "PodInitializing",
    "PostStartHookError",
    "RunContainerError",
    "SchedulingGated",
    "UnexpectedAdmissionError",
];

/// Returns true if a word is the reason of a pod.
fn is_reason(word: &str) -> bool {
    REASONS.contains(&word)
        || word
            .strip_prefix("OutOf")
            .is_some_and(|resource| resource.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Makes rows without a kind rows of pods if one of them shows a reason that only pods have. Their status becomes that
/// reason, or their phase.
pub(super) fn identify_pods(rows: &mut [Object<'_>]) {
    let has_kind = rows.iter().any(|row| row.subject.kind.is_some());
    if has_kind || !rows.iter().any(|row| reason(row).is_some()) {
        return;
    }
    for row in rows {
        row.subject.kind = Some("Pod".to_owned());
        let phase = row
            .fields
            .find("phase")
            .or_else(|| row.fields.find("state"));
        let is_shown = row.fields.find("status").is_some();
        let status = reason(row).or_else(|| phase.filter(|_| !is_shown).cloned());
        if let Some(status) = status {
            row.fields.insert("status", status);
        }
    }
}

/// Returns the reason of a pod that a row shows.
fn reason<'a>(row: &Object<'a>) -> Option<Value<'a>> {
    let mut columns = COLUMNS.iter().filter_map(|column| row.fields.find(column));
    let value = columns.find(|value| value.to_text().is_some_and(|text| is_reason(&text)));
    value.cloned()
}

#[cfg(test)]
mod tests {
    use crate::input::lines;
    use crate::table::parse;

    /// The kind and the status of each row.
    fn rows(text: &str) -> Vec<(Option<String>, Option<String>)> {
        let parsed = parse(&lines(text).collect::<Vec<_>>());
        let row = |object: kwhy_model::Object<'_>| {
            let status = object.fields.text("status").map(|text| text.into_owned());
            (object.subject.kind, status)
        };
        parsed.objects.into_iter().map(row).collect()
    }

    #[test]
    fn a_reason_of_pods_identifies_all_rows() {
        let pod = |status: &str| (Some("Pod".to_owned()), Some(status.to_owned()));
        let text =
            "NAME     PHASE     REASON\noven-0   Running   <none>\noven-1   Failed    OutOfcpu\n";
        assert_eq!(rows(text), [pod("Running"), pod("OutOfcpu")]);
        let text = "NAME     STATE\noven-0   CrashLoopBackOff\noven-1   Running\n";
        assert_eq!(rows(text), [pod("CrashLoopBackOff"), pod("Running")]);
    }

    #[test]
    fn other_rows_keep_no_kind() {
        let text =
            "NAME     PHASE     REASON\noven-0   Failed    OutOfDate\noven-1   Ready     <none>\n";
        assert_eq!(rows(text), [(None, None), (None, None)]);
    }
}
