//! Lists the licences, with their texts, of all crates that are linked into the program or the Python extension module.
//! Anyone who redistributes a binary must include them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// A package that builds a binary.
#[derive(Clone, Copy)]
struct Binary {
    /// The manifest of the package or its workspace, relative to the root of the repository.
    manifest: &'static str,
    package: &'static str,
}

/// The command-line program.
const PROGRAM: Binary = Binary {
    manifest: "Cargo.toml",
    package: "kwhy",
};

/// The extension module of the Python package.
const PYTHON: Binary = Binary {
    manifest: "python/Cargo.toml",
    package: "kwhy-python",
};

/// The maximum depth of the search for licence files. The C code of an allocator is two folders deep.
const DEPTH: usize = 3;

/// Prefixes of the names of licence and notice files.
const NAMES: &[&str] = &[
    "LICENSE",
    "LICENCE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
    "UNLICENSE",
];

/// The parts of the output of `cargo metadata` that are needed.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    repository: Option<String>,
    manifest_path: PathBuf,
    /// `None` for a package of the workspace.
    source: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `None` for a normal dependency, which is linked.
    kind: Option<String>,
}

/// Prints the licences for a target, by default the host.
pub fn main(arguments: &[String]) -> Result<(), String> {
    let (binary, arguments) = match arguments {
        [first, rest @ ..] if first == "--python" => (PYTHON, rest),
        all => (PROGRAM, all),
    };
    let text = match arguments {
        [] => text(binary, &host()?)?,
        [target] => text(binary, target)?,
        _ => return Err("usage: cargo xtask licences [--python] [TARGET]".to_owned()),
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).map_err(|e| e.to_string())
}

/// Returns the host's target triple.
fn host() -> Result<String, String> {
    let verbose = output("RUSTC", "rustc", &["-vV"])?;
    let verbose = String::from_utf8_lossy(&verbose);
    let host = verbose.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| "rustc -vV names no host".to_owned())
}

/// Returns the output of a toolchain program. The environment variable `variable` can replace the program.
fn output(variable: &str, program: &str, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let program = std::env::var_os(variable).unwrap_or_else(|| program.into());
    let made = Command::new(program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .map_err(|error| format!("{}: {error}", arguments.join(" ")))?;
    match made.status.success() {
        true => Ok(made.stdout),
        false => Err(String::from_utf8_lossy(&made.stderr).into_owned()),
    }
}

/// Returns the list of a binary's crates with their licences on a target, followed by each distinct licence text.
fn text(binary: Binary, target: &str) -> Result<String, String> {
    let manifest = format!("../{}", binary.manifest);
    let metadata = ["metadata", "--locked", "--format-version", "1"];
    let of_target = ["--filter-platform", target, "--manifest-path", &manifest];
    let metadata = output("CARGO", "cargo", &[&metadata[..], &of_target].concat())?;
    let metadata: Metadata = serde_json::from_slice(&metadata).map_err(|e| e.to_string())?;
    let linked = linked(&metadata, binary.package)?;
    let mut out = String::from(
        "kwhy is licensed under Apache-2.0; the text is in LICENSE. It contains these libraries, whose licences follow.\n\n",
    );
    // from each text to the packages that contain it
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in &linked {
        let licence = package.license.as_deref().unwrap_or("see its text");
        let home = package.repository.as_deref().unwrap_or("");
        let name = format!("{} {}", package.name, package.version);
        let _ = writeln!(out, "{}", format!("{name}: {licence} {home}").trim_end());
        let folder = package.manifest_path.parent().unwrap_or(Path::new("."));
        let mut files = Vec::new();
        find(folder, DEPTH, &mut files);
        files.sort();
        for file in files {
            let bytes = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
            let of = texts.entry(text.trim_end().to_owned()).or_default();
            if of.last() != Some(&name) {
                of.push(name.clone());
            }
        }
    }
    for (text, of) in texts {
        let _ = write!(out, "\n{}\n{}\n\n{text}\n", "-".repeat(72), of.join(", "));
    }
    Ok(out)
}

/// Returns the third-party packages that are linked into a package's binary, sorted by name.
fn linked<'m>(metadata: &'m Metadata, package: &str) -> Result<Vec<&'m Package>, String> {
    let is_program = |known: &&Package| known.name == package && known.source.is_none();
    let program = metadata.packages.iter().find(is_program);
    let program = program.ok_or_else(|| format!("cargo metadata does not name {package}"))?;
    let mut reached = BTreeSet::from([program.id.as_str()]);
    let mut open = vec![program.id.as_str()];
    while let Some(id) = open.pop() {
        let node = metadata.resolve.nodes.iter().find(|node| node.id == id);
        for dependency in node.iter().flat_map(|node| &node.deps) {
            let is_linked = dependency.dep_kinds.iter().any(|kind| kind.kind.is_none());
            if is_linked && reached.insert(&dependency.pkg) {
                open.push(&dependency.pkg);
            }
        }
    }
    let is_other = |package: &&Package| package.source.is_some() && reached.contains(&*package.id);
    let mut linked: Vec<&Package> = metadata.packages.iter().filter(is_other).collect();
    linked.sort_by_key(|package| (&package.name, &package.version));
    Ok(linked)
}

/// Collects the licence files of a folder, down to `depth` levels.
fn find(folder: &Path, depth: usize, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().to_ascii_uppercase();
        let is_source = path.extension().is_some_and(|it| it == "rs" || it == "py");
        if path.is_dir() {
            if depth > 1 && !name.starts_with('.') && name != "TARGET" {
                find(&path, depth - 1, into);
            }
        } else if !is_source && NAMES.iter().any(|known| name.starts_with(known)) {
            into.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_has_its_licence_and_each_text_is_there_once() {
        let text = text(PROGRAM, &host().unwrap()).unwrap();
        let (list, texts) = text.split_once("\n-----").unwrap();
        for name in ["clap ", "memchr ", "regex-automata ", "serde_json "] {
            assert!(list.lines().any(|line| line.starts_with(name)), "{name}");
        }
        assert!(!list.contains("see its text"), "{list}");
        // dependencies of tests and build scripts are not redistributed
        assert!(!list.contains("proptest") && !list.contains("trycmd"));
        assert!(texts.contains("TERMS AND CONDITIONS FOR USE, REPRODUCTION"));
        let heads: Vec<&str> = texts.split(&"-".repeat(72)).collect();
        let unique: BTreeSet<&str> = heads
            .iter()
            .map(|head| head.split_once("\n\n").map_or("", |it| it.1))
            .collect();
        assert_eq!(heads.len(), unique.len());
    }
}
