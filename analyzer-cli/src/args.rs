//! The command line as it is typed. What it means is decided in [`plan`](mod@crate::plan).

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use kwhy_core::Level;
use kwhy_core::signature::LintLevel;

use crate::extract::Moment;
use kwhy_bundle::archive::limits::SetLimit;

/// Names the root cause in pasted kubectl output, logs and events.
///
/// Reads standard input where there is no PATH or PATH is `-`; files, folders and archives otherwise,
/// any number of them, as one incident. Never contacts a cluster or the network.
#[derive(Debug, Parser)]
#[command(
    name = "kwhy",
    version,
    override_usage = "kwhy [OPTIONS] [PATH]...\n       kwhy <COMMAND>",
    disable_help_subcommand = true,
    subcommand_help_heading = "Other commands",
    after_help = AFTER_HELP
)]
pub struct Args {
    /// What to do instead of diagnosing.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Files, folders or archives to read; `-` is standard input
    ///
    /// A folder is read with all regular files below it, an archive (tar, zip; gzip, zstd, xz, bzip2) with all its
    /// members. A file that is called like a command is
    /// given as `./signatures`.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// How the report is written
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Output::Human)]
    #[arg(help_heading = "Output")]
    pub output: Output,

    /// Leave out findings below this level
    ///
    /// A finding that explains one at or above the level stays.
    #[arg(long, value_enum, value_name = "LEVEL", help_heading = "Output")]
    pub min_severity: Option<LevelName>,

    /// Exit with status 1 if something at or above this level is found
    ///
    /// Benign findings do not count.
    #[arg(long, value_enum, value_name = "LEVEL", help_heading = "Output")]
    pub fail_on: Option<LevelName>,

    /// Show everything: lines that were not understood, explained symptoms, all evidence
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,

    /// When to use colour; NO_COLOR turns it off where this says auto
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto)]
    #[arg(global = true, help_heading = "Output")]
    pub color: When,

    /// Use the signatures of this file or folder as well (repeatable)
    ///
    /// One with the id of a built-in signature takes its place. A `causes.yaml` in a folder names
    /// causes of its own.
    #[arg(long, value_name = "PATH", global = true, help_heading = "Analysis")]
    pub signatures: Vec<PathBuf>,

    /// Do not use the signatures that are built in
    #[arg(long, global = true, help_heading = "Analysis")]
    pub no_builtin: bool,

    /// The moment at which the input was collected, in RFC 3339
    ///
    /// Ages count back from it. Without it the input's own times are used; the clock never is.
    #[arg(long, value_name = "TIME", global = true, help_heading = "Analysis")]
    pub now: Option<jiff::Timestamp>,

    /// What is read of bundles.
    #[command(flatten)]
    pub bundle: BundleArgs,

    /// What counts.
    #[command(flatten)]
    pub scope: ScopeArgs,

    /// Report also what nothing in the input suffers from, as notes: ports, names and settings that do not fit together
    #[arg(long, help_heading = "Analysis")]
    pub audit: bool,

    /// Count the log records by time and severity, as `timeline` in the JSON report
    #[arg(long, help_heading = "Analysis")]
    pub timeline: bool,

    /// Number of threads; all processors if not given
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        global = true,
        help_heading = "Analysis"
    )]
    pub threads: Option<std::num::NonZeroUsize>,
}

const AFTER_HELP: &str = "\
Examples:
  kubectl describe pod web-0 | kwhy
  kwhy describe.txt kubelet.log
  kwhy support-bundle.tar.gz --namespace shop
  kwhy -o json ./bundle | jq '.findings[0].cause'

Exit status: 0 ran; 1 found something at or above --fail-on; 2 wrong usage or nothing could be read.";

/// What is read of bundles, and what they may take.
#[derive(Debug, Default, clap::Args)]
pub struct BundleArgs {
    /// Of archives and folders read only the members whose path fits this glob (repeatable)
    #[arg(long, value_name = "GLOB", global = true, help_heading = "Bundles")]
    pub include: Vec<globset::Glob>,

    /// Of archives and folders omit the members whose path fits this glob (repeatable)
    #[arg(long, value_name = "GLOB", global = true, help_heading = "Bundles")]
    pub exclude: Vec<globset::Glob>,

    /// Set a limit for what is read, such as `member-size=2G` (repeatable)
    ///
    /// member-size (bytes of one member, 16G), total-size (bytes unpacked in all, 256G), ratio (bytes unpacked
    /// for each packed one, 250), members (100000), nesting (archives inside of one another, 4), path-length
    /// (bytes of a name, 4096); of any input: line-length (bytes of a line, 1M at most), depth (maps and lists in one
    /// another in YAML and JSON, 100), aliases (values that those of one object in YAML expand to, 10000).
    /// The report lists those that were met.
    #[arg(
        long,
        value_name = "NAME=NUMBER",
        global = true,
        help_heading = "Bundles"
    )]
    pub limit: Vec<SetLimit>,
}

/// The task instead of a diagnosis.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List, show and check signatures
    #[command(subcommand, disable_help_subcommand = true)]
    Signatures(SignaturesCommand),
    /// Print the typed events of any input, without a diagnosis
    Events {
        /// Which events.
        #[command(flatten)]
        events: EventsArgs,
        /// Their order; that of time if several files are read, otherwise that of the input
        #[arg(long, value_enum, value_name = "ORDER")]
        order: Option<Order>,
    },
    /// Fold events that are alike, and print one row for each kind of them
    Patterns(EventsArgs),
    /// Print the typed objects of descriptions, tables and API objects
    Objects {
        /// Files or folders to read; `-` is standard input
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// How they are written
        #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = ObjectOutput::Json)]
        output: ObjectOutput,
    },
    /// Print log records in one neutral form, one JSON object a line
    Records {
        /// Files or folders to read; `-` is standard input
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// How they are written
        #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = RecordOutput::Ndjson)]
        output: RecordOutput,
    },
    /// Look into bundles without a diagnosis
    #[command(subcommand, disable_help_subcommand = true)]
    Bundle(BundleCommand),
    /// Diagnose many bundles, each as an incident of its own, one line of NDJSON each
    ///
    /// One that cannot be read is reported in its line. The last line sums up.
    Scan {
        /// Bundles, folders of bundles, or globs such as `'in/**/*.tgz'`
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<PathBuf>,
        /// What counts.
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Explain a root cause or a signature by its id
    Explain {
        /// Such as `storage/configmap-missing` or `configmap-mount-missing`
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// What to look at of bundles.
#[derive(Debug, Subcommand)]
pub enum BundleCommand {
    /// List the members: what each is, its size, and what is skipped and why
    Ls {
        /// Archives and folders; `-` is standard input
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Leave out members of other namespaces
        #[arg(long, value_name = "NAME")]
        namespace: Option<String>,
        /// How they are written
        #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = EventOutput::Table)]
        output: EventOutput,
    },
}

/// What counts for a diagnosis.
#[derive(Debug, Default, clap::Args)]
pub struct ScopeArgs {
    /// Leave out members of bundles, and findings, of other namespaces
    #[arg(long, value_name = "NAME", help_heading = "Analysis")]
    pub namespace: Option<String>,
    /// Leave out events before this time (RFC 3339) or age (`90m`); an age needs --now
    #[arg(long, value_name = "WHEN", help_heading = "Analysis")]
    pub since: Option<Moment>,
    /// Leave out events after this time or age
    #[arg(long, value_name = "WHEN", help_heading = "Analysis")]
    pub until: Option<Moment>,
}

/// Which events are printed, and how.
#[derive(Debug, clap::Args)]
pub struct EventsArgs {
    /// Files or folders to read; `-` is standard input
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// How they are written
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = EventOutput::Table)]
    pub output: EventOutput,
    /// Only those at least so severe
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub min_severity: Option<LevelName>,
    /// Only those whose component's name contains this
    #[arg(long, value_name = "NAME")]
    pub component: Option<String>,
    /// Only those whose subject (`Pod shop/web-0`) contains this
    #[arg(long, value_name = "NAME")]
    pub subject: Option<String>,
    /// Only those with this reason
    #[arg(long, value_name = "REASON")]
    pub reason: Option<String>,
    /// Only those whose message or a field contains this
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
    /// Only those not before this time (RFC 3339) or age (`90m`); an age of a log line needs --now
    #[arg(long, value_name = "WHEN")]
    pub since: Option<Moment>,
    /// Only those not after this time or age
    #[arg(long, value_name = "WHEN")]
    pub until: Option<Moment>,
}

/// An order of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// In the order of the input
    Input,
    /// By their times; one without a time stays after the one before it
    Time,
}

/// The form of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EventOutput {
    /// Columns for people
    Table,
    /// One JSON object a line
    Ndjson,
}

/// The form of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ObjectOutput {
    /// One JSON object with lists of objects, rows and events
    Json,
    /// One JSON object a line
    Ndjson,
}

/// The form of log records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RecordOutput {
    /// One JSON object a line
    Ndjson,
}

/// What to do with signatures.
#[derive(Debug, Subcommand)]
pub enum SignaturesCommand {
    /// One line for each signature
    List,
    /// Show a signature's file as it is written
    Show {
        /// The signature's id
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Write the keys of signatures in one order; comments and quotes stay as they are
    ///
    /// Files that change are listed. Exit status with --check: 1 if there is one.
    Fmt {
        /// Files or folders of signatures
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<PathBuf>,
        /// List the files that would change, and write nothing
        #[arg(long)]
        check: bool,
    },
    /// Look for errors in signatures
    ///
    /// Exit status: 1 if there is one at or above --fail-on.
    Lint {
        /// Files or folders of signatures, looked at beside the built-in ones; all in use if none is given
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// A file or folder of inputs in which nothing is wrong, so that none may raise an alarm (repeatable)
        #[arg(long, value_name = "PATH")]
        healthy: Vec<PathBuf>,
        /// Exit with status 1 if there is an error of this level or above
        #[arg(long, value_enum, value_name = "LEVEL", default_value_t = LintLevelName::Error)]
        fail_on: LintLevelName,
        /// How they are written
        #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Output::Human)]
        output: Output,
    },
    /// Print which examples of one signature another one matches too, and what becomes of it
    Overlaps {
        /// Files or folders of signatures, looked at beside the built-in ones; all in use if none is given
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// How they are written
        #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Output::Human)]
        output: Output,
    },
    /// Print which causes the examples prove in which form of input, as a page of Markdown
    ///
    /// `docs/coverage.md` is this page of the built-in signatures.
    Coverage {
        /// Files or folders of signatures beside the built-in ones
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// How it is written
        #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = CoverageOutput::Markdown)]
        output: CoverageOutput,
    },
    /// Run the examples that signatures carry
    Test {
        /// Files or folders of signatures, tried beside the built-in ones; all in use if none is given
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// How they are written
        #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Output::Human)]
        output: Output,
    },
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Text for people, with the lines that prove each finding
    Human,
    /// One JSON object of the schema `kwhy.report/1`
    Json,
}

/// The form of the coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoverageOutput {
    /// A page of Markdown
    Markdown,
    /// One JSON object
    Json,
}

/// When to do something that depends on the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The level of an error in a signature by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LintLevelName {
    /// It works, and could be better
    Warning,
    /// It must not stay
    Error,
}

impl From<LintLevelName> for LintLevel {
    fn from(name: LintLevelName) -> LintLevel {
        match name {
            LintLevelName::Warning => LintLevel::Warning,
            LintLevelName::Error => LintLevel::Error,
        }
    }
}

/// A severity level by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LevelName {
    /// Nothing to repair
    Info,
    /// Degraded, or recovered
    Warning,
    /// Something does not work
    Error,
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Level {
        match name {
            LevelName::Info => Level::Info,
            LevelName::Warning => Level::Warning,
            LevelName::Error => Level::Error,
        }
    }
}
