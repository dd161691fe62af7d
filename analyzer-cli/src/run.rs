//! Does what was planned.

use kwhy_render::Layout;
use std::cell::Cell;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use kwhy_core::report::{Limit, LimitMet};
use kwhy_core::{Analyzer, Incident, Report};

use crate::catalogue;
use crate::commands;
use crate::diagnostics::{self, BadSignature};
use crate::extract;
use crate::plan::{Diagnose, Form, Plan, Task};
use crate::progress::{self, Progress};
use crate::scan;
use crate::signatures;
use crate::word::Word;
use kwhy_bundle::sources::{self, InputError, InputSet, Inputs};
use kwhy_bundle::{Document, DocumentSink};
use kwhy_render::escape::visible;
use kwhy_render::select;
use kwhy_render::{Human, Json, Render, View};

/// The outcome of a run. The numbers are a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It ran.
    Ran = 0,
    /// It ran and found something at or above the level of `--fail-on`.
    Found = 1,
    /// Wrong usage, or nothing could be read.
    Failed = 2,
    /// It was interrupted; the report covers what had been read.
    Interrupted = 130,
}

/// An error that stops the program.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum Failure {
    /// None of the inputs can be read.
    #[error("nothing could be read")]
    #[diagnostic(help("kwhy reads standard input, files and folders: `kwhy describe.txt`"))]
    NothingRead,
    /// A signature file cannot be read.
    #[error("cannot read the signatures in {}", visible(&.path.display().to_string()))]
    #[diagnostic(help("give a YAML file or a folder of them"))]
    Signatures {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A signature file cannot be written.
    #[error("cannot write {}", visible(&.path.display().to_string()))]
    WriteSignatures {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// An input in which nothing is wrong cannot be read.
    #[error("cannot read {}", visible(&.path.display().to_string()))]
    #[diagnostic(help("--healthy names a file or a folder of them"))]
    Healthy {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A signature cannot be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Signature(#[from] BadSignature),
    /// There is no cause or signature of that id.
    #[error("there is no {what} `{}`", visible(.id))]
    #[diagnostic(help("{advice}"))]
    Unknown {
        /// The kind of thing that was looked up.
        what: &'static str,
        /// The id.
        id: String,
        /// A hint at where the ids are listed, and at one that is close.
        advice: String,
    },
    /// The output cannot be written.
    #[error("cannot write the output")]
    Output(#[from] io::Error),
}

impl Failure {
    /// Returns true if the reader of the output went away, which is not a failure.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Runs a plan. Results are written to `out`, errors and warnings to `err`.
pub fn run(
    plan: &Plan,
    stdin: impl Read + Send,
    out: &mut (dyn Write + Send),
    err: &mut dyn Write,
) -> Result<Status, Failure> {
    let layout = &plan.layout;
    match &plan.task {
        Task::Hint => {
            writeln!(err, "{HINT}")?;
            Ok(Status::Failed)
        }
        Task::Diagnose(diagnose) => {
            let analyzer = analyzer(plan, diagnose, err)?;
            let reading = diagnose.bundle.inputs(&diagnose.sources);
            if plan.interruptible {
                progress::on_interrupt(&reading.shared.stop);
            }
            let (inputs, mut report, is_there) = on_threads(diagnose.threads, || {
                let size = sources::size(&diagnose.sources);
                let _shown = Progress::start(&reading.shared, size, plan.progress);
                read(&analyzer, &reading, stdin)
            });
            for failure in &inputs.failures {
                warn(failure, err)?;
            }
            if inputs.read == 0 {
                return Err(Failure::NothingRead);
            }
            add_limits(&mut report, inputs.limits, &inputs.failures);
            narrow(diagnose, &mut report, is_there);
            let status = diagnosed(diagnose, layout, report, out)?;
            Ok(match reading.shared.is_stopped() {
                true => Status::Interrupted,
                false => status,
            })
        }
        Task::ListMembers(list) => {
            let reading = list.bundle.inputs(&list.sources);
            let inputs = commands::bundle_ls::list(&reading, stdin, list.json, out)?;
            out.flush()?;
            for failure in &inputs.failures {
                warn(failure, err)?;
            }
            match inputs.read {
                0 => Err(Failure::NothingRead),
                _ => Ok(Status::Ran),
            }
        }
        Task::Scan { paths, diagnose } => scan_all(plan, paths, diagnose, out, err),
        Task::Convert(convert) => {
            let (status, inputs) = on_threads(convert.threads, || {
                extract::run(convert, layout, stdin, out)
            })?;
            for failure in &inputs.failures {
                warn(failure, err)?;
            }
            for limit in inputs
                .limits
                .iter()
                .filter(|limit| limit.limit != Limit::Binary)
            {
                let text = format!("{}: {}", limit.source, limit.message);
                writeln!(err, "kwhy: {}", visible(&text))?;
            }
            match status {
                Status::Failed => Err(Failure::NothingRead),
                status => Ok(status),
            }
        }
        task => signatures::run(task, &plan.catalogue, layout, out),
    }
}

fn analyzer(plan: &Plan, diagnose: &Diagnose, err: &mut dyn Write) -> Result<Analyzer, Failure> {
    let catalogue = catalogue::load(&plan.catalogue)?;
    if let Some(told) = catalogue::replaced(&catalogue) {
        writeln!(err, "kwhy: {told}")?;
    }
    let mut analyzer =
        Analyzer::with_catalogue(catalogue).with_period(diagnose.since, diagnose.until);
    analyzer = analyzer.with_limits(diagnose.bundle.limits.read);
    if let Some(now) = diagnose.now {
        analyzer = analyzer.with_reference_time(now);
    }
    if diagnose.timeline {
        analyzer = analyzer.with_timeline();
    }
    if diagnose.audit {
        analyzer = analyzer.with_audit();
    }
    Ok(analyzer)
}

/// Diagnoses each bundle separately.
fn scan_all(
    plan: &Plan,
    paths: &[PathBuf],
    diagnose: &Diagnose,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Status, Failure> {
    let analyzer = analyzer(plan, diagnose, err)?;
    let (bundles, failures) = scan::bundles(paths);
    let reading = diagnose.bundle.inputs(&[]);
    let stop = &reading.shared.stop;
    progress::on_interrupt(stop);
    let found = Cell::new(false);
    let one = |reading: &InputSet| {
        let (inputs, mut report, is_there) = on_threads(diagnose.threads, || {
            let size = sources::size(&reading.sources);
            let _shown = Progress::start(&reading.shared, size, plan.progress);
            read(&analyzer, reading, io::empty())
        });
        add_limits(&mut report, inputs.limits, &inputs.failures);
        narrow(diagnose, &mut report, is_there);
        found.set(found.get() || select::holds(&report, diagnose.fail_on));
        select::keep(&mut report, diagnose.min_severity);
        (inputs.failures, inputs.read, report)
    };
    let summary = scan::scan(&reading, &bundles, &failures, stop, one, out)?;
    Ok(match (summary.interrupted, summary.read, found.get()) {
        (true, ..) => Status::Interrupted,
        (_, 0, _) => Status::Failed,
        (_, _, true) => Status::Found,
        _ => Status::Ran,
    })
}

/// Omits what is of another namespace.
fn narrow(diagnose: &Diagnose, report: &mut Report, is_there: bool) {
    if let Some(namespace) = &diagnose.bundle.namespace {
        select::keep_namespace(report, namespace, is_there);
    }
}

/// Reads all sources as one incident, and says whether the namespace that is asked for occurs anywhere in them.
fn read(
    analyzer: &Analyzer,
    reading: &InputSet,
    stdin: impl Read + Send,
) -> (Inputs, Report, bool) {
    let mut taking = IncidentSink {
        incident: analyzer.incident(),
        namespace: reading.wanted.namespace.as_deref().map(Word::new),
    };
    let mut inputs = if rayon::current_num_threads() > 1 {
        sources::read_ahead(reading, stdin, &mut taking)
    } else {
        sources::read(reading, stdin, &mut taking)
    };
    let is_there = taking.namespace.is_some_and(|word| word.is_there);
    let mut incident = taking.incident;
    if let Some(time) = inputs.collected {
        incident.collected_at(time);
    }
    if !inputs.bundles.is_empty() {
        incident.collected_at_newest();
    }
    let mut report = incident.finish();
    report.bundles = std::mem::take(&mut inputs.bundles);
    (inputs, report, is_there)
}

/// Takes documents into an incident.
struct IncidentSink {
    incident: Incident,
    /// The namespace that is asked for.
    namespace: Option<Word>,
}

impl DocumentSink for IncidentSink {
    fn document(&mut self, document: Document, content: &mut (dyn Read + Send)) {
        let Document { name, about, .. } = document;
        // the reader reports why a stream ends
        let _ = match &mut self.namespace {
            Some(word) if !word.is_there => {
                self.incident.read_about(name, about, word.within(content))
            }
            _ => self.incident.read_about(name, about, content),
        };
    }

    fn again(&mut self, number: usize, name: &str) {
        self.incident.also_called(number, name);
    }
}

/// Runs the work on a pool of so many threads; on the common one, of all processors, if none is
/// asked for or none can be had.
fn on_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    let pool = threads.map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
    match pool {
        Some(Ok(pool)) => pool.install(work),
        _ => work(),
    }
}

const HINT: &str = "\
kwhy names the root cause in pasted kubectl output, logs and events. Give it something to read:
  kubectl describe pod NAME | kwhy
  kwhy describe.txt kubelet.log
kwhy --help shows all options; kwhy - reads what you type or paste, up to Ctrl-D.";

/// An input that cannot be read is reported; the rest is analysed.
fn warn(failure: &InputError, err: &mut dyn Write) -> io::Result<()> {
    let text = format!("{failure}: {}; {}", failure.io_error(), failure.advice());
    writeln!(err, "kwhy: {}", visible(&text))
}

fn add_limits(report: &mut Report, limits: Vec<LimitMet>, failures: &[InputError]) {
    let unreadable = failures.iter().map(|failure| {
        let source = failure.path().display().to_string();
        LimitMet::new(source, Limit::Unreadable, failure.io_error().to_string())
    });
    for limit in limits.into_iter().chain(unreadable) {
        let same = |known: &LimitMet| known.source == limit.source && known.limit == limit.limit;
        if !report.limits.iter().any(same) {
            report.limits.push(limit);
        }
    }
}

fn diagnosed(
    diagnose: &Diagnose,
    layout: &Layout,
    mut report: Report,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let found = select::holds(&report, diagnose.fail_on);
    let left_out = select::keep(&mut report, diagnose.min_severity);
    let render: Box<dyn Render> = match diagnose.form {
        Form::Human => Box::new(Human {
            layout: *layout,
            verbose: diagnose.verbose,
        }),
        Form::Json { pretty } => Box::new(Json { pretty }),
    };
    let view = View {
        report: &report,
        left_out,
    };
    let status = if found { Status::Found } else { Status::Ran };
    match render.render(&view, out).and_then(|()| out.flush()) {
        // who reads no further has seen enough
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(status),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(status),
    }
}

/// Shows a failure.
pub fn show(failure: &Failure, layout: &Layout) -> String {
    diagnostics::draw(layout, failure)
}
