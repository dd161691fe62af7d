//! Signatures generated from patterns or from a seed.

use serde_json::Value;

use crate::Random;

/// Returns the YAML of a signature. Every match of the regex must contain the literal.
pub fn signature(number: usize, literal: &str, regex: &str) -> String {
    // a JSON string is also a valid YAML string
    let quoted = |text: String| Value::from(text).to_string();
    format!(
        "id: pattern-{number:03}\ncause: workload/operator-error\nseverity: error\ntitle: {}\n\
         match:\n  event:\n    message: {}\n    literals: [{}]\nwhy: it is one of a list of patterns\n",
        quoted(format!("pattern {number} of the list")),
        quoted(format!("regex: {regex}")),
        quoted(literal.to_owned()),
    )
}

const WORDS: [&str; 16] = [
    "ledger", "harbour", "shard", "beacon", "cursor", "lantern", "voucher", "replica", "anchor",
    "courier", "gateway", "invoice", "orchard", "parcel", "quorum", "tariff",
];

/// Generates signatures for messages that no generated log contains, as a multi-document YAML text.
pub fn signatures(count: usize, seed: u64) -> String {
    let mut random = Random(seed);
    let mut word = || WORDS[random.below(16) as usize];
    let all = (0..count).map(|number| {
        let literal = format!("the {} {} {number} has lost its {}", word(), word(), word());
        let regex = format!("{literal} after [0-9]+ (?:tries|hours)");
        signature(number, &literal, &regex)
    });
    all.collect::<Vec<_>>().join("---\n")
}

#[cfg(test)]
mod tests {
    use kwhy_core::{Analyzer, Catalogue};

    use super::*;

    #[test]
    fn any_pattern_is_quoted() {
        let regex = r#"disk "[^ \"]+" is \\?'full': # \d{2}%"#;
        let yaml = signature(7, "disk ", regex);
        let mut catalogue = Catalogue::empty();
        catalogue.add_str("p.yaml", &yaml).unwrap();
        let line = r#"E0304 05:06:07.123456       1 x.go:8] disk "sda" is 'full': # 97%"#;
        let report = Analyzer::with_catalogue(catalogue).analyze_text("log", line);
        assert_eq!(report.matched.get("pattern-007"), Some(&1));
    }

    #[test]
    fn made_signatures_are_taken() {
        let mut catalogue = Catalogue::builtin();
        let before = catalogue.len();
        catalogue.add_str("p.yaml", &signatures(1000, 1)).unwrap();
        assert_eq!(catalogue.len(), before + 1000);
    }
}
