//! Lists the built-in signatures and causes, so that adding one is adding a file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var("OUT_DIR").unwrap_or_default());
    let signatures = root.join("signatures");
    println!("cargo::rerun-if-changed={}", signatures.display());

    let mut files = Vec::new();
    collect(&signatures, &mut files)?;
    files.sort();
    let mut list = String::from("static BUILTIN: &[(&str, &str)] = &[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file
            .strip_prefix(&root)
            .unwrap_or(file)
            .to_string_lossy()
            .replace('\\', "/");
        let _ = writeln!(
            list,
            "    ({name:?}, include_str!({:?})),",
            file.display().to_string()
        );
    }
    list.push_str("];\n");
    fs::write(out.join("builtin.rs"), list)?;

    let text = fs::read_to_string(signatures.join("causes.txt"))?;
    let mut causes: Vec<(&str, &str)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(": "))
        .collect();
    causes.sort_unstable();
    fs::write(
        out.join("causes.rs"),
        format!("static CAUSES: &[(&str, &str)] = &{causes:#?};\n"),
    )
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            files.push(path);
        }
    }
    Ok(())
}
