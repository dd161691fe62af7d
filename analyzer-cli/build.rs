//! Packs the JSON Schemas in `schema/`: what makes them of the types is as large as all other output together.

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("schema");
    #[allow(clippy::print_stdout)] // how cargo is told
    {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    let mut texts = Vec::new();
    for path in &paths {
        // a checkout on Windows may have other line ends
        texts.push(fs::read_to_string(path)?.replace('\r', ""));
    }
    let packed = kwhy_pack::pack(&texts);
    let mut out = format!(
        "static GRAMMAR: Grammar<'_> = Grammar::new(&{:?});\nstatic SCHEMAS: &[(&str, &[u8])] = &[\n",
        packed.grammar
    );
    for (path, text) in paths.iter().zip(&packed.texts) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(out, "    ({name:?}, &{text:?}),")?;
    }
    out.push_str("];\n");
    let target = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(target.join("schemas.rs"), out)?;
    Ok(())
}
