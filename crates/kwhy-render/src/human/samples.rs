//! Reports made by hand, to draw in tests.

use std::collections::BTreeMap;

use kwhy_core::{
    Check, CommandLine, Evidence, Explained, Finding, Fix, Format, InputSummary, Level, LimitMet,
    Report, Role, SCHEMA, SegmentSummary, Severity, State, Stats, Subject, Unexplained, Verdict,
};

pub fn evidence(line: u64, text: &str, marked: &str, label: Option<&str>) -> Evidence {
    let start = text.find(marked).unwrap();
    Evidence {
        source: "stdin".into(),
        line,
        column: text[..start].chars().count() as u64 + 1,
        text: text.into(),
        mark: start..start + marked.len(),
        label: label.map(str::to_owned),
    }
}

pub fn finding(rank: usize, role: Role, severity: Level, cause: &str, title: &str) -> Finding {
    Finding {
        rank,
        cause: cause.into(),
        signature: cause.rsplit('/').next().unwrap().into(),
        role,
        severity,
        state: State::Unknown,
        confidence: 0.9,
        title: title.into(),
        subject: Subject::new("Pod", Some("shop"), "cart-0"),
        others: Vec::new(),
        captures: BTreeMap::new(),
        also: Vec::new(),
        count: 1,
        at_least: false,
        first: None,
        last: None,
        evidence: Vec::new(),
        explains: Vec::new(),
        explained_by: None,
        recovered: None,
        why: String::new(),
        check: Vec::new(),
        fix: Vec::new(),
        references: Vec::new(),
    }
}

pub fn configmap() -> Finding {
    let text = "  Warning  FailedMount  105s (x16 over 18m)  kubelet  MountVolume.SetUp failed for \
                volume \"settings\" : configmap \"cart-settings\" not found";
    Finding {
        signature: "configmap-mount-missing".into(),
        confidence: 0.97,
        count: 16,
        at_least: false,
        first: Some("18m ago".into()),
        last: Some("105s ago".into()),
        evidence: vec![evidence(
            25,
            text,
            "configmap \"cart-settings\" not found",
            Some("not in namespace shop"),
        )],
        why: "the kubelet mounts a pod's volumes before it starts any container; a ConfigMap that \
              is not there is asked for again and again"
            .into(),
        check: vec![Check {
            text: None,
            command: command("kubectl -n shop get configmap cart-settings"),
            why: "NotFound confirms, found rules it out".into(),
        }],
        fix: vec![Fix {
            text: "create the ConfigMap, or correct its name in the pod template".into(),
            command: None,
            destructive: false,
            precondition: None,
        }],
        references: vec!["https://kubernetes.io/docs/concepts/configuration/configmap/".into()],
        ..finding(
            1,
            Role::Cause,
            Level::Error,
            "storage/configmap-missing",
            "ConfigMap \"cart-settings\" does not exist, so Pod shop/cart-0 cannot start",
        )
    }
}

fn command(text: &str) -> Option<CommandLine> {
    CommandLine::new(text.split(' ').map(str::to_owned).collect())
}

pub fn report(findings: Vec<Finding>) -> Report {
    Report {
        schema: SCHEMA.into(),
        verdict: Verdict::Unknown,
        health: Vec::new(),
        until: None,
        findings,
        next: Vec::new(),
        unexplained: Vec::new(),
        inputs: vec![InputSummary {
            source: "stdin".into(),
            format: "describe".into(),
            lines: 40,
            not_understood: 0,
            not_understood_lines: Vec::new(),
            not_understood_texts: Vec::new(),
            segments: vec![SegmentSummary {
                format: Format::Describe,
                first_line: 1,
                last_line: 40,
            }],
        }],
        collected_at: None,
        bundles: Vec::new(),
        limits: Vec::new(),
        matched: BTreeMap::new(),
        timeline: None,
        namespaces: Default::default(),
        stats: Stats {
            bytes: 2_048,
            lines: 40,
            records: 9,
            events: 8,
        },
    }
}

pub fn one_cause() -> Report {
    report(vec![configmap()])
}

/// A cause, two symptoms that it explains, one that is alone, and something benign.
pub fn with_symptoms() -> Report {
    let mut cause = configmap();
    let waits = "volume settings of Pod shop/cart-0 is waited for";
    let mut symptoms: Vec<Finding> = (2..=3)
        .map(|rank| Finding {
            count: 4,
            explained_by: Some(1),
            ..finding(
                rank,
                Role::Symptom,
                Level::Warning,
                "storage/mount-timeout",
                waits,
            )
        })
        .collect();
    let line = "Unable to attach or mount volumes: timed out waiting for the condition";
    symptoms[0].evidence = vec![
        evidence(23, line, "timed out", None),
        evidence(24, line, "timed out", None),
    ];
    symptoms[1].evidence = vec![evidence(26, line, "timed out", None)];
    cause.explains = (2..=3)
        .map(|rank| Explained {
            rank,
            why: "the volume waits for the ConfigMap".into(),
        })
        .collect();
    let alone = "Deployment shop/cart has no ready replica";
    let mut benign = finding(
        5,
        Role::Benign,
        Level::Info,
        "api/conflict",
        "a write is retried",
    );
    benign.count = 3;
    benign.evidence = vec![evidence(
        31,
        "the object has been modified",
        "modified",
        None,
    )];
    let mut findings = vec![cause];
    findings.append(&mut symptoms);
    findings.push(Finding {
        evidence: vec![evidence(38, "Available  False", "False", None)],
        ..finding(
            4,
            Role::Symptom,
            Level::Warning,
            "workload/unavailable",
            alone,
        )
    });
    findings.push(benign);
    let mut report = report(findings);
    report.inputs[0].not_understood = 2;
    report.inputs[0].not_understood_lines = vec![1, 3];
    report.inputs[0].not_understood_texts = vec!["so".into(), "happened that".into()];
    report
}

pub fn nothing_found() -> Report {
    let mut report = report(Vec::new());
    report.unexplained = vec![
        Unexplained {
            reason: "FailedBinding".into(),
            count: 12,
            at_least: false,
            severity: Some(Severity::Warning),
            evidence: vec![
                evidence(
                    12,
                    "  Warning  FailedBinding  no frobnicator",
                    "no frob",
                    None,
                ),
                evidence(
                    19,
                    "  Warning  FailedBinding  no frobnicator",
                    "no frob",
                    None,
                ),
            ],
            namespace: None,
        },
        Unexplained {
            reason: "cannot frobnicate".into(),
            count: 1,
            at_least: false,
            severity: Some(Severity::Error),
            evidence: vec![evidence(7, "E cannot frobnicate", "cannot", None)],
            namespace: None,
        },
    ];
    report.limits = vec![LimitMet {
        source: "b.log".into(),
        limit: "unreadable".into(),
        message: "permission denied".into(),
    }];
    report
}

/// Everything that comes from the input tries to steer the terminal.
pub fn hostile() -> Report {
    let bad = "\x1b[31mred\x1b[0m \u{202e}gpj \u{200b}\u{9b}2J \x07";
    let mut finding = configmap();
    finding.title = format!("title {bad}");
    finding.why = format!("why {bad}");
    finding.check[0].command = CommandLine::new(vec!["kubectl".into(), bad.into()]);
    finding.check[0].text = Some(bad.into());
    finding.check[0].why = bad.into();
    finding.fix[0].text = bad.into();
    finding.fix[0].command = CommandLine::new(vec![bad.into()]);
    finding.fix[0].precondition = Some(bad.into());
    finding.references = vec![bad.into()];
    finding.first = Some(format!("{bad} ago"));
    finding.last = Some(bad.into());
    finding.captures.insert("name".into(), bad.into());
    finding.evidence = vec![evidence(3, &format!("x\t{bad} y"), bad, Some(bad))];
    finding.evidence[0].source = format!("file{bad}");
    let mut report = report(vec![finding]);
    report.limits = vec![LimitMet {
        source: bad.into(),
        limit: bad.into(),
        message: bad.into(),
    }];
    report.inputs[0].source = bad.into();
    report.inputs[0].not_understood = 1;
    report.inputs[0].not_understood_lines = vec![1];
    report.inputs[0].not_understood_texts = vec!["so".into()];
    report.unexplained = nothing_found().unexplained;
    report.unexplained[0].reason = format!("{bad}\nsecond");
    report.unexplained[0].evidence[0].text = bad.into();
    report
}

pub fn long_line() -> Report {
    let filler = "reconciling object generation=7 ".repeat(40);
    let text = format!("{filler}panic: assignment to entry in nil map {filler}");
    let mut finding = configmap();
    finding.evidence = vec![
        evidence(
            1_204,
            &text,
            "panic: assignment to entry in nil map",
            Some("here it ends"),
        ),
        evidence(1_207, &text, &text, None),
        evidence(
            1_209,
            &format!("{filler}END"),
            "END",
            Some("a label that is longer than usual"),
        ),
    ];
    report(vec![finding])
}

pub fn wide_text() -> Report {
    let mut finding = configmap();
    let text =
        "错误：无法挂载卷“配置”：找不到配置映射，请检查名称是否正确，然后再试一次。".repeat(2);
    finding.title = "找不到配置映射".repeat(9);
    finding.why = "先挂载卷，然后启动容器；".repeat(8);
    finding.evidence = vec![evidence(
        5,
        &text,
        "找不到配置映射",
        Some("不在命名空间 shop 中"),
    )];
    report(vec![finding])
}
