//! The fast matcher says what the slow reference says.

use analyzer_core::{Analyzer, Catalogue};

fn assert_agreement((fast, naive): &(Analyzer, Analyzer), name: &str, text: &str) {
    let told =
        |analyzer: &Analyzer| serde_json::to_string(&analyzer.analyze_text(name, text)).unwrap();
    assert_eq!(told(fast), told(naive), "{name}");
}

#[test]
fn on_every_example() {
    // each keeps its compiled patterns from one text to the next
    let both = (Analyzer::new(), Analyzer::new().with_naive_matching());
    for signature in Catalogue::builtin().signatures() {
        let examples = signature.examples();
        for example in examples.matching.iter().chain(&examples.no_match) {
            assert_agreement(&both, &signature.id, &example.text);
        }
    }
}
