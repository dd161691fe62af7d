//! The parsed form of a pattern: its expression, its slots, and the literals of every text that it matches.

use super::hir::may_be_trimmed;
use super::literals::{self, Phrases};
use super::tokens::in_words;
use kwhy_prefilter::Token;

/// The parsed form of a pattern, made when it is first asked for.
#[derive(Default)]
pub(super) struct Parts {
    pub regex: String,
    pub slots: Vec<String>,
    /// Texts of which each match contains one, as it is; none if nothing is known.
    pub literals: Vec<Token>,
    /// A byte that every match contains, which most texts lack.
    pub byte: Option<u8>,
    pub phrases: Vec<String>,
    pub words: Vec<String>,
    /// The number of literal characters that it demands: the measure of how specific it is.
    pub weight: usize,
    /// The length of the shortest text that it matches, in bytes.
    pub least_length: usize,
    /// True if its expression may start with what may be missing.
    pub may_be_trimmed: bool,
}

impl Parts {
    /// Reads a pattern as it is written.
    pub fn read(source: &str) -> Result<Parts, String> {
        match source.strip_prefix("regex:") {
            Some(expression) => from_regex(expression.trim_start()),
            None => from_template(source),
        }
    }
}

/// The type of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlotType {
    /// At least one character of the line; as few as fit, at the pattern's end as many.
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
    /// All that is left of the line, also nothing.
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

    fn regex(self, last: bool) -> &'static str {
        match self {
            SlotType::Text if last => "[^\\n]+",
            SlotType::Text => "[^\\n]+?",
            SlotType::Quoted => "[^\"\\n]+",
            SlotType::Word => "[^\\s\"'`,;]+",
            SlotType::Int => "[0-9]+",
            SlotType::Number => "-?[0-9]+(?:\\.[0-9]+)?",
            SlotType::Quantity => "[0-9]+(?:\\.[0-9]+)?(?:[KMGTPE]i|[munkMGTPE]|[eE][0-9]+)?",
            SlotType::Path => "/[^\\s\"'`,;:]*",
            SlotType::Address => "(?:\\[[0-9a-fA-F:.]+\\]|[0-9A-Za-z._-]+)(?::[0-9]+)?",
            SlotType::Rest => "[^\\n]*",
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

fn from_regex(expression: &str) -> Result<Parts, String> {
    let parsed = parse(expression)?;
    let mut slots = Vec::new();
    literals::names(&parsed, &mut slots);
    let phrases = literals::required(&parsed);
    // spaces may be wrapped, and what follows a quote is a quote or a backslash
    let longest = |phrase: &String| {
        let words = phrase.split([' ', '"', '\\']);
        words.max_by_key(|word| word.len()).map(str::to_owned)
    };
    let mut words: Vec<String> = phrases.iter().filter_map(longest).collect();
    words.sort_unstable();
    words.dedup();
    if words.iter().any(String::is_empty) {
        words.clear();
    }
    Ok(Parts {
        regex: expression.to_owned(),
        slots,
        byte: literals::required_byte(&parsed),
        literals: words.iter().map(|word| Token::new(word)).collect(),
        phrases,
        words: owned(literals::plain_runs(&parsed).iter()),
        weight: literals::weight_of(&parsed),
        least_length: parsed.properties().minimum_len().unwrap_or(0),
        may_be_trimmed: may_be_trimmed(&parsed),
    })
}

fn from_template(source: &str) -> Result<Parts, String> {
    let (anchored, rest) = match source.strip_prefix('^') {
        Some(rest) => ("\\A", rest),
        None => ("", source),
    };
    let (closed, rest) = match rest.strip_suffix('$') {
        Some(rest) => ("\\z", rest),
        None => ("", rest),
    };
    let mut regex = String::from(anchored);
    let mut slots: Vec<String> = Vec::new();
    let mut literals = vec![String::new()];
    let mut phrases = Phrases::default();
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
                let quoted = regex.ends_with('"') && chars.peek() == Some(&'"');
                let (name, kind) = match slot.split_once(':') {
                    Some((name, kind)) => (name, SlotType::from_name(kind)),
                    None if quoted => (slot.as_str(), Some(SlotType::Quoted)),
                    None => (slot.as_str(), Some(SlotType::Text)),
                };
                let kind = kind.ok_or_else(|| format!("unknown slot type in {{{slot}}}"))?;
                let last = chars.peek().is_none();
                add_slot(&mut regex, &mut slots, name, kind.regex(last))?;
                literals.push(String::new());
                phrases.end();
            }
            '}' if chars.next_if_eq(&'}').is_none() => {
                return Err("a closing brace without an opening one; write }} for a brace".into());
            }
            ' ' => {
                regex.push_str("\\s+");
                // a space may be any run of spaces, so it ends a literal
                literals.push(String::new());
                phrases.add(' ');
            }
            c => {
                weight += usize::from(c.is_alphanumeric());
                phrases.add(c);
                regex.push_str(&regex_syntax::escape(c.encode_utf8(&mut [0; 4])));
                if let Some(literal) = literals.last_mut() {
                    literal.push(c);
                }
            }
        }
    }
    regex.push_str(closed);
    let words = owned(literals.iter());
    let longest = literals
        .into_iter()
        .max_by_key(String::len)
        .unwrap_or_default();
    if weight == 0 && slots.is_empty() {
        return Err("an empty pattern".into());
    }
    let literal = (!longest.is_empty()).then(|| Token::new(&longest));
    let literals = literal.into_iter().collect();
    // a slot or a space
    let may_be_trimmed = rest.starts_with(['{', ' ']);
    Ok(Parts {
        regex,
        slots,
        byte: None,
        literals,
        may_be_trimmed,
        phrases: phrases.longest(),
        words,
        weight,
        least_length: weight,
    })
}

/// The words of texts, each once.
fn owned<'t>(texts: impl Iterator<Item = &'t String>) -> Vec<String> {
    let mut words: Vec<String> = texts
        .flat_map(|text| in_words(text))
        .map(str::to_owned)
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn add_slot(
    regex: &mut String,
    slots: &mut Vec<String>,
    name: &str,
    accepts: &str,
) -> Result<(), String> {
    if name == "_" {
        regex.push_str(&format!("(?:{accepts})"));
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
    if slots.iter().any(|known| known == name) {
        return Err(format!("the slot {{{name}}} stands twice in one pattern"));
    }
    regex.push_str(&format!("(?P<{name}>{accepts})"));
    slots.push(name.to_owned());
    Ok(())
}
