//! Tests that no dependency requires a newer Rust than the workspace declares.

use std::process::Command;

use serde_json::Value;

fn version(text: &str) -> Vec<u32> {
    let mut parts: Vec<u32> = text.split('.').map(|part| part.parse().unwrap()).collect();
    parts.resize(3, 0);
    parts
}

#[test]
fn no_dependency_needs_a_newer_rust() {
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let rustc = String::from_utf8(rustc.stdout).unwrap();
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: "));
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--filter-platform", host.unwrap()])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&metadata.stderr);
    assert!(metadata.status.success(), "{error}");
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let ours = version(env!("CARGO_PKG_RUST_VERSION"));
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100);
    for package in packages {
        if let Some(needed) = package["rust_version"].as_str() {
            assert!(
                version(needed) <= ours,
                "{} needs {needed}",
                package["name"]
            );
        }
    }
}
