//! The built-in signatures: every file loads, proves itself by its examples, and has no mistake.

use kwhy_core::{Analyzer, Catalogue, LintLevel};

#[test]
fn the_built_form_is_what_the_files_say() {
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
        assert_eq!(format!("{signature:?}"), format!("{again:?}"));
    }
    assert!(builtin.len() > 20);
    assert_eq!(read.len(), builtin.len());
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
fn no_lint_is_an_error() {
    let errors: Vec<String> = Analyzer::new()
        .lint_signatures()
        .iter()
        .filter(|lint| lint.level == LintLevel::Error)
        .map(ToString::to_string)
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}
