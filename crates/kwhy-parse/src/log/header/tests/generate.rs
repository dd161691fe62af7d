//! Lines of every format in every envelope, correct and slightly wrong.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::log::samples::SAMPLES;

fn rfc3339() -> BoxedStrategy<String> {
    let zone = select(
        &[
            "Z",
            "+08:00",
            "-0330",
            "",
            " +0000 UTC",
            "z",
            "+9959",
            "+2559",
        ][..],
    );
    (
        select(&[0u32, 1969, 1970, 2000, 2024, 2031, 2100, 9999][..]),
        1..=13u32,
        (select(&["-", "-", "-", "/"][..]), 1..=31u32),
        select(&["T", "T", " ", "t"][..]),
        (0..=24u32, 0..=60u32, 0..=61u32),
        "(|[.,][0-9]{0,12})",
        zone,
    )
        .prop_map(|(year, month, (slash, day), t, (h, m, s), fraction, zone)| {
            format!(
                "{year:04}{slash}{month:02}{slash}{day:02}{t}{h:02}:{m:02}:{s:02}{fraction}{zone}"
            )
        }).boxed()
}

fn short_time() -> impl Strategy<Value = String> {
    "(|2031)(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01]) [012][0-9]:[0-5][0-9]:[0-6][0-9](|[.,][0-9]{1,10})"
}

fn epoch() -> impl Strategy<Value = String> {
    prop_oneof![
        "1[0-9]{9}(|\\.[0-9]{1,12})",
        "[1-9](|\\.[0-9]{1,18})e[+-]?0?[0-9]",
        "[0-9]{1,22}(|\\.[0-9]{1,12})",
        "1[0-9]{12}\\.[0-9]{1,7}",
    ]
}

fn any_time() -> impl Strategy<Value = String> {
    prop_oneof![3 => rfc3339(), 1 => epoch(), 1 => short_time(), 1 => Just("soon".to_owned())]
}

fn word() -> impl Strategy<Value = &'static str> {
    select(
        &[
            "info",
            "INFO",
            "warn",
            "warning",
            "WARN",
            "error",
            "ERROR",
            "debug",
            "fatal",
            "panic",
            "dpanic",
            "trace",
            "Level(-3)",
            "INFO+2",
            "30",
            "50",
            "loud",
            "",
            "Error",
            "ERRO",
            "notice",
            "INF",
            "inf\\u006f",
            "e\\x72ror",
        ][..],
    )
}

/// Generates message texts that a parser could take for something else.
fn message() -> impl Strategy<Value = String> {
    let piece = select(
        &[
            "berth",
            " ",
            "is full",
            "\\\"",
            "time=",
            "level=error",
            "{",
            "}",
            "[",
            "]",
            ": ",
            "\\n",
            "\\u003c",
            "object",
            "reason",
            "type",
            "é",
            "tide.go:12]",
            "2031-03-04T05:06:07Z",
            "=",
            ",",
            "panic: ",
            "(",
            ")",
            "\\\\",
        ][..],
    );
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn event_pairs() -> impl Strategy<Value = &'static str> {
    select(
        &[
            "",
            "",
            "",
            " object=\"dock/crane-0\" kind=\"Pod\" type=\"Warning\" reason=\"Stuck\" message=\"m\"",
            " object=\"dock/crane-0\" type=\"Normal\"",
            " reason=\"x\" type=Warning object=y",
        ][..],
    )
}

fn klog() -> BoxedStrategy<String> {
    let rest = prop_oneof![
        message(),
        message().prop_map(|text| format!("\"{text}\" err=\"{text}\"")),
        message().prop_map(|text| format!("\"msg\"=\"{text}\" \"object\"=\"x\" \"reason\"=\"y\" \"type\"=\"Warning\"")),
        word().prop_map(|kind| format!(
            "Event(v1.ObjectReference{{Kind:\"Pod\", Name:\"crane-0\"}}): type: '{kind}' reason: 'Stuck' still stuck"
        )),
    ];
    let header = (
        "[IWEFD]",
        short_time(),
        "( {1,8}[0-9]{1,6}| x|)",
        select(
            &[
                "tide.go:12]",
                "dock/x_y.cc:7]",
                "???:1]",
                "a b.go:1]",
                "10.go:1]",
            ][..],
        ),
    )
        .prop_map(|(letter, time, thread, caller)| format!("{letter}{time}{thread} {caller}"));
    let header = prop_oneof![6 => header, 1 => Just("tide.go:12]".to_owned()), 1 => Just(":07.123456 1 tide.go:12]".to_owned())];
    (header, rest, event_pairs())
        .prop_map(|(header, rest, pairs)| format!("{header} {rest}{pairs}"))
        .boxed()
}

fn pair() -> BoxedStrategy<String> {
    let time_key = select(&["time", "ts", "t", "@timestamp"][..]);
    let level_key = select(&["level", "lvl", "severity", "\"level\""][..]);
    prop_oneof![
        (time_key.clone(), any_time()).prop_map(|(key, time)| format!("{key}=\"{time}\"")),
        (time_key, any_time()).prop_map(|(key, time)| format!("{key}={time}")),
        (level_key.clone(), word()).prop_map(|(key, word)| format!("{key}={word}")),
        (level_key, word()).prop_map(|(key, word)| format!("{key}=\"{word}\"")),
        message().prop_map(|text| format!("msg=\"{text}\"")),
        message().prop_map(|text| format!("msg={text}")),
        message().prop_map(|text| format!("crane={text}")),
        Just("caller=tide.go:12".to_owned()),
    ]
    .boxed()
}

fn logrus() -> BoxedStrategy<String> {
    let usual =
        (any_time(), word(), message(), event_pairs()).prop_map(|(time, word, text, pairs)| {
            format!("time=\"{time}\" level={word} msg=\"{text}\"{pairs}")
        });
    let terminal = (
        select(&["INFO", "ERRO", "WARN", "FATA", "DEBUG", "INFOS"][..]),
        prop_oneof!["[0-9]{3,5}", rfc3339()],
        select(&["]", "] ", "", "]tide.go:9 "][..]),
        message(),
    )
        .prop_map(|(level, time, close, text)| format!("{level}[{time}{close}{text}"));
    prop_oneof![
        usual,
        terminal,
        vec(pair(), 1..6).prop_map(|pairs| pairs.join(" "))
    ]
    .boxed()
}

fn zap_console() -> BoxedStrategy<String> {
    let gap = select(&["\t", "\t", "  ", " ", ""][..]);
    (any_time(), gap.clone(), word(), gap, message()).prop_map(|(time, one, level, two, text)| {
        format!("{time}{one}{level}{two}dock.tide{two}{text}{two}{{\"object\": \"a\", \"reason\": \"b\", \"type\": \"Normal\"}}")
    }).boxed()
}

fn member() -> BoxedStrategy<String> {
    let time_key = select(
        &[
            "time",
            "ts",
            "@timestamp",
            "timestamp",
            "T",
            "t",
            "asctime",
            "tim\\u0065",
        ][..],
    );
    let level_key = select(&["level", "severity", "lvl", "L", "@level", "levelname"][..]);
    let other = select(
        &[
            "msg",
            "message",
            "@message",
            "M",
            "hostname",
            "pid",
            "v",
            "object",
            "reason",
            "crane",
            "\\u0076",
            "kind",
            "apiVersion",
            "logger",
            "caller",
            "error",
        ][..],
    );
    prop_oneof![
        (time_key.clone(), any_time()).prop_map(|(key, time)| format!("\"{key}\":\"{time}\"")),
        (time_key, epoch()).prop_map(|(key, time)| format!("\"{key}\":{time}")),
        (level_key.clone(), word()).prop_map(|(key, word)| format!("\"{key}\":\"{word}\"")),
        (level_key, select(&["30", "50", "null", "{\"a\":1}"][..]))
            .prop_map(|(key, value)| format!("\"{key}\":{value}")),
        (other.clone(), message()).prop_map(|(key, text)| format!("\"{key}\":\"{text}\"")),
        (
            other,
            select(&["{\"level\":\"error\",\"ts\":1}", "[\"a\",{}]", "7"][..])
        )
            .prop_map(|(key, value)| format!("\"{key}\": {value}")),
        select(
            &[
                "\"type\":\"Warning\"",
                "\"type\":\"Normal\"",
                "\"object\":\"x\"",
                "\"reason\":\"y\""
            ][..]
        )
        .prop_map(str::to_owned),
    ]
    .boxed()
}

fn json() -> BoxedStrategy<String> {
    let zap = (word(), epoch(), message()).prop_map(|(level, ts, text)| {
        format!("{{\"level\":\"{level}\",\"ts\":{ts},\"caller\":\"tide.go:7\",\"msg\":\"{text}\"}}")
    });
    let logrus = (word(), rfc3339(), message()).prop_map(|(level, time, text)| {
        format!(
            "{{\"error\":\"{text}\",\"level\":\"{level}\",\"msg\":\"{text}\",\"time\":\"{time}\"}}"
        )
    });
    let klog = (epoch(), select(&["", ",\"v\":0"][..]))
        .prop_map(|(ts, v)| format!("{{\"ts\":{ts},\"caller\":\"tide.go:7\",\"msg\":\"m\"{v}}}"));
    let leading = (
        select(&["level", "ts", "time"][..]),
        select(&["level", "ts", "time"][..]),
        (word(), any_time()),
        vec(member(), 0..6),
    )
        .prop_map(|(one, two, (word, time), rest)| {
            let value = |key| if key == "level" { word } else { time.as_str() };
            let (first, second) = (value(one), value(two));
            let rest = rest.join(",");
            format!("{{\"{one}\":\"{first}\",\"{two}\":\"{second}\",{rest}}}")
        });
    let any = (vec(member(), 0..8), select(&["}", "", "} junk", ",}"][..]))
        .prop_map(|(members, end)| format!("{{{}{end}", members.join(",")));
    prop_oneof![1 => zap, 1 => logrus, 1 => klog, 3 => leading, 3 => any].boxed()
}

fn other() -> BoxedStrategy<String> {
    prop_oneof![
        message(),
        (word(), message()).prop_map(|(word, text)| format!("{word}: {text}")),
        (word(), message()).prop_map(|(word, text)| format!("[{word}] {text}")),
        message().prop_map(|text| format!("panic: {text}")),
        message().prop_map(|text| format!("fatal error: {text}")),
        "\\PC{0,40}",
    ]
    .boxed()
}

fn payload() -> BoxedStrategy<String> {
    let sample = select(SAMPLES).prop_map(|(_, sample)| sample.to_owned());
    let one = prop_oneof![1 => klog(), 1 => logrus(), 1 => zap_console(), 1 => json(), 1 => other(), 2 => sample];
    let glued = (
        prop_oneof![klog(), logrus(), zap_console(), json(), other()],
        prop_oneof![
            Just("E0304 05:06:07.123456 1 b.go:2] x object=a type=Normal reason=b".to_owned()),
            Just("time=\"2031-03-04T05:06:07Z\" level=fatal msg=x".to_owned()),
        ],
    )
        .prop_map(|(one, two)| one + &two);
    prop_oneof![5 => one, 1 => glued].boxed()
}

fn syslog_time() -> impl Strategy<Value = String> {
    "(Jan|Feb|Mar|Dec|Foo) ([ 0-2][0-9]|3[01]) [01][0-9]:[0-5][0-9]:[0-5][0-9](|\\.[0-9]{1,6})"
}

/// Wraps a payload in an envelope; docker's payload is JSON-quoted.
fn carry(payload: String) -> BoxedStrategy<String> {
    prop_oneof![
        3 => carry_in_files(payload.clone()),
        2 => carry_in_journal(payload.clone()),
        2 => carry_with_names(payload),
    ]
    .boxed()
}

/// Wraps a payload in the formats of the CRI and docker, and those that only put a time before it.
fn carry_in_files(payload: String) -> BoxedStrategy<String> {
    let quoted = serde_json::to_string(&format!("{payload}\n")).unwrap_or_default();
    let (cri, stamped) = (payload.clone(), payload);
    prop_oneof![
        (
            rfc3339(),
            select(
                &[
                    "stdout F",
                    "stderr P",
                    "stderr F:x",
                    "stdin F",
                    "stdout X",
                    "stderr F"
                ][..]
            )
        )
            .prop_map(move |(time, tag)| format!("{time} {tag} {cri}")),
        rfc3339().prop_map(move |time| format!("{time} {stamped}")),
        (rfc3339(), select(&["stderr", "stdout", "x"][..])).prop_map(
            move |(time, stream)| format!(
                "{{\"log\":{quoted},\"stream\":\"{stream}\",\"time\":\"{time}\"}}"
            )
        ),
    ]
    .boxed()
}

/// Wraps a payload in journald's and syslog's lines and entries.
fn carry_in_journal(payload: String) -> BoxedStrategy<String> {
    let quoted = serde_json::to_string(&payload).unwrap_or_default();
    let bytes = serde_json::to_string(payload.as_bytes()).unwrap_or_default();
    let message = select(&[0u8, 0, 1, 2][..]).prop_map(move |kind| match kind {
        0 => quoted.clone(),
        1 => bytes.clone(),
        _ => "null".to_owned(),
    });
    let host = select(&["berth-1", "10.0.0.7", "", "a:", "x y"][..]);
    let program = select(
        &[
            "kubelet[812]:",
            "kernel:",
            "app[x]:",
            "cron:",
            "a(b)[7]:",
            "none",
            "k[1]:",
        ][..],
    );
    let clock = "[ 012][0-9]:[0-5][0-9]:[0-5][0-9]";
    let time = prop_oneof![
        syslog_time(),
        rfc3339(),
        "(Mon|Tue|Foo) 2031-03-0[1-9] [01][0-9]:[0-5][0-9]:[0-5][0-9](|\\.[0-9]{6}) (UTC|CET|)",
        "1[0-9]{9}\\.[0-9]{6}",
        "\\[ {0,4}[0-9]{1,6}\\.[0-9]{6}\\]",
    ];
    let syslog = payload.clone();
    prop_oneof![
        3 => (time, host, program).prop_map(move |(time, host, program)|
            format!("{time} {host} {program} {payload}")),
        2 => (message, "[0-9]{1,2}", "1[0-9]{15}").prop_map(|(message, priority, time)| format!(
            "{{\"_HOSTNAME\":\"berth-1\",\"PRIORITY\":\"{priority}\",\"MESSAGE\":{message},\"__REALTIME_TIMESTAMP\":\"{time}\"}}"
        )),
        2 => ("[0-9]{1,3}", select(&["1 2031-03-04T05:06:07.1Z berth-1 app 7 - -",
            "1 - - - - - [a b=\"]\\\"\"][c]", "Mar  4 05:06:07 berth-1 app[7]:", "Mar  4 05:06:07 app:",
            "1 2031 x y z"][..]))
            .prop_map(move |(priority, head)| format!("<{priority}>{head} {syslog}")),
        1 => clock.prop_map(|clock| format!("Mon 2031-03-03 {clock} UTC [s=1;i=2]")),
        1 => Just("__CURSOR=s=1;i=2".to_owned()),
    ]
    .boxed()
}

/// Wraps a payload in the prefixes of kubectl, stern and compose.
fn carry_with_names(payload: String) -> BoxedStrategy<String> {
    let quoted = serde_json::to_string(&payload).unwrap_or_default();
    let names = select(
        &[
            "[pod/web-0/app] ",
            "[pod/web-0] ",
            "[pod/a b/c] ",
            "web-1  | ",
            "web_1 | ",
            "proxy | ",
            "web-1 |",
            "web-0 app ",
            "dock web-0 app ",
            "dock web-0 app 03-04 05:06:07 ",
            "web-0 app 2031-03-04T05:06:07.123456789Z ",
            "+ web-0 › ",
            "the crane ",
        ][..],
    );
    prop_oneof![
        5 => names.prop_map(move |names| format!("{names}{payload}")),
        1 => select(&["podName", "pod", "labels"][..]).prop_map(move |pod| format!(
            "{{\"message\":{quoted},\"nodeName\":\"n\",\"namespace\":\"dock\",\"{pod}\":\"web-0\",\"containerName\":\"app\"}}"
        )),
    ]
    .boxed()
}

pub(super) fn line() -> BoxedStrategy<String> {
    let indent = select(&["", "", "", "", " ", "\t", "    ", "\u{a0}"][..]);
    let once = || payload().prop_flat_map(carry);
    let enveloped = prop_oneof![
        3 => payload(),
        3 => once(),
        1 => once().prop_flat_map(carry),
        1 => once().prop_flat_map(carry).prop_flat_map(carry).prop_flat_map(carry),
    ];
    (indent, enveloped)
        .prop_map(|(indent, line)| format!("{indent}{line}"))
        .boxed()
}

#[derive(Clone, Debug)]
pub(super) enum Change {
    CutLeft(Index),
    CutRight(Index),
    Put(Index, char),
    Drop(Index),
}

pub(super) fn change() -> impl Strategy<Value = Change> {
    let text = select(
        &[
            '"', '\\', ' ', '\t', '{', '}', ':', '=', '9', ']', 'x', 'é', '\n', ',', '.', '/',
        ][..],
    );
    prop_oneof![
        1 => any::<Index>().prop_map(Change::CutLeft),
        1 => any::<Index>().prop_map(Change::CutRight),
        3 => (any::<Index>(), text).prop_map(|(at, c)| Change::Put(at, c)),
        3 => any::<Index>().prop_map(Change::Drop),
    ]
}

pub(super) fn mangle(line: &str, changes: &[Change]) -> String {
    let mut chars: Vec<char> = line.chars().collect();
    for change in changes {
        if chars.is_empty() {
            break;
        }
        match change {
            Change::CutLeft(at) => drop(chars.drain(..at.index(chars.len()))),
            Change::CutRight(at) => chars.truncate(at.index(chars.len())),
            Change::Put(at, c) => {
                let at = at.index(chars.len());
                chars[at] = *c;
            }
            Change::Drop(at) => {
                chars.remove(at.index(chars.len()));
            }
        }
    }
    chars.into_iter().collect()
}
