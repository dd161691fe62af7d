//! The tokens that a log record must contain literally before it is worth parsing for a condition.
//!
//! The index shows that one literal of a condition occurs in a record; most conditions need more, and a record without
//! it need not be parsed. The tokens are runs of characters that no log format escapes, without spaces, at which lines
//! could be wrapped.

use super::condition::{Condition, What};
use super::pattern::Pattern;
use kwhy_prefilter::{Bloom, Token};

/// The minimum length of a word that is searched for.
const SHORTEST: usize = 2;

/// The maximum number of words per pattern that are searched for: the longest ones discriminate best.
const MOST: usize = 4;

/// The maximum number of conditions for which no filter is built, as it costs as much as a few searches.
const FEW: usize = 2;

/// A record in lower case, with a filter of its 4-grams.
pub struct Record {
    bytes: Vec<u8>,
    marks: Option<Bloom>,
}

impl Record {
    /// Prepares a record for testing the words of this many conditions.
    pub fn new(bytes: &[u8], conditions: usize) -> Self {
        let bytes = bytes.to_ascii_lowercase();
        Record {
            marks: (conditions > FEW).then(|| Bloom::of([bytes.as_slice()])),
            bytes,
        }
    }

    fn may_hold(&self, word: &Token) -> bool {
        self.marks
            .as_ref()
            .is_none_or(|marks| word.may_occur(marks))
    }

    fn holds(&self, word: &Token) -> bool {
        self.may_hold(word) && word.occurs(&self.bytes)
    }
}

/// Words one of which must occur.
type AnyOf = Vec<Token>;

/// The words of a leaf condition.
#[derive(Debug, Default)]
pub struct RequiredTokens {
    /// Each element is satisfied by one of its alternatives: the record contains a word of each of its lists.
    all: Vec<Vec<Vec<AnyOf>>>,
    /// Names of writers, one of which must occur in the record where a name may start.
    writers: Vec<Token>,
}

impl RequiredTokens {
    /// Returns the words of a condition on one event; none for other conditions. Words that occur in each of the texts
    /// `raw` are omitted, as the record is known to contain one of these texts.
    pub fn of(condition: &Condition, raw: &[String]) -> RequiredTokens {
        let What::Event(event) = &condition.what else {
            return RequiredTokens::default();
        };
        let raw: Vec<String> = raw.iter().map(|text| text.to_ascii_lowercase()).collect();
        let is_known = |words: &Vec<String>| {
            let holds_one = |text: &String| words.iter().any(|word| text.contains(word.as_str()));
            !raw.is_empty() && raw.iter().all(holds_one)
        };
        let shortest = |words: &Vec<String>| words.iter().map(String::len).min();
        let mut all = Vec::new();
        let mut add = |mut alternatives: Vec<Vec<Vec<String>>>| {
            for lists in &mut alternatives {
                lists.retain(|words| !is_known(words));
                lists.sort_by_key(|words| std::cmp::Reverse(shortest(words)));
                lists.truncate(MOST);
            }
            // an alternative without words always holds
            if alternatives.iter().all(|lists| !lists.is_empty()) && !alternatives.is_empty() {
                let tokens = |words: &Vec<String>| words.iter().map(|w| Token::new(w)).collect();
                let lists = |lists: &Vec<Vec<String>>| lists.iter().map(tokens).collect();
                all.push(alternatives.iter().map(lists).collect());
            }
        };
        let reason_words = |reason: &String| {
            let reason = reason.to_ascii_lowercase();
            let words = in_words(reason.strip_suffix('*').unwrap_or(&reason)).into_iter();
            words.map(|word| vec![word.to_owned()]).collect()
        };
        add(event.reason.0.iter().map(reason_words).collect());
        for patterns in std::iter::once(&event.message).chain(event.fields.values()) {
            let demanded = patterns.0.iter().map(Pattern::demanded);
            add(demanded.map(<[_]>::to_vec).collect());
        }
        if let Some(entry) = &event.entry {
            add(entry.demanded().to_vec());
        }
        let first_word = |name: &String| {
            let name = name.to_ascii_lowercase();
            in_words(name.trim_end_matches('*'))
                .first()
                .map(|word| Token::new(word))
        };
        let writers: Option<Vec<Token>> = event.component.0.iter().map(first_word).collect();
        RequiredTokens {
            all,
            writers: writers.unwrap_or_default(),
        }
    }

    /// Returns true if a record may fulfil the condition, judging by its words.
    pub fn may_match(&self, record: &Record) -> bool {
        let begins = |word: &Token| {
            let mut places = word.offsets(&record.bytes);
            record.may_hold(word) && places.any(|at| may_begin_name(&record.bytes, at))
        };
        let holds_one = |words: &AnyOf| words.iter().any(|word| record.holds(word));
        let stand = |lists: &Vec<AnyOf>| lists.iter().all(holds_one);
        self.all.iter().all(|any| any.iter().any(stand))
            && (self.writers.is_empty() || self.writers.iter().any(begins))
    }
}

/// Returns true unless a dotted or hyphenated name continues at this byte. A letter before it may be part of an escape.
fn may_begin_name(record: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| record.get(before));
    !matches!(before, Some(b'.' | b'-'))
}

/// Splits a literal text into words.
pub(super) fn in_words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_graphic() || "\"'`\\<>&".contains(c))
        .filter(|word| word.len() >= SHORTEST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests with a filter and without.
    fn may_match(words: &RequiredTokens, record: &[u8]) -> bool {
        let [few, many] = [1, FEW + 1].map(|number| words.may_match(&Record::new(record, number)));
        assert_eq!(few, many);
        many
    }

    fn condition(yaml: &str) -> Condition {
        serde_yaml::from_str(yaml).unwrap()
    }

    #[test]
    fn what_a_record_must_hold() {
        let condition = condition(
            "event: {reason: [FailedMount, Failed*], message: ['volume \"{v}\" of {p}: not there', 'regex: no (?P<what>disk|room) left on (the )?device-[0-9]+'], fields: {err: 'errno={n:int}'}}",
        );
        let words = RequiredTokens::of(&condition, &[]);
        let matches = |record: &str| may_match(&words, record.as_bytes());
        assert!(matches(
            r#"reason=\"FailedX\" volume \"x\" of y: not   there errno=5"#
        ));
        assert!(matches("Failed: no disk left on the device-3, errno=1"));
        assert!(!matches("Failed: no disk left on the floor, errno=1"));
        assert!(!matches("volume of: not there errno=5"));
        assert!(!matches("Failed volume of: not there"));
    }

    #[test]
    fn the_writer_occurs_in_its_record() {
        let condition =
            condition("event: {component: [kubelet, 'controller*'], message: 'no room'}");
        let words = RequiredTokens::of(&condition, &["no room".to_owned()]);
        assert!(may_match(&words, b"kubelet[7]: no room"));
        assert!(may_match(
            &words,
            br#"{"log":"t\tcontroller.oven\tno room"}"#
        ));
        assert!(may_match(
            &words,
            br#"{"logger":"controllers.Oven","msg":"no room"}"#
        ));
        assert!(!may_match(&words, b"scheduler[7]: no room"));
        assert!(!may_match(&words, b"manager.controller: no room"));
    }

    #[test]
    fn without_words_anything_may_match() {
        let condition = condition("event: {message: ['{a} {b}', 'some words']}");
        assert!(may_match(&RequiredTokens::of(&condition, &[]), b""));
    }

    #[test]
    fn words_that_are_known_to_stand_are_not_looked_for() {
        let condition = condition("event: {message: 'volume \"{v}\" is not there'}");
        let known = |raw: &[&str]| {
            let raw: Vec<String> = raw.iter().map(ToString::to_string).collect();
            RequiredTokens::of(&condition, &raw)
        };
        assert!(may_match(&known(&["is not there"]), b"volume"));
        assert!(!may_match(&known(&["is not there"]), b"is not there"));
        assert!(!may_match(&known(&["is not there", "volume"]), b"volume"));
        assert!(may_match(&known(&["volume is not there"]), b""));
    }
}
