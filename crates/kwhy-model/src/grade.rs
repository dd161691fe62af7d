//! The role and severity of a finding.

/// True if a finding is a root cause.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It answers "what is wrong".
    Cause,
    /// It follows from something else.
    Symptom,
    /// It looks alarming and is not.
    Benign,
}

/// The severity of a finding.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing to repair.
    Info,
    /// Degraded, or recovered.
    Warning,
    /// Something does not work.
    Error,
}
