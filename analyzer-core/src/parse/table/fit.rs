//! Fits the words of a row to a table's columns by what each column may hold, for rows whose
//! blanks no longer tell.

use super::columns::{Cell, words};
use crate::input::Line;
use crate::model::{Age, Quantity, Span};

/// The most words of a row that are fitted; the work grows with their square.
const MOST_PIECES: usize = 48;

/// The longest row that is fitted, in bytes.
const LONGEST_ROW: usize = 16 * 1024;

/// What a column may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// The name of an object or namespace; never empty.
    Name,
    /// An age or a moment.
    Age,
    /// A number of restarts, `2 (3d23h ago)` from kubectl 1.22 on.
    Restarts,
    /// Mostly a number, never several words.
    Count,
    /// `1/2`, a number or a flag.
    Ratio,
    /// A quantity; empty while unbound.
    Capacity,
    /// `RWO,ROX`; empty while unbound.
    AccessModes,
    /// The name of a volume; empty while unbound.
    Volume,
    /// `NAMESPACE/NAME`; empty while unbound.
    Claim,
    /// The name of a class; may be empty.
    Class,
    /// `<unset>` or the name of a class.
    AttributesClass,
    /// One word; often empty.
    Optional,
    /// Any number of words.
    Words,
    /// One word, rarely more.
    Word,
}

impl Shape {
    pub fn of(column: &str) -> Shape {
        match column {
            "NAME" | "NAMESPACE" => Shape::Name,
            "AGE" | "LAST SEEN" | "FIRST SEEN" => Shape::Age,
            "RESTARTS" => Shape::Restarts,
            "DESIRED" | "CURRENT" | "UP-TO-DATE" | "AVAILABLE" | "DATA" | "SECRETS" | "MINPODS"
            | "MAXPODS" | "REPLICAS" | "ACTIVE" | "COUNT" => Shape::Count,
            "READY" | "COMPLETIONS" => Shape::Ratio,
            "CAPACITY" => Shape::Capacity,
            "ACCESS MODES" | "ACCESSMODES" => Shape::AccessModes,
            "VOLUME" => Shape::Volume,
            "CLAIM" => Shape::Claim,
            "STORAGECLASS" => Shape::Class,
            "VOLUMEATTRIBUTESCLASS" => Shape::AttributesClass,
            "ADDRESS" | "PROGRESS" => Shape::Optional,
            "SCHEDULE" | "OS-IMAGE" | "PORTS" | "TARGETS" | "SELECTOR" | "MESSAGE" | "REASON"
            | "NODE SELECTOR" | "UPDATED" | "REQUEST" | "LIMIT" | "COMMAND" | "ENDPOINTS" => {
                Shape::Words
            }
            _ => Shape::Word,
        }
    }

    /// How well `count` words, as one text, suit the column; `None` if they cannot.
    fn score(self, text: &str, count: usize) -> Option<i64> {
        let extra = 4 * i64::try_from(count)
            .unwrap_or(i64::MAX / 8)
            .saturating_sub(1);
        let prefer = |suits: bool, otherwise: i64| if suits { 3 } else { otherwise - extra };
        let is_none = text == "<none>";
        match self {
            Shape::Name => (count == 1 && is_name(text)).then_some(2),
            Shape::Age if count == 0 => Some(-6),
            Shape::Age => (is_age(text) || is_none).then_some(3),
            Shape::Restarts if count == 0 => Some(-6),
            Shape::Restarts => restarts(text).map(|_| 3),
            Shape::Words if count == 0 => Some(-1),
            // a text does not end in the middle of a list
            Shape::Words if text.ends_with([':', ',']) || text == "<unset>" => Some(0),
            Shape::Words => Some(2),
            Shape::Capacity
            | Shape::AccessModes
            | Shape::Volume
            | Shape::Claim
            | Shape::Class
            | Shape::AttributesClass
            | Shape::Optional
                if count == 0 =>
            {
                Some(0)
            }
            _ if count == 0 => Some(-4),
            Shape::Count => {
                let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
                Some(prefer(is_number || is_none, 0))
            }
            Shape::Ratio => {
                let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
                let is_flag = matches!(text, "True" | "False" | "Unknown");
                Some(prefer(is_ratio(text) || is_number || is_flag || is_none, 0))
            }
            Shape::Capacity => Some(prefer(Quantity::parse(text).is_some(), -3)),
            Shape::AccessModes => {
                let is_modes = text
                    .split(',')
                    .all(|mode| matches!(mode, "RWO" | "ROX" | "RWX" | "RWOP"));
                Some(prefer(is_modes || is_none, -4))
            }
            Shape::Volume => Some(prefer(text.starts_with("pvc-"), 1)),
            Shape::Claim => Some(prefer(text.contains('/') && !is_ratio(text), -4)),
            Shape::Class => {
                let is_class = is_object_name(text) && !text.contains('/') && !is_age(text);
                Some(prefer(is_class && !text.starts_with("pvc-"), 0))
            }
            Shape::AttributesClass => Some(prefer(text == "<unset>", 0)),
            Shape::Optional | Shape::Word => {
                // what surely belongs to another column
                let is_foreign = is_age(text) || is_ratio(text);
                Some(if is_foreign { 0 } else { 2 } - extra)
            }
        }
    }
}

/// Whether cells cut at the header's offsets are a row's.
pub(super) fn suits(shapes: &[Shape], cells: &[Cell<'_>]) -> bool {
    let filled = cells.iter().filter(|cell| !cell.is_empty()).count();
    filled >= 2
        && shapes.iter().zip(cells).all(|(shape, cell)| match shape {
            Shape::Name => is_name(cell.text),
            Shape::Age => cell.is_empty() || is_age(cell.text) || cell.text == "<none>",
            Shape::Restarts => cell.is_empty() || restarts(cell.text).is_some(),
            _ => true,
        })
}

/// The cells of a row, one a column, by the best fit: of the parts between wide gaps, else of
/// the words.
pub(super) fn fit<'a>(shapes: &[Shape], line: &Line<'a>) -> Option<Vec<Cell<'a>>> {
    let parts = split(line, true)?;
    if parts.len() > 1
        && let Some(cells) = assign(shapes, line, &parts)
    {
        return Some(cells);
    }
    assign(shapes, line, &pieces(line)?)
}

/// The words of a row, those in brackets with the word before them: `2 (3d23h ago)`,
/// `standard (default)`.
pub(super) fn pieces<'a>(line: &Line<'a>) -> Option<Vec<Cell<'a>>> {
    split(line, false)
}

/// The words of a row, or its parts between wide gaps; `None` if there are too many.
fn split<'a>(line: &Line<'a>, at_wide_gaps: bool) -> Option<Vec<Cell<'a>>> {
    if line.text.len() > LONGEST_ROW {
        return None;
    }
    let mut pieces: Vec<Span> = Vec::new();
    let mut is_bracketed = false;
    for (span, is_wide) in words(line.text) {
        let word = &line.text[span.clone()];
        let joins = if at_wide_gaps {
            !is_wide
        } else {
            is_bracketed || word.starts_with('(')
        };
        is_bracketed = (is_bracketed || word.starts_with('(')) && !word.ends_with(')');
        match pieces.last_mut() {
            Some(before) if joins => before.end = span.end,
            _ => pieces.push(span),
        }
        if pieces.len() > MOST_PIECES {
            return None;
        }
    }
    Some(
        pieces
            .into_iter()
            .map(|span| Cell::of(line, span))
            .collect(),
    )
}

/// Gives every column a run of pieces, all pieces in order, so that the sum of scores is best.
fn assign<'a>(shapes: &[Shape], line: &Line<'a>, pieces: &[Cell<'a>]) -> Option<Vec<Cell<'a>>> {
    if pieces.len() < 2 {
        return None;
    }
    let run = |from: usize, to: usize| -> Cell<'a> {
        match (pieces.get(from), pieces.get(to.wrapping_sub(1))) {
            (Some(first), Some(last)) if from < to => {
                Cell::of(line, first.start - line.start..last.span().end - line.start)
            }
            _ => Cell::default(),
        }
    };
    let ends = pieces.len() + 1;
    // best[end]: the score of the columns so far on pieces[..end]; from[column][end]: where the
    // column's own run begins
    let mut best: Vec<Option<i64>> = vec![None; ends];
    best[0] = Some(0);
    let mut from: Vec<Vec<usize>> = Vec::with_capacity(shapes.len());
    for shape in shapes {
        let mut next: Vec<Option<i64>> = vec![None; ends];
        let mut starts = vec![0; ends];
        for (start, score) in best.iter().enumerate() {
            let Some(score) = score else { continue };
            // only texts and foreign columns hold more than a few words
            let most = if *shape == Shape::Words { ends } else { 6 };
            for end in start..ends.min(start.saturating_add(most)) {
                let Some(own) = shape.score(run(start, end).text, end - start) else {
                    continue;
                };
                let total = score + own;
                if next[end].is_none_or(|known| total > known) {
                    next[end] = Some(total);
                    starts[end] = start;
                }
            }
        }
        best = next;
        from.push(starts);
    }
    best.last().copied().flatten().filter(|score| *score > 0)?;
    let mut end = pieces.len();
    let mut cells: Vec<Cell<'a>> = from
        .iter()
        .rev()
        .map(|starts| {
            let start = starts.get(end).copied().unwrap_or(0);
            let cell = run(start, end);
            end = start;
            cell
        })
        .collect();
    cells.reverse();
    Some(cells)
}

/// The number of restarts, and how long ago the last one was.
pub(super) fn restarts(text: &str) -> Option<(i64, Option<Age>)> {
    let (number, rest) = match text.split_once(' ') {
        Some((number, rest)) => (number, rest.trim_start()),
        None => (text, ""),
    };
    let number = number.parse().ok().filter(|number| *number >= 0)?;
    if rest.is_empty() {
        return Some((number, None));
    }
    let age = rest.strip_prefix('(')?.strip_suffix(" ago)")?;
    match age {
        "<invalid>" | "<unknown>" => Some((number, None)),
        _ => Some((number, Some(Age::parse(age)?))),
    }
}

/// An age, one that kubectl could not tell, or a moment of a custom column.
pub(super) fn is_age(text: &str) -> bool {
    let is_moment = || {
        text.len() >= 20 && text.ends_with('Z') && text.starts_with(|c: char| c.is_ascii_digit())
    };
    matches!(text, "<unknown>" | "<invalid>") || Age::parse(text).is_some() || is_moment()
}

/// `1/2`.
pub(super) fn is_ratio(text: &str) -> bool {
    let is_number = |text: &str| {
        !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    text.split_once('/')
        .is_some_and(|(left, right)| is_number(left) && is_number(right))
}

/// A name in a row: of an object, with its kind before it or the default class's mark after it.
fn is_name(text: &str) -> bool {
    is_object_name(text.strip_suffix(" (default)").unwrap_or(text))
}

/// A Kubernetes name as DNS or RBAC allow it, with or without a kind (`pod/web-0`).
pub(super) fn is_object_name(text: &str) -> bool {
    text.len() < 512
        && text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.:/".contains(&byte)
        })
}
