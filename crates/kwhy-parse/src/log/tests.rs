//! Records over several lines, interleaved writers, arbitrary text.

use proptest::prelude::*;

use super::*;
use crate::input::lines;
use kwhy_model::Severity;

fn read(text: &str) -> Parsed<'_> {
    parse(&lines(text).collect::<Vec<_>>())
}

const INTERRUPTED: &str = "\
1.7095287671234567e+09\tERROR\tReconciler error\t{\"controller\": \"berth\", \"error\": \"boom\"}
example.io/harbour/sync.(*Loop).Run
\t/src/harbour/sync/loop.go:26
example.io/harbour/sync.(*Loop).Start.func1
time=\"2024-03-04T05:06:07Z\" level=error msg=\"no answer\" file=\"berth.go:41\"
\t/src/harbour/sync/loop.go:34main.start
\t/src/harbour/main.go:9
time=\"2024-03-04T05:06:08Z\" level=info msg=ready
";

#[test]
fn a_dump_after_lines_of_another_writer_is_a_record_of_its_own() {
    let text = "\
2024-03-04T05:06:07.1Z stderr F moored
crane-0 arm I0304 05:06:07.123456       1 sync.go:88] lowered
2024-03-04T05:06:07.1Z stderr F goroutine 7 [running]:
2024-03-04T05:06:07.1Z stderr F main.run()
2024-03-04T05:06:07.1Z stderr F \t/src/main.go:12 +0x1d
";
    let lines: Vec<_> = crate::input::lines(text).collect();
    let events = parse(&lines).events;
    let messages: Vec<&str> = events.iter().map(|event| event.message.as_str()).collect();
    assert_eq!(messages, ["moored", "lowered", "goroutine 7 [running]:"]);
}

#[test]
fn an_interrupted_stack_trace_stays_with_its_record() {
    let parsed = read(INTERRUPTED);
    assert!(
        parsed.not_understood.is_empty(),
        "{:?}",
        parsed.not_understood
    );
    let [error, logrus, ready] = parsed.events.as_slice() else {
        panic!("{} events", parsed.events.len());
    };
    let stack = &INTERRUPTED[error.stack.clone().unwrap()];
    assert!(stack.starts_with("example.io/harbour/sync.(*Loop).Run\n"));
    assert!(stack.ends_with("main.go:9"));
    assert_eq!(error.component.as_ref().unwrap().as_str(), "berth");
    assert_eq!(logrus.message.as_str(), "no answer");
    assert_eq!(logrus.stack, None);
    assert_eq!(ready.severity, Some(Severity::Info));
}

#[test]
fn records_on_one_line_are_split() {
    let text = "E0304 05:06:07.123456 1 a.go:1] \"stop\" n=\"1\"time=\"2024-03-04T05:06:07Z\" level=info msg=onI0304 05:06:07.123456 1 b.go:2] go on";
    let parsed = read(text);
    let messages: Vec<_> = parsed
        .events
        .iter()
        .map(|event| event.message.as_str())
        .collect();
    assert_eq!(messages, ["stop", "on", "go on"]);
}

#[test]
fn blocks_may_contain_lines_that_look_like_records() {
    let text = "I0304 05:06:07.123456 1 a.go:1] \"Output\" text=<\n\tE0304 05:06:07.123456 1 b.go:1] inner\n\t\n\tend\n > code=\"1\"\nW0304 05:06:08.123456 1 a.go:2] next\n";
    let parsed = read(text);
    assert_eq!(parsed.events.len(), 2);
    assert_eq!(
        parsed.events[0].field("text").unwrap().as_str(),
        "E0304 05:06:07.123456 1 b.go:1] inner\n\nend"
    );
    assert_eq!(parsed.events[0].field("code").unwrap().as_str(), "1");
}

/// A line that looks like a quotation marker (` >`) closes a block.
#[test]
fn pairs_after_a_block_are_of_its_record() {
    let text = "I0304 05:06:07.123456       1 quay.go:7] \"lift\" a=<\n\tone\n > message=\"two\" b=<\n\tthree\n > c=4\n";
    let segments = crate::input::segments(text);
    assert_eq!(segments.len(), 1, "{segments:?}");
    let events = parse(&segments[0].lines).events;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].field("b").unwrap().as_str(), "three");
}

#[test]
fn envelopes_give_node_and_program() {
    let text = "Mar 04 05:06:07 node-1 kubelet[812]: E0304 05:06:07.123456     812 kubelet.go:29] \"Not ready\" pod=\"dock/crane-0\"\nMar 04 05:06:08 node-1 systemd[1]: kubelet.service: Failed\n";
    let parsed = read(text);
    let [kubelet, systemd] = parsed.events.as_slice() else {
        panic!("{} events", parsed.events.len());
    };
    assert_eq!(kubelet.format, Format::Klog);
    assert_eq!(kubelet.subject.to_string(), "Pod dock/crane-0");
    assert_eq!(kubelet.subject.node.as_deref(), Some("node-1"));
    assert_eq!(kubelet.component.as_ref().unwrap().as_str(), "kubelet");
    assert_eq!(systemd.format, Format::Plain);
    assert_eq!(systemd.message.as_str(), "kubelet.service: Failed");
}

#[test]
fn a_payload_may_start_a_record() {
    let klog = "I0304 05:06:07.123456      12 quay.go:1] moored";
    for (envelope, text, begins) in [
        ("Mar 04 05:06:07 node-1 kubelet[12]: ", klog, true),
        (
            "Mar 04 05:06:07 node-1 kubelet[12]: ",
            "  at the quay",
            false,
        ),
        ("2031-03-04T05:06:07Z stdout F ", klog, true),
        (
            "2031-03-04T05:06:07Z stdout F ",
            "goroutine 1 [running]:",
            false,
        ),
        // not in an envelope
        ("", klog, false),
    ] {
        assert_eq!(
            carries_record(&format!("{envelope}{text}")),
            begins,
            "{text}"
        );
    }
}

#[test]
fn parts_of_a_line_are_joined() {
    let text = "2024-03-04T05:06:07.1Z stderr P {\"level\":\"error\",\"ts\":17095\n2024-03-04T05:06:07.1Z stderr F 28767.5,\"msg\":\"cut in two\"}\n";
    let parsed = read(text);
    assert_eq!(parsed.events.len(), 1);
    assert_eq!(parsed.events[0].message.as_str(), "cut in two");
}

#[test]
fn records_without_their_end_are_marked_cut() {
    let klog = "E0304 05:06:07.123456 1 a.go:1] ";
    let long = format!("{klog}one\n{}", "more\n".repeat(2100));
    for (text, cut) in [
        ("2024-03-04T05:06:07.1Z stderr P a part\n".to_owned(), true),
        ("2024-03-04T05:06:07.1Z stderr F a line\n".to_owned(), false),
        (format!("{klog}\"Output\" text=<\n\tone\n"), true),
        (format!("{klog}\"Output\" text=<\n\tone\n >\n"), false),
        (long, true),
        (format!("{klog}one\nmore\n"), false),
    ] {
        let parsed = read(&text);
        let found: Vec<bool> = parsed.events.iter().map(|event| event.cut).collect();
        assert_eq!(found, [cut], "{}", &text[..text.len().min(60)]);
    }
}

#[test]
fn each_stream_continues_its_own_record() {
    let text = "2024-03-04T05:06:07.1Z stderr P E0304 05:06:07.123456 1 a.go:1] one \n2024-03-04T05:06:07.2Z stdout F I0304 05:06:07.123456 1 a.go:2] two\n2024-03-04T05:06:07.3Z stderr F line\n";
    let parsed = read(text);
    let messages: Vec<_> = parsed
        .events
        .iter()
        .map(|event| event.message.as_str())
        .collect();
    assert_eq!(messages, ["one line", "two"]);
}

#[test]
fn an_object_may_span_lines() {
    let text = "{\n  \"level\": \"error\",\n  \"msg\": \"no answer\",\n  \"time\": \"2024-03-04T05:06:07Z\"\n}\n";
    let parsed = read(text);
    assert_eq!(parsed.events[0].message.as_str(), "no answer");
    assert_eq!(parsed.events[0].span, 0..text.len() - 1);
    assert_eq!(
        read("{\n  \"kind\": \"Pod\"\n}\n").not_understood,
        [1, 2, 3]
    );
}

#[test]
fn recorded_events_become_events() {
    let klog = r#"I0304 05:06:07.123456 1 event.go:377] "Event occurred" object="dock/crane-0" fieldPath="spec.containers{arm}" kind="Pod" apiVersion="v1" type="Warning" reason="BackOff" message="Back-off restarting failed container""#;
    let console = "2024-03-04T05:06:07Z\tDEBUG\tevents\tBerth is closed\t{\"type\": \"Warning\", \"object\": {\"kind\":\"Berth\",\"namespace\":\"dock\",\"name\":\"b-1\"}, \"reason\": \"Closed\"}";
    let text = format!("{klog}\n{console}\n");
    let parsed = read(&text);
    let [pod, berth] = parsed.events.as_slice() else {
        panic!("{} events", parsed.events.len());
    };
    assert_eq!(pod.subject.to_string(), "Pod dock/crane-0");
    assert_eq!(pod.subject.container.as_deref(), Some("arm"));
    assert_eq!(pod.reason.as_ref().unwrap().as_str(), "BackOff");
    assert_eq!(pod.severity, Some(Severity::Warning));
    assert_eq!(pod.message.as_str(), "Back-off restarting failed container");
    assert_eq!(berth.subject.to_string(), "Berth dock/b-1");
    assert_eq!(berth.message.as_str(), "Berth is closed");
    assert_eq!(berth.severity, Some(Severity::Warning));
}

#[test]
fn a_panic_includes_its_dump() {
    let text = "panic: too many open files\n\ngoroutine 1 [running]:\nmain.watch(0x0?)\n\t/src/main.go:13 +0x16\nexit status 2\n";
    let parsed = read(text);
    assert_eq!(parsed.events[0].severity, Some(Severity::Fatal));
    assert!(text[parsed.events[0].stack.clone().unwrap()].ends_with("+0x16"));
    assert_eq!(parsed.not_understood, [6]);
}

#[test]
fn other_text_starts_no_record() {
    for line in [
        "Name:         web-0",
        "  Warning  FailedMount  5s (x2 over 13m)  kubelet  MountVolume.SetUp failed",
        "apiVersion: v1",
        "$ kubectl logs web-0",
        "kubectl get pods -l level=info",
        "The error: is at 10:00.",
        "NAME   READY   STATUS",
        "Mar 4 was a Monday",
        "- image: nginx",
        "{\"kind\":\"Pod\"}",
        "[1] first",
    ] {
        assert_eq!(detect(line), None, "{line}");
        assert!(!continues(Format::Logrus, line), "{line}");
    }
}

fn assert_spans_inside(text: &str, parsed: &Parsed<'_>) {
    for event in &parsed.events {
        assert!(text.get(event.span.clone()).is_some());
        for part in event.texts().chain(&event.caller).chain(&event.component) {
            assert!(part.span().end <= text.len());
        }
        for field in &event.fields {
            assert!(field.value.span().end <= text.len());
        }
    }
}

const PIECES: &[&str] = &[
    "E0304 05:06:07.123456 1 a.go:1] ",
    "\"msg\" ",
    "key=<\n",
    "\t",
    " >",
    "time=\"2024-03-04T05:06:07Z\" level=error msg=",
    "ERRO[0001] ",
    "1.7095287671234567e+09\t",
    "2024-03-04T05:06:07.1Z ",
    "stderr P ",
    "ERROR\t",
    "{\"level\":\"info\",\"ts\":1,\"msg\":\"",
    "{\"log\":\"",
    "\\\"",
    "\"",
    "\\",
    "}",
    "{",
    "=",
    "\n",
    " ",
    "é",
    "main.run\n\t/a.go:1",
    "goroutine 1 [running]:\n",
    "Mar  4 05:06:07 n k[1]: ",
    "k=v",
    "\\u00e9",
    "\\xff",
];

proptest! {
    #[test]
    fn never_panics(text in any::<String>()) {
        assert_spans_inside(&text, &read(&text));
    }

    #[test]
    fn never_panics_on_halves_of_logs(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..24)
    ) {
        let text = pieces.concat();
        for line in text.lines() {
            detect(line);
            continues(Format::Klog, line);
        }
        assert_spans_inside(&text, &read(&text));
    }
}
