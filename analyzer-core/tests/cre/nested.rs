//! Rules whose terms are sets and sequences.

use kwhy_core::{Catalogue, Document, Report};

use super::own::{analyzer, line, rule};
use super::{fired, own};

/// The shift ends with the lights out; before that, in one kitchen, the oven fails twice and is then cold, unless
/// someone closed up.
pub(super) const SHIFT: &str = "    sequence:
      window: 60s
      order:
        - sequence:
            event: {source: shop, origin: true}
            window: 10s
            order: [{value: oven failed, count: 2}, oven is cold]
            negate: [oven repaired]
        - set:
            event: {source: house}
            match: [lights out]
      negate:
        - set:
            event: {source: house}
            window: 5s
            match: [door locked, alarm set]";

/// Returns true if a condition matches entries of seconds and texts. The slow reference must agree.
fn fires(condition: &str, entries: &[(u32, &str)]) -> bool {
    let log: String = entries
        .iter()
        .map(|(second, text)| line(*second, text))
        .collect();
    let analyzer = analyzer(&[rule("CRE-2030-0001", condition)]);
    let naive = own::analyzer(&[rule("CRE-2030-0001", condition)]).with_naive_matching();
    let count = |report: Report| report.findings.iter().map(|found| found.count).sum();
    let found: u64 = count(analyzer.analyze_text("stdin", log.as_str()));
    let reference: u64 = count(naive.analyze_text("stdin", log));
    assert_eq!(found, reference, "{condition}");
    found > 0
}

#[test]
fn a_term_that_is_a_sequence_matches_when_it_does() {
    let failed = [(1, "oven failed"), (3, "oven failed"), (9, "oven is cold")];
    let with = |more: &[(u32, &'static str)]| {
        let mut entries = failed.to_vec();
        entries.extend(more);
        entries.sort_by_key(|(second, _)| *second);
        fires(SHIFT, &entries)
    };
    assert!(with(&[(30, "lights out")]));
    // the second step must come after the whole first step, and within the outer window
    assert!(!with(&[(5, "lights out")]));
    assert!(with(&[(61, "lights out")]));
    assert!(!with(&[(62, "lights out")]));
    // an entry that refutes the inner sequence
    assert!(!with(&[(4, "oven repaired"), (30, "lights out")]));
    assert!(with(&[(10, "oven repaired"), (30, "lights out")]));
    // refuting the whole takes both entries, within their own window, while the match lasts
    assert!(with(&[(12, "door locked"), (30, "lights out")]));
    let both = |locked, set| {
        with(&[
            (locked, "door locked"),
            (set, "alarm set"),
            (30, "lights out"),
        ])
    };
    assert!(!both(12, 16));
    assert!(both(12, 18));
    assert!(!both(29, 33));
    assert!(both(31, 33));
}

#[test]
fn a_nested_term_may_be_asked_for_several_times() {
    let condition = "    set:
      window: 30s
      match:
        - {set: {event: {source: shop, origin: true}, window: 2s, match: [oven, shelf]}, count: 2}";
    let once = [(1, "oven"), (2, "shelf")];
    let twice = [once[0], once[1], (20, "shelf"), (22, "oven")];
    let late = [once[0], once[1], (20, "shelf"), (32, "oven"), (33, "shelf")];
    assert!(!fires(condition, &once));
    assert!(fires(condition, &twice));
    assert!(!fires(condition, &late));
}

#[test]
fn names_stand_for_nested_terms() {
    let rules = "rules:
- cre: {id: CRE-2030-0001, severity: 1}
  rule: {set: {window: 20s, match: [pair, lights], negate: [{value: quiet, window: 5s}]}}
terms:
  pair: {sequence: {event: {source: shop, origin: true}, window: 5s, order: [oven, shelf]}}
  lights: {set: {event: {source: house}, match: [lights out]}}
  quiet: {set: {event: {source: house}, match: [closed]}}
";
    let analyzer = analyzer(&[rules.to_owned()]);
    let found = |last: u32| {
        let log =
            line(0, "oven") + &line(1, "shelf") + &line(9, "lights out") + &line(last, "closed");
        fired(&analyzer.analyze_text("stdin", log)).len()
    };
    assert_eq!((found(14), found(15)), (0, 1));
}

#[test]
fn inner_correlations_keep_logs_apart() {
    let condition = "    set:
      window: 20s
      match:
        - sequence: {event: {source: shop, origin: true}, window: 5s, order: [oven, shelf], correlations: [container_id]}
        - set: {event: {source: house}, match: [lights out]}";
    let analyzer = analyzer(&[rule("CRE-2030-0001", condition)]);
    let found = |a: &str, b: &str| {
        let documents = [Document::new("a.log", a), Document::new("b.log", b)];
        analyzer.analyze(&documents).findings.len()
    };
    let (oven, shelf, lights) = (line(0, "oven"), line(1, "shelf"), line(2, "lights out"));
    assert_eq!(found(&(oven.clone() + &shelf), &lights), 1);
    assert_eq!(found(&oven, &(shelf + &lights)), 0);
}

#[test]
fn what_cannot_be_nested_is_refused() {
    let one = "set: {event: {source: shop, origin: true}, match: [oven]}";
    let same = "set: {event: {source: shop, origin: true}, match: [cold]}";
    let other = "set: {event: {source: house}, match: [shelf]}";
    for (body, says) in [
        (format!("    set: {{window: 5s, match: [{{{other}}}, {{{other}}}]}}"), "origin"),
        (format!("    set: {{window: 5s, match: [{{{one}}}, {{{same}}}]}}"), "origin"),
        (format!("    set: {{window: 5s, match: [{{{one}}}, shelf]}}"), "source"),
        (format!("    set: {{window: 5s, match: [{{{one}}}]}}"), "no window"),
        (format!("    set: {{match: [{{{one}}}, {{{other}}}]}}"), "has a window"),
        (format!("    set: {{match: [{{{one}}}], negate: [{{{other}, anchor: 1}}]}}"), "anchor"),
        (format!("    set: {{match: [{{{one}, value: x}}]}}"), "nothing else"),
        ("    set: {match: [{set: {match: [oven]}}]}".to_owned(), "source"),
        (
            "    set: {match: [{set: {event: {source: shop, origin: true}, window: 9s, match: [{value: a, count: 4096}, b]}}]}".to_owned(),
            "4096",
        ),
    ] {
        let text = rule("CRE-2030-0001", &body);
        let error = Catalogue::empty().add_str("x.yaml", &text).unwrap_err();
        assert!(error.message().contains(says), "{error}\n{says}\n{body}");
        assert!(error.line() > 0 && error.message().len() < 400, "{error}");
    }
}

/// Returns a rule whose terms are nested by name to this depth.
fn deep(depth: usize) -> String {
    let mut text =
        "rules:\n- cre: {id: CRE-2030-0001}\n  rule: {set: {match: [t1]}}\nterms:\n".to_owned();
    for number in 1..depth {
        text += &format!("  t{number}: {{set: {{match: [t{}]}}}}\n", number + 1);
    }
    text + &format!(
        "  t{depth}: {{set: {{event: {{source: shop, origin: true}}, match: [oven]}}}}\n"
    )
}

#[test]
fn rules_nest_a_hundred_deep_and_no_deeper() {
    let analyzer = analyzer(&[deep(100)]);
    let report = analyzer.analyze_text("stdin", line(1, "oven") + &line(2, "oven"));
    assert_eq!(fired(&report).len(), 1);
    let error = Catalogue::empty()
        .add_str("x.yaml", &deep(101))
        .unwrap_err();
    assert!(error.message().contains("100 deep"), "{error}");
    // a term that refers to itself, and terms that each refer to the next one twice
    let own = "rules:\n- cre: {id: CRE-2030-0001}\n  rule: {set: {match: [t1]}}\nterms:\n  t1: {set: {match: [t1]}}\n";
    let error = Catalogue::empty().add_str("x.yaml", own).unwrap_err();
    assert!(error.message().contains("deep"), "{error}");
    let mut doubled =
        "rules:\n- cre: {id: CRE-2030-0001}\n  rule: {set: {match: [t1]}}\nterms:\n".to_owned();
    for number in 1..40 {
        let next = number + 1;
        doubled += &format!(
            "  t{number}: {{set: {{window: 5s, match: [{{value: t{next}}}, t{next}]}}}}\n"
        );
    }
    doubled += "  t40: {set: {event: {source: shop}, match: [oven]}}\n";
    let error = Catalogue::empty().add_str("x.yaml", &doubled).unwrap_err();
    assert!(error.message().contains("128 terms"), "{error}");
}

#[test]
fn state_of_nested_rules_is_bounded() {
    let condition = "    sequence:
      window: 800000h
      order:
        - {sequence: {event: {source: shop, origin: true}, window: 800000h, order: [oven, shelf]}, count: 3}
        - set: {event: {source: house}, match: [never]}";
    let analyzer = analyzer(&[rule("CRE-2030-0001", condition)]);
    let log: String = (0..20_000)
        .map(|number| {
            line(
                number % 3000,
                if number % 2 == 0 { "oven" } else { "shelf" },
            )
        })
        .collect();
    let report = analyzer.analyze_text("stdin", log);
    assert!(report.findings.is_empty());
    assert!(
        report
            .limits
            .iter()
            .any(|met| met.limit.name() == "many-matches")
    );
}
