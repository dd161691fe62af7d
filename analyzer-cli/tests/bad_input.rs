//! Inputs that are broken, cut or not text: what can be read is diagnosed, the rest is reported.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn kwhy(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kwhy"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // a program that refuses its arguments does not read its input
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

/// Returns the report of an input; the program must not fail.
fn report(stdin: &[u8]) -> Value {
    let output = kwhy(&["-o", "json"], stdin);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn causes(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap();
    findings
        .iter()
        .filter(|finding| finding["role"] == "cause")
        .filter_map(|finding| finding["cause"].as_str())
        .collect()
}

fn limits(report: &Value) -> Vec<&str> {
    let limits = report["limits"].as_array().unwrap();
    limits
        .iter()
        .filter_map(|limit| limit["limit"].as_str())
        .collect()
}

/// A folder of one test, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const EVENT: &str = r#"  Warning  FailedMount  105s (x16 over 18m)  kubelet  MountVolume.SetUp failed for volume "settings" : configmap "cart-settings" not found"#;

const DESCRIBE: &str = r#"Name:             cart-0
Namespace:        shop
Priority:         0
Service Account:  default
Node:             worker-1/10.0.0.4
Status:           Pending
Containers:
  cart:
    Image:          registry.example/cart:1.2
    State:          Waiting
      Reason:       ContainerCreating
    Ready:          False
    Restart Count:  0
Events:
  Type     Reason       Age                  From     Message
  ----     ------       ----                 ----     -------
  Warning  FailedMount  105s (x16 over 18m)  kubelet  MountVolume.SetUp failed for volume "settings" : configmap "cart-settings" not found
"#;

#[test]
fn a_describe_cut_at_its_end() {
    for cut in (1..DESCRIBE.len()).step_by(97) {
        report(&DESCRIBE.as_bytes()[..cut]);
    }
    let without_the_last_word = &DESCRIBE[..DESCRIBE.len() - "not found\n".len()];
    let cut = report(without_the_last_word.as_bytes());
    assert!(
        !causes(&cut).contains(&"storage/configmap-missing"),
        "{cut}"
    );
    let whole = report(DESCRIBE.as_bytes());
    assert_eq!(causes(&whole), ["storage/configmap-missing"]);
}

#[test]
fn a_describe_cut_at_its_start() {
    for cut in (0..DESCRIBE.len()).step_by(97) {
        report(&DESCRIBE.as_bytes()[cut..]);
    }
    let events_only = &DESCRIBE[DESCRIBE.find("    Ready:").unwrap()..];
    let report = report(events_only.as_bytes());
    assert_eq!(causes(&report), ["storage/configmap-missing"]);
}

#[test]
fn half_an_escape_sequence() {
    for half in [
        "\x1b",
        "\x1b[",
        "\x1b[31",
        "\x1b[31;",
        "\x1b]0;title",
        "\x1b(",
    ] {
        let text = format!("\x1b[33m{EVENT}\x1b[0m\n{half}\n{EVENT}{half}");
        let report = report(text.as_bytes());
        assert_eq!(causes(&report), ["storage/configmap-missing"], "{half:?}");
        assert_eq!(report["stats"]["lines"], 3, "{half:?}");
    }
}

#[test]
fn bytes_that_are_no_utf8() {
    let mut text = EVENT.as_bytes().to_vec();
    text.extend(b"\nname: caf\xe9 \xf0\x9f\n");
    let report = report(&text);
    assert_eq!(causes(&report), ["storage/configmap-missing"]);
    assert_eq!(limits(&report), ["invalid-utf-8"]);
}

#[test]
fn binary_between_text() {
    let mut text = EVENT.as_bytes().to_vec();
    text.push(b'\n');
    text.extend((0..=255).cycle().take(4096));
    let report = report(&text);
    assert_eq!(causes(&report), ["storage/configmap-missing"]);
    assert!(limits(&report).contains(&"invalid-utf-8"), "{report}");
}

#[test]
fn fifty_megabytes_in_one_line() {
    let start = std::time::Instant::now();
    let mut text = EVENT.as_bytes().to_vec();
    text.push(b'\n');
    text.extend(b"word ".iter().cycle().take(50_000_000));
    text.push(b'\n');
    let report = report(&text);
    assert_eq!(causes(&report), ["storage/configmap-missing"]);
    assert_eq!(limits(&report), ["long-line"]);
    let took = start.elapsed();
    assert!(took.as_secs() < 30, "{took:?} in a build for tests");
}

#[test]
fn a_million_lines_that_nothing_knows() {
    let text = "\n \n".repeat(500_000);
    let report = report(text.as_bytes());
    assert_eq!(report["stats"]["lines"], 1_000_000);
}

#[test]
fn a_folder_without_files() {
    let folder = Folder::new("no-files");
    let output = kwhy(&[folder.path()], b"");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new("not-readable");
    let barred = folder.0.join("barred");
    std::fs::create_dir(&barred).unwrap();
    std::fs::write(folder.0.join("events.txt"), EVENT).unwrap();
    let mode = |mode| std::fs::set_permissions(&barred, std::fs::Permissions::from_mode(mode));
    mode(0o000).unwrap();
    let root_reads_all = std::fs::read_dir(&barred).is_ok();
    let alone = kwhy(&[barred.to_str().unwrap()], b"");
    let among = kwhy(&["-o", "json", folder.path()], b"");
    mode(0o755).unwrap();
    if root_reads_all {
        return;
    }
    assert_eq!(alone.status.code(), Some(2), "{alone:?}");
    assert_eq!(among.status.code(), Some(0), "{among:?}");
    let report: Value = serde_json::from_slice(&among.stdout).unwrap();
    assert_eq!(causes(&report), ["storage/configmap-missing"]);
    assert_eq!(limits(&report), ["unreadable"]);
    assert!(String::from_utf8_lossy(&among.stderr).contains("barred"));
}

/// Returns a tar archive of one member.
fn tar(name: &str, content: &[u8]) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[100..108].copy_from_slice(b"0000644\0");
    block[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
    block[136..148].copy_from_slice(b"14571337557\0");
    block[156] = b'0';
    block[148..156].fill(b' ');
    let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block.extend(content);
    block.resize(block.len().next_multiple_of(512) + 1024, 0);
    block
}

#[test]
fn a_log_in_an_archive_is_of_the_pod_that_its_place_names() {
    let panic = b"panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n";
    let place = "b/cluster-resources/pods/logs/shop/web-0/app-previous.log";
    for threads in ["1", "2"] {
        let output = kwhy(&["-o", "json", "-j", threads], &tar(place, panic));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let finding = &report["findings"][0];
        assert_eq!(finding["subject"]["name"], "web-0", "{report}");
        assert_eq!(finding["subject"]["namespace"], "shop");
        assert_eq!(finding["subject"]["container"], "app");
        assert_eq!(report["bundles"][0]["members"], 1);
        let source = format!("stdin!{place}");
        assert_eq!(finding["evidence"][0]["source"], source.as_str());
    }
    let cut = &tar(place, panic)[..540];
    assert_eq!(limits(&report(cut)), ["damaged", "not-collected"]);
    let other = kwhy(&["-o", "json", "--namespace", "mail"], &tar(place, panic));
    let other: Value = serde_json::from_slice(&other.stdout).unwrap();
    assert_eq!(other["inputs"].as_array().unwrap().len(), 0);
    let excluded = kwhy(&["-o", "json", "--exclude", "**/*.log"], &tar(place, panic));
    let excluded: Value = serde_json::from_slice(&excluded.stdout).unwrap();
    assert_eq!(excluded["inputs"].as_array().unwrap().len(), 0);
}

#[test]
fn a_scan_continues_after_what_cannot_be_read() {
    let root = std::env::temp_dir().join(format!("kwhy-scan-{}", std::process::id()));
    std::fs::create_dir_all(&root).unwrap();
    let line = b"E0304 05:06:07.123456       1 volumes.go:42] MountVolume.SetUp failed for volume \"conf\" : configmap \"web-conf\" not found\n";
    std::fs::write(root.join("a.tar"), tar("kubelet.log", line)).unwrap();
    std::fs::write(root.join("b.tgz"), b"\x1f\x8b\x08\0\0").unwrap();
    std::fs::write(root.join("c.log"), line).unwrap();
    let all = root.join("*").display().to_string();
    let absent = root.join("absent").display().to_string();
    let output = kwhy(&["scan", &absent, &all], b"");
    let findings = kwhy(&["scan", "-o", "findings", &absent, &all], b"");
    std::fs::remove_dir_all(&root).unwrap();
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 5);
    // because of the given path that is absent
    assert_eq!(output.status.code(), Some(2));
    let findings = String::from_utf8(findings.stdout).unwrap();
    let findings: Vec<Value> = findings
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of_bundle: Vec<&Value> = findings
        .iter()
        .filter(|line| line["source"].is_string())
        .collect();
    // an error, a finding and a summary of two, a summary of one
    assert_eq!(of_bundle.len(), 6);
    assert_eq!(of_bundle[1]["cause"], "storage/configmap-missing");
    assert!(of_bundle[2]["summary"]["stats"].is_object());
    assert!(lines[0]["error"].is_string());
    assert_eq!(
        lines[1]["report"]["findings"][0]["cause"],
        "storage/configmap-missing"
    );
    assert_eq!(limits(&lines[2]["report"]), ["damaged"]);
    let summary = &lines[4]["summary"];
    assert_eq!(
        (summary["read"].as_u64(), summary["failed"].as_u64()),
        (Some(3), Some(1))
    );
    assert_eq!(summary["causes"]["storage/configmap-missing"], 2);
}
