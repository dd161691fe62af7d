//! End-to-end tests of temporal signatures over log text.

use crate::{Analyzer, Catalogue};

/// Wraps a condition into a signature.
pub(super) fn signature(condition: &str) -> String {
    format!(
        "id: over-time\ncause: image/not-found\nseverity: error\ntitle: seen\nwhy: because\n\
         match: {condition}\n"
    )
}

/// Builds a klog log from messages with their seconds.
fn log(lines: &[(u32, &str)]) -> String {
    let line = |(second, message): &(u32, &str)| {
        let (minute, second) = (second / 60, second % 60);
        format!("E0314 09:{minute:02}:{second:02}.000000       1 keeper.go:77] {message}\n")
    };
    lines.iter().map(line).collect()
}

/// The number of findings, and of the events that they count.
fn findings(condition: &str, text: &str) -> (usize, u64) {
    let mut catalogue = Catalogue::empty();
    catalogue.add_str("x.yaml", &signature(condition)).unwrap();
    let report = Analyzer::with_catalogue(catalogue).analyze_text("log", text.as_bytes());
    let counts = report.findings.iter().map(|finding| finding.count);
    (report.findings.len(), counts.sum())
}

fn event(message: &str) -> String {
    format!("event: {{message: '{message}'}}")
}

fn list(key: &str, messages: &[&str], rest: &str) -> String {
    let parts: Vec<String> = messages
        .iter()
        .map(|m| format!("{{{}}}", event(m)))
        .collect();
    format!("{{{key}: [{}], per: source, {rest}}}", parts.join(", "))
}

const STEPS: &[&str] = &["gate is shut", "lamp went dark", "keeper left the tower"];

fn steps(times: [u32; 3], more: &[(u32, &'static str)]) -> String {
    let mut lines: Vec<(u32, &str)> = vec![(0, "keeper came in")];
    lines.extend(times.into_iter().zip(STEPS.iter().copied()));
    lines.extend(more);
    lines.push((900, "keeper sleeps"));
    lines.sort_by_key(|(time, _)| *time);
    log(&lines)
}

#[test]
fn sets_and_sequences_within_a_window() {
    for (key, times, within, found) in [
        ("all", [20, 21, 25], "5s", 1),
        ("all", [20, 21, 25], "4999ms", 0),
        ("all", [25, 20, 22], "10s", 1),
        ("sequence", [20, 22, 25], "10s", 1),
        ("sequence", [20, 22, 25], "1s", 0),
        ("sequence", [25, 22, 20], "10s", 0),
        // equal times: line order decides
        ("sequence", [20, 20, 20], "0s", 1),
    ] {
        let condition = list(key, STEPS, &format!("within: {within}"));
        let text = steps(times, &[]);
        assert_eq!(
            findings(&condition, &text).0,
            found,
            "{condition} in {text}"
        );
    }
}

#[test]
fn what_refutes_a_match() {
    let options = |options: &str| format!("none: [{{{}{options}}}]", event("all is well"));
    let well = |time: u32| steps([100, 101, 104], &[(time, "all is well again")]);
    for (none, time, found) in [
        ("", 102, 0),
        ("", 104, 0),
        ("", 105, 1),
        ("", 99, 1),
        (", window: 18s", 122, 0),
        (", window: 17s", 122, 1),
        (", window: 17s, anchor: 1", 122, 0),
        (", window: 16s, anchor: 1", 122, 1),
        (", slide: -8s", 92, 0),
        (", slide: -8s", 98, 1),
        (", slide: -8s, anchor: 1, window: 1s", 92, 1),
        (", slide: -9s, anchor: 1, window: 1s", 92, 0),
        (", slide: -9s, anchor: 1, window: 1s", 98, 1),
        (", window: 20s, absolute: true", 120, 0),
        (", window: 20s, absolute: true", 121, 1),
    ] {
        for key in ["all", "sequence"] {
            let condition = list(key, STEPS, &format!("within: 10s, {}", options(none)));
            assert_eq!(
                findings(&condition, &well(time)).0,
                found,
                "{condition} at {time}"
            );
        }
    }
    let single = |none: &str| format!("{{{}, {}}}", event("gate is shut"), options(none));
    for (none, time, found) in [
        (", window: 0s", 100, 0),
        (", window: 0s", 103, 1),
        (", window: 5s", 105, 0),
        (", window: 5s", 106, 1),
    ] {
        assert_eq!(
            findings(&single(none), &well(time)).0,
            found,
            "{none} at {time}"
        );
    }
    // several refutations: one suffices
    let three = list(
        "sequence",
        STEPS,
        "within: 10s, none: [{event: {message: false alarm}}, {event: {message: only a drill}}]",
    );
    let drill = steps([100, 101, 104], &[(102, "this is only a drill")]);
    assert_eq!(findings(&three, &drill).0, 0);
    assert_eq!(findings(&three, &well(102)).0, 1);
}

#[test]
fn what_is_repeated() {
    let seconds = |times: &[u32]| {
        let lines: Vec<(u32, &str)> = times.iter().map(|time| (*time, "gate is shut")).collect();
        log(&lines)
    };
    let set = "{all: [{event: {message: gate is shut}, at_least: 2}], within: 10s, per: source}";
    assert_eq!(findings(set, &seconds(&[20, 22])), (1, 2));
    assert_eq!(findings(set, &seconds(&[20, 31])), (0, 0));
    let burst = "{event: {message: gate is shut}, rate: 3/10s, per: source}";
    assert_eq!(findings(burst, &seconds(&[20, 26, 31, 36])), (1, 3));
    assert_eq!(findings(burst, &seconds(&[20, 26, 30, 40, 50, 61])), (1, 5));
    assert_eq!(findings(burst, &seconds(&[20, 31, 42])), (0, 0));
    // the gate was opened in between
    let shut = "{event: {message: gate is shut}, at_least: 2, within: 10s, per: source, \
        none: [{event: {message: gate is open}}]}";
    let opened = |time: u32| {
        log(&[
            (20, "gate is shut"),
            (22, "gate is shut"),
            (time, "gate is open"),
        ])
    };
    assert_eq!(findings(shut, &opened(23)), (1, 2));
    let between = log(&[
        (20, "gate is shut"),
        (21, "gate is open"),
        (22, "gate is shut"),
    ]);
    assert_eq!(findings(shut, &between), (0, 0));
}

#[test]
fn captured_values_belong_together() {
    let condition = "{sequence: [{event: {message: 'boat {boat:word} left'}}, \
        {event: {message: 'fog came'}}, {event: {message: 'boat {boat:word} is missed'}}], \
        within: 1m, per: source, none: [{event: {message: 'boat {boat:word} is back'}}]}";
    let lines = |third: &'static str, fourth: &'static str| {
        log(&[
            (1, "boat ann left"),
            (2, "boat bee left"),
            (3, "fog came"),
            (4, third),
            (5, fourth),
        ])
    };
    assert_eq!(findings(condition, &lines("boat eve is missed", "x")).0, 0);
    assert_eq!(findings(condition, &lines("boat bee is missed", "x")).0, 1);
    assert_eq!(
        findings(condition, &lines("boat ann is back", "boat ann is missed")).0,
        0
    );
    assert_eq!(
        findings(condition, &lines("boat bee is back", "boat ann is missed")).0,
        1
    );
    let faster = "{all: [{event: {message: 'wind is {wind:int}'}}, \
        {event: {message: 'limit is {limit:int}'}}], within: 1m, per: source, \
        where: ['{wind} > {limit}']}";
    let wind = |wind| log(&[(1, "limit is 20"), (2, wind)]);
    assert_eq!(findings(faster, &wind("wind is 21")).0, 1);
    assert_eq!(findings(faster, &wind("wind is 19")).0, 0);
}

#[test]
fn the_example_of_the_documentation() {
    let text = include_str!("../../../../docs/signatures.md");
    let start = text.find("match:\n  sequence:").unwrap();
    let example = text[start..].split("```").next().unwrap();
    let signature = signature("X").replace("match: X\n", example);
    let mut catalogue = Catalogue::empty();
    catalogue.add_str("x.yaml", &signature).unwrap();
    let analyzer = Analyzer::with_catalogue(catalogue);
    let lost = [
        (1, "lease web was lost"),
        (2, "retry of db failed"),
        (3, "retry of web failed"),
        (30, "retry of web failed"),
        (121, "retry of web failed"),
    ];
    for (more, found) in [
        ((121, "keeper sleeps"), 1),
        ((151, "lease web was renewed"), 0),
        ((152, "lease web was renewed"), 1),
        ((122, "lease db was renewed"), 1),
    ] {
        let text = log(&[lost.as_slice(), &[more]].concat());
        let report = analyzer.analyze_text("log", text.as_bytes());
        assert_eq!(report.findings.len(), found, "{more:?}");
    }
    let text = log(&lost).replace("09:02:01", "09:02:02");
    assert!(
        analyzer
            .analyze_text("log", text.as_bytes())
            .findings
            .is_empty()
    );
}

#[test]
fn below_another_condition() {
    let inner = list("sequence", &STEPS[..2], "within: 10s");
    let condition = format!(
        "{{any: [{inner}, {{event: {{message: the tower fell}}}}], also: [{{event: {{message: {}}}}}]}}",
        "'keeper came in'"
    );
    assert_eq!(findings(&condition, &steps([20, 22, 25], &[])).0, 1);
    assert_eq!(findings(&condition, &steps([20, 32, 25], &[])).0, 0);
    assert_eq!(findings(&condition, &log(&[(5, "the tower fell")])).0, 1);
}

#[test]
fn ages_are_an_axis_of_their_own() {
    let rows = |first: &str, second: &str| {
        format!(
            "LAST SEEN   TYPE      REASON    OBJECT      MESSAGE\n\
             {second}          Warning   Unlit     pod/web-0   lamp went dark\n\
             {first}          Warning   Shut      pod/web-0   gate is shut\n"
        )
    };
    let condition = "{sequence: [{event: {reason: Shut}}, {event: {reason: Unlit}}], within: 5m}";
    // rows have any order; ages count backwards
    assert_eq!(findings(condition, &rows("9m", "4m")).0, 1);
    assert_eq!(findings(condition, &rows("9m", "3m")).0, 0);
    assert_eq!(findings(condition, &rows("3m", "4m")).0, 0);
}
