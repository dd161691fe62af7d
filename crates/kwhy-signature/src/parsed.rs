//! Parses patterns: their expressions, their slots, and the literals that every match contains.

use std::sync::OnceLock;

use regex_syntax::hir::{Capture, Hir, Look};

use super::case;
use super::digest::Digest;
use super::hir::may_be_trimmed;
use super::literals;
use super::meaning::{Loosening, Scope};
use super::phrases::{self, Required};
use super::words;

/// A parsed pattern, before it is loosened.
struct Written {
    /// The expression, in lower case unless case matters.
    hir: Hir,
    /// The expression in lower case.
    lower: Hir,
    form: Form,
    measure: Measure,
}

/// The forms in which a pattern is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Template,
    Expression,
    /// An expression over text in which case matters somewhere.
    CaseSensitive,
    /// An expression that is not loosened.
    Verbatim,
}

impl Written {
    fn read(source: &str) -> Result<Written, String> {
        match source.strip_prefix("regex:") {
            Some(expression) => from_regex(expression.trim_start()),
            None => from_template(source),
        }
    }
}

/// The measures of what a pattern requires, as written.
struct Measure {
    weight: usize,
    least_length: usize,
}

/// Derives the digest of a pattern.
pub(super) fn digest(source: &str) -> Result<Digest, String> {
    let written = Written::read(source)?;
    let lower = &written.lower;
    let (loosening, loose, searched) = match written.form {
        Form::Verbatim => (None, lower.clone(), phrases::phrases(lower)),
        form => {
            let (scope, loose, searched) = loosened(lower);
            let loosening = match form {
                // words may be added outside the searched literal
                Form::Template => Loosening::with_gaps(scope, searched.spaces.clone()),
                _ => Loosening::new(scope),
            };
            (Some(loosening), loose, searched)
        }
    };
    Ok(Digest {
        is_exact: matches!(written.form, Form::Verbatim | Form::CaseSensitive),
        loosening,
        literals: phrases::telling_words(&loose),
        byte: match written.form {
            Form::Template => None,
            _ => literals::required_byte(&loose, u8::is_ascii_punctuation),
        },
        phrases: searched.texts,
        demanded: literals::demanded(&loose),
        weight: written.measure.weight,
        least_length: written.measure.least_length,
        may_be_trimmed: may_be_trimmed(&loose),
    })
}

/// Builds the expression with which a pattern is matched.
pub(super) fn expression(source: &str, digest: &Digest) -> Option<Hir> {
    let hir = Written::read(source).ok()?.hir;
    let Some(loosening) = &digest.loosening else {
        return Some(hir);
    };
    let loose = loosening.loosen(&hir).0;
    Some(if digest.is_exact {
        case::in_any(&loose)
    } else {
        loose
    })
}

/// Returns the names that a pattern captures, in order, without parsing the rest of it.
pub(super) fn slot_names(source: &str) -> Vec<String> {
    let is_expression = source.starts_with("regex:");
    let bytes = source.as_bytes();
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let opened = match bytes[at] {
            // an escaped character is not special
            b'\\' if is_expression => {
                at += 1;
                None
            }
            b'(' if is_expression => {
                (rest.strip_prefix("(?P<")).or_else(|| rest.strip_prefix("(?<"))
            }
            b'{' if !is_expression && rest.starts_with("{{") => {
                at += 1;
                None
            }
            b'{' if !is_expression => Some(&rest[1..]),
            _ => None,
        };
        let end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let name = opened.and_then(|opened| opened.split(end).next());
        names.extend(
            name.filter(|name| !matches!(*name, "" | "_"))
                .map(str::to_owned),
        );
        at += source[at..].chars().next().map_or(1, char::len_utf8);
    }
    names
}

/// The type of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlotType {
    /// At least one character of the line; as few as fit, or as many at the pattern's end.
    Text,
    /// A text between double quotes: without a double quote.
    Quoted,
    /// Without spaces and quotes.
    Word,
    /// Digits.
    Int,
    /// A decimal number.
    Number,
    /// A Kubernetes quantity.
    Quantity,
    /// A file path: starts with `/`, no spaces.
    Path,
    /// `host:port` or a bare address.
    Address,
    /// The rest of the line, which may be empty.
    Rest,
}

impl SlotType {
    fn from_name(name: &str) -> Option<SlotType> {
        Some(match name {
            "text" => SlotType::Text,
            "word" => SlotType::Word,
            "int" => SlotType::Int,
            "number" => SlotType::Number,
            "quantity" => SlotType::Quantity,
            "path" => SlotType::Path,
            "address" => SlotType::Address,
            "rest" => SlotType::Rest,
            _ => return None,
        })
    }

    /// Returns the expression of its values in lower case; `last` is true if nothing follows it in the pattern.
    fn hir(self, last: bool) -> Hir {
        static KNOWN: [OnceLock<Hir>; 2 * (SlotType::Rest as usize + 1)] =
            [const { OnceLock::new() }; 2 * (SlotType::Rest as usize + 1)];
        let make = || parse(self.regex(last)).unwrap_or_else(|_| Hir::fail());
        let known = KNOWN.get(2 * self as usize + usize::from(last));
        known.map_or_else(make, |known| known.get_or_init(make).clone())
    }

    fn regex(self, last: bool) -> &'static str {
        match self {
            SlotType::Text if last => "[^\\n]+",
            SlotType::Text => "[^\\n]+?",
            SlotType::Quoted => "[^\"\\n]+",
            SlotType::Word => "[^\\s\"'`,;]+",
            SlotType::Int => "[0-9]+",
            SlotType::Number => "-?[0-9]+(?:\\.[0-9]+)?",
            SlotType::Quantity => "[0-9]+(?:\\.[0-9]+)?(?:[kmgtpe]i|[munkgtpe]|e[0-9]+)?",
            SlotType::Path => "/[^\\s\"'`,;:]*",
            SlotType::Address => "(?:\\[[0-9a-f:.]+\\]|[0-9a-z._-]+)(?::[0-9]+)?",
            SlotType::Rest => "[^\\n]*",
        }
    }
}

/// The values that a slot accepts.
#[derive(Clone, Copy)]
enum Accepted {
    Type(SlotType),
    /// Phrases, by the number of their type in `words.yaml`.
    Phrases(usize),
}

impl Accepted {
    fn from_name(name: &str) -> Option<Accepted> {
        let of_type = SlotType::from_name(name).map(Accepted::Type);
        of_type.or_else(|| words::type_number(name).map(Accepted::Phrases))
    }

    /// Returns its expression in lower case; `last` is true if nothing follows it in the pattern.
    fn hir(self, last: bool) -> Hir {
        match self {
            Accepted::Type(of_type) => of_type.hir(last),
            Accepted::Phrases(number) => words::of_type(number),
        }
    }
}

pub(super) fn parse(expression: &str) -> Result<regex_syntax::hir::Hir, String> {
    regex_syntax::ParserBuilder::new()
        .unicode(false)
        .utf8(false)
        .build()
        .parse(expression)
        .map_err(|error| format!("the regular expression: {error}"))
}

/// The flag at the start of a case-sensitive regular expression.
const EXACT: &str = "(?-i)";

fn from_regex(expression: &str) -> Result<Written, String> {
    let parsed = parse(expression)?;
    let measure = Measure {
        weight: literals::weight_of(&parsed),
        least_length: parsed.properties().minimum_len().unwrap_or(0),
    };
    let lower = case::folded(&parsed);
    let (form, hir) = if expression.starts_with(EXACT) {
        (Form::Verbatim, parsed)
    } else if case::matters(&parsed) {
        (Form::CaseSensitive, case::with_small_literals(&parsed))
    } else {
        (Form::Expression, lower.clone())
    };
    Ok(Written {
        hir,
        lower,
        form,
        measure,
    })
}

/// Loosens an expression as much as possible while keeping texts by which it is found in a large log, and returns it
/// with these texts.
fn loosened(lower: &Hir) -> (Scope, Hir, Required) {
    let mut scope = Scope::All;
    loop {
        let (hir, used) = Loosening::new(scope).loosen(lower);
        let searched = phrases::phrases(&hir);
        // the next scope that makes a difference is below the one used
        match used.filter(|_| !searched.is_rare()).and_then(Scope::below) {
            Some(below) => scope = below,
            None => return (scope, hir, searched),
        }
    }
}

fn from_template(source: &str) -> Result<Written, String> {
    let (anchored, rest) = match source.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, source),
    };
    let (closed, rest) = match rest.strip_suffix('$') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let mut template = Template::default();
    if anchored {
        template.parts.push(Hir::look(Look::Start));
    }
    let mut weight = 0;
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' if chars.next_if_eq(&'{').is_none() => {
                let mut slot = String::new();
                loop {
                    match chars.next() {
                        Some('}') => break,
                        Some(c) if c.is_ascii_alphanumeric() || c == '_' || c == ':' => {
                            slot.push(c)
                        }
                        _ => return Err(format!("the slot {{{slot} is not closed")),
                    }
                }
                let quoted = template.text.ends_with('"') && chars.peek() == Some(&'"');
                let (name, kind) = match slot.split_once(':') {
                    Some((name, kind)) => (name, Accepted::from_name(kind)),
                    None if quoted => (slot.as_str(), Some(Accepted::Type(SlotType::Quoted))),
                    None => (slot.as_str(), Some(Accepted::Type(SlotType::Text))),
                };
                let kind = kind.ok_or_else(|| format!("unknown slot type in {{{slot}}}"))?;
                let last = chars.peek().is_none();
                if let Accepted::Phrases(number) = kind {
                    weight += words::least_letters(number);
                }
                template.add_slot(name, kind.hir(last))?;
            }
            '}' if chars.next_if_eq(&'}').is_none() => {
                return Err("a closing brace without an opening one; write }} for a brace".into());
            }
            c => {
                weight += usize::from(c.is_alphanumeric());
                template.text.push(c.to_ascii_lowercase());
            }
        }
    }
    if weight == 0 && template.slots.is_empty() {
        return Err("an empty pattern".into());
    }
    let hir = template.end(closed);
    Ok(Written {
        lower: hir.clone(),
        hir,
        form: Form::Template,
        measure: Measure {
            weight,
            least_length: weight,
        },
    })
}

/// A template's expression under construction.
#[derive(Default)]
struct Template {
    parts: Vec<Hir>,
    slots: Vec<String>,
    /// Literal text that has not become a part yet.
    text: String,
}

impl Template {
    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        self.parts.push(Hir::literal(text.into_bytes()));
    }

    fn end(mut self, closed: bool) -> Hir {
        self.end_text();
        if closed {
            self.parts.push(Hir::look(Look::End));
        }
        Hir::concat(self.parts)
    }

    fn add_slot(&mut self, name: &str, accepts: Hir) -> Result<(), String> {
        self.end_text();
        if name == "_" {
            self.parts.push(accepts);
            return Ok(());
        }
        let proper = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !proper {
            return Err(format!(
                "{name:?} is no slot name: use lower-case letters, digits and _"
            ));
        }
        if self.slots.iter().any(|known| known == name) {
            return Err(format!("the slot {{{name}}} occurs twice in one pattern"));
        }
        self.slots.push(name.to_owned());
        self.parts.push(Hir::capture(Capture {
            index: u32::try_from(self.slots.len()).unwrap_or(u32::MAX),
            name: Some(name.into()),
            sub: Box::new(accepts),
        }));
        Ok(())
    }
}
