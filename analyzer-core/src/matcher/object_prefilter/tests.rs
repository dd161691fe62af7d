use super::*;
use kwhy_parse::input::lines;
use kwhy_parse::object;

fn passed(yaml: &str, pattern: &str) -> bool {
    let pattern: ObjectPattern = serde_yaml::from_str(pattern).unwrap();
    let prefilter = ObjectPrefilter::new(std::iter::once(((0, 0), Arc::new(pattern))));
    let lines: Vec<_> = lines(yaml).collect();
    let mut passed = false;
    let object = &object::parse(&lines).objects[0];
    prefilter.pass(object, &mut Memo::default(), |_, _, _| {
        passed = true;
        true
    });
    passed
}

#[test]
fn rows_pass_the_same_whatever_stood_before_them() {
    let patterns = [
        "where: {status: Running}",
        "where: {status: {not: Running}, age_s: {ge: 600}}",
        "where: {ready: 'regex:0/[0-9]+', restarts: {ge: 4}}",
        "where: {ready: '{ready}', age_s: {ge: 600}}",
        "where: {restarts: '0'}",
        "where: {restarts: {present: true}, age_s: {lt: 60}}",
        "{listed: true, where: {status: Failed}}",
        "where: {node: {absent: true}}",
    ];
    let conditions = (0..).zip(patterns).map(|(number, pattern)| {
        let pattern: ObjectPattern = serde_yaml::from_str(pattern).unwrap();
        ((number, 0), Arc::new(pattern))
    });
    let prefilter = ObjectPrefilter::new(conditions);
    let mut rows = Vec::new();
    for status in ["Running", "Failed"] {
        for ready in ["1/1", "0/1"] {
            for restarts in ["0", "5"] {
                for age in ["30s", "10m", "9d"] {
                    rows.push(format!(
                        "quay-0   {ready}   {status}   {restarts}   {age}\n"
                    ));
                }
            }
        }
    }
    let pass = |object: &Object<'_>, memo: &mut Memo, is_asked: bool| {
        let mut passed = Vec::new();
        prefilter.pass(object, memo, |leaf, _, _| {
            passed.push(leaf);
            is_asked
        });
        passed
    };
    // each row after every other one
    for (one, first) in rows.iter().enumerate() {
        for second in &rows {
            let text = format!("NAME   READY   STATUS   RESTARTS   AGE\n{first}{second}");
            let lines: Vec<_> = lines(&text).collect();
            let parsed = kwhy_parse::table::parse(&lines);
            let mut memo = Memo::default();
            let mut objects = parsed.objects;
            objects[1].listed = one % 2 == 0;
            pass(&objects[0], &mut memo, true);
            let after = pass(&objects[1], &mut memo, true);
            assert_eq!(
                after,
                pass(&objects[1], &mut Memo::default(), true),
                "{text}"
            );
        }
    }
    // conditions ruled out by captured values are not tried again on the same values
    let text = format!("NAME   READY   STATUS   RESTARTS   AGE\n{0}{0}", rows[0]);
    let lines: Vec<_> = lines(&text).collect();
    let objects = kwhy_parse::table::parse(&lines).objects;
    let mut memo = Memo::default();
    assert!(!pass(&objects[0], &mut memo, false).is_empty());
    assert!(pass(&objects[1], &mut memo, false).is_empty());
}

#[test]
fn what_is_surely_not_fulfilled() {
    let pod = "kind: Pod\nmetadata:\n  name: web-0\n  labels:\n    app.example/tier: front\nstatus:\n  phase: Running\n  containerStatuses:\n  - name: app\n    restartCount: 4\n    state: {waiting: {reason: CrashLoopBackOff}}\n  - name: side\n    state: {running: {}}\n";
    for (pattern, may) in [
        ("where: {status: Running}", true),
        ("where: {status: [Failed, Running]}", true),
        ("where: {status: Failed}", false),
        ("where: {status: {not: Running}}", false),
        ("where: {status: {matches: ail}}", false),
        ("where: {status: {matches: unn}}", true),
        ("where: {reason: {matches: ail}}", false),
        ("where: {reason: {present: true}}", false),
        ("where: {reason: {absent: true}}", true),
        ("where: {labels.app.example/tier: front}", true),
        ("where: {labels.app.example/tier: back}", false),
        ("where: {'sum(containers.requests.cpu)': '1'}", true),
        ("{format: object-yaml}", true),
        ("{format: [describe, table]}", false),
        ("{listed: true}", false),
        (
            "{each: containers, item: {state.reason: CrashLoopBackOff}}",
            true,
        ),
        ("{each: containers, item: {state.reason: Error}}", false),
        // both on one item
        (
            "{each: containers, item: {name: side, state.reason: CrashLoopBackOff}}",
            false,
        ),
        (
            "{each: [init_containers, containers], item: {name: side}}",
            true,
        ),
        ("{each: init_containers, item: {}}", false),
        // a number's text is compared by the full test
        ("{each: containers, item: {restart_count: '5'}}", true),
        ("{each: containers, item: {restart_count: {gt: 3}}}", true),
        ("{each: containers, item: {restart_count: {gt: 4}}}", false),
    ] {
        assert_eq!(passed(pod, pattern), may, "{pattern}");
    }
}
