use super::*;
use crate::input::{Document, segments};
use kwhy_model::{Object, Value};
use proptest::prelude::*;

const DEAD: &str = "\
$ systemctl status kube-proxy
○ kube-proxy.service - Proxy of the quay
     Loaded: loaded (/etc/systemd/system/kube-proxy.service; enabled; vendor preset: disabled)
    Drop-In: /etc/systemd/system/kube-proxy.service.d
             └─10-quay.conf
     Active: inactive (dead) since Mon 2024-03-04 05:06:07 UTC; 4min 11s ago
       Docs: https://quay.example/proxy
    Process: 71 ExecStartPre=/bin/true (code=exited, status=0/SUCCESS)
    Process: 72 ExecStart=/opt/bin/kube-proxy --config=/etc/quay.yaml (code=killed, signal=TERM)
   Main PID: 72 (code=killed, signal=TERM)
        CPU: 717ms

Mar 04 05:06:07 alder-2 systemd[1]: Stopping Proxy of the quay...
Mar 04 05:06:07 alder-2 systemd[1]: Stopped Proxy of the quay.
";

fn objects(text: &str) -> Vec<Object<'_>> {
    crate::segments(&segments(text)).objects
}

fn states(text: &str) -> Vec<String> {
    let of = |object: &Object<'_>| {
        let text = |key| object.fields.text(key).unwrap_or_default().into_owned();
        format!(
            "{} {} {}",
            object.subject.name.clone().unwrap_or_default(),
            text("active.state"),
            text("active.sub_state")
        )
    };
    objects(text).iter().map(of).collect()
}

#[test]
fn a_head_with_its_journal() {
    let parsed = crate::segments(&segments(DEAD));
    let [unit] = parsed.objects.as_slice() else {
        panic!("{:?}", parsed.objects);
    };
    assert_eq!(unit.subject.to_string(), "Unit kube-proxy.service");
    assert_eq!(unit.subject.node.as_deref(), Some("alder-2"));
    for (path, value) in [
        ("description", "Proxy of the quay"),
        ("load_state", "loaded"),
        ("path", "/etc/systemd/system/kube-proxy.service"),
        ("enabled", "enabled"),
        ("preset", "disabled"),
        ("active.state", "inactive"),
        ("active.sub_state", "dead"),
        ("active.since", "Mon 2024-03-04 05:06:07 UTC"),
        ("active.for_s", "251"),
        ("main_process.pid", "72"),
        ("main_process.code", "killed"),
        ("main_process.signal", "TERM"),
    ] {
        assert_eq!(unit.fields.text(path).as_deref(), Some(value), "{path}");
    }
    let commands = unit.fields.items("processes").iter();
    let commands: Vec<_> = commands
        .filter_map(|process| Some(process.get("command")?.to_text()?.into_owned()))
        .collect();
    assert_eq!(commands, ["ExecStartPre", "ExecStart"]);
    let since = unit.fields.get("active.since").map(Value::span).unwrap();
    assert_eq!(&DEAD[since], "Mon 2024-03-04 05:06:07 UTC");
    assert_eq!(parsed.events.len(), 2, "{:?}", parsed.events);
    assert!(DEAD[unit.span.clone()].ends_with("CPU: 717ms"));
}

#[test]
fn marks_and_releases() {
    for (first, name) in [
        ("● crane.service - Crane", "crane.service"),
        ("* crane.service - Crane", "crane.service"),
        ("× crane.service - Crane", "crane.service"),
        ("↻ crane.service - Crane", "crane.service"),
        ("crane.service - Crane", "crane.service"),
        ("● crane@3.service", "crane@3.service"),
        ("  ● crane.socket - Crane", "crane.socket"),
    ] {
        let text = format!(
            "{first}\n   Loaded: loaded (/usr/lib/systemd/system/x.service; static)\n   Active: failed (Result: exit-code) since Mon 2024-03-04 05:06:07 CET; 1h 2min ago\n"
        );
        assert_eq!(states(&text), [format!("{name} failed failed")], "{first}");
        let all = objects(&text);
        assert_eq!(all[0].fields.text("active.result").unwrap(), "exit-code");
        assert_eq!(all[0].fields.integer("active.for_s"), Some(3720));
    }
    // without the head's first line
    let text = "   Loaded: loaded (/lib/systemd/system/crane.service; enabled)\n   Active: activating (auto-restart) (Result: exit-code) since Mon 2024-03-04 05:06:07 CET; 3s ago\n  Process: 9 ExecStart=/bin/crane (code=exited, status=203/EXEC)\n Main PID: 9 (code=exited, status=203/EXEC)\n";
    assert_eq!(states(text), ["crane.service activating auto-restart"]);
    assert_eq!(
        objects(text)[0].fields.integer("main_process.exit_code"),
        Some(203)
    );
    let running = "● crane.service\n   Loaded: not-found (Reason: Unit crane.service not found.)\n   Active: active (running) since x; 2 weeks 1 days ago\n Main PID: 9 (crane)\n   Status: \"lifting\"\n";
    let unit = &objects(running)[0];
    assert_eq!(unit.fields.text("main_process.program").unwrap(), "crane");
    assert_eq!(unit.fields.text("status_text").unwrap(), "lifting");
    assert_eq!(
        unit.fields.text("load_reason").unwrap(),
        "Unit crane.service not found."
    );
    assert_eq!(unit.fields.integer("active.for_s"), Some(15 * 86_400));
}

#[test]
fn several_units_and_a_prompt() {
    let one = |name: &str, state: &str| {
        format!(
            "● {name}.service - A {name}\n   Loaded: loaded (/lib/{name}.service; enabled)\n   Active: {state}\n"
        )
    };
    let text = format!(
        "[root@birch-1 ~]# systemctl status a b c -n0\n{}\n{}{}",
        one("a", "active (running)"),
        one("b", "inactive (dead)"),
        one("c", "activating (start)")
    );
    assert_eq!(
        states(&text),
        [
            "a.service active running",
            "b.service inactive dead",
            "c.service activating start"
        ]
    );
    // further heads follow blank lines
    let nodes = objects(&text);
    let nodes = &nodes[..1];
    assert!(
        nodes
            .iter()
            .all(|unit| unit.subject.node.as_deref() == Some("birch-1"))
    );
}

#[test]
fn tables() {
    let text = "\
  UNIT               LOAD   ACTIVE SUB     DESCRIPTION
● crane.service      loaded failed failed  The crane of the quay
  winch.service      loaded active running Winch

LOAD   = Reflects whether the unit definition was properly loaded.
2 loaded units listed.
";
    assert_eq!(
        states(text),
        [
            "crane.service failed failed",
            "winch.service active running"
        ]
    );
    assert_eq!(
        states("● kubelet.service loaded activating auto-restart kubelet\n"),
        ["kubelet.service activating auto-restart"]
    );
}

#[test]
fn other_texts() {
    for text in [
        "crane.service - is what we call it",
        "● crane.service is down",
        "Active: inactive, as I said",
        "Loaded: 12 images",
        "crane.service loaded the config and failed",
        "x crane.js - a library",
    ] {
        assert_eq!(objects(text), [], "{text}");
        assert!(!segments(text).is_empty());
    }
    for (line, host) in [
        (
            "[root@birch-1 ~]# systemctl status kubelet",
            Some("birch-1"),
        ),
        (
            "op@birch-2.example:~$ sudo systemctl status x",
            Some("birch-2.example"),
        ),
        ("$ systemctl status kubelet", None),
        ("op@birch-2:~$ ls", None),
    ] {
        assert_eq!(host_of_prompt(line), host, "{line}");
    }
}

/// Generates texts full of pieces of heads and tables.
fn like_units() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "● ",
        "○ ",
        "x ",
        "crane.service",
        " - ",
        "Crane",
        "\n",
        "\n\n",
        "   ",
        "Loaded: ",
        "loaded ",
        "(",
        ")",
        ";",
        "/lib/crane.service",
        "enabled",
        "Active: ",
        "inactive ",
        "(dead)",
        "(Result: ",
        " since ",
        " ago",
        "4min",
        "Main PID: ",
        "72 ",
        "(code=",
        "exited, ",
        "status=1/FAILURE",
        "signal=",
        "Process: ",
        "ExecStart=",
        "UNIT LOAD ACTIVE SUB",
        "failed ",
        "é",
        "Status: \"",
        "\"",
        "└─",
        "$ ",
        "Mar 04 05:06:07 alder systemd[1]: x",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text(text in prop_oneof![like_units(), "(?s).{0,200}"]) {
        let document = Document::new("", text.as_str());
        for object in objects(document.text()) {
            prop_assert!(document.text().get(object.span.clone()).is_some());
            let fields = object.fields.span();
            prop_assert!(document.text().get(fields.clone()).is_some());
            prop_assert!(object.span.start <= fields.start && fields.end <= object.span.end);
        }
        let lines: Vec<Line<'_>> = crate::input::lines(document.text()).collect();
        parse(&lines);
        for line in document.text().lines() {
            is_part(line);
            host_of_prompt(line);
        }
    }
}
