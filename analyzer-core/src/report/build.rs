//! Builds reports by hand, for tests of renderers and programs that join reports.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use kwhy_model::{Format, Level, Role, Subject};
use kwhy_parse::redact::SecretPolicy;

use super::{
    BundleSummary, CauseId, Check, CollectedAt, Evidence, Explained, Finding, Fix, InputSummary,
    Report, SCHEMA, SegmentSummary, State, Stats, Unexplained, Verdict, When,
};

impl Default for Report {
    /// Creates a report of an empty input.
    ///
    /// ```
    /// use kwhy_core::{Finding, Report};
    /// let mut report = Report::default();
    /// report.findings.push(Finding::new("storage/configmap-missing", "configmap-mount-missing", "ConfigMap cart is gone"));
    /// assert_eq!(report.schema, "kwhy.report/1");
    /// ```
    fn default() -> Report {
        Report {
            schema: SCHEMA.into(),
            verdict: Verdict::Unknown,
            health: Vec::new(),
            situations: Vec::new(),
            until: None,
            findings: Vec::new(),
            unexplained: Vec::new(),
            next: Vec::new(),
            inputs: Vec::new(),
            bundles: Vec::new(),
            limits: Vec::new(),
            collected_at: None,
            matched: BTreeMap::new(),
            timeline: None,
            namespaces: BTreeSet::new(),
            info_failures: 0,
            secrets: SecretPolicy::default(),
            stats: Stats::default(),
        }
    }
}

impl Finding {
    /// Creates a certain cause of rank 1 that occurred once; everything else is empty.
    ///
    /// ```
    /// use kwhy_core::{Finding, Level, Role};
    /// let mut finding = Finding::new("image/not-found", "image-pull-not-found", "image web:2 does not exist");
    /// finding.severity = Level::Warning;
    /// assert_eq!((finding.role, finding.count), (Role::Cause, 1));
    /// ```
    pub fn new(
        cause: impl Into<CauseId>,
        signature: impl Into<String>,
        title: impl Into<String>,
    ) -> Finding {
        Finding {
            rank: 1,
            cause: cause.into(),
            signature: signature.into(),
            role: Role::Cause,
            severity: Level::Error,
            state: State::Unknown,
            confidence: 1.0,
            title: title.into(),
            subject: Subject::default(),
            others: Vec::new(),
            others_at_least: false,
            captures: BTreeMap::new(),
            also: Vec::new(),
            count: 1,
            at_least: false,
            first: None,
            last: None,
            evidence: Vec::new(),
            explains: Vec::new(),
            explained_by: None,
            recovered: None,
            why: String::new(),
            check: Vec::new(),
            fix: Vec::new(),
            references: Vec::new(),
            rules: Vec::new(),
        }
    }
}

impl Report {
    /// Returns the name of an input as the report shows it: with secrets masked, unless the report shows them.
    ///
    /// ```
    /// let report = kwhy_core::Analyzer::new().analyze_text("stdin", "");
    /// assert_eq!(report.shown_name("dock/token=Tide4Quay.log"), "dock/token=***");
    /// ```
    pub fn shown_name<'n>(&self, name: &'n str) -> std::borrow::Cow<'n, str> {
        self.secrets.shown(name)
    }
}

impl Evidence {
    /// Creates the evidence of a whole line, in which the bytes `mark` prove something.
    ///
    /// ```
    /// use kwhy_core::report::Evidence;
    /// let evidence = Evidence::new("web.log", 7, "panic: no", 7..9);
    /// assert_eq!(evidence.column, 8);
    /// ```
    pub fn new(
        source: impl Into<String>,
        line: u64,
        text: impl Into<String>,
        mark: Range<usize>,
    ) -> Evidence {
        let text = text.into();
        let before = text.char_indices().take_while(|(at, _)| *at < mark.start);
        Evidence {
            source: source.into(),
            line,
            column: before.count() as u64 + 1,
            text,
            mark,
            label: None,
            around: Vec::new(),
        }
    }
}

impl Explained {
    /// Creates the entry of the finding with this rank.
    ///
    /// ```
    /// let explained = kwhy_core::report::Explained::new(2, "the volume waits for the ConfigMap");
    /// assert_eq!(explained.rank, 2);
    /// ```
    pub fn new(rank: usize, why: impl Into<String>) -> Explained {
        Explained {
            rank,
            why: why.into(),
        }
    }
}

impl Check {
    /// Creates a check without a command; `why` is the meaning of its result.
    ///
    /// ```
    /// use kwhy_core::report::{Check, CommandLine};
    /// let mut check = Check::new("NotFound confirms");
    /// check.command = CommandLine::new(["kubectl", "get", "nodes"].map(str::to_owned).to_vec());
    /// assert!(check.text.is_none());
    /// ```
    pub fn new(why: impl Into<String>) -> Check {
        Check {
            text: None,
            command: None,
            why: why.into(),
        }
    }
}

impl Fix {
    /// Creates a fix without a command.
    ///
    /// ```
    /// assert!(!kwhy_core::report::Fix::new("create the ConfigMap").destructive);
    /// ```
    pub fn new(text: impl Into<String>) -> Fix {
        Fix {
            text: text.into(),
            command: None,
            destructive: false,
            precondition: None,
        }
    }
}

impl Unexplained {
    /// Creates an event that occurred once.
    ///
    /// ```
    /// use kwhy_core::report::{Evidence, Unexplained};
    /// let event = Unexplained::new("FailedBinding", Evidence::new("web.log", 1, "FailedBinding", 0..13));
    /// assert_eq!(event.count, 1);
    /// ```
    pub fn new(reason: impl Into<String>, evidence: Evidence) -> Unexplained {
        Unexplained {
            reason: reason.into(),
            count: 1,
            at_least: false,
            severity: None,
            state: State::Unknown,
            evidence: vec![evidence],
            namespace: None,
        }
    }
}

impl InputSummary {
    /// Creates the summary of an empty document.
    ///
    /// ```
    /// assert_eq!(kwhy_core::report::InputSummary::new("stdin").lines, 0);
    /// ```
    pub fn new(source: impl Into<String>) -> InputSummary {
        InputSummary {
            source: source.into(),
            formats: Vec::new(),
            lines: 0,
            log_lines: 0,
            not_understood: 0,
            not_understood_lines: Vec::new(),
            not_understood_texts: Vec::new(),
            segments: Vec::new(),
        }
    }

    /// Returns the names of the formats found: `text` for plain text, `empty` for an input without lines.
    ///
    /// ```
    /// let mut input = kwhy_core::report::InputSummary::new("stdin");
    /// assert_eq!(input.format_names(), ["empty"]);
    /// input.lines = 1;
    /// assert_eq!(input.format_names(), ["text"]);
    /// ```
    pub fn format_names(&self) -> Vec<&'static str> {
        match self.formats.as_slice() {
            [] if self.lines == 0 => vec!["empty"],
            [] => vec!["text"],
            formats => formats.iter().map(|format| format.name()).collect(),
        }
    }
}

impl BundleSummary {
    /// Creates the summary of a bundle without files.
    ///
    /// ```
    /// assert_eq!(kwhy_core::report::BundleSummary::new("case-7.tar.gz").members, 0);
    /// ```
    pub fn new(source: impl Into<String>) -> BundleSummary {
        BundleSummary {
            source: source.into(),
            ..BundleSummary::default()
        }
    }
}

impl SegmentSummary {
    /// Creates the summary of the lines from `first_line` to `last_line`, counted from 1.
    ///
    /// ```
    /// use kwhy_core::events::Format;
    /// use kwhy_core::report::SegmentSummary;
    /// assert_eq!(SegmentSummary::new(Format::Describe, 1, 40).last_line, 40);
    /// ```
    pub fn new(format: Format, first_line: u64, last_line: u64) -> SegmentSummary {
        SegmentSummary {
            format,
            first_line,
            last_line,
        }
    }
}

impl CollectedAt {
    /// Creates the time that was given with the input.
    ///
    /// ```
    /// use kwhy_core::report::CollectedAt;
    /// let time = "2024-03-04T05:06:07Z".parse()?;
    /// assert!(CollectedAt::new(time).given);
    /// # Ok::<(), kwhy_core::report::ParseWhenError>(())
    /// ```
    pub fn new(time: When) -> CollectedAt {
        CollectedAt { time, given: true }
    }
}
