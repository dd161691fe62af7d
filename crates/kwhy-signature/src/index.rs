//! An index of the conditions that a text, reason or kind may fulfil.
//!
//! Each condition names literals one of which occurs in every match ([`LiteralRequirement`]). One search finds all
//! literals that occur in a text ([`LiteralSet`]); the conditions that need them are the candidates.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kwhy_prefilter::{LiteralHit, LiteralSet, MIN_LITERAL, Texts};
use memchr::{memchr_iter, memmem};

use super::required::{KLOG_FATAL, LiteralRequirement, RequirementKind};

/// A leaf condition: the number of its signature in the catalogue, and its own within the signature.
pub type ConditionId = (u32, u16);

/// A condition in six bytes, as there are tens of thousands: both halves of the first number, and the second.
pub type StoredId = [u16; 3];

fn stored((number, leaf): ConditionId) -> StoredId {
    [number as u16, (number >> 16) as u16, leaf]
}

fn read([low, high, leaf]: StoredId) -> ConditionId {
    (u32::from(high) << 16 | u32::from(low), leaf)
}

/// Numbered lists of conditions, concatenated.
#[derive(Clone, Debug, Default)]
pub struct ConditionLists {
    /// The conditions of all lists.
    pub conditions: Cow<'static, [StoredId]>,
    /// The end of each list in it.
    pub ends: Cow<'static, [u32]>,
}

impl ConditionLists {
    /// Returns the list with a number; empty if there is none.
    pub fn get(&self, number: usize) -> impl Iterator<Item = ConditionId> + Clone {
        let end = |number: usize| self.ends.get(number).map(|end| *end as usize);
        let start = number.checked_sub(1).map_or(Some(0), end);
        let range = start.zip(end(number)).map(|(start, end)| start..end);
        let list = range.and_then(|range| self.conditions.get(range));
        list.unwrap_or_default().iter().copied().map(read)
    }

    /// Appends a list of conditions.
    fn push(&mut self, list: impl IntoIterator<Item = ConditionId>) {
        let conditions = self.conditions.to_mut();
        conditions.extend(list.into_iter().map(stored));
        self.ends.to_mut().push(conditions.len() as u32);
    }
}

/// Sorted words, each with the conditions that need it.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The words.
    pub words: Texts,
    /// The conditions of each word.
    pub conditions: ConditionLists,
}

impl Words {
    /// The number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns true if there are no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The words with their conditions.
    pub fn iter(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = ConditionId>)> {
        let words = self.words.iter().enumerate();
        words.map(|(number, word)| (word, self.conditions.get(number)))
    }

    /// Returns the conditions that need a word.
    fn look_up(&self, word: &str) -> impl Iterator<Item = ConditionId> {
        let found = self.words.position(word).into_iter();
        found.flat_map(|number| self.conditions.get(number))
    }

    /// Returns these words merged with others, sorted.
    fn joined(&self, others: &Words) -> Words {
        let mut all: BTreeMap<&str, Vec<ConditionId>> = BTreeMap::new();
        for (word, conditions) in self.iter().chain(others.iter()) {
            all.entry(word).or_default().extend(conditions);
        }
        all.into_iter().collect()
    }
}

impl<T: AsRef<str>> FromIterator<(T, Vec<ConditionId>)> for Words {
    fn from_iter<I: IntoIterator<Item = (T, Vec<ConditionId>)>>(words: I) -> Words {
        let mut all = Words::default();
        for (word, conditions) in words {
            all.words.extend([word]);
            all.conditions.push(conditions);
        }
        all
    }
}

/// Literals that the engine needs rather than a signature: a record that contains one reports an error.
const ERROR_LEVEL_MARKERS: &[&str] = &[
    "level=error ",
    "level=fatal ",
    "level=panic ",
    "\"level\":\"error\"",
    "\"level\":\"fatal\"",
    "\"level\":\"panic\"",
    "\"level\":50,",
    "\"level\":60,",
    "\\\"level\\\":\\\"error",
    "\\\"level\\\":\\\"fatal",
];

/// Records that start with one of these are always parsed, so they need not be searched for them.
pub const STARTS: &[&str] = &["panic:", "fatal error:"];

/// The number reported for [`KLOG_FATAL`], which is not one of the literals.
const KLOG_FATAL_NUMBER: u32 = u32::MAX;

/// Finds the leaf conditions that are worth a full test.
///
/// The fields are public so that a build script can write an index out as a constant.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// The literals, starting with the error level markers.
    pub literals: LiteralSet,
    /// The conditions that need each literal, by its number.
    pub conditions: ConditionLists,
    /// The reasons that conditions require, sorted.
    pub reasons: Words,
    /// The kinds of objects that conditions require, sorted.
    pub kinds: Words,
    /// Conditions that any event may fulfil.
    pub any_event: Cow<'static, [ConditionId]>,
    /// Conditions that an object of any kind may fulfil.
    pub any_object: Cow<'static, [ConditionId]>,
    /// Conditions on klog's fatal records.
    pub klog_fatal: Cow<'static, [ConditionId]>,
    /// Conditions that need one of [`STARTS`].
    pub starts: Cow<'static, [ConditionId]>,
    /// Conditions on raw records and objects, sorted.
    pub entries: Cow<'static, [ConditionId]>,
    /// Conditions without a literal, for which every record must be parsed.
    pub boundless: Cow<'static, [ConditionId]>,
    /// The words of conditions on statements in lower case, sorted; the conditions that need no word are under an empty
    /// one.
    pub statements: Words,
}

impl Index {
    /// Builds the index of what leaf conditions need; `sample` is a piece of a typical text.
    pub fn new(
        needs: impl IntoIterator<Item = (ConditionId, LiteralRequirement)>,
        sample: &str,
    ) -> Index {
        let markers = ERROR_LEVEL_MARKERS.iter();
        let markers = markers.map(|text| (text.to_string(), Vec::new()));
        Index::lay_out(markers.collect(), needs, sample)
    }

    fn lay_out(
        mut literals: Vec<(String, Vec<ConditionId>)>,
        needs: impl IntoIterator<Item = (ConditionId, LiteralRequirement)>,
        sample: &str,
    ) -> Index {
        let mut words: [BTreeMap<String, Vec<ConditionId>>; 4] = Default::default();
        let mut any: [Vec<ConditionId>; 6] = Default::default();
        let mut add = |group: usize, word: String, leaf: ConditionId| {
            let leaves = words[group].entry(word).or_default();
            if leaves.last() != Some(&leaf) {
                leaves.push(leaf);
            }
        };
        for (leaf, need) in needs {
            match need.what {
                RequirementKind::Text => {}
                RequirementKind::Entry => any[5].push(leaf),
                RequirementKind::Reason => need.words.iter().for_each(|w| add(1, w.clone(), leaf)),
                RequirementKind::Kind => need.words.iter().for_each(|w| add(2, w.clone(), leaf)),
                RequirementKind::AnyEvent => any[0].push(leaf),
                RequirementKind::AnyObject => any[1].push(leaf),
                RequirementKind::AnyText if need.words.is_empty() => add(3, String::new(), leaf),
                RequirementKind::AnyText => need
                    .words
                    .iter()
                    .for_each(|w| add(3, w.to_ascii_lowercase(), leaf)),
            }
            if need.is_boundless() {
                any[2].push(leaf);
                // a candidate for every event
                if need.what == RequirementKind::Entry {
                    any[0].push(leaf);
                }
            }
            for text in need.raw {
                if STARTS.contains(&text.as_str()) {
                    any[4].push(leaf);
                }
                if text == KLOG_FATAL {
                    any[3].push(leaf);
                } else {
                    add(0, text, leaf);
                }
            }
        }
        let [raw, reasons, kinds, statements] = words;
        literals.extend(raw);
        let literals: Words = literals.into_iter().collect();
        let [
            any_event,
            any_object,
            boundless,
            klog_fatal,
            starts,
            entries,
        ] = any;
        Index {
            literals: LiteralSet::new(literals.words.iter(), sample.as_bytes()),
            conditions: literals.conditions,
            reasons: reasons.into_iter().collect(),
            kinds: kinds.into_iter().collect(),
            any_event: Cow::Owned(any_event),
            any_object: Cow::Owned(any_object),
            klog_fatal: Cow::Owned(klog_fatal),
            starts: Cow::Owned(starts),
            entries: Cow::Owned(entries),
            boundless: Cow::Owned(boundless),
            statements: statements.into_iter().collect(),
        }
    }

    /// Returns this index extended by what further conditions need.
    #[must_use]
    pub fn joined(
        &self,
        needs: impl IntoIterator<Item = (ConditionId, LiteralRequirement)>,
    ) -> Index {
        let more = Index::lay_out(Vec::new(), needs, "");
        let mut conditions = self.conditions.clone();
        for number in 0..more.literals.literals.len() {
            conditions.push(more.conditions.get(number));
        }
        let chained = |mine: &[ConditionId], theirs: &[ConditionId]| [mine, theirs].concat().into();
        Index {
            literals: self.literals.joined(&more.literals),
            conditions,
            reasons: self.reasons.joined(&more.reasons),
            kinds: self.kinds.joined(&more.kinds),
            any_event: chained(&self.any_event, &more.any_event),
            any_object: chained(&self.any_object, &more.any_object),
            klog_fatal: chained(&self.klog_fatal, &more.klog_fatal),
            starts: chained(&self.starts, &more.starts),
            entries: chained(&self.entries, &more.entries),
            boundless: chained(&self.boundless, &more.boundless),
            statements: self.statements.joined(&more.statements),
        }
    }

    /// Calls `found` for each literal that occurs in the lines of a document, in no particular order. The texts in
    /// [`STARTS`] are not searched for.
    pub fn sweep(&self, lines: &[u8], found: impl FnMut(LiteralHit)) {
        self.find(lines, |word| !STARTS.contains(&word), found);
    }

    fn find(&self, text: &[u8], wanted: impl Fn(&str) -> bool, mut found: impl FnMut(LiteralHit)) {
        self.literals.find_all(text, wanted, &mut found);
        if !self.klog_fatal.is_empty() {
            for at in klog_fatal(text) {
                found(LiteralHit {
                    at,
                    literal: KLOG_FATAL_NUMBER,
                });
            }
        }
    }

    /// Adds the conditions that need one of [`STARTS`] if a record contains one, as [`Index::sweep`] does not report
    /// these.
    pub fn add_starting(&self, record: &[u8], into: &mut Vec<ConditionId>) {
        let occurs = |start: &&str| memmem::find(record, start.as_bytes()).is_some();
        if !self.starts.is_empty() && STARTS.iter().any(occurs) {
            into.extend(self.starts.iter());
        }
    }

    /// Returns the conditions that need a literal.
    pub fn leaves(&self, literal: u32) -> impl Iterator<Item = ConditionId> {
        let is_klog_fatal = literal == KLOG_FATAL_NUMBER;
        let of_klog: &[ConditionId] = if is_klog_fatal { &self.klog_fatal } else { &[] };
        // no literal has the number of the mark
        let of_literal = self.conditions.get(literal as usize);
        of_klog.iter().copied().chain(of_literal)
    }

    /// Returns true if a literal marks records of an error level.
    pub fn is_error_level(&self, literal: u32) -> bool {
        (literal as usize) < ERROR_LEVEL_MARKERS.len()
    }

    /// The literals of at least [`MIN_LITERAL`] bytes.
    pub fn long_literals(&self) -> impl Iterator<Item = &str> {
        let all = self.literals.literals.iter();
        all.filter(|literal| literal.len() >= MIN_LITERAL)
    }

    /// Adds the conditions with a literal that occurs in a text.
    pub fn text(&self, text: &[u8], into: &mut Vec<ConditionId>) {
        let add = |hit: LiteralHit| into.extend(self.leaves(hit.literal));
        self.find(text, |_| true, add);
    }

    /// Adds the conditions on raw records and objects that have a literal in this one, or need none.
    pub fn entry(&self, record: &[u8], into: &mut Vec<ConditionId>) {
        if self.entries.is_empty() {
            return;
        }
        let is_entry = |leaf: &ConditionId| self.entries.binary_search(leaf).is_ok();
        into.extend(self.boundless.iter().copied().filter(is_entry));
        let add = |hit: LiteralHit| {
            into.extend(self.leaves(hit.literal).filter(is_entry));
        };
        self.find(record, |_| true, add);
    }

    /// Adds the conditions that require this reason.
    pub fn reason(&self, reason: &str, into: &mut Vec<ConditionId>) {
        into.extend(self.reasons.look_up(reason));
    }

    /// Adds the conditions that require objects of this kind.
    pub fn kind(&self, kind: &str, into: &mut Vec<ConditionId>) {
        into.extend(self.kinds.look_up(kind));
    }

    /// Returns the position of a kind among those that conditions require.
    pub fn kind_number(&self, kind: &str) -> Option<usize> {
        self.kinds.words.position(kind)
    }
}

/// The offsets at which klog's fatal records may start: `F`, month and day, a space, the hour.
fn klog_fatal(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr_iter(b'F', text).filter(|at| {
        let head = text.get(at + 1..at + KLOG_FATAL.len());
        head.is_some_and(|head| {
            let mut pairs = head.iter().zip(&KLOG_FATAL.as_bytes()[1..]);
            pairs.all(|(there, wanted)| match wanted {
                b'0' => there.is_ascii_digit(),
                wanted => there == wanted,
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(words: &[&str]) -> LiteralRequirement {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        LiteralRequirement {
            what: RequirementKind::Text,
            raw: words.clone(),
            words,
        }
    }

    fn candidates(index: &Index, text: &str) -> Vec<ConditionId> {
        let mut found = Vec::new();
        index.text(text.as_bytes(), &mut found);
        found.sort_unstable();
        found
    }

    #[test]
    fn fatal_records_of_klog_are_found_by_their_head() {
        let need = need(&[super::KLOG_FATAL]);
        for index in [
            Index::new([((3, 1), need.clone())], ""),
            Index::new([], "").joined([((3, 1), need)]),
        ] {
            let found = |text| candidates(&index, text);
            assert_eq!(
                found(r#"{"log":"F0304 05:06:07.123456 7 x.go:1] gone"#),
                [(3, 1)]
            );
            for other in ["E0304 05:06:07.1", "F0304 05-06", "F0304 0", "F03x4 05:06"] {
                assert!(found(other).is_empty(), "{other}");
            }
        }
    }

    #[test]
    fn literals_are_found_anywhere() {
        let needs = [
            ((0, 0), need(&["is not found here"])),
            ((1, 0), need(&["is not found", "oom"])),
        ];
        let index = Index::new(needs.clone(), "");
        let [first, second] = needs;
        for index in [index, Index::new([first], "").joined([second])] {
            let found = |text| candidates(&index, text);
            assert_eq!(found("volume \"x\" is not found here"), [(0, 0), (1, 0)]);
            assert_eq!(found("is not found"), [(1, 0)]);
            assert_eq!(found("an oom kill"), [(1, 0)]);
            assert!(found("is not foun").is_empty());
            assert!(found("level=error").is_empty());
        }
    }
}
