//! The verdict: healthy inputs are called healthy, and no others are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kwhy_core::{Analyzer, Document, Verdict};
use rayon::prelude::*;
use serde::Deserialize;

/// The content of `fixtures/verdicts.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdicts {
    healthy: Vec<String>,
    over: Vec<String>,
    unknown: Vec<Unknown>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unknown {
    /// The reason why the input does not show that everything is healthy.
    #[allow(dead_code)]
    why: String,
    inputs: Vec<String>,
}

fn fixtures(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(folder)
}

/// Returns the subfolders of a folder of fixtures, with their names.
fn folders(folder: &str) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(fixtures(folder)).unwrap();
    let folders = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    folders.map(|path| (name(&path), path)).collect()
}

#[test]
fn each_healthy_input_has_its_verdict() {
    let table = fs::read_to_string(fixtures("verdicts.yaml")).unwrap();
    let table: Verdicts = serde_yaml::from_str(&table).unwrap();
    let mut wanted: BTreeMap<String, Verdict> = BTreeMap::new();
    let mut add = |names: Vec<String>, verdict| {
        for name in names {
            let before = wanted.insert(name.clone(), verdict);
            assert!(before.is_none(), "{name} is listed twice");
        }
    };
    add(table.healthy, Verdict::Healthy);
    add(table.over, Verdict::Over);
    for unknown in table.unknown {
        add(unknown.inputs, Verdict::Unknown);
    }
    let analyzer = Analyzer::new();
    let found: BTreeMap<String, Verdict> = folders("healthy")
        .into_par_iter()
        .map(|(name, path)| {
            let input = fs::read_to_string(path.join("input.txt")).unwrap();
            (name, analyzer.analyze_text("stdin", input).verdict)
        })
        .collect();
    let differ = found
        .iter()
        .filter(|(name, verdict)| wanted.get(*name) != Some(verdict));
    let differ: Vec<_> = differ.collect();
    assert!(differ.is_empty(), "other verdicts: {differ:?}");
    let gone = wanted.keys().filter(|name| !found.contains_key(*name));
    assert_eq!(gone.count(), 0, "the table lists inputs that are not there");
}

#[test]
fn faulty_inputs_are_not_called_healthy() {
    // these faults do not persist: they are over, or the client retries on its own
    const WELL: [&str; 1] = ["quiet-in-a-well-cluster"];
    let is_healthy_capture = |path: &Path| {
        let labels = fs::read_to_string(path.join("case.yaml")).unwrap_or_default();
        labels.contains("primary: none/healthy")
    };
    let analyzer = Analyzer::new();
    let all = ["cases", "incidents", "lab"].into_iter().flat_map(folders);
    let all: Vec<_> = all
        .filter(|(name, path)| !WELL.contains(&&**name) && !is_healthy_capture(path))
        .collect();
    assert!(all.len() > 500, "{} faulty inputs", all.len());
    let called: Vec<String> = all
        .into_par_iter()
        .filter_map(|(name, path)| {
            let files = fs::read_dir(path).unwrap().map(|file| file.unwrap().path());
            let is_input = |file: &PathBuf| {
                let name = file.file_name().unwrap().to_string_lossy();
                file.is_file() && name != "expected.yaml" && name != "case.yaml"
            };
            let documents = files.filter(is_input).map(|file| {
                let name = file.file_name().unwrap().to_string_lossy().into_owned();
                Document::new(name, fs::read(&file).unwrap())
            });
            let report = analyzer.analyze(&documents.collect::<Vec<_>>());
            (report.verdict == Verdict::Healthy).then_some(name)
        })
        .collect();
    assert!(called.is_empty(), "called healthy: {called:?}");
}

/// Writes a record with a time, a level and a message.
type Write = fn(&str, &str, &str) -> String;

/// Log formats by name. Times are given as minutes and seconds.
const WAYS: [(&str, Write); 11] = [
    ("json", |at, level, message| {
        format!(r#"{{"level":"{level}","ts":"2026-03-04T05:{at}Z","msg":"{message}"}}"#)
    }),
    ("stackdriver", |at, level, message| {
        let level = level.to_uppercase();
        format!(
            r#"{{"severity":"{level}","timestamp":"2026-03-04T05:{at}Z","message":"{message}"}}"#
        )
    }),
    ("logfmt", |at, level, message| {
        format!(r#"time="2026-03-04T05:{at}Z" level={level} msg="{message}""#)
    }),
    ("klog", |at, level, message| {
        let letter = level[..1].to_uppercase();
        format!(r#"{letter}0304 05:{at}.123456       1 crane.go:12] "{message}""#)
    }),
    ("zap", |at, level, message| {
        format!(
            "2026-03-04T05:{at}Z\t{}\tcrane/lift.go:12\t{message}",
            level.to_uppercase()
        )
    }),
    ("python", |at, level, message| {
        format!(
            "2026-03-04 05:{at},123 - crane - {} - {message}",
            level.to_uppercase()
        )
    }),
    ("logback", |at, level, message| {
        format!(
            "2026-03-04 05:{at}.123 [main] {:<5} harbour.Crane - {message}",
            level.to_uppercase()
        )
    }),
    ("leveled", |at, level, message| {
        format!("2026-03-04T05:{at}Z {} {message}", level.to_uppercase())
    }),
    ("cri", |at, level, message| {
        format!(r#"2026-03-04T05:{at}.123456789Z stderr F {{"level":"{level}","msg":"{message}"}}"#)
    }),
    ("docker", |at, level, message| {
        format!(
            r#"{{"log":"level={level} msg=\"{message}\"\n","stream":"stderr","time":"2026-03-04T05:{at}Z"}}"#
        )
    }),
    ("journal", |at, level, message| {
        format!(r#"Mar 04 05:{at} quay-1 crane[12]: level={level} msg="{message}""#)
    }),
];

/// Returns a log of half an hour with an error in each of the given minutes.
fn log(write: Write, level: &str, errors: &[usize]) -> String {
    let record = |minute: usize| {
        let at = format!("{minute:02}:07");
        match errors.contains(&minute) {
            true => write(&at, level, "the oven is cold") + "\n",
            false => write(&at, "info", &format!("crate {minute} is lifted")) + "\n",
        }
    };
    (0..30).map(record).collect()
}

#[test]
fn an_error_that_nothing_explains_is_not_healthy() {
    let analyzer = Analyzer::new();
    for (way, write) in WAYS {
        let verdict = |level: &str, errors: &[usize]| {
            let text = log(write, level, errors);
            analyzer.analyze_text("crane.log", text).verdict
        };
        assert_eq!(verdict("error", &[]), Verdict::Healthy, "{way}, no error");
        for errors in [&[29][..], &[7, 14, 21, 28], &[28, 29]] {
            assert_eq!(
                verdict("error", errors),
                Verdict::Unknown,
                "{way}, {errors:?}"
            );
        }
        assert_eq!(verdict("error", &[2]), Verdict::Over, "{way}, long ago");
    }
}

#[test]
fn words_of_a_failure_are_not_healthy() {
    let analyzer = Analyzer::new();
    let verdict = |last: &str| {
        let lines = (0..20).map(|number| format!("2026/03/04 05:06:{number:02} crate lifted\n"));
        let text = lines.collect::<String>() + last + "\n";
        analyzer.analyze_text("crane.log", text).verdict
    };
    assert_eq!(
        verdict("2026/03/04 05:06:21 0 crates refused"),
        Verdict::Healthy
    );
    for last in [
        "2026/03/04 05:06:21 cannot lift crate 7",
        "2026/03/04 05:06:21 lifting crate 7 failed: the oven is cold",
        "crane: the lift was refused",
    ] {
        assert_eq!(verdict(last), Verdict::Unknown, "{last}");
    }
}

#[test]
fn a_pod_that_was_just_restarted_is_not_yet_well() {
    let analyzer = Analyzer::new();
    let verdict = |restarts: &str| {
        let text = format!(
            "NAME     READY   STATUS    RESTARTS        AGE\ncrane-0   1/1     Running   {restarts:<15} 40d\n"
        );
        analyzer.analyze_text("pods.txt", text).verdict
    };
    assert_eq!(verdict("0"), Verdict::Healthy);
    assert_eq!(verdict("2 (6d ago)"), Verdict::Healthy);
    assert_ne!(verdict("2 (41s ago)"), Verdict::Healthy);
    assert_ne!(verdict("1 (3h ago)"), Verdict::Healthy);
}

#[test]
fn warnings_of_the_cluster_are_not_healthy() {
    let analyzer = Analyzer::new();
    let verdict = |kind: &str, reason: &str| {
        let text = format!(
            "\
LAST SEEN   TYPE      REASON      OBJECT        MESSAGE
40s         Normal    Pulled      pod/crane-0   the image is there
38s         Normal    Created     pod/crane-0   Created container crane
37s         Normal    Started     pod/crane-0   Started container crane
12s         {kind:<7}   {reason:<9}   pod/crane-0   the oven is cold
"
        );
        analyzer.analyze_text("events.txt", text).verdict
    };
    assert_eq!(verdict("Normal", "Warmed"), Verdict::Healthy);
    assert_ne!(verdict("Warning", "OvenCold"), Verdict::Healthy);
}

#[test]
fn text_that_shows_no_state_is_not_healthy() {
    let analyzer = Analyzer::new();
    for text in [
        "The harbour was built last year.\nIts cranes lift crates.\nNobody complains.\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: tide\ndata:\n  level: high\n",
    ] {
        let report = analyzer.analyze_text("stdin", text);
        assert_eq!(report.verdict, Verdict::Unknown, "{text}");
    }
}

#[test]
fn an_error_level_that_is_a_number_is_seen_in_large_logs() {
    let healthy = "{\"level\":30,\"time\":1709528767000,\"pid\":1,\"hostname\":\"oven-0\",\"msg\":\"a loaf was baked\"}\n";
    for level in [50, 60] {
        // a truncated record
        let error =
            format!("{{\"level\":{level},\"time\":1709528767000,\"msg\":\"the oven is co\n");
        for count in [20, 20_000] {
            let text = healthy.repeat(count) + &error + &healthy.repeat(count);
            let report = Analyzer::new().analyze_text("x", text.as_str());
            assert_eq!(report.verdict, Verdict::Unknown, "{level} of {count}");
        }
    }
}

#[test]
fn a_log_has_one_verdict_in_blocks_of_any_size() {
    let line = |number| {
        format!("I0304 05:06:0{number}.123456       1 oven.go:88] the oven has {number} loaves\n")
    };
    let text: String = (0..9).map(line).collect();
    for size in [40, 100, 300, 1 << 18] {
        let report = Analyzer::new()
            .with_blocks_of(size)
            .analyze_text("oven.log", text.as_str());
        assert_eq!(report.verdict, Verdict::Healthy, "{size}");
    }
}
