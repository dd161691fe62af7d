//! The built-in signatures: every file loads, passes its own examples, and has no lint errors.

use kwhy_core::signature::LintLevel;
use kwhy_core::{Analyzer, Catalogue};

#[test]
fn the_compiled_catalogue_equals_the_files() {
    let builtin = Catalogue::builtin();
    let mut read = Catalogue::empty();
    for signature in builtin.signatures() {
        if let Err(error) = read.add_str(&signature.file, &signature.source) {
            panic!("{error}");
        }
        let again = read.get(&signature.id).unwrap();
        assert_eq!(
            signature.examples().matching.len(),
            again.examples().matching.len()
        );
        // the source is loaded lazily, so force it before comparing debug output
        assert_eq!(*signature.source, *again.source);
        assert_eq!(format!("{signature:?}"), format!("{again:?}"));
    }
    assert!(builtin.len() > 20);
    assert_eq!(read.len(), builtin.len());
}

#[test]
fn examples_pass() {
    let outcomes = Analyzer::new().test_signatures();
    let failed: Vec<String> = outcomes
        .iter()
        .filter_map(|outcome| {
            let failure = outcome.failure.as_ref()?;
            Some(format!("{}:{}: {failure}", outcome.file, outcome.line))
        })
        .collect();
    assert!(!outcomes.is_empty());
    assert!(
        failed.is_empty(),
        "{} examples fail:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn no_lint_is_an_error() {
    let errors: Vec<String> = Analyzer::new()
        .lint_signatures()
        .iter()
        .filter(|lint| lint.level == LintLevel::Error)
        .map(ToString::to_string)
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn the_index_knows_what_replaces_a_built_in_signature() {
    let mine = "\
id: configmap-mount-missing
cause: storage/configmap-missing
severity: error
title: 'ConfigMap {name} is gone'
match:
  event: {reason: FailedMount, message: 'gone is {name} for ever'}
why: it is mounted
";
    let mut catalogue = Catalogue::builtin();
    catalogue.add_str("mine.yaml", mine).unwrap();
    let analyzer = Analyzer::with_catalogue(catalogue);
    let found = |message: &str| {
        let line = format!("Warning  FailedMount  5s  kubelet  {message}");
        let report = analyzer.analyze_text("stdin", line);
        let mut findings = report.findings.iter();
        findings.any(|finding| finding.signature == "configmap-mount-missing")
    };
    assert!(found("gone is x for ever"));
    assert!(!found("configmap \"x\" not found"));
}
