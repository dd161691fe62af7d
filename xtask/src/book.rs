//! Tests of the documentation: every document is listed in the book, and no link is broken.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the Markdown files directly in a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.extension().is_some_and(|it| it == "md"))
        .collect()
}

/// Returns the link targets of a Markdown text, except those in fenced code blocks.
fn links(text: &str) -> Vec<String> {
    let mut is_fenced = false;
    let mut links = Vec::new();
    for line in text.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        let targets = line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        let targets = targets.filter(|target| !is_fenced && !target.contains(' '));
        links.extend(targets.map(str::to_owned));
    }
    links
}

#[test]
fn each_document_is_in_the_book() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    for page in pages(&docs) {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("({name})")),
            "{name}"
        );
    }
}

#[test]
fn each_link_leads_somewhere() {
    for folder in ["", "docs", "benches", "fixtures"] {
        let folder = root().join(folder);
        for page in pages(&folder) {
            for link in links(&fs::read_to_string(&page).unwrap()) {
                let path = link.split('#').next().unwrap_or("");
                if path.is_empty() || path.contains("://") || path.starts_with("mailto:") {
                    continue;
                }
                assert!(folder.join(path).exists(), "{}: {link}", page.display());
            }
        }
    }
}
