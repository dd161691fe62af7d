//! `kwhy schema`: JSON Schemas of what kwhy writes, and of signature files.

mod shapes;
mod tidy;

use std::fmt;
use std::io::{self, Write};

use clap::ValueEnum;
use kwhy_core::Report;
use kwhy_core::events::FoldedRow;
use kwhy_core::signature::Signature;
use kwhy_render::{Layout, Style, ndjson};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::commands::bundle_ls;
use crate::scan;

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
    /// Returns the schema. Its title is the name, as the types are unknown to its readers.
    fn schema(self) -> Schema {
        let mut schema = match self {
            SchemaName::Report => written::<Report>(),
            SchemaName::Finding => ndjson::schema(writing()),
            SchemaName::Scan => written::<scan::AnyLine<'_>>(),
            SchemaName::Event => read::<shapes::Event>(),
            SchemaName::Pattern => written::<FoldedRow>(),
            SchemaName::Objects => read::<shapes::Objects>(),
            SchemaName::Object => read::<shapes::ObjectLine>(),
            SchemaName::Record => read::<shapes::Record>(),
            SchemaName::Member => written::<bundle_ls::Row<'_>>(),
            SchemaName::Signature => read::<Signature>(),
        };
        tidy::tidy(&mut schema);
        let help = self.to_possible_value();
        let help = help.as_ref().and_then(|value| value.get_help());
        schema.insert("title".to_owned(), format!("kwhy {self}").into());
        schema.insert(
            "description".to_owned(),
            help.map(ToString::to_string).unwrap_or_default().into(),
        );
        schema
    }
}

impl fmt::Display for SchemaName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        f.pad(value.as_ref().map_or("", |value| value.get_name()))
    }
}

/// Returns the schema of a type that is read, or that describes JSON: members that may be absent are options.
fn read<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.into_generator().into_root_schema_for::<T>()
}

/// Returns a generator for types that are written.
fn writing() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
}

fn written<T: JsonSchema>() -> Schema {
    writing().into_root_schema_for::<T>()
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
        Some(name) => {
            serde_json::to_writer_pretty(&mut *out, &name.schema())?;
            writeln!(out)
        }
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
