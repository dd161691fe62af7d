//! Errors in signature files.

use std::sync::Arc;

use super::nearest::{hint, nearest};

/// An error in a signature file, with its location. Its source is the YAML parser's error, if there is one.
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

    /// Creates an error from one of the YAML parser, located at the value concerned.
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
        let at = match has_other_breaks(source) {
            true => {
                let whole = (0..=start).rev().find(|at| source.is_char_boundary(*at));
                place(source, whole.unwrap_or(0))
            }
            false => at,
        };
        // the parser locates the mapping; the value quoted by the message is inside it
        let exact = quoted(&message).and_then(|value| {
            source
                .get(start..)?
                .find(&value)
                .map(|offset| place(source, start + offset))
        });
        let message = in_words(&message);
        SignatureError {
            kind: Kind::Yaml,
            yaml: Some(Arc::new(error)),
            ..SignatureError::new(file, source, exact.unwrap_or(at), message)
        }
    }

    /// Creates an error from the YAML parser's message, without location and path, at a known place.
    pub(crate) fn refused(file: &str, source: &str, at: (usize, usize), words: &str) -> Self {
        SignatureError {
            kind: Kind::Yaml,
            ..SignatureError::new(file, source, at, in_words(words))
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

    /// Returns true if the file is not YAML, or has a key, value or pattern that is invalid in a signature.
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

/// Rewords the YAML parser's message in the terms of signature files, with a suggestion if a key is misspelled.
fn in_words(message: &str) -> String {
    let (path, words) = match message.split_once(": ") {
        Some((path, words)) if !path.contains(' ') => (format!("{path}: "), words),
        _ => (String::new(), message),
    };
    let between = |start: &str| words.strip_prefix(start)?.split('`').next();
    let expected: Vec<&str> = match words.split_once("expected ") {
        Some((_, expected)) => expected.split('`').skip(1).step_by(2).collect(),
        None => Vec::new(),
    };
    let list = || {
        let quoted: Vec<String> = expected.iter().map(|it| format!("`{it}`")).collect();
        quoted.join(", ")
    };
    if let Some(key) = between("unknown field `") {
        return path
            + &match nearest(key, expected.iter().copied()) {
                Some(near) => format!("unknown key `{key}`; did you mean `{near}`?"),
                None => format!("unknown key `{key}`, expected one of {}", list()),
            };
    }
    if let Some(value) = between("unknown variant `") {
        let near = hint(value, expected.iter().copied());
        return path + &format!("`{value}` is not one of {}{near}", list());
    }
    if let Some(key) = between("missing field `") {
        return path + &format!("the key `{key}` is missing");
    }
    if let Some(rest) = words.strip_prefix("invalid type: ")
        && let Some((found, wanted)) = rest.rsplit_once(", expected ")
    {
        let found = match found.split_once(' ') {
            Some(("string", text)) => format!("the text {text}"),
            _ if found == "sequence" => "a list".to_owned(),
            _ if found == "map" => "a map of keys".to_owned(),
            _ => found.replace('`', ""),
        };
        let wanted = match wanted {
            "a sequence" => "a list",
            "a map" => "a map of keys",
            "a string" => "a text",
            _ if wanted.starts_with("struct ") => "a map of keys",
            wanted => wanted,
        };
        return path + &format!("{found} is not {wanted}");
    }
    path + words
}

/// The line and column of a byte offset, counted from 1.
pub(crate) fn place(source: &str, at: usize) -> (usize, usize) {
    let before = &source[..at];
    (
        before.matches('\n').count() + 1,
        at - before.rfind('\n').map_or(0, |end| end + 1) + 1,
    )
}

/// Returns true if a text has line ends that YAML parsers count and editors do not.
pub(crate) fn has_other_breaks(text: &str) -> bool {
    let ends = |at: usize| !text[at + 1..].starts_with('\n');
    text.contains(['\u{85}', '\u{2028}', '\u{2029}'])
        || text.match_indices('\r').any(|(at, _)| ends(at))
}

/// Returns the first text in double quotes in a message, unescaped; failing that, the first in backquotes.
pub(crate) fn quoted(message: &str) -> Option<String> {
    if let Some(start) = message.find('"') {
        let mut values =
            serde_json::Deserializer::from_str(&message[start..]).into_iter::<String>();
        return values.next()?.ok();
    }
    let start = message.find('`')? + 1;
    message[start..].split('`').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_editors() {
        let source = "a: 1\nb: 'x\r\r\ry\nc: 2\n";
        let error = serde_yaml::from_str::<serde_yaml::Value>(source).unwrap_err();
        let error = SignatureError::from_yaml("a.yaml", source, error);
        assert!((2..=4).contains(&error.line()), "{error}");
        let plain = "a: 1\r\nb: [x\r\nc: 2\r\n";
        let error = serde_yaml::from_str::<serde_yaml::Value>(plain).unwrap_err();
        let place = error.location().map(|at| (at.line(), at.column()));
        let error = SignatureError::from_yaml("a.yaml", plain, error);
        assert_eq!(Some((error.line(), error.column())), place);
    }
}
