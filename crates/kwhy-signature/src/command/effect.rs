//! Classifies a command or instruction: read-only, changing or destructive.

mod programs;

use super::CommandTemplate;
use programs::{OPTIONS, RULES};

/// The effect on the cluster or machine, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// It is read-only.
    Looks,
    /// It changes something.
    Changes,
    /// It deletes, empties, forces, drains or stops something.
    Destroys,
}

use Effect::{Changes, Destroys, Looks};

/// Programs that run another command given as arguments.
const AROUND: &[&str] = &[
    "sudo", "time", "timeout", "nohup", "env", "nice", "xargs", "watch", "chroot", "nsenter",
];

/// Options that take the next word as their value and may precede a subcommand.
const VALUED: &[&str] = &[
    "-n",
    "--namespace",
    "--context",
    "--kubeconfig",
    "--cluster",
    "--as",
    "-l",
    "-f",
    "-o",
    "-c",
    "--endpoints",
    "--cacert",
    "--cert",
    "--key",
    "--root",
    "-H",
    "-p",
    "--profile",
    "--address",
    "-r",
    "--runtime-endpoint",
    "-D",
    "--region",
];

/// Dry-run options.
const REHEARSALS: &[&str] = &[
    "--dry-run",
    "--dry-run=client",
    "--dry-run=server",
    "--simulate",
];

/// Options that force any command.
const FORCED: &[&str] = &[
    "--force",
    "--grace-period=0",
    "--now",
    "--delete-emptydir-data",
    "--disable-eviction",
    "--purge",
    "--wipe",
];

/// kubectl's read-only verbs and others with a known effect; any other verb changes something.
const KUBECTL_LOOKS: &[&str] = &[
    "get",
    "describe",
    "logs",
    "explain",
    "top",
    "api-resources",
    "api-versions",
    "version",
    "cluster-info",
    "auth",
    "diff",
    "events",
    "wait",
    "options",
    "completion",
    "kustomize",
    "convert",
    "config",
];

/// Verbs that are destructive at the start of an instruction.
const VERBS: &[&str] = &[
    "delete",
    "remove",
    "empty",
    "wipe",
    "erase",
    "purge",
    "prune",
    "drain",
    "format",
    "truncate",
    "recreate",
    "reset",
    "reinstall",
    "reboot",
    "kill",
    "evict",
    "detach",
    "uninstall",
    "destroy",
    "restore over",
    "force",
    "force-delete",
    "force-detach",
    "power off",
    "shut down",
    "clear out",
    "terminate",
    "unmount",
];

/// Words between the parts of an instruction that may be followed by a verb.
const CONNECTIVES: &[&str] = &[
    "then",
    "and",
    "or",
    "otherwise",
    "else",
    "finally",
    "afterwards",
    "next",
    "first",
];

/// Returns the effect of a command.
pub(crate) fn of_command(command: &CommandTemplate) -> Effect {
    // a slot's name represents its value, which is not an option
    let words = command.words_with(|slot| slot.to_owned());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    of_words(&words)
}

/// Returns the effect of an argument list.
pub(crate) fn of_words(words: &[&str]) -> Effect {
    let Some((&program, rest)) = words.split_first() else {
        return Looks;
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    if AROUND.contains(&program) {
        return of_words(words_after(program, rest));
    }
    if matches!(program, "sh" | "bash") {
        return of_script(rest);
    }
    let is_kubectl = matches!(program, "kubectl" | "oc" | "k");
    let program = if is_kubectl { "kubectl" } else { program };
    let program = if program.starts_with("mkfs") {
        "mkfs"
    } else {
        program
    };
    if rest.iter().any(|word| REHEARSALS.contains(word)) {
        return Looks;
    }
    let plain = positions(rest);
    let of_options = options(program, rest);
    if is_kubectl && matches!(plain.first(), Some(&("exec" | "debug"))) {
        let inner = rest.iter().position(|word| *word == "--");
        let inner = inner.and_then(|at| rest.get(at + 1..));
        return inner.map_or(Changes, of_words);
    }
    let mut known = RULES
        .iter()
        .filter(|(of, sub, _)| *of == program && begins(&plain, sub));
    let unlisted = match plain.first() {
        Some(verb) if is_kubectl && !KUBECTL_LOOKS.contains(verb) => Changes,
        _ => Looks,
    };
    let listed = known.by_ref().max_by_key(|(_, sub, _)| sub.len());
    let effect = listed.map_or(unlisted, |(_, _, effect)| *effect);
    let is_finalizers = is_kubectl
        && plain.first() == Some(&"patch")
        && rest.iter().any(|word| word.contains("finalizers"));
    let forced = rest.iter().any(|word| FORCED.contains(word));
    match of_options {
        Some(Looks) => Looks,
        _ if is_finalizers || (forced && effect > Looks) => Destroys,
        of_options => effect.max(of_options.unwrap_or(Looks)),
    }
}

/// Returns the words after a wrapper program and its own options, assignments and number.
fn words_after<'w, 's>(program: &str, words: &'w [&'s str]) -> &'w [&'s str] {
    if let Some(at) = words.iter().position(|word| *word == "--") {
        return words.get(at + 1..).unwrap_or_default();
    }
    let own = |word: &&&str| {
        let digit = word.as_bytes().first().is_some_and(u8::is_ascii_digit);
        word.starts_with('-')
            || word.contains('=')
            || digit
            || (program == "chroot" && word.starts_with('/'))
    };
    let skipped = words.iter().take_while(own).count();
    words.get(skipped..).unwrap_or_default()
}

/// Returns the most severe effect of a shell script.
fn of_script(words: &[&str]) -> Effect {
    let text = words.iter().find(|word| !word.starts_with('-'));
    let commands = text
        .into_iter()
        .flat_map(|text| text.split(['|', ';', '&', '\n']));
    let effects = commands.map(|command| {
        let writes = command.contains('>') && !command.contains(">/dev/null");
        let words: Vec<&str> = command.split_whitespace().collect();
        of_words(&words).max(if writes { Changes } else { Looks })
    });
    effects.max().unwrap_or(Looks)
}

/// The words that are not options, nor values of options before a subcommand.
fn positions<'s>(words: &[&'s str]) -> Vec<&'s str> {
    let mut plain = Vec::new();
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        if VALUED.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            plain.push(word);
        }
    }
    plain
}

pub fn begins(plain: &[&str], sub: &[&str]) -> bool {
    plain.len() >= sub.len() && plain.iter().zip(sub).all(|(word, sub)| word == sub)
}

/// Returns the most severe effect of the listed options, if there are any.
fn options(program: &str, words: &[&str]) -> Option<Effect> {
    let listed = OPTIONS.iter().filter(|(of, option, _)| {
        let same = |word: &&str| word == option || word.split('=').next() == Some(option);
        *of == program && words.iter().any(same)
    });
    let effects: Vec<Effect> = listed.map(|(_, _, effect)| *effect).collect();
    if effects.contains(&Looks) {
        return Some(Looks);
    }
    effects.into_iter().max()
}

/// Returns the effect of an instruction, judged by the leading verbs of its parts.
pub(crate) fn of_prose(text: &str) -> Effect {
    let text = text.to_lowercase();
    let destroys = text.split([';', '.', ',', ':']).any(|part| {
        let mut part = part.trim_start();
        while let Some((word, rest)) = part.split_once(' ')
            && CONNECTIVES.contains(&word)
        {
            part = rest.trim_start();
        }
        VERBS.iter().any(|verb| {
            let rest = part.strip_prefix(verb);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    });
    if destroys { Destroys } else { Looks }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect_of(command: &str) -> Effect {
        of_command(&CommandTemplate::parse(command).unwrap())
    }

    #[test]
    fn effects_of_commands() {
        for (effect, commands) in [
            (
                Looks,
                &[
                    "kubectl -n {namespace} get pod {pod} -o yaml",
                    "kubectl auth can-i get pods --as={user}",
                    "kubectl -n shop exec web-0 -- cat /etc/resolv.conf",
                    "kubectl rollout status deployment web",
                    "kubectl apply --dry-run=server -f web.yaml",
                    "journalctl -u kubelet --no-pager -n 100",
                    "systemctl status {unit|kubelet}",
                    "ip route show",
                    "xfs_repair -n /dev/{device}",
                    "etcdctl member list",
                    "wipefs /dev/{device}",
                    "curl -sI https://{registry}/v2/",
                ][..],
            ),
            (
                Changes,
                &[
                    "kubectl edit node {node}",
                    "kubectl -n shop rollout restart deployment web",
                    "kubectl label node {node} a=b",
                    "systemctl restart kubelet",
                    "kubectl taint node {node} {key}-",
                    "umount {path}",
                    "sysctl -w a.b=1",
                    "kubectl debug node/{node}",
                ][..],
            ),
            (
                Destroys,
                &[
                    "kubectl -n {namespace} delete pod {pod}",
                    "kubectl drain {node} --ignore-daemonsets",
                    "kubectl replace --force -f web.yaml",
                    "kubectl patch pod {pod} -p '{{\"metadata\":{{\"finalizers\":null}}}}'",
                    "kubectl -n shop exec web-0 -- rm -rf /data",
                    "sudo rm -rf {path}",
                    "mkfs.xfs /dev/{device}",
                    "wipefs -a /dev/{device}",
                    "dd if=/dev/zero of=/dev/{device}",
                    "umount -l {path}",
                    "etcdctl --endpoints {address} member remove {id}",
                    "etcdutl snapshot restore a.db",
                    "ceph osd out {id}",
                    "crictl rmi --prune",
                    "docker system prune -af",
                    "kubeadm reset --force",
                    "helm -n {namespace} uninstall {release}",
                    "systemctl stop kubelet",
                    "sh -c 'cat a; rm b'",
                ][..],
            ),
        ] {
            for command in commands {
                assert_eq!(effect_of(command), effect, "{command}");
            }
        }
    }

    #[test]
    fn effects_of_prose() {
        for text in [
            "delete the pod, so that it is made again",
            "free room on the disk; then remove the member and add it again",
            "Restart it, or drain the node",
        ] {
            assert_eq!(of_prose(text), Destroys, "{text}");
        }
        for text in [
            "raise the limit",
            "let the operator delete the pod",
            "correct the format of the file",
            "resetting it helps",
        ] {
            assert_eq!(of_prose(text), Looks, "{text}");
        }
    }
}
