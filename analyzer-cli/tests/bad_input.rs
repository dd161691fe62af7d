//! Inputs that are broken, cut or no text: what can be read is diagnosed, the rest is told.

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
    // a program that refuses its arguments reads nothing
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

/// The report of an input, which must not fail.
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

/// A folder of one test's own.
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
    for cut in (0..DESCRIBE.len()).step_by(97) {
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
