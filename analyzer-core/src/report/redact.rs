//! Replaces the names and addresses in a report by tokens.

use std::collections::BTreeMap;

use kwhy_model::Subject;
use kwhy_parse::redact::Identities;

use super::{Check, CommandLine, Evidence, Finding, Report, Situation};

impl Report {
    /// Replaces names, namespaces, hosts, addresses, e-mail addresses, images and ids by tokens, also in commands.
    /// Names in fields of the report are registered first, so that they are found in texts. Texts of signatures without
    /// names stay.
    ///
    /// ```
    /// use kwhy_core::Analyzer;
    /// use kwhy_core::report::Identities;
    /// let event = "Warning  FailedMount  5s  kubelet  MountVolume.SetUp failed for volume \"conf\" : configmap \"cart\" not found";
    /// let mut report = Analyzer::new().analyze_text("stdin", event);
    /// report.redact(&mut Identities::new(None));
    /// assert!(report.findings[0].title.starts_with("ConfigMap \"configmap-1\" does not exist"));
    /// ```
    pub fn redact(&mut self, identities: &mut Identities) {
        self.names(identities);
        let it = identities;
        for finding in &mut self.findings {
            of_finding(finding, it);
        }
        for event in &mut self.unexplained {
            text(&mut event.reason, it);
            event
                .evidence
                .iter_mut()
                .for_each(|line| evidence(line, it));
            event.namespace.iter_mut().for_each(|name| text(name, it));
        }
        self.next.iter_mut().for_each(|next| check(next, it));
        for input in &mut self.inputs {
            text(&mut input.source, it);
            input
                .not_understood_texts
                .iter_mut()
                .for_each(|line| text(line, it));
        }
        for bundle in &mut self.bundles {
            text(&mut bundle.source, it);
            bundle.missing.iter_mut().for_each(|path| text(path, it));
        }
        for limit in &mut self.limits {
            text(&mut limit.source, it);
            text(&mut limit.message, it);
        }
        for situation in &mut self.situations {
            match situation {
                Situation::NodeRestarted { node, .. } => text(node, it),
                Situation::Rollout { object } => it.subject(object),
                _ => {}
            }
        }
        let unwell = self
            .health
            .iter_mut()
            .flat_map(|kind| &mut kind.unwell_objects);
        unwell.for_each(|object| it.subject(object));
        let namespaces = std::mem::take(&mut self.namespaces);
        self.namespaces = namespaces
            .iter()
            .map(|name| it.redact(name).into_owned())
            .collect();
    }

    /// Registers the names that occur in fields of the report.
    fn names(&self, identities: &mut Identities) {
        let of_findings = self.findings.iter();
        let of_findings = of_findings.flat_map(|it| std::iter::once(&it.subject).chain(&it.others));
        let unwell = self.health.iter().flat_map(|kind| &kind.unwell_objects);
        of_findings
            .chain(unwell)
            .for_each(|subject| identities.add_subject(subject));
        for namespace in &self.namespaces {
            identities.add("namespace", namespace);
        }
        for finding in &self.findings {
            let lines = finding.evidence.iter().chain(&finding.recovered);
            lines.for_each(|line| identities.learn(&line.text));
            for (name, value) in &finding.captures {
                let kind = Subject::known_kind(name);
                let kind = kind.or_else(|| (name == "namespace").then_some("namespace"));
                kind.iter().for_each(|kind| identities.add(kind, value));
            }
        }
    }
}

fn of_finding(finding: &mut Finding, it: &mut Identities) {
    text(&mut finding.title, it);
    it.subject(&mut finding.subject);
    finding
        .others
        .iter_mut()
        .for_each(|other| it.subject(other));
    let values = |captures: &mut BTreeMap<String, String>, it: &mut Identities| {
        captures.values_mut().for_each(|value| text(value, it));
    };
    values(&mut finding.captures, it);
    finding
        .also
        .iter_mut()
        .for_each(|captures| values(captures, it));
    let lines = finding.evidence.iter_mut().chain(&mut finding.recovered);
    lines.for_each(|line| evidence(line, it));
    finding
        .explains
        .iter_mut()
        .for_each(|explained| text(&mut explained.why, it));
    text(&mut finding.why, it);
    finding.check.iter_mut().for_each(|step| check(step, it));
    for fix in &mut finding.fix {
        text(&mut fix.text, it);
        command(&mut fix.command, it);
        fix.precondition
            .iter_mut()
            .for_each(|condition| text(condition, it));
    }
}

fn text(text: &mut String, it: &mut Identities) {
    if let std::borrow::Cow::Owned(redacted) = it.redact(text) {
        *text = redacted;
    }
}

fn evidence(line: &mut Evidence, it: &mut Identities) {
    text(&mut line.source, it);
    let before = line
        .text
        .get(..line.mark.start)
        .unwrap_or("")
        .chars()
        .count() as u64;
    let (redacted, mark) = it.redact_marked(&line.text, &line.mark);
    let after = redacted.get(..mark.start).unwrap_or("").chars().count() as u64;
    // a line whose start was cut keeps its column offset
    line.column = (line.column + after).saturating_sub(before).max(1);
    line.text = redacted;
    line.mark = mark;
    line.label.iter_mut().for_each(|label| text(label, it));
    line.around.iter_mut().for_each(|(_, near)| text(near, it));
}

fn check(check: &mut Check, it: &mut Identities) {
    check.text.iter_mut().for_each(|words| text(words, it));
    text(&mut check.why, it);
    command(&mut check.command, it);
}

fn command(command: &mut Option<CommandLine>, it: &mut Identities) {
    if let Some(line) = command {
        let argv = line.argv().iter();
        let argv = argv.map(|word| it.redact(word).into_owned()).collect();
        *command = CommandLine::new(argv);
    }
}
