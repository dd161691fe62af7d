//! `kwhy signatures coverage`: the formats of input in which the examples prove each cause.

use std::collections::BTreeMap;
use std::io::{self, Write};

use kwhy_core::Analyzer;
use kwhy_core::signature::{CauseCoverage, Form};
use kwhy_render::Layout;
use kwhy_render::style::Style;
use serde::Serialize;

use super::write_json;
use crate::catalogue;
use crate::failure::Failure;
use crate::plan::CataloguePlan;
use crate::run::Status;

/// The JSON output.
#[derive(Serialize)]
struct Output {
    schema: &'static str,
    causes: Vec<CauseCoverage>,
}

/// Writes a page of Markdown with a summary and a table for each family of causes, a list on a terminal, or JSON.
pub fn coverage(
    plan: &CataloguePlan,
    json: bool,
    (page, columns): (&Layout, Option<usize>),
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let analyzer = Analyzer::with_catalogue(catalogue::load(plan)?);
    let proof = analyzer.proof();
    let output = Output {
        schema: "kwhy.coverage/1",
        causes: proof.coverage(),
    };
    if json {
        write_json(&output, out)?;
    } else if columns.is_some() {
        list(&output.causes, page, out)?;
    } else {
        layout(&output.causes, analyzer.catalogue().len(), out)?;
    }
    Ok(Status::Ran)
}

const HEAD: &str = "\
# Coverage

Which causes the signatures prove, and in which forms of input: made by `kwhy signatures coverage` from the
examples that the signatures carry. A number says how many examples prove the cause in that form, where the form
is what the parsers made of the lines of proof; a blank says that no example does. Not every cause shows in
every form.

| form | what it is |
| --- | --- |
| describe | the status in a `kubectl describe` |
| events | a row of events: below a describe, or of `kubectl get events` |
| table | a row of another table, such as `kubectl get pods` |
| object | an object or an event as YAML or JSON |
| klog | the kubelet, the control plane, many controllers |
| logrus | container runtimes, some controllers |
| zap, JSON | controllers and operators |
| other log | any other log format, also the kernel's |
| plain | a line without any of these |
";

/// Writes each cause with the formats in which it is proved, and its signatures.
fn list(causes: &[CauseCoverage], page: &Layout, out: &mut dyn Write) -> io::Result<()> {
    for cause in causes {
        writeln!(out, "{}", page.styled(Style::Strong, &cause.cause))?;
        let forms = Form::ALL.into_iter().filter_map(|form| {
            let count = cause.forms.get(&form)?;
            Some(format!("{} {count}", form.name()))
        });
        let forms: Vec<String> = forms.collect();
        let signatures = cause.signatures.join(", ");
        for text in [forms.join(", "), signatures] {
            if !text.is_empty() {
                page.hang(out, Style::Plain, &text, 0, 4)?;
            }
        }
    }
    Ok(())
}

fn layout(causes: &[CauseCoverage], signatures: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{HEAD}")?;
    summary(causes, signatures, out)?;
    let mut families: BTreeMap<&str, Vec<&CauseCoverage>> = BTreeMap::new();
    for cause in causes {
        families.entry(family(cause)).or_default().push(cause);
    }
    for (family, causes) in families {
        writeln!(out, "\n## {family}\n")?;
        let widest = causes.iter().map(|cause| name(cause).len()).max();
        let width = widest.unwrap_or(0).max("cause".len());
        write!(out, "| {:width$} |", "cause")?;
        for form in Form::ALL {
            write!(out, " {} |", form.name())?;
        }
        write!(out, "\n| {} |", "-".repeat(width))?;
        for form in Form::ALL {
            write!(out, " {}: |", "-".repeat(form.name().len() - 1))?;
        }
        writeln!(out)?;
        for cause in &causes {
            write!(out, "| {:width$} |", name(cause))?;
            for form in Form::ALL {
                let count = cause.forms.get(&form).map(ToString::to_string);
                let width = form.name().len();
                write!(out, " {:>width$} |", count.unwrap_or_default())?;
            }
            writeln!(out)?;
        }
        writeln!(out)?;
        for cause in causes.iter().filter(|cause| !cause.signatures.is_empty()) {
            let ids: Vec<String> = cause
                .signatures
                .iter()
                .map(|id| format!("`{id}`"))
                .collect();
            writeln!(out, "- {}: {}", name(cause), ids.join(", "))?;
        }
    }
    Ok(())
}

/// Writes the number of causes and examples in each format, and the gaps.
fn summary(causes: &[CauseCoverage], signatures: usize, out: &mut dyn Write) -> io::Result<()> {
    let proved = causes
        .iter()
        .filter(|cause| !cause.forms.is_empty())
        .count();
    writeln!(
        out,
        "{} causes, {signatures} signatures; {proved} causes are proved by examples.\n",
        causes.len()
    )?;
    writeln!(out, "| form | causes proved | examples |")?;
    writeln!(out, "| --- | ---: | ---: |")?;
    for form in Form::ALL {
        let counts = causes.iter().filter_map(|cause| cause.forms.get(&form));
        let (causes, examples) = counts.fold((0, 0), |(n, sum), count| (n + 1, sum + count));
        writeln!(out, "| {} | {causes} | {examples} |", form.name())?;
    }
    let without = causes.iter().filter(|cause| cause.signatures.is_empty());
    let without: Vec<String> = without.map(|c| format!("`{}`", c.cause)).collect();
    let one = causes.iter().filter(|cause| cause.forms.len() == 1).count();
    writeln!(out, "\n{one} causes are proved in one form only.")?;
    writeln!(
        out,
        "\nCauses without a signature: {}.",
        match without.is_empty() {
            true => "none".to_owned(),
            false => without.join(", "),
        }
    )
}

fn family(cause: &CauseCoverage) -> &str {
    cause.cause.split('/').next().unwrap_or(&cause.cause)
}

/// Returns the cause without its family.
fn name(cause: &CauseCoverage) -> &str {
    cause
        .cause
        .split_once('/')
        .map_or(&cause.cause, |(_, name)| name)
}
