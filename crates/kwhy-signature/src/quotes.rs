//! Values that a pattern quotes, matched with other quotes or without any.

use std::sync::OnceLock;

use regex_syntax::hir::{Capture, Class, ClassBytes, ClassBytesRange, Hir, HirKind, Repetition};

use super::meaning::known;

/// The characters that quote.
pub(super) const QUOTES: [u8; 3] = *b"\"'`";

pub(super) fn quote() -> Hir {
    static ANY: OnceLock<Hir> = OnceLock::new();
    ANY.get_or_init(|| known("[\"'`]")).clone()
}

pub(super) fn maybe_quote() -> Hir {
    static ANY: OnceLock<Hir> = OnceLock::new();
    ANY.get_or_init(|| known("[\"'`]?")).clone()
}

pub(super) fn quote_or_end() -> Hir {
    static ANY: OnceLock<Hir> = OnceLock::new();
    ANY.get_or_init(|| known("[\"'`]|\\z")).clone()
}

/// The forms that a value quoted by a pattern may take without quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unquoted {
    /// None: quotes are required.
    Never,
    /// Text without spaces and quotes.
    Between,
    /// The same, at the end of a pattern.
    AtEnd,
}

/// Returns an expression for a quoted value that accepts any quotes or none; without quotes it contains no space.
/// Captures include the quotes; [`Place::slot`](super::Place::slot) strips them.
pub(super) fn quoted(inner: &Hir, (open, close): (u8, u8), unquoted: Unquoted) -> Option<Hir> {
    match inner.kind() {
        HirKind::Capture(Capture { index, name, sub }) => Some(Hir::capture(Capture {
            index: *index,
            name: name.clone(),
            sub: Box::new(quoted(sub, (open, close), unquoted)?),
        })),
        _ if holds_groups(inner) => None,
        _ => {
            let as_written = Hir::concat(vec![
                Hir::literal([open]),
                inner.clone(),
                Hir::literal([close]),
            ]);
            let mut ways = vec![as_written];
            if let Some(other) = without(inner, &QUOTES) {
                ways.push(Hir::concat(vec![quote(), other, quote()]));
            }
            let bare = without(inner, b"\"'` \t\r\n\x0b\x0c");
            ways.extend(match unquoted {
                Unquoted::Never => None,
                Unquoted::Between => bare,
                Unquoted::AtEnd => bare.and_then(ended),
            });
            Some(Hir::alternation(ways))
        }
    }
}

fn holds_groups(hir: &Hir) -> bool {
    hir.properties().explicit_captures_len() > 0
}

/// Returns an expression for an unquoted value at a text's end, without the punctuation after it.
fn ended(bare: Hir) -> Option<Hir> {
    let HirKind::Repetition(repeated) = bare.kind() else {
        return Some(bare);
    };
    let end = without(&repeated.sub, b",.;:)]}")?;
    let start = Hir::repetition(Repetition {
        min: repeated.min.saturating_sub(1),
        max: repeated.max.map(|max| max.saturating_sub(1)),
        greedy: true,
        sub: repeated.sub.clone(),
    });
    Some(Hir::concat(vec![start, end]))
}

/// Returns the expression with some bytes removed from its classes; `None` if it then matches nothing.
fn without(hir: &Hir, bytes: &[u8]) -> Option<Hir> {
    let left = match hir.kind() {
        HirKind::Class(Class::Bytes(class)) => {
            let mut class = class.clone();
            let gone = bytes.iter().map(|byte| ClassBytesRange::new(*byte, *byte));
            class.difference(&ClassBytes::new(gone));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Repetition(repeated) => Hir::repetition(Repetition {
            sub: Box::new(without(&repeated.sub, bytes)?),
            ..repeated.clone()
        }),
        HirKind::Concat(parts) => Hir::concat(
            (parts.iter())
                .map(|part| without(part, bytes))
                .collect::<Option<_>>()?,
        ),
        HirKind::Alternation(parts) => Hir::alternation(
            parts
                .iter()
                .filter_map(|part| without(part, bytes))
                .collect(),
        ),
        _ => hir.clone(),
    };
    (left.properties().minimum_len().is_some()).then_some(left)
}
