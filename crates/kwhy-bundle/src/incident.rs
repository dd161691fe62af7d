//! Bundles into an incident.

use std::io::{self, Read};
use std::path::Path;

use kwhy_core::Incident;

use crate::archive::limits::{Limits, Shared};
use crate::archive::{Clock, Member};
use crate::bundle::{Document, DocumentSink, Wanted};
use crate::sources::{self, InputSet, Inputs, Source, Streams};

/// The selection and limits with which a bundle is read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The members that are read.
    pub wanted: Wanted,
    /// Limits on archives.
    pub limits: Limits,
    /// The clock that the limit on time is held against.
    pub clock: Clock,
}

impl Options {
    /// Sets the members that are read.
    pub fn with_wanted(mut self, wanted: Wanted) -> Options {
        self.wanted = wanted;
        self
    }

    /// Sets the limits on archives.
    ///
    /// ```
    /// use kwhy_bundle::{Limits, Options};
    /// let options = Options::default().with_limits(Limits::default().with(&["members=10".parse()?]));
    /// assert_eq!(options.limits.members, 10);
    /// # Ok::<(), String>(())
    /// ```
    pub fn with_limits(mut self, limits: Limits) -> Options {
        self.limits = limits;
        self
    }

    /// Sets the clock that the limit on time is held against.
    pub fn with_clock(mut self, clock: Clock) -> Options {
        self.clock = clock;
        self
    }
}

/// Reads a file or folder into an incident. [`Inputs::failures`] has what could not be read, [`Inputs::limits`] what was
/// omitted or is damaged.
///
/// ```
/// use kwhy_bundle::{Options, read_path};
/// use kwhy_core::Analyzer;
/// let mut incident = Analyzer::new().incident();
/// let inputs = read_path("/no/such/bundle".as_ref(), &Options::default(), &mut incident);
/// assert_eq!(inputs.failures[0].to_string(), "cannot read /no/such/bundle");
/// ```
pub fn read_path(path: &Path, options: &Options, incident: &mut Incident) -> Inputs {
    let set = InputSet {
        sources: vec![Source::Path(path.to_owned())],
        wanted: options.wanted.clone(),
        limits: options.limits,
        shared: Shared::timed(&incident.cancel_handle(), options.clock),
    };
    let inputs = sources::read(&set, io::empty(), &mut IncidentSink { incident });
    date(&inputs, incident);
    inputs
}

/// Reads one file or archive from a reader into an incident.
///
/// ```
/// use kwhy_bundle::{Options, read};
/// use kwhy_core::report::Limit;
/// use kwhy_core::Analyzer;
/// // the start of a gzip stream
/// let mut incident = Analyzer::new().incident();
/// let inputs = read("bundle.tar.gz", b"\x1f\x8b\x08".as_slice(), &Options::default(), &mut incident);
/// assert_eq!(inputs.limits[0].limit, Limit::Damaged);
/// ```
pub fn read(
    name: &str,
    reader: impl Read + Send,
    options: &Options,
    incident: &mut Incident,
) -> Inputs {
    let mut members = Members::new(options, incident);
    members.source(name, reader);
    members.finish()
}

/// Gives an incident the time at which its bundles were made.
fn date(inputs: &Inputs, incident: &mut Incident) {
    if let Some(time) = inputs.collected {
        incident.collected_at(time);
    }
    if !inputs.bundles.is_empty() {
        incident.collected_at_newest();
    }
}

/// Takes documents into an incident.
pub struct IncidentSink<'s> {
    /// The incident.
    pub incident: &'s mut Incident,
}

impl DocumentSink for IncidentSink<'_> {
    fn document(&mut self, document: Document, content: &mut (dyn Read + Send)) {
        let Document { name, about } = document;
        // the reader reports why a stream ends
        let _ = self.incident.read_about(name, about, content);
    }

    fn again(&mut self, number: usize, name: &str) {
        self.incident.also_called(number, name);
    }
}

/// Takes the members of bundles one by one, from wherever they come: an object store, a message, a database.
///
/// ```
/// use kwhy_bundle::{Members, Options};
/// use kwhy_core::Analyzer;
/// let mut incident = Analyzer::new().incident();
/// let mut members = Members::new(&Options::default(), &mut incident);
/// let log = "panic: runtime error: index out of range [3] with length 3\n";
/// members.member("case-7", "namespaces/shop/pods/web-0/web/web/logs/current.log", log.as_bytes());
/// assert_eq!(members.finish().read, 1);
/// assert_eq!(incident.finish().findings.len(), 1);
/// ```
pub struct Members<'s> {
    streams: Streams<IncidentSink<'s>>,
}

impl<'s> Members<'s> {
    /// Reads members into an incident.
    pub fn new(options: &Options, incident: &'s mut Incident) -> Members<'s> {
        let shared = Shared::timed(&incident.cancel_handle(), options.clock);
        let sink = IncidentSink { incident };
        Members {
            streams: Streams::new(options.wanted.clone(), options.limits, shared, sink),
        }
    }

    /// Reads a member of a bundle: `path` is its place in it, with `/` between folders. A member may be an archive.
    pub fn member(&mut self, bundle: &str, path: &str, reader: impl Read + Send) {
        let member = Member {
            root: bundle.to_owned(),
            path: path.to_owned(),
            packed: true,
            ..sources::member(format!("{bundle}!{path}"))
        };
        self.streams.read(member, reader);
    }

    /// Reads a file that is all of a source, such as a log or an archive.
    pub fn source(&mut self, name: &str, reader: impl Read + Send) {
        self.streams.read(sources::member(name.to_owned()), reader);
    }

    /// Ends the reading: the incident takes the time at which the bundles were made.
    pub fn finish(self) -> Inputs {
        let (inputs, sink) = self.streams.finish();
        date(&inputs, sink.incident);
        inputs
    }
}
