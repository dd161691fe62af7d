//! Reads documents as streams into one report.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;

use jiff::Timestamp;

use super::block_scan::{self, BlockLimits, BlockResult, max_error_records};
use super::blocks::{Block, Blocks};
use super::document_stats::{self, DocumentStats};
use super::{
    BLOCK, BLOCKS_A_THREAD, MAX_BLOCKS, Merged, ScanOptions, UNDER_WAY_A_THREAD, document_order,
    timeline,
};
use crate::cancel::{Cancel, Cancellable};
use crate::matcher::{Compiled, Tester, TimeRange};
use crate::parallel;
use crate::report::Report;
use kwhy_model::Subject;

/// Documents that are read as streams, one after another, as one incident.
///
/// Memory does not grow with the documents: it is a few blocks per thread and the first and last matches of each
/// signature. An incident owns what it needs of its analyzer, and can be moved to another thread.
///
/// ```
/// use kwhy_core::Analyzer;
/// let mut incident = Analyzer::new().incident();
/// let log = r#"E0304 05:06:07.123456       1 volumes.go:42] MountVolume.SetUp failed for volume "conf" : configmap "web-conf" not found"#;
/// let reading = std::thread::spawn(move || {
///     incident.read("kubelet.log", log.as_bytes())?;
///     Ok::<_, std::io::Error>(incident)
/// });
/// let report = reading.join().unwrap()?.finish();
/// assert_eq!(report.findings[0].cause, "storage/configmap-missing");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Incident {
    scanner: Scanner,
    /// Blocks that are not scanned yet.
    waiting: Vec<Block>,
    waiting_bytes: usize,
    merged: Merged,
    cancel: Cancel,
    /// True if cancellation kept a document from being read to its end.
    is_cut: bool,
}

/// The settings that an incident takes from its analyzer.
pub(crate) struct Settings {
    pub compiled: Arc<Compiled>,
    /// True if every condition is tested on everything.
    pub naive: bool,
    pub period: TimeRange,
    /// The time at which the input was collected, if the caller states it.
    pub stated: Option<Timestamp>,
    pub way: ScanOptions,
}

/// Scans blocks independently of each other.
struct Scanner {
    settings: Settings,
    /// The number of blocks that were scanned.
    scanned: u64,
}

impl Incident {
    pub(crate) fn new(settings: Settings) -> Incident {
        Incident {
            merged: Merged::new(Arc::clone(&settings.compiled), settings.stated),
            scanner: Scanner {
                settings,
                scanned: 0,
            },
            waiting: Vec::new(),
            waiting_bytes: 0,
            cancel: Cancel::new(),
            is_cut: false,
        }
    }

    /// Reads a document to its end and returns its size in bytes.
    ///
    /// # Errors
    /// The reader's. What was read before it is part of the incident.
    pub fn read(&mut self, name: impl Into<String>, reader: impl Read) -> io::Result<u64> {
        self.read_about(name, Subject::default(), reader)
    }

    /// Reads a document whose location shows what it is about, such as a log in a pod's folder. What its lines state
    /// takes precedence.
    ///
    /// ```
    /// use kwhy_core::{Analyzer, Subject};
    /// let mut incident = Analyzer::new().incident();
    /// let about = Subject::new("Pod", Some("shop"), "web-0");
    /// incident.read_about("shop/web-0/app.log", about, "panic: runtime error: index out of range [3] with length 3\n".as_bytes())?;
    /// assert_eq!(incident.finish().findings[0].subject.to_string(), "Pod shop/web-0");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The reader's. What was read before it is part of the incident.
    pub fn read_about(
        &mut self,
        name: impl Into<String>,
        about: Subject,
        reader: impl Read,
    ) -> io::Result<u64> {
        let number = self.merged.documents.len();
        document_stats::note_namespace(&about, &mut self.merged.namespaces);
        self.merged.documents.push(DocumentStats {
            name: name.into(),
            about,
            ..DocumentStats::default()
        });
        self.read_document(number, reader)
    }

    /// Reads more of the last document, which has grown, such as a log that is followed. Line numbers continue.
    ///
    /// End each part where a record ends: a line, record, table or object that is cut is read as two, and a cut line is
    /// counted as two. Bytes are decoded as UTF-8 unless a byte order mark precedes them.
    ///
    /// ```
    /// use kwhy_core::Analyzer;
    /// let mut incident = Analyzer::new().incident();
    /// incident.read("web.log", "2024-03-04T05:06:07Z listening\n".as_bytes())?;
    /// assert!(incident.report_so_far().findings.is_empty());
    /// incident.read_on("panic: runtime error: index out of range [3] with length 3\n".as_bytes())?;
    /// let report = incident.report_so_far();
    /// assert_eq!(report.findings[0].evidence[0].line, 2);
    /// assert_eq!(report.inputs.len(), 1);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The reader's. What was read before it is part of the incident.
    pub fn read_on(&mut self, reader: impl Read) -> io::Result<u64> {
        match self.merged.documents.len().checked_sub(1) {
            Some(last) => self.read_document(last, reader),
            None => self.read("", reader),
        }
    }

    fn read_document(&mut self, number: usize, reader: impl Read) -> io::Result<u64> {
        let known = self.merged.documents.get(number);
        let before = known.map_or(0, |document| document.bytes);
        let way = &self.scanner.settings.way;
        let mut reader = Cancellable::new(reader, &self.cancel);
        let mut blocks = Blocks::new(number, &mut reader, way.block)
            .with_limits(way.limits)
            .starting_at(before);
        let blocks_at_once = parallel::threads() * BLOCKS_A_THREAD;
        let enough = blocks_at_once.min(MAX_BLOCKS) * BLOCK;
        while let Some(block) = blocks.next() {
            self.wait(block);
            if self.waiting_bytes >= enough || self.waiting.len() >= MAX_BLOCKS {
                self.scan(|| blocks.next());
            }
        }
        let end = blocks.offset();
        let Blocks { read, failure, .. } = blocks;
        self.merged.stats.bytes += read;
        if let Some(document) = self.merged.documents.get_mut(number) {
            document.bytes = end;
            document.read += read;
            // of several documents, the first one that was cut short is reported
            if reader.is_cut && !std::mem::replace(&mut self.is_cut, true) {
                document.cancelled_after = Some(document.read);
            }
        }
        match failure {
            Some(error) => Err(error),
            None => Ok(read),
        }
    }

    /// Reads on under a handle of the caller's: see [`Incident::cancel_handle`].
    ///
    /// ```
    /// use kwhy_core::{Analyzer, Cancel};
    /// // one handle ends the reading of both
    /// let cancel = Cancel::new();
    /// let analyzer = Analyzer::new();
    /// let incidents = [(); 2].map(|()| analyzer.incident().with_cancel(&cancel));
    /// cancel.cancel();
    /// assert!(incidents.iter().all(|incident| incident.cancel_handle().is_cancelled()));
    /// ```
    pub fn with_cancel(mut self, cancel: &Cancel) -> Incident {
        self.cancel = cancel.clone();
        self
    }

    /// Returns the handle that ends the reading early. Once it is cancelled, [`Incident::read`] requests nothing more
    /// from its reader and returns the number of bytes read; the report covers these, and [`Report::is_partial`]
    /// returns true.
    ///
    /// ```
    /// use kwhy_core::Analyzer;
    /// let mut incident = Analyzer::new().incident();
    /// incident.read("web.log", "panic: runtime error: index out of range [3] with length 3\n".as_bytes())?;
    /// // from another thread, say
    /// incident.cancel_handle().cancel();
    /// assert_eq!(incident.read("dock.log", std::io::repeat(b'x'))?, 0);
    /// let report = incident.finish();
    /// assert!(report.is_partial());
    /// assert_eq!(report.findings.len(), 1);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn cancel_handle(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Adds a time of collection taken from the input's surroundings, such as a folder's name. The latest one counts,
    /// unless the analyzer was given one.
    pub fn collected_at(&mut self, time: Timestamp) {
        let collected = &mut self.merged.collected;
        *collected = (*collected).max(Some(time.as_nanosecond()));
    }

    /// Uses the latest time in the input as the time of collection if nothing better is known: a bundle is made while
    /// its cluster continues writing.
    pub fn collected_at_newest(&mut self) {
        self.merged.newest = true;
    }

    /// Adds a further name of the document with this number, counted from 0 in reading order, that was found again with
    /// the same content. The name that sorts first is used.
    pub fn also_called(&mut self, number: usize, name: &str) {
        let Some(input) = self.merged.documents.get_mut(number) else {
            return;
        };
        if document_order::is_before(name, &input.name) {
            name.clone_into(&mut input.name);
        }
    }

    /// Returns the report of what was read so far, as [`Incident::finish`] would, and lets reading continue. It copies
    /// the incident's state, a few MiB for a large input.
    ///
    /// ```
    /// use kwhy_core::Analyzer;
    /// let mut incident = Analyzer::new().incident();
    /// incident.read("web.log", "panic: runtime error: index out of range [3] with length 3\n".as_bytes())?;
    /// assert_eq!(incident.report_so_far().findings.len(), 1);
    /// incident.read("dock.log", r#"E0304 05:06:07.123456       1 volumes.go:42] configmap "cart" not found"#.as_bytes())?;
    /// assert_eq!(incident.finish().inputs.len(), 2);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn report_so_far(&mut self) -> Report {
        self.settle();
        let settings = &self.scanner.settings;
        self.merged
            .clone()
            .report(&settings.compiled.catalogue, &settings.way)
    }

    /// Returns the report of everything that was read.
    pub fn finish(mut self) -> Report {
        self.settle();
        let Incident {
            scanner, merged, ..
        } = self;
        let Settings { compiled, way, .. } = scanner.settings;
        merged.report(&compiled.catalogue, &way)
    }

    /// Scans and merges everything that was read.
    fn settle(&mut self) {
        self.scan(|| None);
    }

    fn wait(&mut self, block: Block) {
        self.waiting_bytes += block.bytes.len();
        self.waiting.push(block);
    }

    /// Scans and merges the pending blocks, then those that `more` returns.
    fn scan(&mut self, mut more: impl FnMut() -> Option<Block>) {
        let mut waiting = std::mem::take(&mut self.waiting).into_iter();
        self.waiting_bytes = 0;
        let (scanner, merged) = (&self.scanner, &mut self.merged);
        let mut numbers = scanner.scanned..;
        let next = || numbers.next().zip(waiting.next().or_else(&mut more));
        let tester = scanner.settings.tester();
        let mut scanned = 0;
        parallel::in_order(
            UNDER_WAY_A_THREAD,
            next,
            |(number, block)| scanner.scan(&tester, number, &block),
            |outcome| {
                scanned += 1;
                merged.take(outcome);
            },
        );
        self.scanner.scanned += scanned;
    }
}

impl fmt::Debug for Incident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incident")
            .field("documents", &self.merged.documents.len())
            .field("bytes", &self.merged.stats.bytes)
            .finish_non_exhaustive()
    }
}

impl Settings {
    fn tester(&self) -> Tester<'_> {
        let tester = if self.naive {
            Tester::naive(&self.compiled)
        } else {
            Tester::new(&self.compiled)
        };
        tester.within(self.period)
    }
}

impl Scanner {
    fn scan(&self, tester: &Tester<'_>, number: u64, block: &Block) -> BlockResult {
        let Settings { way, .. } = &self.settings;
        let all = block.whole && block.bytes.len() <= way.all_up_to;
        let index = tester.index().filter(|_| !all);
        let most = BlockLimits {
            error_records: max_error_records(number),
            joined_up_to: way.joined_up_to,
        };
        let mut outcome = block_scan::read(block, tester, index, most, (&way.limits, way.secrets));
        if way.timeline && block.piece.is_none() {
            outcome.timeline = timeline::timeline(&block.bytes);
        }
        outcome
    }
}

/// Fetches blocks until they have `enough` bytes in total, or there are `MAX_BLOCKS`.
pub(super) fn fetch<R: Read>(blocks: &mut Blocks<R>, enough: usize) -> Vec<Block> {
    let mut fetched = Vec::new();
    let mut bytes = 0;
    while bytes < enough && fetched.len() < MAX_BLOCKS {
        let Some(block) = blocks.next() else { break };
        bytes += block.bytes.len();
        fetched.push(block);
    }
    fetched
}
