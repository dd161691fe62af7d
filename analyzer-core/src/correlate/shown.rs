//! Commands whose output the input already contains, so that running them gains nothing.

use super::Snapshots;
use crate::report::CommandLine;
use kwhy_model::Subject;

/// Returns true if the input contains the output of a command about one object: its describe, the object itself, or the
/// status of a unit.
pub(super) fn is_in_input(command: &CommandLine, snapshots: &Snapshots) -> bool {
    let mut words = command.argv().iter().map(String::as_str);
    let program = words.next();
    let (mut namespace, mut output) = (None, None);
    let mut plain = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "-n" | "--namespace" => namespace = words.next(),
            "-o" | "--output" => output = words.next(),
            // other options change the output
            _ if word.starts_with('-') => return false,
            _ => plain.push(word),
        }
    }
    let of = |kind, name| Subject::new(kind, namespace, name);
    match (program, plain.as_slice(), output) {
        (Some("kubectl"), ["describe", kind, name], None) => {
            snapshots.has_describe(&of(&Subject::kind_from_word(kind), name))
        }
        (Some("kubectl"), ["get", kind, name], Some("yaml" | "json")) => {
            snapshots.has_object(&of(&Subject::kind_from_word(kind), name))
        }
        (Some("systemctl"), ["status", unit], None) => snapshots.has_describe(&of("Unit", unit)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::Analyzer;

    const DESCRIBE: &str = "Name:         rye-0\nNamespace:    mill\nNode:         <none>\nStatus:       Pending\nContainers:\n  rye:\n    State:          Waiting\n      Reason:       ImagePullBackOff\n    Ready:          False\n";

    fn commands(text: &str) -> Vec<String> {
        let report = Analyzer::new().analyze_text("x", text);
        let checks = report.findings.iter().flat_map(|finding| &finding.check);
        let commands = checks.filter_map(|check| check.command.as_ref());
        commands.map(|command| command.run().to_owned()).collect()
    }

    #[test]
    fn the_describe_of_a_described_pod_is_not_proposed() {
        let describe = "kubectl -n mill describe pod rye-0".to_owned();
        let table = "NAMESPACE   NAME    READY   STATUS             RESTARTS   AGE\nmill        rye-0   0/1     ImagePullBackOff   0          3m\n";
        assert!(commands(table).contains(&describe));
        let commands = commands(DESCRIBE);
        assert!(!commands.is_empty() && !commands.contains(&describe));
    }

    #[test]
    fn the_describe_of_another_pod_is_proposed() {
        let text = format!(
            "{DESCRIBE}\n\nNAMESPACE   NAME    READY   STATUS             RESTARTS   AGE\nmill        oat-0   0/1     ImagePullBackOff   0          3m\n"
        );
        let describe = "kubectl -n mill describe pod oat-0".to_owned();
        assert!(commands(&text).contains(&describe));
    }
}
