mod broken_lines;
mod mangled;

use super::*;
use crate::input::lines;

fn read(text: &str) -> Parsed<'_> {
    let parsed = parse(&lines(text).collect::<Vec<_>>());
    for event in &parsed.events {
        for span in [event.span.clone(), event.message.span()] {
            assert!(text.get(span).is_some());
        }
    }
    parsed
}

fn events(text: &str) -> Vec<Event<'_>> {
    let parsed = read(text);
    assert_eq!(parsed.not_understood, Vec::<u64>::new());
    parsed.events
}

fn seconds(age: Option<kwhy_model::Age>) -> u64 {
    age.unwrap().seconds
}

const DESCRIBED: &str = "\
Events:
  Type     Reason       Age                  From               Message
  ----     ------       ----                 ----               -------
  Normal   Scheduled    18m                  default-scheduler  Successfully assigned pay/ledger-0 to rack-7
  Warning  FailedMount  105s (x16 over 18m)  kubelet            MountVolume.SetUp failed for volume \"conf\" : configmap \"ledger-conf\" not found
  Warning  BackOff      <invalid> (x3 over 2m)  kubelet         Back-off restarting failed container app in pod ledger-0_pay(6f0c)
";

#[test]
fn the_table_of_a_describe() {
    let events = events(DESCRIBED);
    assert_eq!(events.len(), 3);
    let mount = &events[1];
    assert_eq!(mount.format, Format::DescribeEvents);
    assert_eq!(mount.severity, Some(Severity::Warning));
    assert_eq!(mount.reason.as_ref().unwrap().as_str(), "FailedMount");
    assert_eq!(
        (mount.count, seconds(mount.age), seconds(mount.first_age)),
        (16, 105, 1080)
    );
    assert_eq!(mount.component.as_ref().unwrap().as_str(), "kubelet");
    assert!(DESCRIBED[mount.span.clone()].starts_with("Warning  FailedMount"));
    assert_eq!(&DESCRIBED[mount.message.span()], mount.message.as_str());
    assert_eq!(mount.subject.to_string(), "Pod pay/ledger-0");
    assert_eq!(mount.subject.node.as_deref(), Some("rack-7"));
    // wider than its column
    assert_eq!((events[2].age, events[2].count), (None, 3));
    assert_eq!(events[2].subject.container.as_deref(), Some("app"));
}

#[test]
fn a_placeholder_for_an_age_is_an_unknown_age() {
    for word in [
        "...",
        "\u{2026}",
        "<time>",
        "<some time>",
        "xxx",
        "Xm",
        "?",
        "<unknown>",
        "n/a",
        "-",
    ] {
        if !word.contains(' ') {
            let bare =
                format!("  Warning  Failed   {word}  kubelet  Error: secret \"tide\" not found\n");
            let events = events(&bare);
            assert_eq!((events.len(), events[0].age), (1, None), "{word}");
            assert_eq!(
                events[0].message.as_str(),
                "Error: secret \"tide\" not found"
            );
        }
        let table = format!(
            "Type     Reason            Age          From               Message\n\
             ----     ------            ----         ----               -------\n\
             Warning  FailedScheduling  {word:<11}  default-scheduler  0/1 nodes are available\n"
        );
        let read = events(&table);
        assert_eq!((read.len(), read[0].age), (1, None), "{word}");
        assert_eq!(read[0].message.as_str(), "0/1 nodes are available");
        assert_eq!(
            read[0].component.as_ref().unwrap().as_str(),
            "default-scheduler"
        );
        let text = format!(
            "LAST SEEN    TYPE      REASON   OBJECT       MESSAGE\n\
             {word:<11}  Warning   Failed   pod/tide-0   Error: secret \"tide\" not found\n"
        );
        let read = events(&text);
        assert_eq!((read.len(), read[0].age), (1, None), "{word}");
        assert_eq!(read[0].subject.to_string(), "Pod tide-0");
    }
    for line in [
        "Warning Failed xxx and then it stopped",
        "... Warning signs were seen",
        "Normal Operation ... is resumed",
        "xxx yyy Warning",
    ] {
        assert!(!is_row(line), "{line}");
    }
}

#[test]
fn before_events_had_a_type() {
    let text = "\
Events:
  FirstSeen LastSeen    Count   From                      SubobjectPath   Reason          Message
  \u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500} \u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}    \u{2500}\u{2500}\u{2500}\u{2500}\u{2500}   \u{2500}\u{2500}\u{2500}\u{2500}                      \u{2500}\u{2500}\u{2500}\u{2500}            \u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}          \u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}
  20h       19h         9       {replication-controller }                 FailedCreate    Error creating: Pod \"tide-1\" is forbidden: limited to 10 pods
  3m        2m          1       {kubelet harbor-b}        spec.containers{tide}  pulled   Successfully pulled image
";
    let squeezed: String = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect();
    for text in [text, &squeezed] {
        let events = events(text);
        assert_eq!(events.len(), 2, "{text}");
        let create = &events[0];
        assert_eq!(create.severity, Some(Severity::Warning));
        assert_eq!(create.reason.as_ref().unwrap().as_str(), "FailedCreate");
        assert_eq!(
            create.component.as_ref().unwrap().as_str(),
            "replication-controller"
        );
        assert_eq!(
            (create.count, seconds(create.age), seconds(create.first_age)),
            (9, 19 * 3600, 20 * 3600)
        );
        assert!(create.message.as_str().starts_with("Error creating: Pod"));
        let pulled = &events[1];
        assert_eq!(pulled.severity, Some(Severity::Info));
        assert_eq!(pulled.reason.as_ref().unwrap().as_str(), "Pulled");
        assert_eq!(pulled.subject.node.as_deref(), Some("harbor-b"));
        assert_eq!(pulled.subject.container.as_deref(), Some("tide"));
    }
}

#[test]
fn before_paths_named_the_part_of_the_pod() {
    let text = "\
Events:
  FirstSeen LastSeen    Count   From            SubobjectPath       Reason      Message
  7m        7m      1   {scheduler }                    Scheduled   Successfully assigned tide-0 to harbor-b
  7m        7m      1   {kubelet harbor-b}   containers{tide} Started     Started with docker id 1a2b
  6m        7s      34  {kubelet harbor-b}   containers{tide} Backoff     Back-off restarting failed docker container
";
    let events = events(text);
    assert_eq!(events.len(), 3, "{events:?}");
    let last = &events[2];
    assert_eq!(last.reason.as_ref().unwrap().as_str(), "Backoff");
    assert_eq!(last.severity, Some(Severity::Warning));
    assert_eq!(last.subject.container.as_deref(), Some("tide"));
    assert_eq!((last.count, seconds(last.age)), (34, 7));
}

#[test]
fn with_timestamps_and_lower_case() {
    let text = "\
FIRSTSEEN                         LASTSEEN                          COUNT   NAME     KIND   SUBOBJECT   REASON             SOURCE        MESSAGE
Tue, 04 Mar 2031 05:06:07 +0000   Tue, 04 Mar 2031 05:16:07 +0000   7       tide-0   Pod                failedScheduling   {scheduler }  Error scheduling: no berth
";
    let squeezed: String = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect();
    for text in [text, &squeezed] {
        let events = events(text);
        assert_eq!(events.len(), 1, "{text}");
        let event = &events[0];
        assert_eq!(event.reason.as_ref().unwrap().as_str(), "FailedScheduling");
        assert_eq!(event.severity, Some(Severity::Warning));
        assert_eq!(event.time.unwrap().to_string(), "2031-03-04T05:16:07Z");
        assert_eq!(
            (event.count, event.subject.to_string()),
            (7, "Pod tide-0".to_owned())
        );
        assert_eq!(event.message.as_str(), "Error scheduling: no berth");
    }
}

#[test]
fn squeezed_to_single_spaces_gives_the_same_result() {
    let squeezed: String = DESCRIBED
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect();
    let headless: String = squeezed
        .lines()
        .skip(3)
        .map(|line| format!(" {line}\n"))
        .collect();
    let render = |events: Vec<Event<'_>>| -> Vec<String> {
        events
            .iter()
            .map(|event| {
                let component = event.component.as_ref().unwrap();
                format!(
                    "{:?} {} {component} {} {}",
                    event.age, event.count, event.subject, event.message
                )
            })
            .collect()
    };
    assert_eq!(render(events(&squeezed)), render(events(DESCRIBED)));
    assert_eq!(render(events(&headless)), render(events(DESCRIBED)));
}

#[test]
fn the_node_in_the_source() {
    let text = "Normal SandboxChanged 3m12s (x44 over 83m) kubelet, 10.9.0.3 Pod sandbox changed, it will be re-created.";
    let events = events(text);
    assert_eq!(events[0].component.as_ref().unwrap().as_str(), "kubelet");
    assert_eq!(events[0].subject.node.as_deref(), Some("10.9.0.3"));
    assert_eq!(
        events[0].message.as_str(),
        "Pod sandbox changed, it will be re-created."
    );
    let aligned = "\
  Type     Reason            Age        From                   Message
  Warning  FailedScheduling  <unknown>                         0/3 nodes are available
  Warning  Evicted           9s         kubelet, rack-7        The node was low on resource: memory.";
    let events = read(aligned).events;
    assert_eq!(events[0].component, None);
    assert_eq!(events[0].age, None);
    assert_eq!(events[0].message.as_str(), "0/3 nodes are available");
    assert_eq!(events[1].subject.node.as_deref(), Some("rack-7"));
}

#[test]
fn squeezed_rows_without_age_or_source() {
    let text = "\
Type Reason Age From Message
Warning FailedMount kubelet Unable to attach or mount volumes
Normal Pulling 5s Pulling image \"reg.example/a:1\"";
    let events = events(text);
    assert_eq!(events[0].age, None);
    assert_eq!(
        events[0].message.as_str(),
        "Unable to attach or mount volumes"
    );
    assert_eq!(events[1].component, None);
    assert_eq!(
        events[1].message.as_str(),
        "Pulling image \"reg.example/a:1\""
    );
}

#[test]
fn the_table_of_a_describe_before_1_9() {
    let text = "\
  FirstSeen  LastSeen  Count  From             SubObjectPath         Type     Reason   Message
  ---------  --------  -----  ----             -------------         ----     ------   -------
  10m        5s        42     kubelet, rack-7  spec.containers{api}  Warning  BackOff  Back-off pulling image \"x\"";
    let squeezed = "10m 5s 42 {kubelet rack-7} spec.containers{api} Warning BackOff Back-off pulling image \"x\"";
    for text in [text, squeezed] {
        let event = &events(text)[0];
        assert_eq!(
            (seconds(event.age), seconds(event.first_age), event.count),
            (5, 600, 42)
        );
        assert_eq!(event.component.as_ref().unwrap().as_str(), "kubelet");
        assert_eq!(event.subject.container.as_deref(), Some("api"));
        assert_eq!(event.subject.node.as_deref(), Some("rack-7"));
        assert_eq!(event.message.as_str(), "Back-off pulling image \"x\"");
    }
}

#[test]
fn reasons_in_capitals() {
    const TEXT: &str = "\
Events:
  Type     Reason  Age               From             Message
  ----     ------  ----              ----             -------
  Warning  RELOAD  5s (x3 over 1m)   oven-controller  Error reloading the oven: no heat
  Normal   RELOAD  8m                oven-controller  the oven was reloaded
";
    let events = events(TEXT);
    let reasons: Vec<&str> = events
        .iter()
        .filter_map(|event| event.reason.as_ref().map(|reason| reason.as_str()))
        .collect();
    assert_eq!(reasons, ["RELOAD", "RELOAD"]);
    let listed = "5s   Warning   RELOAD   pod/oven-1   Error reloading the oven\n";
    assert_eq!(read(listed).events.len(), 1);
    assert!(
        read("Warning CPU usage of the oven is high\n")
            .events
            .is_empty()
    );
}

#[test]
fn field_paths_before_messages() {
    let text = "  Warning  BackOff  5s  kubelet  spec.initContainers{migrate}: Back-off restarting failed container";
    let event = &events(text)[0];
    assert_eq!(
        event.message.as_str(),
        "Back-off restarting failed container"
    );
    assert_eq!(event.subject.container.as_deref(), Some("migrate"));
    assert_eq!(&text[event.message.span()], event.message.as_str());
}

#[test]
fn messages_over_several_lines() {
    let text = "\
  Type     Reason     Age   From     Message
  ----     ------     ----  ----     -------
  Warning  Unhealthy  9s    kubelet  Liveness probe failed: panic: no
goroutine 1
                                     main.go:3
  Normal   Killing    8s    kubelet  Container api failed liveness probe, will be restarted";
    let events = events(text);
    assert_eq!(events.len(), 2);
    let message = &events[0].message;
    assert_eq!(
        message.as_str(),
        "Liveness probe failed: panic: no\ngoroutine 1 main.go:3"
    );
    let at = message.as_str().find("goroutine").unwrap();
    assert_eq!(&text[message.source_span(at..at + 9)], "goroutine");
    assert!(text[events[0].span.clone()].ends_with("main.go:3"));
    assert_eq!(events[1].subject.container.as_deref(), Some("api"));
}

#[test]
fn lines_wrapped_at_the_terminals_width() {
    let whole = [
        "  Warning  FailedMount  105s (x16 over 18m)  kubelet            MountVolume.SetUp failed for volume \"conf\" : configmap \"ledger-conf\" not found",
        "  Warning  FailedMount  5s (x9 over 18m)     kubelet            Unable to attach or mount volumes: timed out waiting for the condition",
    ];
    let cut: String = whole
        .iter()
        .map(|line| format!("{}\n{}\n", &line[..84], &line[84..]))
        .collect();
    let read = events(&cut);
    assert_eq!(read.len(), 2);
    for (event, line) in read.iter().zip(whole) {
        assert!(line.ends_with(event.message.as_str()), "{}", event.message);
        assert_eq!(event.component.as_ref().unwrap().as_str(), "kubelet");
    }
    let message = &read[0].message;
    let at = message.as_str().find("ledger").unwrap();
    assert_eq!(&cut[message.source_span(at..at + 6)], "ledger");
}

#[test]
fn get_events() {
    let text = "\
NAMESPACE   LAST SEEN          TYPE      REASON         OBJECT          MESSAGE
default     9m                 Normal    NodeNotReady   node/rack-7     Node rack-7 status is now: NodeNotReady
pay         5s (x9 over 12m)   Warning   Failed         Pod/ledger-0    Error: secret \"login\" not found";
    let squeezed: String = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect();
    for text in [text, &squeezed] {
        let events = events(text);
        assert_eq!(events[0].format, Format::EventsTable);
        assert_eq!(events[0].subject.to_string(), "Node rack-7");
        assert_eq!(events[1].subject.to_string(), "Pod pay/ledger-0");
        assert_eq!((events[1].count, seconds(events[1].first_age)), (9, 720));
        assert_eq!(
            events[1].message.as_str(),
            "Error: secret \"login\" not found"
        );
    }
}

#[test]
fn get_events_wide() {
    let text = "\
LAST SEEN   TYPE      REASON      OBJECT         SUBOBJECT              SOURCE                MESSAGE                             FIRST SEEN   COUNT   NAME
5s          Warning   BackOff     pod/ledger-0   spec.containers{api}   kubelet, rack-7       Back-off  pulling image             12m          31      ledger-0.17f0a9c2b4e5
7s          Normal    Scheduled   pod/ledger-0                          default-scheduler, cp-1  Successfully assigned pay/ledger-0 to rack-7   7s   1    ledger-0.17f0a9c2b4e6";
    let squeezed: String = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect();
    let event = &events(text)[0];
    assert_eq!(event.message.as_str(), "Back-off  pulling image");
    let headless = &squeezed[squeezed.find('\n').unwrap() + 1..];
    for text in [text, &squeezed, headless] {
        let event = &events(text)[0];
        assert_eq!(event.count, 31);
        assert_eq!(seconds(event.first_age), 720);
        assert_eq!(event.subject.container.as_deref(), Some("api"));
        assert_eq!(event.subject.node.as_deref(), Some("rack-7"));
        assert_eq!(event.subject.namespace.as_deref(), Some("pay"));
        assert_eq!(
            event.field("name").unwrap().as_str(),
            "ledger-0.17f0a9c2b4e5"
        );
    }
}

#[test]
fn get_events_before_1_11() {
    let text = "\
LAST SEEN   FIRST SEEN   COUNT     NAME                        KIND      SUBOBJECT              TYPE      REASON    SOURCE            MESSAGE
5s          12m          31        ledger-0.17f0a9c2b4e51a2b   Pod       spec.containers{api}   Warning   BackOff   kubelet, rack-7   Back-off pulling image";
    let squeezed: String = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect();
    for text in [text, &squeezed] {
        let event = &events(text)[0];
        assert_eq!(event.format, Format::EventsTable);
        assert_eq!(event.subject.to_string(), "Pod ledger-0");
        assert_eq!(event.subject.container.as_deref(), Some("api"));
        assert_eq!(
            (seconds(event.age), seconds(event.first_age), event.count),
            (5, 720, 31)
        );
        assert_eq!(event.component.as_ref().unwrap().as_str(), "kubelet");
        assert_eq!(event.message.as_str(), "Back-off pulling image");
    }
}

#[test]
fn the_pod_in_messages_applies_to_its_rows_only() {
    let text = "\
Warning Failed 9s kubelet Error: ErrImagePull
Normal BackOff 8s kubelet Back-off restarting failed container=api pod=ledger-0_pay(6f0c)
Warning Failed 7s kubelet Error: ImagePullBackOff
Warning FailedCreatePodSandBox 6s kubelet, rack-2 failed to create a sandbox for pod \"mail-1\": timeout
Warning Failed 5s kubelet Error: ErrImagePull
Warning Failed 4s kubelet The container name \"/k8s_POD_mail-2_ops_6f0c_0\" is already in use";
    let names: Vec<String> = events(text)
        .iter()
        .map(|event| event.subject.to_string())
        .collect();
    assert_eq!(
        names,
        [
            "Pod pay/ledger-0",
            "Pod pay/ledger-0",
            "Pod pay/ledger-0",
            "Pod mail-1",
            "Pod mail-1",
            "Pod ops/mail-2",
        ]
    );
}

#[test]
fn other_lines_are_not_rows() {
    for prose in [
        "Normal operation resumes after 5m",
        "Normal Operation is expected",
        "Warning: FailedMount 5s kubelet",
        "Warning Letters 5 times kubelet",
        "5m later the pod was gone",
        "2m Normal people wait",
        "",
        "Type Reason Age From Message",
    ] {
        assert!(!is_row(prose), "{prose}");
    }
    for header in [
        "  Type    Reason  Age  From  Message",
        "LAST SEEN TYPE REASON OBJECT MESSAGE",
        "LASTSEEN   FIRSTSEEN   COUNT   NAME   KIND   SUBOBJECT   TYPE   REASON   SOURCE   MESSAGE",
    ] {
        assert!(is_header(header), "{header}");
    }
    for other in [
        "Type   Status   Reason   Message",
        "The reason and the message",
        "TYPE",
    ] {
        assert!(!is_header(other), "{other}");
    }
    assert_eq!(
        read("no table\nWarning Failed 5s kubelet Error").not_understood,
        [1]
    );
    assert!(events("Events:  <none>\n").is_empty());
}

#[test]
fn rows_without_age_and_source() {
    let text = "Events:\n  Normal   Scheduled    Successfully assigned harbour/tide-0 to quay-1\n  Warning  FailedMount  MountVolume.SetUp failed for volume \"conf\"\n";
    let parsed = parse(&lines(text).collect::<Vec<_>>());
    let shown: Vec<_> = parsed
        .events
        .iter()
        .map(|event| {
            (
                event.reason.as_ref().map(Text::as_str),
                event.message.as_str(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (
                Some("Scheduled"),
                "Successfully assigned harbour/tide-0 to quay-1"
            ),
            (
                Some("FailedMount"),
                "MountVolume.SetUp failed for volume \"conf\""
            )
        ]
    );
    for line in [
        "Warning FailedMount MountVolume.SetUp failed for volume",
        "Warning  FailedMount",
        "Warning: FailedMount  it failed",
        "Normal  operation  goes on",
    ] {
        assert!(!is_row(line), "{line}");
    }
}

#[test]
fn line_breaks_lost_in_copying() {
    let row = "Warning FailedScheduling 2m default-scheduler 0/3 nodes are available: 3 Insufficient cpu.";
    for text in [
        format!("Type Reason Age From Message ---- ------ ---- ---- ------- {row}\n"),
        format!("Type  Reason  Age  From  Message  ----  ------  ----  ----  -------\n{row}\n"),
    ] {
        assert!(is_header(text.lines().next().unwrap()));
        let lines: Vec<_> = crate::input::lines(&text).collect();
        let parsed = parse(&lines);
        assert!(parsed.not_understood.is_empty(), "{text}");
        let shown: Vec<_> = parsed
            .events
            .iter()
            .map(|event| event.message.as_str())
            .collect();
        assert_eq!(
            shown,
            ["0/3 nodes are available: 3 Insufficient cpu."],
            "{text}"
        );
        let event = &parsed.events[0];
        let at = event.message.source_span(0..event.message.as_str().len());
        assert_eq!(&text[at], event.message.as_str());
    }
}

#[test]
fn a_sentence_after_the_source_is_no_host() {
    for (source, host) in [
        ("kubelet, rack-7", Some("rack-7")),
        ("kubelet, NODE", Some("NODE")),
        ("kubelet, 10.9.0.3", Some("10.9.0.3")),
        ("kubelet,", None),
    ] {
        for message in ["MountVolume.SetUp failed for it", "Unable to mount it"] {
            let text = format!("Warning FailedMount 6s {source} {message}");
            let found = events(&text);
            assert_eq!(found[0].message.as_str(), message, "{text}");
            let own = found[0].field("host").map(|host| host.as_str());
            assert_eq!(own, host, "{text}");
            assert_eq!(found[0].component.as_ref().unwrap().as_str(), "kubelet");
        }
    }
}
