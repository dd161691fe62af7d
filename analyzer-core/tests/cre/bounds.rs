//! Many rules and long inputs stay within bounds.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use kwhy_core::Document;
use kwhy_core::report::Limit;

use super::fired;
use super::own::{analyzer, line, rule};

#[test]
fn ten_thousand_rules_are_read_and_run() {
    let mut text = String::from("rules:\n");
    for number in 0..10_000 {
        let _ = writeln!(
            text,
            "- cre: {{id: CRE-2030-{number:05}, severity: 3}}\n  rule: {{sequence: {{event: {{source: shop}}, window: 800000h, order: ['crate {number} is lost', 'shelf {number} is bare']}}}}"
        );
    }
    let start = Instant::now();
    let analyzer = analyzer(&[text]);
    let log =
        line(1, "crate 77 is lost") + &line(2, "shelf 77 is bare") + &line(3, "crate 9 is lost");
    let found = fired(&analyzer.analyze_text("stdin", log));
    assert_eq!(found, BTreeSet::from(["cre-2030-00077".to_owned()]));
    assert!(
        start.elapsed() < Duration::from_secs(120),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn state_is_bounded_and_limits_are_reported() {
    let set = rule(
        "CRE-2030-0001",
        "    set: {event: {source: shop}, window: 800000h, match: [oven, shelf], negate: [{value: closed, window: 800000h}]}",
    );
    let jq = rule(
        "CRE-2030-0002",
        "    set: {event: {source: shop}, match: [{jq: '[.list[] as $x | .list[] as $y | 1] | length > 1'}]}",
    );
    let analyzer = analyzer(&[set, jq]);
    let mut log = String::new();
    for number in 0..40_000 {
        log += &line(number % 3000, "oven");
    }
    let list = format!("[{}0]", "0,".repeat(3000));
    let json = format!(
        "{{\"level\":\"info\",\"msg\":\"x\",\"ts\":\"2030-01-02T03:04:05Z\",\"list\":{list}}}\n"
    );
    let documents = [
        Document::new("a.log", log.as_str()),
        Document::new("b.log", json.as_str()),
    ];
    let report = analyzer.analyze(&documents);
    let limits: Vec<&str> = report.limits.iter().map(|met| met.limit.name()).collect();
    assert!(limits.contains(&Limit::EntryTests.name()), "{limits:?}");
    assert!(limits.contains(&Limit::ManyMatches.name()), "{limits:?}");
}
