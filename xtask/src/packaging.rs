//! Tests of the scripts in `packaging/`.
#![allow(clippy::print_stderr)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PACKAGES: [&str; 5] = [
    "kwhy-x86_64-unknown-linux-musl.tar.gz",
    "kwhy-aarch64-unknown-linux-musl.tar.gz",
    "kwhy-x86_64-apple-darwin.tar.gz",
    "kwhy-aarch64-apple-darwin.tar.gz",
    "kwhy-x86_64-pc-windows-msvc.zip",
];

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("kwhy-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn script(name: &str) -> Command {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging");
    let mut command = Command::new("sh");
    command.arg(path.join(name));
    command
}

fn is_here(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn what_has_another_checksum_is_not_installed() {
    if !["curl", "tar", "sha256sum"].into_iter().all(is_here) {
        eprintln!("SKIPPED install.sh: curl, tar or sha256sum is missing");
        return;
    }
    let folder = folder("install");
    let release = folder.join("latest/download");
    fs::create_dir_all(&release).unwrap();
    let shell = |line: &str| {
        let mut command = Command::new("sh");
        let ran = command.args(["-euc", line]).current_dir(&release).status();
        assert!(ran.unwrap().success(), "{line}");
    };
    let packed = |version: &str| {
        fs::write(release.join("kwhy"), format!("#!/bin/sh\necho {version}\n")).unwrap();
        for package in &PACKAGES[..4] {
            shell(&format!("chmod +x kwhy; tar -czf {package} ./kwhy"));
        }
    };
    // a path with a space, which does not exist yet
    let bin = folder.join("my programs");
    let install = || -> Output {
        script("install.sh")
            .env("KWHY_URL", format!("file://{}", folder.display()))
            .env("KWHY_BIN", &bin)
            .output()
            .unwrap()
    };
    let installed = || {
        Command::new(bin.join("kubectl-kwhy"))
            .output()
            .unwrap()
            .stdout
    };
    packed("first");
    assert!(!install().status.success() && !bin.exists());
    shell("sha256sum *.gz >SHA256SUMS");
    let ran = install();
    assert!(ran.status.success(), "{ran:?}");
    assert_eq!(installed(), b"first\n");
    packed("other");
    let ran = install();
    let error = String::from_utf8(ran.stderr).unwrap();
    assert!(
        !ran.status.success() && error.contains("the checksum of"),
        "{error}"
    );
    assert_eq!(installed(), b"first\n");
    let _ = fs::remove_dir_all(&folder);
}

#[test]
fn manifests_name_each_package_with_its_checksum() {
    if !is_here("awk") {
        eprintln!("SKIPPED manifests.sh: awk is missing");
        return;
    }
    let folder = folder("manifests");
    let sums = folder.join("SHA256SUMS");
    let fill = |packages: &[&str]| {
        let lines: String = (0..)
            .zip(packages)
            .map(|(number, package)| format!("{number:064}  {package}\n"))
            .collect();
        fs::write(&sums, lines).unwrap();
        let mut command = script("manifests.sh");
        command
            .arg("1.2.3")
            .args([&sums, &folder])
            .output()
            .unwrap()
    };
    let ran = fill(&PACKAGES[..4]);
    let error = String::from_utf8(ran.stderr).unwrap();
    assert!(
        !ran.status.success() && error.contains(PACKAGES[4]),
        "{error}"
    );
    assert!(fill(&PACKAGES).status.success());
    for (name, packages) in [("krew.yaml", &PACKAGES[..]), ("kwhy.rb", &PACKAGES[..4])] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        assert!(!text.contains('@') && text.contains("1.2.3"), "{text}");
        for (number, package) in (0..).zip(packages) {
            let after = text.split(package).nth(1).unwrap();
            assert!(
                after
                    .lines()
                    .nth(1)
                    .unwrap()
                    .contains(&format!("{number:064}")),
                "{text}"
            );
        }
    }
    let _ = fs::remove_dir_all(&folder);
}
