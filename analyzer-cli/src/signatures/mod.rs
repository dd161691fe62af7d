//! The commands about signatures and causes: list, show, fmt, lint, test, convert, overlaps, coverage,
//! explain.

mod convert;
mod coverage;
mod format;
mod lint;
mod new;
mod overlaps;
mod test;

use kwhy_render::Layout;
use std::io::Write;

use kwhy_core::Catalogue;
use kwhy_core::signature::{CheckTemplate, FixTemplate, Signature};
use unicode_width::UnicodeWidthStr;

use crate::catalogue;
use crate::failure::Failure;
use crate::plan::{CataloguePlan, Task, Which};
use crate::run::Status;
use kwhy_render::escape::visible;
use kwhy_render::style::{Style, level_name};
use kwhy_render::{Step, only_if};

pub use new::{NewPlan, new};

/// Runs one of the tasks about signatures.
pub fn run(
    task: &Task,
    plan: &CataloguePlan,
    (layout, columns): (&Layout, Option<usize>),
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let status = match task {
        Task::ListSignatures => list(&catalogue::load(plan)?, (layout, columns), out)?,
        Task::ShowSignature(id) => show(&catalogue::load(plan)?, id, out)?,
        Task::FormatSignatures { paths, check } => format::format(paths, *check, out)?,
        Task::ConvertSignatures(paths) => convert::convert(paths, plan, out)?,
        Task::LintSignatures(how) => lint::lint(plan, how, (layout, columns), out)?,
        Task::TestSignatures { watch: true, .. } => test::watch(plan, (layout, columns), out)?,
        Task::TestSignatures { which, json, .. } => {
            test::test(plan, *which, *json, (layout, columns), out)?
        }
        Task::Coverage { json } => coverage::coverage(plan, *json, (layout, columns), out)?,
        Task::Overlaps { which, json } => {
            overlaps::overlaps(plan, *which, *json, (layout, columns), out)?
        }
        Task::Explain(id) => explain(&catalogue::load(plan)?, id, layout, out)?,
        Task::Diagnose(_)
        | Task::Convert(_)
        | Task::ListMembers(_)
        | Task::Scan { .. }
        | Task::Redact(_)
        | Task::Completions(_)
        | Task::ManualPage(_)
        | Task::ManualPages(_)
        | Task::Demo { .. }
        | Task::NewSignature(_)
        | Task::Schema(_)
        | Task::Hint => Status::Ran,
    };
    out.flush()?;
    Ok(status)
}

/// Writes one line for each signature: id, cause, level. If a terminal is too narrow, the cause is on a line of its
/// own.
fn list(
    catalogue: &Catalogue,
    (layout, columns): (&Layout, Option<usize>),
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let signatures: Vec<_> = catalogue.signatures().collect();
    let widest = |text: fn(&Signature) -> &str| {
        let widths = signatures.iter().map(|s| visible(text(s)).width());
        widths.max().unwrap_or(0)
    };
    let (ids, causes) = (widest(|s| &s.id), widest(|s| &s.cause));
    let is_narrow = columns.is_some_and(|columns| ids + causes + 4 + "warning".len() > columns);
    for signature in signatures {
        let (id, cause) = (visible(&signature.id), visible(&signature.cause));
        let level = level_name(signature.severity);
        let id_width = id.width();
        write!(out, "{}", layout.styled(Style::Strong, id))?;
        if is_narrow {
            writeln!(out, "  {level}\n    {cause}")?;
            continue;
        }
        let after_id = ids + 2 - id_width;
        let after_cause = causes + 2 - cause.width();
        writeln!(out, "{:after_id$}{cause}{:after_cause$}{level}", "", "")?;
    }
    Ok(Status::Ran)
}

/// Writes the file of a signature unchanged.
fn show(catalogue: &Catalogue, id: &str, out: &mut dyn Write) -> Result<Status, Failure> {
    let signature = by_id(catalogue, id).ok_or_else(|| unknown(catalogue, "signature", id))?;
    for line in signature.source.lines() {
        writeln!(out, "{}", visible(line))?;
    }
    Ok(Status::Ran)
}

/// Returns the signature with this id. The id of a community rule is also accepted as the rule spells it.
fn by_id<'c>(catalogue: &'c Catalogue, id: &str) -> Option<&'c Signature> {
    let of_rule = || {
        let signature = catalogue.get(&id.to_ascii_lowercase())?;
        signature.community.is_some().then_some(signature)
    };
    catalogue.get(id).or_else(of_rule)
}

fn is_meant(catalogue: &Catalogue, which: Which, signature: &Signature) -> bool {
    match which {
        Which::All => true,
        Which::Added => catalogue.is_added(&signature.id),
    }
}

/// Returns the number of signatures that a task is about.
fn how_many(catalogue: &Catalogue, which: Which) -> usize {
    let signatures = catalogue.signatures();
    signatures
        .filter(|signature| is_meant(catalogue, which, signature))
        .count()
}

/// Writes a message that starts with a place in a file: on one line, so that editors and `grep` find the place, or
/// wrapped on a terminal.
fn place(
    (layout, columns): (&Layout, Option<usize>),
    style: Style,
    text: &str,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    match columns {
        Some(_) => layout.hang(out, style, text, 4, 4),
        None => writeln!(out, "{}", layout.styled(style, text)),
    }
}

/// Writes a value as indented JSON.
fn write_json(value: &impl serde::Serialize, out: &mut dyn Write) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// Writes what a cause means with the signatures that prove it, or what a signature says, or both.
fn explain(
    catalogue: &Catalogue,
    id: &str,
    layout: &Layout,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let description = catalogue.cause(id);
    let signature = by_id(catalogue, id);
    if description.is_none() && signature.is_none() {
        return Err(unknown(catalogue, "cause or signature", id));
    }
    if let Some(description) = description {
        writeln!(out, "{}", layout.styled(Style::Strong, id))?;
        layout.hang(out, Style::Plain, description, 0, 7)?;
        let mut proofs = catalogue.signatures().filter(|s| s.cause == id);
        let mut label = "proof";
        for proof in &mut proofs {
            let text = format!("{}: {}", proof.id, proof.title);
            layout.row(out, std::mem::take(&mut label), &text)?;
        }
        if !label.is_empty() {
            layout.row(out, label, "no signature names it yet")?;
        }
    }
    if let Some(signature) = signature {
        if description.is_some() {
            writeln!(out)?;
        }
        write!(
            out,
            "{}  ",
            layout.styled(
                Style::Level(signature.severity),
                level_name(signature.severity)
            )
        )?;
        let title = signature.title.to_string();
        let taken = level_name(signature.severity).len() + 2;
        layout.hang(out, Style::Strong, &visible(&title), taken, 7)?;
        let ids = format!("{} ({})", signature.cause, signature.id);
        layout.hang(out, Style::Faint, &visible(&ids), 0, 7)?;
        layout.row(out, "why", signature.why.as_str())?;
        layout.steps("check", signature.check.iter().map(check), out)?;
        layout.steps("fix", signature.fix.iter().map(fix), out)?;
        if let Some(rule) = &signature.community {
            if let Some(impact) = rule.impact_text() {
                layout.row(out, "impact", &impact)?;
            }
            layout.row(out, "rule", &rule.heading())?;
        }
        if let Some(versions) = &signature.versions {
            layout.row(out, "versions", versions)?;
        }
        layout.references(&signature.references, out)?;
    }
    Ok(Status::Ran)
}

/// Returns a check with its slots as they are written.
fn check(check: &CheckTemplate) -> Step<'_> {
    let look = check.look().map(|look| look.as_str().into());
    let meaning = check.meaning(|slot| Some(format!("{{{slot}}}")));
    let command = check.run().map(|run| run.as_str().into());
    Step::new(look.into_iter().chain([meaning.into()]), command)
}

/// Returns a repair with its slots as they are written.
fn fix(fix: &FixTemplate) -> Step<'_> {
    let precondition = fix.precondition.as_ref();
    let precondition = precondition.map(|it| only_if(it.as_str()));
    let texts = [Some(fix.text.as_str().into()), precondition];
    let command = fix.run.as_ref().map(|run| run.as_str().into());
    Step::new(texts.into_iter().flatten(), command)
}

fn unknown(catalogue: &Catalogue, what: &'static str, id: &str) -> Failure {
    let ids = catalogue.signatures().map(|s| s.id.as_str());
    let ids = ids.filter(|_| what != "cause");
    let causes = catalogue.causes().map(|(cause, _)| cause);
    let causes = causes.filter(|_| what != "signature");
    let last = |id: &str| id.rsplit('/').next().unwrap_or(id).to_owned();
    let wanted = last(id);
    let close = ids
        .chain(causes)
        .filter(|known| !wanted.is_empty() && last(known).contains(&wanted))
        .min_by_key(|known| known.len());
    let advice = match close {
        Some(close) => format!("did you mean `{}`?", visible(close)),
        None => "`kwhy signatures list` lists all".into(),
    };
    Failure::Unknown {
        what,
        id: id.to_owned(),
        advice,
    }
}
