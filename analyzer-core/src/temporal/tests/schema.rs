use std::time::Duration;

use kwhy_signature::{Condition, Reach};

fn read(yaml: &str) -> Result<Condition, String> {
    serde_yaml::from_str(yaml).map_err(|error| error.to_string())
}

#[test]
fn what_is_followed_over_time() {
    for (yaml, is_temporal) in [
        (
            "{all: [{event: {reason: A}}, {event: {reason: B}}], within: 5m}",
            true,
        ),
        ("{all: [{event: {reason: A}}], within: 0s}", true),
        (
            "{sequence: [{event: {reason: A}, at_least: 3}], within: 5m}",
            true,
        ),
        ("{event: {reason: A}, at_least: 5, within: 10m}", true),
        ("{event: {reason: A}, rate: 100/1m}", true),
        (
            "{event: {reason: A}, none: [{event: {reason: B}, window: 0s}]}",
            true,
        ),
        (
            "{event: {reason: A}, none: [{event: {reason: B}, slide: -8s}]}",
            true,
        ),
        (
            "{event: {reason: A}, none: [{event: {reason: B}, absolute: false}]}",
            true,
        ),
        ("{all: [{event: {reason: A}}, {event: {reason: B}}]}", false),
        (
            "{sequence: [{event: {reason: A}}, {any: [{event: {reason: B}}]}]}",
            false,
        ),
        ("{event: {reason: A}, at_least: 5}", false),
        ("{event: {reason: A}, within: 10m}", false),
        (
            "{event: {reason: A}, within: 10m, none: [{event: {reason: B}}]}",
            false,
        ),
        (
            "{any: [{event: {reason: A}}, {object: {kind: Pod}}], within: 10m}",
            false,
        ),
    ] {
        assert_eq!(read(yaml).unwrap().is_temporal(), is_temporal, "{yaml}");
    }
}

#[test]
fn times_keep_their_nanoseconds() {
    let within = |text: &str| {
        let yaml = format!("{{event: {{reason: A}}, at_least: 2, within: {text}}}");
        read(&yaml).unwrap().within.unwrap()
    };
    assert_eq!(within("1h1ns"), Duration::new(3600, 1));
    assert_eq!(within("1.5s"), Duration::from_millis(1500));
    assert_eq!(within("2d"), Duration::from_secs(172_800));
    let rate = read("{event: {reason: A}, rate: 100/1m}").unwrap();
    assert_eq!(
        (rate.at_least, rate.within),
        (100, Some(Duration::from_secs(60)))
    );
    let absent = "{event: {reason: B}, window: 250ms, slide: -8s, anchor: 1, absolute: true}";
    let yaml =
        format!("{{all: [{{event: {{reason: A}}, at_least: 2}}], within: 1s, none: [{absent}]}}");
    let reach = Reach {
        window: 250_000_000,
        slide: -8_000_000_000,
        anchor: 1,
        absolute: true,
    };
    assert_eq!(read(&yaml).unwrap().none[0].reach, Some(reach));
}

#[test]
fn invalid_conditions_are_refused() {
    let many = |key: &str| {
        let parts = vec!["{event: {reason: A}}"; 65].join(", ");
        format!("{key}: [{parts}]")
    };
    let set = "all: [{event: {reason: A}}, {event: {reason: B}}], within: 5m";
    for (yaml, words) in [
        (
            "event: {reason: A}, within: soon".to_owned(),
            "invalid duration",
        ),
        (
            "event: {reason: A}, within: 5".to_owned(),
            "invalid duration",
        ),
        (
            "event: {reason: A}, within: -5s".to_owned(),
            "cannot be negative",
        ),
        ("event: {reason: A}, rate: 5".to_owned(), "invalid rate"),
        ("event: {reason: A}, rate: 1/1m".to_owned(), "invalid rate"),
        ("event: {reason: A}, rate: 5/-1m".to_owned(), "invalid rate"),
        (
            "event: {reason: A}, rate: 5/1m, within: 1m".to_owned(),
            "rate replaces",
        ),
        (
            "object: {kind: Pod}, rate: 5/1m".to_owned(),
            "rate is only allowed on an event",
        ),
        // misplaced options
        (
            "all: [{event: {reason: A}, window: 5s}], within: 5m".to_owned(),
            "an entry of none",
        ),
        (
            "any: [{event: {reason: A}, anchor: 0}]".to_owned(),
            "an entry of none",
        ),
        (
            "all: [{event: {reason: A}}], none: [{event: {reason: B}, slide: 1s}]".to_owned(),
            "all or sequence with within",
        ),
        (
            "object: {kind: Pod}, none: [{event: {reason: B}, slide: 1s}]".to_owned(),
            "an entry of none",
        ),
        (
            format!("{set}, also: [{{event: {{reason: C}}, slide: 1s}}]"),
            "an entry of none",
        ),
        (
            format!("{set}, none: [{{event: {{reason: C}}, window: x}}]"),
            "invalid duration",
        ),
        // invalid parts
        (
            "all: [{all: [{event: {reason: A}}]}], within: 9m".to_owned(),
            "are not allowed inside",
        ),
        (
            format!("all: [{{{set}, also: [{{event: {{reason: D}}}}]}}], within: 9m"),
            "captures nothing and has no also",
        ),
        (
            "all: [{all: [{event: {message: 'a {x}'}}], within: 5m}], within: 9m".to_owned(),
            "captures nothing and has no also",
        ),
        (
            "all: [{all: [{event: {reason: A}, at_least: 4096}, {event: {reason: B}}], within: 5m}], \
             within: 9m"
                .to_owned(),
            "more than 4096 events",
        ),
        (
            "all: [{any: [{event: {reason: A}}]}], within: 9m".to_owned(),
            "are not allowed inside",
        ),
        (
            format!("any: [{{{set}, at_least: 2}}]"),
            "at_least belongs to a part",
        ),
        (
            "all: [{object: {kind: Pod}}], within: 9m".to_owned(),
            "has no time",
        ),
        (
            "all: [{event: {reason: A}, rate: 5/1m}], within: 9m".to_owned(),
            "not to a part",
        ),
        (
            "all: [{event: {reason: A}, none: [{event: {reason: B}}]}], within: 9m".to_owned(),
            "not to a part",
        ),
        (
            format!("{set}, none: [{{event: {{reason: C}}, at_least: 2}}]"),
            "at_least is not allowed",
        ),
        (
            "sequence: [{event: {reason: A}}], within: 5m".to_owned(),
            "two events or more",
        ),
        (
            "event: {reason: A}, within: 5m, none: [{event: {reason: B}, window: 5s}]".to_owned(),
            "within needs at_least",
        ),
        // numbers
        (
            format!("{set}, none: [{{event: {{reason: C}}, anchor: 2}}]"),
            "anchor 2 is out of range: it must be less than 2",
        ),
        (
            "event: {reason: A}, none: [{event: {reason: B}, anchor: 1}]".to_owned(),
            "anchor 1 is out of range",
        ),
        (format!("{}, within: 5m", many("all")), "more than 64 parts"),
        (
            format!("{}, within: 5m", many("sequence")),
            "more than 64 parts",
        ),
        (
            format!("{set}, {}", many("none")),
            "more than 64 entries of none",
        ),
        (
            "event: {reason: A}, rate: 70000/1m".to_owned(),
            "must not exceed 65536",
        ),
        (
            "all: [{event: {reason: A}, at_least: 5000}], within: 1m".to_owned(),
            "must not exceed 4096",
        ),
    ] {
        let yaml = format!("{{{yaml}}}");
        let message = read(&yaml).map(|_| ()).unwrap_err();
        assert!(message.contains(words), "{yaml}: {message}");
    }
    // anchors count repeated events
    let repeated = "all: [{event: {reason: A}, at_least: 3}], within: 5m, \
        none: [{event: {reason: C}, anchor: 2}]";
    assert!(read(&format!("{{{repeated}}}")).is_ok());
}

#[test]
fn conditions_over_time_are_parts_of_others() {
    let inner = "all: [{event: {reason: A}}, {event: {reason: B}}], within: 5s";
    for yaml in [
        format!("{{all: [{{{inner}, at_least: 2}}, {{event: {{reason: C}}}}], within: 9m}}"),
        format!("{{sequence: [{{{inner}}}, {{event: {{reason: C}}}}], within: 9m}}"),
        format!(
            "{{all: [{{event: {{reason: C}}}}], within: 0s, none: [{{{inner}, window: 5s, slide: -1s}}]}}"
        ),
    ] {
        let condition = read(&yaml).unwrap_or_else(|error| panic!("{yaml}: {error}"));
        assert!(condition.is_temporal(), "{yaml}");
    }
    let deep = |depth: usize| {
        let open = "{all: [".repeat(depth);
        format!(
            "{open}{{event: {{reason: A}}}}{}",
            "], within: 5s}".repeat(depth)
        )
    };
    assert!(read(&deep(20)).is_ok());
    let top = super::signatures::signature(&format!("{{{inner}, at_least: 2}}"));
    let error = crate::Catalogue::empty()
        .add_str("x.yaml", &top)
        .unwrap_err();
    assert!(error.message().contains("at_least belongs"), "{error}");
}

#[test]
fn a_reach_outside_of_none_is_refused_at_the_top() {
    let yaml = super::signatures::signature("{event: {reason: A}, window: 5s}");
    let error = crate::Catalogue::empty()
        .add_str("x.yaml", &yaml)
        .unwrap_err();
    assert!(error.message().contains("an entry of none"), "{error}");
}
