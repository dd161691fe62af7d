//! Expressions that match a pattern's meaning: they also accept other wordings of the same text.
//!
//! A pattern is an expression over lower-case text. Its literal runs are loosened: quotes may be of any kind or
//! missing, words stand for their class (`words.yaml`), `:`, `,`, `;` and ` - ` are interchangeable, articles may be
//! missing, and other small words may be added where the pattern has no literal to search for.

use std::ops::Range;
use std::sync::OnceLock;

use regex_syntax::hir::{Capture, Hir, HirKind, Repetition};
use serde::{Deserialize, Serialize};

use super::literals::is_blank;
use super::quotes::{QUOTES, Unquoted, maybe_quote, quote, quote_or_end, quoted};
use super::words::{ARTICLES, CLASSES, SEPARATORS, article, classes, gap, is_of_type, separator};

/// The part of a pattern's text whose wording may vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Scope {
    /// The kind of quotes.
    Kinds,
    /// Quotes that may be missing, and articles.
    Marks,
    /// Also words of a class.
    Words,
    /// Also the separators of clauses.
    All,
}

impl Scope {
    /// The next narrower scope.
    pub fn below(self) -> Option<Scope> {
        match self {
            Scope::All => Some(Scope::Words),
            Scope::Words => Some(Scope::Marks),
            Scope::Marks => Some(Scope::Kinds),
            Scope::Kinds => None,
        }
    }
}

/// The way in which the expression of a pattern is loosened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Loosening {
    scope: Scope,
    /// The range of spaces at which no word may be added; `None` if none may be added at all.
    fixed: Option<Range<usize>>,
}

impl Loosening {
    /// Creates a loosening that adds no words.
    pub fn new(scope: Scope) -> Self {
        Loosening { scope, fixed: None }
    }

    /// Creates a loosening that adds words, except at these spaces.
    pub fn with_gaps(scope: Scope, fixed: Range<usize>) -> Self {
        Loosening {
            scope,
            fixed: Some(fixed),
        }
    }

    /// Loosens an expression over lower-case text. Returns it with the widest scope that made a difference.
    pub fn loosen(&self, hir: &Hir) -> (Hir, Option<Scope>) {
        let mut walk = Walk {
            scope: self.scope,
            fixed: self.fixed.as_ref(),
            spaces: 0,
            used: None,
            is_start: true,
        };
        let loose = walk.part(hir, true);
        (loose, walk.used)
    }
}

struct Walk<'l> {
    scope: Scope,
    fixed: Option<&'l Range<usize>>,
    /// The number of spaces so far.
    spaces: usize,
    /// The widest scope that made a difference.
    used: Option<Scope>,
    /// True at the start of the pattern.
    is_start: bool,
}

impl Walk<'_> {
    /// Returns true if this scope is included, and records that it makes a difference.
    fn takes(&mut self, scope: Scope) -> bool {
        let takes = self.scope >= scope;
        if takes {
            self.used = self.used.max(Some(scope));
        }
        takes
    }

    /// Loosens an expression; `last` is true if nothing follows it.
    fn part(&mut self, hir: &Hir, last: bool) -> Hir {
        let is_text = matches!(hir.kind(), HirKind::Literal(_) | HirKind::Concat(_));
        self.is_start &= is_text;
        match hir.kind() {
            HirKind::Literal(_) => self.run(std::slice::from_ref(hir), last),
            HirKind::Concat(parts) => self.run(parts, last),
            HirKind::Capture(Capture { index, name, sub }) => Hir::capture(Capture {
                index: *index,
                name: name.clone(),
                sub: Box::new(self.part(sub, last)),
            }),
            HirKind::Alternation(parts) => {
                let mut ways = Vec::new();
                for part in parts {
                    let way = self.part(part, last);
                    // words of one class have the same expression
                    if !ways.contains(&way) {
                        ways.push(way);
                    }
                }
                Hir::alternation(ways)
            }
            // an explicit run of spaces
            HirKind::Repetition(repeated) if is_blank(hir) || is_space(&repeated.sub) => {
                hir.clone()
            }
            HirKind::Repetition(repeated) => Hir::repetition(Repetition {
                sub: Box::new(self.part(&repeated.sub, false)),
                ..repeated.clone()
            }),
            HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) => hir.clone(),
        }
    }

    /// Loosens adjacent parts.
    fn run(&mut self, parts: &[Hir], last: bool) -> Hir {
        let items = items(parts);
        let is_start = std::mem::take(&mut self.is_start);
        let mut out = Vec::new();
        let mut text = Vec::new();
        let mut at = 0;
        while let Some(item) = items.get(at) {
            if let Item::Byte(byte) = item
                && !is_special(&items, at)
            {
                text.push(*byte);
                at += 1;
                continue;
            }
            if let Some((hir, length)) = self.words(&items, at, is_start && at == 0) {
                end_text(&mut text, &mut out);
                out.push(hir);
                at += length;
                continue;
            }
            match item {
                Item::Byte(byte) if QUOTES.contains(byte) && !is_apostrophe(&items, at) => {
                    end_text(&mut text, &mut out);
                    let (hir, length) = self.marked(&items, at, last);
                    out.push(hir);
                    at += length;
                }
                Item::Byte(byte) => {
                    text.push(*byte);
                    at += 1;
                }
                Item::Blank => {
                    end_text(&mut text, &mut out);
                    out.push(blank());
                    let number = self.spaces;
                    self.spaces += 1;
                    let is_open = self.fixed.is_some_and(|fixed| !fixed.contains(&number));
                    if is_open && takes_gap(&items, at) {
                        out.push(gap().clone());
                    }
                    at += 1;
                }
                Item::Other(part) => {
                    end_text(&mut text, &mut out);
                    let is_loose = !out.last().is_some_and(is_of_type);
                    at += 1;
                    out.push(match is_loose {
                        true => self.part(part, last && at == items.len()),
                        false => (*part).clone(),
                    });
                }
            }
        }
        end_text(&mut text, &mut out);
        Hir::concat(out)
    }

    /// Loosens the words of a class, an article or a separator at an item, and returns the number of items consumed.
    fn words(&mut self, items: &[Item<'_>], at: usize, first: bool) -> Option<(Hir, usize)> {
        if let Some((class, length)) = class_at(items, at)
            && self.takes(Scope::Words)
        {
            return Some((class.clone(), length));
        }
        if let Some((word, length)) = article_at(items, at)
            && self.takes(Scope::Marks)
        {
            // an optional part at the start need not match
            return Some((if first { Hir::empty() } else { word }, length));
        }
        if let Some(length) = separator_at(items, at)
            && self.takes(Scope::All)
        {
            return Some((separator().clone(), length));
        }
        None
    }

    /// Loosens a quote, or a value between quotes, and returns the number of items consumed.
    fn marked(&mut self, items: &[Item<'_>], at: usize, last: bool) -> (Hir, usize) {
        let needed = !self.takes(Scope::Marks);
        if let Some(
            [
                Item::Byte(open),
                Item::Other(inner),
                Item::Byte(close),
                rest @ ..,
            ],
        ) = items.get(at..)
            && QUOTES.contains(close)
        {
            let end = match (needed, last && rest.is_empty()) {
                (true, _) => Unquoted::Never,
                (false, true) => Unquoted::AtEnd,
                (false, false) => Unquoted::Between,
            };
            if let Some(quoted) = quoted(inner, (*open, *close), end) {
                return (quoted, 3);
            }
        }
        let before = at.checked_sub(1).and_then(|at| items.get(at));
        // a value that extends to a quote ends there, or at the end of the text
        let ends = matches!(before, Some(Item::Other(_))) && last && at + 1 == items.len();
        let hir = match (needed, ends) {
            (true, _) => quote(),
            (false, true) => quote_or_end(),
            (false, false) => maybe_quote(),
        };
        (hir, 1)
    }
}

/// Flushes the pending text.
fn end_text(text: &mut Vec<u8>, out: &mut Vec<Hir>) {
    if !text.is_empty() {
        out.push(Hir::literal(std::mem::take(text)));
    }
}

/// Returns true if something to loosen may start at a byte.
fn is_special(items: &[Item<'_>], at: usize) -> bool {
    match items.get(at) {
        Some(Item::Byte(byte)) if byte.is_ascii_alphanumeric() => is_start(items, at),
        Some(Item::Byte(byte)) => QUOTES.contains(byte) || b":,;-".contains(byte),
        Some(Item::Blank | Item::Other(_)) | None => true,
    }
}

fn is_space(hir: &Hir) -> bool {
    matches!(hir.kind(), HirKind::Literal(literal) if *literal.0 == *b" ")
}

/// Returns true if a word may be added at a space: next to a slot, or before a class.
fn takes_gap(items: &[Item<'_>], at: usize) -> bool {
    let is_slot = |item: Option<&Item<'_>>| match item {
        Some(Item::Other(_)) => true,
        Some(Item::Byte(byte)) => QUOTES.contains(byte),
        Some(Item::Blank) | None => false,
    };
    let before = at.checked_sub(1).and_then(|before| items.get(before));
    let after = items.get(at + 1);
    after.is_some() && (is_slot(before) || is_slot(after) || class_at(items, at + 1).is_some())
}

/// Returns true if a quote is an apostrophe between two letters.
fn is_apostrophe(items: &[Item<'_>], at: usize) -> bool {
    let is_letter = |item: Option<&Item<'_>>| item.is_some_and(Item::is_in_word);
    matches!(items.get(at), Some(Item::Byte(b'\'')))
        && is_letter(at.checked_sub(1).and_then(|before| items.get(before)))
        && is_letter(items.get(at + 1))
}

/// An element of adjacent parts.
enum Item<'h> {
    /// A byte of literal text.
    Byte(u8),
    /// One or more spaces.
    Blank,
    /// Anything else.
    Other(&'h Hir),
}

impl Item<'_> {
    fn is_in_word(&self) -> bool {
        matches!(self, Item::Byte(byte) if byte.is_ascii_alphanumeric())
    }
}

fn items(parts: &[Hir]) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    for part in parts {
        match part.kind() {
            HirKind::Literal(literal) => items.extend(literal.0.iter().map(|byte| match byte {
                b' ' => Item::Blank,
                byte => Item::Byte(*byte),
            })),
            _ if is_blank(part) => items.push(Item::Blank),
            _ => items.push(Item::Other(part)),
        }
    }
    items
}

/// Returns true if a word may start at an item.
fn is_start(items: &[Item<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| items.get(before));
    matches!(items.get(at), Some(Item::Byte(byte)) if byte.is_ascii_lowercase())
        && !before.is_some_and(Item::is_in_word)
}

/// Returns true if the items start with these words, and the last word ends there. A space matches a run of spaces.
fn starts_with_words(words: &str, items: &[Item<'_>]) -> bool {
    let is = |wanted: u8, item: &Item<'_>| match item {
        Item::Byte(byte) => *byte == wanted,
        Item::Blank => wanted == b' ',
        Item::Other(_) => false,
    };
    items.len() >= words.len()
        && words
            .bytes()
            .zip(items)
            .all(|(wanted, item)| is(wanted, item))
        && !items.get(words.len()).is_some_and(Item::is_in_word)
}

/// Returns the class of the words at an item, and the number of items they take.
fn class_at(items: &[Item<'_>], at: usize) -> Option<(&'static Hir, usize)> {
    if !is_start(items, at) {
        return None;
    }
    let rest = items.get(at..)?;
    let classes = CLASSES.iter().zip(classes());
    let found = classes.filter_map(|(members, hir)| {
        let member = members
            .iter()
            .find(|member| starts_with_words(member, rest))?;
        Some((hir, member.len()))
    });
    found.max_by_key(|(_, length)| *length)
}

/// Returns an optional article at an item, and the number of items it takes with the space after it.
fn article_at(items: &[Item<'_>], at: usize) -> Option<(Hir, usize)> {
    let before = at.checked_sub(1).and_then(|before| items.get(before));
    if !is_start(items, at) || !matches!(before, None | Some(Item::Blank)) {
        return None;
    }
    let rest = items.get(at..)?;
    let known = ARTICLES
        .iter()
        .find(|known| starts_with_words(known, rest))?;
    let after = items.get(at + known.len());
    matches!(after, Some(Item::Blank)).then(|| (article().clone(), known.len() + 1))
}

/// Returns the number of items of the clause separator at an item, with the spaces around it.
fn separator_at(items: &[Item<'_>], at: usize) -> Option<usize> {
    let is_mark = |byte: &u8| SEPARATORS.contains(&char::from(*byte));
    match items.get(at..)? {
        [Item::Byte(mark), Item::Blank, ..] if *mark != b'-' && is_mark(mark) => Some(2),
        [Item::Blank, Item::Byte(mark), Item::Blank, ..] if is_mark(mark) => Some(3),
        _ => None,
    }
}

fn blank() -> Hir {
    static ANY: OnceLock<Hir> = OnceLock::new();
    ANY.get_or_init(|| known(r"\s+")).clone()
}

/// Parses one of this crate's own expressions.
pub(super) fn known(expression: &str) -> Hir {
    super::parsed::parse(expression).unwrap_or_else(|_| Hir::fail())
}

#[cfg(test)]
mod tests;
