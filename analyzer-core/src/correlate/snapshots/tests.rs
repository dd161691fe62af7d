use super::object::Version;
use super::*;
use crate::correlate::health::State;
use kwhy_parse::input::Place;

fn snapshot(document: usize, start: usize, version: Version) -> ObjectSnapshot {
    ObjectSnapshot {
        key: 7,
        kind: "Pod".into(),
        namespace: None,
        name: "quay-4".into(),
        node: None,
        shape: Shape::Describe,
        document,
        span: start..start + 10,
        version,
        restarts: 0,
        pods: None,
        state: State {
            health: Health::Present,
            since: None,
            created: None,
            shown: None,
            containers: Vec::new(),
            is_rolling: false,
            restart: None,
        },
        place: Place::default(),
    }
}

#[test]
fn orders_snapshots_by_version_and_time() {
    let none = Version::default();
    let resource = |number| Version {
        resource: Some(number),
        ..none
    };
    let time = |time| Version {
        time: Some(time),
        ..none
    };
    for (a, b, wanted) in [
        (snapshot(0, 50, none), snapshot(0, 10, none), Some(true)),
        (snapshot(0, 10, none), snapshot(0, 50, none), Some(false)),
        (snapshot(1, 50, none), snapshot(0, 10, none), None),
        (
            snapshot(0, 10, resource(7)),
            snapshot(0, 50, resource(6)),
            Some(true),
        ),
        (
            snapshot(0, 10, resource(7)),
            snapshot(1, 50, resource(7)),
            None,
        ),
        (
            snapshot(1, 10, time(3)),
            snapshot(0, 50, time(5)),
            Some(false),
        ),
    ] {
        assert_eq!(a.is_after(&b), wanted, "{a:?} {b:?}");
    }
}

#[test]
fn the_last_one_counts() {
    let mut snapshots = Snapshots::default();
    for start in [10, 50, 90] {
        snapshots.add(snapshot(0, start, Version::default()));
    }
    let later = |at: usize| {
        snapshots
            .later(&snapshots.all[at])
            .map(|snapshot| snapshot.span.start)
    };
    assert_eq!(later(0), Some(90));
    assert_eq!(later(2), None);
    for number in 0..MAX_SNAPSHOTS {
        snapshots.add(snapshot(1, number, Version::default()));
    }
    assert_eq!(snapshots.omitted, 3);
}

#[test]
fn what_is_not_kept_is_counted_as_at_least() {
    let pod = |number: usize, health| {
        let mut pod = snapshot(0, number, Version::default());
        pod.key = number as u64;
        pod.name = format!("web-{number}").into();
        pod.state.health = health;
        pod
    };
    let mut snapshots = Snapshots::default();
    for number in 0..MAX_SNAPSHOTS {
        snapshots.add(pod(number, Health::Well));
    }
    let of = |snapshots: &Snapshots| {
        let health = snapshots.health(None);
        let only = health.first().unwrap();
        (only.well, only.unwell, only.at_least)
    };
    let kept = MAX_SNAPSHOTS as u64;
    assert_eq!(of(&snapshots), (kept, 0, false));
    for number in MAX_SNAPSHOTS..MAX_SNAPSHOTS + 3 {
        snapshots.add(pod(number, Health::Unwell));
    }
    assert_eq!(of(&snapshots), (kept, 3, true));
    // the last snapshot counts
    snapshots.add(pod(MAX_SNAPSHOTS, Health::Well));
    snapshots.add(pod(0, Health::Unwell));
    assert_eq!(of(&snapshots), (kept - 1, 3, true));
}
