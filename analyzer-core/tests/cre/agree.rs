//! Searching blocks for literals finds the same as testing every rule on every record.

use std::fmt::Write as _;

use kwhy_core::Analyzer;
use proptest::prelude::*;

use super::own::{analyzer, line, rule};

/// Generates the text of entries and terms from few words, so that they often match.
fn words() -> impl Strategy<Value = String> {
    prop::collection::vec(
        "oven|shelf|cold|bare [0-9]|\"crate\"|error: |\\{|panic: ",
        1..6,
    )
    .prop_map(|words| words.join(" "))
}

/// Expressions with one literal, several, one that ignores case, or none, some of which match across words.
const EXPRESSIONS: &[&str] = &[
    "(oven|shelf).{0,3}(cold|bare [0-9]|error)",
    "(?i)CRATE.*",
    "cold$",
    ".are [0-4]",
    "^(shelf|error)",
    "oven.*bare",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Searching blocks for literals finds the same as testing every rule on every record.
    #[test]
    fn the_fast_way_agrees_with_the_slow_one(
        entries in prop::collection::vec((0u32..40, words(), 0usize..5), 1..60),
        terms in prop::collection::vec(prop_oneof![
            words().prop_map(|text| format!("{{value: {text:?}}}")),
            prop::sample::select(EXPRESSIONS).prop_map(|text| format!("{{regex: {text:?}}}")),
        ], 1..4),
        (block, is_nested, is_refuted) in (300usize..4000, any::<bool>(), any::<bool>()),
    ) {
        let condition = match terms.as_slice() {
            [one, others @ ..] if is_nested => {
                let event = "event: {source: shop}";
                let first = format!("{{set: {{event: {{source: shop, origin: true}}, match: [{one}]}}}}");
                let others = others.iter().map(|other| format!("{{set: {{{event}, window: 5s, match: [{other}, {one}]}}}}"));
                let negative = if is_refuted { format!(", negate: [{{sequence: {{{event}, window: 3s, order: [{one}, {one}]}}}}]") } else { String::new() };
                let all: Vec<String> = std::iter::once(first).chain(others).collect();
                let window = if all.len() > 1 { ", window: 20s" } else { "" };
                format!("    set: {{match: [{}]{window}{negative}}}", all.join(", "))
            }
            [one] => format!("    set: {{event: {{source: shop}}, match: [{one}]}}"),
            several => format!("    set: {{event: {{source: shop}}, window: 9s, match: [{}]}}", several.join(", ")),
        };
        let text = rule("CRE-2030-0001", &condition);
        // lines without a timestamp follow a record, as they would otherwise be parsed according to their surroundings
        let mut log = line(0, "open");
        for (second, text, form) in &entries {
            match form {
                0 => log += &line(*second, text),
                1 => { let _ = writeln!(log, "2030-01-02T03:04:{second:02}.123456789Z stderr F {text}"); }
                2 => { let _ = writeln!(log, "{}", serde_json::json!({"level": "error", "ts": format!("2030-01-02T03:04:{second:02}Z"), "msg": text})); }
                3 => { let _ = writeln!(log, "  {}", text.replace("panic: ", "")); }
                _ => { let _ = writeln!(log, "{}", text.replace("panic: ", "")); }
            }
        }
        let fast = analyzer(std::slice::from_ref(&text)).with_blocks_of(block);
        let slow = analyzer(&[text]).with_blocks_of(block).with_naive_matching();
        let rendered = |analyzer: &Analyzer| {
            let report = analyzer.analyze_text("stdin", log.as_str());
            report.findings.iter().map(|finding| (finding.signature.clone(), finding.count)).collect::<Vec<_>>()
        };
        prop_assert_eq!(rendered(&fast), rendered(&slow), "{}", log);
    }
}

#[test]
fn a_line_after_a_record_is_counted_once() {
    let expression = "    set: {event: {source: shop}, match: [{regex: '.are [0-4]'}]}";
    let analyzer = analyzer(&[rule("CRE-2030-0001", expression)]);
    let log = format!(
        "{}  bare 0\n{}{}",
        line(0, "oven"),
        line(1, "oven"),
        line(2, "bare 1")
    );
    let report = analyzer.analyze_text("stdin", log);
    let counts: Vec<u64> = report
        .findings
        .iter()
        .map(|finding| finding.count)
        .collect();
    assert_eq!(counts, [2]);
}
