//! Rows of pods in columns that somebody chose (`kubectl get -o custom-columns`), which no header identifies.

use crate::describe::is_reason_of_container;
use kwhy_model::{Object, Value};

/// Columns that may show a reason, the most telling first.
const COLUMNS: [&str; 5] = ["reason", "waiting", "status", "state", "phase"];

/// Further names that people give to a pod's fields. Tables of custom resources have others too, and mostly an age.
const OF_PODS: [&str; 18] = [
    "container",
    "containers",
    "exit",
    "exit_code",
    "exitcode",
    "host",
    "image",
    "images",
    "ip",
    "last",
    "last_state",
    "message",
    "node",
    "owner",
    "pod_ip",
    "qos",
    "ready",
    "restarts",
];

/// Reasons that a pod has beside those of its containers (kubernetes/kubernetes `pkg/kubelet/eviction`,
/// `pkg/util/node`, `api/core/v1`, v1.32).
const REASONS: [&str; 4] = [
    "Evicted",
    "NodeLost",
    "SchedulingGated",
    "UnexpectedAdmissionError",
];

/// Returns true if a word is the reason of a pod or a container. `OutOf` precedes a resource that a node lacks
/// (`pkg/kubelet/lifecycle/predicate.go`).
fn is_reason(word: &str) -> bool {
    let lacked = word.strip_prefix("OutOf");
    is_reason_of_container(word)
        || REASONS.contains(&word)
        || lacked.is_some_and(|resource| resource.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Returns true if a row has no column that pods do not have.
fn may_be_pod(row: &Object<'_>) -> bool {
    let mut columns = row.fields.iter();
    columns.all(|(name, _)| COLUMNS.contains(&name) || OF_PODS.contains(&name))
}

/// Makes rows without a kind rows of pods if one of them shows a reason that only pods have. Their status becomes that
/// reason, or their phase.
pub(super) fn identify_pods(rows: &mut [Object<'_>]) {
    let may_be = |row: &Object<'_>| row.subject.kind.is_none() && may_be_pod(row);
    if !rows.iter().all(may_be) || !rows.iter().any(|row| reason(row).is_some()) {
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
pub(super) fn reason<'a>(row: &Object<'a>) -> Option<Value<'a>> {
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
    fn custom_resources_have_columns_of_their_own() {
        // KubeVirt's machines have states of pods, and Knative's revisions reasons
        for text in [
            "NAME     AGE   STATUS             READY\noven-0   5d    CrashLoopBackOff   False\n",
            "NAME     GENERATION   READY   REASON\noven-0   7            False   ImagePullBackOff\n",
        ] {
            let rows = rows(text);
            assert!(rows.iter().all(|(kind, _)| kind.is_none()), "{rows:?}");
        }
    }

    #[test]
    fn other_rows_keep_no_kind() {
        let text =
            "NAME     PHASE     REASON\noven-0   Failed    OutOfDate\noven-1   Ready     <none>\n";
        assert_eq!(rows(text), [(None, None), (None, None)]);
    }
}
