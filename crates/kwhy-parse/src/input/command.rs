//! Shell prompts and the kubectl commands after them, which name the object that the output
//! below is about.

use super::Segment;
use crate::plain;
use kwhy_model::{Format, Subject};

/// What a kubectl-like command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `describe`.
    Describe,
    /// `logs`.
    Logs,
    /// `get`.
    Get,
    /// Anything else.
    Other,
}

/// A command line found in a paste.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it does.
    pub verb: Verb,
    /// The object that it names, if any.
    pub subject: Subject,
    /// The kind of custom resource that it gets, as typed, if the kind is not a known one.
    pub resource: Option<String>,
    /// Which objects of the kind it selects.
    pub extent: Extent,
}

/// Which objects of a kind a command selects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// An unknown selection: there is no command, or it selects by name, label or field, or is filtered by `grep`.
    #[default]
    Some,
    /// All objects of one namespace, or of the cluster if the kind is not namespaced.
    Namespace,
    /// All objects in all namespaces.
    Cluster,
}

const PROGRAMS: &[&str] = &[
    "kubectl",
    "oc",
    "k",
    "kubectl.exe",
    "k3s",
    "k0s",
    "microk8s",
    "minikube",
];
const OTHER_PROGRAMS: &[&str] = &[
    "crictl",
    "docker",
    "journalctl",
    "helm",
    "istioctl",
    "systemctl",
    "cat",
    "tail",
    "grep",
    "sudo",
    "kubeadm",
    "ctr",
    "nerdctl",
    "curl",
    "etcdctl",
    "watch",
    "stern",
    "dmesg",
    "ls",
    "ip",
];

/// Returns true if a line is a command.
pub(crate) fn is_command(line: &str) -> bool {
    parse(line).is_some()
}

/// Parses a command after a prompt (`$ `, `# `, `root@host:~#`, `[root@host dir]#`,
/// `PS C:\>`), or without one if it starts with kubectl or `oc` and a verb.
pub fn parse(line: &str) -> Option<Command> {
    let line = line.trim();
    // most lines of a large input are JSON
    if line.starts_with(['"', '{', '}', ']']) {
        return None;
    }
    if let Some(header) = line.strip_prefix("==== ") {
        return dump_header(header);
    }
    // a sentence that quotes a command and its output
    if line.starts_with('`') && plain::quotes_output(line) {
        return None;
    }
    let line = line.trim_matches('`');
    let (prompted, rest) = strip_prompt(line);
    let mut words = rest.split_whitespace().peekable();
    while words
        .next_if(|word| *word == "sudo" || is_assignment(word))
        .is_some()
    {}
    let program = words.next()?;
    if !PROGRAMS.contains(&program) {
        let known = OTHER_PROGRAMS.contains(&program) && words.peek().is_some();
        return (prompted && known).then(|| Command {
            verb: Verb::Other,
            subject: Subject::default(),
            resource: None,
            extent: Extent::Some,
        });
    }
    let words: Vec<&str> = words.take(32).collect();
    if words.is_empty() || (!prompted && words.iter().any(|word| word.ends_with(['.', ',']))) {
        return None;
    }
    Some(arguments(&words)).filter(|command| prompted || command.verb != Verb::Other)
}

/// Returns the container whose log starts at a marker in a cluster dump (`Some(None)` for the end of a log), or `None`
/// for any other segment. That container wrote everything between the two markers.
pub fn log_section(segment: &Segment<'_>) -> Option<Option<Subject>> {
    if segment.format != Format::Command {
        return None;
    }
    let text = segment.lines.first()?.text.trim();
    let command = dump_header(text.strip_prefix("==== ")?)?;
    Some(Some(command.subject).filter(|subject| *subject != Subject::default()))
}

/// Returns true if lines of this format may be a container's output.
pub fn is_output(format: Format) -> bool {
    format.is_log() || format == Format::Plain
}

/// Parses the markers around a log in `kubectl cluster-info dump` (kubernetes/kubectl
/// `pkg/cmd/clusterinfo/clusterinfo_dump.go`): `==== START logs for container etcd of pod kube-system/etcd-m1 ====`.
fn dump_header(header: &str) -> Option<Command> {
    let header = header.strip_suffix(" ====")?;
    let other = |verb, subject| Command {
        verb,
        subject,
        resource: None,
        extent: Extent::Some,
    };
    if header.starts_with("END logs for container ") {
        return Some(other(Verb::Other, Subject::default()));
    }
    let log = header.strip_prefix("START logs for container ")?;
    let (container, pod) = log.split_once(" of pod ")?;
    let (namespace, name) = pod.split_once('/')?;
    let subject = Subject {
        kind: Some("Pod".to_owned()),
        namespace: Some(name_only(namespace)?),
        name: Some(name_only(name)?),
        container: Some(name_only(container)?),
        node: None,
    };
    Some(other(Verb::Logs, subject))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
    })
}

fn strip_prompt(line: &str) -> (bool, &str) {
    for mark in ["$ ", "# ", "> ", "% ", "❯ ", "➜ "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return (true, rest.trim_start());
        }
    }
    // `>kubectl get pods`, without a space
    let bare = line.trim_start_matches(['$', '#', '>', '%']);
    if bare.len() < line.len()
        && let Some((program, _)) = bare.split_once(' ')
        && PROGRAMS.contains(&program)
    {
        return (true, bare);
    }
    // user@host:dir$ , [user@host dir]# , PS C:\dir> , (context) host $ ; or any words before a known program
    let head_end = line.char_indices().take(80).find(|&(at, c)| {
        let (before, after) = (&line[..at], &line[at + c.len_utf8()..]);
        let is_known = || {
            let program = after.split_whitespace().next();
            before.ends_with([' ', '~', ')', ']', ':'])
                && program.is_some_and(|program| PROGRAMS.contains(&program))
        };
        matches!(c, '$' | '#' | '>' | '%')
            && after.starts_with(' ')
            && (before.contains('@') || before.starts_with("PS ") || is_known())
    });
    match head_end {
        Some((at, _)) => (true, line[at + 2..].trim_start()),
        None => (false, line),
    }
}

fn arguments(words: &[&str]) -> Command {
    let mut subject = Subject::default();
    let mut verb = None;
    let mut plain = Vec::new();
    let mut extent = Extent::Namespace;
    let mut is_filtered = false;
    let mut skip = false;
    for (at, word) in words.iter().enumerate() {
        if skip {
            skip = false;
            continue;
        }
        if matches!(*word, "|" | "&&" | ";" | "||" | ">" | "2>&1") {
            is_filtered |= *word == "|";
            break;
        }
        if let Some(flag) = word.strip_prefix('-') {
            let flag = flag.trim_start_matches('-');
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (flag, words.get(at + 1).copied()),
            };
            let takes_value = matches!(
                name,
                "n" | "namespace"
                    | "c"
                    | "container"
                    | "o"
                    | "output"
                    | "l"
                    | "selector"
                    | "context"
                    | "kubeconfig"
                    | "tail"
                    | "since"
                    | "s"
                    | "field-selector"
                    | "sort-by"
            );
            match name {
                "n" | "namespace" => subject.namespace = value.and_then(name_only),
                "c" | "container" => subject.container = value.and_then(name_only),
                "A" | "all-namespaces" => extent = Extent::Cluster,
                "l" | "selector" | "field-selector" | "limit" => is_filtered = true,
                _ => {}
            }
            skip = takes_value && !flag.contains('=');
        } else if verb.is_none() && !matches!(*word, "kubectl" | "kc") {
            verb = Some(match *word {
                "describe" => Verb::Describe,
                "logs" | "log" => Verb::Logs,
                "get" => Verb::Get,
                _ => Verb::Other,
            });
        } else {
            plain.push(*word);
        }
    }
    let verb = verb.unwrap_or(Verb::Other);
    if verb != Verb::Other {
        name_object(verb, &plain, &mut subject);
    }
    let resource = (verb == Verb::Get && subject.kind.is_none())
        .then(|| plain.first().and_then(|word| resource(word)))
        .flatten();
    let is_of_some = is_filtered || plain.len() != 1 || plain.iter().any(|word| word.contains('/'));
    Command {
        verb,
        subject,
        resource,
        extent: if verb != Verb::Get || is_of_some {
            Extent::Some
        } else {
            extent
        },
    }
}

/// Returns a resource's name without its group (`cephclusters.ceph.rook.io`), if the word can be one.
fn resource(word: &str) -> Option<String> {
    let word = word.split(['/', '.']).next()?;
    let is_name = word.starts_with(|c: char| c.is_ascii_lowercase())
        && word
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    (is_name && word != "all").then(|| word.to_owned())
}

fn name_object(verb: Verb, plain: &[&str], subject: &mut Subject) {
    let (kind, name) = match plain {
        [first, ..] if first.contains('/') => {
            let (kind, name) = first.split_once('/').unwrap_or((first, ""));
            (Some(kind), Some(name))
        }
        [name, rest @ ..] if verb == Verb::Logs => {
            if subject.container.is_none() {
                subject.container = rest.first().and_then(|word| name_only(word));
            }
            (Some("pod"), Some(*name))
        }
        [kind, name, ..] => (Some(*kind), Some(*name)),
        [kind] => (Some(*kind), None),
        [] => (None, None),
    };
    subject.kind = kind
        .filter(|kind| Subject::is_kind_word(kind))
        .map(Subject::kind_from_word);
    subject.name = name.and_then(name_only);
}

/// Returns an object's name if the word can be one; placeholders such as `<pod>` and `$POD` cannot.
fn name_only(word: &str) -> Option<String> {
    let fits =
        |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.' | b':');
    (!word.is_empty() && word.bytes().all(fits)).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(line: &str) -> String {
        parse(line)
            .map(|command| command.subject.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn commands_name_their_object() {
        assert_eq!(
            subject("$ kubectl describe pod web-0 -n shop"),
            "Pod shop/web-0"
        );
        assert_eq!(
            subject("[root@m1 tmp]# kubectl -n shop describe po/web-0"),
            "Pod shop/web-0"
        );
        assert_eq!(
            subject("kubectl --namespace=shop logs web-0 app -f"),
            "Pod shop/web-0"
        );
        assert_eq!(
            subject("kubectl -n prod get pod -o yaml web-0"),
            "Pod prod/web-0"
        );
        assert_eq!(
            subject("kubectl get pods -o wide -n shop | grep web"),
            "Pod in namespace shop"
        );
        assert_eq!(
            subject("root@m1:~# kubectl describe pvc data-db-0"),
            "PersistentVolumeClaim data-db-0"
        );
        assert_eq!(subject("kubectl logs {$PodName} -n {$Namespace}"), "Pod");
        assert_eq!(
            subject(">kubectl describe rs web-5d9f"),
            "ReplicaSet web-5d9f"
        );
        // a prompt of arbitrary words
        assert_eq!(subject("edge 7 $ kubectl describe pod web-0"), "Pod web-0");
        assert!(parse("it costs 7 $ a month").is_none());
    }

    #[test]
    fn commands_ask_for_all_or_for_some() {
        for (line, extent) in [
            ("$ kubectl get svc -n shop", Extent::Namespace),
            ("$ kubectl get pv", Extent::Namespace),
            ("$ kubectl get pods -A -o wide", Extent::Cluster),
            ("$ kubectl get pods --all-namespaces", Extent::Cluster),
            ("$ kubectl get svc web -n shop", Extent::Some),
            ("$ kubectl get svc/web", Extent::Some),
            ("$ kubectl get pods -l app=web", Extent::Some),
            (
                "$ kubectl get pods --field-selector=spec.nodeName=a",
                Extent::Some,
            ),
            ("$ kubectl get pods -A | grep web", Extent::Some),
            ("$ kubectl describe pods", Extent::Some),
        ] {
            assert_eq!(parse(line).unwrap().extent, extent, "{line}");
        }
    }

    #[test]
    fn headers_of_dumped_logs_name_their_pod() {
        let start =
            parse("==== START logs for container crane of pod harbour/quay-0 ====").unwrap();
        assert_eq!(start.verb, Verb::Logs);
        assert_eq!(start.subject.to_string(), "Pod harbour/quay-0");
        let end = parse("==== END logs for container crane of pod harbour/quay-0 ====").unwrap();
        assert_eq!((end.verb, end.subject), (Verb::Other, Subject::default()));
        assert_eq!(parse("==== START logs ===="), None);
    }

    #[test]
    fn custom_resources_are_named_as_typed() {
        let resource = |line: &str| parse(line).and_then(|command| command.resource);
        assert_eq!(
            resource("$ kubectl get tides.sea.example -A").as_deref(),
            Some("tides")
        );
        assert_eq!(resource("$ kubectl get tide/high").as_deref(), Some("tide"));
        assert_eq!(resource("$ kubectl get pods"), None);
        assert_eq!(resource("$ kubectl get all"), None);
        assert_eq!(resource("$ kubectl get $KIND"), None);
        assert_eq!(resource("$ kubectl logs tides"), None);
    }

    #[test]
    fn sentences_are_no_commands() {
        assert_eq!(parse("kubectl is the command line tool."), None);
        assert_eq!(parse("> the kubelet says that the volume is missing"), None);
        assert_eq!(parse("# Headline of a page"), None);
    }
}
