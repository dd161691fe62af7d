//! One finding as text: what is wrong, the proof, why, and what to do.

use std::borrow::Cow;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use kwhy_core::report::{Check, Explained, Fix};
use kwhy_core::{Finding, Report, Role};

use super::snippet;
use crate::escape::visible;
use crate::style::Layout;
use crate::style::{Style, level_name};
use crate::words;

/// The column at which everything below a title starts.
pub const INDENT: usize = 7;
/// The column at which the text of a row starts.
pub const TEXT: usize = INDENT + 9;
/// The number of lines of evidence under the first finding, and under later ones.
const EVIDENCE: (usize, usize) = (3, 1);

/// Up to this number of findings that nothing explains, each is shown in full.
const MANY: usize = 4;

/// The maximum number of further objects that are named.
const OTHERS: usize = 4;
/// The maximum number of explained findings that are listed; the causes of the others are counted.
const EXPLAINED: usize = 6;
/// The maximum number of causes that are named with their counts.
const COUNTED: usize = 4;
/// The maximum number of characters of a title, and of the title of an explained finding.
const TITLE: usize = 200;
const EXPLAINED_TITLE: usize = 120;

/// Writes the findings of one report.
pub struct Findings<'a> {
    layout: &'a Layout,
    by_rank: HashMap<usize, &'a Finding>,
    verbose: bool,
    /// True if the report has too many findings to show each in full.
    are_many: bool,
    /// The commands that were written already, as each is written once.
    commands: RefCell<HashSet<String>>,
}

impl<'a> Findings<'a> {
    /// Prepares the findings of a report for writing.
    pub fn new(layout: &'a Layout, report: &'a Report, verbose: bool) -> Findings<'a> {
        let roots = report.findings.iter();
        let roots = roots.filter(|f| f.explained_by.is_none() && f.role != Role::Benign);
        Findings {
            are_many: !verbose && roots.count() > MANY,
            layout,
            by_rank: report.findings.iter().map(|f| (f.rank, f)).collect(),
            verbose,
            commands: RefCell::default(),
        }
    }

    /// Returns true if the report has too many findings to show each in full.
    pub fn are_many(&self) -> bool {
        self.are_many
    }

    /// Returns the finding that explains this one.
    pub fn explanation(&self, finding: &Finding) -> Option<&'a Finding> {
        self.by_rank.get(&finding.explained_by?).copied()
    }

    /// Writes a finding in full. The first of a report shows more proof than later ones.
    pub fn write(&self, finding: &'a Finding, first: bool, out: &mut dyn Write) -> io::Result<()> {
        self.title(finding, out)?;
        self.evidence(finding, first, out)?;
        if !finding.others.is_empty() {
            let most = if self.verbose { usize::MAX } else { OTHERS };
            let others = words::subjects(&finding.others, most, finding.others_at_least);
            self.layout.row(out, "also", &others)?;
        }
        if !finding.why.is_empty() {
            self.layout.row(out, "why", &finding.why)?;
        }
        if let Some(end) = &finding.recovered {
            let home = finding.evidence.first().map_or("", |e| e.source.as_str());
            let lines = words::lines(std::iter::once(end), home);
            let text = format!("{lines}: {}", visible(end.text.trim()));
            self.layout.row(out, "ended", &text)?;
        }
        self.explains(finding, out)?;
        self.steps("check", finding.check.iter().map(Step::from), out)?;
        self.steps("fix", finding.fix.iter().map(Step::from), out)?;
        for rule in &finding.rules {
            if let Some(impact) = rule.impact_text() {
                self.layout.row(out, "impact", &impact)?;
            }
            self.layout.row(out, "rule", &rule.heading())?;
        }
        if self.verbose {
            self.layout.references(&finding.references, out)?;
        }
        Ok(())
    }

    /// Writes findings with the same title briefly: what is wrong, where, and how much they explain.
    pub fn brief(&self, same: &[&'a Finding], out: &mut dyn Write) -> io::Result<()> {
        let Some((finding, further)) = same.split_first() else {
            return Ok(());
        };
        self.title(finding, out)?;
        let mut parts: Vec<String> = Vec::new();
        if let Some(first) = finding.evidence.first() {
            let line = format!(" line {}", first.line);
            let room = self.layout.width.saturating_sub(INDENT + line.len() + 1);
            parts.push(words::path(&visible(&first.source), room) + &line);
        }
        let others = same.iter().map(|finding| finding.others.len());
        let others = (others.sum::<usize>() + further.len()) as u64;
        if others > 0 {
            let at_least = same.iter().any(|finding| finding.others_at_least);
            let number = words::counted(others, "other object");
            let at_least = if at_least { "at least " } else { "" };
            parts.push(format!("also {at_least}{number}"));
        }
        let explained: Vec<&Finding> = same.iter().flat_map(|it| self.explained(it)).collect();
        if !explained.is_empty() {
            parts.push(format!("explains {}", causes(&explained)));
        }
        self.layout
            .hang(out, Style::Plain, &parts.join("; "), 0, INDENT)
    }

    /// Writes steps, without commands that the report contains already.
    pub fn steps<'s>(
        &self,
        label: &str,
        steps: impl Iterator<Item = Step<'s>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut commands = self.commands.borrow_mut();
        let is_new = |step: &Step<'_>| match &step.command {
            Some(command) => commands.insert(command.to_string()),
            None => true,
        };
        self.layout.steps(label, steps.filter(is_new), out)
    }

    /// Returns all findings that this one explains, over any number of steps.
    fn explained(&self, finding: &Finding) -> Vec<&'a Finding> {
        let mut known: HashSet<usize> = HashSet::from([finding.rank]);
        let mut all = Vec::new();
        let mut open: Vec<usize> = finding.explains.iter().map(|it| it.rank).collect();
        while let Some(rank) = open.pop() {
            if let Some(&found) = self.by_rank.get(&rank)
                && known.insert(rank)
            {
                open.extend(found.explains.iter().map(|it| it.rank));
                all.push(found);
            }
        }
        all
    }

    fn title(&self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let layout = self.layout;
        let level = finding.severity;
        let word = level_name(level);
        write!(out, "{}  ", layout.styled(Style::Level(level), word))?;
        layout.hang(
            out,
            Style::Strong,
            &self.cut(&visible(&finding.title), TITLE),
            word.len() + 2,
            INDENT,
        )?;

        let mut parts = vec![format!(
            "{} ({})",
            visible(finding.cause.as_str()),
            visible(&finding.signature)
        )];
        match (finding.role, self.explanation(finding)) {
            (Role::Symptom, Some(cause)) => {
                parts.push(format!("a symptom of {}", visible(cause.cause.as_str())));
            }
            (Role::Symptom, None) => parts.push("a symptom".into()),
            (Role::Benign, _) => parts.push("benign".into()),
            (Role::Cause, _) => {}
        }
        parts.push(words::confidence(finding.confidence).into());
        parts.push(words::seen(finding));
        layout.hang(out, Style::Faint, &parts.join(", "), 0, INDENT)
    }

    /// Truncates a text to a number of characters, unless everything is shown.
    fn cut<'t>(&self, text: &'t str, most: usize) -> Cow<'t, str> {
        if self.verbose {
            Cow::Borrowed(text)
        } else {
            words::cut(text, most)
        }
    }

    fn evidence(&self, finding: &Finding, first: bool, out: &mut dyn Write) -> io::Result<()> {
        let most = match (self.verbose, first) {
            (true, _) => usize::MAX,
            (false, true) if !self.are_many => EVIDENCE.0,
            (false, _) => EVIDENCE.1,
        };
        let mut shown: HashSet<(&str, u64)> = HashSet::new();
        for evidence in &finding.evidence {
            if shown.len() == most {
                break;
            }
            if shown.insert((&evidence.source, evidence.line)) {
                snippet::draw(self.layout, finding.severity, evidence, out)?;
            }
        }
        Ok(())
    }

    /// Writes the findings that this one explains, over any number of steps; those with the same title share a line.
    fn explains(&self, finding: &'a Finding, out: &mut dyn Write) -> io::Result<()> {
        let home = finding.evidence.first().map_or("", |e| e.source.as_str());
        let mut label = "explains";
        let mut listed: HashSet<usize> = HashSet::from([finding.rank]);
        let mut open: Vec<(usize, Vec<(&Finding, &Explained)>)> =
            self.folded(finding, 0, &mut listed);
        open.reverse();
        let mut written: HashSet<usize> = HashSet::new();
        let mut rows = 0;
        while let Some((depth, group)) = open.pop() {
            let Some((first, explained)) = group.first() else {
                continue;
            };
            if rows == EXPLAINED && !self.verbose {
                let mut rest = self.explained(finding);
                rest.retain(|known| !written.contains(&known.rank));
                return self
                    .layout
                    .row(out, "", &format!("and {}: kwhy -v", causes(&rest)));
            }
            rows += 1;
            written.extend(group.iter().map(|(known, _)| known.rank));
            let evidence = group.iter().flat_map(|(known, _)| &known.evidence);
            let lines = words::lines(evidence, home);
            let count = group.iter().map(|(known, _)| known.count).sum();
            let at_least = group.iter().any(|(known, _)| known.at_least);
            let mut text = self
                .cut(&visible(&first.title), EXPLAINED_TITLE)
                .into_owned();
            let is_at_home = || {
                let mut evidence = group.iter().flat_map(|(known, _)| &known.evidence);
                evidence.all(|line| line.source == home)
            };
            if !lines.is_empty() && (!self.are_many || is_at_home()) {
                text = format!("{lines}: {text}");
            }
            if count > 1 {
                text = format!("{text} ({})", words::times(count, at_least));
            }
            if depth > 0 {
                text = format!("{}→ {text}", "  ".repeat(depth - 1));
            }
            self.layout.row(out, std::mem::take(&mut label), &text)?;
            if self.verbose && !explained.why.is_empty() {
                self.layout
                    .hang(out, Style::Faint, &visible(&explained.why), 0, TEXT)?;
            }
            let below = group
                .iter()
                .flat_map(|(known, _)| self.folded(known, depth + 1, &mut listed));
            let mut below: Vec<_> = below.collect();
            below.reverse();
            open.extend(below);
        }
        Ok(())
    }

    /// Returns the findings that this one explains directly and that are not listed yet, grouped by title.
    fn folded(
        &self,
        finding: &'a Finding,
        depth: usize,
        listed: &mut HashSet<usize>,
    ) -> Vec<(usize, Vec<(&'a Finding, &'a Explained)>)> {
        let mut groups: Vec<(usize, Vec<(&Finding, &Explained)>)> = Vec::new();
        for explained in &finding.explains {
            let Some(&known) = self.by_rank.get(&explained.rank) else {
                continue;
            };
            if !listed.insert(known.rank) {
                continue;
            }
            let same = |(_, group): &&mut (usize, Vec<(&Finding, &Explained)>)| {
                group
                    .first()
                    .is_some_and(|(first, _)| first.title == known.title)
            };
            match groups.iter_mut().find(same) {
                Some((_, group)) => group.push((known, explained)),
                None => groups.push((depth, vec![(known, explained)])),
            }
        }
        groups
    }
}

/// Counts findings, and names the most frequent causes with their counts.
fn causes(findings: &[&Finding]) -> String {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for finding in findings {
        *counts.entry(finding.cause.as_str()).or_default() += 1;
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(cause, count)| (Reverse(*count), *cause));
    let named = counts.iter().take(COUNTED);
    let mut named: Vec<String> = named
        .map(|(cause, count)| match count {
            1 => visible(cause).into_owned(),
            _ => format!("{} {count}", visible(cause)),
        })
        .collect();
    if counts.len() > COUNTED {
        named.push("…".to_owned());
    }
    let all = words::counted(findings.len() as u64, "finding");
    format!("{all} ({})", named.join(", "))
}

impl Layout {
    /// Writes a text with a label before it.
    pub fn row(&self, out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
        self.label(out, label)?;
        self.hang(out, Style::Plain, &visible(text), TEXT, TEXT)
    }

    fn label(&self, out: &mut dyn Write, label: &str) -> io::Result<()> {
        let width = TEXT - INDENT;
        let padded = format!("{label:width$}");
        write!(out, "{:INDENT$}{}", "", self.styled(Style::Faint, padded))
    }

    /// Writes steps: first the words, each text on lines of its own, then the command alone on a line that is never
    /// broken, so that it can be copied.
    pub fn steps<'s>(
        &self,
        label: &str,
        steps: impl IntoIterator<Item = Step<'s>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut label = label;
        for step in steps {
            for text in step.texts.iter().filter(|text| !text.is_empty()) {
                self.row(out, std::mem::take(&mut label), text)?;
            }
            if let Some(command) = &step.command {
                self.label(out, std::mem::take(&mut label))?;
                writeln!(out, "{}", self.styled(Style::Command, visible(command)))?;
            }
        }
        Ok(())
    }

    /// Writes the references.
    pub fn references(&self, references: &[String], out: &mut dyn Write) -> io::Result<()> {
        for (index, reference) in references.iter().enumerate() {
            self.label(out, if index == 0 { "see" } else { "" })?;
            writeln!(out, "{}", visible(reference))?;
        }
        Ok(())
    }
}

/// Something to do: text, and the command that does it.
pub struct Step<'s> {
    texts: Vec<Cow<'s, str>>,
    command: Option<Cow<'s, str>>,
}

impl<'s> Step<'s> {
    /// Creates a step of texts in order, and a command.
    pub fn new(
        texts: impl IntoIterator<Item = Cow<'s, str>>,
        command: Option<Cow<'s, str>>,
    ) -> Step<'s> {
        Step {
            texts: texts.into_iter().collect(),
            command,
        }
    }
}

impl<'s> From<&'s Check> for Step<'s> {
    fn from(check: &'s Check) -> Step<'s> {
        let text = check.text.as_deref();
        let texts = text.into_iter().chain([&*check.why]);
        let command = check.command.as_ref();
        Step::new(texts.map(Cow::from), command.map(|it| it.run().into()))
    }
}

impl<'s> From<&'s Fix> for Step<'s> {
    fn from(fix: &'s Fix) -> Step<'s> {
        let precondition = fix.precondition.as_ref().map(|it| only_if(it));
        let texts = [Some(Cow::from(&*fix.text)), precondition];
        let command = fix.command.as_ref();
        Step::new(
            texts.into_iter().flatten(),
            command.map(|it| it.run().into()),
        )
    }
}

/// Returns the condition under which a repair is done: `only if ...`.
pub fn only_if(precondition: &str) -> Cow<'static, str> {
    format!("only if {precondition}").into()
}
