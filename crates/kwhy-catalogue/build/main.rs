//! Checks the catalogue and compiles it into constants: adding a signature is adding a file, and nothing of YAML is left
//! to be read when the program runs.

// cargo reads standard output
#![allow(clippy::print_stdout)]

mod community;
mod mechanisms;
mod topology;
mod writers;
mod yaml;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use kwhy_signature::{
    Causes, Index, Signature, SignatureError, Word, advice, check, digests, needs, placement,
};

type Failure = Box<dyn std::error::Error>;

const CAUSES: &str = "causes.yaml";
const MECHANISMS: &str = "mechanisms.yaml";
const TOPOLOGY: &str = "topology.yaml";
/// Lines that healthy components print, by which texts are chosen that seldom occur: the first 25 of each log in
/// `fixtures/healthy`, up to 300 bytes of each.
const TYPICAL: &str = "typical.txt";
/// The causes that rules of the community stand for.
const COMMUNITY: &str = "cre.yaml";
const WRITERS: &str = "writers.yaml";

fn main() -> Result<(), Failure> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let text = |name: &str| {
        let path = root.join(name);
        println!("cargo::rerun-if-changed={}", path.display());
        fs::read_to_string(path)
    };
    let (list, causes) = read_causes(&text(CAUSES)?)?;
    // a feature that is off takes no time
    let signatures = match env::var_os("CARGO_FEATURE_BUILTIN") {
        Some(_) => Some(read_signatures(&root, &causes)?),
        None => None,
    };
    let mut out = format!("static CAUSES: &[(&str, &str)] = &{list:?};\n");
    match &signatures {
        Some(signatures) => write_signatures(signatures, text(TYPICAL)?, &mut out)?,
        None => write_index(&Index::new(None, ""), &mut out)?,
    }
    let target = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(target.join("builtin.rs"), out)?;

    let signatures = signatures.as_deref();
    let ids = signatures.map(|files| files.iter().map(|file| file.signature.id.as_str()));
    let known = mechanisms::KnownNames::new(&causes, ids);
    let mut out = mechanisms::compile(MECHANISMS, &text(MECHANISMS)?, &known)?;
    out.push_str(&topology::compile(TOPOLOGY, &text(TOPOLOGY)?)?);
    out.push_str(&writers::compile(WRITERS, &text(WRITERS)?, &known)?);
    out.push_str(&community::compile(COMMUNITY, &text(COMMUNITY)?, &causes)?);
    fs::write(target.join("knowledge.rs"), out)?;
    Ok(())
}

/// The causes in the order of their ids.
fn read_causes(text: &str) -> Result<(Vec<(String, String)>, Causes), Failure> {
    let mut list = Causes::read(CAUSES, text)?;
    list.sort_unstable();
    let mut causes = Causes::default();
    for (id, meaning) in &list {
        causes.add(id, meaning);
    }
    Ok((list, causes))
}

/// A signature and its file.
struct File {
    /// The name below the crate's folder.
    name: String,
    path: PathBuf,
    yaml: String,
    signature: Signature,
}

/// The signatures in the order of their causes and ids: findings that are as good as each other keep this order in
/// reports, and where the files are makes no difference.
fn read_signatures(root: &Path, causes: &Causes) -> Result<Vec<File>, Failure> {
    let folder = root.join("signatures");
    let mut paths = Vec::new();
    collect(&folder, &mut paths)?;
    paths.sort();
    let mut files: BTreeMap<String, File> = BTreeMap::new();
    for path in paths {
        let name = path
            .strip_prefix(root)?
            .to_string_lossy()
            .replace('\\', "/");
        let yaml = fs::read_to_string(&path)?;
        for signature in read(&name, &yaml, causes)? {
            let below = name.trim_start_matches("signatures/");
            let expected = placement::expected(&signature, below);
            if expected != below {
                let message = format!("this file belongs at signatures/{expected}");
                return Err(SignatureError::new(&name, &yaml, (1, 1), message).into());
            }
            if let Some(other) = files.get(&signature.id) {
                let id = &signature.id;
                return Err(SignatureError::taken(&name, &yaml, id, &other.name).into());
            }
            let file = File {
                name: name.clone(),
                path: path.clone(),
                yaml: yaml.clone(),
                signature,
            };
            files.insert(file.signature.id.clone(), file);
        }
    }
    let mut files: Vec<File> = files.into_values().collect();
    files.sort_by(|a, b| a.signature.cause.cmp(&b.signature.cause));
    Ok(files)
}

/// Writes the signatures and their index as constants.
fn write_signatures(files: &[File], typical: String, out: &mut String) -> Result<(), Failure> {
    out.push_str("static BUILTIN: &[Builtin] = &[\n");
    let mut needed = Vec::new();
    // the examples show what logs of faults look like
    let mut sample = typical;
    for (number, file) in (0..).zip(files) {
        let mut value: serde_json::Map<String, serde_json::Value> =
            serde_yaml::from_str(&file.yaml)?;
        if let Some(examples) = value.remove("examples") {
            texts(&examples, &mut sample);
        }
        needed.extend(needs(number, &file.signature.condition));
        let json = serde_json::to_string(&value)?;
        let (id, name, path) = (&file.signature.id, &file.name, &file.path);
        let digests = digests(&file.signature.condition)?;
        let is_relation = file.signature.condition.is_relation();
        writeln!(
            out,
            "    Builtin {{ id: {id:?}, file: {name:?}, yaml: include_str!({path:?}), json: {json:?}, digests: {digests:?}, is_relation: {is_relation} }},"
        )?;
    }
    out.push_str("];\n");
    write_index(&Index::new(needed, &sample), out)?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            println!("cargo::rerun-if-changed={}", path.display());
            files.extend((path.extension() == Some("yaml".as_ref())).then_some(path));
        }
    }
    Ok(())
}

fn read(file: &str, yaml: &str, causes: &Causes) -> Result<Vec<Signature>, Failure> {
    let documents = check::documents(yaml);
    let parts = documents
        .iter()
        .map(|document| check::read_document(file, yaml, document, causes));
    let signatures = check::joined(file, yaml, parts.collect())?;
    for signature in &signatures {
        if let Some(mistake) = advice::mistakes(signature).first() {
            let message = format!("{} [{}]", mistake.message, mistake.code);
            return Err(SignatureError::about(file, yaml, &mistake.piece, message).into());
        }
    }
    Ok(signatures)
}

/// Collects the texts of examples.
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

/// Writes the index as a constant.
fn write_index(index: &Index, out: &mut String) -> Result<(), std::fmt::Error> {
    let words = |words: &[Word]| -> String {
        let words = words.iter();
        words
            .map(|(word, leaves)| format!("(Cow::Borrowed({word:?}), Cow::Borrowed(&{leaves:?})),"))
            .collect()
    };
    let literals = index
        .literals
        .literals
        .iter()
        .map(|text| format!("Cow::Borrowed({text:?}),"));
    let conditions = index
        .conditions
        .iter()
        .map(|leaves| format!("Cow::Borrowed(&{leaves:?}),"));
    let qgrams = &index.literals.qgrams;
    writeln!(
        out,
        "static INDEX: Index = Index {{ literals: LiteralSet {{ qgrams: QGramIndex {{"
    )?;
    for (field, table) in [
        ("bitmap", &qgrams.bitmap),
        ("words", &qgrams.words),
        ("lone", &qgrams.lone),
    ] {
        writeln!(out, "    {field}: Cow::Borrowed(&{table:?}),")?;
    }
    writeln!(
        out,
        "    buckets: Cow::Borrowed(&{:?}), entries: Cow::Borrowed(&{:?}) }},",
        qgrams.buckets, qgrams.entries
    )?;
    writeln!(
        out,
        "    literals: Cow::Borrowed(&[{}]), short: OnceLock::new() }},",
        literals.collect::<String>()
    )?;
    writeln!(
        out,
        "    conditions: Cow::Borrowed(&[{}]),",
        conditions.collect::<String>()
    )?;
    for (field, list) in [
        ("reasons", &index.reasons),
        ("kinds", &index.kinds),
        ("statements", &index.statements),
    ] {
        writeln!(out, "    {field}: Cow::Borrowed(&[{}]),", words(list))?;
    }
    for (field, leaves) in [
        ("any_event", &index.any_event),
        ("any_object", &index.any_object),
        ("klog_fatal", &index.klog_fatal),
        ("starts", &index.starts),
        ("entries", &index.entries),
        ("boundless", &index.boundless),
    ] {
        writeln!(out, "    {field}: Cow::Borrowed(&{leaves:?}),")?;
    }
    writeln!(out, "}};")
}
