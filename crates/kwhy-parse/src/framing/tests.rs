use memchr::memmem;

use super::*;

#[test]
fn unfinished_lines_continue() {
    let text = b"\
2031-03-04T05:06:07Z stdout F done\n\
2031-03-04T05:06:07Z stdout P a long\n\
2031-03-04T05:06:07Z stderr F other\n\
2031-03-04T05:06:07Z stdout F  line\n\
2031-03-04T05:06:07Z stdout F next\n";
    let starts: Vec<bool> = (0..5)
        .map(|line| begins_record(text, at(text, line)))
        .collect();
    assert_eq!(starts, [true, true, false, false, true]);
}

#[test]
fn unfinished_lines_of_docker_continue() {
    let time = r#""stream":"stdout","time":"2031-03-04T05:06:07Z"}"#;
    let text = format!(
        "[pod/web-0/app] {{\"log\":\"one \\\\n\",{time}\n\
             [pod/web-0/app] {{\"log\":\"line\\n\",{time}\n\
             {{\"log\":\"next\\n\",{time}\n"
    );
    let text = text.as_bytes();
    let starts: Vec<bool> = (0..3)
        .map(|line| begins_record(text, at(text, line)))
        .collect();
    assert_eq!(starts, [true, false, true]);
}

#[test]
fn objects_spread_over_lines_begin_records() {
    let text = b"{\n  \"level\": \"error\",\n  \"msg\": \"no\",\n  \"time\": \"2024-03-04T05:06:07Z\"\n}\n{\n  \"kind\": \"Pod\"\n}\n";
    let starts: Vec<usize> = (0..8)
        .filter(|line| begins_record(text, at(text, *line)))
        .collect();
    assert_eq!(starts, [0]);
}

#[test]
fn messages_on_a_terminal_continue_where_it_shows() {
    let relations = |lines: &[&str]| -> Vec<Relation> {
        let mut framer = Framer::default();
        let take = |line: &&str| framer.take(line, crate::log::detect(line), || false);
        lines.iter().map(take).collect()
    };
    use Relation::{Begins, Continues, MayContinue};
    for (lines, last) in [
        (["FATA[0003] lift failed:", "no berth"], Continues),
        (["FATA[0003] lift failed", "  no berth"], Continues),
        (["ERRO[0003] lift failed", "no berth"], MayContinue),
        (
            ["FATA[0003] lift failed:", "Error from server: no berth"],
            Relation::Outside,
        ),
        (
            [
                "time=2024-03-04T05:06:07Z level=error msg=lift",
                "  no berth",
            ],
            MayContinue,
        ),
    ] {
        assert_eq!(relations(&lines), [Begins, last], "{lines:?}");
    }
}

fn at(text: &[u8], line: usize) -> usize {
    memchr::memchr_iter(b'\n', text)
        .take(line)
        .last()
        .map_or(0, |end| end + 1)
}

#[test]
fn entries_that_continue_begin_no_record() {
    let entry = |message: &str| {
        format!(
            "__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1709528767000000\nPRIORITY=6\nMESSAGE={message}\n_PID=7\n\n"
        )
    };
    let messages = [
        "panic: no berth",
        "",
        "goroutine 1 [running]:",
        "main.main()",
        "\t/src/main.go:12 +0x1d",
        "I0304 05:06:07.123456       7 quay.go:7] next",
    ];
    let text: String = messages.iter().map(|message| entry(message)).collect();
    let starts: Vec<usize> = memmem::find_iter(text.as_bytes(), "__CURSOR").collect();
    let begin: Vec<bool> = starts
        .iter()
        .map(|at| begins_record(text.as_bytes(), *at))
        .collect();
    assert!(begin[0] && begin[5], "{begin:?}");
    assert!(!begin[1] && !begin[3] && !begin[4], "{begin:?}");
}
