//! Each envelope alone, and texts that are not envelopes.

use super::*;
use crate::input::Line;

fn peeled(text: &str) -> (Envelopes<'_>, String) {
    let (envelopes, payload) = peel(Payload::from_line(Line {
        text,
        start: 0,
        number: 1,
    }));
    let inner = payload.as_str().to_owned();
    (envelopes, inner)
}

#[test]
fn envelopes() {
    let (envelopes, inner) = peeled("Nov 20 10:00:00 node-1 kubelet[812]: E1120 10:00:00.1 x");
    assert_eq!(inner, "E1120 10:00:00.1 x");
    assert_eq!(envelopes.merged.node.unwrap().as_str(), "node-1");
    assert_eq!(envelopes.merged.program.unwrap().as_str(), "kubelet");
    let (envelopes, inner) = peeled("2024-03-04T05:06:07.1+08:00 stderr P half a li");
    assert_eq!(
        (inner.as_str(), envelopes.partial, envelopes.merged.stream),
        ("half a li", true, Some(Stream::Stderr))
    );
    let (envelopes, inner) =
        peeled(r#"{"log":"a \u003cb\u003e\n","stream":"stderr","time":"2024-03-04T05:06:07.1Z"}"#);
    assert_eq!((inner.as_str(), envelopes.partial), ("a <b>", false));
    let (envelopes, inner) = peeled("[pod/web-0/app] 2024-03-04T05:06:07.1Z GET /");
    assert_eq!(inner, "GET /");
    assert_eq!(envelopes.merged.pod.unwrap().as_str(), "web-0");
    assert!(envelopes.merged.time.is_some());
}

#[test]
fn processes_of_a_supervisor() {
    for record in [
        "time=\"2024-03-04T05:06:07Z\" level=error msg=\"no room",
        "E0304 05:06:07.123456       7 rest.go:2] no room",
    ] {
        let line = format!("[oven-manager-2] {record}");
        let (envelopes, inner) = peeled(&line);
        assert_eq!(inner, record);
        assert_eq!(envelopes.merged.program.unwrap().as_str(), "oven-manager-2");
        for head in ["[error] ", "[main-1]", "[Oven-1] ", "[oven-1]: "] {
            let line = format!("{head}{record}");
            assert_eq!(peeled(&line).1, line);
        }
    }
    assert_eq!(peeled("[oven-1] no room").1, "[oven-1] no room");
}

#[test]
fn months_of_east_asia() {
    for (month, number) in [
        ("10月", 10),
        (" 3月", 3),
        ("3月", 3),
        ("10월", 10),
        (" 7월", 7),
    ] {
        let line = format!(
            "{month} 05 16:08:09 n1 kubelet[77]: E0305 16:08:09.123456      77 x.go:7] lift"
        );
        let (envelopes, inner) = peeled(&line);
        assert_eq!(
            inner, "E0305 16:08:09.123456      77 x.go:7] lift",
            "{line}"
        );
        assert_eq!(envelopes.merged.program.unwrap().as_str(), "kubelet");
        let time = envelopes.merged.time.unwrap().to_string();
        assert_eq!(time, format!("{number:02}-05T16:08:09"));
    }
    for text in [
        "13月 05 16:08:09 n1 kubelet[77]: lift",
        "0月 05 16:08:09 n1 kubelet[77]: lift",
        "10月 05 was a Monday",
        "10\u{6708}",
        " 3月",
        "10年 05 16:08:09 n1 kubelet[77]: lift",
    ] {
        assert!(!peeled(text).0.present, "{text}");
    }
}

#[test]
fn dates_before_text() {
    let (envelopes, inner) = peeled("2024-03-04T05:06:07.1Z attempt 1/3: no answer");
    assert_eq!(inner, "attempt 1/3: no answer");
    assert!(envelopes.merged.program.is_none() && envelopes.merged.time.is_some());
    let (envelopes, inner) = peeled("2024-03-04T05:06:07+0000 n1 containerd[60]: ready");
    assert_eq!(
        (inner.as_str(), envelopes.merged.program.is_some()),
        ("ready", true)
    );
}

#[test]
fn texts_without_envelope() {
    for text in [
        "2024-03-04T05:06:07Z\tINFO\tready",
        "2024-03-04T05:06:07.123Z INFO ready",
        "2024-03-04T05:06:07Z Warning FailedMount pod/crane-0",
        "2024-03-04T05:06:07Z   crane-0   Running",
        "2024-03-04 05:06:07 was a Monday",
        "Mar 2024 was cold",
        "Name: x",
        "[pod/cut",
        "[pod/crane-0/Arm] text",
        "crane-0 arm ready",
        "the pod-spec is not what it was",
        "kubectl get pods | grep crane",
        "web | ready",
        "crane-1: | text",
        "key: |",
        "| crane-1 | ready |",
        "+ added line of a patch",
        "- removed › x y",
        "Mon 2024-03-04 was a Monday",
        "Apr  4 05:06:07 was an hour",
        "<13> is a number",
        "<200>1 2024-03-04T05:06:07Z berth-1 tide 7 - - text",
        "{\"MESSAGE\":\"x\"}",
        "{\"message\":\"x\",\"podName\":\"crane-0\",\"containerName\":\"arm\",\"mine\":1}",
        "[ 12.345678] eth0: link down",
        "__CURSOR is a name",
    ] {
        assert!(!peeled(text).0.present, "{text}");
    }
}

#[test]
fn zones_by_when_a_record_was_received() {
    let stamp = |text: &str| crate::log::timestamp::parse(text);
    let taken = stamp("2024-03-04T05:06:07.5Z");
    for (written, expected) in [
        // two hours east, and a difference that no zone explains
        ("2024-03-04 07:06:07.25", "2024-03-04T05:06:07.25Z"),
        ("2024-03-04 04:59:07.25", "2024-03-04T04:59:07.25Z"),
        ("2024-03-04 05:06:07.25", "2024-03-04T05:06:07.25Z"),
        ("2024-03-04T07:06:07.25+01:00", "2024-03-04T06:06:07.25Z"),
    ] {
        let time = nearer(stamp(written), taken).unwrap();
        assert_eq!(time.to_string(), expected, "{written}");
    }
}
