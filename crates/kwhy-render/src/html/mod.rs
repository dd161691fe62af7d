//! One page of HTML that loads nothing: the verdict, causes as cards, a timeline, the objects.
//!
//! The template engine escapes all text. The policy in the page's head allows its own style and script by their hashes
//! and nothing else, so that even markup that slipped through would neither run nor load.

mod card;
mod graph;
#[cfg(test)]
mod tests;
mod timeline;

use std::collections::BTreeSet;
use std::io::{self, Write};

use kwhy_core::{Finding, Report, Subject, Verdict};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::escape::visible;
use crate::outline::Outline;
use crate::words::{self, counted};
use crate::{Render, View};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// The hashes of the two in the policy; a test computes them.
const STYLE_HASH: &str = "sha256-R4AU8K9bPUQaP9IfzaUfpxHeqJkyfSXaau3RmHnK4RE=";
const SCRIPT_HASH: &str = "sha256-e9+/MNWwLe/DeYKVCVwKkT36cU6vL1e7SMWWPnnzF/s=";

/// The maximum number of cards, and of rows in a list.
const CARDS: usize = 200;
const ROWS: usize = 100;
/// With more cards than this, the page starts with links to them.
const CONTENTS: usize = 4;

/// Writes a report as one page of HTML.
pub struct Html;

impl Html {
    /// The hash of the page's style, for the policy of a page that shows it in a frame.
    pub const STYLE_HASH: &str = STYLE_HASH;
    /// The hash of the page's script.
    pub const SCRIPT_HASH: &str = SCRIPT_HASH;
}

impl Render for Html {
    fn render(&self, view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(page(view).into_string().as_bytes())
    }
}

fn page(view: &View<'_>) -> Markup {
    let report = view.report;
    let outline = Outline::new(view);
    let policy = format!(
        "default-src 'none'; style-src '{STYLE_HASH}'; script-src '{SCRIPT_HASH}'; base-uri 'none'; \
         form-action 'none'"
    );
    let tone = match report.verdict {
        Verdict::Faults => "error",
        Verdict::Healthy | Verdict::Over => "good",
        _ => "warning",
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { "kwhy: " (outline.headline()) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { "kwhy: " span class=(tone) { (outline.headline()) } }
                    @if let Some(verdict) = outline.more_than_headline() { p { (visible(&verdict)) } }
                    p class="soft" { (read(report)) }
                }
                main {
                    (filter(&outline))
                    (contents(&outline))
                    @for finding in outline.roots.iter().take(CARDS) {
                        (card::card(&outline, finding))
                    }
                    @if outline.roots.len() > CARDS {
                        p { "and " (counted((outline.roots.len() - CARDS) as u64, "further finding")) }
                    }
                    @if !report.next.is_empty() {
                        section class="panel" {
                            h2 { "To collect" }
                            (card::checks(&report.next))
                        }
                    }
                    (timeline::timeline(&outline))
                    (graph::graph(&outline))
                    (folded("over", &outline.over))
                    (folded("harmless", &outline.benign))
                    (unexplained(&outline))
                    (inputs(view))
                }
                footer {
                    "Made by kwhy " (env!("CARGO_PKG_VERSION")) ". The page loads nothing and sends nothing. "
                    "Keys: / filters, j and k go from card to card, Escape clears."
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

/// Returns what was read, in one line.
fn read(report: &Report) -> String {
    let lines: u64 = report.inputs.iter().map(|input| input.lines).sum();
    let inputs = counted(report.inputs.len() as u64, "input");
    let mut text = format!("{} of {inputs}", counted(lines, "line"));
    if let Some(collected) = &report.collected_at {
        text += &format!(", collected at {}", collected.time);
    }
    text
}

/// Returns all subjects of a finding.
fn subjects(finding: &Finding) -> impl Iterator<Item = &Subject> {
    std::iter::once(&finding.subject).chain(&finding.others)
}

/// Returns the values by which the filter finds a card, one a line.
fn values<'f>(finding: &'f Finding, value: fn(&'f Subject) -> Option<&'f str>) -> String {
    let values: BTreeSet<&str> = subjects(finding).filter_map(value).collect();
    let values: Vec<_> = values.into_iter().map(visible).collect();
    values.join("\n")
}

fn namespace(subject: &Subject) -> Option<&str> {
    match subject.kind.as_deref() {
        Some("Namespace") => subject.name.as_deref(),
        _ => subject.namespace.as_deref(),
    }
}

fn kind(subject: &Subject) -> Option<&str> {
    subject.kind.as_deref()
}

/// Returns the form for filtering, hidden until the script shows it.
fn filter(outline: &Outline<'_>) -> Markup {
    let all = |value: fn(&Subject) -> Option<&str>| -> BTreeSet<String> {
        let shown = outline.roots.iter().take(CARDS);
        let values = shown
            .flat_map(|finding| subjects(finding))
            .filter_map(value);
        values.map(|value| visible(value).into_owned()).collect()
    };
    let select = |id: &str, label: &str, any: &str, values: BTreeSet<String>| {
        html! {
            label for=(id) { (label)
                select id=(id) {
                    option value="" { (any) }
                    @for value in values.iter().take(ROWS) { option { (value) } }
                }
            }
        }
    };
    html! {
        @if outline.roots.len() > 1 {
            form id="filter" hidden {
                label for="text" { "Text" input id="text" type="search" autocomplete="off"; }
                (select("ns", "Namespace", "all namespaces", all(namespace)))
                (select("kind", "Kind", "all kinds", all(kind)))
                output id="shown" for="text ns kind" {}
            }
        }
    }
}

/// Returns links to the cards if there are many.
fn contents(outline: &Outline<'_>) -> Markup {
    html! {
        @if outline.roots.len() > CONTENTS {
            nav class="panel" aria-label="Findings" {
                ol tabindex="0" {
                    @for finding in outline.roots.iter().take(CARDS) {
                        li { a href=(format!("#f{}", finding.rank)) { (visible(&words::cut(&finding.title, 120))) } }
                    }
                }
            }
        }
    }
}

/// Returns findings that need no action, folded.
fn folded(what: &str, findings: &[&Finding]) -> Markup {
    html! {
        @if !findings.is_empty() {
            details class="panel" {
                summary { (counted(findings.len() as u64, "finding")) ": " (what) }
                ul {
                    @for finding in findings.iter().take(ROWS) {
                        li { (visible(&finding.title)) " " small { (words::seen(finding)) } }
                    }
                }
            }
        }
    }
}

fn unexplained(outline: &Outline<'_>) -> Markup {
    let events = outline.unexplained();
    html! {
        @if !events.is_empty() {
            details class="panel" open[outline.roots.is_empty()] {
                summary { "Events that no signature explains: " (events.len()) }
                @for event in events.iter().take(ROWS) {
                    p {
                        @if let Some(severity) = event.severity { (severity.name()) " " }
                        (visible(&words::cut(event.reason.lines().next().unwrap_or(""), 200)))
                        " " small { (words::times(event.count, event.at_least)) }
                    }
                    @if let Some(first) = event.evidence.first() { (card::proof(first, false)) }
                }
            }
        }
    }
}

/// Returns what was read, and what could not be.
fn inputs(view: &View<'_>) -> Markup {
    let report = view.report;
    html! {
        @if !report.limits.is_empty() {
            details class="panel" open[report.limits.len() < 5] {
                summary { (counted(report.limits.len() as u64, "note")) }
                ul {
                    @for limit in &report.limits {
                        li { code { (visible(&limit.source)) } " " (visible(limit.limit.name())) ": " (visible(&limit.message)) }
                    }
                }
            }
        }
        details class="panel" {
            summary { (counted(report.inputs.len() as u64, "input")) }
            ul {
                @for input in report.inputs.iter().take(ROWS) {
                    li {
                        code { (visible(&input.source)) } " "
                        small {
                            (counted(input.lines, "line")) " " (input.format_names().join(", "))
                            @if input.not_understood > 0 { ", " (input.not_understood) " not understood" }
                        }
                    }
                }
                @if report.inputs.len() > ROWS { li { "and " (report.inputs.len() - ROWS) " more" } }
            }
            @if view.left_out > 0 { p { (counted(view.left_out as u64, "finding")) " not asked for" } }
        }
    }
}
