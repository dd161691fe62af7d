//! One finding a line, then a line that sums them up.

use std::io::{self, Write};

use kwhy_core::report::{LimitMet, Stats, Verdict};
use kwhy_core::{Finding, Report};
use serde::Serialize;

use super::{Render, View, json};

/// The schema of a line.
pub const SCHEMA: &str = "kwhy.finding/1";

/// Writes a report as NDJSON.
#[derive(Debug, Default)]
pub struct Ndjson<'s> {
    /// The name of the input, if the reports of several follow one another.
    pub source: Option<&'s str>,
}

/// A finding as a line.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "FindingLine"))]
struct Line<'r> {
    /// The schema of the line.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    schema: &'static str,
    /// The input that it is about, where lines of several follow each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'r str>,
    #[serde(flatten)]
    finding: &'r Finding,
}

/// The last line.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "SummaryLine"))]
struct Last<'r> {
    /// The schema of the line.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    schema: &'static str,
    /// The input that it is about, where lines of several follow each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'r str>,
    summary: Summary<'r>,
}

/// What the findings do not say.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Summary<'r> {
    /// The answer to "is something wrong?".
    verdict: Verdict,
    /// The number of findings, each a line before this one.
    findings: usize,
    /// The number of findings that were omitted because nobody asked for them.
    left_out: usize,
    /// The number of groups of events that no finding covers.
    unexplained: usize,
    /// The number of documents that were read.
    inputs: usize,
    /// The number of lines that no parser understands.
    not_understood: u64,
    /// Limits and damage that were encountered.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<LimitMet>"))]
    limits: &'r [LimitMet],
    /// Sizes and counts.
    stats: Stats,
}

/// A line, as a schema describes it.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum AnyLine<'r> {
    /// One finding.
    Finding(Line<'r>),
    /// The last line.
    Summary(Last<'r>),
}

/// Returns the JSON Schema of a line.
#[cfg(feature = "schema")]
pub fn schema(generator: schemars::SchemaGenerator) -> schemars::Schema {
    generator.into_root_schema_for::<AnyLine<'static>>()
}

impl Render for Ndjson<'_> {
    fn render(&self, view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
        let report: &Report = view.report;
        for finding in &report.findings {
            let line = Line {
                schema: SCHEMA,
                source: self.source,
                finding,
            };
            json::line(&line, out)?;
        }
        let not_understood = report.inputs.iter().map(|input| input.not_understood);
        let summary = Summary {
            verdict: report.verdict,
            findings: report.findings.len(),
            left_out: view.left_out,
            unexplained: report.unexplained.len(),
            inputs: report.inputs.len(),
            not_understood: not_understood.sum(),
            limits: &report.limits,
            stats: report.stats,
        };
        let last = Last {
            schema: SCHEMA,
            source: self.source,
            summary,
        };
        json::line(&last, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::is_hostile;
    use crate::samples;

    #[test]
    fn one_finding_a_line() {
        for report in [samples::with_symptoms(), samples::hostile()] {
            let view = View {
                report: &report,
                left_out: 2,
            };
            let mut out = Vec::new();
            Ndjson::default().render(&view, &mut out).unwrap();
            let out = String::from_utf8(out).unwrap();
            assert!(!out.chars().any(|c| c != '\n' && is_hostile(c)));
            let lines: Vec<serde_json::Value> = out
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            let (last, lines) = lines.split_last().unwrap();
            assert_eq!(last["summary"]["findings"], report.findings.len());
            assert_eq!(last["summary"]["left_out"], 2);
            for (line, finding) in lines.iter().zip(&report.findings) {
                assert_eq!(line["schema"], SCHEMA);
                let finding = serde_json::to_value(finding).unwrap();
                let expected = finding.as_object().unwrap();
                assert!(expected.iter().all(|(key, value)| line[key] == *value));
            }
            assert_eq!(lines.len(), report.findings.len());
        }
    }
}
