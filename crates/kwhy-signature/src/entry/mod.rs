//! Tests of an entry: the whole text of a raw record, rather than what was parsed from it.
//!
//! The terms of community rules are such tests; native signatures can use them as `entry`.

mod jq;
mod literals;
mod re2;

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use memchr::{memchr, memmem};
use regex_automata::Input;
use regex_syntax::hir::Hir;
use serde::de::{Deserialize, Deserializer, Error as _};

use super::expression::{Expression, MAX_SIZE};
use super::hir::most_bytes;
use super::literals::required_byte;
use super::tokens;
use jq::Program;

/// The maximum length of a term in bytes.
const MAX_TERM: usize = 16 << 10;

/// The maximum work of a regular expression on one entry: states of the expression times bytes of the text.
const MAX_WORK: usize = 1 << 28;

/// The message for a test of any other form.
const EXPECTED: &str = "an entry is exactly one of value, regex and jq";

/// A test of an entry.
pub struct EntryTerm {
    source: String,
    test: Test,
    literals: Vec<String>,
    demanded: Vec<Vec<Vec<String>>>,
    weight: usize,
}

enum Test {
    Value(Box<memmem::Finder<'static>>),
    Regex {
        expression: Box<Lazy>,
        states: usize,
        spans_lines: bool,
        /// A byte, neither letter nor digit, that every match contains.
        sign: Option<u8>,
    },
    Jq(Box<Program>),
}

/// An expression that is compiled when first tested, as most rules have no text that occurs in an input.
struct Lazy {
    hir: Hir,
    compiled: OnceLock<Option<Expression>>,
}

impl Lazy {
    /// Creates an expression, compiling it at once if it may be too large; `None` if it is.
    fn new(hir: Hir) -> Option<Lazy> {
        let lazy = Lazy {
            compiled: OnceLock::new(),
            hir,
        };
        match most_bytes(&lazy.hir) <= MAX_SIZE {
            true => Some(lazy),
            false => lazy.get().is_some().then_some(lazy),
        }
    }

    fn get(&self) -> Option<&Expression> {
        let compiled = self.compiled.get_or_init(|| Expression::new(&self.hir));
        compiled.as_ref()
    }
}

/// The result of a test of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryMatch {
    /// The term does not match.
    No,
    /// The term matches; the byte range of the text that shows it.
    At(Range<usize>),
    /// The test stopped at a limit without a result.
    Stopped,
}

impl EntryTerm {
    /// Parses a term, given the key under which it is written.
    pub(crate) fn of(key: &str, text: &str) -> Result<EntryTerm, String> {
        match key {
            "value" => EntryTerm::value(text),
            "regex" => EntryTerm::regex(text),
            "jq" => EntryTerm::jq(text),
            _ => Err(EXPECTED.into()),
        }
    }

    /// Creates a term for a literal text.
    ///
    /// # Errors
    /// The text is empty or too long.
    pub fn value(text: &str) -> Result<EntryTerm, String> {
        check_length(text)?;
        if text.is_empty() {
            return Err("an empty value is found in every entry".into());
        }
        let small = text.to_ascii_lowercase();
        let words = tokens::in_words(&small).into_iter().map(str::to_owned);
        Ok(EntryTerm {
            source: text.to_owned(),
            test: Test::Value(Box::new(memmem::Finder::new(text).into_owned())),
            literals: literals::best([literals::plain_part(text)]),
            demanded: vec![words.map(|word| vec![word]).collect()],
            weight: text.bytes().filter(u8::is_ascii_alphanumeric).count(),
        })
    }

    /// Creates a term for a regular expression with RE2's semantics: `\d`, `\w`, `\s` and `\b` are ASCII-only, and an
    /// entry of several lines is searched as one text, in which `.` also matches a line break.
    ///
    /// ```
    /// use kwhy_signature::{EntryMatch, EntryTerm};
    /// let term = EntryTerm::regex(r"shelf \d+ is (empty|bare)")?;
    /// assert_eq!(term.find("E shelf 12 is bare"), EntryMatch::At(2..18));
    /// assert!(EntryTerm::regex("(?=x)").unwrap_err().contains("look-around"));
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// Names what RE2 or the size limit does not allow.
    pub fn regex(source: &str) -> Result<EntryTerm, String> {
        check_length(source)?;
        let hir = re2::parse(source)?;
        let too_large = || {
            let size = MAX_SIZE >> 10;
            format!(
                "the expression takes more than {size} KiB when it is compiled: repeat less in it"
            )
        };
        Ok(EntryTerm {
            source: source.to_owned(),
            literals: literals::required(&hir),
            demanded: literals::demanded(&hir),
            weight: literals::weight(&hir),
            test: Test::Regex {
                states: super::hir::states(&hir),
                spans_lines: re2::spans_lines(&hir),
                sign: required_byte(&hir, u8::is_ascii_control)
                    .or_else(|| required_byte(&hir, u8::is_ascii_punctuation)),
                expression: Lazy::new(hir).map(Box::new).ok_or_else(too_large)?,
            },
        })
    }

    /// Creates a term for a jq program; it matches if the program yields anything but null and false.
    ///
    /// # Errors
    /// Describes what is not jq, or not allowed: programs that could run forever are refused.
    pub fn jq(source: &str) -> Result<EntryTerm, String> {
        check_length(source)?;
        let program = Program::parse(source)?;
        Ok(EntryTerm {
            source: source.to_owned(),
            literals: program.literals(),
            demanded: Vec::new(),
            weight: program.weight(),
            test: Test::Jq(Box::new(program)),
        })
    }

    /// Returns the key under which it is written.
    pub fn key(&self) -> &'static str {
        match self.test {
            Test::Value(_) => "value",
            Test::Regex { .. } => "regex",
            Test::Jq(_) => "jq",
        }
    }

    /// Returns the term as written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Texts one of which every matching record contains; empty if none are known. A text without capitals may occur in
    /// any case.
    pub fn literals(&self) -> &[String] {
        &self.literals
    }

    /// Lower-case words that a matching record contains: for one of the alternatives, it has a word of each list.
    pub(crate) fn demanded(&self) -> &[Vec<Vec<String>>] {
        &self.demanded
    }

    /// The number of literal characters that it requires.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Returns true if it applies to JSON entries only.
    pub fn is_jq(&self) -> bool {
        matches!(self.test, Test::Jq(_))
    }

    /// Returns true if a match may span several lines.
    pub fn spans_lines(&self) -> bool {
        match &self.test {
            Test::Value(_) => false,
            Test::Regex { spans_lines, .. } => *spans_lines,
            Test::Jq(_) => true,
        }
    }

    /// Tests a YAML object, which a jq program sees as the equivalent JSON.
    pub fn find_in_yaml(&self, text: &str) -> EntryMatch {
        match &self.test {
            Test::Jq(program) => program.run_on_yaml(text),
            Test::Value(_) | Test::Regex { .. } => self.find(text),
        }
    }

    /// Tests a text.
    pub fn find(&self, text: &str) -> EntryMatch {
        let at = |found: Option<Range<usize>>| found.map_or(EntryMatch::No, EntryMatch::At);
        match &self.test {
            Test::Value(finder) => at(finder
                .find(text.as_bytes())
                .map(|start| start..start + self.source.len())),
            Test::Regex {
                expression,
                states,
                sign,
                ..
            } => {
                if sign.is_some_and(|sign| memchr(sign, text.as_bytes()).is_none()) {
                    return EntryMatch::No;
                }
                let Some(expression) = expression.get() else {
                    return EntryMatch::Stopped;
                };
                let most = MAX_WORK / (*states).max(1);
                let cut = text.as_bytes().get(..most);
                let found = expression.find(&Input::new(cut.unwrap_or(text.as_bytes())));
                match found {
                    None if cut.is_some() => EntryMatch::Stopped,
                    found => at(found),
                }
            }
            Test::Jq(program) => program.run(text),
        }
    }
}

fn check_length(text: &str) -> Result<(), String> {
    match text.len() > MAX_TERM {
        true => Err(format!("the term is longer than {} KiB", MAX_TERM >> 10)),
        false => Ok(()),
    }
}

impl fmt::Debug for EntryTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.key(), self.source)
    }
}

impl<'de> Deserialize<'de> for EntryTerm {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // read as a mapping with one key, as an enum would need a tag in YAML
        let mut written = std::collections::BTreeMap::<String, String>::deserialize(from)?;
        let (Some((key, text)), true) = (written.pop_first(), written.is_empty()) else {
            return Err(D::Error::custom(EXPECTED));
        };
        EntryTerm::of(&key, &text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_as_it_is() {
        let term = EntryTerm::value("Shelf [3] is \"bare\"").unwrap();
        assert_eq!(term.find("x Shelf [3] is \"bare\"!"), EntryMatch::At(2..21));
        assert_eq!(term.find("x shelf [3] is \"bare\"!"), EntryMatch::No);
        assert_eq!(term.literals(), ["Shelf [3] is"]);
        assert_eq!(term.weight(), 12);
        let of_any_case = EntryTerm::regex("(?i)Shelf is (bare|empty)").unwrap();
        assert_eq!(of_any_case.weight(), 11);
        assert!(EntryTerm::value("").is_err());
        assert!(EntryTerm::value(&"x".repeat(1 << 20)).is_err());
    }

    #[test]
    fn an_expression_of_a_megabyte_is_refused() {
        for source in [
            "a".repeat(1 << 20),
            "(a{1000}){1000}".to_owned(),
            format!("{}a{}", "(".repeat(5000), ")".repeat(5000)),
            "[a-z]{1000}".repeat(100),
        ] {
            let message = EntryTerm::regex(&source).unwrap_err();
            assert!(message.len() < 300, "{message}");
        }
    }

    #[test]
    fn long_texts_are_searched_up_to_a_limit() {
        let term = EntryTerm::regex("(x?[a-w]{1,900}y){1,9}!").unwrap();
        let text = "x".repeat(1 << 20);
        assert_eq!(term.find(&format!("{text}!")), EntryMatch::Stopped);
        // every match contains a byte that is missing here
        assert_eq!(term.find(&text), EntryMatch::No);
        assert_eq!(term.find("abcy!"), EntryMatch::At(0..5));
    }

    #[test]
    fn terms_are_read_from_yaml() {
        let read = |yaml| serde_yaml::from_str::<EntryTerm>(yaml);
        assert_eq!(read("value: a b").unwrap().key(), "value");
        assert_eq!(read("regex: a.*b").unwrap().as_str(), "a.*b");
        assert!(read("jq: .a == 1").unwrap().is_jq());
        for wrong in ["{}", "{value: a, regex: b}", "{text: a}", "regex: '('"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
