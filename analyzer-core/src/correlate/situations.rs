//! What a cluster is going through: node restarts, rollouts, its own start.

use std::collections::{BTreeMap, BTreeSet};

use kwhy_model::{Stamp, Subject};

use super::health::State;
use crate::report::{Situation, When};

/// The nanoseconds within which the containers of a node end when it is restarted.
const AT_ONCE: i128 = 120 * NANOS;

/// The minimum number of pods whose containers end at once.
const PODS: usize = 3;

/// The nanoseconds before the collection within which a restart is reported.
const RECENT: i128 = 86_400 * NANOS;

/// The age of all nodes up to which a cluster is starting.
const YOUNG: i128 = 900 * NANOS;

/// The maximum number of rollouts that are reported.
const ROLLOUTS: usize = 5;

const NANOS: i128 = 1_000_000_000;

/// The properties of an object's last state that situations depend on.
pub(super) struct Shown<'s> {
    pub kind: &'s str,
    pub namespace: Option<&'s str>,
    pub name: &'s str,
    /// The node of a pod.
    pub node: Option<&'s str>,
    pub state: &'s State,
}

/// Returns the situations that the last states of objects show. `now` is the time of the collection, in nanoseconds
/// since 1970.
pub(super) fn of(objects: &[Shown<'_>], now: Option<i128>) -> Vec<Situation> {
    let mut all = Vec::new();
    all.extend(start(objects, now));
    // a cluster that is starting has not been restarted
    if all.is_empty() {
        all.extend(restarts(objects, now));
    }
    let rolling = objects.iter().filter(|shown| shown.state.is_rolling);
    all.extend(rolling.take(ROLLOUTS).map(|shown| Situation::Rollout {
        object: Subject::new(shown.kind, shown.namespace, shown.name),
    }));
    all
}

/// Returns the start of a cluster all of whose nodes were created shortly before the collection.
fn start(objects: &[Shown<'_>], now: Option<i128>) -> Option<Situation> {
    let nodes = objects.iter().filter(|shown| shown.kind == "Node");
    let created: Option<Vec<i128>> = nodes.map(|node| node.state.created).collect();
    let first = created?.into_iter().min()?;
    (now? - first <= YOUNG).then(|| Situation::Starting { since: at(first) })
}

/// Returns the restarts of nodes on which the containers of most pods ended at once and were started again.
fn restarts(objects: &[Shown<'_>], now: Option<i128>) -> Vec<Situation> {
    let mut nodes: BTreeMap<&str, Vec<&Shown<'_>>> = BTreeMap::new();
    for pod in objects.iter().filter(|shown| shown.kind == "Pod") {
        if let Some(node) = pod.node {
            nodes.entry(node).or_default().push(pod);
        }
    }
    let restart = |(node, pods): (&str, Vec<&Shown<'_>>)| {
        let mut ends: Vec<(i128, &str)> = pods
            .iter()
            .flat_map(|pod| {
                let containers = pod.state.containers.iter();
                let restarted = containers.filter(|container| container.started.is_some());
                let ended = restarted.filter_map(|container| container.ended);
                ended.map(|ended| (ended, pod.name))
            })
            .collect();
        ends.sort_unstable();
        // the last restart counts
        let is_recent = |end: i128| now.is_none_or(|now| now - end <= RECENT);
        let recent = (0..ends.len())
            .rev()
            .take_while(|at| is_recent(ends[*at].0));
        let last = recent.into_iter().find(|at| {
            let (first, _) = ends[*at];
            let at_once = ends[*at..]
                .iter()
                .take_while(|(end, _)| end - first <= AT_ONCE);
            let names: BTreeSet<&str> = at_once.map(|(_, name)| *name).collect();
            let before = pods
                .iter()
                .filter(|pod| pod.state.created.is_none_or(|created| created <= first));
            names.len() >= PODS && 2 * names.len() > before.count()
        })?;
        Some(Situation::NodeRestarted {
            node: node.to_owned(),
            at: at(ends[last].0),
        })
    };
    nodes.into_iter().filter_map(restart).collect()
}

/// Converts a time to whole seconds, as objects state it.
fn at(nanos: i128) -> When {
    When::At(Stamp {
        nanos,
        digits: 0,
        zone_stated: true,
        year_stated: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correlate::health;
    use kwhy_parse::input::{Document, segments};

    fn situations(text: &str, now: &str) -> Vec<Situation> {
        let document = Document::new("", text);
        let parsed = kwhy_parse::segments(&segments(document.text()));
        let states: Vec<State> = parsed.objects.iter().map(health::of).collect();
        let shown = |(object, state)| {
            let object: &kwhy_model::Object<'_> = object;
            let subject = &object.subject;
            Shown {
                kind: subject.kind.as_deref().unwrap(),
                namespace: subject.namespace.as_deref(),
                name: subject.name.as_deref().unwrap(),
                node: subject.node.as_deref(),
                state,
            }
        };
        let objects: Vec<Shown<'_>> = parsed.objects.iter().zip(&states).map(shown).collect();
        let now: jiff::Timestamp = now.parse().unwrap();
        of(&objects, Some(now.as_nanosecond()))
    }

    fn pod(name: &str, ended: &str) -> String {
        format!(
            r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}","namespace":"dock","creationTimestamp":"2031-05-01T08:00:00Z"}},"spec":{{"nodeName":"quay-1","containers":[{{"name":"a"}}]}},"status":{{"phase":"Running","containerStatuses":[{{"name":"a","ready":true,"restartCount":1,"state":{{"running":{{"startedAt":"2031-05-06T08:02:00Z"}}}},"lastState":{{"terminated":{{"exitCode":255,"reason":"Unknown","finishedAt":"{ended}"}}}}}}]}}}}"#
        )
    }

    #[test]
    fn a_node_is_restarted_when_most_of_its_pods_end_at_once() {
        let ends = [
            "2031-05-06T08:00:01Z",
            "2031-05-06T08:00:03Z",
            "2031-05-06T08:00:02Z",
        ];
        let pods: Vec<String> = (0..)
            .zip(ends)
            .map(|(n, end)| pod(&format!("p-{n}"), end))
            .collect();
        let text = pods.join("\n");
        let found = situations(&text, "2031-05-06T09:00:00Z");
        assert!(
            matches!(&*found, [Situation::NodeRestarted { node, at }] if node == "quay-1" && at.to_string() == "2031-05-06T08:00:01Z"),
            "{found:?}"
        );
        // long ago, or two pods only
        assert_eq!(situations(&text, "2031-05-08T09:00:00Z"), []);
        assert_eq!(
            situations(&pods[..2].join("\n"), "2031-05-06T09:00:00Z"),
            []
        );
    }

    #[test]
    fn a_young_cluster_starts_and_a_workload_is_rolled_out() {
        let node = r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"quay-1","creationTimestamp":"2031-05-06T08:00:00Z"},"status":{"conditions":[{"type":"Ready","status":"True"}]}}"#;
        let found = situations(node, "2031-05-06T08:10:00Z");
        assert!(matches!(&*found, [Situation::Starting { .. }]), "{found:?}");
        assert_eq!(situations(node, "2031-05-06T10:00:00Z"), []);
        let web = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"dock"},"spec":{"replicas":3},"status":{"replicas":4,"updatedReplicas":1,"readyReplicas":3,"availableReplicas":3}}"#;
        let found = situations(web, "2031-05-06T10:00:00Z");
        assert!(
            matches!(&*found, [Situation::Rollout { object }] if object.name.as_deref() == Some("web")),
            "{found:?}"
        );
        let done = web.replace("\"updatedReplicas\":1", "\"updatedReplicas\":3");
        assert_eq!(situations(&done, "2031-05-06T10:00:00Z"), []);
    }
}
