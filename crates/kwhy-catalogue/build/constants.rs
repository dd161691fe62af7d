//! Writes the index of conditions as constants without pointers, so that the loader has nothing to relocate.

use std::fmt::{Error, Write as _};

use kwhy_prefilter::Texts;
use kwhy_signature::{ConditionLists, Index, Words};

/// Writes texts as a Rust expression.
pub fn texts(texts: &Texts) -> String {
    format!(
        "Texts {{ text: Cow::Borrowed({:?}), ends: Cow::Borrowed(&{:?}) }}",
        texts.text, texts.ends
    )
}

fn lists(lists: &ConditionLists) -> String {
    format!(
        "ConditionLists {{ conditions: Cow::Borrowed(&{:?}), ends: Cow::Borrowed(&{:?}) }}",
        lists.conditions, lists.ends
    )
}

fn words(words: &Words) -> String {
    let (texts, lists) = (texts(&words.words), lists(&words.conditions));
    format!("Words {{ words: {texts}, conditions: {lists} }}")
}

/// Writes the index as a constant.
pub fn write_index(index: &Index, out: &mut String) -> Result<(), Error> {
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
        "    buckets: Cow::Borrowed(&{:?}), entries: Cow::Borrowed(&{:?}), windows: Cow::Borrowed(&{:?}) }},",
        qgrams.buckets, qgrams.entries, qgrams.windows
    )?;
    let literals = texts(&index.literals.literals);
    writeln!(out, "    literals: {literals}, short: OnceLock::new() }},")?;
    writeln!(out, "    conditions: {},", lists(&index.conditions))?;
    for (field, list) in [
        ("reasons", &index.reasons),
        ("kinds", &index.kinds),
        ("statements", &index.statements),
    ] {
        writeln!(out, "    {field}: {},", words(list))?;
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
