//! Reads bundles into an incident.

use std::io::{self, Read};
use std::path::Path;

use kwhy_core::Incident;

use crate::archive::limits::{Limits, Shared};
use crate::archive::{Clock, Member};
use crate::bundle::{Document, DocumentSink, Wanted};
use crate::sources::{self, InputSet, Inputs, Source, Streams};

/// Selects the members of a bundle to read, and sets the limits.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The members to read.
    pub wanted: Wanted,
    /// Limits on archives.
    pub limits: Limits,
    /// The clock that measures the limit on time.
    pub clock: Clock,
}

impl Options {
    /// Sets the members to read.
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

    /// Sets the clock that measures the limit on time.
    pub fn with_clock(mut self, clock: Clock) -> Options {
        self.clock = clock;
        self
    }
}

/// Reads a file or folder into an incident. [`Inputs::failures`] lists the paths that could not be read,
/// [`Inputs::limits`] whatever was omitted or damaged.
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

/// Sets the incident's time of collection from its bundles.
fn date(inputs: &Inputs, incident: &mut Incident) {
    if let Some(time) = inputs.collected {
        incident.collected_at(time);
    }
    if !inputs.bundles.is_empty() {
        incident.collected_at_newest();
    }
}

/// Passes documents to an incident.
pub struct IncidentSink<'s> {
    /// The incident.
    pub incident: &'s mut Incident,
}

impl DocumentSink for IncidentSink<'_> {
    fn document(&mut self, document: Document, content: &mut (dyn Read + Send)) {
        let Document { name, about } = document;
        // the source reports why a stream ends early
        let _ = self.incident.read_about(name, about, content);
    }

    fn again(&mut self, number: usize, name: &str) {
        self.incident.also_called(number, name);
    }
}

/// Reads the members of bundles one by one, from anywhere: an object store, a message, a database.
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
    /// Creates a reader of members into an incident.
    pub fn new(options: &Options, incident: &'s mut Incident) -> Members<'s> {
        let shared = Shared::timed(&incident.cancel_handle(), options.clock);
        let sink = IncidentSink { incident };
        Members {
            streams: Streams::new(options.wanted.clone(), options.limits, shared, sink),
        }
    }

    /// Reads a member of a bundle. `path` is its path in the bundle, with `/` between folders. A member may be an
    /// archive itself.
    pub fn member(&mut self, bundle: &str, path: &str, reader: impl Read + Send) {
        let member = Member {
            root: bundle.to_owned(),
            path: path.to_owned(),
            packed: true,
            ..sources::member(format!("{bundle}!{path}"))
        };
        self.streams.read(member, reader);
    }

    /// Reads a source that is not a member of a bundle, such as a log or an archive.
    pub fn source(&mut self, name: &str, reader: impl Read + Send) {
        self.streams.read(sources::member(name.to_owned()), reader);
    }

    /// Finishes reading and sets the incident's time of collection.
    pub fn finish(self) -> Inputs {
        let (inputs, sink) = self.streams.finish();
        date(&inputs, sink.incident);
        inputs
    }
}
