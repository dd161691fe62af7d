//! Scans of many bundles: the lines do not depend on threads or memory, and a file of results can be continued.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn scan(folder: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kwhy"));
    let all = folder.join("*");
    command.arg("scan").args(options).arg(all).output().unwrap()
}

/// Creates bundles: logs of several sizes, a folder, one that is damaged, one that is empty.
fn bundles(name: &str) -> PathBuf {
    let root = std::env::temp_dir().join(format!("kwhy-{name}-{}", std::process::id()));
    let folder = root.join("in");
    fs::create_dir_all(folder.join("09-folder")).unwrap();
    let fault = "E0304 05:06:07.123456       1 volumes.go:42] MountVolume.SetUp failed for volume \"conf\" : configmap \"bread\" not found\n";
    let calm =
        "I0304 05:06:07.123456       1 oven.go:7] \"Baked\" loaf=\"rye\" pod=\"oven/bread-0\"\n";
    for number in 0..9 {
        let text = calm.repeat(number % 4 * 3000 + 1) + if number % 3 == 0 { fault } else { "" };
        fs::write(folder.join(format!("{number:02}.log")), text).unwrap();
    }
    fs::write(folder.join("09-folder/a.log"), fault).unwrap();
    fs::write(folder.join("10.tgz"), b"\x1f\x8b\x08\0\0").unwrap();
    fs::write(folder.join("11.log"), "").unwrap();
    root
}

fn lines(text: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(text).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[test]
fn the_same_for_any_number_of_threads_and_any_memory() {
    let root = bundles("scan-threads");
    let folder = root.join("in");
    let whole = scan(&folder, &["-j", "1"]).stdout;
    assert_eq!(lines(&whole).len(), 13);
    for options in [
        &["-j", "2"][..],
        &["-j", "7"],
        &["-j", "7", "--memory", "1"],
        &["-j", "3", "--memory", "400M"],
    ] {
        let output = scan(&folder, options);
        assert!(output.stdout == whole, "{options:?}");
    }
    let wrong = scan(&folder, &["--memory", "lots"]);
    assert_eq!(wrong.status.code(), Some(2));
    fs::remove_dir_all(root).unwrap();
}

/// Counts the lines of each bundle in a file of results; the last line counts for "".
fn counted(text: &[u8]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in lines(text) {
        let source = line["source"].as_str().unwrap_or_default().to_owned();
        *counts.entry(source).or_default() += 1;
    }
    counts
}

#[test]
fn results_are_continued_wherever_they_end() {
    let root = bundles("scan-resume");
    let folder = root.join("in");
    let file = root.join("results.ndjson");
    let path = file.display().to_string();
    for form in ["reports", "findings"] {
        let options = ["-j", "2", "-o", form, "--resume", &path];
        let _ = fs::remove_file(&file);
        let first = scan(&folder, &options);
        assert!(first.stdout.is_empty());
        let whole = fs::read(&file).unwrap();
        assert!(whole == scan(&folder, &["-o", form]).stdout, "{form}");
        // nothing is left to do
        scan(&folder, &options);
        assert!(fs::read(&file).unwrap() == whole, "{form}");
        let step = whole.len() / 11;
        for end in (0..whole.len()).step_by(step) {
            fs::write(&file, &whole[..end]).unwrap();
            let output = scan(&folder, &options);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            let continued = fs::read(&file).unwrap();
            assert!(continued == whole, "{form}, cut at {end}");
        }
    }
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn what_could_not_be_read_is_tried_again() {
    let root = bundles("scan-again");
    let folder = root.join("in");
    let file = root.join("results.ndjson");
    let path = file.display().to_string();
    let late = root.join("late.log");
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kwhy"));
        command.args(["scan", "--resume", &path]);
        command.arg(&late).arg(folder.join("*")).output().unwrap()
    };
    assert_eq!(run().status.code(), Some(2));
    let summary = |text: &[u8]| lines(text).pop().unwrap()["summary"].clone();
    let first = fs::read(&file).unwrap();
    assert_eq!(summary(&first)["failed"], 1);
    fs::write(&late, "panic: no\n").unwrap();
    assert_eq!(run().status.code(), Some(0));
    let then = fs::read(&file).unwrap();
    assert_eq!(
        (&summary(&then)["failed"], &summary(&then)["read"]),
        (&0.into(), &13.into())
    );
    assert!(counted(&then).values().all(|count| *count == 1));
    assert_eq!(counted(&then).len(), 14);
    // a file that does not contain results stays as it is
    fs::write(&file, "my notes\n").unwrap();
    assert_eq!(run().status.code(), Some(2));
    assert_eq!(fs::read(&file).unwrap(), b"my notes\n");
    fs::remove_dir_all(root).unwrap();
}
