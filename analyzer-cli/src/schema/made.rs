//! Makes the schemas of the types.

use clap::ValueEnum;
use kwhy_core::Report;
use kwhy_core::events::FoldedRow;
use kwhy_core::signature::Signature;
use kwhy_render::ndjson;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::{SchemaName, shapes, tidy};
use crate::commands::bundle_ls;
use crate::scan;

impl SchemaName {
    /// The schema: its title is the name, as the types are not known outside.
    fn made(self) -> Schema {
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

/// The schema of what is read, and of a shape: what may be absent is an option.
fn read<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.into_generator().into_root_schema_for::<T>()
}

/// The generator of schemas of what is written.
fn writing() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
}

fn written<T: JsonSchema>() -> Schema {
    writing().into_root_schema_for::<T>()
}

#[test]
fn the_schemas_are_those_of_the_types() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
    let is_written = std::env::var("TRYCMD").is_ok_and(|how| how == "overwrite");
    for name in SchemaName::value_variants() {
        let made = serde_json::to_string_pretty(&name.made()).unwrap() + "\n";
        let path = folder.join(format!("{name}.json"));
        if is_written {
            std::fs::write(&path, &made).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        let kept = kept.replace('\r', "");
        assert!(
            kept == made,
            "schema/{name}.json is not that of the types: run with TRYCMD=overwrite"
        );
    }
    let kept = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(kept, SchemaName::value_variants().len());
}
