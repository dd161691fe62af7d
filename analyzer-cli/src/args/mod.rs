//! The command line as it is typed. What it means is decided in [`plan`](mod@crate::plan).

mod values;

use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand};

use crate::commands::demo::Demo;
use crate::extract::Moment;
use crate::schema::SchemaName;
use kwhy_bundle::archive::limits::SetLimit;

pub use values::{
    ByteCount, Confidence, CoverageOutput, EventOutput, LevelName, LintLevelName, ObjectOutput,
    Order, Output, RecordOutput, ReportOutput, ScanOutput, Shell, When,
};

/// Names the root cause in pasted kubectl output, logs and events.
///
/// Reads standard input where there is no PATH or PATH is `-`; files, folders and archives otherwise,
/// any number of them, as one incident. Never contacts a cluster or the network.
#[derive(Debug, Parser)]
#[command(name = "kwhy", version, subcommand_help_heading = "Other commands")]
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

    /// How the report is written; human if not given
    #[arg(
        short,
        long,
        value_enum,
        value_name = "FORMAT",
        help_heading = "Output"
    )]
    pub output: Option<ReportOutput>,

    /// Leave out findings below this level
    ///
    /// A finding that explains one at or above the level stays.
    #[arg(long, value_enum, value_name = "LEVEL", help_heading = "Output")]
    pub min_severity: Option<LevelName>,

    /// Leave out findings that are less sure: a number from 0 to 1, or percent
    ///
    /// A finding that explains one that stays, stays too. What is omitted does not count for --fail-on.
    #[arg(long, value_name = "NUMBER", help_heading = "Output")]
    pub min_confidence: Option<Confidence>,

    /// Show only the first N findings, each with what it explains
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub top: Option<std::num::NonZeroUsize>,

    /// Exit with status 1 if something at or above this level is found
    ///
    /// Benign findings do not count.
    #[arg(long, value_enum, value_name = "LEVEL", help_heading = "Output")]
    pub fail_on: Option<LevelName>,

    /// Show everything: lines that were not understood, explained symptoms, all evidence
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Output")]
    pub verbose: bool,

    /// Show less: of the report for people one line for each finding, and neither notes nor progress
    #[arg(short, long, global = true, help_heading = "Output")]
    pub quiet: bool,

    /// When to use colour; auto if not given, which NO_COLOR turns off
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        global = true,
        help_heading = "Output"
    )]
    pub color: Option<When>,

    /// Replace names, namespaces, hosts, addresses, e-mails, images and ids by tokens such as `pod-1`
    ///
    /// The same value is the same token in all of the report, also in commands. The input is read twice; standard
    /// input is kept in memory for that. How many values of each kind were replaced is a note on standard error.
    #[arg(long, global = true, help_heading = "Output")]
    pub redact: bool,

    /// Make tokens of this key, so that a value is the same token in every run with it; implies --redact
    ///
    /// The variable KWHY_REDACT_KEY does the same, and nobody sees it in a list of processes.
    #[arg(long, value_name = "KEY", global = true, help_heading = "Output")]
    pub redact_key: Option<String>,

    /// Show secrets as they are; without this they are `***` in every output
    #[arg(
        long,
        global = true,
        conflicts_with_all = ["redact", "redact_key"],
        help_heading = "Output"
    )]
    pub show_secrets: bool,

    /// Do not read the configuration file
    #[arg(long, global = true, help_heading = "Output")]
    pub no_config: bool,

    /// Use the signatures of this file or folder as well (repeatable)
    ///
    /// One with the id of a built-in signature takes its place. A `causes.yaml` in a folder names
    /// causes of its own. KWHY_SIGNATURES and the configuration file name more of them.
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

    /// Count the log records by time and severity, as `timeline` in the JSON report; the page of HTML always does
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

impl Args {
    /// Returns the clap command for a program of this name: `kwhy`, or `kubectl kwhy` as a plugin.
    pub fn command_of(program: &str) -> clap::Command {
        Args::command()
            .display_name("kwhy")
            .bin_name(program)
            .override_usage(format!(
                "{program} [OPTIONS] [PATH]...\n       {program} <COMMAND>"
            ))
            .after_help(after_help(program))
    }
}

fn after_help(program: &str) -> String {
    format!(
        "\
Examples:
  kubectl describe pod web-0 | {program}
  {program} describe.txt kubelet.log
  {program} support-bundle.tar.gz --namespace shop
  {program} -o json ./bundle | jq '.findings[0].cause'

Exit status: 0 ran; 1 found something at or above --fail-on; 2 wrong usage, or a given path or all of the input \
could not be read; 130 interrupted."
    )
}

/// What is read of bundles, and what they may take.
#[derive(Clone, Debug, Default, clap::Args)]
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
    /// (bytes of a name, 4096), time (seconds, none); of any input: line-length (bytes of a line, 1M at most), depth (maps and lists in one
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
    #[command(subcommand)]
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
    Patterns {
        /// Which events.
        #[command(flatten)]
        events: EventsArgs,
        /// Print the number of the template of each event instead: its document and line, one JSON object a line
        #[arg(long)]
        lines: bool,
    },
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
    #[command(subcommand)]
    Bundle(BundleCommand),
    /// Diagnose many bundles, each as an incident of its own, one line of NDJSON each
    ///
    /// One that cannot be read is reported in its line. The last line sums up. Several are read at a time, with --threads in
    /// all; lines are in the order of the bundles.
    Scan {
        /// Bundles, folders of bundles, or globs such as `'in/**/*.tgz'`
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<PathBuf>,
        /// What a line is
        #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = ScanOutput::Reports)]
        output: ScanOutput,
        /// Read no more bundles at a time than fit this memory by an estimate, such as 2G; one is always read
        #[arg(long, value_name = "BYTES")]
        memory: Option<ByteCount>,
        /// Write the results to this file; bundles whose results it contains already are passed over
        ///
        /// A run that was broken off continues: each bundle is in the file once. Those that could not be read are tried again.
        #[arg(long, value_name = "FILE")]
        resume: Option<PathBuf>,
        /// What counts.
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Copy a file, folder or archive without secrets and with tokens in place of names, to pass it on
    ///
    /// The structure, the lines and the times stay, and nearly always the causes. What is not text is omitted and
    /// listed. Archives inside become folders.
    Redact {
        /// A file, folder or archive
        #[arg(value_name = "IN")]
        path: PathBuf,
        /// The copy, which must not exist: a tar if it is called `.tar`, `.tar.gz` or `.tgz`, a folder or file otherwise
        #[arg(short, long, value_name = "OUT")]
        output: PathBuf,
    },
    /// Diagnose an example that is built in
    Demo {
        /// The example
        #[arg(value_enum, value_name = "NAME", default_value_t)]
        name: Demo,
        /// Print the text that is diagnosed
        #[arg(long)]
        input: bool,
    },
    /// Explain a root cause or a signature by its id
    Explain {
        /// Such as `storage/configmap-missing` or `configmap-mount-missing`
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Print the JSON Schema of an output or of signature files; the names of all if none is given
    Schema {
        /// The output, or `signature`
        #[arg(value_enum, value_name = "NAME")]
        name: Option<SchemaName>,
    },
    /// Print the completions of a shell
    ///
    /// bash: `source <(kwhy completions bash)`; fish: `kwhy completions fish | source`.
    Completions {
        /// The shell
        #[arg(value_enum, value_name = "SHELL")]
        shell: Shell,
    },
    /// Print a manual page, or write all of them into a folder
    Man {
        /// The command, such as `signatures test`; the program itself if none is given
        #[arg(value_name = "COMMAND")]
        command: Vec<String>,
        /// Write the pages of all commands into this folder
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        dir: Option<PathBuf>,
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
    /// Write a signature that matches a pasted line, to be completed
    ///
    /// It is about the most severe record of the paste. What its author has to write is marked TODO.
    New {
        /// A file with the paste; standard input if none is given
        #[arg(value_name = "PATH")]
        path: Option<PathBuf>,
        /// Its id; made of the message if none is given
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        /// The cause that it proves; that of what kwhy says today if none is given
        #[arg(long, value_name = "CAUSE", conflicts_with = "cre")]
        cause: Option<String>,
        /// Write a rule of the community (CRE), and with --output the record as its test.log beside it
        #[arg(long)]
        cre: bool,
        /// The file to write, which must not exist; standard output if none is given
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
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
    /// Write rules of the community (CRE) as native signatures, and native signatures as such rules
    ///
    /// Files are recognised by what they contain. What a rule cannot say is a comment in its place. Exit status: 1 if
    /// there is one.
    Convert {
        /// Files or folders of signatures or rules
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<PathBuf>,
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
        /// Run them again whenever one of the files changes, until Ctrl-C
        #[arg(long, requires = "paths", conflicts_with = "output")]
        watch: bool,
        /// How they are written
        #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Output::Human)]
        output: Output,
    },
}
