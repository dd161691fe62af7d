//! From many events to one answer. Each folder of `fixtures/incidents` contains what a bundle or the person on call has
//! collected about one incident, and an `expected.yaml` with the cause that must be ranked first and the findings it
//! explains.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kwhy_core::{Analyzer, Document, Finding, Level, Report, Role};
use rayon::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// The mechanism that the incident demonstrates, and what must not be mistaken for the cause.
    #[allow(dead_code)]
    shows: String,
    /// The finding that must be ranked first.
    root: Option<Root>,
    /// Findings that are explained by the root, directly or indirectly.
    #[serde(default)]
    explained: Vec<Consequence>,
    /// Findings that nothing in the input explains.
    #[serde(default)]
    apart: Vec<Consequence>,
    /// Causes that are allowed next to the root.
    #[serde(default)]
    beside: Vec<Beside>,
    /// Causes that must be reported as resolved.
    #[serde(default)]
    over: Vec<String>,
    /// True if no cause may be reported.
    #[serde(default)]
    silent: bool,
    /// The texts that are then reported as unexplained; the first one must be among the top two.
    #[serde(default)]
    telling: Vec<String>,
    /// The reason why the answer is not right yet.
    open: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Root {
    cause: String,
    subject: Option<String>,
    file: Option<String>,
    line: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Consequence {
    cause: String,
    subject: Option<String>,
    /// The cause of the finding that directly explains this one.
    by: Option<String>,
}

impl Consequence {
    /// Returns true if the finding is about this object, possibly among others.
    fn is_about(&self, finding: &Finding) -> bool {
        let is = |wanted: &String| {
            let mut others = finding.others.iter();
            *wanted == subject(finding) || others.any(|other| other.to_string() == *wanted)
        };
        self.subject.as_ref().is_none_or(is)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Beside {
    May(String),
    Listed {
        cause: String,
        #[serde(default)]
        must: bool,
    },
}

impl Beside {
    fn cause(&self) -> &str {
        match self {
            Beside::May(cause) | Beside::Listed { cause, .. } => cause,
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/incidents")
}

/// Collects the files below a folder, as sorted relative paths.
fn files(folder: &Path, below: &str, into: &mut Vec<String>) {
    for entry in fs::read_dir(folder.join(below)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() {
            name
        } else {
            format!("{below}/{name}")
        };
        if entry.file_type().unwrap().is_dir() {
            files(folder, &path, into);
        } else if path != "expected.yaml" {
            into.push(path);
        }
    }
    into.sort();
}

fn report(analyzer: &Analyzer, folder: &Path) -> Report {
    let mut names = Vec::new();
    files(folder, "", &mut names);
    let read = |name: &String| Document::new(name.as_str(), fs::read(folder.join(name)).unwrap());
    analyzer.analyze(&names.iter().map(read).collect::<Vec<_>>())
}

fn subject(finding: &Finding) -> String {
    let text = finding.subject.to_string();
    text.split(" container ").next().unwrap_or(&text).to_owned()
}

fn render(finding: &Finding) -> String {
    let proof = finding.evidence.first();
    let place = proof.map_or_else(String::new, |e| format!("{}:{}", e.source, e.line));
    format!(
        "{} ({}) [{}] {place}",
        finding.cause,
        finding.signature,
        subject(finding)
    )
}

fn is_root(finding: &Finding) -> bool {
    finding.role == Role::Cause && finding.severity >= Level::Warning
}

/// Returns the rank of the finding at the end of the chain of explanations.
fn leads_to(finding: &Finding, by_rank: &BTreeMap<usize, &Finding>) -> usize {
    let mut rank = finding.rank;
    let mut by = finding.explained_by;
    while let Some(next) = by.and_then(|by| by_rank.get(&by)) {
        rank = next.rank;
        by = next.explained_by;
    }
    rank
}

/// Returns the differences between a report and its expectation.
fn differences(expected: &Expected, report: &Report) -> Vec<String> {
    let mut differences = Vec::new();
    let findings = &report.findings;
    let by_rank: BTreeMap<usize, &Finding> = findings.iter().map(|f| (f.rank, f)).collect();
    let first = findings.first();
    if let Some(root) = &expected.root {
        match first.filter(|first| first.role == Role::Cause && first.cause == root.cause) {
            None => differences.push(format!(
                "{} is not first, but {:?}",
                root.cause,
                first.map(render)
            )),
            Some(first) => {
                if root
                    .subject
                    .as_ref()
                    .is_some_and(|wanted| *wanted != subject(first))
                {
                    differences.push(format!("it is about {}", subject(first)));
                }
                let proof = first.evidence.first();
                let file = proof.map(|e| e.source.as_str());
                let line = proof.map(|e| e.line);
                let differs = root.file.is_some() && root.file.as_deref() != file
                    || root.line.is_some() && root.line != line;
                if differs {
                    differences.push(format!("its primary evidence is {}", render(first)));
                }
            }
        }
    }
    let further = findings.iter().filter(|f| is_root(f));
    let further = further.filter(|f| expected.silent || Some(f.rank) != first.map(|f| f.rank));
    for other in further {
        if !expected
            .beside
            .iter()
            .any(|beside| beside.cause() == other.cause)
        {
            differences.push(format!("also a cause: {}", render(other)));
        }
    }
    for beside in &expected.beside {
        if let Beside::Listed { cause, must: true } = beside
            && !findings
                .iter()
                .any(|f| f.role == Role::Cause && f.cause == *cause)
        {
            differences.push(format!("no second cause {cause}"));
        }
    }
    for wanted in &expected.explained {
        let same = |f: &&Finding| {
            f.cause == wanted.cause && Some(f.rank) != first.map(|f| f.rank) && wanted.is_about(f)
        };
        let mut found = findings.iter().filter(same).peekable();
        if found.peek().is_none() {
            differences.push(format!("no finding {}", wanted.cause));
        }
        for finding in found {
            let by = finding
                .explained_by
                .and_then(|rank| by_rank.get(&rank).copied());
            if Some(leads_to(finding, &by_rank)) != first.map(|f| f.rank) {
                differences.push(format!("{} is under {:?}", render(finding), by.map(render)));
            } else if wanted.by.is_some() && wanted.by.as_deref() != by.map(|by| by.cause.as_str())
            {
                differences.push(format!(
                    "{} is directly under {:?}",
                    render(finding),
                    by.map(render)
                ));
            }
        }
    }
    for wanted in &expected.apart {
        let mut same = findings
            .iter()
            .filter(|f| f.cause == wanted.cause && wanted.is_about(f));
        if !same.any(|f| f.explained_by.is_none() && f.recovered.is_none()) {
            differences.push(format!("{} is not independent", wanted.cause));
        }
    }
    for cause in &expected.over {
        let over = |f: &Finding| f.role == Role::Benign && f.recovered.is_some();
        if !findings.iter().any(|f| f.cause == *cause && over(f)) {
            differences.push(format!("{cause} is not reported as resolved"));
        }
    }
    for (number, text) in expected.telling.iter().enumerate() {
        let most = if number == 0 { 2 } else { usize::MAX };
        let mut reported = report.unexplained.iter().take(most);
        let is_reported = reported.any(|shown| {
            shown.reason.contains(text) || shown.evidence.iter().any(|e| e.text.contains(text))
        });
        if !is_reported {
            differences.push(format!("not reported: {text}"));
        }
    }
    differences
}

#[test]
fn the_root_comes_first() {
    let analyzer = Analyzer::new();
    let mut failures = Vec::new();
    let mut right = 0;
    let mut folders: Vec<PathBuf> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    for folder in &folders {
        let yaml = fs::read_to_string(folder.join("expected.yaml")).unwrap();
        let expected: Expected = serde_yaml::from_str(&yaml)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let differences = differences(&expected, &report(&analyzer, folder));
        match (&expected.open, differences.is_empty()) {
            (None, true) => right += 1,
            (None, false) => failures.push(format!("{name}\n    {}", differences.join("\n    "))),
            (Some(_), false) => {}
            (Some(why), true) => {
                failures.push(format!("{name} is correct now; it was open: {why}"))
            }
        }
    }
    let all = failures.join("\n");
    assert!(
        failures.is_empty(),
        "{} of {} fail:\n{all}",
        failures.len(),
        folders.len()
    );
    assert!(right >= 80, "only {right} incidents are answered");
}

/// Of many records without a name, only the first and last are kept; the others are counted for the object of these.
#[test]
fn counts_are_each_objects_own() {
    let pods = "\
NAMESPACE   NAME   READY   STATUS    RESTARTS   AGE
shop        a-0    1/1     Running   0          4d
shop        b-0    1/1     Running   0          4d
";
    let log = |address: &str, lines: usize| {
        format!("ERROR cannot go on: dial tcp {address}:80: connect: connection refused\n")
            .repeat(lines)
    };
    let documents = [
        Document::new("pods.txt", pods),
        Document::new("shop/a-0.log", log("192.0.2.7", 30)),
        Document::new("shop/b-0.log", log("192.0.2.8", 50)),
    ];
    let report = Analyzer::new().analyze(&documents);
    let counts: Vec<_> = report
        .findings
        .iter()
        .filter(|f| f.cause == "network/connection-refused")
        .map(|f| (subject(f), f.count))
        .collect();
    let wanted = [
        ("Pod shop/a-0".to_owned(), 30),
        ("Pod shop/b-0".to_owned(), 50),
    ];
    assert_eq!(counts, wanted);
}

/// The same in a single log, for records that identify the pods by UID.
#[test]
fn counts_by_ids_are_each_pods_own() {
    let uid = |number: usize| format!("5f0c1d2e-1b11-4222-8333-94445556667{number}");
    let pod = |number: usize| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p-{number}\n  namespace: ns-{number}\n  uid: {}\nspec:\n  nodeName: quay-1\n",
            uid(number)
        )
    };
    let record = |number: usize| {
        format!(
            "E0304 05:06:07.123456     812 x.go:348] \"Operation failed\" err=\"MountVolume.SetUp failed for volume \\\"c\\\" : configmap \\\"conf-{number}\\\" not found\" podUID=\"{}\"\n",
            uid(number)
        )
    };
    let log: String = (0..90)
        .map(|line| record(if line % 3 == 0 { 1 } else { 2 }))
        .chain([record(3)])
        .collect();
    let documents = [
        Document::new("kubelet.log", log),
        Document::new("pods.yaml", pod(1) + &pod(2)),
    ];
    let report = Analyzer::new().analyze(&documents);
    let mut counts: Vec<_> = report
        .findings
        .iter()
        .filter(|f| f.cause == "storage/configmap-missing")
        .map(|f| (subject(f), f.count))
        .collect();
    counts.sort();
    let wanted = [
        // records whose UID belongs to no object in the input
        ("ConfigMap conf-3".to_owned(), 1),
        ("ConfigMap ns-1/conf-1".to_owned(), 30),
        ("ConfigMap ns-2/conf-2".to_owned(), 60),
    ];
    assert_eq!(counts, wanted);
}

/// The fast engine reports the same as the slow reference on several documents, for any block size.
#[test]
fn fast_and_naive_agree() {
    let naive = Analyzer::new().with_naive_matching().without_joined_lines();
    let fast = [
        Analyzer::new().without_joined_lines(),
        Analyzer::new().with_blocks_of(300),
    ];
    let folders: Vec<PathBuf> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    assert!(folders.len() > 50);
    folders.par_iter().for_each(|folder| {
        let analyze = |analyzer: &Analyzer| {
            let report = report(analyzer, folder);
            let findings = serde_json::to_value(&report.findings).unwrap();
            (findings, report.matched)
        };
        let wanted = analyze(&naive);
        for fast in &fast {
            assert_eq!(analyze(fast), wanted, "{}", folder.display());
        }
    });
}
