//! The health of an object, as one output shows it.

use kwhy_model::{Object, Span, Value};

use super::restart::Restart;

/// The health of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    /// It fulfils its purpose.
    Well,
    /// It does not fulfil its purpose, or is being deleted.
    Unwell,
    /// It exists; objects of its kind have no health.
    Present,
}

/// The health of an object, with its known times.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub health: Health,
    /// The time since which it has had this health, in nanoseconds since 1970.
    pub since: Option<i128>,
    /// The time at which it was created.
    pub created: Option<i128>,
    /// The span of the words that show its health.
    pub shown: Option<Span>,
    pub containers: Vec<ContainerState>,
    /// True for a workload that replaces pods of an earlier template.
    pub is_rolling: bool,
    /// The last restart of a healthy pod.
    pub restart: Option<Box<Restart>>,
}

/// The state of one container of a pod.
#[derive(Clone, Debug)]
pub(super) struct ContainerState {
    pub name: String,
    pub is_well: bool,
    /// The time at which it was started, in nanoseconds since 1970.
    pub started: Option<i128>,
    /// The time at which the previous run ended, in nanoseconds since 1970.
    pub ended: Option<i128>,
    /// The number of seconds that the previous run lasted.
    pub ran: Option<i128>,
    /// True if it ended because its node was restarted.
    pub ended_with_node: bool,
    pub restarts: i64,
}

/// Condition types whose status is `True` for healthy objects.
const GOOD: &[&str] = &[
    "Ready",
    "Available",
    "Established",
    "Complete",
    "Succeeded",
    "Healthy",
    "Reconciled",
    "Synced",
    "InstallSucceeded",
    "AbleToScale",
    "ScalingActive",
];

/// Condition types whose status is `True` for unhealthy objects.
const BAD: &[&str] = &[
    "Degraded",
    "Failed",
    "Failing",
    "Failure",
    "Stalled",
    "ReplicaFailure",
    "MemoryPressure",
    "DiskPressure",
    "PIDPressure",
    "NetworkUnavailable",
];

/// Returns the state of an object that shows its kind and name.
pub(super) fn of(object: &Object<'_>) -> State {
    let kind = object.subject.kind.as_deref().unwrap_or_default();
    let conditions = Conditions::of(object);
    let containers = containers(object);
    let (health, shown) = if is_terminating(object) {
        (Health::Unwell, None)
    } else {
        match kind {
            "Pod" => pod(object, &conditions, &containers),
            "Node" => node(object, &conditions),
            "Unit" => unit(object),
            "PersistentVolumeClaim" => phase(object, &["Bound"]),
            "PersistentVolume" => phase(object, &["Bound", "Available"]),
            "Namespace" => phase(object, &["Active"]),
            "Service" => service(object),
            "Deployment" | "ReplicaSet" | "ReplicationController" | "StatefulSet" | "DaemonSet" => {
                workload(object, &conditions)
            }
            "Job" if object.fields.get("completed_time").is_some() => {
                let completed = object.fields.get("completed_time");
                (Health::Well, completed.map(Value::span))
            }
            _ => conditions.health(),
        }
    };
    let started = containers.iter().filter_map(|container| container.started);
    let restart = || Restart::of(object, &containers, restarts(object)).map(Box::new);
    State {
        health,
        since: conditions.since.into_iter().chain(started).max(),
        created: time(object.fields.get("created_time")),
        shown,
        restart: match kind {
            "Pod" if health == Health::Well => restart(),
            _ => None,
        },
        containers,
        is_rolling: is_rolling(object),
    }
}

/// Returns true if a workload has fewer updated pods than it wants.
fn is_rolling(object: &Object<'_>) -> bool {
    let is_workload = matches!(
        object.subject.kind.as_deref(),
        Some("Deployment" | "StatefulSet" | "DaemonSet")
    );
    let count = |keys: &[&str]| keys.iter().find_map(|key| replicas(object, key));
    is_workload
        && count(&["desired", "desired_scheduled"])
            .zip(count(&["updated"]))
            .is_some_and(|(desired, updated)| updated < desired)
}

/// Returns one of a workload's replica counts.
fn replicas(object: &Object<'_>, key: &str) -> Option<i64> {
    let nested = object.fields.get("replicas").and_then(|it| it.get(key));
    match nested.or_else(|| object.fields.get(key))? {
        Value::Integer(number, _) => Some(*number),
        value => value.to_text()?.parse().ok(),
    }
}

fn is_terminating(object: &Object<'_>) -> bool {
    object.fields.get("deletion_time").is_some()
        || object.fields.text("status").as_deref() == Some("Terminating")
}

/// The health that an object's conditions show.
struct Conditions {
    good: Option<Span>,
    is_bad: bool,
    /// The last transition of its good conditions, in nanoseconds since 1970.
    since: Option<i128>,
}

impl Conditions {
    fn of(object: &Object<'_>) -> Conditions {
        let mut found = Conditions {
            good: None,
            is_bad: false,
            since: None,
        };
        let of_status = object
            .fields
            .get("status")
            .and_then(|it| it.get("conditions"));
        let of_status = of_status.map_or(&[][..], Value::items);
        for condition in object.fields.items("conditions").iter().chain(of_status) {
            let text = |key| condition.get(key).and_then(Value::to_text);
            let (Some(kind), Some(status)) = (text("type"), text("status")) else {
                continue;
            };
            let is_true = status == "True";
            if GOOD.contains(&&*kind) {
                if is_true {
                    let span = condition.get("type").map(|kind| kind.span());
                    found.good = span.or(found.good);
                    found.since = time(condition.get("last_transition_time")).max(found.since);
                } else {
                    found.is_bad = true;
                }
            } else if BAD.contains(&&*kind) {
                found.is_bad |= is_true;
            }
        }
        found
    }

    fn health(&self) -> (Health, Option<Span>) {
        match &self.good {
            _ if self.is_bad => (Health::Unwell, None),
            Some(span) => (Health::Well, Some(span.clone())),
            None => (Health::Present, None),
        }
    }
}

/// The containers of the control plane, each alone in its static pod.
const CONTROL_PLANE: [&str; 4] = [
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
];

/// Returns the health of a static pod from a container runtime's row about its only container; `None` for other pods.
fn row_of_runtime(object: &Object<'_>) -> Option<Health> {
    let container = object.subject.container.as_deref()?;
    let state = object.fields.text("state")?;
    CONTROL_PLANE
        .contains(&container)
        .then(|| well(state.eq_ignore_ascii_case("running")))
}

/// The number of seconds in which a pod is expected to start.
const YOUNG: i64 = 30;

fn is_young(object: &Object<'_>) -> bool {
    let age = object.fields.integer("age_s");
    age.is_some_and(|age| age <= YOUNG)
}

/// Lists of a pod's containers.
const CONTAINERS: [&str; 2] = ["containers", "init_containers"];

/// The number of restarts of a pod's containers.
pub(super) fn restarts(object: &Object<'_>) -> i64 {
    let of_containers = CONTAINERS.iter().flat_map(|list| object.fields.items(list));
    let counts = of_containers.filter_map(|container| match container.get("restart_count") {
        Some(Value::Integer(count, _)) => Some(*count),
        _ => None,
    });
    let of_row = object.fields.integer("restarts").unwrap_or(0);
    counts.fold(of_row, i64::saturating_add)
}

fn pod(
    object: &Object<'_>,
    conditions: &Conditions,
    containers: &[ContainerState],
) -> (Health, Option<Span>) {
    let status = object.fields.text("status");
    let of_status = || object.fields.get("status").map(Value::span);
    match status.as_deref() {
        Some("Succeeded" | "Completed") => return (Health::Well, of_status()),
        Some("Pending" | "ContainerCreating" | "PodInitializing") if is_young(object) => {
            return (Health::Present, None);
        }
        Some("Pending" | "Failed" | "Unknown") => return (Health::Unwell, None),
        _ => {}
    }
    if let Some(health) = row_of_runtime(object) {
        return (health, object.fields.get("state").map(Value::span));
    }
    if let Some(ready) = object.fields.text("ready") {
        let is_well = status.as_deref() == Some("Running") && counts_agree(&ready);
        return (well(is_well), of_status());
    }
    match conditions.health() {
        // the pod's Ready condition may be outdated
        (Health::Well, span) if containers.iter().all(|container| container.is_well) => {
            (Health::Well, span)
        }
        (Health::Present, _) if !containers.is_empty() => (
            well(containers.iter().all(|container| container.is_well)),
            of_status(),
        ),
        (Health::Present, _) => (Health::Present, None),
        _ => (Health::Unwell, None),
    }
}

fn node(object: &Object<'_>, conditions: &Conditions) -> (Health, Option<Span>) {
    match object.fields.text("status") {
        Some(status) => (
            well(status == "Ready"),
            object.fields.get("status").map(Value::span),
        ),
        None => conditions.health(),
    }
}

/// Returns the health of a systemd unit. A unit that is not running is unwell only if it should be running: it is
/// enabled at boot, or it failed.
fn unit(object: &Object<'_>) -> (Health, Option<Span>) {
    let text = |key: &str| object.fields.text(key);
    let is_wanted = || {
        matches!(
            text("enabled").as_deref(),
            Some("enabled" | "enabled-runtime")
        )
    };
    let is_service = object
        .subject
        .name
        .as_deref()
        .is_some_and(|name| name.ends_with(".service"));
    let (state, sub_state) = (text("active.state"), text("active.sub_state"));
    let health = match (state.as_deref(), sub_state.as_deref()) {
        (Some("active"), Some("running")) => Health::Well,
        (Some("failed"), _) | (Some("activating"), Some("auto-restart")) => Health::Unwell,
        // a service of one run is active (exited)
        (Some("inactive"), _) if is_service && is_wanted() => Health::Unwell,
        _ => Health::Present,
    };
    (health, object.fields.get("active").map(Value::span))
}

fn phase(object: &Object<'_>, good: &[&str]) -> (Health, Option<Span>) {
    match object.fields.text("status") {
        Some(status) => (
            well(good.contains(&&*status)),
            object.fields.get("status").map(Value::span),
        ),
        None => (Health::Present, None),
    }
}

fn workload(object: &Object<'_>, conditions: &Conditions) -> (Health, Option<Span>) {
    if let Some(ready) = object
        .fields
        .text("ready")
        .filter(|text| text.contains('/'))
    {
        let span = object.fields.get("ready").map(Value::span);
        return match &*ready {
            "0/0" => (Health::Present, None),
            ready => (well(counts_agree(ready)), span),
        };
    }
    let count = |key: &str| replicas(object, key);
    let desired = count("desired").or_else(|| count("desired_scheduled"));
    let (Some(desired), Some(ready)) = (desired, count("ready").or_else(|| count("available")))
    else {
        return conditions.health();
    };
    let is_updated = count("updated").is_none_or(|updated| updated >= desired);
    let span = object
        .fields
        .get("replicas")
        .or_else(|| object.fields.get("ready"))
        .map(Value::span);
    (
        well(ready >= desired && is_updated && !conditions.is_bad),
        span,
    )
}

/// Returns the health of a Service, which has one only if the output shows what traffic reaches: a load balancer
/// address or endpoints.
fn service(object: &Object<'_>) -> (Health, Option<Span>) {
    let fields = &object.fields;
    let is_balancer = fields.text("type").as_deref() == Some("LoadBalancer");
    let balancer = fields.get("load_balancer_ingress");
    let pending = fields.text("external_ip").as_deref() == Some("<pending>");
    let mut ports = fields.items("ports").iter();
    let endpoints = ports.find_map(|port| {
        let endpoints = port.get("endpoints")?;
        (!endpoints.items().is_empty()).then(|| endpoints.span())
    });
    if is_balancer && pending {
        return (Health::Unwell, None);
    }
    match endpoints {
        Some(span) if !is_balancer || balancer.is_some() => (Health::Well, Some(span)),
        _ => (Health::Present, None),
    }
}

fn well(is_well: bool) -> Health {
    if is_well {
        Health::Well
    } else {
        Health::Unwell
    }
}

/// Returns true for `2/2`, not for `0/0`.
fn counts_agree(ready: &str) -> bool {
    ready
        .split_once('/')
        .is_some_and(|(ready, all)| ready == all && ready != "0")
}

fn containers(object: &Object<'_>) -> Vec<ContainerState> {
    let containers = object.fields.items("containers").iter();
    containers
        .filter_map(|container| {
            let text = |key| container.get(key).and_then(Value::to_text);
            let state = container.get("state")?;
            let is = state.get("type").and_then(Value::to_text)?;
            let restarts = match container.get("restart_count") {
                Some(Value::Integer(count, _)) => *count,
                _ => 0,
            };
            let last = |key: &str| container.get("last_state")?.get(key)?.to_text();
            let ended = time(container.get("last_state.finished_time"));
            let began = time(container.get("last_state.started_time"));
            let is_completed = is == "terminated"
                && state.get("exit_code").and_then(Value::to_text).as_deref() == Some("0");
            Some(ContainerState {
                name: text("name")?.into_owned(),
                is_well: is_completed
                    || (is == "running" && text("ready").as_deref() == Some("true")),
                started: time(state.get("started_time")),
                ended,
                ran: ended
                    .zip(began)
                    .map(|(ended, began)| (ended - began) / 1_000_000_000),
                ended_with_node: last("reason").as_deref() == Some("Unknown")
                    || last("exit_code").as_deref() == Some("255"),
                restarts,
            })
        })
        .collect()
}

/// Parses a time in the parsers' output format, in nanoseconds since 1970.
pub(super) fn time(value: Option<&Value<'_>>) -> Option<i128> {
    let text = value?.to_text()?;
    let time: jiff::Timestamp = text.parse().ok()?;
    Some(time.as_nanosecond())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kwhy_parse::input::{Document, segments};

    fn healths(text: &str) -> Vec<Health> {
        let document = Document::new("", text);
        let parsed = kwhy_parse::segments(&segments(document.text()));
        parsed
            .objects
            .iter()
            .map(|object| of(object).health)
            .collect()
    }

    #[test]
    fn rows_are_judged_by_their_cells() {
        let pods = "\
NAMESPACE   NAME     READY   STATUS             RESTARTS   AGE
dock        quay-0   1/1     Running            0          5d
dock        quay-1   0/1     Running            0          5d
dock        quay-2   0/1     CrashLoopBackOff   9          5d
dock        load-x   0/1     Completed          0          5d
dock        quay-3   1/1     Terminating        0          5d
";
        use Health::{Unwell, Well};
        assert_eq!(healths(pods), [Well, Unwell, Unwell, Well, Unwell]);
        let nodes = "\
NAME      STATUS                     ROLES    AGE   VERSION
alder-1   Ready                      <none>   5d    v1.29.4
alder-2   NotReady                   <none>   5d    v1.29.4
alder-3   Ready,SchedulingDisabled   <none>   5d    v1.29.4
";
        assert_eq!(healths(nodes), [Well, Unwell, Unwell]);
        let sets = "\
NAMESPACE   NAME   READY   UP-TO-DATE   AVAILABLE   AGE
dock        quay   2/2     2            2           5d
dock        pier   1/2     2            1           5d
";
        assert_eq!(healths(sets), [Well, Unwell]);
    }

    #[test]
    fn rows_of_a_runtime_tell_of_the_control_plane() {
        let rows = "\
CONTAINER       IMAGE           CREATED         STATE     NAME             ATTEMPT   POD ID          POD
8ab1c0d2e3f41   9dc6939e7c573   2 minutes ago   Exited    kube-apiserver   7         1111aa22bb33c   kube-apiserver-alder-1
7ab1c0d2e3f42   9dc6939e7c574   3 hours ago     Running   etcd             1         1111aa22bb33d   etcd-alder-1
6ab1c0d2e3f43   9dc6939e7c575   3 hours ago     Exited    install          0         1111aa22bb33e   net-x7k2m
";
        use Health::{Present, Unwell, Well};
        assert_eq!(healths(rows), [Unwell, Well, Present]);
    }

    #[test]
    fn units_are_judged_by_whether_they_should_run() {
        let unit = |enabled: &str, active: &str| {
            healths(&format!(
                "● crane.service - Crane\n   Loaded: loaded (/lib/crane.service; {enabled})\n   Active: {active}\n"
            ))
        };
        for (enabled, active, health) in [
            ("enabled", "active (running) since x; 3s ago", Health::Well),
            ("enabled", "inactive (dead)", Health::Unwell),
            ("disabled", "inactive (dead)", Health::Present),
            ("disabled", "failed (Result: exit-code)", Health::Unwell),
            ("enabled", "activating (auto-restart)", Health::Unwell),
            ("static", "active (exited)", Health::Present),
        ] {
            assert_eq!(unit(enabled, active), [health], "{enabled} {active}");
        }
    }

    #[test]
    fn objects_are_judged_by_their_status() {
        let pod = |ready: bool, phase: &str| {
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: quay-0\nspec:\n  containers:\n  - name: crane\nstatus:\n  phase: {phase}\n  conditions:\n  - type: Ready\n    status: \"{}\"\n    lastTransitionTime: \"2024-03-04T05:06:07Z\"\n",
                if ready { "True" } else { "False" },
            )
        };
        assert_eq!(healths(&pod(true, "Running")), [Health::Well]);
        assert_eq!(healths(&pod(false, "Running")), [Health::Unwell]);
        assert_eq!(healths(&pod(true, "Pending")), [Health::Unwell]);
        let operator = |degraded: &str| {
            format!(
                "apiVersion: config.openshift.io/v1\nkind: ClusterOperator\nmetadata:\n  name: dns\nstatus:\n  conditions:\n  - type: Available\n    status: \"True\"\n  - type: Degraded\n    status: \"{degraded}\"\n"
            )
        };
        assert_eq!(healths(&operator("False")), [Health::Well]);
        assert_eq!(healths(&operator("True")), [Health::Unwell]);
        let secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: tls\ntype: Opaque\n";
        assert_eq!(healths(secret), [Health::Present]);
    }
}
