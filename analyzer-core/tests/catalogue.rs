//! The built-in signatures: every file loads, proves itself by its examples, and has no lint.

use analyzer_core::{Analyzer, Catalogue};

#[test]
fn every_builtin_file_loads() {
    let mut catalogue = Catalogue::empty();
    for (file, yaml) in Catalogue::builtin_files() {
        if let Err(error) = catalogue.add_str(file, yaml) {
            panic!("{error}");
        }
    }
    assert_eq!(
        catalogue.signatures().len(),
        Catalogue::builtin().signatures().len()
    );
}

#[test]
fn examples_hold() {
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
fn no_lint() {
    let lints: Vec<String> = Analyzer::new()
        .lint_signatures()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(lints.is_empty(), "{}", lints.join("\n"));
}
