//! Checks the built-in signatures and lays them out for the library: nothing of YAML is left to
//! be read when the program runs. Adding a signature is adding a file.

// the schema is compiled here too, and only a part of it is needed; cargo reads standard output
#![allow(dead_code, unused_imports, clippy::print_stdout)]

mod chain;
mod model;
mod report;
mod signature;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use signature::advice;
use signature::check;
use signature::error::SignatureError;
use signature::grams::Grams;
use signature::index::{Index, Word};
use signature::schema::Signature;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let crates = root.join("../crates");
    let catalogue = crates.join("kwhy-catalogue").canonicalize()?;
    let folder = catalogue.join("signatures");
    for watched in [
        "kwhy-catalogue/signatures",
        "kwhy-signature/src",
        "kwhy-model/src",
        "kwhy-errors/src/fact.rs",
    ] {
        println!("cargo::rerun-if-changed={}", crates.join(watched).display());
    }
    fs::write(
        out.join("causes.rs"),
        causes(&fs::read_to_string(folder.join("causes.txt"))?),
    )?;

    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    files.sort();
    let mut list = String::from("static BUILTIN: &[Builtin] = &[\n");
    let mut count = 0;
    let mut needs = Vec::new();
    // the examples are what logs look like
    let mut usual = String::new();
    for file in &files {
        let name = file
            .strip_prefix(&catalogue)?
            .to_string_lossy()
            .replace('\\', "/");
        let yaml = fs::read_to_string(file)?;
        for (number, signature) in read(&name, &yaml)?.iter().enumerate() {
            let mut value: serde_json::Map<String, serde_json::Value> = document(&yaml, number)?;
            // they are read from the text when they are asked for
            if let Some(examples) = value.remove("examples") {
                texts(&examples, &mut usual);
            }
            needs.extend(signature::need::needs(count, &signature.condition));
            count += 1;
            writeln!(
                list,
                "    Builtin {{ id: {:?}, file: {name:?}, yaml: include_str!({:?}), json: {:?}}},",
                signature.id,
                file.display().to_string(),
                serde_json::to_string(&value)?,
            )?;
        }
    }
    list.push_str("];\n");
    index(&Index::new(needs, &usual), &mut list)?;
    fs::write(out.join("builtin.rs"), list)?;
    Ok(())
}

/// The causes' ids and meanings, as a sorted table.
fn causes(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut causes: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
    causes.sort_unstable();
    format!("static CAUSES: &[(&str, &str)] = &{causes:#?};\n")
}

fn document(
    yaml: &str,
    number: usize,
) -> Result<serde_json::Map<String, serde_json::Value>, Failure> {
    let document = serde_yaml::Deserializer::from_str(yaml)
        .nth(number)
        .ok_or("no document")?;
    Ok(serde::Deserialize::deserialize(document)?)
}

/// The texts of examples.
fn texts(value: &serde_json::Value, into: &mut String) {
    match value {
        serde_json::Value::String(text) => into.push_str(text),
        serde_json::Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        serde_json::Value::Object(fields) => {
            let text = fields
                .iter()
                .filter(|(key, _)| *key != "why" && *key != "captures");
            text.for_each(|(_, value)| texts(value, into));
        }
        _ => {}
    }
}

/// The index as a constant.
fn index(index: &Index, out: &mut String) -> Result<(), std::fmt::Error> {
    let words = |words: &[Word]| {
        let words = words.iter().map(|(word, leaves)| {
            format!("(Cow::Borrowed({:?}), Cow::Borrowed(&{leaves:?}))", &**word)
        });
        words.collect::<Vec<_>>().join(", ")
    };
    let Grams {
        bitmap,
        words: closer,
        lone,
        heads,
        entries,
    } = &index.grams;
    writeln!(out, "static INDEX: Index = Index {{")?;
    writeln!(
        out,
        "    grams: Grams {{ bitmap: Cow::Borrowed(&{bitmap:?}), words: Cow::Borrowed(&{closer:?}), lone: Cow::Borrowed(&{lone:?}), heads: Cow::Borrowed(&{heads:?}), entries: Cow::Borrowed(&{entries:?}) }},"
    )?;
    writeln!(out, "    finders: OnceLock::new(),")?;
    for (field, list) in [
        ("phrases", &index.phrases),
        ("short", &index.short),
        ("reasons", &index.reasons),
        ("kinds", &index.kinds),
    ] {
        writeln!(out, "    {field}: Cow::Borrowed(&[{}]),", words(list))?;
    }
    for (field, leaves) in [
        ("any_event", &index.any_event),
        ("any_object", &index.any_object),
        ("klog_fatal", &index.klog_fatal),
        ("boundless", &index.boundless),
    ] {
        writeln!(out, "    {field}: Cow::Borrowed(&{leaves:?}),")?;
    }
    writeln!(out, "}};")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            println!("cargo::rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    Ok(())
}

/// A mistake in what a signature proposes, at its place in the file.
fn advice_error(file: &str, yaml: &str, mistake: &advice::Mistake) -> SignatureError {
    let message = format!("{} [{}]", mistake.message, mistake.code);
    SignatureError::about(file, yaml, &mistake.piece, message)
}

/// The signatures of a file.
fn read(file: &str, yaml: &str) -> Result<Vec<Signature>, Failure> {
    let documents = check::documents(yaml);
    let parts = documents
        .iter()
        .map(|document| check::read_document(file, yaml, document, &check::MoreCauses::new()));
    let signatures = check::joined(file, yaml, parts.collect())?;
    for signature in &signatures {
        if let Some(mistake) = advice::mistakes(signature).into_iter().next() {
            return Err(advice_error(file, yaml, &mistake).into());
        }
    }
    Ok(signatures)
}
