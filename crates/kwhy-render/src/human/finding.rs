//! One finding: what is wrong, the proof, why, and what to do.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use kwhy_core::report::{Check, Explained, Fix};
use kwhy_core::{Finding, Report, Role};

use super::{snippet, words};
use crate::escape::visible;
use crate::style::Layout;
use crate::style::{Style, level_name};

/// The column at which everything below a title starts.
pub const INDENT: usize = 7;
/// The column at which the text of a row starts.
pub const TEXT: usize = INDENT + 9;
/// Lines of proof under the first finding, and under later ones.
const EVIDENCE: (usize, usize) = (3, 1);

/// The number of further objects that are named.
const OTHERS: usize = 4;

/// Writes findings of one report.
pub struct Findings<'a> {
    layout: &'a Layout,
    by_rank: HashMap<usize, &'a Finding>,
    verbose: bool,
}

impl<'a> Findings<'a> {
    /// The findings of a report.
    pub fn new(layout: &'a Layout, report: &'a Report, verbose: bool) -> Findings<'a> {
        Findings {
            layout,
            by_rank: report.findings.iter().map(|f| (f.rank, f)).collect(),
            verbose,
        }
    }

    /// The finding of the report that explains another.
    pub fn explanation(&self, finding: &Finding) -> Option<&'a Finding> {
        self.by_rank.get(&finding.explained_by?).copied()
    }

    /// Writes a finding in full. The first of a report shows more proof than later ones.
    pub fn write(&self, finding: &'a Finding, first: bool, out: &mut dyn Write) -> io::Result<()> {
        self.title(finding, out)?;
        self.evidence(finding, first, out)?;
        if !finding.others.is_empty() {
            let most = if self.verbose { usize::MAX } else { OTHERS };
            self.layout
                .row(out, "also", &words::subjects(&finding.others, most))?;
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
        let checks = finding.check.iter().map(Step::from);
        self.layout.steps("check", checks, out)?;
        self.layout
            .steps("fix", finding.fix.iter().map(Step::from), out)?;
        if self.verbose {
            self.layout.references(&finding.references, out)?;
        }
        Ok(())
    }

    fn title(&self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let layout = self.layout;
        let level = finding.severity;
        let word = level_name(level);
        write!(out, "{}  ", layout.styled(Style::Level(level), word))?;
        layout.hang(
            out,
            Style::Strong,
            &visible(&finding.title),
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

    fn evidence(&self, finding: &Finding, first: bool, out: &mut dyn Write) -> io::Result<()> {
        let most = match (self.verbose, first) {
            (true, _) => usize::MAX,
            (false, true) => EVIDENCE.0,
            (false, false) => EVIDENCE.1,
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

    /// The findings that this one explains, over any number of steps; those that say the same are one line.
    fn explains(&self, finding: &'a Finding, out: &mut dyn Write) -> io::Result<()> {
        let home = finding.evidence.first().map_or("", |e| e.source.as_str());
        let mut label = "explains";
        let mut told: HashSet<usize> = HashSet::from([finding.rank]);
        let mut open: Vec<(usize, Vec<(&Finding, &Explained)>)> =
            self.folded(finding, 0, &mut told);
        open.reverse();
        while let Some((depth, group)) = open.pop() {
            let Some((first, explained)) = group.first() else {
                continue;
            };
            let evidence = group.iter().flat_map(|(known, _)| &known.evidence);
            let lines = words::lines(evidence, home);
            let count = group.iter().map(|(known, _)| known.count).sum();
            let at_least = group.iter().any(|(known, _)| known.at_least);
            let mut text = visible(&first.title).into_owned();
            if !lines.is_empty() {
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
                .flat_map(|(known, _)| self.folded(known, depth + 1, &mut told));
            let mut below: Vec<_> = below.collect();
            below.reverse();
            open.extend(below);
        }
        Ok(())
    }

    /// The findings that one explains directly and that are not shown yet, those of one title together.
    fn folded(
        &self,
        finding: &'a Finding,
        depth: usize,
        told: &mut HashSet<usize>,
    ) -> Vec<(usize, Vec<(&'a Finding, &'a Explained)>)> {
        let mut groups: Vec<(usize, Vec<(&Finding, &Explained)>)> = Vec::new();
        for explained in &finding.explains {
            let Some(&known) = self.by_rank.get(&explained.rank) else {
                continue;
            };
            if !told.insert(known.rank) {
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

impl Layout {
    /// A labelled text.
    pub fn row(&self, out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
        self.label(out, label)?;
        self.hang(out, Style::Plain, &visible(text), TEXT, TEXT)
    }

    fn label(&self, out: &mut dyn Write, label: &str) -> io::Result<()> {
        let width = TEXT - INDENT;
        let padded = format!("{label:width$}");
        write!(out, "{:INDENT$}{}", "", self.styled(Style::Faint, padded))
    }

    /// Writes a step: words first, each text on lines of its own, then the command alone on its line. It is
    /// never broken and nothing is beside it, so that it can be copied.
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

/// Something to do: words on it, and the command that does it.
pub struct Step<'s> {
    texts: Vec<Cow<'s, str>>,
    command: Option<Cow<'s, str>>,
}

impl<'s> Step<'s> {
    /// A step of texts in order, and a command.
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

/// The condition under which a repair is done.
pub fn only_if(precondition: &str) -> Cow<'static, str> {
    format!("only if {precondition}").into()
}
