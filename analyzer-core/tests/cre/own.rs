//! Cases written for this repository, which always run.

use kwhy_core::signature::cre;
use kwhy_core::{Analyzer, Catalogue, Document, Finding, Report};

use super::fired;

/// Returns the YAML of a rule with a condition, which must be indented for its place below `rule:`.
pub(super) fn rule(id: &str, condition: &str) -> String {
    format!(
        "rules:\n- cre: {{id: {id}, severity: 1, title: the bakery is shut}}\n  rule:\n{condition}\n"
    )
}

pub(super) fn analyzer(rules: &[String]) -> Analyzer {
    let mut catalogue = Catalogue::empty();
    for (number, rule) in rules.iter().enumerate() {
        let added = catalogue.add_str(&format!("{number}.yaml"), rule);
        added.unwrap_or_else(|error| panic!("{error}\n{rule}"));
    }
    Analyzer::with_catalogue(catalogue)
}

/// Returns true if a condition matches entries of seconds and texts.
fn fires(condition: &str, entries: &[(u32, &str)]) -> bool {
    let log: String = entries
        .iter()
        .map(|(second, text)| line(*second, text))
        .collect();
    let report = analyzer(&[rule("CRE-2030-0001", condition)]).analyze_text("stdin", log);
    !report.findings.is_empty()
}

pub(super) fn line(second: u32, text: &str) -> String {
    format!(
        "2030/01/02 03:{:02}:{:02} [notice] {text}\n",
        second / 60,
        second % 60
    )
}

const SET: &str = "    set: {event: {source: shop}, window: 5s, match: [oven, shelf]}";
const SEQUENCE: &str = "    sequence: {event: {source: shop}, window: 5s, order: [oven, shelf]}";

#[test]
fn windows_are_inclusive_and_sequences_ordered() {
    for (second, in_window) in [(0, true), (5, true), (6, false)] {
        let entries = [(0, "oven"), (second, "shelf")];
        assert_eq!(fires(SET, &entries), in_window, "{second}");
        assert_eq!(fires(SEQUENCE, &entries), in_window, "{second}");
        let entries = [(0, "shelf"), (second, "oven")];
        assert_eq!(fires(SET, &entries), in_window, "{second}");
        assert!(!fires(SEQUENCE, &entries), "{second}");
    }
    // one entry can match several terms of a set, but never two steps of a sequence
    assert!(fires(SET, &[(0, "oven shelf")]) && !fires(SEQUENCE, &[(0, "oven shelf")]));
}

#[test]
fn counts_are_so_many_entries() {
    let set = "    set: {event: {source: shop}, window: 9s, match: [{value: oven, count: 3}]}";
    assert!(fires(set, &[(0, "oven"), (4, "oven"), (9, "oven")]));
    assert!(!fires(set, &[(0, "oven"), (4, "oven"), (10, "oven")]));
    let listed = "    set: {event: {source: shop}, window: 9s, match: [oven, oven, shelf]}";
    assert!(fires(listed, &[(0, "oven"), (1, "shelf"), (9, "oven")]));
    assert!(!fires(listed, &[(0, "oven"), (1, "shelf")]));
}

#[test]
fn negative_terms_suppress_by_window_slide_anchor_and_absolute() {
    let with = |options: &str| {
        format!(
            "    set:\n      event: {{source: shop}}\n      window: 5s\n      match: [oven, shelf]\n      negate: [{{value: closed{options}}}]"
        )
    };
    // the match lasts from second 10 to 14
    let cases: [(&str, &[(u32, bool)]); 6] = [
        (
            "",
            &[(9, true), (10, true), (12, false), (14, false), (15, true)],
        ),
        (", window: 3s", &[(17, false), (18, true)]),
        (
            ", slide: -2s",
            &[(7, true), (8, false), (12, false), (13, true)],
        ),
        (
            ", anchor: 1, window: 1s",
            &[(13, true), (14, false), (19, false), (20, true)],
        ),
        (
            ", window: 3s, absolute: true",
            &[(12, false), (13, false), (14, true)],
        ),
        (", slide: 2s, absolute: true", &[(12, false), (13, true)]),
    ];
    for (options, times) in cases {
        for (second, fire) in times {
            let mut entries = vec![(10, "oven"), (14, "shelf"), (*second, "closed")];
            entries.sort_by_key(|(second, text)| (*second, *text != "closed"));
            assert_eq!(
                fires(&with(options), &entries),
                *fire,
                "{options} at {second}"
            );
        }
    }
}

#[test]
fn a_line_without_a_time_has_that_of_the_record_before_it() {
    let analyzers = || {
        let rules = [rule("CRE-2030-0001", SEQUENCE)];
        [analyzer(&rules), analyzer(&rules).with_naive_matching()]
    };
    for (second, fire) in [(5, true), (6, false)] {
        let log = line(0, "open") + "oven\n\nnone\n" + &line(second, "shelf");
        for analyzer in analyzers() {
            let found = !analyzer
                .analyze_text("stdin", log.as_str())
                .findings
                .is_empty();
            assert_eq!(found, fire, "{log}");
        }
    }
}

#[test]
fn named_terms_stand_for_others() {
    let rules = "rules:\n- cre: {id: CRE-2030-0001}\n  rule: {set: {event: {source: shop}, window: 5s, match: [cold, shelf is bare], negate: [{value: shut, window: 1s}]}}\nterms:\n  cold: {regex: 'oven .*cold'}\n  shut: {value: closed, window: 9s}\n".to_owned();
    let analyzer = analyzer(&[rules]);
    let report = |last: u32| {
        let log = line(0, "oven 3 is cold") + &line(1, "shelf is bare") + &line(last, "closed");
        analyzer.analyze_text("stdin", log)
    };
    assert!(report(2).findings.is_empty() && !report(4).findings.is_empty());
}

#[test]
fn options_of_negative_terms_are_found_through_all_names() {
    let rules = "rules:\n- cre: {id: CRE-2030-0001}\n  rule: {set: {event: {source: shop}, window: 5s, match: [oven, shelf], negate: [shut]}}\nterms:\n  shut: {value: done}\n  done: {value: closed, window: 3s}\n".to_owned();
    let analyzer = analyzer(&[rules]);
    let report = |last: u32| {
        let log = line(0, "oven") + &line(1, "shelf") + &line(last, "closed");
        analyzer.analyze_text("stdin", log)
    };
    assert!(report(4).findings.is_empty() && !report(5).findings.is_empty());
}

#[test]
fn what_cannot_be_a_rule_is_refused_with_its_place() {
    let of = |body: &str| rule("CRE-2030-0001", &format!("    {body}"));
    let nested = format!("{}x{}", "{set: {match: [".repeat(100), "]}}".repeat(100));
    for (yaml, says) in [
        (
            of("set: {event: {source: shop}, window: 5s, match: [oven]}"),
            "no window",
        ),
        (
            of("set: {event: {source: shop}, match: [oven, shelf]}"),
            "has a window",
        ),
        (of("set: {event: {source: shop}, order: [oven]}"), "match"),
        (of("set: {event: {source: shop}, negate: [oven]}"), "match"),
        (of("set: {match: [oven]}"), "source"),
        (of("set: {event: {}, match: [oven]}"), "source"),
        (
            of("sequence: {event: {source: shop}, window: 5s, order: [oven]}"),
            "two terms",
        ),
        (
            of("sequence: {event: {source: shop}, order: [oven, shelf]}"),
            "window",
        ),
        (
            of("sequence: {event: {source: shop}, window: 5s, match: [oven, shelf]}"),
            "order",
        ),
        (
            of("sequence: {event: {source: shop}, window: soon, order: [oven, shelf]}"),
            "soon",
        ),
        (
            of("sequence: {event: {source: shop}, window: 2d, order: [oven, shelf]}"),
            "2d",
        ),
        (
            of("sequence: {event: {source: shop}, window: 9000000h, order: [oven, shelf]}"),
            "window",
        ),
        (
            of("set: {event: {source: shop}, match: [{value: a, regex: b}]}"),
            "only one",
        ),
        (
            of("set: {event: {source: shop}, match: [{regexs: b}]}"),
            "value, a regex or jq",
        ),
        (
            of("set: {event: {source: shop}, match: [{regex: '(?=x)'}]}"),
            "look-around",
        ),
        (
            of("set: {event: {source: shop}, match: [{jq: 'def f: f; f'}]}"),
            "definitions",
        ),
        (
            of("set: {event: {source: shop}, match: [oven], negate: [{value: x, count: 2}]}"),
            "count",
        ),
        (
            of("set: {event: {source: shop}, match: [oven], negate: [{value: x, anchor: 1}]}"),
            "anchor",
        ),
        (
            of("set: {event: {source: shop}, window: 9s, match: [{value: oven, count: 99999999}]}"),
            "count",
        ),
        (
            of("set: {event: {source: shop}, match: [{promql: {expr: up}}]}"),
            "promql",
        ),
        (
            of(&format!(
                "set: {{event: {{source: shop}}, match: [{nested}]}}"
            )),
            "limit",
        ),
        (
            rule("A", "    set: {event: {source: shop}, match: [oven]}"),
            "id",
        ),
        ("rules:\n- cre: {id: CRE-2030-0001}\n".to_owned(), "no rule"),
        ("rules: []\n".to_owned(), "list"),
        ("rules:\n- [".to_owned(), ""),
    ] {
        let mut catalogue = Catalogue::empty();
        let error = catalogue.add_str("x.yaml", &yaml).unwrap_err();
        assert!(error.message().contains(says), "{error}\n{says}\n{yaml}");
        assert!(
            error.line() > 0 && error.column() > 0 && error.message().len() < 400,
            "{error}"
        );
        assert!(catalogue.is_empty());
    }
}

#[test]
fn each_rule_of_a_file_has_its_own_lines() {
    let one = |number: u32| {
        format!(
            "cre: {{id: CRE-2030-000{number}}}\n  rule: {{set: {{event: {{source: shop}}, match: [oven]}}}}"
        )
    };
    let text = format!("rules:\n- {}\n- {}\n- {}\n", one(2), one(1), one(3));
    let mut catalogue = Catalogue::empty();
    catalogue.add_str("x.yaml", &text).unwrap();
    let sources: Vec<&str> = (0..3).map(|at| &**catalogue.at(at).source).collect();
    for (source, id) in sources.iter().zip(["0002", "0001", "0003"]) {
        assert!(
            source
                .trim_start_matches("- ")
                .starts_with(&format!("cre: {{id: CRE-2030-{id}")),
            "{sources:?}"
        );
    }
}

#[test]
fn an_id_is_taken_once() {
    let one = rule(
        "CRE-2030-0001",
        "    set: {event: {source: shop}, match: [oven]}",
    );
    let mut catalogue = Catalogue::empty();
    catalogue.add_str("a.yaml", &one).unwrap();
    let error = catalogue.add_str("b.yaml", &one).unwrap_err();
    assert!(
        error.is_taken_id() && error.to_string().contains("a.yaml"),
        "{error}"
    );
}

#[test]
fn rules_see_what_envelopes_and_tools_surround() {
    let rules = [
        rule(
            "CRE-2030-0001",
            "    set: {event: {source: shop}, match: [{regex: '^shelf \"\\w+\" is bare$'}]}",
        ),
        rule(
            "CRE-2030-0002",
            "    set: {event: {source: shop}, match: [{jq: '.shelf == \"a\" and .bare'}]}",
        ),
    ];
    let analyzer = analyzer(&rules);
    for text in [
        "2030-01-02T03:04:05.123456789Z stderr F shelf \"a\" is bare\n",
        "{\"log\":\"shelf \\\"a\\\" is bare\\n\",\"stream\":\"stderr\",\"time\":\"2030-01-02T03:04:05.1Z\"}\n",
        "[pod/shop-0/shop] shelf \"a\" is bare\n",
        "\u{1b}[31mshelf \"a\" is bare\u{1b}[0m\n",
        "Events:\n  Type     Reason  Age   From     Message\n  ----     ------  ----  ----     -------\n  Warning  Bare    105s  kubelet  shelf \"a\" is bare\n",
    ] {
        let found = fired(&analyzer.analyze_text("stdin", text));
        assert!(found.contains("cre-2030-0001"), "{text}");
    }
    for text in [
        "2030-01-02T03:04:05.123456789Z stdout F {\"shelf\":\"a\",\"bare\":true}\n",
        "{\"shelf\":\"a\",\"bare\":true,\"level\":\"info\",\"msg\":\"x\",\"ts\":\"2030-01-02T03:04:05Z\"}\n",
        "2030-01-02T03:04:05.123456789Z {\n  \"shelf\": \"a\",\n  \"bare\": true\n}\n",
    ] {
        let found = fired(&analyzer.analyze_text("stdin", text));
        assert!(found.contains("cre-2030-0002"), "{text}");
    }
}

#[test]
fn each_line_of_a_record_in_envelopes_is_an_entry() {
    let condition = "    set: {event: {source: shop}, match: [{value: ' at shelf'}]}";
    let mut log = "2030-01-02T03:04:05.000000000Z stderr F panic: the oven is cold\n".to_owned();
    for number in 0..100 {
        log += &format!(
            "2030-01-02T03:04:05.000000000Z stderr F     at shelf.Bake(Shelf.java:{number})\n"
        );
    }
    let rules = [rule("CRE-2030-0001", condition)];
    for analyzer in [analyzer(&rules), analyzer(&rules).with_naive_matching()] {
        let report = analyzer.analyze_text("stdin", log.as_str());
        assert_eq!(whole(&report).count, 100);
    }
}

#[test]
fn what_an_event_must_not_say_rules_an_entry_out() {
    let native = "id: shelf\ncause: node/disk-full\nseverity: error\ntitle: x\nwhy: x\nmatch: {event: {entry: {value: shelf}, not: 'shelf is full'}}\n";
    let analyzer = analyzer(&[native.to_owned()]);
    let findings = |text: &str| analyzer.analyze_text("stdin", line(1, text)).findings.len();
    assert_eq!(
        (findings("a shelf is bare"), findings("a shelf is full")),
        (1, 0)
    );
}

#[test]
fn objects_are_entries_of_jq_terms_in_json_and_yaml() {
    let rules = [rule(
        "CRE-2030-0001",
        "    set: {event: {source: shop}, match: [{jq: '.kind == \"ConfigMap\" and (.data.oven | test(\"^cold\"))'}]}",
    )];
    let analyzer = analyzer(&rules);
    for text in [
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"bakery\"},\"data\":{\"oven\":\"cold today\"}}\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: bakery\ndata:\n  oven: cold today\n",
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: bakery\n  data:\n    oven: cold today\n",
    ] {
        assert_eq!(
            analyzer.analyze_text("stdin", text).findings.len(),
            1,
            "{text}"
        );
        let warm = text.replace("cold", "warm");
        assert!(
            analyzer.analyze_text("stdin", warm).findings.is_empty(),
            "{text}"
        );
    }
}

#[test]
fn entries_of_several_files_are_in_the_order_of_time() {
    let analyzer = analyzer(&[rule("CRE-2030-0001", SEQUENCE)]);
    let report = |first: String, second: String| {
        let documents = [
            Document::new("1.log", first.as_str()),
            Document::new("2.log", second.as_str()),
        ];
        analyzer.analyze(&documents)
    };
    assert_eq!(
        report(line(12, "shelf"), line(10, "oven")).findings.len(),
        1
    );
    assert_eq!(
        report(line(10, "shelf"), line(12, "oven")).findings.len(),
        0
    );
}

/// Returns the only finding of a report.
fn whole(report: &Report) -> &Finding {
    let [finding] = report.findings.as_slice() else {
        panic!("{:?}", report.findings);
    };
    finding
}

const WHOLE: &str = "
rules:
- metadata: {id: 4t48r67AjGo5QG9yCtgXQq}
  cre:
    id: CRE-2030-0001
    severity: 2
    title: 'The oven {x} is cold'
    category: bakery-problem
    tags: [oven]
    author: A baker
    cause: |
      The **fire** is out: see `ls {x}`.
    impact: No *bread*.
    impactScore: 7
    mitigation: |
      - Light the fire
      - Read [the guide](https://bakery.example/fire)
    references: ['https://bakery.example/oven']
    applications: [{name: oven, version: 3.x, containerName: oven}]
  rule:
    set: {event: {source: cre.log.oven}, match: [the oven is cold]}
";

#[test]
fn a_finding_carries_what_its_rule_says() {
    let report = analyzer(&[WHOLE.to_owned()]).analyze_text("stdin", line(1, "the oven is cold"));
    let finding = whole(&report);
    assert_eq!(
        (finding.cause.as_str(), finding.title.as_str()),
        ("cre/cre-2030-0001", "The oven {x} is cold")
    );
    assert_eq!(finding.why, "The fire is out: see `ls {x}`.");
    let fixes: Vec<&str> = finding.fix.iter().map(|fix| fix.text.as_str()).collect();
    assert_eq!(
        fixes,
        [
            "Light the fire",
            "Read the guide (https://bakery.example/fire)"
        ]
    );
    assert_eq!(finding.references, ["https://bakery.example/oven"]);
    let rule = &finding.rules[0];
    assert_eq!(rule.heading(), "CRE-2030-0001 (bakery-problem), oven 3.x");
    assert_eq!(
        (rule.impact.as_deref(), rule.impact_score),
        (Some("No *bread*."), Some(7))
    );
    let json = serde_json::to_string(&report).unwrap();
    let read: Report = serde_json::from_str(&json).unwrap();
    assert_eq!(read.findings[0].rules, finding.rules);
}

#[test]
fn a_rule_tied_to_a_cause_is_no_finding_of_its_own() {
    // a rule that the mapping ties to the cause of a native signature
    let native = "id: disk\ncause: node/disk-full\nseverity: error\ntitle: the disk is full\nwhy: x\nmatch: {event: {message: 'no room left on {disk}'}}\n";
    let of = |id: &str| {
        rule(
            id,
            "    set: {event: {source: shop}, match: [room left on]}",
        )
    };
    let report = |rules: &[String]| {
        let mut catalogue = Catalogue::empty();
        for (number, text) in rules.iter().enumerate() {
            catalogue.add_str(&format!("{number}.yaml"), text).unwrap();
        }
        Analyzer::with_catalogue(catalogue).analyze_text("stdin", line(1, "no room left on disk-3"))
    };
    let both = report(&[native.to_owned(), of("CRE-2025-0077")]);
    let finding = whole(&both);
    assert_eq!(
        (finding.signature.as_str(), finding.rules[0].id.as_str()),
        ("disk", "CRE-2025-0077")
    );
    let other = report(&[native.to_owned(), of("CRE-2030-0001")]);
    assert_eq!(other.findings.len(), 2, "{:?}", other.findings);
    let alone = report(&[of("CRE-2025-0077"), of("CRE-2026-0176")]);
    let finding = whole(&alone);
    assert_eq!(
        (finding.cause.as_str(), finding.rules.len()),
        ("node/disk-full", 2)
    );
}

#[test]
fn rules_and_native_signatures_are_written_as_each_other() {
    let mut rules = vec![WHOLE.to_owned()];
    for body in [
        SET,
        SEQUENCE,
        super::nested::SHIFT,
        "    set: {match: [{sequence: {event: {source: shop, origin: true}, window: 5s, order: [a, b]}, count: 2}, {set: {event: {source: shop}, match: [c]}}], window: 9s}",
        "    set: {match: [{set: {match: [{sequence: {event: {source: shop, origin: true}, window: 5s, order: [a, b]}}], negate: [{set: {event: {source: shop}, match: [{regex: c}, d], window: 2s}, slide: -1s}]}}]}",
        "    sequence: {event: {source: shop}, window: 1m30s, correlations: [hostname], order: [{regex: 'a.+b', count: 3}, {jq: '.a == 1'}], negate: [{value: x, window: 2s, slide: -1s, anchor: 1, absolute: true}, y]}",
    ] {
        rules.push(rule("CRE-2030-0001", body));
    }
    for text in rules {
        let native = Catalogue::rules_as_native("rule.yaml", &text).unwrap();
        let mut of_native = Catalogue::empty();
        of_native
            .add_causes("causes.yaml", "cre/cre-2030-0001: x\n")
            .unwrap();
        of_native
            .add_str("native.yaml", &native)
            .unwrap_or_else(|error| panic!("{error}\n{native}"));
        let again = cre::to_cre(of_native.at(0)).unwrap();
        let mut of_rule = Catalogue::empty();
        of_rule
            .add_str("again.yaml", &again)
            .unwrap_or_else(|error| panic!("{error}\n{again}"));
        let mut first = Catalogue::empty();
        first.add_str("rule.yaml", &text).unwrap();
        let shown = |catalogue: &Catalogue| format!("{:?}", catalogue.at(0).condition);
        assert_eq!(shown(&first), shown(&of_native), "{native}");
        assert_eq!(shown(&first), shown(&of_rule), "{again}");
        let about =
            |catalogue: &Catalogue| catalogue.at(0).community.as_ref().unwrap().without_place();
        assert_eq!(about(&first), about(&of_rule), "{again}");
    }
    let mut catalogue = Catalogue::empty();
    catalogue.add_str("x.yaml", "id: x\ncause: node/disk-full\nseverity: error\ntitle: x\nwhy: x\nmatch: {event: {message: no room left}}\n").unwrap();
    assert!(cre::to_cre(catalogue.at(0)).unwrap_err().contains("entry"));
}

#[test]
fn a_term_without_a_text_is_tested_on_each_record() {
    let analyzer = analyzer(&[rule(
        "CRE-2030-0001",
        "    set: {event: {source: shop}, match: [{regex: '[0-9]{7}'}]}",
    )])
    .with_blocks_of(2000);
    let mut log = String::new();
    for number in 0..500 {
        log += &line(
            number,
            if number % 5 == 0 {
                "crate 1234567"
            } else {
                "crate 9"
            },
        );
    }
    let report = analyzer.analyze_text("stdin", log);
    assert_eq!(whole(&report).count, 100);
}
