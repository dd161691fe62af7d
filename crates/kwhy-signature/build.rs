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
    types: Vec<Class>,
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
    let types: Vec<&str> = words.types.iter().map(|it| &*it.name).collect();
    let out = format!(
        "pub(super) static CLASSES: &[&[&str]] = &{};\n\
         pub(super) static TYPES: &[(&str, &[&str])] = &[{}];\n\
         static GAPS: &[&str] = &{:?};\n\
         pub(super) static ARTICLES: &[&str] = &{:?};\n\
         pub(super) static SEPARATORS: &[char] = &{:?};\n",
        slices(&members(&words.classes)),
        types
            .iter()
            .zip(members(&words.types))
            .map(|(name, members)| format!("({name:?}, &{members:?})"))
            .collect::<Vec<_>>()
            .join(", "),
        words.gaps,
        words.articles,
        words.separators
    );
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("words.rs"), out)?;
    Ok(())
}

/// The members of each class: of two that start alike the longer one is meant.
fn members(classes: &[Class]) -> Vec<Vec<&str>> {
    let mut all = Vec::new();
    for class in classes {
        let mut members: Vec<&str> = class.members.keys().map(String::as_str).collect();
        members.sort_by_key(|member| (std::cmp::Reverse(member.len()), *member));
        all.push(members);
    }
    all
}

/// Writes lists of words as slices.
fn slices(lists: &[Vec<&str>]) -> String {
    format!("{lists:?}")
        .replace("[[", "[&[")
        .replace("], [", "], &[")
}

/// Refuses what a pattern cannot contain, and a word in two classes.
fn check(words: &Words) -> Result<(), String> {
    let letters = |c: char| c.is_ascii_lowercase() || " '-".contains(c);
    check_members(&words.classes, letters)?;
    check_members(&words.types, |c| {
        letters(c) || c.is_ascii_digit() || ":_/".contains(c)
    })?;
    // what all start with would become a part of the pattern around them
    let first = |member: &String| member.split(' ').next().map(str::to_owned);
    for class in &words.classes {
        let firsts: BTreeSet<_> = class.members.keys().map(first).collect();
        if firsts.len() < 2 {
            return Err(format!("all members of {:?} start alike", class.name));
        }
    }
    let mut names = BTreeSet::new();
    for class in &words.types {
        let name = &class.name;
        if !name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') || !names.insert(name) {
            return Err(format!("{name:?} is no name of a type, or that of two"));
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

/// Refuses classes without a meaning, members without a reason, characters that `is_plain` does not accept, and a word in
/// two classes.
fn check_members(classes: &[Class], is_plain: impl Fn(char) -> bool) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for class in classes {
        if class.means.is_empty() || class.members.len() < 2 {
            return Err(format!(
                "the class {:?} needs a meaning and two members",
                class.name
            ));
        }
        for (member, why) in &class.members {
            if why.is_empty() {
                return Err(format!("{member:?} has no reason"));
            }
            let is_word = member.trim() == member && !member.contains("  ");
            if !is_word || !member.chars().all(&is_plain) {
                return Err(format!("{member:?} is not lower-case words"));
            }
            if !seen.insert(member) {
                return Err(format!("{member:?} is in two classes"));
            }
        }
    }
    Ok(())
}
