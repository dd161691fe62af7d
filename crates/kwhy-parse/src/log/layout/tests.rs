use super::*;
use crate::input::Line;

mod streams;

fn payload(text: &str) -> Payload<'_> {
    Payload::from_line(Line {
        text,
        start: 0,
        number: 1,
    })
}

/// Returns the time, level, logger, caller and message of a record.
fn parts_of_first(text: &str) -> Option<[String; 5]> {
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
        let mut found = parts_of_first(text).unwrap_or_else(|| panic!("{text}"));
        // these names are a thread, a process or a subsystem
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

/// Returns the records of a stream that is parsed as a whole document.
fn stream(text: &str) -> Vec<[String; 5]> {
    let mut parts_of_first = Vec::new();
    for segment in crate::segments_of_stream(text, crate::input::segments(text)) {
        let parsed = crate::segment_of_stream(&segment, &crate::input::ReadLimits::default());
        parts_of_first.extend(parsed.events.into_iter().map(parts_of));
    }
    parts_of_first
}

/// Parts that no single line reveals: marks after a runtime-like time, levels before a mark, loggers that are words.
#[test]
fn long_streams_show_what_words_are() {
    let names = ["Arm", "Quay", "Berth"];
    let lines: Vec<String> = (0..1000)
        .map(|n| {
            format!(
                "03-04 05:06:07.123  1702  {} D {}: lift {n}",
                2000 + n,
                names[n % 3]
            )
        })
        .collect();
    let layout = Layout::learn(lines.iter().map(String::as_str)).unwrap();
    for line in &lines {
        let head = Head::within(line, &layout).unwrap();
        assert!(line[head.message..].starts_with("lift "), "{line}");
    }
}

#[test]
fn threads_before_classes_have_any_name() {
    for thread in [
        "main",
        "IPC Server handler 13 on 6227",
        "Renewer:arm@quay-1:9000",
    ] {
        let text =
            format!("2024-03-04 05:06:07,123 WARN [{thread}] org.harbour.ipc.Client: lift: lost");
        let head = Head::of(&text).unwrap();
        let logger = head.logger().unwrap();
        assert_eq!(
            &text[logger.range.clone()],
            "org.harbour.ipc.Client",
            "{text}"
        );
        assert_eq!(&text[head.message..], "lift: lost");
    }
    // a name that is not a class belongs to the message
    let text = "2024-03-04 05:06:07,123 WARN [lift of arm] quay: lost";
    assert_eq!(
        &text[Head::of(text).unwrap().message..],
        "[lift of arm] quay: lost"
    );
}

#[test]
fn streams_show_heads() {
    let times = [7, 8, 9, 10, 11].map(|second| format!("2031-03-04T05:06:{second:02}.021007000Z"));
    let says = [
        "lift failed",
        "tide: low",
        "arm - ready",
        "no berth",
        "quay",
    ];
    let names = ["shop::db", "app", "app", "web::api", "shop::db"];
    let levels = ["ERROR", "INFO ", "WARN ", "TRACE", "DEBUG"];
    type Way = fn(&str, &str, &str, &str) -> String;
    // a writer's layout, and whether it has a time, a level and a logger
    let ways: &[(Way, [bool; 3])] = &[
        (
            |time, level, name, says| format!("{time} - {level} - {name}: {says}"),
            [true, true, true],
        ),
        (
            |time, _, name, says| format!("{time} - {name}: {says}"),
            [true, false, true],
        ),
        (
            |time, _, _, says| format!("{time} - {says}"),
            [true, false, false],
        ),
        (
            |time, _, _, says| format!("{time} | {says}"),
            [true, false, false],
        ),
        (
            |_, level, _, says| format!("{} - {says}", level.trim()),
            [false, true, false],
        ),
        (
            |_, level, _, says| format!("{} - {says}", level.trim().to_lowercase()),
            [false, true, false],
        ),
        (
            |_, level, name, says| format!("{level:>5} request{{id=7}}: {name}: {says}"),
            [false, true, true],
        ),
        (
            |_, level, name, says| format!("<{level:<8}> - {name} {says}"),
            [false, true, true],
        ),
        (
            |time, level, name, says| {
                let time = time[..19].replace('-', "/").replace('T', " ");
                format!("{time} {} <{name}>\t{says}", level.trim().to_lowercase())
            },
            [true, true, true],
        ),
    ];
    for (number, (way, has)) in ways.iter().enumerate() {
        let lines = (0..15)
            .map(|n| n % 5)
            .map(|n| way(&times[n], levels[n], names[n], says[n]) + "\n");
        let text: String = lines.collect();
        let found = stream(&text);
        assert_eq!(found.len(), 15, "{text}");
        for (n, [time, level, logger, _, message]) in found.into_iter().enumerate() {
            let n = n % 5;
            assert_eq!(message, says[n], "way {number}: {text}");
            assert_eq!(!time.is_empty(), has[0], "way {number}: {text}");
            assert_eq!(!level.is_empty(), has[1], "way {number}: {text}");
            assert_eq!(
                logger,
                if has[2] { names[n] } else { "" },
                "way {number}: {text}"
            );
        }
    }
}

/// A level in the middle of a sentence does not count.
#[test]
fn sentences_have_no_level() {
    let text = "2031-03-04T05:06:07.021007+00:00 - tide lost, error was empty";
    assert_eq!(
        parts_of_first(text)
            .map(|parts| parts[4].clone())
            .as_deref(),
        Some("tide lost, error was empty")
    );
}

#[test]
fn heads_that_continue_after_the_message() {
    let text = "  2031-03-04 05:06:07.123  INFO shop::db: tide is low, metres: 1.5, user: \"kim \\\"k\\\" lee\"\n    at src/shop.rs:43 on main\n    in shop::request with id: 7, path: \"/x\"\n\n  2031-03-04 05:06:08.123 ERROR shop::db: lift, failed\n    at src/shop.rs:44\n\n";
    let lines: Vec<Line<'_>> = crate::input::lines(text).collect();
    let events = crate::log::parse_stream(&lines).events;
    assert_eq!(events.len(), 2);
    let fields: Vec<(&str, &str)> = events[0]
        .fields
        .iter()
        .map(|field| (&*field.key, field.value.as_str()))
        .collect();
    assert_eq!(
        fields,
        [
            ("metres", "1.5"),
            ("user", "kim \"k\" lee"),
            ("id", "7"),
            ("path", "/x")
        ]
    );
    assert_eq!(
        parts_of(events[0].clone())[1..],
        ["info", "shop::db", "src/shop.rs:43", "tide is low"]
    );
    assert_eq!(
        parts_of(events[1].clone())[1..],
        ["error", "shop::db", "src/shop.rs:44", "lift, failed"]
    );
    // the empty line ends the record
    assert_eq!(&text[events[0].span.end..][..2], "  ");
}

/// Objects spread over lines, each after another writer's head.
#[test]
fn objects_spread_after_heads() {
    let object = "{\n  \"level\": \"error\",\n  \"ts\": \"2031-03-04T05:06:07.5Z\",\n  \"msg\": \"lift failed\",\n  \"berths\": [\n    {\n      \"n\": 7\n    }\n  ]\n}\n";
    let other = "{\n  \"message\": \"tide is low\",\n  \"msg\": 1\n}\n";
    let lines = format!("{object}{other}{object}");
    for head in [
        "2031-03-04 05:06:08 INFO",
        "2031-03-04T05:06:08.125Z WARN",
        "[2031-03-04 05:06:08] [INFO] quay -",
    ] {
        let text: String = lines
            .lines()
            .map(|line| format!("{head} {line}\n"))
            .collect();
        let found = stream(&text);
        let messages: Vec<(&str, &str)> =
            found.iter().map(|parts| (&*parts[1], &*parts[4])).collect();
        assert_eq!(messages.first(), Some(&("error", "lift failed")), "{text}");
        assert_eq!(messages.last(), Some(&("error", "lift failed")), "{text}");
    }
}

proptest::proptest! {
    /// No line is parsed twice, and each event lies within the text.
    #[test]
    fn streams_of_any_lines_are_read(lines in proptest::collection::vec("(2031-03-04T05:06:07.021007000Z - |INFO - |  at src/a.rs:7|    in a with b: c|2031-03-04 05:06:08 INFO )?(\\{|\\}|\"a\": 1,|app: x|[a-z{}\": ]{0,12})", 0..24)) {
        let text = lines.join("\n");
        for segment in crate::segments_of_stream(&text, crate::input::segments(&text)) {
            let parsed = crate::segment_of_stream(&segment, &crate::input::ReadLimits::default());
            for event in &parsed.events {
                assert!(text.get(event.span.clone()).is_some());
            }
            let starts: std::collections::HashSet<_> = parsed.events.iter().map(|event| event.span.start).collect();
            assert_eq!(starts.len(), parsed.events.len(), "{text}");
        }
    }

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
