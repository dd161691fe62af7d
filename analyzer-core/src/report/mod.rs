//! The report of an analysis: the data that every renderer reads.

mod build;
mod cause_id;
mod command_line;
mod context;
mod limit;
mod redact;
mod text;
mod when;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use kwhy_parse::input::Place;
use kwhy_parse::redact::SecretPolicy;

pub use crate::verdict::{KindHealth, Situation, State, Verdict, judge};
pub use cause_id::CauseId;
pub use command_line::CommandLine;
pub use kwhy_model::{Age, Format, Level, Role, Severity, Stamp, Subject};
pub use kwhy_parse::redact::Identities;
pub use kwhy_parse::timeline::{Counts, Timeline, TimelineBucket, TimelineReport};
pub use kwhy_signature::cre::{Application, CommunityRule};
pub use limit::{Limit, LimitMet};
pub use when::{ParseWhenError, When};

/// The schema that [`Report`] serializes to.
pub const SCHEMA: &str = "kwhy.report/1";

/// The result of an analysis. Serializes to, and deserializes from, the schema `kwhy.report/1`.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Report {
    /// The schema, [`SCHEMA`].
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("const" = SCHEMA)))]
    pub schema: Cow<'static, str>,
    /// The answer to "is something wrong?".
    #[serde(default)]
    pub verdict: Verdict,
    /// The health of the objects in the input, by kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub health: Vec<KindHealth>,
    /// Node restarts, rollouts and the start of the cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub situations: Vec<Situation>,
    /// The latest time found in the input: its end, or somewhat before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<When>,
    /// The findings, the most probable root cause first; a symptom follows its cause.
    pub findings: Vec<Finding>,
    /// The most relevant events that no finding covers.
    pub unexplained: Vec<Unexplained>,
    /// Commands to run next if no cause is certain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Check>,
    /// The documents that were read.
    pub inputs: Vec<InputSummary>,
    /// The bundles among the inputs. Filled in by the caller that opens archives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bundles: Vec<BundleSummary>,
    /// Limits and damage that were encountered.
    pub limits: Vec<LimitMet>,
    /// The time at which the input was collected: ages count back from then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collected_at: Option<CollectedAt>,
    /// The number of matches of each signature, by id, including matches superseded by a more
    /// specific signature.
    pub matched: BTreeMap<String, u64>,
    /// The number of log records by time and severity, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<TimelineReport>,
    /// The namespaces named by the findings and the input, up to 1000.
    #[serde(skip)]
    pub namespaces: BTreeSet<String>,
    /// The number of log records that report a failure but are logged as information.
    #[serde(skip)]
    pub(crate) info_failures: u64,
    /// The policy that was applied to secrets.
    #[serde(skip)]
    pub(crate) secrets: SecretPolicy,
    /// Sizes and counts.
    pub stats: Stats,
}

impl Report {
    /// Returns true if reading was cancelled or interrupted, so that the report covers a part of the input.
    ///
    /// ```
    /// use kwhy_core::report::{Limit, LimitMet};
    /// use kwhy_core::Analyzer;
    /// let mut report = Analyzer::new().analyze_text("app.log", "");
    /// assert!(!report.is_partial());
    /// report.limits.push(LimitMet::new("app.log", Limit::Interrupted, "the connection was lost"));
    /// assert!(report.is_partial());
    /// ```
    pub fn is_partial(&self) -> bool {
        self.limits
            .iter()
            .any(|met| met.limit == Limit::Interrupted)
    }
}

/// The time at which an input was collected.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CollectedAt {
    /// The time.
    pub time: When,
    /// True if it was given with the input; otherwise it is the last heartbeat of a node in the
    /// input, some seconds earlier.
    pub given: bool,
}

/// A signature that matched, with its evidence.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Finding {
    /// The position in the report, counted from 1.
    pub rank: usize,
    /// The root cause's id, such as `storage/configmap-missing`.
    pub cause: CauseId,
    /// The signature's id.
    pub signature: String,
    /// Cause, symptom or benign.
    pub role: Role,
    /// The severity.
    pub severity: Level,
    /// Its state at the end of the input.
    #[serde(default)]
    pub state: State,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// The fault in one line, with the captured values.
    pub title: String,
    /// The object at fault.
    pub subject: Subject,
    /// Further objects with the same fault, such as the other replicas.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Subject>,
    /// True if there may be more than `others`: its signature matched more objects than are distinguished.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub others_at_least: bool,
    /// The captured values by name.
    pub captures: BTreeMap<String, String>,
    /// The differing values of further faults of the object, of the same kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<BTreeMap<String, String>>,
    /// The number of occurrences.
    pub count: u64,
    /// True if `count` is a lower bound and `last` may be later, because a limit was reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// The time of the first occurrence.
    pub first: Option<When>,
    /// The time of the last occurrence.
    pub last: Option<When>,
    /// The lines that prove it, the most informative first.
    pub evidence: Vec<Evidence>,
    /// The findings that this one explains.
    pub explains: Vec<Explained>,
    /// The rank of the finding that explains this one.
    pub explained_by: Option<usize>,
    /// The line that shows that the fault is resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovered: Option<Evidence>,
    /// An explanation of the mechanism.
    pub why: String,
    /// Read-only checks.
    pub check: Vec<Check>,
    /// Fixes.
    pub fix: Vec<Fix>,
    /// Links for further reading.
    pub references: Vec<String>,
    /// The community rules that found it, with their own texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<CommunityRule>,
}

/// A line that proves a finding.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Evidence {
    /// The document's name.
    pub source: String,
    /// The line, counted from 1.
    pub line: u64,
    /// The column of the evidence's first character, counted from 1.
    pub column: u64,
    /// The line as it appears in the input; if it exceeds 4 KiB, the part around the evidence.
    pub text: String,
    /// The byte range of the evidence within `text`.
    #[serde(skip)]
    pub mark: Range<usize>,
    /// A short annotation of the evidence, for renderers that point at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The lines before and after it with their numbers, once [`Report::add_lines_around`] has filled them in.
    #[serde(skip)]
    pub around: Vec<(u64, String)>,
}

impl Evidence {
    pub(crate) fn at(source: String, place: Place) -> Evidence {
        Evidence {
            source,
            line: place.line,
            column: place.column,
            text: place.text,
            mark: place.mark,
            label: None,
            around: Vec::new(),
        }
    }
}

/// A finding that another one explains.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Explained {
    /// The explained finding's rank.
    pub rank: usize,
    /// The reason why the one explains the other.
    pub why: String,
}

/// A read-only check.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Check {
    /// A description of where to look, if there is no command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The command, as `run` and `argv`.
    #[serde(flatten, with = "command_line::run_and_argv")]
    #[cfg_attr(
        feature = "schema",
        schemars(flatten, with = "command_line::RunAndArgv")
    )]
    pub command: Option<CommandLine>,
    /// The meaning of its result.
    pub why: String,
}

/// A fix.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Fix {
    /// The action.
    pub text: String,
    /// The command that performs it, if any, as `run` and `argv`.
    #[serde(flatten, with = "command_line::run_and_argv")]
    #[cfg_attr(
        feature = "schema",
        schemars(flatten, with = "command_line::RunAndArgv")
    )]
    pub command: Option<CommandLine>,
    /// True if it deletes, empties, forces or drains something.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub destructive: bool,
    /// The condition under which it is safe, worded to follow "only if".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precondition: Option<String>,
}

/// Events that no finding covers, grouped.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Unexplained {
    /// The event's reason, or its message if it has none.
    pub reason: String,
    /// The number of occurrences.
    pub count: u64,
    /// True if `count` is a lower bound: some records that report errors were skipped or not kept
    /// apart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// The severity stated by the writer.
    pub severity: Option<Severity>,
    /// `over` if its log continued without it, or its object has been healthy since.
    #[serde(default)]
    pub state: State,
    /// An example.
    pub evidence: Vec<Evidence>,
    /// The namespace, if it is known and all events share it.
    #[serde(skip)]
    pub namespace: Option<String>,
}

/// A summary of one document.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct InputSummary {
    /// The document's name.
    pub source: String,
    /// The formats found, the most frequent first; empty for plain text and empty inputs.
    pub formats: Vec<Format>,
    /// The number of lines.
    pub lines: u64,
    /// The number of lines of logs and cluster events; approximate for a large document.
    #[serde(skip)]
    pub(crate) log_lines: u64,
    /// The number of lines that no parser understood.
    pub not_understood: u64,
    /// The first of these lines, counted from 1.
    pub not_understood_lines: Vec<u64>,
    /// The text of each of them, truncated to 1 KiB.
    #[serde(skip)]
    pub not_understood_texts: Vec<String>,
    /// The segments, in order; for a large document only those that are not logs, up to 1000.
    pub segments: Vec<SegmentSummary>,
}

/// An archive or folder whose members were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BundleSummary {
    /// The name.
    pub source: String,
    /// The ids of the layouts that its members' names match.
    pub layouts: Vec<String>,
    /// The titles of these layouts.
    pub titles: Vec<String>,
    /// The number of files in it.
    pub members: u64,
    /// The files that such a bundle usually contains and this one does not.
    pub missing: Vec<String>,
}

/// A run of lines in one format.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SegmentSummary {
    /// The format.
    pub format: Format,
    /// The first line, counted from 1.
    pub first_line: u64,
    /// The last line.
    pub last_line: u64,
}

/// Sizes and counts of an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
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
