//! Parses and validates signature files; every error has a location.

use std::collections::HashSet;
use std::sync::Arc;

use super::causes::Causes;
use super::error::SignatureError;
use super::nearest::{hint, nearest};
use super::schema::{GIVEN, Signature, read_source};
use super::temporal::MISPLACED;

/// The maximum confidence of a frame, a signature that knows only what surrounds the words of a fault.
const MAX_OF_FRAME: f64 = 0.45;

/// A YAML document of a file.
#[derive(Clone, Copy, Debug)]
pub struct YamlDocument<'y> {
    text: &'y str,
    /// The number of lines before it in the file.
    lines_before: usize,
}

impl<'y> YamlDocument<'y> {
    /// The text.
    pub(crate) fn text(&self) -> &'y str {
        self.text
    }

    /// The number of lines before it in the file.
    pub(crate) fn lines_before(&self) -> usize {
        self.lines_before
    }
}

/// The non-empty documents of a YAML text; at least one.
pub fn documents(yaml: &str) -> Vec<YamlDocument<'_>> {
    let mut documents = Vec::new();
    let (mut start, mut first_line, mut filled) = (0, 0, false);
    let mut at = 0;
    for (number, line) in yaml.split_inclusive('\n').enumerate() {
        // no other line can be `---` at the margin, whatever is open
        if line.trim_end() == "---" {
            if filled {
                documents.push(YamlDocument {
                    text: &yaml[start..at],
                    lines_before: first_line,
                });
            }
            (start, first_line, filled) = (at, number, false);
        } else {
            let text = line.trim_start();
            filled |= !text.is_empty() && !text.starts_with('#');
        }
        at += line.len();
    }
    if filled || documents.is_empty() {
        documents.push(YamlDocument {
            text: &yaml[start..],
            lines_before: first_line,
        });
    }
    documents
}

/// The maximum size of one document in bytes: the largest signatures take some tens of KiB.
const MAX_SIZE: usize = 1 << 20;

/// The maximum number of open brackets: the YAML parser's time is quadratic in it.
const MAX_OPEN: usize = 1000;

/// Refuses a document that would take long to parse.
pub(crate) fn check_size(file: &str, text: &str) -> Result<(), SignatureError> {
    let (mut open, mut at) = (0usize, 0);
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => continue,
        }
        if open > MAX_OPEN {
            at = place;
            break;
        }
    }
    let line = text[..at].matches('\n').count() + 1;
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let message = if open > MAX_OPEN {
        format!("more than {MAX_OPEN} brackets are open at once")
    } else if text.len() > MAX_SIZE {
        format!("a signature of more than {MAX_SIZE} bytes")
    } else {
        return Ok(());
    };
    Err(SignatureError::new(
        file,
        "",
        (line, at - start + 1),
        message,
    ))
}

/// Parses the signature of one document, which may name these causes.
///
/// # Errors
/// Returns the first error, with its line in the file.
pub fn read_document(
    file: &str,
    yaml: &str,
    document: &YamlDocument<'_>,
    causes: &Causes,
) -> Result<Signature, SignatureError> {
    let text = document.text;
    check_size(file, text)?;
    let within = |error: SignatureError| error.within(yaml, document.lines_before);
    let mut signature: Signature = serde_yaml::from_str(text)
        .map_err(|error| within(SignatureError::from_yaml(file, text, error)))?;
    check(&signature, causes)
        .map_err(|(piece, message)| within(SignatureError::about(file, text, &piece, message)))?;
    signature.file = file.to_owned().into();
    Ok(signature)
}

/// Returns the signatures of a file's documents in order.
///
/// # Errors
/// Returns the first error.
pub fn joined(
    file: &str,
    yaml: &str,
    parts: Vec<Result<Signature, SignatureError>>,
) -> Result<Vec<Signature>, SignatureError> {
    let text: Arc<str> = yaml.into();
    let mut ids = HashSet::new();
    let mut signatures: Vec<Signature> = Vec::with_capacity(parts.len());
    for part in parts {
        let mut signature = part?;
        if !ids.insert(signature.id.clone()) {
            return Err(SignatureError::taken(file, yaml, &signature.id, file));
        }
        signature.source = read_source(Arc::clone(&text));
        signatures.push(signature);
    }
    Ok(signatures)
}

/// A problem of a signature as a whole.
pub(crate) struct Problem {
    /// The key concerned; empty if there is none.
    pub field: &'static str,
    /// The text concerned.
    pub piece: String,
    /// A description of the problem.
    pub message: String,
    /// True if it is about a value that nothing captures.
    pub is_of_captures: bool,
}

impl Problem {
    fn new(field: &'static str, piece: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem {
            field,
            piece: piece.into(),
            message: message.into(),
            is_of_captures: false,
        }
    }

    fn of_captures(piece: impl Into<String>, message: String) -> Problem {
        Problem {
            is_of_captures: true,
            ..Problem::new("", piece, message)
        }
    }
}

/// Validates the signature as a whole; an error names the text concerned.
pub(super) fn check(signature: &Signature, causes: &Causes) -> Result<(), (String, String)> {
    let problems = problems(signature, causes);
    match problems.into_iter().next() {
        Some(problem) => Err((problem.piece, problem.message)),
        None => Ok(()),
    }
}

/// Returns all problems of a signature as a whole.
pub(crate) fn problems(signature: &Signature, causes: &Causes) -> Vec<Problem> {
    let mut all = Vec::new();
    let id = &signature.id;
    let proper = id
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if id.is_empty() || !proper {
        let message = format!("the id {id:?} must be lower-case words with hyphens");
        all.push(Problem::new("id", id, message));
    }
    if let Some(confidence) = signature.confidence
        && !(0.0..=1.0).contains(&confidence)
    {
        let message = "confidence must be between 0 and 1";
        all.push(Problem::new("confidence", "confidence", message));
    }
    if signature.is_frame()
        && signature
            .confidence
            .is_none_or(|stated| stated > MAX_OF_FRAME)
    {
        let message = format!(
            "a signature of the tier frame states a confidence of {MAX_OF_FRAME} at most: it does not know the words"
        );
        all.push(Problem::new("tier", "tier", message));
    }
    if signature.condition.reach.is_some() {
        all.push(Problem::new("match", "match", MISPLACED));
    }
    if let Err(message) = signature.condition.check_once() {
        all.push(Problem::new("match", "match", message));
    }
    if let Err(message) = signature.condition.check_closed() {
        all.push(Problem::of_captures("where", message));
    }
    of_causes(signature, causes, &mut all);
    let mut patterns = Vec::new();
    signature.condition.patterns(&mut patterns);
    for pattern in patterns {
        let source = pattern.as_str();
        if let Err(message) = pattern.check() {
            all.push(Problem::new("", source, format!("{source:?}: {message}")));
        }
    }
    of_slots(signature, &mut all);
    all
}

/// Adds the problems of unknown causes.
fn of_causes(signature: &Signature, causes: &Causes, all: &mut Vec<Problem>) {
    let explained = signature.explains.iter().map(|rule| &rule.what);
    let ended = signature.ends.iter().map(|rule| &rule.what);
    for what in explained.filter(|what| what.contains('/')) {
        let known = known_cause(what, causes).map_err(|it| Problem::new("explains", what, it));
        all.extend(known.err());
    }
    for what in ended.filter(|what| what.contains('/')) {
        let known = known_family(what, causes).map_err(|it| Problem::new("ends", what, it));
        all.extend(known.err());
    }
    for family in &signature.families {
        let known = known_family(&format!("{family}/*"), causes);
        let problem = known.map_err(|it| Problem::new("families", family, it));
        all.extend(problem.err());
    }
    let own = &signature.cause;
    let known = known_cause(own, causes).map_err(|it| Problem::new("cause", own, it));
    all.extend(known.err());
}

/// Adds the problems of values that nothing captures, and of unusable commands.
fn of_slots(signature: &Signature, all: &mut Vec<Problem>) {
    let mut captured = Vec::new();
    signature.condition.captures(&mut captured);
    // an image reference contains its registry
    let of_image = |name: &str| name == "registry" && captured.contains(&"image");
    let known = |name: &str| GIVEN.contains(&name) || captured.contains(&name) || of_image(name);
    let unknown = |what: &str, slot: &str| {
        let near = hint(slot, captured.iter().chain(GIVEN).copied());
        let message = format!("the {what} uses {{{slot}}}, which nothing captures{near}");
        Problem::of_captures(format!("{{{slot}"), message)
    };
    for (what, template) in signature.templates() {
        let slots = template.slots().filter(|slot| !known(slot));
        all.extend(slots.map(|slot| unknown(what, slot)));
    }
    for (what, run) in signature.commands() {
        let source = run.as_str();
        if let Err(message) = run.check() {
            let message = format!("the {what} {source:?}: {message}");
            all.push(Problem::new("", source, message));
            continue;
        }
        let slots = run.slots().filter(|(slot, _)| !known(slot));
        all.extend(slots.map(|(slot, _)| unknown(what, slot)));
    }
    for name in signature.values.keys() {
        let mut commands = signature.commands();
        if !commands.any(|(_, run)| run.slots().any(|(slot, _)| slot == name)) {
            let message = format!("no command uses {{{name}}}, so its type has no effect");
            all.push(Problem::new("values", name, message));
        }
    }
    let names = signature.since.iter().chain(&signature.extent);
    let fold = signature.fold.iter().flatten();
    for name in names.chain(fold).filter(|name| !known(name)) {
        let near = hint(name, captured.iter().copied());
        let message = format!("nothing captures {name:?}{near}");
        all.push(Problem::of_captures(name, message));
    }
}

/// Checks that a cause, or a family of causes `family/*`, is known.
fn known_family(what: &str, causes: &Causes) -> Result<(), String> {
    let Some(family) = what.strip_suffix('*') else {
        return known_cause(what, causes);
    };
    match causes.ids().any(|known| known.starts_with(family)) {
        true => Ok(()),
        false => Err(format!("no cause starts with {family:?}")),
    }
}

fn known_cause(id: &str, causes: &Causes) -> Result<(), String> {
    if causes.meaning(id).is_some() {
        return Ok(());
    }
    let (_, wanted) = id.split_once('/').unwrap_or(("", id));
    let same_name = causes.ids().find(|known| known.ends_with(wanted));
    Err(match same_name.or_else(|| nearest(id, causes.ids())) {
        Some(near) => format!("unknown cause {id:?}; did you mean `{near}`?"),
        None => format!("unknown cause {id:?}; causes.yaml beside the signatures may name it"),
    })
}
