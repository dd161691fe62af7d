//! Packs the JSON Schemas in `schema/`: what makes them of the types is as large as all other output together.

use std::error::Error;
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
    let names = paths.iter().filter_map(|path| path.file_stem()?.to_str());
    let names: Vec<&str> = names.collect();
    let target = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(target.join("schemas.bin"), kwhy_pack::pack_all(&texts)?)?;
    let out = format!(
        "static NAMES: &[&str] = &{names:?};\nstatic SCHEMAS: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/schemas.bin\"));\n"
    );
    fs::write(target.join("schemas.rs"), out)?;
    Ok(())
}
