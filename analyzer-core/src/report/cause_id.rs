//! The ids of causes.

use std::borrow::Borrow;
use std::fmt;

/// The id of a root cause: a family and a name, such as `storage/configmap-missing`. It can be compared with strings.
///
/// ```
/// use kwhy_core::report::CauseId;
/// let cause = CauseId::from("storage/configmap-missing");
/// assert_eq!(cause, "storage/configmap-missing");
/// assert_eq!((cause.family(), cause.name()), ("storage", "configmap-missing"));
/// ```
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CauseId(Box<str>);

impl CauseId {
    /// Returns the id as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the part before the slash; the whole id if there is none.
    pub fn family(&self) -> &str {
        self.0
            .split_once('/')
            .map_or(&*self.0, |(family, _)| family)
    }

    /// Returns the part after the slash; the whole id if there is none.
    pub fn name(&self) -> &str {
        self.0.split_once('/').map_or(&*self.0, |(_, name)| name)
    }
}

impl fmt::Display for CauseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for CauseId {
    fn from(id: &str) -> CauseId {
        CauseId(id.into())
    }
}

impl From<String> for CauseId {
    fn from(id: String) -> CauseId {
        CauseId(id.into())
    }
}

impl AsRef<str> for CauseId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for CauseId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for CauseId {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other
    }
}

impl PartialEq<&str> for CauseId {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == **other
    }
}

impl PartialEq<String> for CauseId {
    fn eq(&self, other: &String) -> bool {
        *self.0 == **other
    }
}

impl PartialEq<CauseId> for String {
    fn eq(&self, other: &CauseId) -> bool {
        **self == *other.0
    }
}

impl PartialEq<CauseId> for str {
    fn eq(&self, other: &CauseId) -> bool {
        *self == *other.0
    }
}

impl PartialEq<CauseId> for &str {
    fn eq(&self, other: &CauseId) -> bool {
        **self == *other.0
    }
}
