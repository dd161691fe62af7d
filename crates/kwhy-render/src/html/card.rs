//! A finding as a card of the page.

use kwhy_core::report::{Check, CommandLine, Evidence};
use kwhy_core::{Finding, Role};
use maud::{Markup, html};

use super::{kind, namespace, values};
use crate::escape::visible;
use crate::outline::Outline;
use crate::style::level_name;
use crate::words::{self, counted};
use crate::{human::window, only_if};

/// The number of lines of evidence that are shown, and of further ones that are folded.
const PROOF: usize = 2;
const FOLDED: usize = 20;
/// The maximum number of columns of a line of the input.
const LINE: usize = 360;
/// The maximum number of explained findings that are listed.
const EXPLAINED: usize = 60;

/// Returns a finding with its proof, why it fails, and what to do.
pub fn card(outline: &Outline<'_>, finding: &Finding) -> Markup {
    let level = level_name(finding.severity);
    let below = outline.below(finding);
    let (first, more) = finding.evidence.split_at(finding.evidence.len().min(PROOF));
    html! {
        article id=(format!("f{}", finding.rank)) class=(level) tabindex="-1"
            data-ns=(values(finding, namespace)) data-kind=(values(finding, kind)) {
            h3 { span class=(format!("level {level}")) { (level) } " " (visible(&finding.title)) }
            p class="soft" {
                code { (visible(finding.cause.as_str())) } " (" code { (visible(&finding.signature)) } ")"
                @if finding.role == Role::Symptom { ", a symptom" }
                ", " (words::confidence(finding.confidence)) ", " (words::seen(finding))
            }
            @if !finding.others.is_empty() {
                p { "Also " (visible(&words::subjects(&finding.others, 8, finding.others_at_least))) }
            }
            @for line in first { (proof(line, true)) }
            @if !more.is_empty() {
                details {
                    summary { (counted(more.len() as u64, "further line")) }
                    @for line in more.iter().take(FOLDED) { (proof(line, false)) }
                }
            }
            @if !finding.why.is_empty() { p { (visible(&finding.why)) } }
            @if let Some(end) = &finding.recovered {
                h4 { "It ended" }
                (proof(end, false))
            }
            @if !finding.check.is_empty() { h4 { "Check" } (checks(&finding.check)) }
            @if !finding.fix.is_empty() {
                h4 { "Fix" }
                @for fix in &finding.fix {
                    p {
                        (visible(&fix.text))
                        @if let Some(it) = &fix.precondition { ", " (visible(&only_if(it))) }
                    }
                    (command(fix.command.as_ref()))
                }
            }
            @if !below.is_empty() {
                details {
                    summary { "Explains " (counted(below.len() as u64, "finding")) }
                    ul {
                        @for below in below.iter().take(EXPLAINED) {
                            li {
                                (visible(&words::cut(&below.finding.title, 200))) " "
                                small {
                                    (words::times(below.finding.count, below.finding.at_least))
                                    @if !below.why.is_empty() { ": " (visible(below.why)) }
                                }
                            }
                        }
                        @if below.len() > EXPLAINED { li { "and " (below.len() - EXPLAINED) " more" } }
                    }
                }
            }
            @for rule in &finding.rules {
                @if let Some(impact) = rule.impact_text() { p { (visible(&impact)) } }
                p class="soft" { "Rule " (visible(&rule.heading())) }
            }
            @for reference in &finding.references { (link(reference)) }
        }
    }
}

/// Returns a reference, as a link if it is an `https` address.
fn link(reference: &str) -> Markup {
    let shown = visible(reference);
    html! {
        p class="soft" {
            @if reference.starts_with("https://") { a href=(shown) target="_blank" rel="noreferrer noopener" { (shown) } }
            @else { (shown) }
        }
    }
}

/// Returns checks in order.
pub fn checks(checks: &[Check]) -> Markup {
    html! {
        @for check in checks {
            @for text in check.text.iter().chain([&check.why]).filter(|text| !text.is_empty()) {
                p { (visible(text)) }
            }
            (command(check.command.as_ref()))
        }
    }
}

fn command(command: Option<&CommandLine>) -> Markup {
    html! {
        @if let Some(command) = command { pre { code { (visible(command.run())) } } }
    }
}

/// Returns a line of the input with its place and, if asked for, the lines around it.
pub fn proof(line: &Evidence, with_around: bool) -> Markup {
    let (before, marked, after) = parts(line);
    let around = if with_around { &*line.around } else { &[] };
    html! {
        small { (visible(&line.source)) ":" (line.line) }
        pre {
            @for (number, text) in around.iter().filter(|(number, _)| *number < line.line) {
                span { (numbered(*number)) (visible(text)) }
            }
            b {
                i { (numbered(line.line)) } (before)
                @if !marked.is_empty() { mark { (marked) } }
                (after)
            }
            @for (number, text) in around.iter().filter(|(number, _)| *number > line.line) {
                span { (numbered(*number)) (visible(text)) }
            }
        }
    }
}

fn numbered(line: u64) -> String {
    format!("{line:>5} ")
}

/// Returns the text before the mark, in it and after it; a long line is cut around the mark.
fn parts(line: &Evidence) -> (String, String, String) {
    let split = || {
        let (before, rest) = line.text.split_at_checked(line.mark.start)?;
        let (marked, after) = rest.split_at_checked(line.mark.len())?;
        Some([before, marked, after].map(|part| visible(part.trim_end_matches('\r')).into_owned()))
    };
    match split().filter(|_| line.text.len() <= LINE) {
        Some([before, marked, after]) => (before, marked, after),
        None => {
            let (text, mark) = window(&line.text, &line.mark, LINE);
            let part = |range| text.get(range).unwrap_or("").to_owned();
            (
                part(0..mark.start),
                part(mark.clone()),
                part(mark.end..text.len()),
            )
        }
    }
}
