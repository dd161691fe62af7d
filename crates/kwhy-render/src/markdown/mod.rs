//! Markdown for a ticket: the answer, the proof, the commands; everything else is folded.

mod escape;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::{self, Write};

use kwhy_core::report::{CommandLine, Evidence, Unexplained};
use kwhy_core::{Finding, Role};

use crate::human::cut;
use crate::outline::{Below, Outline};
use crate::style::level_name;
use crate::words::{self, counted};
use crate::{Render, View, only_if};
use escape::{fence, inline, span};

/// The maximum number of columns of a line of the input.
const LINE: usize = 400;
/// The maximum number of findings that are shown in full.
const IN_FULL: usize = 10;
/// The number of lines of evidence that are shown, and of further ones that are folded.
const PROOF: usize = 3;
const FOLDED: usize = 40;

/// Writes a report as GitHub-flavoured Markdown.
pub struct Markdown;

impl Render for Markdown {
    fn render(&self, view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
        let outline = Outline::new(view);
        writeln!(out, "# kwhy: {}\n", outline.headline())?;
        if let Some(verdict) = outline.more_than_headline() {
            writeln!(out, "{}\n", inline(&verdict))?;
        }
        for (index, finding) in outline.roots.iter().enumerate() {
            if index < IN_FULL {
                full(&outline, finding, out)?;
            } else {
                if index == IN_FULL {
                    let more = (outline.roots.len() - IN_FULL) as u64;
                    details(&counted(more, "further finding"), out)?;
                }
                brief(finding, out)?;
            }
        }
        if outline.roots.len() > IN_FULL {
            end(out)?;
        }
        if !view.report.next.is_empty() {
            writeln!(out, "## To collect\n")?;
            for check in &view.report.next {
                let texts = check.text.as_deref().into_iter().chain([&*check.why]);
                step(texts, check.command.as_ref(), out)?;
            }
        }
        folded(
            "problem that is over",
            "problems that are over",
            &outline.over,
            out,
        )?;
        folded(
            "harmless message",
            "harmless messages",
            &outline.benign,
            out,
        )?;
        unexplained(outline.unexplained(), out)?;
        read(view, out)
    }
}

/// Writes a finding in full.
fn full(outline: &Outline<'_>, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "## {} {}: {}\n",
        finding.rank,
        level_name(finding.severity),
        inline(&finding.title)
    )?;
    let role = if finding.role == Role::Symptom {
        ", a symptom"
    } else {
        ""
    };
    writeln!(
        out,
        "{} ({}){role}, {}, {}\n",
        span(finding.cause.as_str()),
        span(&finding.signature),
        words::confidence(finding.confidence),
        words::seen(finding),
    )?;
    if !finding.others.is_empty() {
        let others = words::subjects(&finding.others, 10, finding.others_at_least);
        writeln!(out, "Also {}\n", inline(&others))?;
    }
    let (first, more) = finding.evidence.split_at(finding.evidence.len().min(PROOF));
    proof(first, out)?;
    if !finding.why.is_empty() {
        writeln!(out, "{}\n", inline(&finding.why))?;
    }
    if let Some(end) = &finding.recovered {
        writeln!(out, "It ended:\n")?;
        proof(std::slice::from_ref(end), out)?;
    }
    if !finding.check.is_empty() {
        writeln!(out, "**Check**\n")?;
        for check in &finding.check {
            let texts = check.text.as_deref().into_iter().chain([&*check.why]);
            step(texts, check.command.as_ref(), out)?;
        }
    }
    if !finding.fix.is_empty() {
        writeln!(out, "**Fix**\n")?;
        for fix in &finding.fix {
            let precondition = fix.precondition.as_deref().map(only_if);
            let texts = [Some(&*fix.text), precondition.as_deref()];
            step(texts.into_iter().flatten(), fix.command.as_ref(), out)?;
        }
    }
    for rule in &finding.rules {
        if let Some(impact) = rule.impact_text() {
            writeln!(out, "**Impact**: {}\n", inline(&impact))?;
        }
        writeln!(out, "Rule {}\n", inline(&rule.heading()))?;
    }
    let below = outline.below(finding);
    if !below.is_empty() {
        let summary = format!("It explains {}", counted(below.len() as u64, "finding"));
        details(&summary, out)?;
        for below in &below {
            explained(below, out)?;
        }
        writeln!(out)?;
        end(out)?;
    }
    if !more.is_empty() {
        details(&counted(more.len() as u64, "further line"), out)?;
        proof(&more[..more.len().min(FOLDED)], out)?;
        end(out)?;
    }
    let references = finding.references.iter();
    let mut references = references.map(|reference| span(reference)).peekable();
    if references.peek().is_some() {
        let references: Vec<String> = references.collect();
        writeln!(out, "See {}\n", references.join(", "))?;
    }
    Ok(())
}

/// Writes a finding as one entry of a list.
fn brief(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let place = words::lines(finding.evidence.iter().take(1), "");
    writeln!(
        out,
        "- {}: {} ({}; {}; {})",
        level_name(finding.severity),
        inline(&finding.title),
        span(finding.cause.as_str()),
        words::seen(finding),
        inline(&place),
    )
}

fn explained(below: &Below<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Below {
        finding,
        why,
        depth,
    } = below;
    write!(
        out,
        "{:1$}- {2}",
        "",
        depth.min(&8) * 2,
        inline(&finding.title)
    )?;
    if finding.count > 1 {
        write!(out, " ({})", words::times(finding.count, finding.at_least))?;
    }
    if !why.is_empty() {
        write!(out, ": {}", inline(why))?;
    }
    writeln!(out)
}

/// Writes lines of the input with their places.
fn proof(evidence: &[Evidence], out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = evidence.first() else {
        return Ok(());
    };
    let same = evidence.iter().all(|line| line.source == first.source);
    if same {
        writeln!(out, "{}:\n", span(&first.source))?;
    }
    let lines: Vec<Cow<'_, str>> = evidence
        .iter()
        .map(|line| {
            let text = cut(&line.text, &line.mark, LINE);
            match same {
                true => format!("{}: {text}", line.line),
                false => format!("{}:{}: {text}", line.source, line.line),
            }
        })
        .map(Cow::Owned)
        .collect();
    writeln!(out, "{}", fence("text", &lines))
}

/// Writes text on what to do, then the command.
fn step<'s>(
    texts: impl Iterator<Item = &'s str>,
    command: Option<&CommandLine>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for text in texts.filter(|text| !text.is_empty()) {
        writeln!(out, "{}\n", inline(text))?;
    }
    match command {
        Some(command) => writeln!(out, "{}", fence("sh", &[command.run().into()])),
        None => Ok(()),
    }
}

fn folded(one: &str, many: &str, findings: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
    if findings.is_empty() {
        return Ok(());
    }
    let noun = if findings.len() == 1 { one } else { many };
    details(&format!("{} {noun}", findings.len()), out)?;
    for finding in findings {
        brief(finding, out)?;
    }
    writeln!(out)?;
    end(out)
}

fn unexplained(events: &[Unexplained], out: &mut dyn Write) -> io::Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    let summary = counted(events.len() as u64, "kind of event");
    let summary = summary.replace("kind of events", "kinds of events");
    details(&format!("{summary} that no signature explains"), out)?;
    for event in events.iter().take(FOLDED) {
        let severity = event.severity.map_or("", |severity| severity.name());
        writeln!(
            out,
            "{severity} {} ({})\n",
            inline(&words::cut(event.reason.lines().next().unwrap_or(""), LINE)),
            words::times(event.count, event.at_least),
        )?;
        proof(&event.evidence[..event.evidence.len().min(1)], out)?;
    }
    end(out)
}

/// Writes what was read, and what could not be.
fn read(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let report = view.report;
    let lines: u64 = report.inputs.iter().map(|input| input.lines).sum();
    let summary = format!(
        "{} of {} read",
        counted(lines, "line"),
        counted(report.inputs.len() as u64, "input")
    );
    details(&summary, out)?;
    for input in report.inputs.iter().take(FOLDED) {
        let not_understood = match input.not_understood {
            0 => String::new(),
            count => format!(", {} not understood", counted(count, "line")),
        };
        writeln!(
            out,
            "- {}: {} ({}){not_understood}",
            span(&input.source),
            counted(input.lines, "line"),
            input.format_names().join(", "),
        )?;
    }
    if let Some(more) = report.inputs.len().checked_sub(FOLDED).filter(|m| *m > 0) {
        writeln!(out, "- and {more} more")?;
    }
    for limit in &report.limits {
        writeln!(
            out,
            "- note: {} {}: {}",
            span(&limit.source),
            span(limit.limit.name()),
            inline(&limit.message)
        )?;
    }
    if view.left_out > 0 {
        writeln!(
            out,
            "- {} not asked for",
            counted(view.left_out as u64, "finding")
        )?;
    }
    writeln!(out)?;
    end(out)
}

/// Starts a folded section. The summary must not contain text of the input.
fn details(summary: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<details><summary>{summary}</summary>\n")
}

fn end(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</details>\n")
}
