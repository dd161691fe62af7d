//! The subject of an event, from the table's columns, or else from the names in messages.

use super::row::Row;
use kwhy_model::{Event, Format, Subject};

/// Returns the subject given by the columns of a row.
pub(super) fn of_row(row: &Row<'_>) -> Subject {
    let mut subject = Subject::default();
    let owned = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    if !row.kind.is_empty() {
        subject.kind = Some(Subject::kind_from_word(row.kind.text));
    }
    subject.name = owned(row.name.text);
    if !subject.is_cluster_scoped() {
        subject.namespace = owned(row.namespace.text);
    }
    // the host is where the reporter runs: only for the kubelet and kube-proxy is that the pod's node
    if matches!(row.component.text, "kubelet" | "kube-proxy") {
        subject.node = owned(row.host.text);
    }
    subject
}

/// Splits `spec.containers{app}: ` off a message; returns the path and the length to skip.
pub(super) fn field_path(message: &str) -> (Option<&str>, usize) {
    let path = message
        .starts_with("spec.")
        .then(|| message.find("}: "))
        .flatten()
        .and_then(|end| message.get(..=end));
    match path {
        Some(path) if container_of_path(path).is_some() => {
            let rest = &message[path.len() + 1..];
            (Some(path), message.len() - rest.trim_start().len())
        }
        _ => (None, 0),
    }
}

/// Returns the container of `spec.containers{app}`, `spec.initContainers{app}` or
/// `spec.ephemeralContainers{app}`.
pub(super) fn container_of_path(path: &str) -> Option<&str> {
    let path = path.strip_prefix("spec.").unwrap_or(path);
    let (list, rest) = path.split_once('{')?;
    let is_list = matches!(
        list,
        "containers" | "initContainers" | "ephemeralContainers"
    );
    let name = rest.strip_suffix('}')?;
    (is_list && is_name(name)).then_some(name)
}

/// Returns the container named by a message of the kubelet.
pub(super) fn container_of_message(message: &str) -> Option<&str> {
    let whole = |prefix: &str| {
        let rest = message.strip_prefix(prefix)?;
        let rest = rest.trim_start_matches([':', ' ']).trim_end();
        is_name(rest).then_some(rest)
    };
    [
        "Created container",
        "Started container",
        "Stopping container",
    ]
    .into_iter()
    .find_map(whole)
    .or_else(|| {
        let name = first_word(message.strip_prefix("Container ")?);
        let rest = message.get("Container ".len() + name.len()..)?;
        let phrases = [" failed ", " definition changed", " init failed"];
        phrases
            .iter()
            .any(|phrase| rest.starts_with(phrase))
            .then_some(name)
    })
    .or_else(|| after(message, "restarting failed container="))
    .or_else(|| {
        let rest = message.split_once("restarting failed container ")?.1;
        let name = first_word(rest);
        rest.get(name.len()..)?
            .starts_with(" in pod ")
            .then_some(name)
    })
    .or_else(|| {
        // failed to "StartContainer" for "app" with CrashLoopBackOff
        let rest = message.split_once("Container\" for \"")?.1;
        Some(rest.split_once('"')?.0)
    })
    .filter(|name| is_name(name))
}

fn after<'a>(message: &'a str, prefix: &str) -> Option<&'a str> {
    Some(first_word(message.split_once(prefix)?.1))
}

fn first_word(text: &str) -> &str {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    &text[..end]
}

/// Completes the subjects of the events of one table from one another.
pub(super) fn complete(events: &mut [Event<'_>]) {
    fill_namespaces(events);
    // a pod applies from the row that names it until a row names another one; the first pod also
    // applies to the rows before it
    let mut pods: Vec<(usize, Subject)> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        if event.format != Format::DescribeEvents {
            continue;
        }
        let Some(named) = named_pod(event) else {
            continue;
        };
        match pods.last_mut() {
            Some((_, known)) if known.name == named.name => known.fill_from(&named),
            Some(_) => pods.push((index, named)),
            None => pods.push((0, named)),
        }
    }
    let mut ends = pods.iter().skip(1).map(|(start, _)| *start);
    for (start, pod) in &pods {
        let end = ends.next().unwrap_or(events.len());
        for event in events.get_mut(*start..end).unwrap_or_default() {
            if event.format == Format::DescribeEvents {
                event.subject.fill_from(pod);
            }
        }
    }
}

/// Fills in namespaces. In `kubectl get events` without a namespace column all objects are in the
/// same namespace, which a message may name.
fn fill_namespaces(events: &mut [Event<'_>]) {
    let is_single = events
        .iter()
        .all(|event| event.format == Format::EventsTable && event.field("namespace").is_none());
    if !is_single {
        return;
    }
    let namespace = events.iter().find_map(|event| {
        named_pod(event)
            .filter(|named| event.subject.name.is_none() || event.subject.name == named.name)
            .and_then(|named| named.namespace)
    });
    for event in events {
        if let Some(named) = named_pod(event)
            && event.subject.kind.as_deref() == Some("Pod")
        {
            event.subject.fill_from(&named);
        }
        if event.subject.namespace.is_none() && !event.subject.is_cluster_scoped() {
            event.subject.namespace.clone_from(&namespace);
        }
    }
}

/// Returns the pod that a message of the scheduler or the kubelet is about.
fn named_pod(event: &Event<'_>) -> Option<Subject> {
    let message = event.message.as_str();
    if let Some(rest) = message.strip_prefix("Successfully assigned ") {
        return assigned(rest);
    }
    let writer = event.component.as_ref().map(|component| component.as_str());
    if !matches!(writer, None | Some("kubelet" | "default-scheduler")) {
        return None;
    }
    with_uid(message)
        .or_else(|| of_docker_name(message))
        .or_else(|| {
            message.match_indices("pod \"").find_map(|(at, prefix)| {
                let is_word = !message[..at].ends_with(|c: char| c.is_alphanumeric());
                let (name, _) = message.get(at + prefix.len()..)?.split_once('"')?;
                (is_word && is_name(name)).then(|| Subject::new("Pod", None, name))
            })
        })
}

/// Parses `NAMESPACE/NAME to NODE`; up to 1.11 without the namespace.
fn assigned(text: &str) -> Option<Subject> {
    let (pod, node) = text.split_once(" to ")?;
    let (namespace, name) = match pod.split_once('/') {
        Some((namespace, name)) => (Some(namespace), name),
        None => (None, pod),
    };
    let node = first_word(node);
    if !is_name(name) || !namespace.is_none_or(is_name) || !is_name(node) {
        return None;
    }
    let mut subject = Subject::new("Pod", namespace, name);
    subject.node = Some(node.to_owned());
    Some(subject)
}

/// Parses `NAME_NAMESPACE(UID)` after `pod=`, `pod ` or `pod "`.
fn with_uid(message: &str) -> Option<Subject> {
    ["pod=", "pod ", "pod \""].into_iter().find_map(|prefix| {
        message.match_indices(prefix).find_map(|(at, prefix)| {
            let rest = message.get(at + prefix.len()..)?;
            let end = rest
                .bytes()
                .position(|byte| !(is_name_byte(byte) || byte == b'_'))?;
            let (name, namespace) = rest.get(..end)?.split_once('_')?;
            let is_pod = rest.get(end..)?.starts_with('(') && is_name(name) && is_name(namespace);
            is_pod.then(|| Subject::new("Pod", Some(namespace), name))
        })
    })
}

/// Parses `k8s_CONTAINER_NAME_NAMESPACE_UID_ATTEMPT`, docker's name for a pod's container.
fn of_docker_name(message: &str) -> Option<Subject> {
    let mut parts = message.split_once("/k8s_")?.1.splitn(4, '_').skip(1);
    let (name, namespace) = (parts.next()?, parts.next()?);
    parts.next()?;
    (is_name(name) && is_name(namespace)).then(|| Subject::new("Pod", Some(namespace), name))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() < 254 && text.bytes().all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'.'
}
