//! Which conditions a text, reason or kind may fulfil, laid out for a fast look-up.
//!
//! Each condition names texts of which every match holds one ([`Need`]). One sweep of a text finds
//! all of them that stand in it ([`Grams`]); the conditions of these are its candidates.
//!
//! The index of the built-in signatures is made by the build script with this same code.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use memchr::memchr_iter;

use super::grams::{Grams, SHORTEST};
use super::need::{KLOG_FATAL, Need, NeedKind};
use super::short::Short;

/// A leaf condition: the signature's number in the catalogue and the leaf's in the signature.
pub(crate) type Leaf = (u32, u16);

/// A word with the conditions that need it.
pub(crate) type Word = (Cow<'static, str>, Cow<'static, [Leaf]>);

/// Texts that no signature asks for but the engine does: a record that holds one tells of an error.
pub(crate) const GRAVE: &[&str] = &[
    "level=error ",
    "level=fatal ",
    "level=panic ",
    "\"level\":\"error\"",
    "\"level\":\"fatal\"",
    "\"level\":\"panic\"",
    "\\\"level\\\":\\\"error",
    "\\\"level\\\":\\\"fatal",
];

/// A record that begins with one of these is read in any case, so it need not be searched for.
pub(crate) const STARTS: &[&str] = &["panic:", "fatal error:"];

/// The number of [`KLOG_FATAL`], which is none of the texts.
const KLOG_FATAL_NUMBER: u32 = u32::MAX;

/// Finds the leaf conditions worth a full test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    pub grams: Grams,
    /// The texts of the grams, by their number; first those of [`GRAVE`].
    pub phrases: Cow<'static, [Word]>,
    /// Texts too short for grams.
    pub short: Cow<'static, [Word]>,
    /// Searches them; made when first needed.
    pub finders: OnceLock<Short>,
    /// In order of the words.
    pub reasons: Cow<'static, [Word]>,
    /// In order of the words.
    pub kinds: Cow<'static, [Word]>,
    pub any_event: Cow<'static, [Leaf]>,
    pub any_object: Cow<'static, [Leaf]>,
    /// Conditions on fatal records of klog.
    pub klog_fatal: Cow<'static, [Leaf]>,
    /// Conditions for which each record must be parsed.
    pub boundless: Cow<'static, [Leaf]>,
}

/// A text of the index that stands in a larger text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Standing {
    /// The byte at which it begins.
    pub at: usize,
    /// The text's number.
    pub phrase: u32,
}

impl Index {
    /// Lays out what leaf conditions need; `usual` is a piece of what is searched.
    pub fn new(needs: impl IntoIterator<Item = (Leaf, Need)>, usual: &str) -> Index {
        let grave = GRAVE.iter().map(|text| (text.to_string(), Vec::new()));
        Index::lay_out(grave.collect(), needs, usual)
    }

    fn lay_out(
        mut texts: Vec<(String, Vec<Leaf>)>,
        needs: impl IntoIterator<Item = (Leaf, Need)>,
        usual: &str,
    ) -> Index {
        let mut words: [BTreeMap<String, Vec<Leaf>>; 3] = Default::default();
        let mut any: [Vec<Leaf>; 4] = Default::default();
        let mut add = |group: usize, word: String, leaf: Leaf| {
            let leaves = words[group].entry(word).or_default();
            if leaves.last() != Some(&leaf) {
                leaves.push(leaf);
            }
        };
        for (leaf, need) in needs {
            match need.what {
                NeedKind::Text => {}
                NeedKind::Reason => need.words.iter().for_each(|w| add(1, w.clone(), leaf)),
                NeedKind::Kind => need.words.iter().for_each(|w| add(2, w.clone(), leaf)),
                NeedKind::AnyEvent => any[0].push(leaf),
                NeedKind::AnyObject => any[1].push(leaf),
            }
            if need.is_boundless() {
                any[2].push(leaf);
            }
            for text in need.raw {
                if text == KLOG_FATAL {
                    any[3].push(leaf);
                } else {
                    add(0, text, leaf);
                }
            }
        }
        let [raw, reasons, kinds] = words;
        let (long, short): (BTreeMap<_, _>, BTreeMap<_, _>) = raw
            .into_iter()
            .partition(|(text, _)| text.len() >= SHORTEST);
        texts.extend(long);
        let [any_event, any_object, boundless, klog_fatal] = any;
        let owned = |(word, leaves)| (Cow::Owned(word), Cow::Owned(leaves));
        Index {
            grams: Grams::new(
                texts.iter().map(|(text, _)| text.as_str()),
                usual.as_bytes(),
            ),
            phrases: texts.into_iter().map(owned).collect(),
            short: short.into_iter().map(owned).collect(),
            finders: OnceLock::new(),
            reasons: reasons.into_iter().map(owned).collect(),
            kinds: kinds.into_iter().map(owned).collect(),
            any_event: Cow::Owned(any_event),
            any_object: Cow::Owned(any_object),
            klog_fatal: Cow::Owned(klog_fatal),
            boundless: Cow::Owned(boundless),
        }
    }

    /// This index with texts told by what is rare in a piece of what is searched: it finds the same, and
    /// stops less often.
    pub fn tuned(&self, usual: &[u8]) -> Index {
        let texts = self.phrases.iter().map(|(text, _)| text.as_ref());
        Index {
            grams: Grams::new(texts, usual),
            ..self.clone()
        }
    }

    /// This index and what further conditions need.
    pub fn joined(&self, needs: impl IntoIterator<Item = (Leaf, Need)>) -> Index {
        let more = Index::lay_out(Vec::new(), needs, "");
        let both = |mine: &[Word], theirs: &[Word]| {
            let mut all: BTreeMap<&str, Vec<Leaf>> = BTreeMap::new();
            for (word, leaves) in mine.iter().chain(theirs) {
                all.entry(word).or_default().extend(leaves.iter());
            }
            let all = all.into_iter();
            all.map(|(word, leaves)| (Cow::Owned(word.to_owned()), Cow::Owned(leaves)))
                .collect()
        };
        let chained = |mine: &[Leaf], theirs: &[Leaf]| [mine, theirs].concat().into();
        Index {
            grams: self.grams.joined(&more.grams, self.phrases.len() as u32),
            phrases: [&*self.phrases, &*more.phrases].concat().into(),
            short: both(&self.short, &more.short),
            finders: OnceLock::new(),
            reasons: both(&self.reasons, &more.reasons),
            kinds: both(&self.kinds, &more.kinds),
            any_event: chained(&self.any_event, &more.any_event),
            any_object: chained(&self.any_object, &more.any_object),
            klog_fatal: chained(&self.klog_fatal, &more.klog_fatal),
            boundless: chained(&self.boundless, &more.boundless),
        }
    }

    /// Calls `found` for each text of the index that stands in the lines of a document; in no order.
    /// Records that begin with one of [`STARTS`] are not searched for that.
    pub fn sweep(&self, lines: &[u8], found: impl FnMut(Standing)) {
        self.find(lines, |word| !STARTS.contains(&word), found);
    }

    fn find(&self, text: &[u8], wanted: impl Fn(&str) -> bool, mut found: impl FnMut(Standing)) {
        self.grams.sweep(text, |at, phrase| {
            let stands = self
                .phrases
                .get(phrase as usize)
                .and_then(|(wanted, _)| Some((wanted, text.get(at..at + wanted.len())?)))
                .is_some_and(|(wanted, there)| wanted.as_bytes() == there);
            if stands {
                found(Standing { at, phrase });
            }
        });
        if !self.klog_fatal.is_empty() {
            for at in klog_fatal(text) {
                found(Standing {
                    at,
                    phrase: KLOG_FATAL_NUMBER,
                });
            }
        }
        let words = || Short::new(self.short.iter().map(|(word, _)| word.as_ref()));
        let before = self.phrases.len() as u32;
        self.finders.get_or_init(words).sweep(text, |at, number| {
            let word = self.short.get(number as usize);
            if word.is_some_and(|(word, _)| wanted(word)) {
                let phrase = before + number;
                found(Standing { at, phrase });
            }
        });
    }

    /// The conditions that need a text of the index.
    pub fn leaves(&self, phrase: u32) -> &[Leaf] {
        if phrase == KLOG_FATAL_NUMBER {
            return &self.klog_fatal;
        }
        let phrase = phrase as usize;
        let short = || self.short.get(phrase - self.phrases.len());
        let word = self.phrases.get(phrase).or_else(short);
        word.map_or(&[], |(_, leaves)| leaves)
    }

    /// Whether a text of the index is one of [`GRAVE`].
    pub fn is_grave(&self, phrase: u32) -> bool {
        (phrase as usize) < GRAVE.len()
    }

    /// Adds the conditions whose text stands in this one.
    pub fn text(&self, text: &[u8], into: &mut Vec<Leaf>) {
        let add = |standing: Standing| into.extend(self.leaves(standing.phrase));
        self.find(text, |_| true, add);
    }

    /// Adds the conditions that ask for this reason.
    pub fn reason(&self, reason: &str, into: &mut Vec<Leaf>) {
        into.extend(look_up(&self.reasons, reason));
    }

    /// Adds the conditions that ask for objects of this kind.
    pub fn kind(&self, kind: &str, into: &mut Vec<Leaf>) {
        into.extend(look_up(&self.kinds, kind));
    }

    /// The place of a kind among those that conditions ask for.
    pub fn kind_number(&self, kind: &str) -> Option<usize> {
        position(&self.kinds, kind)
    }
}

fn position(words: &[Word], word: &str) -> Option<usize> {
    words
        .binary_search_by(|(known, _)| (**known).cmp(word))
        .ok()
}

/// Where fatal records of klog may begin: `F`, month and day, a blank, the hour.
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

fn look_up<'w>(words: &'w [Word], word: &str) -> &'w [Leaf] {
    let found = position(words, word).and_then(|at| words.get(at));
    found.map_or(&[], |(_, leaves)| leaves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(words: &[&str]) -> Need {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        Need {
            what: NeedKind::Text,
            raw: words.clone(),
            words,
        }
    }

    fn candidates(index: &Index, text: &str) -> Vec<Leaf> {
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
    fn phrases_are_found_wherever_they_stand() {
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
