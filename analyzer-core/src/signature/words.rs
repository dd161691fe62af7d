//! What a log record must hold as it stands before it is worth reading for a condition.
//!
//! The index says that one text of a condition stands in a record; most conditions need more, and
//! the record that lacks it need not be parsed. Words are runs of characters that no log format
//! escapes, without blanks, which could be wrapped.

use memchr::memmem::Finder;

use super::condition::{Condition, What};
use super::pattern::Pattern;

/// The shortest word that is looked for.
const SHORTEST: usize = 2;

/// How many words of a pattern are looked for: the longest ones tell most.
const MOST: usize = 4;

/// The bytes of a word by which it is told, before it is searched for, that it does not stand.
const MARK: usize = 4;
/// The bits of their hashes: few enough to be forgotten for each record.
const MARK_BITS: u32 = 12;

/// A record, and a hash of what stands in it: most words that are asked for do not.
pub(crate) struct Record<'r> {
    bytes: &'r [u8],
    marks: [u64; 1 << (MARK_BITS - 6)],
}

impl<'r> Record<'r> {
    /// Made once for all words that are asked for.
    pub fn new(bytes: &'r [u8]) -> Self {
        let mut marks = [0; 1 << (MARK_BITS - 6)];
        for window in bytes.windows(MARK).filter_map(<[u8]>::first_chunk) {
            let mark = usize::from(mark(*window));
            marks[mark / 64 % marks.len()] |= 1 << (mark % 64);
        }
        Record { bytes, marks }
    }

    fn has(&self, mark: u16) -> bool {
        let mark = usize::from(mark);
        self.marks[mark / 64 % self.marks.len()] >> (mark % 64) & 1 != 0
    }
}

fn mark(bytes: [u8; MARK]) -> u16 {
    (u32::from_le_bytes(bytes).wrapping_mul(0x9e37_79b1) >> (32 - MARK_BITS)) as u16
}

/// A word with the marks of its start and end.
#[derive(Debug)]
struct Word {
    finder: Finder<'static>,
    marks: Option<[u16; 2]>,
}

impl Word {
    fn new(word: &str) -> Word {
        let bytes = word.as_bytes();
        let ends = bytes.first_chunk().zip(bytes.last_chunk());
        Word {
            finder: Finder::new(bytes).into_owned(),
            marks: ends.map(|(start, end)| [mark(*start), mark(*end)]),
        }
    }

    fn may_stand(&self, record: &Record<'_>) -> bool {
        self.marks
            .is_none_or(|marks| marks.iter().all(|mark| record.has(*mark)))
    }

    fn stands(&self, record: &Record<'_>) -> bool {
        self.may_stand(record) && self.finder.find(record.bytes).is_some()
    }
}

/// The words of a leaf condition.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// Of each of these one alternative must hold: all of its words stand in the record.
    all: Vec<Vec<Vec<Word>>>,
    /// Of these one must stand in the record where a name may begin: the writer's.
    writers: Vec<Word>,
}

impl Words {
    /// The words of a condition on one event; none for any other. Left out are those that stand in
    /// each of the texts `raw`, of which a record that is asked about holds one.
    pub fn of(condition: &Condition, raw: &[String]) -> Words {
        let What::Event(event) = &condition.what else {
            return Words::default();
        };
        let is_known = |word: &&str| !raw.is_empty() && raw.iter().all(|text| text.contains(*word));
        let mut all = Vec::new();
        let mut add = |mut alternatives: Vec<Vec<&str>>| {
            for words in &mut alternatives {
                words.retain(|word| !is_known(word));
                words.sort_by_key(|word| std::cmp::Reverse(word.len()));
                words.truncate(MOST);
            }
            // an alternative that may be without words always holds
            if alternatives.iter().all(|words| !words.is_empty()) && !alternatives.is_empty() {
                let words = |words: &Vec<&str>| words.iter().map(|word| Word::new(word)).collect();
                all.push(alternatives.iter().map(words).collect());
            }
        };
        let reasons = event.reason.0.iter();
        add(reasons
            .map(|reason| in_words(reason.strip_suffix('*').unwrap_or(reason)))
            .collect());
        for patterns in std::iter::once(&event.message).chain(event.fields.values()) {
            let words = |pattern| -> Vec<&str> {
                Pattern::words(pattern).iter().map(String::as_str).collect()
            };
            add(patterns.0.iter().map(words).collect());
        }
        let names = event.component.0.iter();
        let begins = names.map(|name| in_words(name.trim_end_matches('*')).first().copied());
        let begins: Option<Vec<&str>> = begins.collect();
        let begins = begins.unwrap_or_default().into_iter();
        Words {
            all,
            writers: begins.map(Word::new).collect(),
        }
    }

    /// Whether a record may fulfil the condition, as far as its words tell.
    pub fn may_stand(&self, record: &Record<'_>) -> bool {
        let begins = |word: &Word| {
            let mut places = word.finder.find_iter(record.bytes);
            word.may_stand(record) && places.any(|at| may_begin_name(record.bytes, at))
        };
        let stand = |words: &Vec<Word>| words.iter().all(|word| word.stands(record));
        self.all.iter().all(|any| any.iter().any(stand))
            && (self.writers.is_empty() || self.writers.iter().any(begins))
    }
}

/// Whether a dotted name does not go on at this byte. A letter before it may be one of an escape.
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

    fn condition(yaml: &str) -> Condition {
        serde_yaml::from_str(yaml).unwrap()
    }

    #[test]
    fn what_a_record_must_hold() {
        let condition = condition(
            "event: {reason: [FailedMount, Failed*], message: ['volume \"{v}\" of {p}: not there', 'regex: no (?P<what>disk|room) left on (the )?device-[0-9]+'], fields: {err: 'errno={n:int}'}}",
        );
        let words = Words::of(&condition, &[]);
        let stands = |record: &str| words.may_stand(&Record::new(record.as_bytes()));
        assert!(stands(
            r#"reason=\"FailedX\" volume \"x\" of y: not   there errno=5"#
        ));
        assert!(stands("Failed: no disk left on the device-3, errno=1"));
        assert!(!stands("Failed: no disk left on the floor, errno=1"));
        assert!(!stands("volume of: not there errno=5"));
        assert!(!stands("Failed volume of: not there"));
    }

    #[test]
    fn the_writer_stands_in_its_record() {
        let condition =
            condition("event: {component: [kubelet, 'controller*'], message: 'no room'}");
        let words = Words::of(&condition, &["no room".to_owned()]);
        assert!(words.may_stand(&Record::new(b"kubelet[7]: no room")));
        assert!(words.may_stand(&Record::new(br#"{"log":"t\tcontroller.oven\tno room"}"#)));
        assert!(words.may_stand(&Record::new(
            br#"{"logger":"controllers.Oven","msg":"no room"}"#
        )));
        assert!(!words.may_stand(&Record::new(b"scheduler[7]: no room")));
        assert!(!words.may_stand(&Record::new(b"manager.controller: no room")));
    }

    #[test]
    fn without_words_anything_may_stand() {
        let condition = condition("event: {message: ['{a} {b}', 'some words']}");
        assert!(Words::of(&condition, &[]).may_stand(&Record::new(b"")));
    }

    #[test]
    fn words_that_are_known_to_stand_are_not_looked_for() {
        let condition = condition("event: {message: 'volume \"{v}\" is not there'}");
        let known = |raw: &[&str]| {
            let raw: Vec<String> = raw.iter().map(ToString::to_string).collect();
            Words::of(&condition, &raw)
        };
        assert!(known(&["is not there"]).may_stand(&Record::new(b"volume")));
        assert!(!known(&["is not there"]).may_stand(&Record::new(b"is not there")));
        assert!(!known(&["is not there", "volume"]).may_stand(&Record::new(b"volume")));
        assert!(known(&["volume is not there"]).may_stand(&Record::new(b"")));
    }
}
