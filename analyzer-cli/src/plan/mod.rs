//! The plan of a run. [`plan()`] derives it from the arguments, without input or output: what it needs to
//! know of the world is in [`Environment`].

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
    /// The name by which the program is called, as it is typed.
    pub program: &'static str,
    /// What holds where an option does not say otherwise.
    pub config: Config,
    /// Standard input is a terminal, so nothing is piped in.
    pub stdin_is_terminal: bool,
    /// Standard output is a terminal.
    pub stdout_is_terminal: bool,
    /// Standard error is a terminal.
    pub stderr_is_terminal: bool,
    /// The columns of the terminal on standard output, where it shows them.
    pub columns: Option<usize>,
    /// The columns of the terminal on standard error, if it is one.
    pub err_columns: Option<usize>,
    /// `NO_COLOR` is set, or the terminal is a dumb one.
    pub no_color: bool,
}

/// The plan of a run.
#[derive(Debug, PartialEq)]
pub struct Plan {
    /// The work.
    pub task: Task,
    /// The sources of signatures.
    pub catalogue: CataloguePlan,
    /// How text is laid out.
    pub layout: Layout,
    /// The columns of a table, if it is read on a terminal; as many as it needs otherwise.
    pub columns: Option<usize>,
    /// The columns of notes and errors, if they are read on a terminal.
    pub err_columns: Option<usize>,
    /// The name by which the program is called, as it is typed.
    pub program: &'static str,
    /// True if somebody looks at how far the work is.
    pub progress: bool,
    /// True if a person types the input.
    pub is_typed: bool,
    /// True if no notes are wanted.
    pub quiet: bool,
    /// What to say of options before anything is read.
    pub notes: Vec<&'static str>,
    /// True if Ctrl-C leaves a report of what was read: not where a person types the input.
    pub interruptible: bool,
}

/// The work.
#[derive(Debug, PartialEq)]
pub enum Task {
    /// Read, analyse, report.
    Diagnose(Diagnose),
    /// Print what is read in another form.
    Convert(Convert),
    /// List the members of bundles.
    ListMembers(ListPlan),
    /// Diagnose each of many bundles separately.
    Scan(ScanPlan),
    /// Copy an input without secrets and names.
    Redact(RedactPlan),
    /// One line for each signature.
    ListSignatures,
    /// A signature's file.
    ShowSignature(String),
    /// Write rules of the community as native signatures, and native signatures as rules.
    ConvertSignatures(Vec<PathBuf>),
    /// Write the keys of signatures in one order.
    FormatSignatures {
        /// Files and folders.
        paths: Vec<PathBuf>,
        /// Nothing is written.
        check: bool,
    },
    /// Errors in signatures.
    LintSignatures(LintPlan),
    /// A signature from a paste.
    NewSignature(NewPlan),
    /// The examples of signatures.
    TestSignatures {
        /// The signatures.
        which: Which,
        /// True if they are run again whenever a file changes.
        watch: bool,
        /// True if it is JSON for programs.
        json: bool,
    },
    /// Causes and the forms of input in which examples prove them.
    Coverage {
        /// True if it is JSON for programs.
        json: bool,
    },
    /// Examples that several signatures match.
    Overlaps {
        /// The signatures.
        which: Which,
        /// True if it is JSON for programs.
        json: bool,
    },
    /// The meaning of a cause or signature.
    Explain(String),
    /// An example that is built in.
    Demo {
        /// The example.
        name: Demo,
        /// True if its text is printed.
        input: bool,
    },
    /// A JSON Schema, or the names of all.
    Schema(Option<SchemaName>),
    /// The completions of a shell.
    Completions(Shell),
    /// The manual page of a command.
    ManualPage(Vec<String>),
    /// The manual pages of all commands, as files in a folder.
    ManualPages(PathBuf),
    /// Nothing was given to read: say how to.
    Hint,
}

/// A list of members.
#[derive(Debug, PartialEq)]
pub struct ListPlan {
    /// The bundles.
    pub sources: Vec<Source>,
    /// The members that are read.
    pub bundle: BundlePlan,
    /// True if it is NDJSON for programs.
    pub json: bool,
}

/// The diagnosis of many bundles.
#[derive(Debug, PartialEq)]
pub struct ScanPlan {
    /// The paths of the bundles.
    pub paths: Vec<PathBuf>,
    /// How each is diagnosed.
    pub diagnose: Box<Diagnose>,
    /// The bytes of memory that bundles may take at once, by an estimate.
    pub memory: Option<u64>,
    /// The file of results that is continued.
    pub resume: Option<PathBuf>,
}

/// A copy without secrets and names.
#[derive(Debug, PartialEq)]
pub struct RedactPlan {
    /// The original.
    pub from: PathBuf,
    /// The copy.
    pub to: PathBuf,
    /// The members that are read, and limits.
    pub bundle: BundlePlan,
    /// How names become tokens.
    pub redaction: Redaction,
    /// Threads; `None` for as many as there are processors.
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

/// How signatures are looked at for errors.
#[derive(Debug, PartialEq)]
pub struct LintPlan {
    /// The signatures.
    pub which: Which,
    /// Inputs in which nothing is wrong.
    pub healthy: Vec<PathBuf>,
    /// An error at or above makes the exit status 1.
    pub fail_on: LintLevel,
    /// True if it is JSON for programs.
    pub json: bool,
}

/// A diagnosis.
#[derive(Debug, PartialEq)]
pub struct Diagnose {
    /// The sources, in order.
    pub sources: Vec<Source>,
    /// The selection of members of bundles.
    pub bundle: BundlePlan,
    /// The report's form.
    pub form: Form,
    /// Findings below are omitted.
    pub min_severity: Option<Level>,
    /// A finding at or above makes the exit status 1.
    pub fail_on: Option<Level>,
    /// Findings that are less sure are omitted.
    pub min_confidence: Option<f64>,
    /// Only the first findings are shown.
    pub top: Option<usize>,
    /// Show everything.
    pub verbose: bool,
    /// Show one line for each finding.
    pub quiet: bool,
    /// The time at which the input was collected.
    pub now: Option<jiff::Timestamp>,
    /// Events before are omitted.
    pub since: Option<jiff::Timestamp>,
    /// Events after are omitted.
    pub until: Option<jiff::Timestamp>,
    /// Threads; `None` for as many as there are processors.
    pub threads: Option<usize>,
    /// What becomes of names and secrets.
    pub privacy: Privacy,
    /// True if log records are counted by time and severity.
    pub timeline: bool,
    /// True if what nothing suffers from is reported.
    pub audit: bool,
}

/// What becomes of names and secrets in an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Privacy {
    /// Names become tokens.
    pub redact: Option<Redaction>,
    /// Secrets are masked, or not.
    pub secrets: SecretPolicy,
}

/// How names become tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    /// What tokens are made of, if not of their order.
    pub key: Option<String>,
}

/// The selection of members of bundles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundlePlan {
    /// Only members that fit one of these, if there are any.
    pub include: Vec<Glob>,
    /// No members that fit one of these.
    pub exclude: Vec<Glob>,
    /// Only members and findings of this namespace.
    pub namespace: Option<String>,
    /// Limits on archives.
    pub limits: Limits,
}

impl BundlePlan {
    /// The inputs of some sources.
    pub fn inputs(&self, sources: &[Source]) -> InputSet {
        let set = |globs: &[Glob]| {
            let mut set = GlobSetBuilder::new();
            globs.iter().for_each(|glob| {
                set.add(glob.clone());
            });
            // each glob was checked when it was typed
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

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Human,
    /// JSON, on several lines or on one.
    Json {
        /// On several lines.
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
    /// The built-in ones.
    pub builtin: bool,
    /// Files and folders.
    pub paths: Vec<PathBuf>,
}
