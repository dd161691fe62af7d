//! Text patterns with named slots: `configmap "{name}" not found`.

use std::borrow::Cow;
use std::sync::OnceLock;

use kwhy_pack::PackedText;
use memchr::memchr;
use regex_automata::util::captures::Captures;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::Hir;
use serde::de::{Deserialize, Deserializer};

use super::digest::Digest;
use super::expression::{Expression, MAX_SIZE};
use super::hir::{states, trimmed};
use super::parsed::{self, slot_names};
use kwhy_prefilter::{Bloom, Token};

/// A text pattern with named slots.
///
/// Text outside braces is compared by its meaning: case, the kind or absence of quotes, runs of spaces, words of one
/// class (`words.yaml`), articles and the separators of clauses make no difference. A slot is `{name}` or `{name:type}`
/// with the types `text` (the default: as few characters of the line as fit, at least one; between double quotes,
/// without a double quote), `word`, `int`, `number`, `quantity`, `path`, `address`, `rest`, or one of the types of
/// `words.yaml`, which accept any of their phrases (`{why:refused}`). `{_}` captures nothing; `{{` and `}}` are braces.
/// `^` at the start and `$` at the end anchor the pattern to the text's ends; otherwise it may occur anywhere. A
/// pattern that starts with `regex:` is a regular expression (syntax of the `regex` crate, bytes, Unicode off) with
/// named groups; its literal text is compared by its meaning too, unless it starts with `(?-i)`, which makes it match
/// exactly as written.
pub struct Pattern {
    source: String,
    /// The names that it captures, which are needed long before the rest.
    slots: OnceLock<Box<[String]>>,
    /// Its digest, as written by a build script.
    written: OnceLock<PackedText<'static>>,
    known: OnceLock<Known>,
    compiled: OnceLock<Option<Expression>>,
    /// A cheaper expression that decides whether there is a match, if there is one.
    trimmed: OnceLock<Option<Expression>>,
}

impl Pattern {
    /// Parses a pattern.
    ///
    /// ```
    /// use kwhy_signature::Pattern;
    /// let pattern = Pattern::parse("claim \"{claim}\" is bound to {volume:word}")?;
    /// assert_eq!(pattern.slots().collect::<Vec<_>>(), ["claim", "volume"]);
    /// assert!(Pattern::parse("claim {claim").is_err());
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// Describes the problem: an open brace, an unknown slot type, a regular expression that does not compile, a
    /// pattern without any literal text.
    pub fn parse(source: &str) -> Result<Pattern, String> {
        let pattern = Pattern::unread(source.to_owned());
        pattern.check()?;
        Ok(pattern)
    }

    /// Creates a pattern that is parsed on first use; an invalid one matches nothing.
    fn unread(source: String) -> Pattern {
        Pattern {
            source,
            slots: OnceLock::new(),
            written: OnceLock::new(),
            known: OnceLock::new(),
            compiled: OnceLock::new(),
            trimmed: OnceLock::new(),
        }
    }

    /// Parses and compiles it.
    ///
    /// # Errors
    /// Returns a description of the problem.
    pub(crate) fn check(&self) -> Result<(), String> {
        // a pattern that was parsed is valid; an invalid one is still unknown
        if self.known.get().is_none_or(|known| !known.is_right) {
            let _ = self.known.set(Known::new(parsed::digest(&self.source)?));
        }
        // compiling takes longer than everything else, and few expressions are large
        let is_large = |hir: Hir| states(&hir) > MANY_STATES;
        if self.expression().is_some_and(is_large) && self.regex().is_none() {
            return Err(format!(
                "the expression takes more than {} KiB when it is compiled: repeat less in it",
                MAX_SIZE >> 10
            ));
        }
        Ok(())
    }

    /// Sets the digest that a build script wrote.
    pub(super) fn use_digest(&self, written: PackedText<'static>) {
        let _ = self.written.set(written);
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let written = self.written.get();
            let written = written.and_then(|line| Digest::read(&line.read()));
            let digest = written.or_else(|| parsed::digest(&self.source).ok());
            digest.map(Known::new).unwrap_or_default()
        })
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    fn names(&self) -> &[String] {
        self.slots.get_or_init(|| slot_names(&self.source).into())
    }

    /// The names that it captures.
    pub fn slots(&self) -> impl Iterator<Item = &str> {
        self.names().iter().map(String::as_str)
    }

    /// Texts one of which every match contains, with runs of spaces collapsed into one; empty if none are known. They
    /// contain only characters that log formats never escape; a double quote, or the backslash before it, may be at
    /// their ends.
    pub fn phrases(&self) -> &[String] {
        &self.known().digest.phrases
    }

    /// Lists of lower-case words; every record with a match contains one word of each list.
    pub(crate) fn demanded(&self) -> &[Vec<String>] {
        &self.known().digest.demanded
    }

    /// The number of literal characters that it requires.
    pub fn weight(&self) -> usize {
        self.known().digest.weight
    }

    /// The length in bytes of the shortest text that it matches; for a template only letters and digits are counted.
    pub fn least_length(&self) -> usize {
        self.known().digest.least_length
    }

    /// Returns the first match in a text.
    pub fn find(&self, text: &str) -> Option<Place> {
        let lower = in_lower_case(text);
        self.find_in(Haystack::new(text, &lower))
    }

    /// Returns the first match in a text.
    pub fn find_in(&self, text: Haystack<'_>) -> Option<Place> {
        let own = Input::new(self.side(text));
        if !self.may_match(text.lower.as_bytes()) || self.is_absent(own.clone()) {
            return None;
        }
        self.search(self.regex()?, own)
    }

    /// Returns the form of a text that its expression applies to: original or lower-case.
    fn side<'t>(&self, text: Haystack<'t>) -> &'t str {
        if self.known().digest.is_exact {
            text.text
        } else {
            text.lower
        }
    }

    /// Returns true if a cheaper expression shows that there is no match.
    fn is_absent(&self, input: Input<'_>) -> bool {
        let trimmed = self.trimmed();
        trimmed.is_some_and(|regex| !regex.is_match(&input))
    }

    /// Returns the first match of its expression; without captures, only its range is determined.
    fn search(&self, regex: &Expression, input: Input<'_>) -> Option<Place> {
        if self.names().is_empty() {
            return regex.find(&input).map(Place::Whole);
        }
        regex.captures(&input).map(Place::Slots)
    }

    /// Returns the matches in a text, from left to right, at most `limit`.
    pub fn find_all(&self, text: Haystack<'_>, limit: usize) -> Vec<Place> {
        let mut found = Vec::new();
        let mut at = 0;
        // searching for a literal is much cheaper than for another match
        while found.len() < limit
            && self.may_match(text.lower.as_bytes().get(at..).unwrap_or_default())
            && let Some(regex) = self.regex()
        {
            let input = Input::new(self.side(text)).range(at..);
            if self.is_absent(input.clone()) {
                break;
            }
            let Some(place) = self.search(regex, input) else {
                break;
            };
            let range = place.range();
            at = range.end.max(range.start + 1);
            found.push(place);
        }
        found
    }

    /// Returns true if a lower-case text contains one of the literals that every match needs.
    fn may_match(&self, lower: &[u8]) -> bool {
        let Known {
            literals, digest, ..
        } = self.known();
        let occurs = |literal: &Token| literal.occurs(lower);
        !lower.is_empty()
            && digest.byte.is_none_or(|byte| memchr(byte, lower).is_some())
            && (literals.is_empty() || literals.iter().any(occurs))
    }

    /// Returns false only if there is no match in the texts of this filter, which must be in lower case.
    pub fn may_be(&self, marks: &Bloom) -> bool {
        let literals = &self.known().literals;
        literals.is_empty() || literals.iter().any(|literal| literal.may_occur(marks))
    }

    /// Returns true if there is a match in a text.
    pub fn is_match(&self, text: Haystack<'_>) -> bool {
        self.may_match(text.lower.as_bytes())
            && self.cheapest().is_some_and(|regex| {
                let input = Input::new(self.side(text));
                regex.is_match(&input)
            })
    }

    /// Returns true if there is a match in a text whose lower-case form is not at hand.
    pub fn occurs(&self, text: &str) -> bool {
        self.is_match(Haystack::new(text, &in_lower_case(text)))
    }

    /// The word that it consists of, if it is nothing else: most tests of an object's values are a word, which needs no
    /// regular expression.
    pub fn as_word(&self) -> Option<&str> {
        let special = |b: u8| matches!(b, b'{' | b'}' | b'^' | b'$' | b' ');
        let word = !self.source.bytes().any(special) && !self.source.starts_with("regex:");
        word.then_some(&self.source)
    }

    /// Returns a match of the whole text. Only a match at the start of the text is considered.
    pub fn find_whole(&self, text: &str) -> Option<Place> {
        if self.is_slot() {
            return is_line(text).then_some(Place::Slot(text.len()));
        }
        let lower = in_lower_case(text);
        if !self.may_match(lower.as_bytes()) {
            return None;
        }
        let own = self.side(Haystack::new(text, &lower));
        self.search(self.regex()?, Input::new(own).anchored(Anchored::Yes))
            .filter(|found| found.range().len() == text.len())
    }

    /// Returns false only if the whole text does not match, judging by the literals that every match needs.
    pub fn may_be_whole(&self, text: Haystack<'_>) -> bool {
        self.is_slot() || self.may_match(text.lower.as_bytes())
    }

    /// Returns true if the whole text matches.
    pub fn is_whole(&self, text: &str) -> bool {
        if self.is_slot() {
            return is_line(text);
        }
        let lower = in_lower_case(text);
        let own = self.side(Haystack::new(text, &lower));
        let start = Input::new(own).anchored(Anchored::Yes);
        self.may_match(lower.as_bytes())
            && self
                .regex()
                .and_then(|regex| regex.find(&start))
                .is_some_and(|found| found.len() == text.len())
    }

    /// Returns true if it is a single slot of the default type: it matches any line, which needs no regular expression.
    pub fn is_slot(&self) -> bool {
        let name = self
            .source
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        name.is_some_and(|name| {
            name != "_" && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        })
    }

    /// Returns the cheapest expression that decides whether there is a match.
    fn cheapest(&self) -> Option<&Expression> {
        self.trimmed().or_else(|| self.regex())
    }

    fn trimmed(&self) -> Option<&Expression> {
        if !self.known().digest.may_be_trimmed {
            return None;
        }
        let compiled = || Expression::new(&trimmed(&self.expression()?)?);
        self.trimmed.get_or_init(compiled).as_ref()
    }

    fn regex(&self) -> Option<&Expression> {
        let compiled = || Expression::new(&self.expression()?);
        self.compiled.get_or_init(compiled).as_ref()
    }

    fn expression(&self) -> Option<Hir> {
        let known = self.known();
        let expression = || parsed::expression(&self.source, &known.digest);
        known.is_right.then(expression).flatten()
    }
}

/// The digest of a pattern, prepared for use.
#[derive(Default)]
struct Known {
    digest: Digest,
    literals: Vec<Token>,
    /// False for an invalid pattern.
    is_right: bool,
}

impl Known {
    fn new(mut digest: Digest) -> Known {
        let literals = std::mem::take(&mut digest.literals);
        Known {
            literals: literals.iter().map(|literal| Token::new(literal)).collect(),
            digest,
            is_right: true,
        }
    }
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pattern({:?})", self.source)
    }
}

/// A text with its lower-case form.
#[derive(Clone, Copy, Debug)]
pub struct Haystack<'t> {
    text: &'t str,
    lower: &'t str,
}

impl<'t> Haystack<'t> {
    /// Creates a haystack from a text and the same text with its ASCII letters in lower case.
    pub fn new(text: &'t str, lower: &'t str) -> Self {
        debug_assert!(text.eq_ignore_ascii_case(lower));
        Haystack { text, lower }
    }

    /// The text.
    pub fn text(&self) -> &'t str {
        self.text
    }
}

/// A match of a pattern.
pub enum Place {
    /// The range of a pattern without slots.
    Whole(std::ops::Range<usize>),
    /// The match of a pattern that is a single slot: the length of the text.
    Slot(usize),
    /// The match of a pattern with slots, with the place of each.
    Slots(Captures),
}

impl Place {
    /// The byte range of the match in the text.
    pub fn range(&self) -> std::ops::Range<usize> {
        match self {
            Place::Whole(range) => range.clone(),
            Place::Slot(length) => 0..*length,
            Place::Slots(captures) => captures.get_match().map_or(0..0, |found| found.range()),
        }
    }

    /// The byte range of a slot in the text, without quotes around it.
    pub fn slot(&self, name: &str, text: &str) -> Option<std::ops::Range<usize>> {
        let captures = match self {
            Place::Whole(_) => return None,
            Place::Slot(length) => return Some(0..*length),
            Place::Slots(captures) => captures,
        };
        let range = captures.get_group_by_name(name)?.range();
        let is_quoted = match text.as_bytes().get(range.clone())? {
            [
                open @ (b'"' | b'\'' | b'`'),
                inner @ ..,
                close @ (b'"' | b'\'' | b'`'),
            ] => (*open == b'"') == (*close == b'"') && !inner.contains(open) && !inner.is_empty(),
            _ => false,
        };
        Some(if is_quoted {
            range.start + 1..range.end - 1
        } else {
            range
        })
    }
}

/// Returns true if a text is one non-empty line.
fn is_line(text: &str) -> bool {
    !text.is_empty() && memchr(b'\n', text.as_bytes()).is_none()
}

/// Returns a text with its ASCII letters in lower case, without a copy if it has no capitals.
///
/// ```
/// use kwhy_signature::in_lower_case;
/// assert_eq!(in_lower_case("OOMKilled"), "oomkilled");
/// ```
pub fn in_lower_case(text: &str) -> Cow<'_, str> {
    match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(text.to_ascii_lowercase()),
        false => Cow::Borrowed(text),
    }
}

/// The number of states below which an expression cannot exceed the size limit.
const MANY_STATES: usize = 1000;

/// Does not parse the pattern yet: whoever reads a file checks all of its patterns.
impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Pattern::unread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(pattern: &str, text: &str, name: &str) -> Option<String> {
        let pattern = Pattern::parse(pattern).unwrap();
        let found = pattern.find(text)?;
        Some(text[found.slot(name, text)?].to_owned())
    }

    #[test]
    fn slots_take_as_little_as_fits() {
        let text = "volume \"a\" : configmap \"b\" not found";
        assert_eq!(
            capture("configmap \"{name}\" not found", text, "name").as_deref(),
            Some("b")
        );
        assert_eq!(
            capture("volume \"{v}\" : {rest}", text, "v").as_deref(),
            Some("a")
        );
        assert_eq!(
            capture("limit {q:quantity} of", "limit 1024m of", "q").as_deref(),
            Some("1024m")
        );
        assert_eq!(
            capture("a  b".replace("  ", " ").as_str(), "a \t b", "x"),
            None
        );
        assert!(Pattern::parse("a b").unwrap().find("a \n b").is_some());
    }

    #[test]
    fn slots_of_phrases_take_any_of_them() {
        let pattern = "{_:pulling}{_:rest}{why:refused}";
        for (text, why) in [
            (
                "Failed to pull image \"a\": dial: Connection  refused",
                "Connection  refused",
            ),
            (
                "could not pull image a: connect ECONNREFUSED 10.0.0.8:443",
                "ECONNREFUSED",
            ),
            (
                "Error pulling image a: refused, then the machine actively refused it",
                "actively refused it",
            ),
        ] {
            assert_eq!(
                capture(pattern, text, "why").as_deref(),
                Some(why),
                "{text}"
            );
        }
        for other in [
            "connection refused",
            "Failed to pull image: connection refusedly",
            "Failed to pull image",
        ] {
            assert_eq!(capture(pattern, other, "why"), None, "{other}");
        }
        let pattern = Pattern::parse("{_:refused}").unwrap();
        assert!(pattern.weight() > 0 && pattern.least_length() <= "was refused".len());
        assert!(pattern.occurs("the call was refused"));
    }

    #[test]
    fn slots_are_named_in_order() {
        for (pattern, names) in [
            ("{a} {{b}} {_} {c:word}{_:int}", "a c"),
            (r"regex:(?P<a>x(?<b>y))\(?P<no>(?:z)\\(?P<c>d)", "a b c"),
            ("none", ""),
        ] {
            let pattern = Pattern::parse(pattern).unwrap();
            assert_eq!(pattern.slots().collect::<Vec<_>>().join(" "), names);
        }
    }

    #[test]
    fn anchors_and_braces() {
        let pattern = Pattern::parse("^{{x}} {n:int}$").unwrap();
        assert!(pattern.find("{x} 12").is_some());
        assert!(pattern.find("a {x} 12").is_none() && pattern.find("{x} 12 b").is_none());
    }

    #[test]
    fn phrases_hold_what_no_envelope_escapes() {
        let phrase = |pattern: &str| Pattern::parse(pattern).unwrap().phrases().join("|");
        assert_eq!(
            phrase("MountVolume.SetUp failed for volume \"{v}\" not found"),
            "mountvolume.setup failed for volume"
        );
        assert_eq!(phrase("a \"{v}\" burnt down"), "burnt down");
        assert_eq!(
            phrase("regex:(\\d+)\\s+Too\\s+many (pods)"),
            "too many pods"
        );
        assert_eq!(phrase("dial tcp {_}: i/o timeout"), "i/o timeout");
        assert_eq!(
            phrase("regex:(?:Get|Post) \"https://(?P<a>[^/]+:6443)/x EOF now"),
            ":6443/x eof now"
        );
        assert_eq!(phrase("regex:a(?:b|c)d"), "a");
        assert_eq!(
            phrase("regex:(?P<x>soft lockup|hung [a-z]+ task): .*"),
            "soft lockup|hung"
        );
        assert_eq!(phrase("regex:[0-9]+"), "");
    }

    #[test]
    fn words() {
        assert_eq!(
            Pattern::parse("CrashLoopBackOff").unwrap().as_word(),
            Some("CrashLoopBackOff")
        );
        for other in ["a b", "{a}", "^a", "regex:a", "a$"] {
            assert_eq!(Pattern::parse(other).unwrap().as_word(), None, "{other}");
        }
    }

    #[test]
    fn errors_are_named() {
        for (pattern, says) in [
            ("{a", "not closed"),
            ("a}", "closing brace"),
            ("{a:date} x", "slot type"),
            ("{A} x", "slot name"),
            ("{a} x {a}", "twice"),
            ("", "empty"),
            ("regex:(", "regular expression"),
            ("regex:text (?:a{1,900}){900}", "repeat less"),
        ] {
            let error = Pattern::parse(pattern).unwrap_err();
            assert!(error.contains(says), "{pattern}: {error}");
        }
    }
}
