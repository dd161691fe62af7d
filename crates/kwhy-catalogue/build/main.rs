//! Checks the catalogue and compiles it into constants: adding a signature means adding a file, and no YAML is parsed
//! when the program runs.

// cargo reads build instructions from standard output
#![allow(clippy::print_stdout)]

mod community;
mod constants;
mod mechanisms;
mod packed;
mod parallel;
mod topology;
mod writers;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use kwhy_pack::Own;
use kwhy_signature::{
    Causes, Index, Signature, SignatureError, advice, check, digests, needs, placement,
};

type Failure = Box<dyn std::error::Error + Send + Sync>;

const CAUSES: &str = "causes.yaml";
const MECHANISMS: &str = "mechanisms.yaml";
const TOPOLOGY: &str = "topology.yaml";
/// Lines that healthy components print, used to choose literals that are rare: the first 25 lines of each log in
/// `fixtures/healthy`, up to 300 bytes of each line.
const TYPICAL: &str = "typical.txt";
/// The causes of community rules.
const COMMUNITY: &str = "cre.yaml";
const WRITERS: &str = "writers.yaml";

/// The environment variable with which the crate is compiled without signatures, whatever its features: enough for tools
/// that only check code, such as clippy.
const CHECK_ONLY: &str = "KWHY_CHECK_ONLY";

fn main() -> Result<(), Failure> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let text = |name: &str| {
        let path = root.join(name);
        println!("cargo::rerun-if-changed={}", path.display());
        fs::read_to_string(path)
    };
    let (list, causes) = read_causes(&text(CAUSES)?)?;
    println!("cargo::rerun-if-env-changed={CHECK_ONLY}");
    let is_wanted =
        env::var_os("CARGO_FEATURE_BUILTIN").is_some() && env::var_os(CHECK_ONLY).is_none();
    let signatures = match is_wanted {
        true => Some(read_signatures(&root, &causes)?),
        false => None,
    };
    let target = PathBuf::from(env::var("OUT_DIR")?);
    let mut out = format!("static CAUSES: &[(&str, &str)] = &{list:?};\n");
    match &signatures {
        Some(signatures) => write_signatures(signatures, text(TYPICAL)?, &target, &mut out)?,
        None => write_signatures(&[], String::new(), &target, &mut out)?,
    }
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

/// Reads the causes, sorted by id.
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
    /// The path below the crate's folder.
    name: String,
    yaml: String,
    signature: Signature,
}

/// Reads the signatures, sorted by cause and id: reports list equal findings in this order, independently of where the
/// files are.
fn read_signatures(root: &Path, causes: &Causes) -> Result<Vec<File>, Failure> {
    let folder = root.join("signatures");
    let mut paths = Vec::new();
    collect(&folder, &mut paths)?;
    paths.sort();
    let mut files: BTreeMap<String, File> = BTreeMap::new();
    for read in parallel::map(&paths, |path| read_file(root, path, causes)) {
        for file in read? {
            if let Some(other) = files.get(&file.signature.id) {
                let id = &file.signature.id;
                return Err(SignatureError::taken(&file.name, &file.yaml, id, &other.name).into());
            }
            files.insert(file.signature.id.clone(), file);
        }
    }
    let mut files: Vec<File> = files.into_values().collect();
    files.sort_by(|a, b| a.signature.cause.cmp(&b.signature.cause));
    Ok(files)
}

/// Reads the signatures of a file.
fn read_file(root: &Path, path: &Path, causes: &Causes) -> Result<Vec<File>, Failure> {
    let name = path
        .strip_prefix(root)?
        .to_string_lossy()
        .replace('\\', "/");
    let yaml = fs::read_to_string(path)?;
    let mut files = Vec::new();
    for signature in read(&name, &yaml, causes)? {
        let below = name.trim_start_matches("signatures/");
        let expected = placement::expected(&signature, below);
        if expected != below {
            let message = format!("this file belongs at signatures/{expected}");
            return Err(SignatureError::new(&name, &yaml, (1, 1), message).into());
        }
        files.push(File {
            name: name.clone(),
            yaml: yaml.clone(),
            signature,
        });
    }
    Ok(files)
}

/// The texts that are kept of a signature.
struct Kept {
    json: String,
    digests: String,
    yaml: Own,
    /// The texts of its examples.
    examples: String,
}

impl Kept {
    fn of(file: &File) -> Result<Kept, Failure> {
        let mut value: serde_json::Map<String, serde_json::Value> =
            serde_yaml::from_str(&file.yaml)?;
        let mut examples = String::new();
        if let Some(written) = value.remove("examples") {
            collect_texts(&written, &mut examples);
        }
        let json = format!("{}\n{}", file.name, serde_json::to_string(&value)?);
        Ok(Kept {
            digests: digests(&file.signature.condition)?,
            yaml: Own::of(&file.yaml, &json).ok_or("a signature contains U+0000")?,
            json,
            examples,
        })
    }
}

/// Writes the signatures and their index as constants, with the signatures' texts packed.
fn write_signatures(
    files: &[File],
    typical: String,
    target: &Path,
    out: &mut String,
) -> Result<(), Failure> {
    let mut needed = Vec::new();
    // the examples stand for logs of faults
    let mut sample = typical;
    let mut texts = Vec::new();
    let mut builtins = Vec::new();
    let mut names = BTreeSet::new();
    for (number, (file, kept)) in (0..).zip(files.iter().zip(parallel::map(files, Kept::of))) {
        let kept = kept?;
        sample.push_str(&kept.examples);
        needed.extend(needs(number, &file.signature.condition));
        file.signature.product_names(&mut names);
        builtins.push(packed::Builtin {
            json: packed::add(&mut texts, kept.json),
            digests: kept
                .digests
                .lines()
                .map(|line| packed::add(&mut texts, line.to_owned()))
                .collect(),
            yaml: kept.yaml,
            is_relation: file.signature.condition.is_relation(),
        });
    }
    let names = packed::add(&mut texts, names.into_iter().collect::<Vec<_>>().join(" "));
    let (others, packed) = std::thread::scope(|scope| {
        let others = scope.spawn(|| (Index::new(needed, &sample), packed::sources(&builtins)));
        let packed = packed::write(&builtins, names, &texts, out);
        (others.join(), packed)
    });
    let (index, sources) = others.map_err(|_| "the index cannot be built")?;
    fs::write(target.join("sources.bin"), sources?)?;
    let (grammar, all) = packed?;
    fs::write(target.join("grammar.bin"), grammar)?;
    fs::write(target.join("packed.bin"), all)?;
    let ids: kwhy_prefilter::Texts = files.iter().map(|file| &file.signature.id).collect();
    writeln!(out, "static IDS: Texts = {};", constants::texts(&ids))?;
    constants::write_index(&index, out)?;
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
        if let Some(error) = advice::errors(signature).first() {
            let message = format!("{} [{}]", error.message, error.code);
            return Err(SignatureError::about(file, yaml, &error.piece, message).into());
        }
    }
    Ok(signatures)
}

/// Collects the texts of examples.
fn collect_texts(value: &serde_json::Value, into: &mut String) {
    match value {
        serde_json::Value::String(text) => into.push_str(text),
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect_texts(item, into)),
        serde_json::Value::Object(fields) => {
            let text = fields
                .iter()
                .filter(|(key, _)| *key != "why" && *key != "captures");
            text.for_each(|(_, value)| collect_texts(value, into));
        }
        _ => {}
    }
}
