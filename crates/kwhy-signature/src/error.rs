//! Errors in signature files.

use std::sync::Arc;

/// An error in a signature file, with its location. Its source is the YAML reader's error, if it is one.
///
/// ```
/// use std::error::Error;
/// use kwhy_signature::{Causes, check};
/// let causes = Causes::default();
/// let yaml = "id: [";
/// let error = check::read_document("mine.yaml", yaml, &check::documents(yaml)[0], &causes).unwrap_err();
/// assert_eq!((error.file(), error.line()), ("mine.yaml", 1));
/// assert!(error.is_yaml() && !error.is_taken_id());
/// assert!(error.source().is_some());
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct SignatureError {
    kind: Kind,
    #[source]
    yaml: Option<Arc<serde_yaml::Error>>,
    file: String,
    line: usize,
    column: usize,
    message: String,
    source_text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Yaml,
    TakenId,
    Invalid,
}

impl SignatureError {
    /// Creates the error for a line and column, both counted from 1.
    pub fn new(file: &str, source: &str, at: (usize, usize), message: String) -> Self {
        SignatureError {
            kind: Kind::Invalid,
            yaml: None,
            file: file.to_owned(),
            line: at.0,
            column: at.1,
            message,
            source_text: source.to_owned(),
        }
    }

    /// An error of the YAML reader, at the value that it is about.
    pub fn from_yaml(file: &str, source: &str, error: serde_yaml::Error) -> Self {
        let message = error.to_string();
        // the location is reported separately
        let message = message
            .split(" at line ")
            .next()
            .unwrap_or(&message)
            .to_owned();
        let (start, at) = error
            .location()
            .map_or((0, (1, 1)), |at| (at.index(), (at.line(), at.column())));
        // the reader marks the mapping; the value that the message quotes is inside it
        let exact = quoted(&message).and_then(|value| {
            source
                .get(start..)?
                .find(&value)
                .map(|offset| place(source, start + offset))
        });
        SignatureError {
            kind: Kind::Yaml,
            yaml: Some(Arc::new(error)),
            ..SignatureError::new(file, source, exact.unwrap_or(at), message)
        }
    }

    /// Converts an error in a part of a file into one of the whole file, with `lines_before` lines
    /// before the part.
    pub(crate) fn within(mut self, source: &str, lines_before: usize) -> Self {
        self.line += lines_before;
        self.source_text = source.to_owned();
        self
    }

    /// Creates an error about a text, located by searching for it in the file.
    pub fn about(file: &str, source: &str, piece: &str, message: String) -> Self {
        let at = source.find(piece).map_or((1, 1), |at| place(source, at));
        SignatureError::new(file, source, at, message)
    }

    /// Creates an error for an id that a signature of another file already has.
    pub fn taken(file: &str, source: &str, id: &str, by: &str) -> Self {
        let message = format!("the id {id:?} is already used by {by}");
        SignatureError {
            kind: Kind::TakenId,
            ..SignatureError::about(file, source, id, message)
        }
    }

    /// Returns true if the file is not YAML, or has a key, a value or a pattern that a signature cannot have.
    pub fn is_yaml(&self) -> bool {
        self.kind == Kind::Yaml
    }

    /// Returns true if another signature has the same id.
    pub fn is_taken_id(&self) -> bool {
        self.kind == Kind::TakenId
    }

    /// The file's name.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column, counted from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// The message, without the location.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The file's text, for displaying the location.
    pub fn source_text(&self) -> &str {
        &self.source_text
    }
}

/// The line and column of a byte offset, counted from 1.
fn place(source: &str, at: usize) -> (usize, usize) {
    let before = &source[..at];
    (
        before.matches('\n').count() + 1,
        at - before.rfind('\n').map_or(0, |end| end + 1) + 1,
    )
}

/// The first text in double quotes in a message, unescaped; failing that, in backquotes.
fn quoted(message: &str) -> Option<String> {
    if let Some(start) = message.find('"') {
        let mut values =
            serde_json::Deserializer::from_str(&message[start..]).into_iter::<String>();
        return values.next()?.ok();
    }
    let start = message.find('`')? + 1;
    message[start..].split('`').next().map(str::to_owned)
}
