//! Refuses words for which the field has better terms, in comments, documents and identifiers.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Refused phrases, each with a replacement. They are compared word by word, ignoring case.
const LIST: &str = include_str!("../data/words.txt");

/// Refused words in identifiers, each with a replacement.
const IDENTIFIERS: &str = include_str!("../data/identifiers.txt");

/// Phrases with which no doc comment may start.
const OPENINGS: &[&str] = &[
    "whether ",
    "how many ",
    "how much ",
    "how often ",
    "how deep ",
    "how far ",
    "how long ",
    "of which ",
    "of what ",
    "of how ",
];

/// Folders that are not checked.
const SKIPPED: &[&str] = &[
    "target",
    ".git",
    "fixtures",
    "signatures",
    "snapshots",
    "cmd",
];

/// Files that quote older text.
const QUOTING: &[&str] = &["CHANGELOG.md", "RESULTS.md"];

/// Checks all files below the current folder.
pub fn main() -> Result<(), String> {
    let refused: Vec<(Vec<String>, &str)> = entries(LIST)
        .map(|(phrase, instead)| (words(phrase), instead))
        .collect();
    let of_identifiers: HashMap<&str, &str> = entries(IDENTIFIERS).collect();
    let mut found = Vec::new();
    for path in files(Path::new("."))? {
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        let identifiers = if is_rust {
            words_of_code(&text)
        } else {
            Vec::new()
        };
        for (number, word) in identifiers {
            if let Some(instead) = of_identifiers.get(&*word) {
                let place = format!("{}:{number}", path.display());
                found.push(format!(
                    "{place}: {word:?} in an identifier: write {instead}"
                ));
            }
        }
        for (number, prose) in prose(&text, is_rust) {
            let place = format!("{}:{number}", path.display());
            let all = words(&prose);
            for (phrase, instead) in &refused {
                if all.windows(phrase.len()).any(|window| window == phrase) {
                    found.push(format!("{place}: {:?}: write {instead}", phrase.join(" ")));
                }
            }
            let lower = prose.to_lowercase();
            if let Some(opening) = OPENINGS.iter().find(|opening| lower.starts_with(**opening))
                && is_rust
                && text
                    .lines()
                    .nth(number - 1)
                    .is_some_and(is_first_of_doc(&text, number))
            {
                found.push(format!(
                    "{place}: a doc comment starts with a verb or a noun, not with {:?}",
                    opening.trim()
                ));
            }
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{}\n{} refused words",
        found.join("\n"),
        found.len()
    ))
}

/// Returns the entries of a list, without its comments.
fn entries(list: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(" -> "))
}

/// Returns the lower-case words of the identifiers of Rust code, with line numbers from 1. Comments and strings are
/// ignored.
fn words_of_code(text: &str) -> Vec<(usize, String)> {
    let code = |line: &str| -> String {
        let outside = line.split('"').step_by(2).collect::<Vec<_>>().join(" ");
        let code = outside.split("//").next().unwrap_or_default();
        let mut spaced = String::new();
        for c in code.chars() {
            if c.is_uppercase() {
                spaced.push(' ');
            }
            spaced.extend(c.to_lowercase());
        }
        spaced
    };
    let words = |line: &str| -> Vec<String> {
        let code = code(line);
        let words = code.split(|c: char| !c.is_alphanumeric());
        words.map(str::to_owned).collect()
    };
    let lines = (1..).zip(text.lines());
    lines
        .flat_map(|(number, line)| words(line).into_iter().map(move |word| (number, word)))
        .collect()
}

/// Returns a predicate that is true if the line with this number is the first of a doc comment.
fn is_first_of_doc(text: &str, number: usize) -> impl Fn(&str) -> bool {
    let before = number
        .checked_sub(2)
        .and_then(|before| text.lines().nth(before));
    let continues = before.is_some_and(|line| is_doc(line) && line.trim().len() > 3);
    move |line| is_doc(line) && !continues
}

fn is_doc(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("///") || line.starts_with("//!")
}

/// Returns the prose of a file by line, with line numbers from 1: the comments of Rust, the text of Markdown, without
/// code.
fn prose(text: &str, is_rust: bool) -> Vec<(usize, String)> {
    let mut is_code = false;
    let mut all = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        let line = match is_rust {
            true if !line.starts_with("//") => {
                is_code = false;
                continue;
            }
            true => line.trim_start_matches(['/', '!']).trim_start(),
            false => line,
        };
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            // code spans and quotations are not the author's words
            let outside = line.split('`').step_by(2).collect::<Vec<_>>().join(" ` ");
            all.push((
                number,
                outside
                    .split('"')
                    .step_by(2)
                    .collect::<Vec<_>>()
                    .join(" ` "),
            ));
        }
    }
    all
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '`' && c != '\'' && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let inside = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for entry in inside.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if path.is_dir() {
                folders.extend((!SKIPPED.contains(&&*name)).then_some(path));
            } else if (name.ends_with(".rs") || name.ends_with(".md")) && !QUOTING.contains(&&*name)
            {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_comments_and_text_without_code() {
        let rust = "//! A `told` \"says\" it.\n//! ```\n//! told\n//! ```\nlet told = 1;\n    // after it\n";
        let found: Vec<String> = prose(rust, true)
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(found, ["A  `   `  it.", "after it"]);
        assert_eq!(prose("a\n```\nb\n```\nc", false).len(), 2);
    }

    #[test]
    fn identifiers_are_words_of_code() {
        let code = "let is_told = LogCarrier::of(FAR); // behind\n/// blanks\n";
        let found: Vec<String> = words_of_code(code).into_iter().map(|(_, it)| it).collect();
        let is_found = |word: &str| found.iter().any(|it| it == word);
        assert!(is_found("told") && is_found("carrier"), "{found:?}");
        assert!(!is_found("behind") && !is_found("blanks"), "{found:?}");
    }

    #[test]
    fn phrases_are_whole_words() {
        assert_eq!(words("It's told, `x`"), ["it's", "told", "`x`"]);
    }
}
