//! The fast matcher says what the slow reference says.

use analyzer_core::{Analyzer, Catalogue};

fn assert_agreement(name: &str, text: &str) {
    let (fast, naive) = (Analyzer::new(), Analyzer::new().with_naive_matching());
    let told =
        |analyzer: &Analyzer| serde_json::to_string(&analyzer.analyze_text(name, text)).unwrap();
    assert_eq!(told(&fast), told(&naive), "{name}");
}

#[test]
fn on_every_example() {
    for signature in Catalogue::builtin().signatures() {
        let examples = &signature.examples;
        for example in examples.matching.iter().chain(&examples.no_match) {
            assert_agreement(&signature.id, &example.text);
        }
    }
}
