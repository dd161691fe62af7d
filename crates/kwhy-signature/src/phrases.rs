//! Determines the texts by which a pattern is found before it is tested: each match contains one of them.

use std::ops::Range;

use regex_syntax::hir::{Class, Hir, HirKind};

use super::literals::{flat, is_blank};
use super::quotes::QUOTES;
use super::words::has_own_words;
use kwhy_prefilter::MIN_LITERAL;

/// The maximum number of texts that are combined for one piece of a pattern.
const MOST: usize = 48;

/// The maximum number of texts that are searched for per pattern.
const MANY: usize = 20;

/// The maximum number of bytes of a class that are expanded to separate texts.
const MOST_BYTES: usize = 3;

/// Stands for an apostrophe within a word while texts are combined.
const APOSTROPHE: char = '\u{1}';

/// The minimum length of a word that is worth searching for in a text.
const TELLING_WORD: usize = 4;

/// The minimum length of a single word that is rare in logs.
const RARE_WORD: usize = 14;

/// Words that most logs contain in any order, such as `for service`.
const EVERYDAY: [&str; 20] = [
    "and",
    "at",
    "by",
    "cluster",
    "container",
    "for",
    "from",
    "in",
    "namespace",
    "node",
    "of",
    "on",
    "or",
    "pod",
    "pods",
    "service",
    "services",
    "the",
    "to",
    "with",
];

/// The minimum length of the words in each of several alternative texts that are rare enough.
const SHORTEST_OF_SEVERAL: usize = 8;

/// Texts one of which every match contains.
#[derive(Clone, Debug, Default)]
pub(crate) struct Required {
    pub texts: Vec<String>,
    /// The range of the spaces that the texts contain.
    pub spaces: Range<usize>,
}

impl Required {
    fn shortest(&self) -> usize {
        self.texts.iter().map(String::len).min().unwrap_or(0)
    }

    /// Ranks how well the texts indicate a match: rare ones first, then few, then long ones. Among common texts,
    /// wording of a failure is better than what failed: logs are full of nouns.
    fn rank(&self, made: Made) -> (bool, std::cmp::Reverse<usize>, bool, usize) {
        let is_specific = made.tell(&self.texts);
        let few = if is_specific { self.texts.len() } else { 0 };
        let shortest = self.shortest();
        let fails = made == Made::Phrases
            && !is_specific
            && shortest >= MIN_LITERAL
            && !self.texts.iter().any(|text| has_own_words(words_of(text)));
        (is_specific, std::cmp::Reverse(few), fails, shortest)
    }

    /// Returns true if a large log can be searched for the texts: they are few, and none occurs in most logs.
    pub fn is_rare(&self) -> bool {
        self.texts.len() <= MANY && Made::Phrases.tell(&self.texts)
    }
}

/// The kind of texts to determine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Characters that log formats never escape, with runs of spaces collapsed into one.
    Phrases,
    /// Any characters except spaces.
    Words,
}

impl Made {
    /// Returns true if a character may be part of a text.
    fn holds(self, c: char) -> bool {
        match self {
            Made::Phrases => is_plain(c) || c == ' ' || c == APOSTROPHE,
            Made::Words => c != ' ',
        }
    }

    /// Returns the longest part of a text that consists of allowed characters; quotes may be at the text's ends.
    fn longest(self, text: &str) -> &str {
        let is_edge = |at: usize| self == Made::Phrases && (at == 0 || at + 1 == text.len());
        let (mut best, mut start) = (0..0, 0);
        let mut take = |start: usize, end: usize| {
            if end - start > best.len() {
                best = start..end;
            }
        };
        for (at, c) in text.char_indices() {
            let is_part = self.holds(c) || is_edge(at) && is_mark(c);
            if !is_part {
                take(start, at);
                start = at + c.len_utf8();
            }
        }
        take(start, text.len());
        let longest = &text[best];
        // spaces at the ends may be written differently, so they count only if the text is too short without them
        let inner = longest.trim();
        let are_needed = longest.len() >= MIN_LITERAL && inner.len() < MIN_LITERAL;
        match self {
            Made::Phrases if !are_needed => inner,
            Made::Phrases | Made::Words => longest,
        }
    }

    /// Returns true if each of the texts is worth searching for.
    fn tell(self, texts: &[String]) -> bool {
        let is_several = texts.len() > 1;
        let is_specific = |text: &String| match self {
            Made::Phrases => text.len() >= MIN_LITERAL && is_rare(text, is_several),
            Made::Words => text.len() >= TELLING_WORD,
        };
        !texts.is_empty() && texts.iter().all(is_specific)
    }
}

/// Returns true if a phrase is rare in logs, judging by its form: it is long enough, and does not consist only of words
/// that report any failure.
fn is_rare(text: &str, is_several: bool) -> bool {
    let words = words_of(text);
    let quoted = text.len() - text.trim_matches(is_mark).len();
    let several = words.contains(|c: char| !c.is_ascii_alphanumeric());
    let enough = match several {
        true if is_several => SHORTEST_OF_SEVERAL,
        true => MIN_LITERAL,
        false => RARE_WORD,
    };
    // few logs quote, and quoted text is a name
    let quoted = if quoted > 0 {
        RARE_WORD - MIN_LITERAL
    } else {
        0
    };
    let is_everyday = words.split(' ').all(|word| EVERYDAY.contains(&word));
    words.len() + quoted >= enough && !is_everyday && has_own_words(words)
}

/// Strips the marks and spaces around a text.
fn words_of(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_ascii_alphanumeric())
}

/// Returns true if a character quotes, or escapes a quote.
fn is_mark(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '\\')
}

/// Returns true if no envelope escapes a character: JSON and logfmt escape quotes and backslashes, Go's JSON also `< >
/// &`.
pub(crate) fn is_plain(c: char) -> bool {
    c.is_ascii_graphic() && !"\"'`\\<>&".contains(c)
}

/// Returns the longest part of a text that no envelope escapes.
pub(crate) fn longest_plain(text: &str) -> &str {
    let inner = text.trim_matches(|c| !is_plain(c));
    Made::Phrases.longest(inner).trim()
}

/// Returns phrases one of which every match of an expression contains, with runs of spaces collapsed into one; empty if
/// none are known.
pub(crate) fn phrases(hir: &Hir) -> Required {
    let found = required(hir, Made::Phrases);
    // programs that quote with apostrophes escape the apostrophe
    let written = |text: &String| match text.contains(APOSTROPHE) {
        true => vec![
            text.replace(APOSTROPHE, "'"),
            text.replace(APOSTROPHE, "\\'"),
        ],
        false => vec![text.clone()],
    };
    Required {
        texts: found.texts.iter().flat_map(written).collect(),
        spaces: found.spaces,
    }
}

/// Returns words one of which every match of an expression contains literally.
pub(crate) fn telling_words(hir: &Hir) -> Vec<String> {
    required(hir, Made::Words).texts
}

/// A piece of a concatenation.
enum Piece {
    /// This text, with the range of its spaces.
    Text(String, Range<usize>),
    /// One of these texts.
    OneOf(Vec<String>),
    /// Anything that contains one of these texts.
    Any(Required),
}

/// The pieces of a concatenation, with adjacent texts merged.
#[derive(Default)]
struct Pieces(Vec<Piece>);

impl Pieces {
    fn add_text(&mut self, text: &str, spaces: Range<usize>) {
        match self.0.last_mut() {
            Some(Piece::Text(before, known)) => {
                before.push_str(text);
                *known = joined(known, &spaces);
            }
            _ => self.0.push(Piece::Text(text.to_owned(), spaces)),
        }
    }

    fn add_one_of(&mut self, texts: &[&str]) {
        let texts = texts.iter().map(ToString::to_string);
        self.0.push(Piece::OneOf(texts.collect()));
    }

    fn end(&mut self) {
        self.0.push(Piece::Any(Required::default()));
    }
}

/// Joins two adjacent ranges, either of which may be empty.
fn joined(first: &Range<usize>, second: &Range<usize>) -> Range<usize> {
    match (first.is_empty(), second.is_empty()) {
        (_, true) => first.clone(),
        (true, false) => second.clone(),
        (false, false) => first.start..second.end,
    }
}

fn required(hir: &Hir, made: Made) -> Required {
    let mut parts = Vec::new();
    flat(std::slice::from_ref(hir), &mut parts);
    // for most patterns the texts common to all matches suffice
    let certain = best(&pieces(&parts, made, false), made);
    let are_certain = parts.iter().all(|part| is_certain(part));
    if are_certain || made.tell(&certain.texts) {
        return certain;
    }
    best(&pieces(&parts, made, true), made)
}

/// Returns true if a part matches exactly one text, or too many to list.
fn is_certain(part: &Hir) -> bool {
    is_blank(part)
        || matches!(
            part.kind(),
            HirKind::Literal(_) | HirKind::Look(_) | HirKind::Empty
        )
}

/// Splits the parts of a concatenation into pieces; `all` includes those that match several texts.
fn pieces(parts: &[&Hir], made: Made, all: bool) -> Vec<Piece> {
    let mut spaces = 0;
    let mut pieces = Pieces::default();
    for part in parts {
        if is_blank(part) {
            match made {
                Made::Phrases => pieces.add_text(" ", spaces..spaces + 1),
                Made::Words => pieces.end(),
            }
            spaces += 1;
        } else if let HirKind::Literal(literal) = part.kind() {
            let text = String::from_utf8_lossy(&literal.0);
            for run in text.split_inclusive(|c| !made.holds(c)) {
                let kept = run.trim_end_matches(|c| !made.holds(c));
                pieces.add_text(kept, 0..0);
                if kept.len() < run.len() {
                    pieces.end();
                }
            }
        } else if matches!(part.kind(), HirKind::Look(_) | HirKind::Empty) {
            // it matches no text
        } else if !all {
            pieces.end();
        } else if made == Made::Phrases && is_quoted(part) {
            // the quote before a text follows a backslash or nothing, however deeply it is escaped
            pieces.add_one_of(&["\"", "'", "`", "\\"]);
            pieces.end();
            pieces.add_one_of(&["\"", "'", "`"]);
        } else {
            // nothing would remain of a text that consists of marks
            let is_mark = |text: &String| !text.is_empty() && !text.contains(|c| made.holds(c));
            let texts = all_of(part).filter(|texts| !texts.iter().any(is_mark));
            let texts = texts.map(|mut texts| {
                if made == Made::Phrases {
                    texts.iter_mut().for_each(mark_apostrophe);
                }
                texts
            });
            pieces.0.push(match texts {
                Some(texts) => Piece::OneOf(texts),
                None => Piece::Any(inner(part, made)),
            });
        }
    }
    pieces.0
}

/// Returns true if every match is a quote, or starts and ends with one.
fn is_quoted(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(Class::Bytes(class)) => {
            let mut ranges = class.ranges().iter();
            ranges.all(|range| (range.start()..=range.end()).all(|byte| QUOTES.contains(&byte)))
        }
        HirKind::Literal(literal) => literal.0.iter().all(|byte| QUOTES.contains(byte)),
        HirKind::Concat(parts) => {
            let ends = [parts.first(), parts.last()];
            ends.into_iter().flatten().all(is_quoted)
        }
        HirKind::Alternation(parts) => parts.iter().all(is_quoted),
        HirKind::Capture(group) => is_quoted(&group.sub),
        HirKind::Empty | HirKind::Look(_) | HirKind::Repetition(_) | HirKind::Class(_) => false,
    }
}

/// Returns the best texts of a part that matches too many texts to list.
fn inner(part: &Hir, made: Made) -> Required {
    match part.kind() {
        HirKind::Alternation(parts) => {
            let each: Vec<Required> = parts.iter().map(|part| required(part, made)).collect();
            let known = each.iter().all(|each| each.shortest() > 0);
            let texts = each.into_iter().flat_map(|each| each.texts);
            Required {
                texts: texts.filter(|_| known).collect(),
                spaces: 0..0,
            }
        }
        HirKind::Repetition(repeated) if repeated.min > 0 => Required {
            spaces: 0..0,
            ..required(&repeated.sub, made)
        },
        _ => Required::default(),
    }
}

fn best(pieces: &[Piece], made: Made) -> Required {
    let mut best = Required::default();
    let mut best_rank = best.rank(made);
    let mut offer = |found: &Required| {
        let rank = found.rank(made);
        if found.shortest() > 0 && rank > best_rank {
            best_rank = rank;
            best = found.clone();
        }
    };
    for (start, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Any(inner) => offer(inner),
            Piece::Text(..) | Piece::OneOf(_) => {
                windows(&pieces[start..], made).iter().for_each(&mut offer);
            }
        }
    }
    best
}

/// Returns the combined texts of ever more of the leading pieces.
fn windows(pieces: &[Piece], made: Made) -> Vec<Required> {
    let mut found = Vec::new();
    let mut texts = vec![String::new()];
    let mut spaces = 0..0;
    for piece in pieces {
        let more = match piece {
            Piece::Text(text, own) => {
                spaces = joined(&spaces, own);
                std::slice::from_ref(text)
            }
            Piece::OneOf(more) => more,
            Piece::Any(_) => break,
        };
        if texts.len() * more.len() > MOST {
            break;
        }
        let both = |text: &String, more: &String| [text.as_str(), more].concat();
        texts = (texts.iter())
            .flat_map(|text| more.iter().map(move |more| both(text, more)))
            .collect();
        let mut kept: Vec<&str> = texts.iter().map(|text| made.longest(text)).collect();
        kept.sort_unstable_by_key(|text| text.len());
        // a text that contains another one is found by that
        let mut least: Vec<String> = Vec::new();
        for text in kept {
            if !least.iter().any(|known| text.contains(known.as_str())) {
                least.push(text.to_owned());
            }
        }
        let mut spaces = spaces.clone();
        // a space at the end of a single text is not searched for
        if let ([whole], [text]) = (texts.as_slice(), least.as_slice())
            && whole.trim() == text
            && !spaces.is_empty()
        {
            spaces.start += usize::from(whole.starts_with(' ') && !text.starts_with(' '));
            spaces.end -= usize::from(whole.ends_with(' ') && !text.ends_with(' '));
        }
        found.push(Required {
            texts: least,
            spaces,
        });
    }
    found
}

/// Returns all texts that an expression matches, with runs of spaces collapsed into one; `None` if there are too many.
fn all_of(hir: &Hir) -> Option<Vec<String>> {
    if is_blank(hir) {
        return Some(vec![" ".to_owned()]);
    }
    let texts = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(literal) => {
            let text = String::from_utf8(literal.0.to_vec()).ok()?;
            vec![text]
        }
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class.ranges().iter();
            let bytes = ranges.flat_map(|range| range.start()..=range.end());
            let bytes: Vec<u8> = bytes.take(MOST_BYTES + 1).collect();
            let few = bytes.len() <= MOST_BYTES && bytes.iter().all(u8::is_ascii_graphic);
            let texts = bytes.iter().map(|byte| char::from(*byte).to_string());
            few.then(|| texts.collect())?
        }
        HirKind::Class(Class::Unicode(_)) => return None,
        HirKind::Repetition(repeated) => match (repeated.min, repeated.max) {
            (0, Some(1)) => {
                let mut texts = vec![String::new()];
                texts.extend(all_of(&repeated.sub)?);
                texts
            }
            // no space, or a run of them
            (0, None) if is_one_blank(&repeated.sub) => vec![String::new(), " ".to_owned()],
            _ => return None,
        },
        HirKind::Capture(group) => all_of(&group.sub)?,
        HirKind::Concat(parts) => {
            let mut texts = vec![String::new()];
            for part in parts {
                let more = all_of(part)?;
                if texts.len() * more.len() > MOST {
                    return None;
                }
                texts = (texts.iter())
                    .flat_map(|text| more.iter().map(move |more| format!("{text}{more}")))
                    .collect();
            }
            texts
        }
        HirKind::Alternation(parts) => {
            let each: Option<Vec<_>> = parts.iter().map(all_of).collect();
            each?.concat()
        }
    };
    (texts.len() <= MOST).then_some(texts)
}

/// Marks the apostrophe of a contraction such as `can't`.
fn mark_apostrophe(text: &mut String) {
    if let Some(at) = text.find("'t") {
        let before = text[..at].ends_with(|c: char| c.is_ascii_alphabetic());
        if before {
            text.replace_range(at..=at, "\u{1}");
        }
    }
}

fn is_one_blank(hir: &Hir) -> bool {
    matches!(hir.kind(), HirKind::Class(_)) && is_blank(hir)
}
