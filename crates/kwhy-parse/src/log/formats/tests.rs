//! Tests over all formats: each is distinguished from the others, and no text causes a panic.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::input::lines;
use crate::log::samples::SAMPLES;
use crate::log::{detect, header, parse};
use kwhy_model::{Field, Severity, Span};

#[test]
fn every_format_is_distinguished() {
    for (format, sample) in SAMPLES {
        assert_eq!(detect(sample), Some(*format), "{sample}");
        assert_eq!(
            header(sample).map(|head| head.format),
            Some(*format),
            "{sample}"
        );
        let all: Vec<Line<'_>> = lines(sample).collect();
        let events = parse(&all).events;
        assert_eq!(events.len(), 1, "{sample}");
        assert_eq!(events[0].format, *format, "{sample}");
    }
    for spec in FORMATS {
        let has_sample = SAMPLES.iter().any(|(format, _)| *format == spec.format);
        assert!(has_sample, "{:?}", spec.format);
    }
}

#[test]
fn dispatch_misses_no_format() {
    for (_, sample) in SAMPLES {
        for spec in FORMATS.iter().filter(|spec| (spec.begins)(sample)) {
            let is_known = candidates(sample).any(|found| found.format == spec.format);
            assert!(is_known, "{:?}: {sample}", spec.format);
        }
    }
}

#[test]
fn texts_that_are_not_records() {
    for line in [
        "Name:         crane-0",
        "  debug: true",
        "debug: true",
        "info:",
        "http: server gave HTTP response to HTTPS client",
        "Error: no such berth",
        "error: the server is gone",
        "Warning: v1 Endpoints is deprecated",
        "2024-03-04 was a Monday",
        "2024/03/04",
        "10.0.0.7 - a host",
        "[see below] text",
        "[1] https://example.test",
        "Mar 4, 2024 was fine",
        "NAME   READY   STATUS",
        "INFO: ",
        "apiVersion: v1",
        "5:06AM we met",
        "{\"kind\":\"Event\",\"apiVersion\":\"v1\"}",
    ] {
        assert_eq!(detect(line), None, "{line}");
    }
}

#[test]
fn heads_without_names() {
    use Severity::{Debug, Error, Info, Warning};
    for (line, severity, component, message, field) in [
        (
            "17:S 04 Mar 2024 05:06:07.123 # no heat",
            Warning,
            None,
            "no heat",
            Some(("pid", "17")),
        ),
        (
            "17:X 04 Mar 05:06:07.123 - no heat",
            Debug,
            None,
            "no heat",
            Some(("pid", "17")),
        ),
        (
            "2024-03-04T05:06:07.123+0000 7f0a1b2c3d40 -1 osd.7 no heat",
            Error,
            None,
            "osd.7 no heat",
            None,
        ),
        (
            "2024-03-04 05:06:07.123456 7f0a1b2c3d40 10 no heat",
            Debug,
            None,
            "no heat",
            None,
        ),
        (
            "debug 2024-03-04T05:06:07.123+0000 7f0a1b2c3d40  0 no heat",
            Info,
            None,
            "no heat",
            None,
        ),
        (
            "E, [2024-03-04T05:06:07.123456 #17] ERROR -- oven: no heat",
            Error,
            Some("oven"),
            "no heat",
            Some(("pid", "17")),
        ),
        (
            "[2024-03-04 05:06:07] mill.ERROR: no heat {\"oven\":7} []",
            Error,
            Some("mill"),
            "no heat",
            Some(("oven", "7")),
        ),
        (
            "[2024-03-04 05:06:07] mill.INFO: heat [] []",
            Info,
            Some("mill"),
            "heat",
            None,
        ),
    ] {
        let all: Vec<Line<'_>> = lines(line).collect();
        let events = parse(&all).events;
        let [event] = events.as_slice() else {
            panic!("{line}");
        };
        assert_eq!(event.severity, Some(severity), "{line}");
        assert_eq!(
            event.component.as_ref().map(|name| name.as_str()),
            component,
            "{line}"
        );
        assert_eq!(event.message.as_str(), message, "{line}");
        assert!(event.time.is_some(), "{line}");
        if let Some((key, value)) = field {
            assert_eq!(
                event.field(key).map(|field| field.as_str()),
                Some(value),
                "{line}"
            );
        }
    }
    for line in [
        "17:Z 04 Mar 2024 05:06:07.123 # no heat",
        "17:S 04 Mar 2024 05:06:07.123 no heat",
    ] {
        assert_ne!(detect(line), Some(Format::Redis), "{line}");
    }
    assert_ne!(
        detect("2024-03-04T05:06:07.123+0000 oven -1 no heat"),
        Some(Format::Ceph)
    );
}

fn inside(text: &str, span: &Span) -> bool {
    span.start <= span.end && text.get(span.clone()).is_some()
}

/// Generates lines of some formats with pieces inserted, removed and doubled.
fn mangled() -> impl Strategy<Value = String> {
    let piece = select(
        &[
            "",
            "\n",
            "\n\t",
            "\"",
            "\\",
            "[",
            "]",
            "{",
            "}",
            "=",
            ": ",
            ", ",
            " ",
            "\\x",
            "\\xD0",
            "é",
            "\u{202f}",
            "\t",
            "7",
            "  | ",
            " - ",
            "\r\n",
            "\n\n",
            "\nCaused by: io.X: y\n\tat a.B.c(B.java:7)",
            "\nTraceback (most recent call last):\n  File \"a.py\", line 7, in b\nKeyError: 'x'\n",
        ][..],
    );
    let change = (any::<Index>(), any::<Index>(), piece);
    let line = (select(SAMPLES), vec(change, 0..6)).prop_map(|((_, sample), changes)| {
        let mut line = sample.to_owned();
        for (from, length, piece) in changes {
            let mut start = from.index(line.len() + 1);
            while !line.is_char_boundary(start) {
                start -= 1;
            }
            let mut end = (start + length.index(12)).min(line.len());
            while !line.is_char_boundary(end) {
                end += 1;
            }
            line.replace_range(start..end, piece);
        }
        line
    });
    vec(line, 1..4).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn spans_are_inside(text in mangled()) {
        let all: Vec<Line<'_>> = lines(&text).collect();
        for event in parse(&all).events {
            prop_assert!(inside(&text, &event.span), "{event:?}");
            let texts = [&event.component, &event.caller, &event.reason];
            let fields = event.fields.iter().map(|Field { value, .. }| value);
            for part in texts.into_iter().flatten().chain([&event.message]).chain(fields) {
                prop_assert!(inside(&text, &part.span()), "{part:?} of {event:?}");
            }
            if let Some(stack) = &event.stack {
                prop_assert!(inside(&text, stack));
            }
        }
    }

    #[test]
    fn lines_of_any_text_have_heads_that_agree(text in mangled()) {
        for line in text.split('\n') {
            prop_assert_eq!(header(line).map(|head| head.format), detect(line), "{}", line);
        }
    }
}
