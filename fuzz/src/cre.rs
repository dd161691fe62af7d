//! Community rules (CRE): each file is either rejected with a valid location, or its rules run on a log within bounds.

use kwhy_core::{Analyzer, Catalogue};

const RULE: &str = "rules:\n- cre: {id: CRE-2030-0001, severity: 1, title: a}\n  rule:\n    set:\n      event: {source: shop}\n      window: 5s\n      match:\n";

/// Tests a file of rules and a log, separated by `--- LOG`. Without the separator, the text is used both as the term of
/// a rule and as the log.
pub fn cre(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (rules, log) = match text.split_once("--- LOG\n") {
        Some((rules, log)) => (rules.to_owned(), log.to_owned()),
        None => {
            let term = text.replace('\'', "''").replace(['\n', '\r'], " ");
            let log: String = text
                .lines()
                .map(|line| format!("2030/01/02 03:04:05 [notice] {line}\n"))
                .collect();
            let kind = ["value", "regex", "jq"][text.len() % 3];
            (format!("{RULE}      - {kind}: '{term}'\n"), log)
        }
    };
    let mut catalogue = Catalogue::empty();
    match catalogue.add_str("input.yaml", &rules) {
        Ok(()) => {
            let analyzer = Analyzer::with_catalogue(catalogue);
            let naive = analyzer.clone().with_naive_matching();
            let all = [&analyzer, &naive].map(|analyzer| {
                let report = analyzer.analyze_text("input", log.as_str());
                serde_json::to_string(&report.findings).unwrap_or_default()
            });
            assert_eq!(all[0], all[1]);
        }
        Err(error) => {
            assert!(catalogue.is_empty());
            assert!(error.line() >= 1 && error.column() >= 1);
            assert!(error.line() <= rules.lines().count() + 1, "{error}");
        }
    }
}
