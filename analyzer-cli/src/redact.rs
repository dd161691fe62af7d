//! `--redact`: collects the names in the inputs before they are diagnosed.

use std::io::{self, Read};

use kwhy_core::ReadLimits;
use kwhy_core::events::{Extract, ExtractOptions, extract_with};
use kwhy_core::report::{Identities, Subject};

use kwhy_bundle::sources::{InputSet, Inputs};
use kwhy_bundle::{Document, DocumentSink};

use crate::catalogue;
use crate::failure::Failure;
use crate::plan::{CataloguePlan, Privacy, Redaction};
use kwhy_render::counted;

/// Fields of logs that name a user.
const PEOPLE: &[&str] = &["user", "username", "login", "owner"];

/// Prepares the replacement of names by tokens. Names of products that signatures mention stay.
///
/// # Errors
/// The signatures cannot be read.
pub fn identities(
    redaction: &Redaction,
    signatures: &CataloguePlan,
) -> Result<Identities, Failure> {
    let catalogue = catalogue::load(signatures)?;
    let public = catalogue.product_names();
    let identities = Identities::new(redaction.key.as_deref()).with_public(public);
    Ok(identities.with_static_pods(catalogue.static_pods()))
}

/// Prepares the replacement of names by tokens; `None` if names stay.
///
/// # Errors
/// The signatures cannot be read.
pub fn wanted(
    privacy: &Privacy,
    signatures: &CataloguePlan,
) -> Result<Option<Identities>, Failure> {
    let redaction = privacy.redact.as_ref();
    redaction.map(|it| identities(it, signatures)).transpose()
}

/// Collects the names in the documents that `feed` hands out.
pub fn names(
    identities: Identities,
    reading: &InputSet,
    feed: impl FnOnce(&InputSet, &mut dyn DocumentSink) -> Inputs,
) -> Identities {
    let limits = reading.limits.read;
    let mut names = Names { identities, limits };
    // read errors are reported when the input is read again for the diagnosis
    let reading = InputSet {
        shared: reading.shared.next(),
        ..reading.clone()
    };
    feed(&reading, &mut names);
    names.identities
}

/// A sink that collects the names in documents.
struct Names {
    identities: Identities,
    limits: ReadLimits,
}

impl DocumentSink for Names {
    fn document(&mut self, document: Document, content: &mut (dyn Read + Send)) {
        let Document { name, about, .. } = document;
        self.identities.add_subject(&about);
        let options = ExtractOptions::default()
            .with_about(about)
            .with_limits(self.limits);
        let map = |part: &Extract<'_>| -> (Vec<Subject>, Vec<String>) {
            let objects = part.parsed.objects.iter().map(|object| &object.subject);
            let events = part.parsed.events.iter().map(|event| &event.subject);
            let mut subjects: Vec<Subject> = Vec::new();
            for subject in objects.chain(events) {
                // consecutive records often have the same subject
                if subjects.last() != Some(subject) {
                    subjects.push(subject.clone());
                }
            }
            let fields = part.parsed.events.iter().flat_map(|event| &event.fields);
            let users = fields.filter(|field| PEOPLE.contains(&field.key.as_ref()));
            subjects.extend(users.map(|user| Subject::new("user", None, user.value.as_str())));
            // records that name an object by fields: `namespace` beside `name`
            for event in &part.parsed.events {
                let value = |key: &str| event.fields.iter().find(|field| field.key.as_ref() == key);
                if let (Some(namespace), Some(name)) = (value("namespace"), value("name")) {
                    let namespace = Some(namespace.value.as_str());
                    subjects.push(Subject::new("object", namespace, name.value.as_str()));
                }
            }
            // a text that names something has a quote or `=` before the name
            let texts = part.parsed.events.iter().flat_map(|event| event.texts());
            let texts = texts.filter(|text| text.as_str().contains(['"', '=']));
            (
                subjects,
                texts.map(|text| text.as_str().to_owned()).collect(),
            )
        };
        extract_with(&name, options, content, map, |(subjects, texts)| {
            let names = &mut self.identities;
            subjects
                .iter()
                .for_each(|subject| names.add_subject(subject));
            texts.iter().for_each(|text| names.learn(text));
        });
    }
}

/// The maximum size of streams that are kept in memory to be read twice, in bytes.
pub const MAX_KEPT: u64 = 256 << 20;

/// Reads all of a stream, at most `room` bytes.
///
/// # Errors
/// The stream cannot be read, or it is larger (`FileTooLarge`).
pub fn kept(stream: impl Read, room: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = stream.take(room + 1).read_to_end(&mut bytes)?;
    if length as u64 > room {
        let most = MAX_KEPT >> 20;
        let message = format!("with --redact it is read twice, so at most {most} MiB: give a file");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Returns a note on what was replaced: `redacted: 2 kinds ...`.
pub fn summary(identities: &Identities) -> String {
    let counts = identities.counts();
    let counts: Vec<String> = counts
        .map(|(kind, values, times)| {
            let times = counted(times, "time");
            format!("{values} {kind} ({times})")
        })
        .collect();
    if counts.is_empty() {
        return "redacted: nothing that is known as a name or an address".to_owned();
    }
    format!("redacted: {}", counts.join(", "))
}
