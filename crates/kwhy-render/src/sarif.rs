//! SARIF 2.1.0, so that viewers of static analysis results show findings.

use std::collections::BTreeMap;
use std::io::{self, Write};

use kwhy_core::report::Evidence;
use kwhy_core::{Finding, Level, Role, Subject};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Render, View, json};
use crate::escape::visible;
use crate::words;

/// The maximum number of further places of a result.
const RELATED: usize = 20;

/// Writes a report as SARIF.
pub struct Sarif;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'r> {
    id: &'r str,
    short_description: Text,
    full_description: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<&'r str>,
    default_configuration: Value,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

impl Render for Sarif {
    fn render(&self, view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
        let report = view.report;
        let mut rules: Vec<Rule<'_>> = Vec::new();
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        let mut results = Vec::with_capacity(report.findings.len());
        for finding in &report.findings {
            let id = finding.cause.as_str();
            let index = *known.entry(id).or_insert_with(|| {
                rules.push(rule(finding));
                rules.len() - 1
            });
            results.push(result(finding, index));
        }
        let notifications: Vec<Value> = report
            .limits
            .iter()
            .map(|limit| {
                json!({
                    "level": "note",
                    "descriptor": {"id": limit.limit.name()},
                    "message": {"text": message(&limit.message)},
                    "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(&limit.source)}}}],
                })
            })
            .collect();
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "kwhy",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "informationUri": env!("CARGO_PKG_REPOSITORY"),
                    "rules": rules,
                }},
                "columnKind": "unicodeCodePoints",
                "invocations": [{
                    "executionSuccessful": true,
                    "toolExecutionNotifications": notifications,
                }],
                "results": results,
                "properties": {"verdict": report.verdict, "leftOut": view.left_out},
            }],
        });
        json::line(&log, out)
    }
}

/// Returns the rule of a cause, described by the first finding of that cause.
fn rule(finding: &Finding) -> Rule<'_> {
    let (family, name) = (finding.cause.family(), finding.cause.name());
    let title = format!("{}: {}", name.replace('-', " "), family);
    let why = if finding.why.is_empty() {
        &title
    } else {
        &finding.why
    };
    Rule {
        id: finding.cause.as_str(),
        full_description: Text { text: message(why) },
        short_description: Text {
            text: message(&title),
        },
        help_uri: finding
            .references
            .iter()
            .map(String::as_str)
            .find(|reference| is_uri(reference)),
        default_configuration: json!({"level": level(finding)}),
    }
}

fn result(finding: &Finding, rule: usize) -> Value {
    let mut text = finding.title.clone();
    for fix in finding.fix.iter().take(1) {
        text = format!("{text}. Fix: {}", fix.text);
    }
    let locations = finding.evidence.iter().take(1);
    let locations: Vec<Value> = locations.map(|line| location(line, finding)).collect();
    let related = finding.evidence.iter().skip(1).take(RELATED);
    let related: Vec<Value> = related.map(|line| location(line, finding)).collect();
    // identifies a finding across runs: no count, line or wording is a part of it
    let place = format!(
        "{}|{}|{}",
        finding.cause, finding.signature, finding.subject
    );
    json!({
        "ruleId": finding.cause,
        "ruleIndex": rule,
        "level": level(finding),
        "kind": if finding.role == Role::Benign { "informational" } else { "fail" },
        "rank": (finding.confidence * 1000.0).round() / 10.0,
        "occurrenceCount": finding.count.max(1),
        "message": {"text": message(&text)},
        "locations": locations,
        "relatedLocations": related,
        "partialFingerprints": {"causeAndSubject/v1": visible(&place)},
        "properties": {
            "rank": finding.rank,
            "role": finding.role,
            "state": finding.state,
            "signature": finding.signature,
            "explainedBy": finding.explained_by,
            "seen": words::seen(finding),
            "check": commands(finding.check.iter().filter_map(|it| it.command.as_ref())),
            "fix": commands(finding.fix.iter().filter_map(|it| it.command.as_ref())),
        },
    })
}

fn commands<'c>(
    commands: impl Iterator<Item = &'c kwhy_core::report::CommandLine>,
) -> Vec<&'c str> {
    commands.map(|command| command.run()).collect()
}

/// Returns the level of a result; `none` is required for a kind other than `fail`.
fn level(finding: &Finding) -> &'static str {
    match (finding.role, finding.severity) {
        (Role::Benign, _) => "none",
        (_, Level::Error) => "error",
        (_, Level::Warning) => "warning",
        (_, Level::Info) => "note",
    }
}

fn location(line: &Evidence, finding: &Finding) -> Value {
    let mut region = json!({
        "startLine": line.line.max(1),
        "startColumn": line.column.max(1),
        "snippet": {"text": visible(&line.text)},
    });
    let marked = line.text.get(line.mark.clone()).unwrap_or("");
    if !marked.is_empty() {
        let end = line.column.max(1) + marked.chars().count() as u64;
        region["endColumn"] = json!(end);
    }
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": {"uri": uri(&line.source)},
            "region": region,
        },
    });
    if let Some(label) = &line.label {
        location["message"] = json!({"text": message(label)});
    }
    if finding.subject != Subject::default() {
        location["logicalLocations"] = json!([{
            "name": visible(finding.subject.name.as_deref().unwrap_or("")),
            "fullyQualifiedName": visible(&finding.subject.to_string()),
            "kind": "resource",
        }]);
    }
    location
}

/// Escapes a message, so that nothing in it is a link or a placeholder.
fn message(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '\\' | '[' | ']' => out.extend(['\\', c]),
            '{' | '}' => out.extend([c, c]),
            _ => out.push(c),
        }
    }
    out
}

/// Returns a path as a URI reference: relative paths stay relative, and a colon never makes a scheme.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 8);
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for byte in path.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
        if is_plain {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    if out.is_empty() {
        out.push_str("input");
    }
    out
}

/// Returns true for an HTTP address without characters that need escaping.
fn is_uri(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or(text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        !rest.is_empty()
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}[]".contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::is_hostile;
    use crate::samples;

    fn log(report: &kwhy_core::Report) -> Value {
        let view = View {
            report,
            left_out: 0,
        };
        let mut out = Vec::new();
        Sarif.render(&view, &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(!out.chars().any(|c| c != '\n' && is_hostile(c)));
        serde_json::from_str(&out).unwrap()
    }

    #[test]
    fn results_and_rules() {
        let log = log(&samples::with_symptoms());
        let run = &log["runs"][0];
        assert_eq!(run["results"].as_array().unwrap().len(), 5);
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 4);
        let first = &run["results"][0];
        assert_eq!(first["level"], "error");
        let region = &first["locations"][0]["physicalLocation"]["region"];
        assert_eq!(region["startLine"], 25);
        let snippet = region["snippet"]["text"].as_str().unwrap();
        let at = |key: &str| usize::try_from(region[key].as_u64().unwrap()).unwrap() - 1;
        assert_eq!(
            &snippet[at("startColumn")..at("endColumn")],
            "configmap \"cart-settings\" not found"
        );
        assert_eq!(run["results"][4]["kind"], "informational");
        assert_eq!(run["results"][4]["level"], "none");
    }

    #[test]
    fn text_is_no_link_and_no_argument() {
        assert_eq!(message("a [b](c) {0} \\"), "a \\[b\\](c) {{0}} \\\\");
        log(&samples::hostile());
    }

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("a b/c:d%.log"), "a%20b/c%3Ad%25.log");
        assert_eq!(uri("/var/x.tgz!é"), "file:///var/x.tgz!%C3%A9");
        assert_eq!(uri("javascript:alert(1)"), "javascript%3Aalert(1)");
        assert_eq!(uri(""), "input");
        assert!(
            is_uri("https://kubernetes.io/docs/")
                && !is_uri("javascript:x")
                && !is_uri("https://a b")
        );
    }
}
