//! Object states that other tools check in live clusters, from `fixtures/checks`: the finding for each of them, and
//! none for healthy objects.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kwhy_core::{Analyzer, Report, Role};
use serde::Deserialize;

/// The expected result for a state.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// The cause of the first finding.
    cause: Option<String>,
    /// True if the finding is an audit note.
    #[serde(default)]
    audit: bool,
    /// The reason why nothing is reported.
    nothing: Option<String>,
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/checks")
        .join(name)
}

fn report(analyzer: &Analyzer, folder: &Path, name: &str) -> Report {
    let text = fs::read(folder.join(format!("{name}.yaml"))).unwrap();
    analyzer.analyze_text(name, text)
}

fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap();
    let name = |file: fs::DirEntry| file.path().file_stem()?.to_str().map(str::to_owned);
    let mut names: Vec<String> = files.filter_map(|file| name(file.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn states_that_are_faults() {
    let expected = fs::read_to_string(folder("expected.yaml")).unwrap();
    let expected: BTreeMap<String, Expected> = serde_yaml::from_str(&expected).unwrap();
    let (paste, audit) = (Analyzer::new(), Analyzer::new().with_audit());
    let faults = folder("faults");
    assert_eq!(
        expected.keys().collect::<Vec<_>>(),
        names(&faults).iter().collect::<Vec<_>>()
    );
    let mut wrong = Vec::new();
    for (name, wanted) in &expected {
        let first = |analyzer| {
            let report = report(analyzer, &faults, name);
            let first = report.findings.first();
            first.map(|finding| finding.cause.to_string())
        };
        let (said, with_notes) = (first(&paste), first(&audit));
        let is_right = match (&wanted.cause, &wanted.nothing) {
            (Some(cause), None) if wanted.audit => {
                said.is_none() && with_notes.as_ref() == Some(cause)
            }
            (Some(cause), None) => said.as_ref() == Some(cause),
            (None, Some(_)) => said.is_none() && with_notes.is_none(),
            _ => false,
        };
        if !is_right {
            wrong.push(format!("{name}: {said:?}, with notes {with_notes:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn states_that_are_well() {
    let analyzer = Analyzer::new().with_audit();
    let well = folder("well");
    let names = names(&well);
    assert!(names.len() > 50);
    for name in names {
        let report = report(&analyzer, &well, &name);
        let mut findings = report.findings.iter();
        let fault = findings.find(|finding| finding.role != Role::Benign);
        assert!(
            fault.is_none(),
            "{name}: {:?}",
            fault.map(|finding| &finding.title)
        );
    }
}
