//! Frames give an answer if and only if the words inside them are unknown; the writer of a record decides who is at
//! fault.

use kwhy_core::{Analyzer, Catalogue};

/// Returns the first cause of a text, and the signature that found it.
fn first(text: &str) -> Option<(String, String)> {
    let report = Analyzer::new().analyze_text("x", text);
    let first = report.findings.first()?;
    Some((first.cause.to_string(), first.signature.clone()))
}

fn cause(text: &str) -> String {
    first(text).map_or("-".into(), |(cause, _)| cause)
}

#[test]
fn unknown_words_in_known_frames() {
    for (text, wanted) in [
        (
            "Error from server (Conflict): the oven is cold",
            "api/conflict",
        ),
        (
            "Error from server (Forbidden): the oven is cold",
            "api/forbidden",
        ),
        (
            "Error from server (TooManyRequests): the oven is cold",
            "api/throttled",
        ),
        (
            "Error from server (NotFound): the oven is cold",
            "api/object-missing",
        ),
        (
            "Warning  OvenCold  12s (x5 over 2m)  bakery-operator  the oven is cold",
            "workload/operator-error",
        ),
        (
            "2024-03-04 05:06:07.123 [INFO] Event(v1.ObjectReference{Kind:\"Oven\", Namespace:\"bakery\", Name:\"north\"}): type: 'Warning' reason: 'BakeFailed' the oven is cold",
            "workload/operator-error",
        ),
        (
            "E0304 05:06:07.123456    1234 nestedpendingoperations.go:348] Operation for \"{volumeName:oven}\" failed. No retries permitted until 2024-03-04 05:06:37 (durationBeforeRetry 32s). Error: the oven is cold",
            "storage/mount-failed",
        ),
        (
            "E0304 05:06:07.123456    1234 pod_workers.go:1294] \"Error syncing pod, skipping\" err=\"the oven is cold\" pod=\"shop/web-0\"",
            "container/create-stuck",
        ),
        (
            "Warning  Failed  5s  kubelet  Failed to pull image \"bread:1\": the oven of the layer is cold",
            "image/corrupt",
        ),
        (
            "Warning  Failed  5s  kubelet  Failed to pull image \"bread:1\": the registry is asleep",
            "image/registry-unreachable",
        ),
        (
            "Warning  Failed  5s  kubelet  Error: failed to start container \"web\": the oven is cold",
            "sandbox/oci-error",
        ),
        (
            "bash: /oven/bake: No such file or directory",
            "container/command-not-found",
        ),
        (
            "{\"level\":\"error\",\"ts\":\"2024-03-04T05:06:07Z\",\"msg\":\"giving up: the oven is cold\"}",
            "container/app-error",
        ),
        (
            "{\"level\":\"info\",\"ts\":\"2024-03-04T05:06:07Z\",\"msg\":\"giving up the old oven: it is cold\"}",
            "-",
        ),
        (
            "Normal  OvenWarm  12s  bakery-operator  the oven is warm",
            "-",
        ),
    ] {
        assert_eq!(cause(text), wanted, "{text}");
    }
}

#[test]
fn known_causes_come_without_frames() {
    let text = "Warning  OvenCold  12s  bakery-operator  the oven is cold\nWarning  FailedMount  12s  kubelet  MountVolume.SetUp failed for volume \"conf\" : configmap \"web-conf\" not found\n";
    let report = Analyzer::new().analyze_text("x", text);
    assert_eq!(
        report.findings[0].cause.to_string(),
        "storage/configmap-missing"
    );
    assert!(
        report
            .findings
            .iter()
            .all(|finding| !finding.signature.starts_with("frame-"))
    );
}

#[test]
fn a_trace_or_prose_after_an_error_is_no_log_that_continues() {
    let trace = "   at Oven.Bake(Int32 heat) in /src/Oven.cs:line 7\n".repeat(20);
    let error = "[05:06:07 FTL] Unable to heat the oven, the flue is shut\n";
    let record = "[05:06:08 INF] the oven is warm\n";
    assert_eq!(cause(&format!("{error}{trace}")), "container/app-error");
    assert_eq!(
        cause(&format!("{error}{}", "And then we wait.\n\n".repeat(9))),
        "container/app-error"
    );
    assert_eq!(cause(&format!("{error}{}", record.repeat(20))), "-");
}

#[test]
fn a_sentence_says_why_a_pod_is_in_its_state() {
    let row = "NAME      READY   STATUS             RESTARTS   AGE\noven-0    0/1     CrashLoopBackOff   7          11m\n";
    let report =
        Analyzer::new().analyze_text("x", format!("It was OOMKilled twice today.\n\n{row}"));
    let [why, state] = report.findings.as_slice() else {
        panic!("{:?}", report.findings);
    };
    assert_eq!(why.cause.to_string(), "container/oom-killed");
    assert_eq!(state.cause.to_string(), "workload/backoff");
    assert_eq!(state.explained_by, Some(why.rank));
    assert_eq!(cause(row), "workload/backoff");
}

#[test]
fn the_writer_decides_the_family() {
    let by = |writer: &str, words: &str| format!("Mar 04 05:06:07 node-1 {writer}[123]: {words}");
    let panic = "panic: runtime error: invalid memory address or nil pointer dereference";
    for (text, wanted) in [
        (by("dockerd", panic), "sandbox/runtime-unavailable"),
        (by("containerd", "fatal error: concurrent map writes"), "sandbox/runtime-unavailable"),
        (by("crio", "SIGSEGV: segmentation violation"), "sandbox/runtime-unavailable"),
        (by("etcd", panic), "api/etcd-unavailable"),
        (by("etcd", "panic: page 7 already freed"), "api/etcd-corrupt"),
        (by("bakery", panic), "container/app-panic"),
        (panic.to_owned(), "container/app-panic"),
        ("E0304 05:06:07.123456       1 proxier.go:1287] \"can't open port, skipping it\" err=\"listen tcp4 :30080: bind: address already in use\" port=\"nodePort for shop/web\"".into(), "network/node-port-conflict"),
        ("2024-03-04T05:06:07Z ERROR listen tcp :8080: bind: address already in use".into(), "container/port-in-use"),
    ] {
        assert_eq!(cause(&text), wanted, "{text}");
    }
}

#[test]
fn the_writer_decides_the_family_of_unknown_words() {
    for (text, wanted) in [
        (
            "time=\"2024-03-04T05:06:07Z\" level=error msg=\"Failed to heat\" oven=driver.longhorn.io error=\"the oven is cold\"",
            "storage/backend-unhealthy",
        ),
        (
            "Mar 04 05:06:07 node-1 kube-proxy[123]: E0304 05:06:07.123456       1 bake.go:41] failed to heat the oven: no wood is left",
            "network/kube-proxy-failed",
        ),
        (
            "[pod/cert-manager-5c47f46f57-jknnx/cert-manager-controller] {\"level\":\"error\",\"ts\":\"2024-03-04T05:06:07Z\",\"msg\":\"heating\",\"error\":\"the oven is cold\"}",
            "workload/certificate-not-issued",
        ),
        (
            "Warning  OvenCold  12s (x5 over 2m)  karpenter  the oven is cold",
            "workload/autoscaler-no-scale-up",
        ),
        (
            "Warning  OvenCold  12s (x5 over 2m)  bakery-operator  the oven is cold",
            "workload/operator-error",
        ),
        // an error reported by the API server is not the caller's fault
        (
            "Error from server (Conflict): oven of velero.io/v1 is cold",
            "api/conflict",
        ),
    ] {
        assert_eq!(cause(text), wanted, "{text}");
    }
}

#[test]
fn writers_of_one_log_are_counted_apart() {
    let lines = (0..60).map(|minute| {
        format!(
            "Mar 04 05:{minute:02}:07 node-1 crio[301]: SIGSEGV: segmentation violation\n\
             Mar 04 05:{minute:02}:09 node-1 bakery[42]: SIGSEGV: segmentation violation\n"
        )
    });
    let report = Analyzer::new().analyze_text("x", lines.collect::<String>());
    let mut counts: Vec<(String, u64, bool)> = report
        .findings
        .iter()
        .map(|finding| (finding.cause.to_string(), finding.count, finding.at_least))
        .collect();
    counts.sort();
    assert_eq!(
        counts,
        [
            ("container/segfault".to_owned(), 60, false),
            ("sandbox/runtime-unavailable".to_owned(), 60, false),
        ]
    );
}

#[test]
fn broken_lines_and_fences() {
    let broken = "Error: the harbour says\n\nMountVolume.SetUp failed for volume \"certs\" : secret \"crane-injector-service-account-of-quay\"\n    not found\n";
    assert_eq!(cause(broken), "storage/secret-missing");
    let fenced = "we saw\n```MountVolume.SetUp failed for volume \"certs\" : secret \"crane\" not found```\n";
    assert_eq!(cause(fenced), "storage/secret-missing");
}

#[test]
fn what_only_adds_to_a_match_is_no_answer() {
    let mine = "\
id: oven-wet
cause: node/kernel-or-hardware
severity: error
title: 'the oven is wet'
match:
  event: {message: 'the oven is wet all over'}
  also:
    - event: {message: 'the oven is cold'}
why: somebody left the window open
";
    let mut catalogue = Catalogue::builtin();
    catalogue.add_str("mine.yaml", mine).unwrap();
    let text = "{\"level\":\"error\",\"ts\":\"2024-03-04T05:06:07Z\",\"msg\":\"giving up: the oven is cold\"}";
    let report = Analyzer::with_catalogue(catalogue).analyze_text("x", text);
    let causes: Vec<&str> = report.findings.iter().map(|f| f.cause.as_str()).collect();
    assert_eq!(causes, ["container/app-error"]);
}
