//! Each capture in `fixtures/lab` yields the cause that was injected, or none if no fault was injected.

use std::fs;
use std::path::Path;

use kwhy_core::{Analyzer, Document, Finding, Level, Role};
use rayon::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    primary: String,
    acceptable: Vec<String>,
    evidence: Option<String>,
}

/// The result of one case.
#[derive(Default)]
struct Outcome {
    /// The first cause, if it is neither the injected one nor an acceptable alternative.
    wrong: Option<String>,
    is_exact: bool,
    /// True if the labelled line is in the primary evidence of the first finding, or if no line is labelled.
    is_proved: bool,
}

/// The minimum percentage of cases whose evidence contains the labelled line.
const PROVED: usize = 98;

/// The minimum percentage of cases in which the injected cause itself is named, not an acceptable alternative.
const EXACT: usize = 99;

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn run(analyzer: &Analyzer, folder: &Path) -> (bool, Outcome) {
    let case = fs::read_to_string(folder.join("case.yaml")).unwrap();
    let case: Case = serde_yaml::from_str(&case).unwrap();
    let input = fs::read(folder.join("input.txt")).unwrap();
    let report = analyzer.analyze(&[Document::new("input.txt", input)]);
    let is_cause = |finding: &&Finding| finding.role == Role::Cause;
    // if something only looks broken, the benign finding is the right answer
    let is_benign = |finding: &&Finding| finding.role == Role::Benign;
    let mut findings = report.findings.iter();
    let cause = report.findings.iter().find(is_cause);
    let first = cause.or_else(|| findings.find(is_benign));
    if case.primary == "none/healthy" {
        let alarm = report.findings.iter().filter(|f| f.role != Role::Benign);
        let alarm = alarm.map(|finding| finding.severity).max();
        let wrong = alarm.filter(|severity| *severity > Level::Info);
        let wrong = wrong.map(|_| format!("{:?}", first.map(|first| &first.title)));
        return (
            false,
            Outcome {
                wrong,
                is_exact: true,
                is_proved: true,
            },
        );
    }
    let Some(first) = first else {
        let wrong = Some("nothing".to_owned());
        return (
            true,
            Outcome {
                wrong,
                ..Outcome::default()
            },
        );
    };
    let is_exact = first.cause == case.primary;
    let is_right = is_exact || case.acceptable.iter().any(|cause| *cause == first.cause);
    let wanted = squeezed(case.evidence.as_deref().unwrap_or_default());
    let mut shown = first.evidence.iter().map(|line| squeezed(&line.text));
    let outcome = Outcome {
        wrong: (!is_right).then(|| format!("{}: {}", first.cause, first.title)),
        is_exact,
        is_proved: shown.any(|line| line.contains(&wanted) || wanted.contains(&line)),
    };
    (true, outcome)
}

#[test]
fn the_injected_cause_is_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/lab");
    let mut folders: Vec<_> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    assert!(folders.len() > 500, "{}", folders.len());
    let analyzer = Analyzer::new();
    let outcomes: Vec<(bool, Outcome)> = folders
        .par_iter()
        .map(|folder| run(&analyzer, folder))
        .collect();
    let wrong: Vec<String> = folders
        .iter()
        .zip(&outcomes)
        .filter_map(|(folder, (_, outcome))| {
            let wrong = outcome.wrong.as_ref()?;
            Some(format!("{}: {wrong}", folder.display()))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let faulty = outcomes.iter().filter(|(is_faulty, _)| *is_faulty);
    let faulty: Vec<&Outcome> = faulty.map(|(_, outcome)| outcome).collect();
    let proved = faulty.iter().filter(|outcome| outcome.is_proved).count();
    let exact = faulty.iter().filter(|outcome| outcome.is_exact).count();
    assert!(
        proved * 100 >= PROVED * faulty.len(),
        "{proved} of {} proved",
        faulty.len()
    );
    assert!(
        exact * 100 >= EXACT * faulty.len(),
        "{exact} of {} exact",
        faulty.len()
    );
}
