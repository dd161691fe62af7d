//! The page in Chromium, if it is installed: its script runs, its filter works, and text of the input does nothing.

use std::fs;
use std::path::Path;
use std::process::Command;

use kwhy_core::{Analyzer, Report};
use kwhy_render::Html;

use super::{cases, drawn};

/// Returns the page after its scripts ran in Chromium; `None` without Chromium.
fn opened(name: &str, report: &Report) -> Option<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name).with_extension("html");
    fs::write(&path, drawn(&Html, report)).unwrap();
    for program in ["chromium", "chromium-browser", "google-chrome"] {
        let opened = Command::new(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--virtual-time-budget=2000",
            ])
            .arg(format!("--user-data-dir={}", folder.join(name).display()))
            .arg("--dump-dom")
            .arg(format!("file://{}", path.display()))
            .output();
        if let Ok(opened) = opened {
            assert!(opened.status.success(), "{opened:?}");
            return Some(String::from_utf8(opened.stdout).unwrap());
        }
    }
    eprintln!("Chromium is not here: the page was not opened");
    None
}

#[test]
fn the_script_runs() {
    let case = cases()
        .iter()
        .find(|case| case.name == "two-faults-in-one-chain-of-names")
        .unwrap();
    let Some(page) = opened("script", &case.report) else {
        return;
    };
    // only the script removes the attribute `hidden`, and only if the page's policy allows the script
    assert!(page.contains("<form id=\"filter\">"), "{page}");
}

#[test]
fn hostile_text_does_nothing() {
    let bad = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script><svg/onload=document.title='owned'>";
    let text = format!(
        "Warning  FailedMount  5s  kubelet  MountVolume.SetUp failed for volume \"{bad}\" : configmap \"cart\" not found\n{bad}\nE0304 05:06:07.123456       1 x.go:1] \"Failed {bad}\"\n"
    );
    let report = Analyzer::new().analyze_text(bad, text);
    let Some(page) = opened("hostile", &report) else {
        return;
    };
    assert!(page.contains("<title>kwhy: 1 root cause"), "{page}");
    assert!(
        !page.contains("<img") && page.matches("<script").count() == 1,
        "{page}"
    );
}
