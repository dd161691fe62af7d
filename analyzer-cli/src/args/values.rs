//! The types of option values: named choices, and texts that are parsed.

use clap::ValueEnum;
use kwhy_core::Level;
use kwhy_core::signature::LintLevel;

/// The minimum confidence of a finding, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence(pub f64);

impl std::str::FromStr for Confidence {
    type Err = String;

    fn from_str(text: &str) -> Result<Confidence, String> {
        let number = match text.strip_suffix('%') {
            Some(percent) => percent.parse().map(|percent: f64| percent / 100.0),
            None => text.parse(),
        };
        match number {
            Ok(number) if (0.0..=1.0).contains(&number) => Ok(Confidence(number)),
            _ => Err(
                "expected a number from 0 to 1, such as 0.6, or percent, such as 60%".to_owned(),
            ),
        }
    }
}

/// A shell that completions are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// Bash
    Bash,
    /// Elvish
    Elvish,
    /// Fish
    Fish,
    /// Nushell
    Nushell,
    /// PowerShell
    Powershell,
    /// Z shell
    Zsh,
}

/// The order in which events are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// In the order of the input
    Input,
    /// By their times; one without a time stays after the one before it
    Time,
}

/// The output format of events, patterns and members of bundles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EventOutput {
    /// Columns for people
    Table,
    /// One JSON object a line
    Ndjson,
}

/// The output format of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ObjectOutput {
    /// One JSON object with lists of objects, rows and events
    Json,
    /// One JSON object a line
    Ndjson,
}

/// A number of bytes, typed as `2G`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteCount(pub u64);

impl std::str::FromStr for ByteCount {
    type Err = String;

    fn from_str(typed: &str) -> Result<ByteCount, String> {
        kwhy_bundle::archive::limits::number(typed).map(ByteCount)
    }
}

/// The output format of log records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RecordOutput {
    /// One JSON object a line
    Ndjson,
}

/// The output format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportOutput {
    /// Text for people, with the lines that prove each finding
    #[default]
    Human,
    /// One JSON object of the schema `kwhy.report/1`
    Json,
    /// One JSON object a line for each finding, then one that sums up
    Ndjson,
    /// GitHub-flavoured Markdown for a ticket
    Markdown,
    /// One page that loads nothing, with a timeline and the objects
    Html,
    /// SARIF 2.1.0, for systems that show the results of analyses
    Sarif,
    /// JUnit XML, for CI systems
    Junit,
}

/// The content of a line that `kwhy scan` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScanOutput {
    /// A bundle with its report
    Reports,
    /// A finding with its bundle; after those of a bundle one that sums it up
    Findings,
}

/// The output format of the commands about signatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Text for people
    #[default]
    Human,
    /// One JSON object
    Json,
}

/// The output format of `kwhy signatures coverage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoverageOutput {
    /// A page of Markdown
    Markdown,
    /// One JSON object
    Json,
}

/// The setting of what depends on the terminal, such as colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A lint level, as an option names it.
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

/// A severity level, as an option names it.
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
