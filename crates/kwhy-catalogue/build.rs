//! Compiles the signatures into constants: adding a signature is adding a file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use kwhy_signature::{Causes, Index, Signature, SignatureError, Word, advice, check, needs};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let folder = root.join("signatures");
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    files.sort();
    let text = fs::read_to_string(folder.join("causes.txt"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut list: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
    list.sort_unstable();
    let mut causes = Causes::default();
    list.iter()
        .for_each(|(id, meaning)| causes.add(*id, *meaning));
    let mut out =
        format!("static CAUSES: &[(&str, &str)] = &{list:?};\nstatic BUILTIN: &[Builtin] = &[\n");
    let (mut needed, mut count) = (Vec::new(), 0);
    // the examples show what logs look like
    let mut sample = String::new();
    for file in &files {
        let name = file
            .strip_prefix(&root)?
            .to_string_lossy()
            .replace('\\', "/");
        let yaml = fs::read_to_string(file)?;
        for (number, signature) in read(&name, &yaml, &causes)?.iter().enumerate() {
            let mut value: serde_json::Map<String, serde_json::Value> = document(&yaml, number)?;
            if let Some(examples) = value.remove("examples") {
                texts(&examples, &mut sample);
            }
            needed.extend(needs(count, &signature.condition));
            count += 1;
            let json = serde_json::to_string(&value)?;
            let id = &signature.id;
            writeln!(
                out,
                "    Builtin {{ id: {id:?}, file: {name:?}, yaml: include_str!({file:?}), json: {json:?} }},"
            )?;
        }
    }
    out.push_str("];\n");
    write_index(&Index::new(needed, &sample), &mut out)?;
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("builtin.rs"), out)?;
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

fn document(
    yaml: &str,
    number: usize,
) -> Result<serde_json::Map<String, serde_json::Value>, Failure> {
    let document = serde_yaml::Deserializer::from_str(yaml).nth(number);
    Ok(serde::Deserialize::deserialize(
        document.ok_or("no document")?,
    )?)
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
    for (field, list) in [("reasons", &index.reasons), ("kinds", &index.kinds)] {
        writeln!(out, "    {field}: Cow::Borrowed(&[{}]),", words(list))?;
    }
    for (field, leaves) in [
        ("any_event", &index.any_event),
        ("any_object", &index.any_object),
        ("klog_fatal", &index.klog_fatal),
        ("starts", &index.starts),
        ("boundless", &index.boundless),
    ] {
        writeln!(out, "    {field}: Cow::Borrowed(&{leaves:?}),")?;
    }
    writeln!(out, "}};")
}
