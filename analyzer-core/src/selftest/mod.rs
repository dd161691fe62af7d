//! Self-tests of signatures: runs their examples and checks what else matches these.

mod condition;
mod conflicts;
mod coverage;
mod lint;
mod location;
mod overlap;
mod run;
#[cfg(test)]
mod tests;

use crate::analyzer::Analyzer;
use crate::parallel;
use kwhy_signature::Signature;

pub use coverage::{CauseCoverage, Form};
pub use lint::{Lint, LintLevel};
pub use overlap::{Overlap, OverlapOutcome};

use run::{ExampleRun, Found};

/// The outcome of one example of a signature.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct ExampleOutcome {
    /// The signature's id.
    pub signature: String,
    /// Its file.
    pub file: String,
    /// The line of the example in the file, counted from 1.
    pub line: usize,
    /// The reason for the failure; `None` if the example passed.
    pub failure: Option<String>,
}

/// The results of all examples of a catalogue.
///
/// ```
/// use kwhy_core::{Analyzer, Catalogue};
/// let mut catalogue = Catalogue::empty();
/// catalogue.add_str("mine.yaml", "
/// id: config-gone
/// cause: storage/configmap-missing
/// severity: error
/// title: ConfigMap {name} is gone
/// match: {event: {reason: FailedMount, message: 'configmap \"{name}\" not found'}}
/// why: it is mounted
/// ").unwrap();
/// let analyzer = Analyzer::with_catalogue(catalogue);
/// let lints = analyzer.proof().lints(|_| true, &[]);
/// assert!(lints.iter().any(|lint| lint.code == "missing-examples"));
/// ```
#[derive(Debug)]
pub struct Proof<'a> {
    analyzer: &'a Analyzer,
    runs: Vec<ExampleRun<'a>>,
}

impl Analyzer {
    /// Runs all examples of the catalogue's signatures, each against the whole catalogue.
    pub fn proof(&self) -> Proof<'_> {
        Proof {
            analyzer: self,
            runs: self.runs(|_| true),
        }
    }

    /// Runs the examples of the catalogue's signatures, each against the whole catalogue.
    ///
    /// ```
    /// use kwhy_core::{Analyzer, Catalogue};
    /// let mut catalogue = Catalogue::empty();
    /// catalogue.add_str("mine.yaml", r#"
    /// id: config-gone
    /// cause: storage/configmap-missing
    /// severity: error
    /// title: ConfigMap {name} is gone
    /// match: {event: {message: 'configmap "{name}" not found'}}
    /// why: it is mounted
    /// examples:
    ///   match:
    ///   - text: 'E0304 05:06:07.123456       1 volumes.go:42] configmap "cart" not found'
    ///   no_match:
    ///   - text: 'E0304 05:06:07.123456       1 volumes.go:42] secret "cart" not found'
    /// "#).unwrap();
    /// let outcomes = Analyzer::with_catalogue(catalogue).test_signatures();
    /// assert_eq!(outcomes.len(), 2);
    /// assert!(outcomes.iter().all(|outcome| outcome.failure.is_none()));
    /// ```
    pub fn test_signatures(&self) -> Vec<ExampleOutcome> {
        self.test_signatures_of(|_| true)
    }

    /// Runs the examples of the `wanted` signatures, each against the whole catalogue.
    pub fn test_signatures_of(&self, wanted: impl Fn(&Signature) -> bool) -> Vec<ExampleOutcome> {
        let runs = self.runs(wanted);
        runs.into_iter().map(ExampleRun::into_outcome).collect()
    }

    /// Lints the catalogue's signatures.
    pub fn lint_signatures(&self) -> Vec<Lint> {
        self.proof().lints(|_| true, &[])
    }

    fn runs(&self, wanted: impl Fn(&Signature) -> bool) -> Vec<ExampleRun<'_>> {
        let signatures = self.catalogue().signatures();
        let signatures: Vec<&Signature> =
            signatures.filter(|&signature| wanted(signature)).collect();
        let runs = parallel::map(signatures, |signature| run::of(self, signature));
        runs.into_iter().flatten().collect()
    }
}

impl Proof<'_> {
    /// The number of examples.
    pub fn examples(&self) -> usize {
        self.runs.len()
    }
}
