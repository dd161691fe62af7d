//! JUnit XML, so that CI systems show findings as failed tests.

use std::io::{self, Write};

use kwhy_core::report::State;
use kwhy_core::{Finding, Level, Report, Role, Verdict};

use super::{Render, View};
use crate::escape::visible;
use crate::only_if;
use crate::outline::Outline;
use crate::style::level_name;
use crate::words;

/// The maximum number of lines of evidence of a finding.
const PROOF: usize = 10;

/// Writes a report as JUnit XML.
///
/// A finding that nothing explains is a failed test, unless it is over or needs no action: then the test passes, as it
/// does if nothing is wrong. If nothing is known, a single test is skipped.
pub struct Junit;

impl Render for Junit {
    fn render(&self, view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
        let report = view.report;
        let outline = Outline::new(view);
        let passing = outline.over.iter().chain(&outline.benign);
        let (failing, minor): (Vec<&Finding>, Vec<&Finding>) = outline
            .roots
            .iter()
            .partition(|f| f.severity > Level::Info && f.state != State::Over);
        let passing: Vec<&Finding> = passing.copied().chain(minor).collect();
        let is_alone = failing.is_empty() && passing.is_empty();
        let is_skipped = is_alone && !matches!(report.verdict, Verdict::Healthy | Verdict::Over);
        let tests = failing.len() + passing.len() + usize::from(is_alone);
        let counts = format!(
            "tests=\"{tests}\" failures=\"{}\" errors=\"0\"",
            failing.len()
        );
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<testsuites name=\"kwhy\" {counts}>")?;
        let skipped = usize::from(is_skipped);
        writeln!(
            out,
            "<testsuite name=\"kwhy\" {counts} skipped=\"{skipped}\">"
        )?;
        for finding in failing {
            open(finding, out)?;
            write!(
                out,
                "<failure message=\"{}\" type=\"{}\">",
                escaped(&finding.title),
                escaped(finding.cause.as_str())
            )?;
            write!(out, "{}", escaped_lines(&text(&outline, finding)))?;
            writeln!(out, "</failure></testcase>")?;
        }
        for finding in passing {
            open(finding, out)?;
            let text = escaped_lines(&text(&outline, finding));
            writeln!(out, "<system-out>{text}</system-out></testcase>")?;
        }
        if is_alone {
            write!(out, "<testcase name=\"diagnosis\" classname=\"kwhy\">")?;
            let verdict = escaped(&outline.verdict());
            if is_skipped {
                write!(out, "<skipped message=\"{verdict}\"/>")?;
            } else {
                write!(out, "<system-out>{verdict}</system-out>")?;
            }
            writeln!(out, "</testcase>")?;
        }
        let read = read(report);
        writeln!(out, "<system-out>{}</system-out>", escaped_lines(&read))?;
        writeln!(out, "</testsuite>\n</testsuites>")
    }
}

fn open(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    write!(
        out,
        "<testcase name=\"{}\" classname=\"kwhy.{}\">",
        escaped(&finding.title),
        escaped(&finding.cause.as_str().replace('/', "."))
    )
}

/// Returns a finding in lines of text.
fn text(outline: &Outline<'_>, finding: &Finding) -> String {
    let mut lines = vec![format!(
        "{}: {} ({}), {}, {}",
        level_name(finding.severity),
        finding.cause,
        finding.signature,
        words::confidence(finding.confidence),
        words::seen(finding)
    )];
    if finding.role == Role::Symptom {
        lines.push("a symptom of something that the input does not show".to_owned());
    }
    for line in finding.evidence.iter().take(PROOF) {
        let text = line.text.trim_end();
        lines.push(format!(
            "{}:{}:{}: {text}",
            line.source, line.line, line.column
        ));
    }
    if !finding.why.is_empty() {
        lines.push(finding.why.clone());
    }
    for check in &finding.check {
        let text = check.text.as_deref().unwrap_or("");
        let run = check.command.as_ref().map_or("", |command| command.run());
        lines.push(format!("check: {} {text} {run}", check.why));
    }
    for fix in &finding.fix {
        let precondition = fix.precondition.as_deref().map(only_if);
        let precondition = precondition.as_deref().unwrap_or("");
        let run = fix.command.as_ref().map_or("", |command| command.run());
        lines.push(format!("fix: {} {precondition} {run}", fix.text));
    }
    for below in outline.below(finding) {
        lines.push(format!("explains: {}", below.finding.title));
    }
    // a line of the input must stay one line
    let lines = lines
        .iter()
        .map(|line| visible(line.trim_end()).into_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns what was read, and what could not be.
fn read(report: &Report) -> String {
    let mut lines: Vec<String> = report
        .inputs
        .iter()
        .map(|input| format!("{}: {} lines", visible(&input.source), input.lines))
        .collect();
    lines.extend(
        report
            .limits
            .iter()
            .map(|limit| visible(&limit.to_string()).into_owned()),
    );
    lines.join("\n")
}

/// Escapes a text for an attribute or an element, on one line.
fn escaped(text: &str) -> String {
    escaped_lines(&visible(text))
}

/// Escapes a text of several lines that were made visible before.
fn escaped_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // not allowed in XML, not even escaped
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn drawn(report: &Report) -> String {
        let view = View {
            report,
            left_out: 0,
        };
        let mut out = Vec::new();
        Junit.render(&view, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn failures_and_what_passes() {
        let text = drawn(&samples::with_symptoms());
        let xml = roxmltree::Document::parse(&text).unwrap();
        let count = |name: &str| {
            xml.descendants()
                .filter(|node| node.has_tag_name(name))
                .count()
        };
        assert_eq!((count("testcase"), count("failure")), (3, 2));
        let suite = xml
            .descendants()
            .find(|node| node.has_tag_name("testsuite"))
            .unwrap();
        assert_eq!(suite.attribute("tests"), Some("3"));
        assert_eq!(suite.attribute("failures"), Some("2"));
    }

    #[test]
    fn what_is_not_known_is_skipped() {
        let text = drawn(&samples::nothing_found());
        assert!(
            text.contains("<skipped message=\"No signature matches"),
            "{text}"
        );
        let mut healthy = samples::report(Vec::new());
        healthy.verdict = Verdict::Healthy;
        let text = drawn(&healthy);
        assert!(
            !text.contains("skipped message") && text.contains("looks healthy"),
            "{text}"
        );
    }

    #[test]
    fn hostile_text_is_text() {
        let mut report = samples::hostile();
        let bad =
            "]]></failure><testcase name=\"x\"/><!--&lt;\u{0}\u{b}\u{ffff}\u{fffe}\x1b[31m\"'";
        report.findings[0].title = bad.to_owned();
        report.findings[0].evidence[0].text = bad.to_owned();
        report.inputs[0].source = bad.to_owned();
        let text = drawn(&report);
        let xml = roxmltree::Document::parse(&text).unwrap();
        let cases = xml
            .descendants()
            .filter(|node| node.has_tag_name("testcase"));
        assert_eq!(cases.count(), 1);
        assert!(
            !text
                .chars()
                .any(|c| c != '\n' && crate::escape::is_hostile(c))
        );
    }
}
