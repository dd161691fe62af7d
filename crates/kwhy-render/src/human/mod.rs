//! Text for people: the answer first, the proof under it, then what to do.

mod finding;
mod snippet;
mod sources;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::Range;

use kwhy_core::events::{Format, Severity};
use kwhy_core::report::{InputSummary, Limit, State, Unexplained};
use kwhy_core::{Finding, Level, Report, Role, Verdict};

use super::escape::visible;
use super::style::{Style, level_name};
use super::{Render, View};
use crate::style::Layout;
use crate::verdict;
use crate::words::{self, counted, times};
use finding::{Findings, INDENT};
pub use finding::{Step, only_if};
pub use snippet::{cut, window};

/// Up to this number of findings that need no action, each is shown.
const FOLDED: usize = 5;

/// The number of titles that are shown as samples if there are more.
const SAMPLES: usize = 3;

/// The number of findings that are shown in full if there are many.
const IN_FULL: usize = 2;

/// The maximum number of further findings that are shown briefly.
const BRIEF: usize = 12;

/// The number of limits up to which each is shown whole, and the maximum number that is shown.
const LIMITS: usize = 2;
const MOST_LIMITS: usize = 4;

/// The maximum number of characters of a title that is one of several.
const SAMPLE: usize = 100;

/// The maximum number of outputs to collect that are named.
const NEXT: usize = 3;

/// The number of unexplained events that are shown of one input.
const TELLING: usize = 5;

/// The number of unexplained events that are shown of several inputs.
const TELLING_OF_MANY: usize = 3;

/// An output to collect: a description, and the command if it is the same in every cluster.
type Wanted = (&'static str, Option<&'static str>);

/// The outputs to collect, each if the input has none of the formats before it.
const COLLECT: &[(&[Format], Wanted)] = &[
    (
        &[Format::Describe],
        (
            "what `kubectl describe` says of the object that fails: state, conditions and events",
            None,
        ),
    ),
    (
        &[Format::DescribeEvents, Format::EventsTable],
        (
            "what the cluster tried, and the answers",
            Some("kubectl get events -A --sort-by=.lastTimestamp"),
        ),
    ),
    (
        &[
            Format::Klog,
            Format::JsonLog,
            Format::Logrus,
            Format::ZapConsole,
        ],
        (
            "the containers' last words: `kubectl logs`, with --previous where one ended",
            None,
        ),
    ),
];

/// The output to collect if the input already has a format of each row in `COLLECT`.
const COLLECT_MORE: Wanted = (
    "on the object's node: what the kubelet and the runtime said",
    Some("journalctl -u kubelet --since -1h"),
);

/// The level of detail of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// One line for each finding that nothing explains.
    Titles,
    /// The answer on a screen: proof, mechanism, what to do.
    #[default]
    Usual,
    /// Everything.
    All,
}

/// Writes a report for people.
pub struct Human {
    /// The layout of text.
    pub layout: Layout,
    /// The level of detail.
    pub detail: Detail,
}

impl Render for Human {
    fn render(&self, view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
        if self.detail == Detail::Titles {
            return self.titles(view.report, out);
        }
        let shortened = sources::shortened(view.report);
        let report = shortened.as_ref().unwrap_or(view.report);
        let findings = Findings::new(&self.layout, report, self.is_verbose());
        let (benign, shown): (Vec<&Finding>, Vec<&Finding>) = report
            .findings
            .iter()
            .filter(|finding| self.is_verbose() || findings.explanation(finding).is_none())
            .partition(|finding| finding.role == Role::Benign && !self.is_verbose());
        let (over, benign): (Vec<&Finding>, Vec<&Finding>) = benign
            .into_iter()
            .partition(|finding| finding.state == State::Over);
        let verdict = verdict::verdict(report, view.left_out);
        if let Some(verdict) = &verdict {
            self.layout.hang(out, Style::Strong, verdict, 0, 0)?;
            writeln!(out)?;
        }
        let in_full = if findings.are_many() {
            IN_FULL
        } else {
            shown.len()
        };
        for (index, finding) in shown.iter().take(in_full).enumerate() {
            findings.write(finding, index == 0, out)?;
            writeln!(out)?;
        }
        self.brief(&findings, shown.get(in_full..).unwrap_or_default(), out)?;
        let answered = report.findings.iter().any(|f| f.role == Role::Cause);
        let is_well = matches!(report.verdict, Verdict::Healthy | Verdict::Over);
        if !answered && !is_well && !verdict::shows_nothing(report, view.left_out) {
            self.no_answer(view.left_out, report, &shown, out)?;
        }
        if (!answered && !is_well) || self.is_verbose() {
            self.unexplained(report, out)?;
        }
        if is_well {
            // there is nothing to look for
        } else if !report.next.is_empty() {
            let most = if self.is_verbose() { usize::MAX } else { NEXT };
            let steps = report.next.iter().take(most).map(Step::from);
            findings.steps("collect", steps, out)?;
            let more = report.next.len().saturating_sub(most);
            if more > 0 {
                let text = format!("and {more} more: kwhy -v shows them");
                self.layout.hang(out, Style::Faint, &text, 0, INDENT)?;
            }
            writeln!(out)?;
        } else if !answered && !is_empty(report) {
            self.collect(report, out)?;
        }
        self.folded("over", "earlier problem", &over, out)?;
        self.folded("benign", "harmless message", &benign, out)?;
        if self.is_verbose() {
            self.not_understood(view, out)?;
        }
        self.limits(report, out)?;
        self.footer(view, &shown, out)
    }
}

/// Returns a count of limits with its verb: `3 limits were`.
fn were(count: u64) -> String {
    let verb = if count == 1 { "was" } else { "were" };
    format!("{} {verb}", counted(count, "limit"))
}

/// Returns true if there was nothing to read.
fn is_empty(report: &Report) -> bool {
    report.stats.bytes == 0
}

impl Human {
    /// Returns true if everything is shown.
    fn is_verbose(&self) -> bool {
        self.detail == Detail::All
    }

    /// Writes one line for each finding that nothing explains, or for the verdict if there is none.
    fn titles(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let ranks: BTreeSet<usize> = report.findings.iter().map(|f| f.rank).collect();
        let mut roots = report.findings.iter().filter(|finding| {
            let is_explained = finding.explained_by.is_some_and(|by| ranks.contains(&by));
            !is_explained && finding.role != Role::Benign && finding.state != State::Over
        });
        let mut any = false;
        roots.try_for_each(|finding| {
            any = true;
            let level = level_name(finding.severity);
            let taken = level.len() + 2;
            let level = self.layout.styled(Style::Level(finding.severity), level);
            write!(out, "{level}  ")?;
            let text = format!("{} ({})", finding.title, finding.cause);
            let text = visible(&text);
            self.layout.hang(out, Style::Plain, &text, taken, taken)
        })?;
        match report.verdict {
            _ if any => Ok(()),
            Verdict::Faults => writeln!(out, "faults, and none of them asked for"),
            Verdict::Healthy => writeln!(out, "healthy"),
            Verdict::Over => writeln!(out, "over"),
            _ => writeln!(out, "unknown"),
        }
    }

    /// Writes that no cause is known, instead of a guess.
    fn no_answer(
        &self,
        left_out: usize,
        report: &Report,
        shown: &[&Finding],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let is_narrowed = report
            .limits
            .iter()
            .any(|met| matches!(met.limit, Limit::Namespace | Limit::NamespaceUnknown));
        let text = if is_empty(report) {
            "The input is empty."
        } else if left_out > 0 && shown.is_empty() {
            "Something was found, and none of it is what was asked for."
        } else if is_narrowed && shown.is_empty() {
            "Nothing is known here of the namespace that was asked for; what was left out is reported below."
        } else if shown.iter().any(|finding| finding.role == Role::Symptom) {
            "No root cause is known here: the findings above are symptoms of something that the \
             input does not show."
        } else if report.findings.iter().any(|f| f.state == State::Over) {
            "What is known here is over; nothing shows yet that it does not come back, or that all else is well."
        } else {
            "Nothing is known here: no signature matches, and kwhy does not guess a cause."
        };
        self.layout.hang(out, Style::Strong, text, 0, 0)?;
        writeln!(out)
    }

    /// Writes the findings after those that are shown in full.
    fn brief<'a>(
        &self,
        findings: &Findings<'a>,
        brief: &[&'a Finding],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut groups: Vec<Vec<&Finding>> = Vec::new();
        let mut omitted = 0;
        for finding in brief {
            let same = |group: &&mut Vec<&Finding>| {
                let first = group.first();
                first.is_some_and(|first| {
                    (&first.title, &first.cause) == (&finding.title, &finding.cause)
                })
            };
            if finding.severity == Level::Info {
                omitted += 1;
            } else if let Some(group) = groups.iter_mut().find(same) {
                group.push(finding);
            } else {
                groups.push(vec![finding]);
            }
        }
        for group in groups.iter().take(BRIEF) {
            findings.brief(group, out)?;
        }
        omitted += groups.iter().skip(BRIEF).map(Vec::len).sum::<usize>();
        if omitted > 0 {
            let text = format!("and {}", counted(omitted as u64, "further finding"));
            self.layout.hang(out, Style::Plain, &text, 0, INDENT)?;
        }
        if !brief.is_empty() {
            let text = "kwhy -v shows each with its proof and what to do";
            self.layout.hang(out, Style::Faint, text, 0, INDENT)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes the most telling events that no finding covers.
    fn unexplained(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        if report.unexplained.is_empty() {
            return Ok(());
        }
        let most = match report.inputs.len() {
            _ if self.is_verbose() => usize::MAX,
            0 | 1 => TELLING,
            _ => TELLING_OF_MANY,
        };
        let text = "The most telling events that no signature explains:";
        self.layout.hang(out, Style::Plain, text, 0, 0)?;
        for event in report.unexplained.iter().take(most) {
            self.event(event, report.inputs.len() > 1, out)?;
        }
        if let Some(more) = report
            .unexplained
            .len()
            .checked_sub(most)
            .filter(|m| *m > 0)
        {
            writeln!(out, "{:INDENT$}and {more} more: kwhy -v shows them", "")?;
        }
        writeln!(out)
    }

    /// Writes a message with its count and place, and its line if that says more.
    fn event(&self, event: &Unexplained, many: bool, out: &mut dyn Write) -> io::Result<()> {
        let layout = &self.layout;
        let mut taken = 0;
        if let Some(severity) = event.severity {
            let (level, word) = severity_word(severity);
            write!(out, "{}  ", layout.styled(Style::Level(level), word))?;
            taken = word.len() + 2;
        }
        let reason = first_line(&event.reason);
        let first = event.evidence.first();
        // the reason of a log line is its text, possibly truncated
        let start = reason.trim().trim_end_matches('…');
        let whole = first
            .map(|e| e.text.trim())
            .filter(|text| text.starts_with(start));
        let times = match event.count {
            0 | 1 if !event.at_least => String::new(),
            count => format!(" ({})", times(count, event.at_least)),
        };
        let room = layout.width.saturating_sub(taken.max(INDENT) + times.len());
        let what = self.fit(whole.unwrap_or(reason), &(0..0), room) + &times;
        layout.hang(out, Style::Strong, &what, taken, INDENT)?;
        let Some(first) = first else {
            return Ok(());
        };
        // the name of a single input is not repeated
        let home = if many { "" } else { &first.source };
        let place = words::lines(event.evidence.iter(), home);
        layout.hang(out, Style::Faint, &place, 0, INDENT)?;
        if whole.is_none() {
            let room = layout.width.saturating_sub(INDENT);
            let text = self.fit(&first.text, &first.mark, room);
            layout.hang(out, Style::Plain, &text, 0, INDENT)?;
        }
        Ok(())
    }

    /// Returns a line of the input: whole if everything is shown, otherwise cut around its mark.
    fn fit(&self, text: &str, mark: &Range<usize>, room: usize) -> String {
        if self.is_verbose() {
            visible(text.trim()).into_owned()
        } else {
            snippet::cut(text, mark, room)
        }
    }

    /// Writes the outputs to collect, by the formats that the input lacks.
    fn collect(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let formats: BTreeSet<Format> = report
            .inputs
            .iter()
            .flat_map(|input| input.segments.iter().map(|segment| segment.format))
            .collect();
        let missing = |(has, _): &&(&[Format], _)| !has.iter().any(|f| formats.contains(f));
        let mut wanted: Vec<Wanted> = COLLECT.iter().filter(missing).map(|it| it.1).collect();
        if wanted.is_empty() {
            wanted.push(COLLECT_MORE);
        }
        let step = |(text, run): Wanted| Step::new([text.into()], run.map(Into::into));
        self.layout
            .steps("collect", wanted.into_iter().map(step), out)?;
        writeln!(out)
    }

    /// Writes findings that need no action: one line each if they are few, otherwise their number and some titles.
    fn folded(
        &self,
        word: &str,
        noun: &str,
        findings: &[&Finding],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let column = word.len() + 2;
        if findings.len() > FOLDED {
            let count = counted(findings.len() as u64, noun);
            let mut titles: Vec<String> = Vec::new();
            for finding in findings {
                let title = words::cut(&visible(&finding.title), SAMPLE).into_owned();
                if titles.len() < SAMPLES && !titles.contains(&title) {
                    titles.push(title);
                }
            }
            let text = format!("{count}, such as: {}; kwhy -v shows all", titles.join("; "));
            write!(out, "{}  ", self.layout.styled(Style::Faint, word))?;
            self.layout.hang(out, Style::Plain, &text, column, column)?;
            return writeln!(out);
        }
        for finding in findings {
            let home = finding.evidence.first().map_or("", |e| e.source.as_str());
            let mut places = vec![times(finding.count, finding.at_least)];
            let lines = words::lines(finding.evidence.iter(), home);
            if !lines.is_empty() {
                places.push(lines);
            }
            let title = visible(&finding.title);
            let title = words::cut(&title, SAMPLE);
            let text = format!("{title} ({})", places.join(", "));
            write!(out, "{}  ", self.layout.styled(Style::Faint, word))?;
            self.layout.hang(out, Style::Plain, &text, column, column)?;
        }
        if !findings.is_empty() {
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes the lines that no parser understands.
    fn not_understood(&self, view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
        for input in &view.report.inputs {
            if input.not_understood == 0 {
                continue;
            }
            let text = format!("Not understood in {}:", visible(&input.source));
            self.layout.hang(out, Style::Plain, &text, 0, 0)?;
            let widest = input.not_understood_lines.iter().max().copied();
            let width = widest.unwrap_or(0).to_string().len().max(INDENT - 2);
            let lines = &input.not_understood_lines;
            for (line, text) in lines.iter().zip(&input.not_understood_texts) {
                let room = self.layout.width.saturating_sub(width + 2);
                let number = format!("{line:width$}");
                let text = snippet::cut(text, &(0..0), room);
                writeln!(out, "{}  {text}", self.layout.styled(Style::Faint, number))?;
            }
            let listed = input.not_understood_lines.len() as u64;
            if let Some(more) = input.not_understood.checked_sub(listed).filter(|m| *m > 0) {
                writeln!(out, "{:1$}  and {more} more", "", width)?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn limits(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let most = if self.is_verbose() {
            usize::MAX
        } else {
            MOST_LIMITS
        };
        if !self.is_verbose() && report.inputs.len() > 1 && report.limits.len() > LIMITS {
            let mut names: Vec<&str> = report.limits.iter().map(|met| met.limit.name()).collect();
            names.dedup();
            let (count, names) = (report.limits.len() as u64, names.join(", "));
            let text = format!(
                "{} met ({names}): kwhy -v shows what each means",
                were(count)
            );
            write!(out, "{}  ", self.layout.styled(Style::Faint, "note"))?;
            self.layout.hang(out, Style::Plain, &text, 6, 6)?;
            return writeln!(out);
        }
        for limit in report.limits.iter().take(most) {
            write!(out, "{}  ", self.layout.styled(Style::Faint, "note"))?;
            let text = format!(
                "{}: {}: {}",
                visible(&limit.source),
                visible(limit.limit.name()),
                visible(&limit.message)
            );
            let is_cut = !self.is_verbose() && report.limits.len() > LIMITS;
            let room = self.layout.width.saturating_sub(6);
            let text = if is_cut {
                snippet::cut(&text, &(0..0), room)
            } else {
                text
            };
            self.layout.hang(out, Style::Plain, &text, 6, 6)?;
        }
        if let Some(more) = report
            .limits
            .len()
            .checked_sub(most)
            .filter(|more| *more > 0)
        {
            let text = format!("and {}: kwhy -v", counted(more as u64, "more note"));
            self.layout.hang(out, Style::Plain, &text, 0, 6)?;
        }
        if !report.limits.is_empty() {
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes the summary: `1 cause in 40 lines (describe). 2 lines were not understood: kwhy -v shows them.`
    fn footer(&self, view: &View<'_>, shown: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
        let report = view.report;
        let found = |role| shown.iter().filter(|f| f.role == role).count() as u64;
        let mut parts = Vec::new();
        for (role, noun) in [(Role::Cause, "cause"), (Role::Symptom, "symptom")] {
            let count = found(role);
            if count > 0 {
                parts.push(counted(count, noun));
            }
        }
        if parts.is_empty() {
            parts.push("nothing found".into());
        }
        let mut text = format!("{} in {}.", parts.join(" and "), read(report));
        let not_understood: u64 = report.inputs.iter().map(|i| i.not_understood).sum();
        if not_understood > 0 {
            let verb = if not_understood == 1 { "was" } else { "were" };
            text += &format!(" {} {verb} not understood", counted(not_understood, "line"));
            text += match (self.is_verbose(), not_understood) {
                (true, _) => ".",
                (false, 1) => ": kwhy -v shows it.",
                (false, _) => ": kwhy -v shows them.",
            };
        }
        if let [bundle] = report.bundles.as_slice() {
            let make = bundle
                .titles
                .first()
                .map_or("of no known make", String::as_str);
            text += &format!(" The bundle: {make}, {}.", visible(&bundle.source));
            if !bundle.missing.is_empty() {
                let missing = bundle.missing.join(", ");
                text += &format!(" Not in it: {}.", visible(&missing));
            }
        } else if !report.bundles.is_empty() {
            text += &format!(
                " They are of {}.",
                counted(report.bundles.len() as u64, "bundle")
            );
        }
        if view.left_out > 0 {
            let left_out = counted(view.left_out as u64, "finding");
            text += &format!(" {left_out} not asked for.");
        }
        let mut first = text.chars();
        let capital = first.next().map(|c| c.to_ascii_uppercase());
        let text: String = capital.into_iter().chain(first).collect();
        self.layout.hang(out, Style::Faint, &text, 0, 0)
    }
}

/// Returns what was read: `40 lines (describe)`, `7 lines of 3 inputs (describe, klog)`.
fn read(report: &Report) -> String {
    let lines: u64 = report.inputs.iter().map(|input| input.lines).sum();
    let mut text = counted(lines, "line");
    if report.inputs.len() > 1 {
        text += &format!(" of {} inputs", report.inputs.len());
    }
    let formats = formats(&report.inputs);
    if lines > 0 && !formats.is_empty() {
        text += &format!(" ({})", formats.join(", "));
    }
    text
}

fn formats(inputs: &[InputSummary]) -> Vec<&'static str> {
    let mut names = Vec::new();
    let inputs = inputs.iter().filter(|input| input.lines > 0);
    for name in inputs.flat_map(InputSummary::format_names) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Converts a severity to a level and its name.
fn severity_word(severity: Severity) -> (Level, &'static str) {
    match severity {
        Severity::Debug => (Level::Info, "debug"),
        Severity::Info => (Level::Info, "info"),
        Severity::Warning => (Level::Warning, "warning"),
        Severity::Error => (Level::Error, "error"),
        Severity::Fatal => (Level::Error, "fatal"),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or(text)
}
