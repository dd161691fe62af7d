use super::*;

fn subjects(text: &str) -> Vec<(u64, String)> {
    let mut all = Vec::new();
    extract(
        "x",
        text.as_bytes(),
        |part| {
            let events = part.parsed.events.iter();
            let summary = |event: &kwhy_model::Event<'_>| {
                (part.lines(&event.span).start, event.subject.to_string())
            };
            events.map(summary).collect::<Vec<_>>()
        },
        |mut more| all.append(&mut more),
    )
    .unwrap();
    all
}

/// The times of all events, as text.
fn times(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let summary = |part: &Extract<'_>| {
        let events = part.parsed.events.iter();
        let times = events.filter_map(|event| event.time);
        times.map(|time| time.to_string()).collect::<Vec<_>>()
    };
    extract("x", text.as_bytes(), summary, |mut more| {
        all.append(&mut more)
    })
    .unwrap();
    all
}

#[test]
fn years_come_from_what_states_them() {
    let klog = "E1231 23:59:58.000001       1 sync.go:88] \"Sync failed\"\n";
    let logrus = "time=\"2024-01-02T05:06:07Z\" level=info msg=ready\n";
    let cri = format!("2021-01-01T00:00:00.5Z stderr F {klog}");
    let found = times(&format!("{klog}{logrus}{klog}{cri}{klog}"));
    let settled = "2023-12-31T23:59:58.000001Z";
    let expected = [
        settled,
        "2024-01-02T05:06:07Z",
        settled,
        "2020-12-31T23:59:58.000001Z",
        settled,
    ];
    assert_eq!(found, expected);
    // a time from elsewhere
    let near = |near| {
        let mut all = Vec::new();
        let summary = |part: &Extract<'_>| part.parsed.events[0].time.unwrap().to_string();
        let options = ExtractOptions {
            near,
            ..ExtractOptions::default()
        };
        extract_with("x", options, klog.as_bytes(), summary, |time| {
            all.push(time)
        });
        all
    };
    assert_eq!(near(None), ["12-31T23:59:58.000001"]);
    assert_eq!(near(Some(1_704_172_767_000_000_000)), [settled]);
}

#[test]
fn years_do_not_depend_on_the_number_of_threads() {
    let logrus = |year: usize| format!("time=\"{year}-01-02T05:06:07Z\" level=info msg=ready\n");
    let klog = "E1231 23:59:58.000001       1 sync.go:88] \"Sync failed\"\n";
    let many = klog.repeat(2 * BLOCK / klog.len());
    let text: String = (2021..2025).map(|year| logrus(year) + &many).collect();
    let by = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| times(&text))
    };
    let one = by(1);
    assert!(one.iter().all(|time| time.starts_with("20")));
    assert!(one == by(3));
}

#[test]
fn times_that_run_backwards_are_marked() {
    let line = |pod: &str, seconds: usize| {
        let time = format!(
            "2024-03-04T{:02}:{:02}:00Z",
            seconds / 3600,
            seconds / 60 % 60
        );
        format!("[pod/{pod}/arm] time=\"{time}\" level=info msg=ready\n")
    };
    let backs = |text: &str| {
        let mut all = Vec::new();
        let summary = |part: &Extract<'_>| {
            let events = part.parsed.events.iter();
            events.map(|event| event.back).collect::<Vec<_>>()
        };
        extract("x", text.as_bytes(), summary, |mut more| {
            all.append(&mut more)
        })
        .unwrap();
        all
    };
    let log = [
        ("a", 7200),
        ("b", 60),
        ("a", 7260),
        ("a", 3660),
        ("b", 60),
        ("a", 3720),
    ];
    let text: String = log
        .iter()
        .map(|(pod, seconds)| line(pod, *seconds))
        .collect();
    let hour = Some(3_600_000_000_000);
    assert_eq!(backs(&text), [None, None, None, hour, None, None]);
    // across blocks
    let many = line("a", 3600).repeat(BLOCK / 40);
    let found = backs(&(many + &line("a", 0)));
    let marked = found.iter().filter(|back| back.is_some()).count();
    assert_eq!((marked, found.last()), (1, Some(&hour)));
    // a year's end, without years
    let klog = |day| format!("E{day} 23:59:58.000001       1 sync.go:88] \"Sync failed\"\n");
    assert_eq!(backs(&(klog("1231") + &klog("0101"))), [None, None]);
}

#[test]
fn limits_hold() {
    let met = |limits: ReadLimits, text: &str| {
        let options = ExtractOptions {
            limits,
            ..ExtractOptions::default()
        };
        let mut events = 0;
        let summary = |part: &Extract<'_>| part.parsed.events.len() + part.parsed.objects.len();
        let read = extract_with("x", options, text.as_bytes(), summary, |more| {
            events += more
        });
        let all = read.limits.into_iter().map(|met| met.message);
        (events, all.collect::<Vec<_>>())
    };
    let none = ReadLimits::default();
    let klog = "E0102 23:59:58.000001       1 sync.go:88] \"Sync failed\" err=\"late\"\n";
    let log = klog.repeat(BLOCK / klog.len() + 2);
    assert_eq!(met(none, &log).1, Vec::<String>::new());
    let short = none.with_line_length(50);
    let (events, limits) = met(short, &log);
    let more = BLOCK / klog.len() + 1;
    assert_eq!(events, more + 1);
    let message =
        format!("of line 1 and {more} more only the first part of 50 bytes each was looked at");
    assert_eq!(limits, [message]);
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels:\n    b: {c: {d: e}}\n";
    let flat = none.with_depth(3);
    assert_eq!(met(none, pod), (1, Vec::new()));
    let (objects, limits) = met(flat, pod);
    // the truncated line is reported as text
    assert_eq!((objects, limits.len()), (2, 1), "{limits:?}");
}

#[test]
fn a_log_of_many_blocks_is_of_the_pod_that_the_command_names() {
    let line = "time=\"2024-03-04T05:06:07Z\" level=info msg=\"go on\"\n";
    let count = 3 * BLOCK / line.len();
    let text = format!("$ kubectl logs -n shop web-0\n{}", line.repeat(count));
    let found = subjects(&text);
    assert_eq!(found.len(), count);
    for (number, (line, subject)) in (2..).zip(&found) {
        assert_eq!((*line, subject.as_str()), (number, "Pod shop/web-0"));
    }
    assert_eq!(subjects(line)[0].1, "");
}
