//! The analyzer: documents in, report out.

use std::sync::Arc;

use crate::engine::{Incident, ScanOptions, Settings};
use crate::matcher::{Compiled, TimeRange};
use crate::report::Report;
use jiff::Timestamp;
use kwhy_catalogue::Catalogue;
use kwhy_parse::input::{Document, ReadLimits};
use kwhy_parse::redact::SecretPolicy;

/// Finds root causes with a catalogue of signatures.
///
/// ```
/// use kwhy_core::Analyzer;
/// let paste = r#"Warning  FailedMount  5s (x9 over 3m)  kubelet  MountVolume.SetUp failed for volume "conf" : configmap "web-conf" not found"#;
/// let report = Analyzer::new().analyze_text("stdin", paste);
/// assert_eq!(report.findings[0].cause, "storage/configmap-missing");
/// assert_eq!(report.findings[0].captures["configmap"], "web-conf");
/// ```
///
/// The data derived from the catalogue is built on first use and kept for further inputs, so create one analyzer and
/// reuse it. Clones share that data.
#[derive(Clone, Debug)]
pub struct Analyzer {
    compiled: Arc<Compiled>,
    reference: Option<Timestamp>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    naive: bool,
    way: ScanOptions,
}

#[cfg(feature = "builtin")]
impl Default for Analyzer {
    fn default() -> Self {
        Analyzer::new()
    }
}

impl Analyzer {
    /// Creates an analyzer with the built-in signatures.
    #[cfg(feature = "builtin")]
    pub fn new() -> Analyzer {
        Analyzer::with_catalogue(Catalogue::builtin())
    }

    /// Creates an analyzer with the signatures of `catalogue`.
    pub fn with_catalogue(catalogue: Catalogue) -> Analyzer {
        Analyzer {
            compiled: Arc::new(Compiled::new(catalogue)),
            reference: None,
            since: None,
            until: None,
            naive: false,
            way: ScanOptions::default(),
        }
    }

    /// Sets `now` as the time at which the input was collected: ages become times, and timestamps
    /// without a year get the latest year that does not put them after it. Otherwise ages stay
    /// ages, and the year is inferred from the input where possible.
    ///
    /// ```
    /// use kwhy_core::Analyzer;
    /// let paste = "\
    /// Events:
    ///   Type     Reason       Age                  From     Message
    ///   ----     ------       ----                 ----     -------
    ///   Warning  FailedMount  105s (x16 over 18m)  kubelet  MountVolume.SetUp failed for volume \"conf\" : configmap \"cart\" not found
    /// ";
    /// let analyzer = Analyzer::new().with_reference_time("2024-03-04T05:00:00Z".parse()?);
    /// let report = analyzer.analyze_text("stdin", paste);
    /// assert_eq!(report.findings[0].last, "2024-03-04T04:58:15Z".parse().ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_reference_time(mut self, now: Timestamp) -> Analyzer {
        self.reference = Some(now);
        self
    }

    /// Ignores events before `since` and after `until`. Events without a known time and the state
    /// of objects are always included.
    ///
    /// ```
    /// use kwhy_core::Analyzer;
    /// let log = "2024-03-04T05:06:07Z panic: runtime error: index out of range [3] with length 3\n";
    /// let analyzer = Analyzer::new().with_period(Some("2024-03-04T06:00:00Z".parse()?), None);
    /// assert!(analyzer.analyze_text("log", log).findings.is_empty());
    /// # Ok::<(), jiff::Error>(())
    /// ```
    pub fn with_period(mut self, since: Option<Timestamp>, until: Option<Timestamp>) -> Analyzer {
        self.since = since;
        self.until = until;
        self
    }

    /// Counts every log record by time and severity for [`Report::timeline`]. This roughly doubles
    /// the run time.
    ///
    /// ```
    /// use kwhy_core::Analyzer;
    /// let log = "E0304 05:06:07.123456       1 sync.go:88] no\nI0304 05:06:08.123456       1 sync.go:88] yes\n";
    /// let report = Analyzer::new().with_timeline().analyze_text("log", log);
    /// assert_eq!(report.timeline.unwrap().buckets.len(), 2);
    /// ```
    pub fn with_timeline(mut self) -> Analyzer {
        self.way.timeline = true;
        self
    }

    /// Also reports, as notes, defects that nothing in the input suffers from: a Service port that no container
    /// declares, a host in a variable that no Service has.
    ///
    /// ```
    /// use kwhy_core::Analyzer;
    /// let objects = "apiVersion: v1\nkind: Service\nmetadata: {name: ledger}\nspec:\n  selector: {app: ledger}\n  ports:\n  - {port: 80, targetPort: 8601}\n\
    ///                ---\napiVersion: v1\nkind: Pod\nmetadata: {name: ledger-0, labels: {app: ledger}}\nspec:\n  containers:\n  - {name: api, ports: [{containerPort: 8600}]}\n";
    /// assert!(Analyzer::new().analyze_text("objects", objects).findings.is_empty());
    /// let report = Analyzer::new().with_audit().analyze_text("objects", objects);
    /// assert_eq!(report.findings[0].cause.as_str(), "network/wrong-endpoint");
    /// ```
    pub fn with_audit(mut self) -> Analyzer {
        self.way.audit = true;
        self
    }

    /// Sets the limits of reading.
    pub fn with_limits(mut self, limits: ReadLimits) -> Analyzer {
        self.way.limits = limits.bounded();
        self
    }

    /// Sets how secrets are treated in reports: they are masked by default.
    ///
    /// ```
    /// use kwhy_core::Analyzer;
    /// use kwhy_core::events::SecretPolicy;
    /// let log = "panic: cannot reach postgres://app:hunter22@db/orders\n";
    /// let masked = Analyzer::new().analyze_text("app.log", log);
    /// assert!(!masked.findings[0].evidence[0].text.contains("hunter22"));
    /// let shown = Analyzer::new().with_secrets(SecretPolicy::Show).analyze_text("app.log", log);
    /// assert!(shown.findings[0].evidence[0].text.contains("hunter22"));
    /// ```
    pub fn with_secrets(mut self, secrets: SecretPolicy) -> Analyzer {
        self.way.secrets = secrets;
        self
    }

    /// Tests every signature on every record: the slow reference that tests compare with.
    #[cfg(feature = "unstable-internals")]
    pub fn with_naive_matching(mut self) -> Analyzer {
        self.naive = true;
        self
    }

    /// Reads in blocks of about this many bytes and parses only what the prefilter selects, even for small inputs. For
    /// tests that compare with the slow reference.
    #[cfg(feature = "unstable-internals")]
    pub fn with_blocks_of(mut self, bytes: usize) -> Analyzer {
        self.way.block = bytes;
        self.way.all_up_to = 0;
        self.way.joined_up_to = 0;
        self
    }

    /// Does not join broken lines, as for large documents. For tests that compare with engines that treat small
    /// documents as large.
    #[cfg(feature = "unstable-internals")]
    pub fn without_joined_lines(mut self) -> Analyzer {
        self.way.joined_up_to = 0;
        self
    }

    /// The signatures in use.
    pub fn catalogue(&self) -> &Catalogue {
        &self.compiled.catalogue
    }

    /// Analyzes one text.
    pub fn analyze_text(&self, name: &str, bytes: impl Into<Vec<u8>>) -> Report {
        let mut incident = self.incident();
        // reading from memory cannot fail
        let _ = incident.read(name, bytes.into().as_slice());
        incident.finish()
    }

    /// Analyzes documents as one incident.
    ///
    /// ```
    /// use kwhy_core::{Analyzer, Document};
    /// let documents = [
    ///     Document::new("kubelet.log", "E0304 05:06:07.123456       1 volumes.go:42] configmap \"cart\" not found\n"),
    ///     Document::new("web.log", "panic: runtime error: index out of range [3] with length 3\n"),
    /// ];
    /// let report = Analyzer::new().analyze(&documents);
    /// assert_eq!(report.inputs.len(), 2);
    /// ```
    pub fn analyze(&self, documents: &[Document]) -> Report {
        let mut incident = self.incident();
        for document in documents {
            let _ = incident.read(document.name(), document.original());
        }
        incident.finish()
    }

    /// Starts an incident, to which documents are streamed one at a time.
    pub fn incident(&self) -> Incident {
        let way = match self.naive {
            true => ScanOptions {
                block: usize::MAX,
                all_up_to: usize::MAX,
                ..self.way
            },
            false => self.way,
        };
        Incident::new(Settings {
            compiled: Arc::clone(&self.compiled),
            naive: self.naive,
            period: self.period(),
            stated: self.reference,
            way,
        })
    }

    fn period(&self) -> TimeRange {
        let nanos = |time: Option<Timestamp>| time.map(Timestamp::as_nanosecond);
        TimeRange {
            since: nanos(self.since),
            until: nanos(self.until),
            now: nanos(self.reference),
        }
    }
}
