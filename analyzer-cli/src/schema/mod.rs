//! `kwhy schema`: JSON Schemas of what kwhy writes, and of signature files. They are kept in `schema/`, from where the build script
//! packs them; a test makes them of the types and compares.

#[cfg(test)]
mod made;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod tidy;

use std::fmt;
use std::io::{self, Write};

use clap::ValueEnum;
use kwhy_render::{Layout, Style};

include!(concat!(env!("OUT_DIR"), "/schemas.rs"));

/// An output that has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// A report: `kwhy -o json`
    Report,
    /// A line of a report: `kwhy -o ndjson`, `kwhy scan -o findings` (whose last line is one of `kwhy scan`)
    Finding,
    /// A line of `kwhy scan`
    Scan,
    /// A line of `kwhy events -o ndjson`
    Event,
    /// A line of `kwhy patterns -o ndjson`
    Pattern,
    /// What `kwhy objects` prints
    Objects,
    /// A line of `kwhy objects -o ndjson`
    Object,
    /// A line of `kwhy records`
    Record,
    /// A line of `kwhy bundle ls -o ndjson`
    Member,
    /// A document of a signature file
    Signature,
}

impl SchemaName {
    /// Returns the text of the schema.
    fn text(self) -> String {
        let name = self.to_string();
        let number = NAMES.iter().position(|kept| *kept == name);
        let all = kwhy_pack::unpack_all(SCHEMAS).unwrap_or_default();
        let text = number.and_then(|number| all.get(number).cloned());
        String::from_utf8(text.unwrap_or_default()).unwrap_or_default()
    }
}

impl fmt::Display for SchemaName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        f.pad(value.as_ref().map_or("", |value| value.get_name()))
    }
}

/// Writes a schema, or the names of all with their meaning, wrapped to the columns of a terminal.
///
/// # Errors
/// The output cannot be written.
pub fn write(
    name: Option<SchemaName>,
    (layout, columns): (&Layout, Option<usize>),
    out: &mut dyn Write,
) -> io::Result<()> {
    match name {
        Some(name) => out.write_all(name.text().as_bytes()),
        None => SchemaName::value_variants().iter().try_for_each(|name| {
            let value = name.to_possible_value();
            let what = value.as_ref().and_then(|value| value.get_help());
            let what = what.map(ToString::to_string).unwrap_or_default();
            write!(out, "{name:<10} ")?;
            match columns {
                Some(_) => layout.hang(out, Style::Plain, &what, 11, 11),
                None => writeln!(out, "{what}"),
            }
        }),
    }
}
