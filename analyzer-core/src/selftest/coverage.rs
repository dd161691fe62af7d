//! Reports the input formats in which the examples prove each cause.

use std::collections::BTreeMap;

use super::Proof;
use super::run::ExampleRun;
use crate::parallel;
use kwhy_model::{Format, Span};
use kwhy_parse::input::{Document, lines};

/// An input format, as coarsely as coverage distinguishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Form {
    /// The status in a `kubectl describe`.
    Describe,
    /// A row of events: in a `kubectl describe` or from `kubectl get events`.
    Events,
    /// A row of another table.
    Table,
    /// An object or event as YAML or JSON.
    Object,
    /// klog: the kubelet, the control plane, many controllers.
    Klog,
    /// logrus: container runtimes, some controllers.
    Logrus,
    /// zap and JSON: controllers and operators.
    ZapJson,
    /// Any other log format, including the kernel's.
    OtherLog,
    /// A line in none of these formats.
    Plain,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 9] = [
        Form::Describe,
        Form::Events,
        Form::Table,
        Form::Object,
        Form::Klog,
        Form::Logrus,
        Form::ZapJson,
        Form::OtherLog,
        Form::Plain,
    ];

    /// The display name.
    pub fn name(self) -> &'static str {
        match self {
            Form::Describe => "describe",
            Form::Events => "events",
            Form::Table => "table",
            Form::Object => "object",
            Form::Klog => "klog",
            Form::Logrus => "logrus",
            Form::ZapJson => "zap, JSON",
            Form::OtherLog => "other log",
            Form::Plain => "plain",
        }
    }

    fn of(format: Format) -> Form {
        match format {
            Format::Describe | Format::UnitStatus => Form::Describe,
            Format::DescribeEvents | Format::EventsTable => Form::Events,
            Format::Table => Form::Table,
            Format::ObjectYaml | Format::ObjectJson => Form::Object,
            Format::Klog => Form::Klog,
            Format::Logrus => Form::Logrus,
            Format::ZapConsole | Format::JsonLog => Form::ZapJson,
            Format::Plain | Format::Prose | Format::Command => Form::Plain,
            _ => Form::OtherLog,
        }
    }
}

/// The coverage of a cause by examples.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct CauseCoverage {
    /// The cause.
    pub cause: String,
    /// The ids of the signatures for it, sorted.
    pub signatures: Vec<String>,
    /// The number of examples that prove it in each form; a missing form is a gap.
    pub forms: BTreeMap<Form, usize>,
}

impl Proof<'_> {
    /// Returns the coverage of each cause that a signature may name, sorted by cause.
    ///
    /// A passing example counts once for each form of the records that prove it.
    pub fn coverage(&self) -> Vec<CauseCoverage> {
        let catalogue = self.analyzer.catalogue();
        let causes = catalogue.causes().map(|(cause, _)| {
            let signatures = catalogue.signatures().filter(|s| s.cause == cause);
            let mut signatures: Vec<String> = signatures.map(|s| s.id.clone()).collect();
            signatures.sort_unstable();
            let coverage = CauseCoverage {
                cause: cause.to_owned(),
                signatures,
                forms: BTreeMap::new(),
            };
            (cause, coverage)
        });
        let mut causes: BTreeMap<&str, CauseCoverage> = causes.collect();
        let proofs = self.runs.iter();
        let proofs = proofs.filter(|run| run.wanted && run.failure.is_none());
        let forms = parallel::map(proofs.collect(), |run: &ExampleRun<'_>| {
            (run.signature.cause.as_str(), forms(run))
        });
        for (cause, forms) in forms {
            let Some(coverage) = causes.get_mut(cause) else {
                continue;
            };
            for form in forms {
                *coverage.forms.entry(form).or_default() += 1;
            }
        }
        causes.into_values().collect()
    }
}

/// The forms of the records that prove an example's own finding, deduplicated.
fn forms(run: &ExampleRun<'_>) -> Vec<Form> {
    let document = Document::new("example", run.example.text.as_str());
    let starts: Vec<usize> = lines(document.text()).map(|line| line.start).collect();
    let line_of = |at: usize| starts.partition_point(|start| *start <= at) as u64;
    let parsed = kwhy_parse::document(&document);
    let events = parsed
        .events
        .iter()
        .map(|event| (event.format, &event.span));
    let objects = parsed
        .objects
        .iter()
        .map(|object| (object.format, &object.span));
    let records: Vec<(Format, &Span)> = events.chain(objects).collect();
    // a described object spans its events, so the smallest record counts
    let form_at = |line: &u64| {
        let holds = |span: &Span| {
            (line_of(span.start)..=line_of(span.end.max(span.start + 1) - 1)).contains(line)
        };
        let around = records.iter().filter(|(_, span)| holds(span));
        let (format, _) = around.min_by_key(|(_, span)| span.len())?;
        Some(Form::of(*format))
    };
    let mut forms: Vec<Form> = run.proved_at.iter().filter_map(form_at).collect();
    forms.sort_unstable();
    forms.dedup();
    forms
}
