//! Reports built by hand, for tests of renderers.

use kwhy_core::events::{Format, Severity};
use kwhy_core::report::{
    Check, CommandLine, Evidence, Explained, Fix, InputSummary, Limit, LimitMet, SegmentSummary,
    Unexplained,
};
use kwhy_core::{Finding, Level, Report, Role, Subject};

pub fn evidence(line: u64, text: &str, marked: &str, label: Option<&str>) -> Evidence {
    let start = text.find(marked).unwrap();
    let mut evidence = Evidence::new("stdin", line, text, start..start + marked.len());
    evidence.label = label.map(str::to_owned);
    evidence
}

pub fn finding(rank: usize, role: Role, severity: Level, cause: &str, title: &str) -> Finding {
    let mut finding = Finding::new(cause, cause.rsplit('/').next().unwrap(), title);
    finding.rank = rank;
    finding.role = role;
    finding.severity = severity;
    finding.confidence = 0.9;
    finding.subject = Subject::new("Pod", Some("shop"), "cart-0");
    finding
}

pub fn configmap() -> Finding {
    let text = "  Warning  FailedMount  105s (x16 over 18m)  kubelet  MountVolume.SetUp failed for \
                volume \"settings\" : configmap \"cart-settings\" not found";
    let mut finding = finding(
        1,
        Role::Cause,
        Level::Error,
        "storage/configmap-missing",
        "ConfigMap \"cart-settings\" does not exist, so Pod shop/cart-0 cannot start",
    );
    finding.signature = "configmap-mount-missing".into();
    finding.confidence = 0.97;
    finding.count = 16;
    finding.first = "18m ago".parse().ok();
    finding.last = "105s ago".parse().ok();
    finding.evidence = vec![evidence(
        25,
        text,
        "configmap \"cart-settings\" not found",
        Some("not in namespace shop"),
    )];
    finding.why = "the kubelet mounts a pod's volumes before it starts any container; a ConfigMap \
                   that is not there is asked for again and again"
        .into();
    let mut check = Check::new("NotFound confirms, found rules it out");
    check.command = command("kubectl -n shop get configmap cart-settings");
    finding.check = vec![check];
    finding.fix = vec![Fix::new(
        "create the ConfigMap, or correct its name in the pod template",
    )];
    finding.references =
        vec!["https://kubernetes.io/docs/concepts/configuration/configmap/".into()];
    finding
}

fn command(text: &str) -> Option<CommandLine> {
    CommandLine::new(text.split(' ').map(str::to_owned).collect())
}

pub fn report(findings: Vec<Finding>) -> Report {
    let mut input = InputSummary::new("stdin");
    input.formats = vec![Format::Describe];
    input.lines = 40;
    input.segments = vec![SegmentSummary::new(Format::Describe, 1, 40)];
    let mut report = Report::default();
    report.findings = findings;
    report.inputs = vec![input];
    report.stats.bytes = 2_048;
    report.stats.lines = 40;
    report.stats.records = 9;
    report.stats.events = 8;
    report
}

pub fn one_cause() -> Report {
    report(vec![configmap()])
}

/// Returns a cause, two symptoms that it explains, one that nothing explains, and something benign.
pub fn with_symptoms() -> Report {
    let mut cause = configmap();
    let waits = "volume settings of Pod shop/cart-0 is waited for";
    let mut symptoms: Vec<Finding> = (2..=3)
        .map(|rank| {
            let (role, severity) = (Role::Symptom, Level::Warning);
            let mut symptom = finding(rank, role, severity, "storage/mount-timeout", waits);
            symptom.count = 4;
            symptom.explained_by = Some(1);
            symptom
        })
        .collect();
    let line = "Unable to attach or mount volumes: timed out waiting for the condition";
    symptoms[0].evidence = vec![
        evidence(23, line, "timed out", None),
        evidence(24, line, "timed out", None),
    ];
    symptoms[1].evidence = vec![evidence(26, line, "timed out", None)];
    cause.explains = (2..=3)
        .map(|rank| Explained::new(rank, "the volume waits for the ConfigMap"))
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
    let (role, severity) = (Role::Symptom, Level::Warning);
    let mut unavailable = finding(4, role, severity, "workload/unavailable", alone);
    unavailable.evidence = vec![evidence(38, "Available  False", "False", None)];
    findings.push(unavailable);
    findings.push(benign);
    let mut report = report(findings);
    report.inputs[0].not_understood = 2;
    report.inputs[0].not_understood_lines = vec![1, 3];
    report.inputs[0].not_understood_texts = vec!["so".into(), "happened that".into()];
    report
}

pub fn nothing_found() -> Report {
    let mut report = report(Vec::new());
    let line = "  Warning  FailedBinding  no frobnicator";
    let mut binding = Unexplained::new("FailedBinding", evidence(12, line, "no frob", None));
    binding.count = 12;
    binding.severity = Some(Severity::Warning);
    binding.evidence.push(evidence(19, line, "no frob", None));
    let proof = evidence(7, "E cannot frobnicate", "cannot", None);
    let mut error = Unexplained::new("cannot frobnicate", proof);
    error.severity = Some(Severity::Error);
    report.unexplained = vec![binding, error];
    report.limits = vec![LimitMet::new(
        "b.log",
        Limit::Unreadable,
        "permission denied",
    )];
    report
}

/// Returns a report in which all text from the input tries to control the terminal.
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
    finding.captures.insert("name".into(), bad.into());
    finding.evidence = vec![evidence(3, &format!("x\t{bad} y"), bad, Some(bad))];
    finding.evidence[0].source = format!("file{bad}");
    let mut report = report(vec![finding]);
    report.limits = vec![LimitMet::new(bad, Limit::from(bad), bad)];
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
