//! The result of an analysis: the protocol that every renderer reads.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use kwhy_model::{Format, Severity, Subject};
use kwhy_parse::input::Place;
use kwhy_parse::timeline::TimelineReport;

pub use kwhy_model::{Level, Role};

/// The schema that [`Report`] serializes to.
pub const SCHEMA: &str = "kwhy.report/1";

/// The result of an analysis. Serializes to the schema `kwhy.report/1`, and is read back from it.
///
/// ```
/// use kwhy_core::{Analyzer, Report};
/// let log = "panic: runtime error: index out of range [3] with length 3\n";
/// let json = serde_json::to_string(&Analyzer::new().analyze_text("app.log", log))?;
/// let report: Report = serde_json::from_str(&json)?;
/// assert_eq!(report.findings[0].cause, "container/app-panic");
/// assert_eq!(serde_json::to_string(&report)?, json);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: Cow<'static, str>,
    /// The findings, the most probable root cause first; a symptom follows what explains it.
    pub findings: Vec<Finding>,
    /// The most telling events that no finding covers.
    pub unexplained: Vec<Unexplained>,
    /// What to ask the cluster next, where no cause is known for sure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Check>,
    /// What was read.
    pub inputs: Vec<InputSummary>,
    /// The bundles among that. The library knows none; the program that opens archives adds them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bundles: Vec<BundleSummary>,
    /// Limits and damage that were met.
    pub limits: Vec<LimitMet>,
    /// When the input was collected: ages count back from then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collected_at: Option<CollectedAt>,
    /// The number of times that each signature's condition was fulfilled, also where a more specific signature made
    /// the finding; in order of the ids.
    pub matched: BTreeMap<String, u64>,
    /// The log records of each severity over time, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<TimelineReport>,
    /// The namespaces that the findings and what was read of the input name, the first thousand.
    #[serde(skip)]
    pub namespaces: BTreeSet<String>,
    /// Sizes and counts.
    pub stats: Stats,
}

/// When an input was collected.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CollectedAt {
    /// The time, as RFC 3339.
    pub time: String,
    /// Whether it was given with the input; otherwise it is the last sign of life of a node that the input
    /// shows, which is some seconds before.
    pub given: bool,
}

/// A signature that matched, with its proof.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Finding {
    /// The place in the order of the report, counted from 1.
    pub rank: usize,
    /// The root cause's id, such as `storage/configmap-missing`.
    pub cause: String,
    /// The signature's id.
    pub signature: String,
    /// Cause, symptom or benign.
    pub role: Role,
    /// The severity.
    pub severity: Level,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// A description in one line, with the captured values.
    pub title: String,
    /// The object at fault.
    pub subject: Subject,
    /// Further objects at which the same is at fault, such as the other replicas.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Subject>,
    /// The captured values by name.
    pub captures: BTreeMap<String, String>,
    /// The values in which further faults of the same kind about the object differ from these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<BTreeMap<String, String>>,
    /// The number of times it was seen.
    pub count: u64,
    /// True if `count` is a lower bound, and `last` may be later: a limit ended the search for more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// When it was first seen: RFC 3339, or an age such as `18m ago`.
    pub first: Option<String>,
    /// When it was last seen.
    pub last: Option<String>,
    /// The lines that prove it, the most telling first.
    pub evidence: Vec<Evidence>,
    /// The findings that this one explains.
    pub explains: Vec<Explained>,
    /// The rank of the finding that explains this one.
    pub explained_by: Option<usize>,
    /// The line that shows that the problem is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Evidence>,
    /// The mechanism.
    pub why: String,
    /// What to check; read-only.
    pub check: Vec<Check>,
    /// How to repair it.
    pub fix: Vec<Fix>,
    /// Where to read more.
    pub references: Vec<String>,
}

/// A line that proves a finding.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Evidence {
    /// The document's name.
    pub source: String,
    /// The line, counted from 1.
    pub line: u64,
    /// The column of the proof's first character, counted from 1.
    pub column: u64,
    /// The line as it is in the input; of one longer than 4 KiB the part around the proof.
    pub text: String,
    /// The bytes of `text` that are the proof.
    #[serde(skip)]
    pub mark: Range<usize>,
    /// A few words about the proof, for renderers that point at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl Evidence {
    pub(crate) fn new(source: String, place: Place) -> Evidence {
        Evidence {
            source,
            line: place.line,
            column: place.column,
            text: place.text,
            mark: place.mark,
            label: None,
        }
    }
}

/// A finding that another one explains.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Explained {
    /// The explained finding's rank.
    pub rank: usize,
    /// Why the one explains the other.
    pub why: String,
}

/// A read-only check.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Check {
    /// Where to look, in words, where there is no command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The command, as `run` and `argv`.
    #[serde(flatten, with = "run_and_argv")]
    pub command: Option<CommandLine>,
    /// What its result says.
    pub why: String,
}

/// A repair.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Fix {
    /// What to do.
    pub text: String,
    /// The command that does it, where there is one, as `run` and `argv`.
    #[serde(flatten, with = "run_and_argv")]
    pub command: Option<CommandLine>,
    /// Whether it deletes, empties, forces or drains something.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub destructive: bool,
    /// What must hold before it is done, as words that follow "only if".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precondition: Option<String>,
}

/// A command: a program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    argv: Vec<String>,
    run: String,
}

impl CommandLine {
    /// The command of a program and its arguments. None if there is no program, or a NUL in a word.
    ///
    /// ```
    /// use kwhy_core::CommandLine;
    /// let words = ["kubectl", "get", "pods", "-l", "a in (b)"].map(str::to_owned);
    /// let command = CommandLine::new(words.to_vec()).unwrap();
    /// assert_eq!(command.run(), "kubectl get pods -l 'a in (b)'");
    /// ```
    pub fn new(argv: Vec<String>) -> Option<CommandLine> {
        let run = shlex::try_join(argv.iter().map(String::as_str)).ok()?;
        (!argv.is_empty()).then_some(CommandLine { argv, run })
    }

    /// The program and its arguments.
    pub fn argv(&self) -> &[String] {
        &self.argv
    }

    /// The text to type: the words, quoted for a POSIX shell where they need it.
    pub fn run(&self) -> &str {
        &self.run
    }
}

/// The form of a command in JSON: both keys are null where there is none.
mod run_and_argv {
    use serde::ser::SerializeMap;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::CommandLine;

    pub fn serialize<S: Serializer>(
        command: &Option<CommandLine>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(2))?;
        map.serialize_entry("run", &command.as_ref().map(CommandLine::run))?;
        map.serialize_entry("argv", &command.as_ref().map(CommandLine::argv))?;
        map.end()
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<CommandLine>, D::Error> {
        #[derive(Deserialize)]
        struct Argv {
            argv: Option<Vec<String>>,
        }
        Ok(Argv::deserialize(from)?.argv.and_then(CommandLine::new))
    }
}

/// Events that no finding covers, folded.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Unexplained {
    /// The event's reason, or its message where it has none.
    pub reason: String,
    /// The number of times it was seen.
    pub count: u64,
    /// True if `count` is a lower bound: not all records that report errors were read, or kept apart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// The severity that its writer states.
    pub severity: Option<Severity>,
    /// An example.
    pub evidence: Vec<Evidence>,
    /// The namespace of all of them, if it is one and is known.
    #[serde(skip)]
    pub namespace: Option<String>,
}

/// What was read of one document.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InputSummary {
    /// The document's name.
    pub source: String,
    /// The formats found, joined by commas, the most frequent first.
    pub format: String,
    /// The number of lines.
    pub lines: u64,
    /// The number of lines that no parser understands.
    pub not_understood: u64,
    /// The first of these lines, counted from 1.
    pub not_understood_lines: Vec<u64>,
    /// The text of each of them; of a long one the first KiB.
    #[serde(skip)]
    pub not_understood_texts: Vec<String>,
    /// The segments, in order: of a large document those that are no log, and not more than 1000.
    pub segments: Vec<SegmentSummary>,
}

/// An archive or a folder whose members were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BundleSummary {
    /// Its name.
    pub source: String,
    /// The ids of the layouts that its members' names tell.
    pub layouts: Vec<String>,
    /// What the makers of these call them.
    pub titles: Vec<String>,
    /// The number of files.
    pub members: u64,
    /// What such a bundle holds and this one does not.
    pub missing: Vec<String>,
}

/// A run of lines in one format.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SegmentSummary {
    /// The format.
    pub format: Format,
    /// The first line, counted from 1.
    pub first_line: u64,
    /// The last line.
    pub last_line: u64,
}

/// A limit that was reached or damage that was met; the rest was analysed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LimitMet {
    /// The document's name.
    pub source: String,
    /// What kind: `long-line`, `invalid-utf-8`, `binary`, `unreadable`, `many-matches`,
    /// `many-objects`, `many-relations`, `many-findings`, `many-errors`, `long-value`, `large-object`, `cut-off`, `namespace`; of archives
    /// `damaged`, `link`, `device`, `sparse`, `duplicate`, `unsupported`,
    /// `not-collected`, `collector-error`, `interrupted`, and the limits by their names.
    pub limit: String,
    /// What was done.
    pub message: String,
}

/// Sizes and counts of an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stats {
    /// Bytes read.
    pub bytes: u64,
    /// Lines read.
    pub lines: u64,
    /// Records: events and objects.
    pub records: u64,
    /// Events.
    pub events: u64,
}
