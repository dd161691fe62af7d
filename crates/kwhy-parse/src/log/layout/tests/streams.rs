//! Layouts that only the lines of a stream together reveal.

use super::stream;
use kwhy_model::Event;

/// Returns the events of a text that is parsed as a whole document.
fn events(text: &str) -> Vec<Event<'_>> {
    let segments = crate::segments_of_stream(text, crate::input::segments(text));
    let limits = crate::input::ReadLimits::default();
    let parsed = segments
        .iter()
        .map(|segment| crate::segment_of_stream(segment, &limits));
    parsed.flat_map(|parsed| parsed.events).collect()
}

fn fields<'e>(event: &'e Event<'_>) -> Vec<(&'e str, &'e str)> {
    let fields = event.fields.iter();
    fields
        .map(|field| (&*field.key, field.value.as_str()))
        .filter(|(key, _)| *key != "level")
        .collect()
}

fn messages(text: &str) -> Vec<String> {
    stream(text)
        .into_iter()
        .map(|[.., message]| message)
        .collect()
}

/// Returns twelve records that differ in their numbers.
fn twelve(line: impl Fn(usize) -> String) -> String {
    (0..12).map(|n| line(n) + "\n").collect()
}

const SAYS: [&str; 4] = ["lift failed", "tide: low", "arm - ready", "[7] no berth"];
const NAMES: [&str; 3] = ["app", "quay.arm", "quay.gate"];

#[test]
fn pairs_after_messages_without_a_level() {
    type Head = fn(usize) -> String;
    let heads: [(Head, &str); 4] = [
        (|_| String::new(), ""),
        (
            |n| format!("2031-03-04T05:06:{n:02}.021007Z "),
            "2031-03-04T05:06:03.021007Z",
        ),
        (
            |n| format!("19303636{n:02}.125 "),
            "2031-03-04T04:06:43.125Z",
        ),
        (|n| format!("05:06:{n:02} "), ""),
    ];
    for (head, time) in heads {
        for has_loggers in [false, true] {
            let text = twelve(|n| {
                let head = head(n);
                let logger = match has_loggers {
                    true => format!(" [{}]", NAMES[n % 3]),
                    false => String::new(),
                };
                let pairs = match n % 4 {
                    0 => String::new(),
                    _ => format!(" berth={n} user='old joe' ok=True"),
                };
                format!("{head}{:<30}{logger}{pairs}", SAYS[n % 4])
            });
            let found = events(&text);
            assert_eq!(found.len(), 12, "{text}");
            for (n, event) in found.iter().enumerate() {
                assert_eq!(event.message.as_str(), SAYS[n % 4], "{text}");
                let name = event.component.as_ref().map(|name| name.as_str());
                assert_eq!(name, has_loggers.then_some(NAMES[n % 3]), "{text}");
                let berth = n.to_string();
                let wanted = [("berth", &*berth), ("user", "old joe"), ("ok", "True")];
                assert_eq!(
                    fields(event),
                    if n % 4 == 0 { &[][..] } else { &wanted },
                    "{text}"
                );
            }
            let records = stream(&text);
            assert_eq!(records[3][0], time, "{text}");
        }
    }
}

#[test]
fn a_message_of_lines_before_pairs() {
    let text = twelve(|n| {
        let more = if n == 5 { "\n  no arm" } else { "" };
        format!("2031-03-04T05:06:{n:02}.021007Z lift failed{more} berth={n}")
    });
    let found = events(&text);
    assert_eq!(found.len(), 12);
    assert_eq!(found[5].message.as_str(), "lift failed\n  no arm");
    assert_eq!(fields(&found[5]), [("berth", "5")]);
    // a time in nanoseconds is a runtime's
    let text = text.replace(".021007Z", ".021007123Z");
    assert!(events(&text)[3].envelope.is_some());
}

#[test]
fn sentences_stay_whole() {
    // bracketed words without pairs after them, values that every writer prints, keys that do not recur
    for text in [
        twelve(|n| format!("lift of arm {n} ended [{}]", NAMES[n % 3])),
        twelve(|n| format!("no right to lift; name= arm={n} berth= host=192.0.2.{n}")),
        twelve(|n| format!("lift of arm{n}, k{n}={n}")),
    ] {
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(messages(&text), lines);
    }
}

#[test]
fn pairs_alone() {
    let text = twelve(|n| match n % 3 {
        0 => format!("event='{}'", SAYS[n % 4]),
        _ => format!("event='{}' logger=quay.arm berth={n}", SAYS[n % 4]),
    });
    for text in [text.clone(), text.replace('\'', "\"")] {
        let found = events(&text);
        assert_eq!(found.len(), 12, "{text}");
        for (n, event) in found.iter().enumerate() {
            assert_eq!(event.message.as_str(), SAYS[n % 4], "{text}");
            assert_eq!(event.component.is_some(), n % 3 > 0);
        }
    }
}

const LEVELS: [&str; 4] = ["INFO", "ERROR", "WARN", "DEBUG"];

#[test]
fn levels_below_each_other() {
    let text = twelve(|n| {
        let more = if n == 6 { "\n  ERROR in a line" } else { "" };
        format!("{:>5} main {}{more} berth={n}", LEVELS[n % 4], SAYS[n % 4])
    });
    let found = stream(&text);
    assert_eq!(found.len(), 12, "{text}");
    for (n, [_, level, _, _, message]) in found.iter().enumerate() {
        let wanted = ["info", "error", "warning", "debug"][n % 4];
        assert_eq!(level, wanted, "{text}");
        let wanted = match n {
            6 => format!("{}\n  ERROR in a line", SAYS[2]),
            _ => SAYS[n % 4].to_owned(),
        };
        assert_eq!(*message, wanted, "{text}");
    }
}

#[test]
fn seconds_since_the_start_below_each_other() {
    for (indent, after) in [("", ""), ("  ", "\n    at src/quay.rs:43\n")] {
        // the last lines are wider than their column
        let text = twelve(|n| {
            let seconds = [7, 61, 986, 3600 + n, 10_000 + n][n.min(4)];
            let head = format!("{indent}{seconds:>4}.037211000s {:>5}", LEVELS[n % 4]);
            format!("{head} quay::arm: {}{after}", SAYS[n % 4])
        });
        let found = stream(&text);
        assert_eq!(found.len(), 12, "{text}");
        for (n, [_, level, logger, caller, message]) in found.iter().enumerate() {
            assert_eq!(message, SAYS[n % 4], "{text}");
            assert!(!level.is_empty() && logger == "quay::arm", "{text}");
            assert_eq!(caller.is_empty(), after.is_empty());
        }
    }
}

#[test]
fn records_on_lines_of_their_own_end_at_empty_ones() {
    let text = twelve(|n| {
        format!(
            "  {:>5}  {}, berth: {n}\n    at src/quay.rs:43 on main\n    in arm::lift with id: 7\n",
            LEVELS[n % 4],
            SAYS[n % 2]
        )
    });
    let found = events(&text);
    assert_eq!(found.len(), 12, "{text}");
    for (n, event) in found.iter().enumerate() {
        let berth = n.to_string();
        assert_eq!(fields(event), [("berth", &*berth), ("id", "7")]);
        let lines = text[event.span.clone()].lines().count();
        assert_eq!(lines, 4, "{:?}", &text[event.span.clone()]);
    }
}

#[test]
fn names_of_some_levels_only() {
    let text = twelve(|n| {
        let (level, name) = match n % 4 {
            3 => ("TRACE", ["app: ", "quay::arm: "][n / 4 % 2]),
            _ => ("INFO", ""),
        };
        format!("05:06:{n:02} [{level}] {name}[src/quay.rs:{n}] {}", SAYS[0])
    });
    for (n, [_, _, logger, caller, message]) in stream(&text).iter().enumerate() {
        let wanted = match n % 4 {
            3 => ["app", "quay::arm"][n / 4 % 2],
            _ => "",
        };
        assert_eq!(logger, wanted, "{text}");
        assert_eq!(*caller, format!("src/quay.rs:{n}"));
        assert_eq!(message, SAYS[0]);
    }
}

#[test]
fn layouts_with_more_than_a_format_reads() {
    type Way = fn(&str, &str, &str) -> String;
    // logger, and whether a place follows it
    let ways: [(Way, bool, bool); 6] = [
        (
            |level, name, says| format!("2031/03/04 05:06:07 {name} {level} {says}"),
            true,
            false,
        ),
        (
            |level, name, says| format!("2031/03/04 05:06:07\t{level}\t[{name}]: {says}"),
            true,
            false,
        ),
        (
            |level, _, says| format!("2031/03/04 05:06:07\t{level}\tArm.java:7 {says}"),
            false,
            true,
        ),
        (
            |level, _, says| format!("2031-03-04T05:06:07.125+0000\t{level} : {says}"),
            false,
            false,
        ),
        (
            |level, name, says| format!("{level} [2031-03-04 05:06:07] {name}: {says}"),
            true,
            false,
        ),
        (
            |level, name, says| format!("[{name}] {}: {says}", level.to_lowercase()),
            true,
            false,
        ),
    ];
    for (way, has_name, has_place) in ways {
        // letters that only repetition shows to be names
        let text = twelve(|n| way(LEVELS[n % 4], NAMES[n % 3], SAYS[n % 2]));
        let found = stream(&text);
        assert_eq!(found.len(), 12, "{text}");
        for (n, [_, level, logger, caller, message]) in found.iter().enumerate() {
            assert_eq!(message, SAYS[n % 2], "{text}");
            assert!(!level.is_empty(), "{text}");
            assert_eq!(logger, if has_name { NAMES[n % 3] } else { "" }, "{text}");
            assert_eq!(!caller.is_empty(), has_place, "{text}");
        }
    }
    // zap itself, and Go's log
    let text = twelve(|n| format!("2031-03-04T05:06:07.125Z\tINFO\tlift of arm {n}"));
    assert_eq!(stream(&text)[3][4], "lift of arm 3");
    let text = twelve(|n| format!("2031/03/04 05:06:07 lift of arm {n}"));
    assert_eq!(stream(&text)[3][4], "lift of arm 3");
}

#[test]
fn pairs_after_padded_levels_in_brackets() {
    for pad in [
        |level: &str| format!("[{level:<5}]"),
        |level: &str| format!("{:<7}", format!("[{level}]")),
    ] {
        let text = twelve(|n| format!("{} {} berth={n}", pad(LEVELS[n % 4]), SAYS[n % 4]));
        let found = events(&text);
        assert_eq!(found.len(), 12, "{text}");
        for (n, event) in found.iter().enumerate() {
            assert_eq!(event.message.as_str(), SAYS[n % 4], "{text}");
            assert_eq!(fields(event).len(), 1, "{text}");
        }
    }
    // CoreDNS pads none, and has no pairs
    let text = twelve(|n| format!("[{}] lift berth={n}", LEVELS[n % 4]));
    assert_eq!(messages(&text)[3], "lift berth=3");
}

#[test]
fn indented_lines_at_the_end_belong_to_the_last_record() {
    for head in [
        "INFO:     ",
        "info: ",
        "2031-03-04T05:06:07.021007+00:00 - quay::arm: ",
    ] {
        let text = twelve(|n| format!("{head}arm {n} is idle")) + "  lift: none of all\n";
        let found = messages(&text);
        assert_eq!(found.len(), 12, "{text}");
        assert_eq!(found[11], "arm 11 is idle\n  lift: none of all", "{text}");
    }
}

#[test]
fn lines_without_heads_are_of_no_record() {
    let lines = |n: usize| {
        let lines = (0..n).map(|n| format!("arm {n} was lifted by the crane\n"));
        lines.collect::<String>()
    };
    let head = "2031-03-04 05:06:07.125 ERROR quay.arm: lift failed\n  no berth\n";
    let text = format!("{}{head}{}", lines(70), lines(70));
    let found = messages(&text);
    assert_eq!(found.len(), 141);
    assert_eq!(found[70], "lift failed\n  no berth");
    // between single records, these may be lines of the first one
    let text = format!("{head}{}{head}", lines(70));
    assert_eq!(messages(&text).len(), 2);
}
