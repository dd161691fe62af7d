//! Does what was planned.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use analyzer_core::{Analyzer, LimitMet, Report};

use crate::catalogue;
use crate::extract;
use crate::filter;
use crate::input::{self, InputError};
use crate::plan::{Diagnose, Form, Page, Plan, Task};
use crate::render::problem::{self, BadSignature};
use crate::render::visible::visible;
use crate::render::{Human, Json, Render, View};
use crate::signatures;

/// How it ended. The numbers are a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It ran.
    Ran = 0,
    /// It ran and found something at or above the level of `--fail-on`.
    Found = 1,
    /// Wrong usage, or nothing could be read.
    Failed = 2,
}

/// What stops the program.
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
        /// What was looked for.
        what: &'static str,
        /// The id.
        id: String,
        /// Where the ids are listed, and one that is close.
        advice: String,
    },
    /// The output cannot be written.
    #[error("cannot write the output")]
    Output(#[from] io::Error),
}

impl Failure {
    /// Whether the reader of the output went away, which is no failure.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Does what was planned. What is found goes to `out`, what went wrong on the way to `err`.
pub fn run(
    plan: &Plan,
    stdin: impl Read + Send,
    out: &mut (dyn Write + Send),
    err: &mut dyn Write,
) -> Result<Status, Failure> {
    let page = &plan.page;
    match &plan.task {
        Task::Hint => {
            writeln!(err, "{HINT}")?;
            Ok(Status::Failed)
        }
        Task::Diagnose(diagnose) => {
            let catalogue = catalogue::load(&plan.catalogue)?;
            if let Some(told) = catalogue::replaced(&catalogue) {
                writeln!(err, "kwhy: {told}")?;
            }
            let mut analyzer = Analyzer::with_catalogue(catalogue);
            if let Some(now) = diagnose.now {
                analyzer = analyzer.with_reference_time(now);
            }
            if diagnose.timeline {
                analyzer = analyzer.with_timeline();
            }
            let (inputs, mut report) = on_threads(diagnose.threads, || {
                let mut incident = analyzer.incident();
                let inputs = input::read(&diagnose.sources, stdin, &mut incident);
                (inputs, incident.finish())
            });
            for failure in &inputs.failures {
                warn(failure, err)?;
            }
            if inputs.read == 0 {
                return Err(Failure::NothingRead);
            }
            add_limits(&mut report, inputs.limits, &inputs.failures);
            diagnosed(diagnose, page, report, out)
        }
        Task::Convert(convert) => {
            let (status, failures) =
                on_threads(convert.threads, || extract::run(convert, page, stdin, out))?;
            for failure in &failures {
                warn(failure, err)?;
            }
            match status {
                Status::Failed => Err(Failure::NothingRead),
                status => Ok(status),
            }
        }
        task => signatures::run(task, &plan.catalogue, page, out),
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

/// An input that cannot be read is told; the rest is analysed.
fn warn(failure: &InputError, err: &mut dyn Write) -> io::Result<()> {
    let text = format!("{failure}: {}; {}", failure.source, failure.advice());
    writeln!(err, "kwhy: {}", visible(&text))
}

fn add_limits(report: &mut Report, limits: Vec<LimitMet>, failures: &[InputError]) {
    let unreadable = failures.iter().map(|failure| LimitMet {
        source: failure.path.display().to_string(),
        limit: "unreadable".into(),
        message: failure.source.to_string(),
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
    page: &Page,
    mut report: Report,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let found = filter::holds(&report, diagnose.fail_on);
    let left_out = filter::keep(&mut report, diagnose.min_severity);
    let render: Box<dyn Render> = match diagnose.form {
        Form::Human => Box::new(Human {
            page: *page,
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
pub fn show(failure: &Failure, page: &Page) -> String {
    problem::draw(page, failure)
}
