//! Secrets never leave: values of names like `DB_PASSWORD`, passwords in addresses, tokens, private keys, the data
//! of Secrets. Conditions are tested on the original text; everything that is reported is masked here.
//!
//! In their place occurs `MARK`, whatever their length. Names stay: of objects, keys, files, users.

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

/// Of values that are at least so long all copies are masked in what is reported with them.
const SHORTEST: usize = 4;

/// What becomes of secrets in what is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecretPolicy {
    /// They are masked.
    #[default]
    Mask,
    /// They stay as they are.
    Show,
}

impl SecretPolicy {
    /// The places of the secrets that are masked in a text: found when first asked for, or none at all.
    pub fn places(self) -> OnceLock<Secrets> {
        match self {
            SecretPolicy::Mask => OnceLock::new(),
            SecretPolicy::Show => OnceLock::from(Secrets::default()),
        }
    }

    /// A path as it is shown: the names of files and folders may contain secrets too.
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

/// The places of secrets in a text.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<Span>);

impl Secrets {
    /// Those of a text.
    pub fn of(text: &str) -> Secrets {
        Secrets(find::secrets(text))
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that a range overlaps.
    pub fn within(&self, span: &Span) -> &[Span] {
        let first = self.0.partition_point(|secret| secret.end <= span.start);
        let last = self.0.partition_point(|secret| secret.start < span.end);
        self.0.get(first..last.max(first)).unwrap_or_default()
    }

    /// Masks in a text that was made of a range of the document what is there.
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

/// A text without its secrets.
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
