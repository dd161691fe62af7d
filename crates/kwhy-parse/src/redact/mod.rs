//! Masks secrets: values of names like `DB_PASSWORD`, passwords in addresses, tokens, private keys, the data
//! of Secrets. Conditions are tested on the original text; everything that is reported is masked here.
//!
//! A secret of any length is replaced by `MARK`. Names of objects, keys, files and users are kept.

mod apply;
mod copy;
mod edits;
mod find;
mod identity;
mod maker;
mod names;
mod objects;
mod options;
mod quote;
mod sentence;
mod shape_of_identity;
mod shapes;
mod tokens;
mod triggers;
mod value;

use std::borrow::Cow;
use std::sync::OnceLock;

use kwhy_model::Span;

pub use apply::parsed;
pub use identity::Identities;

/// The text that replaces a secret.
pub(crate) const MARK: &str = "***";

/// The minimum length of a secret for which all copies within a reported text are masked.
const SHORTEST: usize = 4;

/// The treatment of secrets in reported texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecretPolicy {
    /// Secrets are masked.
    #[default]
    Mask,
    /// Secrets are shown.
    Show,
}

impl SecretPolicy {
    /// Returns the ranges to mask in a text: computed on demand, or none.
    pub fn places(self) -> OnceLock<Secrets> {
        match self {
            SecretPolicy::Mask => OnceLock::new(),
            SecretPolicy::Show => OnceLock::from(Secrets::default()),
        }
    }

    /// Returns a path as it is shown, since names of files and folders may contain secrets too.
    pub fn shown(self, path: &str) -> Cow<'_, str> {
        let parts = || path.split('/').map(masked);
        match self {
            SecretPolicy::Mask if parts().any(|part| matches!(part, Cow::Owned(_))) => {
                Cow::Owned(parts().collect::<Vec<_>>().join("/"))
            }
            _ => Cow::Borrowed(path),
        }
    }
}

/// The ranges of secrets in a text.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<Span>);

impl Secrets {
    /// Finds the secrets in a text.
    pub fn of(text: &str) -> Secrets {
        Secrets(find::secrets(text))
    }

    /// Returns true if there are no secrets.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the secrets that overlap a range.
    pub fn within(&self, span: &Span) -> &[Span] {
        let first = self.0.partition_point(|secret| secret.end <= span.start);
        let last = self.0.partition_point(|secret| secret.start < span.end);
        self.0.get(first..last.max(first)).unwrap_or_default()
    }

    /// Masks secrets in a text that was derived from a range of the document.
    pub fn hide(&self, document: &str, range: &Span, text: &mut String) {
        for secret in self.within(range) {
            let value = document.get(secret.clone()).unwrap_or("");
            if text == value {
                MARK.clone_into(text);
            } else if value.len() >= SHORTEST && text.contains(value) {
                *text = text.replace(value, MARK);
            }
        }
        if let Cow::Owned(masked) = masked(text) {
            *text = masked;
        }
    }
}

/// Returns a text with its secrets masked.
///
/// ```
/// use kwhy_parse::redact::masked;
///
/// assert_eq!(masked("retry=3 password=hunter2"), "retry=3 password=***");
/// assert_eq!(masked("nothing secret"), "nothing secret");
/// ```
pub fn masked(text: &str) -> Cow<'_, str> {
    let secrets = find::secrets(text);
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut kept = 0;
    for secret in secrets {
        masked.push_str(text.get(kept..secret.start).unwrap_or(""));
        masked.push_str(MARK);
        kept = secret.end;
    }
    masked.push_str(text.get(kept..).unwrap_or(""));
    Cow::Owned(masked)
}

#[cfg(test)]
mod tests;
