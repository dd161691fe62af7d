//! Packs the texts of signatures.

use std::fmt::Write as _;
use std::num::TryFromIntError;

use kwhy_pack::Own;

/// The texts of a signature, as indices.
pub struct Builtin {
    /// The name of its file, and the signature as JSON.
    pub json: usize,
    /// The digests of its patterns.
    pub digests: Vec<usize>,
    /// What the YAML of its file has besides.
    pub yaml: Own,
    /// True if its condition compares objects with each other.
    pub is_relation: bool,
}

/// Adds a text and returns its index. Repeated texts cost little, as they pack into a symbol or two.
pub fn add(texts: &mut Vec<String>, text: String) -> usize {
    texts.push(text);
    texts.len() - 1
}

/// Writes the ends of the signatures' texts as a constant, and returns the grammar and the packed texts. `names` is the
/// index of the product names, which come last.
pub fn write(
    builtins: &[Builtin],
    names: usize,
    texts: &[String],
    out: &mut String,
) -> Result<(Vec<u8>, Vec<u8>), TryFromIntError> {
    let packed = kwhy_pack::pack(texts);
    let mut bytes = Vec::new();
    out.push_str("static BUILTIN: &[Builtin] = &[\n");
    for builtin in builtins {
        bytes.extend(&packed.texts[builtin.json]);
        let json_end = u32::try_from(bytes.len())?;
        for number in &builtin.digests {
            let line = &packed.texts[*number];
            bytes.extend(u16::try_from(line.len())?.to_le_bytes());
            bytes.extend(line);
        }
        let digests_end = u32::try_from(bytes.len())?;
        let is_relation = builtin.is_relation;
        let _ = writeln!(
            out,
            "    Builtin {{ json_end: {json_end}, digests_end: {digests_end}, is_relation: {is_relation} }},"
        );
    }
    out.push_str("];\n");
    bytes.extend(&packed.texts[names]);
    for (kind, value) in [
        (
            "PACKED: &[u8]",
            "include_bytes!(concat!(env!(\"OUT_DIR\"), \"/packed.bin\"))",
        ),
        (
            "SOURCES: &[u8]",
            "include_bytes!(concat!(env!(\"OUT_DIR\"), \"/sources.bin\"))",
        ),
        (
            "GRAMMAR: Grammar<'static>",
            "Grammar::new(include_bytes!(concat!(env!(\"OUT_DIR\"), \"/grammar.bin\")))",
        ),
    ] {
        let _ = writeln!(out, "static {kind} = {value};");
    }
    Ok((packed.grammar, bytes))
}

/// Packs what the YAML of all files has besides: first the texts, then the passages of each.
pub fn sources(builtins: &[Builtin]) -> std::io::Result<Vec<u8>> {
    let texts = builtins.iter().map(|it| it.yaml.text.as_bytes());
    let passages = builtins.iter().map(|it| it.yaml.passages.as_slice());
    kwhy_pack::pack_all(texts.chain(passages))
}
