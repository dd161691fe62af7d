//! Single lines that state why a container waits or has terminated, as a member of its state in YAML or JSON.

use crate::describe::is_reason_of_container;

/// Returns true if a YAML or JSON member is a reason that only a container's state has. `bare` is the line without
/// surrounding spaces.
pub(super) fn is_container_reason(bare: &str) -> bool {
    let value = match bare.strip_prefix("reason:") {
        Some(value) => value.trim().trim_matches(['"', '\'']),
        None => {
            let value = bare.strip_prefix("\"reason\"").map(str::trim_start);
            let value = value.and_then(|value| value.strip_prefix(':'));
            value.unwrap_or("").trim().trim_matches(['"', ','])
        }
    };
    is_reason_of_container(value)
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;
    use crate::input::{lines, segments};
    use kwhy_model::{Format, Value};

    #[test]
    fn a_reason_alone_is_the_state_of_a_container() {
        for (line, format, path) in [
            ("reason: OOMKilled", Format::ObjectYaml, "state.terminated"),
            (
                "      reason: \"StartError\"",
                Format::ObjectYaml,
                "state.terminated",
            ),
            (
                "    reason: ErrImagePull",
                Format::ObjectYaml,
                "state.waiting",
            ),
            (
                "  \"reason\": \"OOMKilled\",",
                Format::ObjectJson,
                "state.terminated",
            ),
            (
                "\"reason\":\"CrashLoopBackOff\"",
                Format::ObjectJson,
                "state.waiting",
            ),
        ] {
            let text = format!("It says:\n\n{line}\n\nWhat is it?\n");
            let segments = segments(&text);
            assert_eq!(segments[1].format, format, "{line}");
            assert_eq!(segments.len(), 3, "{line}");
            let read = parsed(line);
            let [pod] = read.objects.as_slice() else {
                panic!("{line}: {read:?}");
            };
            assert_eq!(pod.subject.kind.as_deref(), Some("Pod"));
            let state = pod.fields.items("containers")[0].get("state").unwrap();
            let reason = state.get("reason").and_then(Value::to_text).unwrap();
            assert!(line.contains(&*reason));
            let status = state.get("type").and_then(Value::to_text).unwrap();
            assert!(path.ends_with(&*status), "{line}: {status}");
        }
    }

    #[test]
    fn other_reasons_say_too_little() {
        for line in [
            "reason: Error",
            "reason: Completed",
            "\"reason\": \"Unhealthy\",",
            "reason: the OOMKilled container",
            "\"exitCode\": 137,",
        ] {
            assert!(!super::super::may_begin(line), "{line}");
            let all: Vec<_> = lines(line).collect();
            assert_eq!(super::super::parse(&all).objects, [], "{line}");
        }
    }

    #[test]
    fn an_object_keeps_its_reason() {
        let text =
            "kind: Pod\nmetadata:\n  name: web-0\nstatus:\n  phase: Failed\n  reason: OOMKilled\n";
        let pod = &parsed(text).objects[0];
        assert_eq!(pod.subject.name.as_deref(), Some("web-0"));
        assert!(pod.fields.items("containers").is_empty());
    }
}
