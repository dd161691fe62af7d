//! The plan of a run. [`plan()`] derives it from the arguments, without I/O: what it needs to know of the outside
//! world is in [`Environment`].

mod typed;

use std::path::PathBuf;

use globset::{Glob, GlobSetBuilder};
use kwhy_bundle::{InputSet, Limits, Source, Wanted};
use kwhy_core::Level;
use kwhy_core::events::SecretPolicy;
use kwhy_core::signature::LintLevel;
use kwhy_render::Layout;

use crate::args::Shell;
use crate::commands::demo::Demo;
use crate::config::Config;
use crate::extract::Convert;
use crate::schema::SchemaName;
use crate::signatures::NewPlan;

pub use typed::{LEAST_COLUMNS, UNKNOWN_COLUMNS, form, plan};

/// The environment that the program was started in.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The name by which the program is called, as typed.
    pub program: &'static str,
    /// Settings that apply unless an option overrides them.
    pub config: Config,
    /// True if standard input is a terminal, so nothing is piped in.
    pub stdin_is_terminal: bool,
    /// True if standard output is a terminal.
    pub stdout_is_terminal: bool,
    /// True if standard error is a terminal.
    pub stderr_is_terminal: bool,
    /// The columns of the terminal on standard output, if known.
    pub columns: Option<usize>,
    /// The columns of the terminal on standard error, if it is one.
    pub err_columns: Option<usize>,
    /// True if `NO_COLOR` is set, or the terminal is a dumb one.
    pub no_color: bool,
}

/// The plan of a run.
#[derive(Debug, PartialEq)]
pub struct Plan {
    /// The task.
    pub task: Task,
    /// The sources of signatures.
    pub catalogue: CataloguePlan,
    /// The layout of text.
    pub layout: Layout,
    /// The columns of a table on a terminal; `None` if it may be as wide as it needs.
    pub columns: Option<usize>,
    /// The columns of notes and errors on a terminal; `None` if they are not wrapped.
    pub err_columns: Option<usize>,
    /// The name by which the program is called, as typed.
    pub program: &'static str,
    /// True if a progress bar is shown.
    pub progress: bool,
    /// True if a person types the input on a terminal.
    pub is_typed: bool,
    /// True if no notes are wanted.
    pub quiet: bool,
    /// Notes on options, written before anything is read.
    pub notes: Vec<&'static str>,
    /// True if Ctrl-C still produces a report of what was read; false if a person types the input.
    pub interruptible: bool,
}

/// A task of the program.
#[derive(Debug, PartialEq)]
pub enum Task {
    /// Diagnose inputs and report the findings.
    Diagnose(Diagnose),
    /// Print events, objects or records.
    Convert(Convert),
    /// List the members of bundles.
    ListMembers(ListPlan),
    /// Diagnose each of many bundles separately.
    Scan(ScanPlan),
    /// Copy an input without secrets and names.
    Redact(RedactPlan),
    /// List the signatures, one a line.
    ListSignatures,
    /// Show the file of a signature.
    ShowSignature(String),
    /// Convert community rules (CRE) to native signatures, and native signatures to rules.
    ConvertSignatures(Vec<PathBuf>),
    /// Write the keys of signatures in one order.
    FormatSignatures {
        /// Files and folders.
        paths: Vec<PathBuf>,
        /// True to write nothing and list the files that would change.
        check: bool,
    },
    /// Check signatures for errors.
    LintSignatures(LintPlan),
    /// Write a signature for a paste.
    NewSignature(NewPlan),
    /// Run the examples of signatures.
    TestSignatures {
        /// The signatures.
        which: Which,
        /// True to run them again whenever a file changes.
        watch: bool,
        /// True for JSON.
        json: bool,
    },
    /// List the causes with the formats of input in which examples prove them.
    Coverage {
        /// True for JSON.
        json: bool,
    },
    /// List the examples that several signatures match.
    Overlaps {
        /// The signatures.
        which: Which,
        /// True for JSON.
        json: bool,
    },
    /// Explain a cause or a signature.
    Explain(String),
    /// Diagnose a built-in example.
    Demo {
        /// The example.
        name: Demo,
        /// True to print its text instead.
        input: bool,
    },
    /// Print a JSON Schema; `None` for the names of all.
    Schema(Option<SchemaName>),
    /// Print the completions of a shell.
    Completions(Shell),
    /// Print the manual page of a command.
    ManualPage(Vec<String>),
    /// Write the manual pages of all commands into a folder.
    ManualPages(PathBuf),
    /// Explain how to give an input, as there is none.
    Hint,
}

/// The plan of a list of members.
#[derive(Debug, PartialEq)]
pub struct ListPlan {
    /// The bundles.
    pub sources: Vec<Source>,
    /// The selection of members.
    pub bundle: BundlePlan,
    /// True for NDJSON.
    pub json: bool,
}

/// The plan of a scan of many bundles.
#[derive(Debug, PartialEq)]
pub struct ScanPlan {
    /// The paths of the bundles.
    pub paths: Vec<PathBuf>,
    /// The diagnosis of each.
    pub diagnose: Box<Diagnose>,
    /// The memory that bundles may take at once, in bytes by estimate; `None` for no limit.
    pub memory: Option<u64>,
    /// The file of results to continue; `None` for standard output.
    pub resume: Option<PathBuf>,
}

/// The plan of a copy without secrets and names.
#[derive(Debug, PartialEq)]
pub struct RedactPlan {
    /// The original.
    pub from: PathBuf,
    /// The copy.
    pub to: PathBuf,
    /// The selection of members, and limits.
    pub bundle: BundlePlan,
    /// How names are replaced by tokens.
    pub redaction: Redaction,
    /// The number of threads; `None` for one on each processor.
    pub threads: Option<usize>,
}

/// The signatures that a task is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All of them.
    All,
    /// Those that are not built in.
    Added,
}

/// The plan of a check of signatures for errors.
#[derive(Debug, PartialEq)]
pub struct LintPlan {
    /// The signatures.
    pub which: Which,
    /// Healthy inputs, in which no signature may raise an alarm.
    pub healthy: Vec<PathBuf>,
    /// The lowest level of an error that makes the exit status 1.
    pub fail_on: LintLevel,
    /// True for JSON.
    pub json: bool,
}

/// The plan of a diagnosis.
#[derive(Debug, PartialEq)]
pub struct Diagnose {
    /// The sources, in order.
    pub sources: Vec<Source>,
    /// The selection of members of bundles.
    pub bundle: BundlePlan,
    /// The format of the report.
    pub form: Form,
    /// Findings below this level are omitted.
    pub min_severity: Option<Level>,
    /// A finding at or above this level makes the exit status 1.
    pub fail_on: Option<Level>,
    /// Findings with a lower confidence, from 0 to 1, are omitted.
    pub min_confidence: Option<f64>,
    /// The maximum number of findings that are shown, each with what it explains.
    pub top: Option<usize>,
    /// True to show everything.
    pub verbose: bool,
    /// True to show one line for each finding.
    pub quiet: bool,
    /// The time at which the input was collected.
    pub now: Option<jiff::Timestamp>,
    /// Events before this time are omitted.
    pub since: Option<jiff::Timestamp>,
    /// Events after this time are omitted.
    pub until: Option<jiff::Timestamp>,
    /// The number of threads; `None` for one on each processor.
    pub threads: Option<usize>,
    /// The treatment of names and secrets.
    pub privacy: Privacy,
    /// True to count log records by time and severity.
    pub timeline: bool,
    /// True to report also faults that nothing in the input suffers from.
    pub audit: bool,
}

/// The treatment of names and secrets in an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Privacy {
    /// How names are replaced by tokens; `None` if they stay.
    pub redact: Option<Redaction>,
    /// The policy on secrets: masked or shown.
    pub secrets: SecretPolicy,
}

/// How names are replaced by tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    /// The key that tokens are derived from; `None` to number them in order.
    pub key: Option<String>,
}

/// The selection of members of bundles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundlePlan {
    /// Only members whose path matches one of these are read; all if there are none.
    pub include: Vec<Glob>,
    /// Members whose path matches one of these are not read.
    pub exclude: Vec<Glob>,
    /// Only members and findings of this namespace.
    pub namespace: Option<String>,
    /// Limits on archives.
    pub limits: Limits,
}

impl BundlePlan {
    /// Returns the input set of these sources.
    pub fn inputs(&self, sources: &[Source]) -> InputSet {
        let set = |globs: &[Glob]| {
            let mut set = GlobSetBuilder::new();
            globs.iter().for_each(|glob| {
                set.add(glob.clone());
            });
            // each glob was checked when the arguments were parsed
            set.build().ok().filter(|set| !set.is_empty())
        };
        InputSet {
            sources: sources.to_vec(),
            wanted: Wanted {
                include: set(&self.include),
                exclude: set(&self.exclude),
                namespace: self.namespace.clone(),
            },
            limits: self.limits,
            shared: Default::default(),
        }
    }
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text for people.
    Human,
    /// JSON, on several lines or on one.
    Json {
        /// True for several lines.
        pretty: bool,
    },
    /// One JSON object a line for each finding.
    Ndjson,
    /// Markdown.
    Markdown,
    /// A page of HTML.
    Html,
    /// SARIF.
    Sarif,
    /// JUnit XML.
    Junit,
}

/// The sources of signatures.
#[derive(Debug, PartialEq, Eq)]
pub struct CataloguePlan {
    /// True to use the built-in signatures.
    pub builtin: bool,
    /// Files and folders of further signatures.
    pub paths: Vec<PathBuf>,
}
