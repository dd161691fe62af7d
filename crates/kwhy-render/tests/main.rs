//! Each output of the reports of all cases and incidents: valid, bounded, and not controlled by text of the input.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod browser;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use kwhy_core::{Analyzer, Report};
use kwhy_render::escape::is_hostile;
use kwhy_render::{Html, Json, Junit, Markdown, Ndjson, Render, Sarif, View};
use serde_json::Value;

/// The report of an input with all that the page shows: its timeline and the lines around the evidence.
struct Case {
    name: String,
    report: Report,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    entries.sort();
    for entry in entries {
        match entry.is_dir() {
            true => files(&entry, all),
            false if entry.ends_with("expected.yaml") => {}
            false => all.push(entry),
        }
    }
}

/// Returns the reports of all cases, incidents and healthy inputs.
fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let analyzer = Analyzer::new().with_timeline();
        let mut cases = Vec::new();
        for kind in ["cases", "incidents", "healthy"] {
            let mut inputs: Vec<PathBuf> = fs::read_dir(fixtures().join(kind))
                .unwrap()
                .map(|it| it.unwrap().path())
                .collect();
            inputs.sort();
            for input in inputs {
                let mut paths = Vec::new();
                match input.is_dir() {
                    true => files(&input, &mut paths),
                    false => paths.push(input.clone()),
                }
                let texts: Vec<(String, Vec<u8>)> = paths
                    .iter()
                    .map(|path| {
                        (
                            path.file_name().unwrap().to_string_lossy().into_owned(),
                            fs::read(path).unwrap(),
                        )
                    })
                    .collect();
                let mut incident = analyzer.incident();
                for (name, text) in &texts {
                    incident.read(name.clone(), &text[..]).unwrap();
                }
                let mut report = incident.finish();
                for (name, text) in &texts {
                    report.add_lines_around(name, text, 2);
                }
                let name = input.file_name().unwrap().to_string_lossy().into_owned();
                cases.push(Case { name, report });
            }
        }
        assert!(cases.len() > 150, "{}", cases.len());
        cases
    })
}

fn drawn(render: &dyn Render, report: &Report) -> String {
    let view = View {
        report,
        left_out: 0,
    };
    let mut out = Vec::new();
    render.render(&view, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn sarif_is_valid() {
    let schema: Value = serde_json::from_str(include_str!("schemas/sarif.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for Case { name, report } in cases() {
        let log: Value = serde_json::from_str(&drawn(&Sarif, report)).unwrap();
        let errors: Vec<String> = schema
            .iter_errors(&log)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
        let run = &log["runs"][0];
        for result in run["results"].as_array().unwrap() {
            let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(
                run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"],
                "{name}"
            );
        }
    }
}

#[test]
fn junit_is_valid() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas/junit.xsd");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("junit");
    fs::create_dir_all(&folder).unwrap();
    let mut paths = Vec::new();
    for Case { name, report } in cases() {
        let text = drawn(&Junit, report);
        let xml = roxmltree::Document::parse(&text).unwrap();
        let suite = xml.root_element().first_element_child().unwrap();
        let count = |wanted: &str| {
            xml.descendants()
                .filter(|node| node.has_tag_name(wanted))
                .count()
                .to_string()
        };
        assert_eq!(
            suite.attribute("tests"),
            Some(&*count("testcase")),
            "{name}"
        );
        assert_eq!(
            suite.attribute("failures"),
            Some(&*count("failure")),
            "{name}"
        );
        let path = folder.join(format!("{name}.xml"));
        fs::write(&path, text).unwrap();
        paths.push(path);
    }
    let lint = Command::new("xmllint")
        .args(["--noout", "--schema"])
        .arg(schema)
        .args(&paths)
        .stdout(Stdio::null())
        .output();
    match lint {
        Ok(lint) => assert!(
            lint.status.success(),
            "{}",
            String::from_utf8_lossy(&lint.stderr)
        ),
        Err(_) => eprintln!("xmllint is not here: the schema of JUnit was not tested"),
    }
}

#[test]
fn a_line_of_ndjson_is_a_finding() {
    for Case { name, report } in cases() {
        let text = drawn(&Ndjson::default(), report);
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), report.findings.len() + 1, "{name}");
        for (line, finding) in lines.iter().zip(&report.findings) {
            assert_eq!(line["title"], finding.title.as_str(), "{name}");
        }
    }
}

/// The maximum size of the part of a page that does not depend on the report: style, script, head.
const FRAME: usize = 8 * 1024;

#[test]
fn a_page_is_not_much_larger_than_the_json() {
    for Case { name, report } in cases() {
        let (page, json) = (drawn(&Html, report), drawn(&Json { pretty: false }, report));
        assert!(
            page.len() <= json.len() * 3 / 2 + FRAME,
            "{name}: {} of {}",
            page.len(),
            json.len()
        );
    }
}

#[test]
fn every_finding_is_in_every_form() {
    for Case { name, report } in cases() {
        let forms: [(&str, &dyn Render); 4] = [
            ("markdown", &Markdown),
            ("html", &Html),
            ("sarif", &Sarif),
            ("junit", &Junit),
        ];
        for (form, render) in forms {
            let text = drawn(render, report);
            assert!(
                !text.chars().any(|c| c != '\n' && is_hostile(c)),
                "{name}: {form}"
            );
            for finding in &report.findings {
                assert!(
                    text.contains(finding.cause.name())
                        || finding.explained_by.is_some()
                        || finding.role == kwhy_core::Role::Benign,
                    "{name}: {form}: {}",
                    finding.cause
                );
            }
        }
    }
}
