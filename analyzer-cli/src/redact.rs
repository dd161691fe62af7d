//! `--redact`: reads the inputs for the names in them, before they are diagnosed.

use std::io::{self, Read};

use kwhy_core::ReadLimits;
use kwhy_core::events::{Extract, ExtractOptions, extract_with};
use kwhy_core::report::{Identities, Subject};

use kwhy_bundle::sources::{self, InputSet};
use kwhy_bundle::{Document, DocumentSink};

use crate::plan::Redaction;
use kwhy_render::counted;

/// The names that inputs show as such.
pub fn names(
    redaction: &Redaction,
    reading: &InputSet,
    limits: ReadLimits,
    stdin: impl Read + Send,
) -> Identities {
    let mut names = Names {
        identities: Identities::new(redaction.key.as_deref()),
        limits,
    };
    // what cannot be read is reported when it is diagnosed
    let reading = InputSet {
        shared: reading.shared.next(),
        ..reading.clone()
    };
    sources::read(&reading, stdin, &mut names);
    names.identities
}

/// Takes the names of documents.
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
        let map = |part: &Extract<'_>| -> Vec<Subject> {
            let objects = part.parsed.objects.iter().map(|object| &object.subject);
            let events = part.parsed.events.iter().map(|event| &event.subject);
            let mut subjects: Vec<Subject> = Vec::new();
            for subject in objects.chain(events) {
                // records of one writer follow each other
                if subjects.last() != Some(subject) {
                    subjects.push(subject.clone());
                }
            }
            subjects
        };
        extract_with(&name, options, content, map, |subjects| {
            for subject in &subjects {
                self.identities.add_subject(subject);
            }
        });
    }
}

/// All of standard input, which is read twice.
///
/// # Errors
/// The reader's.
pub fn kept(mut stdin: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stdin.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Says what was replaced: `redacted: 2 kinds ...`.
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
