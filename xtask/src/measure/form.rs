//! The lines and documents in which components print messages.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Entry, Random, Values};

/// A message in one form.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of the form. The first case of a message is its usual form.
    pub form: String,
    /// The text to analyse.
    pub text: String,
}

/// The forms, by kind of message.
#[derive(Clone, Debug, Deserialize)]
pub struct Forms {
    objects: BTreeMap<String, Object>,
    components: BTreeMap<String, String>,
    conditions: BTreeMap<String, String>,
    forms: BTreeMap<String, Vec<Form>>,
}

#[derive(Clone, Debug, Deserialize)]
struct Object {
    kind: String,
    name: String,
    #[serde(default)]
    cluster: bool,
}

#[derive(Clone, Debug, Deserialize)]
struct Form {
    name: String,
    text: String,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    only: Vec<String>,
}

impl Forms {
    /// Parses the list of forms.
    ///
    /// # Errors
    /// Fails if the YAML is invalid.
    pub fn parse(yaml: &str) -> Result<Forms, serde_yaml::Error> {
        serde_yaml::from_str(yaml)
    }

    /// Returns a message format of an entry, filled in, in all its forms.
    pub fn cases(&self, entry: &Entry, format: &str, values: &Values, seed: u64) -> Vec<Case> {
        let mut random = Random(seed);
        let runtime = entry.system.is_some();
        let message = values.fill(format, runtime, &mut random);
        let reason = entry.reason.as_deref().unwrap_or_default();
        let reason = values.fill(reason, false, &mut random);
        let object = entry.applies_to.first().map_or("pod", String::as_str);
        let forms = self.key(entry, format);
        let forms = forms.iter().filter(|form| {
            let left_out = |text: &String| message.contains(text) || format.contains(text);
            !form.unless.iter().any(left_out)
                && (form.only.is_empty() || form.only.iter().any(|kind| kind == object))
        });
        let facts = self.facts(entry, object, &message, &reason);
        let case = |form: &Form| Case {
            form: form.name.clone(),
            text: replace(&form.text, &facts),
        };
        forms.map(case).collect()
    }

    fn key(&self, entry: &Entry, format: &str) -> &[Form] {
        let get = |key: &str| self.forms.get(key).map(Vec::as_slice);
        let component = entry.component.as_deref().unwrap_or("any");
        if let Some(system) = &entry.system {
            let sandbox = ["sandbox", "network for pod"]
                .iter()
                .any(|t| format.contains(t));
            return if system == "container-exit" && format.contains("Exit Code") {
                get("kubernetes/status/exit")
            } else if sandbox && get(&format!("runtime/{system}")) == get("runtime/containerd") {
                get("runtime/containerd/sandbox")
            } else {
                get(&format!("runtime/{system}"))
            }
            .or_else(|| get("runtime/plain"))
            .unwrap_or_default();
        }
        let kind = entry.kind.as_deref().unwrap_or("log");
        let special = match kind {
            "status" if format.starts_with("Exit Code") => "exit",
            "status" if component == "scheduler" => "scheduler",
            "status" if entry.applies_to.iter().any(|kind| kind == "node") => "taint",
            "api-error" if entry.reason.is_none() => "bare",
            _ => component,
        };
        get(&format!("kubernetes/{kind}/{special}"))
            .or_else(|| get(&format!("kubernetes/{kind}")))
            .unwrap_or_default()
    }

    fn facts(
        &self,
        entry: &Entry,
        object: &str,
        message: &str,
        reason: &str,
    ) -> BTreeMap<&'static str, String> {
        let object = self.objects.get(object).or_else(|| self.objects.get("pod"));
        let (kind, name, cluster) = object.map_or(("Pod", "web", false), |object| {
            (object.kind.as_str(), object.name.as_str(), object.cluster)
        });
        let component = entry.component.as_deref().unwrap_or("any");
        let component = self
            .components
            .get(component)
            .map_or(component, String::as_str);
        let (condition, status) = self
            .conditions
            .get(reason)
            .and_then(|text| text.split_once('='))
            .unwrap_or(("Ready", "False"));
        let api = match kind {
            "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" => "apps/v1",
            "Job" | "CronJob" => "batch/v1",
            "HorizontalPodAutoscaler" => "autoscaling/v2",
            "PodDisruptionBudget" => "policy/v1",
            "APIService" => "apiregistration.k8s.io/v1",
            "CustomResourceDefinition" => "apiextensions.k8s.io/v1",
            _ => "v1",
        };
        let namespace = if cluster { "" } else { "Namespace:    shop\n" };
        // `Reason: Error, Exit Code: 1` abbreviates a terminated state
        let (exit_reason, exit) = message
            .strip_prefix("Reason: ")
            .and_then(|rest| rest.split_once(", "))
            .unwrap_or(("Error", message));
        let (taint_key, taint_effect) = message.split_once(':').unwrap_or((message, ""));
        let exit_code = match reason {
            "Completed" => "0",
            "OOMKilled" | "ContainerStatusUnknown" => "137",
            "ContainerCannotRun" | "StartError" => "128",
            _ => "1",
        };
        let in_error = match message {
            "" => format!("Error: {reason}"),
            message => format!("Error: {message}"),
        };
        let exiting = message.contains("Exit Code: ");
        BTreeMap::from([
            ("message", if exiting { exit } else { message }.to_owned()),
            ("message|quoted", quoted(message)),
            (
                "message|line",
                message.lines().collect::<Vec<_>>().join("\n    "),
            ),
            ("message|or-error", in_error),
            ("reason", reason.to_owned()),
            ("component", component.to_owned()),
            (
                "type",
                entry
                    .severity
                    .clone()
                    .unwrap_or_else(|| "Warning".to_owned()),
            ),
            ("kind", kind.to_owned()),
            ("kind|lower", kind.to_ascii_lowercase()),
            ("name", name.to_owned()),
            ("namespace-line", namespace.to_owned()),
            ("condition", condition.to_owned()),
            ("condition-status", status.to_owned()),
            ("api", api.to_owned()),
            ("exit-reason", exit_reason.to_owned()),
            ("exit-code", exit_code.to_owned()),
            ("taint-key", taint_key.to_owned()),
            ("taint-effect", taint_effect.to_owned()),
        ])
    }
}

impl PartialEq for Form {
    fn eq(&self, other: &Form) -> bool {
        self.text == other.text
    }
}

/// Returns the text escaped for a JSON string, without the quotes.
fn quoted(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn replace(form: &str, facts: &BTreeMap<&'static str, String>) -> String {
    let mut text = String::with_capacity(form.len() + 256);
    let mut rest = form;
    while let Some((before, after)) = rest.split_once("<<") {
        text.push_str(before);
        let Some((name, after)) = after.split_once(">>") else {
            rest = after;
            break;
        };
        text.push_str(facts.get(name).map_or("", String::as_str));
        rest = after;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;

    #[test]
    fn an_event_occurs_in_all_its_forms() {
        let forms = Forms::parse(super::super::FORMS).expect("the list");
        let values = Values::parse(super::super::VALUES).expect("the list");
        let entry = Entry {
            id: None,
            reason: Some("FailedBinding".to_owned()),
            kind: Some("event".to_owned()),
            component: Some("scheduler".to_owned()),
            severity: Some("Warning".to_owned()),
            system: None,
            applies_to: vec!["pvc".to_owned()],
            formats: Vec::new(),
            causes: Vec::new(),
            role: Role::Cause,
        };
        let cases = forms.cases(&entry, r#"no "{class}""#, &values, 1);
        let names: Vec<_> = cases.iter().map(|case| case.form.as_str()).collect();
        assert_eq!(names, ["describe", "line", "table", "json"]);
        assert!(
            cases[0].text.contains("Name:         data-web-0"),
            "{}",
            cases[0].text
        );
        assert!(cases[3].text.contains(r#"no \""#), "{}", cases[3].text);
        assert!(cases.iter().all(|case| !case.text.contains("<<")));
    }
}
