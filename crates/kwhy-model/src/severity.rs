//! The severity of a record.

/// The severity that the writer of a record states.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Debugging and tracing.
    Debug,
    /// Normal operation; an event of type `Normal`.
    Info,
    /// An event of type `Warning`, a log line at warning.
    Warning,
    /// A log line at error.
    Error,
    /// The writer ended after it (fatal, panic).
    Fatal,
}

impl Severity {
    /// Returns its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Debug => "debug",
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
            Severity::Fatal => "fatal",
        }
    }

    /// Parses a level's name in any of the usual spellings (`WARN`, `warning`, `ERRO`, `Normal`).
    pub fn from_word(word: &str) -> Option<Severity> {
        let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
        if is(&["info", "normal", "notice", "information"]) {
            Some(Severity::Info)
        } else if is(&["warning", "warn"]) {
            Some(Severity::Warning)
        } else if is(&["error", "err", "erro", "eror"]) {
            Some(Severity::Error)
        } else if is(&[
            "fatal", "fata", "panic", "pani", "dpanic", "critical", "crit", "emerg",
        ]) {
            Some(Severity::Fatal)
        } else if is(&["debug", "debu", "trace", "trac"]) {
            Some(Severity::Debug)
        } else {
            None
        }
    }
}
