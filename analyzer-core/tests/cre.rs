//! Community rules (CRE) fire as they do in preq: the rules of the public catalogue on their own logs, and preq's
//! examples.
//!
//! The rules are not in this repository. `KWHY_CRE=FOLDER cargo test -p kwhy-core --test main cre` takes a folder that
//! contains `rules/` (one folder per rule, with its `test.log`) and `examples/` with `expected.tsv`. Without it, these
//! tests are reported as skipped; the modules below always run.
#![allow(clippy::print_stderr)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use kwhy_core::{Analyzer, Catalogue, Report};

mod agree;
mod bounds;
mod nested;
mod own;

/// Returns the folder of rules, or `None`, with a message, if it is not set.
fn folder(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("KWHY_CRE").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED {test}: KWHY_CRE names no folder of rules");
    }
    folder
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn is_yaml(path: &Path) -> bool {
    path.extension()
        .is_some_and(|is| is == "yaml" || is == "yml")
}

/// Returns the folders of rules, each with its rule file.
fn rules(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let folders = paths(&folder.join("rules"))
        .into_iter()
        .filter(|path| path.is_dir());
    let with_file = folders.filter_map(|path| {
        let file = paths(&path).into_iter().find(|path| is_yaml(path))?;
        path.join("test.log").exists().then_some((path, file))
    });
    with_file.collect()
}

fn analyzer(files: &[&Path]) -> Result<Analyzer, String> {
    let mut catalogue = Catalogue::empty();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        let added = catalogue.add_str(&file.display().to_string(), &text);
        added.map_err(|error| error.to_string())?;
    }
    Ok(Analyzer::with_catalogue(catalogue))
}

/// Returns the ids of the rules that a report names: those of its findings, and those merged into them.
fn fired(report: &Report) -> BTreeSet<String> {
    let findings = report.findings.iter();
    let ids = findings.flat_map(|finding| {
        let rules = finding
            .rules
            .iter()
            .map(|rule| rule.id.to_ascii_lowercase());
        rules.chain([finding.signature.clone()])
    });
    ids.collect()
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

#[test]
fn each_rule_fires_on_its_own_log() {
    let Some(folder) = folder("each_rule_fires_on_its_own_log") else {
        return;
    };
    let rules = rules(&folder);
    assert!(!rules.is_empty(), "no rules in {folder:?}");
    let files: Vec<&Path> = rules.iter().map(|(_, file)| file.as_path()).collect();
    let all = analyzer(&files).unwrap();
    let naive = analyzer(&files).unwrap().with_naive_matching();
    let mut silent = Vec::new();
    let mut alarms = Vec::new();
    let mut foreign: BTreeMap<String, usize> = BTreeMap::new();
    let mut logs = BTreeSet::new();
    for (folder, file) in &rules {
        let own = analyzer(&[file]).unwrap();
        let id = own.catalogue().at(0).id.clone();
        let log = read(&folder.join("test.log"));
        let report = all.analyze_text("stdin", log.as_slice());
        let found = fired(&report);
        assert_eq!(
            found,
            fired(&naive.analyze_text("stdin", log.as_slice())),
            "{id}"
        );
        if !found.contains(&id) {
            silent.push(id.clone());
        }
        for other in found.iter().filter(|other| **other != id) {
            *foreign.entry(other.clone()).or_default() += 1;
            logs.insert(id.clone());
        }
        if let Ok(log) = fs::read(folder.join("test-fp.log")) {
            let report = own.analyze_text("stdin", log.as_slice());
            alarms.extend(fired(&report));
        }
    }
    let fired = rules.len() - silent.len();
    let hits: usize = foreign.values().sum();
    eprintln!(
        "{fired}/{} rules fire on their own logs; {hits} foreign hits of {} rules on {} logs",
        rules.len(),
        foreign.len(),
        logs.len()
    );
    let mut worst: Vec<_> = foreign.into_iter().collect();
    worst.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    eprintln!("most foreign hits: {:?}", &worst[..worst.len().min(8)]);
    assert!(silent.is_empty(), "silent: {silent:?}");
    assert!(alarms.is_empty(), "false alarms: {alarms:?}");
}

#[test]
fn preq_examples_come_out_as_expected() {
    let Some(folder) = folder("preq_examples_come_out_as_expected") else {
        return;
    };
    let folder = folder.join("examples");
    let expected = fs::read_to_string(folder.join("expected.tsv")).unwrap();
    let mut wrong = Vec::new();
    let mut all = 0;
    for line in expected.lines().skip(1).filter(|line| !line.is_empty()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [rule, log, expected] = columns.as_slice() else {
            panic!("{line}");
        };
        all += 1;
        let came = match analyzer(&[&folder.join(rule)]) {
            Err(_) => "error",
            Ok(analyzer) => {
                let report = analyzer.analyze_text("stdin", read(&folder.join(log)));
                match fired(&report).is_empty() {
                    true => "silent",
                    false => "fire",
                }
            }
        };
        if came != *expected {
            wrong.push(format!("{rule} on {log}: {came}, not {expected}"));
        }
    }
    eprintln!("{}/{all} examples as expected", all - wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
