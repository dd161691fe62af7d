//! Checks and fixes: the steps of a signature whose values are known.

use super::graph::static_workload;
use super::group::Group;
use super::render::Values;
use crate::matcher::Hit;
use crate::report::{Check, Fix};
use kwhy_model::Format;
use kwhy_signature::{CheckTemplate, FixTemplate, Signature, StepTemplate};

/// The value of `written_by` for everything the API server returns.
const KUBERNETES: &str = "kubernetes";

/// Renders the checks whose values are known.
pub(super) fn checks(templates: &[CheckTemplate], values: &Values<'_>) -> Vec<Check> {
    let checks = templates.iter().filter_map(|check| check_of(check, values));
    checks.collect()
}

/// Renders a check if its command or text can be filled in.
pub(super) fn check_of(template: &CheckTemplate, values: &Values<'_>) -> Option<Check> {
    let (text, command) = match &template.step {
        StepTemplate::Run(run) => (None, Some(values.command(run)?)),
        StepTemplate::Look(look) => (Some(values.text(look)?), None),
    };
    let why = template.meaning(|name| values.value(name));
    Some(Check { text, command, why })
}

/// Renders the fixes whose values are known. A destructive fix is shown only after another one, and
/// only if the writer it names wrote the evidence.
pub(super) fn fixes(signature: &Signature, group: &Group, values: &Values<'_>) -> Vec<Fix> {
    let mut shown: Vec<Fix> = Vec::new();
    for template in &signature.fix {
        let fix = match template.destructive {
            true if shown.is_empty() || !is_proved(template, group) => None,
            true => destructive(template, values),
            false => harmless(template, values),
        };
        shown.extend(fix);
    }
    shown
}

fn harmless(template: &FixTemplate, values: &Values<'_>) -> Option<Fix> {
    let run = template.run.as_ref();
    Some(Fix {
        text: values.text(&template.text)?,
        command: run.and_then(|run| values.command(run)),
        destructive: false,
        precondition: template
            .precondition
            .as_ref()
            .map(|it| values.sentences(it)),
    })
}

/// Renders a destructive fix if both its command and its precondition can be filled in.
fn destructive(template: &FixTemplate, values: &Values<'_>) -> Option<Fix> {
    let command = match &template.run {
        Some(run) => Some(values.command(run)?),
        None => None,
    };
    let precondition = match &template.precondition {
        Some(precondition) => Some(values.text(precondition)?),
        None => None,
    };
    Some(Fix {
        text: values
            .text(&template.text)
            .filter(|_| values.are_proper(&template.text))?,
        command,
        destructive: true,
        precondition,
    })
}

/// Returns true if the record that proves a finding was written by one of the writers that the fix
/// names. Structured output counts as written by the API server.
fn is_proved(template: &FixTemplate, group: &Group) -> bool {
    let hit = group.best.primary();
    let named = |writer: &str| template.written_by.iter().any(|it| it == writer);
    hit.format.is_structured() && named(KUBERNETES) || writers(hit).any(named)
}

/// The possible writers of a record: its component, its envelope's source, a static pod's workload.
pub(super) fn writers(hit: &Hit) -> impl Iterator<Item = &str> {
    let kernel = (hit.format == Format::Kernel).then_some("kernel");
    let enveloped = hit.writers.iter().map(|writer| {
        let unit = writer.strip_suffix(".service").unwrap_or(writer);
        static_workload(unit).unwrap_or(unit)
    });
    let component = hit.component.as_deref();
    kernel.into_iter().chain(component).chain(enveloped)
}
