//! What a finding counts as.

/// Whether a finding is a root cause.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It answers "what is wrong".
    Cause,
    /// It follows from something else.
    Symptom,
    /// It looks alarming and is not.
    Benign,
}

/// How grave a finding is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing to repair.
    Info,
    /// Degraded, or repaired by itself.
    Warning,
    /// Something does not work.
    Error,
}
