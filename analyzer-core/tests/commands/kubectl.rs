//! A small grammar of kubectl: the options and arguments of each verb.

/// Options of all verbs: those with a value, and those without.
const GLOBAL: (&[&str], &[&str]) = (
    &[
        "-n",
        "--namespace",
        "--context",
        "--kubeconfig",
        "--request-timeout",
        "-v",
        "--as",
        "--as-group",
        "-s",
        "--server",
        "--cluster",
    ],
    &["-A", "--all-namespaces", "-h", "--help"],
);

/// A verb, its options with a value, its options without one, and the minimum number of arguments.
type Verb = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    usize,
);

const VERBS: &[Verb] = &[
    (
        "get",
        &[
            "-o",
            "--output",
            "-l",
            "--selector",
            "--field-selector",
            "--sort-by",
            "-L",
            "--label-columns",
            "--raw",
            "--template",
            "--subresource",
            "--chunk-size",
        ],
        &[
            "--show-labels",
            "-w",
            "--watch",
            "--no-headers",
            "--ignore-not-found",
            "--show-kind",
            "--show-managed-fields",
        ],
        0,
    ),
    (
        "describe",
        &["-l", "--selector", "-f"],
        &["--show-events"],
        1,
    ),
    (
        "logs",
        &[
            "-c",
            "--container",
            "--tail",
            "--since",
            "--since-time",
            "-l",
            "--selector",
            "--limit-bytes",
        ],
        &[
            "-p",
            "--previous",
            "--all-containers",
            "--timestamps",
            "-f",
            "--prefix",
            "--ignore-errors",
            "--all-pods",
        ],
        0,
    ),
    (
        "exec",
        &["-c", "--container"],
        &["-i", "-t", "-it", "--stdin", "--tty"],
        1,
    ),
    (
        "debug",
        &["--image", "--target", "--profile", "-c", "--copy-to"],
        &["-i", "-t", "-it"],
        1,
    ),
    ("auth", &["--subresource", "-o"], &["--list", "-q"], 1),
    (
        "top",
        &["-l", "--sort-by"],
        &["--containers", "--no-headers"],
        1,
    ),
    ("explain", &["--api-version", "-o"], &["--recursive"], 1),
    (
        "config",
        &["-o", "--user"],
        &["--minify", "--raw", "--flatten", "--current"],
        1,
    ),
    (
        "api-resources",
        &["--api-group", "-o", "--verbs", "--sort-by"],
        &["--namespaced", "--no-headers", "--cached"],
        0,
    ),
    ("api-versions", &[], &[], 0),
    ("version", &["-o"], &["--client", "--short"], 0),
    ("cluster-info", &["-o"], &[], 0),
    ("events", &["--for", "--types"], &["-w"], 0),
    ("diff", &["-f", "-k"], &["--server-side"], 0),
    (
        "create",
        &[
            "-f",
            "--dry-run",
            "-o",
            "--from-literal",
            "--from-file",
            "--cert",
            "--key",
            "--type",
            "--clusterrole",
            "--role",
            "--serviceaccount",
            "--user",
            "--group",
            "--verb",
            "--resource",
            "--duration",
            "--value",
            "--docker-server",
            "--docker-username",
            "--docker-password",
            "--image",
            "--class",
            "--rule",
            "--from",
        ],
        &["--save-config"],
        0,
    ),
    (
        "apply",
        &["-f", "-k", "--dry-run", "--field-manager", "-o"],
        &["--server-side", "--force-conflicts", "-R"],
        0,
    ),
    (
        "replace",
        &["-f", "--subresource", "--raw"],
        &["--force"],
        0,
    ),
    (
        "delete",
        &[
            "-f",
            "-l",
            "--selector",
            "--field-selector",
            "--grace-period",
            "--timeout",
            "--cascade",
            "--wait",
        ],
        &["--now", "--force", "--ignore-not-found"],
        1,
    ),
    (
        "patch",
        &[
            "-p",
            "--patch",
            "--type",
            "--subresource",
            "--dry-run",
            "-o",
        ],
        &[],
        2,
    ),
    ("edit", &["-o", "--subresource"], &["--save-config"], 1),
    (
        "drain",
        &[
            "--grace-period",
            "--timeout",
            "--pod-selector",
            "--skip-wait-for-delete-timeout",
        ],
        &[
            "--ignore-daemonsets",
            "--delete-emptydir-data",
            "--force",
            "--disable-eviction",
        ],
        1,
    ),
    ("cordon", &[], &[], 1),
    ("uncordon", &[], &[], 1),
    ("taint", &[], &["--overwrite"], 3),
    ("label", &[], &["--overwrite"], 3),
    ("annotate", &[], &["--overwrite"], 3),
    (
        "rollout",
        &["--to-revision", "--revision", "--timeout"],
        &["-w"],
        2,
    ),
    ("scale", &["--replicas", "--current-replicas"], &[], 1),
    ("set", &["-c"], &["--list"], 2),
    ("certificate", &[], &[], 2),
    ("wait", &["--for", "--timeout"], &[], 1),
    (
        "run",
        &["--image", "--restart"],
        &["--rm", "-it", "-i", "-t", "--command"],
        1,
    ),
    ("cp", &["-c"], &[], 2),
    ("port-forward", &["--address"], &[], 2),
    ("adm", &[], &[], 1),
    ("import-image", &[], &["--confirm"], 1),
    ("kustomize", &[], &["--enable-helm"], 1),
];

/// Returns the fault of a kubectl command, or `None` if it is valid.
pub fn fault(words: &[String]) -> Option<String> {
    let mut rest = words.iter().map(String::as_str);
    rest.next()?;
    let mut verb: Option<&Verb> = None;
    let mut positions: Vec<&str> = Vec::new();
    let mut is_raw = false;
    while let Some(word) = rest.next() {
        if word == "--" {
            let runs = verb.is_some_and(|verb| matches!(verb.0, "exec" | "debug" | "run"));
            if !runs {
                return Some("`--` after a verb that runs no program".into());
            }
            break;
        }
        if word.starts_with('-') {
            let (valued, plain) = verb.map_or((&[][..], &[][..]), |verb| (verb.1, verb.2));
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word, None),
            };
            let is_valued = valued.contains(&name) || GLOBAL.0.contains(&name);
            let is_plain = plain.contains(&name) || GLOBAL.1.contains(&name);
            is_raw |= name == "--raw";
            match value {
                _ if !is_valued && !is_plain => return Some(format!("no option: {word}")),
                None if is_valued => match rest.next() {
                    Some(value) if !value.starts_with('-') && !value.is_empty() => {}
                    value => return Some(format!("{name} has no value: {value:?}")),
                },
                Some("") => return Some(format!("{name} has no value")),
                Some(value) if is_valued && value.starts_with('-') => {
                    return Some(format!("the value of {name} is an option: {value}"));
                }
                _ => {}
            }
            continue;
        }
        match verb {
            None => match VERBS.iter().find(|verb| verb.0 == word) {
                Some(known) => verb = Some(known),
                None => return Some(format!("no verb: {word}")),
            },
            Some(_) if word.is_empty() => return Some("an empty word".into()),
            Some(_) => positions.push(word),
        }
    }
    let Some(verb) = verb else {
        return Some("no verb".into());
    };
    let least = if verb.0 == "get" && !is_raw {
        1
    } else {
        verb.3
    };
    if positions.len() < least {
        return Some(format!("{} needs {least} words: {positions:?}", verb.0));
    }
    None
}

#[test]
fn the_grammar_distinguishes_options_from_values() {
    let of = |text: &str| fault(&shlex::split(text).unwrap());
    for right in [
        "kubectl -n shop get pod web-0 -o yaml",
        "kubectl get --raw /readyz?verbose",
        "kubectl -n shop exec web-0 -c app -- rm -rf /",
        "kubectl taint node a b-",
    ] {
        assert_eq!(of(right), None, "{right}");
    }
    for wrong in [
        "kubectl delete crd --all",
        "kubectl -n --all get pods",
        "kubectl get pod --kubeconfig=",
        "kubectl get",
        "kubectl -n shop",
        "kubectl get pods -- x",
        "kubectl nothing",
        "kubectl get pods --field-selector=-x",
        "kubectl patch pod",
    ] {
        assert!(of(wrong).is_some(), "{wrong}");
    }
}
