//! The tokens that a log record must contain literally before it is worth parsing for a condition.
//!
//! The index says that one text of a condition occurs in a record; most conditions need more, and
//! the record that lacks it need not be parsed. RequiredTokens are runs of characters that no log format
//! escapes, without spaces, which could be wrapped.

use super::condition::{Condition, What};
use super::pattern::Pattern;
use kwhy_prefilter::{Bloom, Token};

/// The shortest word that is looked for.
const SHORTEST: usize = 2;

/// The number of words of a pattern that are looked for: the longest ones discriminate best.
const MOST: usize = 4;

/// The number of conditions up to which a record is tested without a filter, which costs as much as some searches.
const FEW: usize = 2;

/// A record in lower case, with a filter of its 4-grams.
pub struct Record {
    bytes: Vec<u8>,
    marks: Option<Bloom>,
}

impl Record {
    /// Built once for the words of all conditions.
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

/// Words of which one must occur.
type AnyOf = Vec<Token>;

/// The words of a leaf condition.
#[derive(Debug, Default)]
pub struct RequiredTokens {
    /// Of each of these one alternative must hold: of each of its lists a word occurs in the record.
    all: Vec<Vec<Vec<AnyOf>>>,
    /// Of these one must occur in the record where a name may start: the writer's.
    writers: Vec<Token>,
}

impl RequiredTokens {
    /// The words of a condition on one event; none for any other. Omitted are those that occur in
    /// each of the texts `raw`, of which a record that is asked about contains one.
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
            // an alternative that may be without words always holds
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

/// Returns true if a dotted name does not continue at this byte. A letter before it may be one of an escape.
fn may_begin_name(record: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| record.get(before));
    !matches!(before, Some(b'.' | b'-'))
}

/// The words of a literal text.
pub(super) fn in_words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_graphic() || "\"'`\\<>&".contains(c))
        .filter(|word| word.len() >= SHORTEST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With marks and without.
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
