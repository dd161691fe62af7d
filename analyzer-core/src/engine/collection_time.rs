//! The time at which the input was collected, if the input shows it.

use kwhy_model::{Map, Object, Value};

/// Returns the time of collection as an object shows it, in nanoseconds since 1970: the kubelet of a healthy node
/// renews its lease every ten seconds (kubernetes/kubernetes `pkg/kubelet/kubelet.go`), so the last renewal is the time
/// at which the node was printed, to within seconds.
pub(super) fn collected(object: &Object<'_>) -> Option<i128> {
    if object.subject.kind.as_deref() != Some("Node") {
        return None;
    }
    let is_ready = |condition: &&Value<'_>| {
        let text = |key| condition.get(key).and_then(Value::to_text);
        text("type").as_deref() == Some("Ready") && text("status").as_deref() == Some("True")
    };
    // the lease of a dead node stopped at its death
    object.fields.items("conditions").iter().find(is_ready)?;
    let renewed = object.fields.get("lease").and_then(renewal)?;
    let time: jiff::Timestamp = renewed.parse().ok()?;
    Some(time.as_nanosecond())
}

fn renewal(lease: &Value<'_>) -> Option<String> {
    let renewed = match lease {
        Value::Map(map) => Map::text(map, "renew_time"),
        _ => None,
    };
    renewed.map(|text| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kwhy_parse::describe;
    use kwhy_parse::input::lines;

    fn of(ready: &str) -> Option<i128> {
        let text = format!(
            "\
Name:               node-1
Roles:              <none>
Taints:             <none>
Lease:
  HolderIdentity:  node-1
  AcquireTime:     Mon, 04 Mar 2024 05:06:07 +0000
  RenewTime:       Tue, 05 Mar 2024 05:06:07 +0000
Conditions:
  Type    Status  LastHeartbeatTime                 LastTransitionTime                Reason        Message
  ----    ------  -----------------                 ------------------                ------        -------
  Ready   {ready:<6}  Tue, 05 Mar 2024 05:03:07 +0000   Mon, 04 Mar 2024 05:06:07 +0000   KubeletReady  ok
System Info:
  Machine ID:  1
"
        );
        let all: Vec<_> = lines(&text).collect();
        collected(&describe::parse(&all).objects[0])
    }

    #[test]
    fn a_living_node_shows_when_it_was_shown() {
        assert_eq!(of("True"), Some(1_709_615_167_000_000_000));
        assert_eq!(of("False"), None);
        assert_eq!(of("Unknown"), None);
    }
}
