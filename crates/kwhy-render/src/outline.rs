//! The order of a report in documents: causes with what they explain, then what needs no action.

use std::collections::{HashMap, HashSet};

use kwhy_core::report::{State, Unexplained};
use kwhy_core::{Finding, Level, Report, Role};

use crate::words::counted;
use crate::{View, verdict};

/// The maximum number of findings that are listed below one.
const MOST_EXPLAINED: usize = 200;

/// A report as a document shows it.
pub struct Outline<'r> {
    /// The report.
    pub report: &'r Report,
    /// The findings that nothing explains and that may need action, in order.
    pub roots: Vec<&'r Finding>,
    /// Faults that are over.
    pub over: Vec<&'r Finding>,
    /// Findings that look alarming but are harmless.
    pub benign: Vec<&'r Finding>,
    by_rank: HashMap<usize, &'r Finding>,
    /// The number of findings that were omitted because nobody asked for them.
    left_out: usize,
}

/// A finding that another one explains, directly or over several steps.
pub struct Below<'r> {
    /// The finding.
    pub finding: &'r Finding,
    /// The reason why the finding above explains it.
    pub why: &'r str,
    /// The number of steps in between; 0 if it is explained directly.
    pub depth: usize,
}

impl<'r> Outline<'r> {
    /// Creates the outline of a report.
    pub fn new(view: &View<'r>) -> Outline<'r> {
        let report = view.report;
        let by_rank: HashMap<usize, &Finding> =
            report.findings.iter().map(|f| (f.rank, f)).collect();
        let is_root = |finding: &&Finding| match finding.explained_by {
            Some(by) => !by_rank.contains_key(&by),
            None => true,
        };
        let (benign, roots): (Vec<&Finding>, Vec<&Finding>) = report
            .findings
            .iter()
            .filter(is_root)
            .partition(|finding| finding.role == Role::Benign);
        let (over, benign) = benign
            .into_iter()
            .partition(|finding| finding.state == State::Over);
        Outline {
            report,
            roots,
            over,
            benign,
            by_rank,
            left_out: view.left_out,
        }
    }

    /// Returns the findings that this one explains, over any number of steps, each once and after what explains it.
    pub fn below(&self, finding: &'r Finding) -> Vec<Below<'r>> {
        let mut known: HashSet<usize> = HashSet::from([finding.rank]);
        let mut all = Vec::new();
        let mut open: Vec<Below<'r>> = Vec::new();
        self.open(finding, 0, &mut open);
        while let Some(next) = open.pop() {
            if all.len() == MOST_EXPLAINED {
                break;
            }
            if known.insert(next.finding.rank) {
                self.open(next.finding, next.depth + 1, &mut open);
                all.push(next);
            }
        }
        all
    }

    fn open(&self, finding: &'r Finding, depth: usize, open: &mut Vec<Below<'r>>) {
        for explained in finding.explains.iter().rev() {
            if let Some(&finding) = self.by_rank.get(&explained.rank) {
                let why = explained.why.as_str();
                open.push(Below {
                    finding,
                    why,
                    depth,
                });
            }
        }
    }

    /// Returns the answer in a few words, as a headline.
    pub fn headline(&self) -> String {
        let count = |role, is_note| {
            let of_role = self.roots.iter().filter(|finding| finding.role == role);
            of_role
                .filter(|finding| (finding.severity == Level::Info) == is_note)
                .count() as u64
        };
        let causes = count(Role::Cause, false);
        let symptoms = count(Role::Symptom, false) + count(Role::Symptom, true);
        let notes = count(Role::Cause, true);
        let parts = [
            (causes, "root cause"),
            (symptoms, "symptom"),
            (notes, "note"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts.map(|(count, what)| counted(count, what)).collect();
        let listed = match parts.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            parts => parts.concat(),
        };
        match (causes, self.report.verdict) {
            (1.., _) => listed,
            (_, kwhy_core::Verdict::Healthy) => "healthy".to_owned(),
            (_, kwhy_core::Verdict::Over) => "nothing is wrong now".to_owned(),
            _ if listed.is_empty() => "no root cause is known".to_owned(),
            _ => format!("no root cause, {listed}"),
        }
    }

    /// Returns the verdict in sentences; `None` if the headline says the same.
    pub fn more_than_headline(&self) -> Option<String> {
        let verdict = self.verdict();
        (verdict != self.as_sentence()).then_some(verdict)
    }

    fn as_sentence(&self) -> String {
        format!("{}.", capital(&self.headline()))
    }

    /// Returns the verdict in sentences.
    pub fn verdict(&self) -> String {
        let answered = !self.roots.is_empty();
        verdict::verdict(self.report, self.left_out).unwrap_or_else(|| match self.report.verdict {
            _ if answered => self.as_sentence(),
            _ if self.report.stats.bytes == 0 => "The input is empty.".to_owned(),
            _ => "No signature matches, and kwhy does not guess a cause.".to_owned(),
        })
    }

    /// Returns the events that no finding covers.
    pub fn unexplained(&self) -> &'r [Unexplained] {
        &self.report.unexplained
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn what_explains_comes_first() {
        let report = samples::with_symptoms();
        let outline = Outline::new(&View {
            report: &report,
            left_out: 0,
        });
        let ranks = |findings: &[&Finding]| findings.iter().map(|f| f.rank).collect::<Vec<_>>();
        assert_eq!(ranks(&outline.roots), [1, 4]);
        assert_eq!(ranks(&outline.benign), [5]);
        let below = outline.below(outline.roots[0]);
        let below: Vec<_> = below.iter().map(|it| (it.finding.rank, it.depth)).collect();
        assert_eq!(below, [(2, 0), (3, 0)]);
        assert_eq!(outline.headline(), "1 root cause and 1 symptom");
        assert_eq!(outline.verdict(), "1 root cause and 1 symptom.");
    }

    #[test]
    fn cycles_end() {
        let mut report = samples::with_symptoms();
        let back = kwhy_core::report::Explained::new(1, "");
        report.findings[1].explains.push(back);
        let outline = Outline::new(&View {
            report: &report,
            left_out: 0,
        });
        assert_eq!(outline.below(outline.roots[0]).len(), 2);
    }
}
