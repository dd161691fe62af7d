//! Compiles `words.yaml` into constants.

// cargo reads standard output
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::{env, fs};

use serde::Deserialize;

type Failure = Box<dyn std::error::Error>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    classes: Vec<Class>,
    gaps: Vec<String>,
    articles: Vec<String>,
    separators: Vec<char>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Class {
    name: String,
    means: String,
    /// The members, each with the reason why it is one.
    members: BTreeMap<String, String>,
}

fn main() -> Result<(), Failure> {
    let path = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("words.yaml");
    println!("cargo::rerun-if-changed={}", path.display());
    println!("cargo::rerun-if-changed=build.rs");
    let words: Words = serde_yaml::from_str(&fs::read_to_string(&path)?)?;
    check(&words).map_err(|message| format!("{}: {message}", path.display()))?;
    let classes = words.classes.iter().map(|class| {
        let mut members: Vec<&str> = class.members.keys().map(String::as_str).collect();
        // of two that start alike the longer one is meant
        members.sort_by_key(|member| (std::cmp::Reverse(member.len()), *member));
        members
    });
    let classes: Vec<Vec<&str>> = classes.collect();
    let out = format!(
        "pub(super) static CLASSES: &[&[&str]] = &{};\n\
         static GAPS: &[&str] = &{:?};\n\
         pub(super) static ARTICLES: &[&str] = &{:?};\n\
         pub(super) static SEPARATORS: &[char] = &{:?};\n",
        format!("{classes:?}")
            .replace("[[", "[&[")
            .replace("], [", "], &["),
        words.gaps,
        words.articles,
        words.separators
    );
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("words.rs"), out)?;
    Ok(())
}

/// Refuses what a pattern cannot contain, and a word in two classes.
fn check(words: &Words) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for class in &words.classes {
        if class.means.is_empty() || class.members.len() < 2 {
            return Err(format!(
                "the class {:?} needs a meaning and two members",
                class.name
            ));
        }
        let first = |member: &String| member.split(' ').next().map(str::to_owned);
        let firsts: BTreeSet<_> = class.members.keys().map(first).collect();
        // what all start with would become a part of the pattern around them
        if firsts.len() < 2 {
            return Err(format!("all members of {:?} start alike", class.name));
        }
        for (member, why) in &class.members {
            if why.is_empty() {
                return Err(format!("{member:?} has no reason"));
            }
            let plain = |c: char| c.is_ascii_lowercase() || " '-".contains(c);
            if !member.chars().all(plain) || member.trim() != member || member.contains("  ") {
                return Err(format!("{member:?} is not lower-case words"));
            }
            if !seen.insert(member) {
                return Err(format!("{member:?} is in two classes"));
            }
        }
    }
    if let Some(mark) = words
        .separators
        .iter()
        .find(|mark| !":,;-".contains(**mark))
    {
        return Err(format!("{mark:?} separates no clauses"));
    }
    for word in words.gaps.iter().chain(&words.articles) {
        if word.is_empty() || !word.bytes().all(|b| b.is_ascii_lowercase()) {
            return Err(format!("{word:?} is not a lower-case word"));
        }
    }
    Ok(())
}
