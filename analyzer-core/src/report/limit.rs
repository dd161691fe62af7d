//! The kinds of limits and damage that a report names.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use super::text::as_text;

/// Declares the kinds, each with its name.
macro_rules! limits {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// The kind of a limit that was reached, or of damage that was found. In JSON it is its name.
        ///
        /// ```
        /// use kwhy_core::report::Limit;
        /// use kwhy_core::Analyzer;
        /// let report = Analyzer::new().analyze_text("app.log", b"caf\xe9 is closed\n".as_slice());
        /// assert_eq!(report.limits[0].limit, Limit::InvalidUtf8);
        /// assert_eq!(report.limits[0].limit.name(), "invalid-utf-8");
        /// // one of a later version
        /// let limit = Limit::from("many-moons");
        /// assert_eq!(limit.name(), "many-moons");
        /// ```
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum Limit {
            $($(#[$doc])* $kind,)*
            /// A kind that this version does not know, by its name.
            Other(Box<str>),
        }

        impl Limit {
            /// The names of all kinds that this version knows.
            pub const NAMES: &[&str] = &[$($name),*];

            /// Returns the name, such as `long-line`.
            pub fn name(&self) -> &str {
                match self {
                    $(Limit::$kind => $name,)*
                    Limit::Other(name) => name,
                }
            }
        }

        impl From<&str> for Limit {
            fn from(name: &str) -> Limit {
                match name {
                    $($name => Limit::$kind,)*
                    other => Limit::Other(other.into()),
                }
            }
        }
    };
}

limits! {
    /// Lines whose end was omitted.
    LongLine = "long-line",
    /// Bytes that are not valid text.
    InvalidUtf8 = "invalid-utf-8",
    /// A file that is not text.
    Binary = "binary",
    /// An input that could not be read.
    Unreadable = "unreadable",
    /// More matches of one condition than are counted.
    ManyMatches = "many-matches",
    /// Matches about more objects than are listed.
    ManyObjects = "many-objects",
    /// More relations between objects than are kept.
    ManyRelations = "many-relations",
    /// More findings than were compared with each other.
    ManyFindings = "many-findings",
    /// More lines that report errors than were read.
    ManyErrors = "many-errors",
    /// Tests of raw records that stopped at a limit: jq programs, expressions on very long records.
    EntryTests = "entry-tests",
    /// Values whose end was omitted.
    LongValue = "long-value",
    /// JSON objects whose end was omitted.
    LargeObject = "large-object",
    /// JSON that ends before its brackets are closed.
    CutOff = "cut-off",
    /// Maps and lists that are nested too deeply.
    Depth = "depth",
    /// YAML aliases that expand to too many values.
    Aliases = "aliases",
    /// Findings outside the requested namespace.
    Namespace = "namespace",
    /// A namespace that does not occur in the input.
    NamespaceUnknown = "namespace-unknown",
    /// Reading that was cancelled before the end.
    Interrupted = "interrupted",
    /// A damaged archive.
    Damaged = "damaged",
    /// An archive without members.
    Empty = "empty",
    /// Links, which are not followed.
    Link = "link",
    /// Devices and pipes, which are not read.
    Device = "device",
    /// Sparse files, of which only the written parts were read.
    Sparse = "sparse",
    /// Members with the same content as others.
    Duplicate = "duplicate",
    /// An archive or compression format that is not supported.
    Unsupported = "unsupported",
    /// Files that such a bundle usually contains and this one does not.
    NotCollected = "not-collected",
    /// An error reported in a bundle by the program that made it.
    CollectorError = "collector-error",
    /// A member of an archive that is too large.
    MemberSize = "member-size",
    /// Archives whose total size is too large.
    TotalSize = "total-size",
    /// A compression ratio that is too high.
    Ratio = "ratio",
    /// Archives with too many members.
    Members = "members",
    /// Archives nested too deeply.
    Nesting = "nesting",
    /// Members whose names are too long.
    PathLength = "path-length",
    /// Reading that exceeded its time limit.
    Time = "time",
}

as_text!(Limit, Limit::name, |name: &str| Ok::<
    _,
    std::convert::Infallible,
>(Limit::from(name)));

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Limit {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "LimitKind".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The kind of a limit that was reached, or of damage that was found. Later versions know more of them.",
            "type": "string",
            "examples": Limit::NAMES,
        })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl PartialEq for Limit {
    fn eq(&self, other: &Limit) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Limit {}

/// Orders kinds by name.
impl Ord for Limit {
    fn cmp(&self, other: &Limit) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for Limit {
    fn partial_cmp(&self, other: &Limit) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Limit {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

/// A limit that was reached or damage that was found; the rest was analyzed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LimitMet {
    /// The document's name.
    pub source: String,
    /// The kind.
    pub limit: Limit,
    /// A description of what was omitted or done.
    pub message: String,
}

impl LimitMet {
    /// Creates the entry of a report.
    ///
    /// ```
    /// use kwhy_core::report::{Limit, LimitMet};
    /// let met = LimitMet::new("web.log", Limit::Unreadable, "permission denied");
    /// assert_eq!(met.to_string(), "web.log: unreadable: permission denied");
    /// ```
    pub fn new(source: impl Into<String>, limit: Limit, message: impl Into<String>) -> LimitMet {
        LimitMet {
            source: source.into(),
            limit,
            message: message.into(),
        }
    }
}

impl fmt::Display for LimitMet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LimitMet {
            source,
            limit,
            message,
        } = self;
        write!(f, "{source}: {limit}: {message}")
    }
}
