//! The program as a user runs it.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const PASTE: &str = "Warning  FailedMount  5s  kubelet  MountVolume.SetUp failed for volume \"conf\" : configmap \"cart\" not found\n";

fn run(paths: &[&Path], stdin: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_minimal"))
        .args(paths)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    program
        .stdin
        .take()
        .unwrap()
        .write_all(stdin.as_bytes())
        .unwrap();
    program.wait_with_output().unwrap()
}

#[test]
fn standard_input_is_diagnosed() {
    let ran = run(&[], PASTE);
    let out = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success());
    assert!(
        out.starts_with("storage/configmap-missing: ConfigMap \"cart\" does not exist"),
        "{out}"
    );
    assert!(out.contains("\n  stdin:1: Warning  FailedMount"), "{out}");
}

#[test]
fn what_cannot_be_read_is_an_error_and_the_rest_is_diagnosed() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("paste.txt");
    std::fs::write(&path, PASTE).unwrap();
    let ran = run(&[Path::new("/no/such/file"), &path], "");
    assert!(!ran.status.success());
    assert!(String::from_utf8(ran.stdout).unwrap().contains("cart"));
    assert!(
        String::from_utf8(ran.stderr)
            .unwrap()
            .contains("/no/such/file")
    );
}
