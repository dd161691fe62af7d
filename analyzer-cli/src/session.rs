//! The program as a library: it returns reports instead of writing them, and reads inputs that are not files.
//!
//! Options are those of the command line and mean the same. Neither the configuration file nor the environment is read.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use clap::{FromArgMatches, ValueEnum};
use kwhy_bundle::archive::Member;
use kwhy_bundle::sources::{self, InputError, InputSet, Inputs, Streams};
use kwhy_bundle::{Disposition, Document, DocumentSink, Shared, Source};
use kwhy_core::report::{Identities, LimitMet};
use kwhy_core::{Analyzer, Cancel, Report};
use kwhy_render::{Detail, Layout, View};

use crate::args::{Args, ReportOutput};
use crate::diagnose::{analyzer, narrow, on_threads, read, renderer, select_findings};
use crate::extract::{self, Convert};
use crate::notes::Notes;
use crate::plan::{self, Diagnose, Environment, Plan, Task};
use crate::redact;

pub use crate::failure::Failure;

/// The reason why a session cannot start or has no result.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// An option is invalid.
    #[error("{0}")]
    Option(String),
    /// Any other error: see [`Failure`].
    #[error(transparent)]
    Failed(#[from] Failure),
}

impl Refusal {
    /// Returns the file that caused the error, with the line and column counted from 1 if they are known.
    pub fn place(&self) -> Option<(&Path, Option<(usize, usize)>)> {
        let Refusal::Failed(failure) = self else {
            return None;
        };
        match failure {
            Failure::Signature(bad) => {
                let (file, place) = bad.place();
                Some((Path::new(file), Some(place)))
            }
            Failure::Signatures { path, .. }
            | Failure::Config { path, .. }
            | Failure::Unreadable { path, .. }
            | Failure::Healthy { path, .. }
            | Failure::Write { path, .. } => Some((path, None)),
            _ => None,
        }
    }

    /// Returns the operating system's error, if that is the cause.
    pub fn io_error(&self) -> Option<&io::Error> {
        let source = std::error::Error::source(self)?;
        source.downcast_ref::<io::Error>()
    }
}

/// A named stream of bytes.
pub type Part<'p> = (String, Box<dyn Read + Send + 'p>);

/// The input of a session.
pub enum Given<'g> {
    /// Files, folders and archives, as one incident.
    Paths(Vec<PathBuf>),
    /// One file or archive.
    Stream(Part<'g>),
    /// The members of a bundle of this name, one by one. The name of a member is its path, with `/` between folders.
    Members(String, Box<dyn Iterator<Item = Part<'g>> + Send + 'g>),
}

/// An input, and whether it can be read a second time.
enum Feed<'g> {
    Once(Given<'g>),
    Twice(Held),
}

/// Members that are kept in memory.
struct Held {
    bundle: Option<String>,
    parts: Vec<(String, Vec<u8>)>,
}

impl<'g> Feed<'g> {
    /// Holds streams in memory if they are to be read twice.
    fn new(given: Given<'g>, is_twice: bool) -> Result<Feed<'g>, Failure> {
        let mut room = redact::MAX_KEPT;
        let mut hold = |(name, reader): Part<'g>| {
            let bytes = redact::kept(reader, room).map_err(|source| Failure::Unreadable {
                path: PathBuf::from(&name),
                source,
            })?;
            room -= bytes.len() as u64;
            Ok::<_, Failure>((name, bytes))
        };
        Ok(match given {
            Given::Stream(part) if is_twice => Feed::Twice(Held {
                bundle: None,
                parts: vec![hold(part)?],
            }),
            Given::Members(bundle, parts) if is_twice => Feed::Twice(Held {
                bundle: Some(bundle),
                parts: parts.map(hold).collect::<Result<_, _>>()?,
            }),
            other => Feed::Once(other),
        })
    }

    fn inputs(&self) -> Vec<Source> {
        match self {
            Feed::Once(Given::Paths(paths)) => paths.iter().cloned().map(Source::Path).collect(),
            _ => Vec::new(),
        }
    }

    /// Hands out all documents.
    fn feed(self, reading: &InputSet, sink: &mut (dyn DocumentSink + Send)) -> Inputs {
        match self {
            Feed::Once(Given::Paths(_)) => crate::diagnose::sources(io::empty())(reading, sink),
            Feed::Once(Given::Stream(part)) => parts(None, std::iter::once(part), reading, sink),
            Feed::Once(Given::Members(bundle, all)) => parts(Some(&bundle), all, reading, sink),
            Feed::Twice(held) => held.feed(reading, sink),
        }
    }

    /// Collects the names in the input, if they are to be replaced by tokens.
    fn names(&self, identities: Option<&Identities>, reading: &InputSet) -> Option<Identities> {
        let identities = identities?.clone();
        let feed = |reading: &InputSet, sink: &mut dyn DocumentSink| match self {
            Feed::Twice(held) => held.feed(reading, sink),
            Feed::Once(_) => sources::read(reading, io::empty(), sink),
        };
        Some(redact::names(identities, reading, feed))
    }
}

impl Held {
    fn feed(&self, reading: &InputSet, sink: &mut dyn DocumentSink) -> Inputs {
        let all = self.parts.iter();
        let all = all.map(|(name, bytes)| -> Part<'_> { (name.clone(), Box::new(&bytes[..])) });
        parts(self.bundle.as_deref(), all, reading, sink)
    }
}

/// Hands out the members of a bundle, or files that are sources of their own.
fn parts<'p>(
    bundle: Option<&str>,
    all: impl Iterator<Item = Part<'p>>,
    reading: &InputSet,
    sink: &mut dyn DocumentSink,
) -> Inputs {
    let shared = Arc::clone(&reading.shared);
    let mut streams = Streams::new(reading.wanted.clone(), reading.limits, shared, sink);
    for (name, reader) in all {
        if reading.shared.is_stopped() {
            break;
        }
        let member = match bundle {
            Some(bundle) => Member {
                root: bundle.to_owned(),
                path: name.clone(),
                ..sources::member(name)
            },
            None => sources::member(name),
        };
        streams.read(member, reader);
    }
    streams.finish().0
}

/// Derives the plan from a command line without the program's name.
fn planned(typed: &[OsString]) -> Result<Plan, Refusal> {
    let typed = std::iter::once(OsString::from("kwhy")).chain(typed.iter().cloned());
    let mut command = Args::command_of("kwhy");
    let wrong = |error: clap::Error| {
        let text = error.to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        let first = first.strip_prefix("error: ").unwrap_or(first);
        Refusal::Option(first.trim_end().to_owned())
    };
    let matches = command.try_get_matches_from_mut(typed).map_err(wrong)?;
    let args = Args::from_arg_matches(&matches).map_err(wrong)?;
    plan::plan(args, &Environment::default()).map_err(Refusal::Option)
}

/// Diagnoses inputs; each call is one incident.
pub struct Diagnoser {
    diagnose: Diagnose,
    analyzer: Analyzer,
    /// The tokens that replace names; `None` if names stay.
    identities: Option<Identities>,
}

/// The result of a diagnosis.
#[derive(Debug)]
#[non_exhaustive]
pub struct Diagnosis {
    /// The report.
    pub report: Report,
    /// The number of findings that were omitted.
    pub left_out: usize,
    /// The number of sources that could be read.
    pub read: usize,
    /// The errors of inputs that could not be read; they are among the limits of the report too.
    pub failures: Vec<InputError>,
}

impl Diagnoser {
    /// Creates a diagnoser from options of `kwhy`.
    ///
    /// # Errors
    /// An option is invalid, or signatures cannot be used.
    pub fn new(typed: &[OsString]) -> Result<Diagnoser, Refusal> {
        let mut plan = planned(typed)?;
        let task = std::mem::replace(&mut plan.task, Task::Hint);
        let Task::Diagnose(diagnose) = task else {
            return Err(Refusal::Option("options of a diagnosis are wanted".into()));
        };
        let (analyzer, identities) = on_threads(diagnose.threads, || {
            let analyzer = analyzer(&plan, &diagnose, &mut Notes::new(&mut io::sink(), None))?;
            let identities = redact::wanted(&diagnose.privacy, &plan.catalogue)?;
            Ok::<_, Failure>((analyzer, identities))
        })?;
        Ok(Diagnoser {
            diagnose,
            analyzer,
            identities,
        })
    }

    /// Diagnoses an input until it ends or is cancelled. Of a broken or hostile input, what can be read is diagnosed.
    /// With `keep`, the report contains the lines around the evidence.
    ///
    /// # Errors
    /// A stream that has to be read twice cannot be read, or is too large for that.
    pub fn run(&self, given: Given<'_>, keep: bool, stop: &Cancel) -> Result<Diagnosis, Refusal> {
        let diagnose = &self.diagnose;
        on_threads(diagnose.threads, || {
            let feed = Feed::new(given, self.identities.is_some())?;
            let mut reading = diagnose.bundle.inputs(&feed.inputs());
            reading.shared = Shared::under(stop);
            let names = feed.names(self.identities.as_ref(), &reading);
            let feed =
                |reading: &InputSet, sink: &mut (dyn DocumentSink + Send)| feed.feed(reading, sink);
            let (inputs, mut report, is_there) = read(&self.analyzer, &reading, keep, feed);
            inputs.add_to(&mut report);
            narrow(diagnose, &mut report, is_there);
            if let Some(mut names) = names {
                report.redact(&mut names);
            }
            let (_, left_out) = select_findings(diagnose, &mut report);
            Ok(Diagnosis {
                report,
                left_out,
                read: inputs.read,
                failures: inputs.failures,
            })
        })
    }
}

/// Returns a report in the format of this name, as `kwhy -o` writes it.
///
/// # Errors
/// There is no such format.
pub fn render(
    report: &Report,
    left_out: usize,
    form: &str,
    width: usize,
) -> Result<Vec<u8>, Refusal> {
    let wrong = |_| Refusal::Option(format!("there is no form {form:?}"));
    let form = plan::form(ReportOutput::from_str(form, false).map_err(wrong)?, false);
    let color = false;
    let form = renderer(form, Layout { width, color }, Detail::Usual);
    let mut text = Vec::new();
    let view = View { report, left_out };
    form.render(&view, &mut text).map_err(Failure::Output)?;
    Ok(text)
}

/// One of several parts of an input's documents. All parts apply the same rule: a document belongs to the part that
/// has the fewest bytes so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of the part, counted from 0.
    pub number: usize,
    /// The number of parts.
    pub of: usize,
}

/// Converts inputs into lines of JSON.
pub struct Converter {
    convert: Convert,
    layout: Layout,
    /// The tokens that replace names; `None` if names stay.
    identities: Option<Identities>,
}

/// The result of a conversion.
#[derive(Debug)]
#[non_exhaustive]
pub struct Converted {
    /// The number of sources that could be read.
    pub read: usize,
    /// The errors of inputs that could not be read.
    pub failures: Vec<InputError>,
    /// Limits that were met, and damage.
    pub limits: Vec<LimitMet>,
}

impl Converter {
    /// Creates a converter from a command (`events`, `objects`, `records`) and its options. Records name their
    /// documents.
    ///
    /// # Errors
    /// An option is invalid, or signatures cannot be used.
    pub fn new(typed: &[OsString]) -> Result<Converter, Refusal> {
        let mut plan = planned(typed)?;
        let task = std::mem::replace(&mut plan.task, Task::Hint);
        let Task::Convert(mut convert) = task else {
            return Err(Refusal::Option("a command that converts is wanted".into()));
        };
        if let extract::What::Records { named } = &mut convert.what {
            *named = true;
        }
        let identities = on_threads(convert.threads, || {
            redact::wanted(&convert.privacy, &plan.catalogue)
        })?;
        Ok(Converter {
            convert,
            layout: plan.layout,
            identities,
        })
    }

    /// Converts an input until it ends or is cancelled; all of it, or one of several parts. What occurs twice in the
    /// input is in one part only.
    ///
    /// # Errors
    /// The output cannot be written, or a stream that has to be read twice cannot be read.
    pub fn run(
        &self,
        given: Given<'_>,
        share: Option<Share>,
        stop: &Cancel,
        out: &mut (dyn Write + Send),
    ) -> Result<Converted, Refusal> {
        let convert = &self.convert;
        // tokens are numbered in the order of the input, which one thread keeps
        let threads = match self.identities {
            Some(_) => Some(1),
            None => convert.threads,
        };
        on_threads(threads, || {
            let feed = Feed::new(given, self.identities.is_some())?;
            let mut convert_of = convert.clone();
            convert_of.sources = feed.inputs();
            let mut reading = convert.bundle.inputs(&convert_of.sources);
            reading.shared = Shared::under(stop);
            let names = feed.names(self.identities.as_ref(), &reading);
            let names = names.map(Mutex::new);
            let page = (&self.layout, None);
            let feed =
                |reading: &InputSet, sink: &mut (dyn DocumentSink + Send)| match (share, feed) {
                    (None, feed) => feed.feed(reading, sink),
                    (Some(share), Feed::Once(Given::Paths(_))) => {
                        // reading ahead would not pass on the sizes of members
                        sources::read(reading, io::empty(), &mut Parted::new(sink, share))
                    }
                    (Some(share), feed) => feed.feed(reading, &mut Parted::new(sink, share)),
                };
            let (inputs, _) = extract::run(&convert_of, page, &reading, feed, names.as_ref(), out)?;
            Ok(Converted {
                read: inputs.read,
                failures: inputs.failures,
                limits: inputs.limits,
            })
        })
    }
}

/// A sink that passes on the documents of one part.
struct Parted<S> {
    sink: S,
    share: Share,
    /// The number of bytes of each part so far.
    bytes: Vec<u64>,
    /// The size of the next document, if known.
    size: Option<u64>,
}

/// The size assumed for a document that does not state it, in bytes.
const UNKNOWN: u64 = 1 << 20;

impl<S: DocumentSink> Parted<S> {
    fn new(sink: S, share: Share) -> Parted<S> {
        Parted {
            sink,
            share,
            bytes: vec![0; share.of.max(1)],
            size: None,
        }
    }
}

impl<S: DocumentSink> DocumentSink for Parted<S> {
    fn document(&mut self, document: Document, content: &mut (dyn Read + Send)) {
        let size = self.size.take().unwrap_or(UNKNOWN);
        let parts = self.bytes.iter_mut().enumerate();
        let Some((number, bytes)) = parts.min_by_key(|(_, bytes)| **bytes) else {
            return;
        };
        // at least 1, so that empty documents are shared out too
        *bytes += size + 1;
        if number == self.share.number {
            self.sink.document(document, content);
        }
    }

    // other names of a document are not passed on: they refer to it by its number among those of all parts

    fn disposed(&mut self, member: &Member, what: Disposition) {
        self.size = member.size;
        self.sink.disposed(member, what);
    }
}
