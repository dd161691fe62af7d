//! Tests of an entry: the whole text of a record as it is written, rather than what was parsed from it.
//!
//! The terms of the community's rules are such tests; a native signature may use them as `entry`.

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

/// The most bytes of a term as it is written.
const MAX_TERM: usize = 16 << 10;

/// The most steps of a regular expression in one entry: states of the expression times bytes of the text.
const MAX_WORK: usize = 1 << 28;

/// What is said of a test that is none of those.
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
        /// A byte that is no letter or digit and that each match contains.
        sign: Option<u8>,
    },
    Jq(Box<Program>),
}

/// An expression that is compiled when it is first tested: of most rules no text occurs in an input.
struct Lazy {
    hir: Hir,
    compiled: OnceLock<Option<Expression>>,
}

impl Lazy {
    /// Compiles an expression at once if it may be too large; none if it is.
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
    /// The term does not hold.
    No,
    /// It is fulfilled; the bytes of the text that show it.
    At(Range<usize>),
    /// The test was ended at a limit without a result.
    Stopped,
}

impl EntryTerm {
    /// A term by the key that it is written as.
    pub(crate) fn of(key: &str, text: &str) -> Result<EntryTerm, String> {
        match key {
            "value" => EntryTerm::value(text),
            "regex" => EntryTerm::regex(text),
            "jq" => EntryTerm::jq(text),
            _ => Err(EXPECTED.into()),
        }
    }

    /// A text that occurs as it is.
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

    /// A regular expression with RE2's meaning: `\d`, `\w`, `\s` and `\b` are about ASCII, and an entry of several lines
    /// is searched as one text, in which `.` matches a line break too.
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
    /// Says what RE2 or the limit of size does not allow.
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

    /// A jq program that gives something else than null and false.
    ///
    /// # Errors
    /// Says what is not jq, or not allowed: programs that may run without end are refused.
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

    /// The key by which it is written.
    pub fn key(&self) -> &'static str {
        match self.test {
            Test::Value(_) => "value",
            Test::Regex { .. } => "regex",
            Test::Jq(_) => "jq",
        }
    }

    /// The term as it is written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Texts of which each record contains one that fulfils it; none if nothing is known. One without capitals may be
    /// there in any case.
    pub fn literals(&self) -> &[String] {
        &self.literals
    }

    /// Words in lower case that a record contains which fulfils it: for one of the alternatives each list has one.
    pub(crate) fn demanded(&self) -> &[Vec<Vec<String>>] {
        &self.demanded
    }

    /// The number of literal characters that it demands.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Returns true if it is about an entry that is JSON.
    pub fn is_jq(&self) -> bool {
        matches!(self.test, Test::Jq(_))
    }

    /// Returns true if what fulfils it may be spread over several lines.
    pub fn spans_lines(&self) -> bool {
        match &self.test {
            Test::Value(_) => false,
            Test::Regex { spans_lines, .. } => *spans_lines,
            Test::Jq(_) => true,
        }
    }

    /// Tests an object in YAML, which a program of jq sees as the same in JSON.
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
        // a mapping of one key: an enum of YAML would need a tag
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
        // each match has a mark that is not there
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
