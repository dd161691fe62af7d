//! Alignment of the words of a row with the columns of a table, by the values each column accepts,
//! for rows whose spacing is lost.

use super::columns::{Cell, Columns, is_space, screen_positions, words};
use super::runtime;
use crate::input::Line;
use kwhy_model::{Age, Quantity, Span};

/// The maximum number of words in an aligned row; the cost is quadratic.
const MAX_PIECES: usize = 48;

/// The maximum length of an aligned row, in bytes.
const MAX_ROW_LENGTH: usize = 16 * 1024;

/// The values a column accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnType {
    /// The name of an object or namespace; never empty.
    Name,
    /// An age or a timestamp.
    Age,
    /// A number of restarts; `2 (3d23h ago)` since kubectl 1.22.
    Restarts,
    /// Usually a number, never several words.
    Count,
    /// `1/2`, a number or a boolean.
    Ratio,
    /// A quantity; empty while unbound.
    Capacity,
    /// A quantity or a percentage, as `kubectl top` prints them.
    Usage,
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
    /// A hexadecimal identifier of a container runtime.
    Identifier,
    /// docker's `3 hours ago`.
    Ago,
    /// A timestamp of several words, as helm prints it; `3 hours ago` elsewhere.
    Timestamp,
    /// docker's `Up 3 hours (healthy)`.
    ContainerState,
    /// An address; the host name of a load balancer.
    Address,
    /// `v1`, `apps/v1`.
    ApiVersion,
    /// `true` or `false`.
    Flag,
    /// `ConfigMap`.
    Kind,
    /// Quoted text.
    Quoted,
    /// One word; often empty.
    Optional,
    /// Any number of words; often empty.
    OptionalWords,
    /// Any number of words.
    Words,
    /// One word, rarely more.
    Word,
}

impl ColumnType {
    /// Returns true if the column accepts any number of words.
    pub fn is_long(self) -> bool {
        matches!(
            self,
            ColumnType::Words | ColumnType::OptionalWords | ColumnType::Quoted
        )
    }

    /// Scores how well `count` words, taken as one text, suit the column; `None` if they cannot.
    fn score(self, text: &str, count: usize) -> Option<i64> {
        let extra = 4 * i64::try_from(count)
            .unwrap_or(i64::MAX / 8)
            .saturating_sub(1);
        let prefer = |matches: bool, otherwise: i64| if matches { 3 } else { otherwise - extra };
        let is_none = text == "<none>";
        match self {
            ColumnType::Name => (count == 1 && is_name(text)).then_some(2),
            ColumnType::Age if count == 0 => Some(-6),
            ColumnType::Age => (is_age(text) || is_none).then_some(3),
            ColumnType::Restarts if count == 0 => Some(-6),
            ColumnType::Restarts => restarts(text).map(|_| 3),
            ColumnType::Words if count == 0 => Some(-1),
            // a text does not end within a list
            ColumnType::Words | ColumnType::OptionalWords
                if text.ends_with([':', ',']) || text == "<unset>" =>
            {
                Some(0)
            }
            ColumnType::Words => Some(2),
            ColumnType::Capacity
            | ColumnType::AccessModes
            | ColumnType::Volume
            | ColumnType::Claim
            | ColumnType::Class
            | ColumnType::AttributesClass
            | ColumnType::OptionalWords
            | ColumnType::Optional
                if count == 0 =>
            {
                Some(0)
            }
            _ if count == 0 => Some(-4),
            ColumnType::OptionalWords => Some(if text.contains('/') { 2 } else { -2 }),
            ColumnType::Count => {
                let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
                Some(prefer(is_number || is_none, 0))
            }
            ColumnType::Ratio => {
                let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
                let is_flag = matches!(text, "True" | "False" | "Unknown");
                Some(prefer(is_ratio(text) || is_number || is_flag || is_none, 0))
            }
            ColumnType::Capacity => Some(prefer(Quantity::parse(text).is_some(), -3)),
            ColumnType::Usage => {
                let number = text.strip_suffix('%').unwrap_or(text);
                let is_usage = Quantity::parse(number).is_some() || text == "<unknown>";
                (count == 1 && is_usage).then_some(3)
            }
            ColumnType::AccessModes => {
                // custom columns print the object's own list
                let list = text
                    .strip_prefix('[')
                    .and_then(|list| list.strip_suffix(']'));
                let is_mode = |mode: &str| {
                    matches!(mode, "RWO" | "ROX" | "RWX" | "RWOP") || mode.starts_with("Read")
                };
                let is_modes = list.unwrap_or(text).split([',', ' ']).all(is_mode);
                Some(prefer(is_modes || is_none, -4))
            }
            ColumnType::Volume => Some(prefer(text.starts_with("pvc-"), 1)),
            ColumnType::Claim => Some(prefer(text.contains('/') && !is_ratio(text), -4)),
            ColumnType::Class => {
                let is_class = is_object_name(text)
                    && !text.contains('/')
                    && !is_age(text)
                    && text.contains(|c: char| c.is_ascii_lowercase());
                Some(prefer(is_class && !text.starts_with("pvc-"), 0))
            }
            ColumnType::AttributesClass => Some(prefer(text == "<unset>", 0)),
            ColumnType::Identifier => {
                let digits = text.strip_prefix("sha256:").unwrap_or(text);
                let is_identifier =
                    digits.len() >= 12 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                (count == 1 && (is_identifier || is_none)).then_some(3)
            }
            ColumnType::Ago => (is_age(text) || runtime::ago(text).is_some()).then_some(3),
            ColumnType::Timestamp => {
                let words = text.split_whitespace().count();
                let is_dated = text.get(..5).is_some_and(|year| {
                    year.ends_with('-') && year.starts_with(|c: char| c.is_ascii_digit())
                });
                match words {
                    _ if runtime::ago(text).is_some() || is_none => Some(3),
                    // date, time, offset, zone
                    4 if is_dated => Some(6),
                    1..=3 if is_dated => i64::try_from(words).ok(),
                    _ => Some(-extra),
                }
            }
            ColumnType::ContainerState => runtime::state(text).map(|_| 3),
            ColumnType::Address => {
                let is_address = text
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit() || b".:,".contains(&byte));
                let is_word = matches!(text, "None" | "<pending>");
                Some(prefer(is_address || is_word || is_none, 1))
            }
            ColumnType::ApiVersion => {
                let version = text.rsplit('/').next().unwrap_or(text);
                let digits = version.strip_prefix('v').unwrap_or("");
                Some(prefer(digits.starts_with(|c: char| c.is_ascii_digit()), -2))
            }
            ColumnType::Flag => Some(prefer(matches!(text, "true" | "false"), -2)),
            ColumnType::Kind => {
                let is_kind = count == 1 && text.starts_with(|c: char| c.is_ascii_uppercase());
                Some(prefer(is_kind, -2))
            }
            ColumnType::Quoted => {
                let is_quoted = text.len() > 1 && text.starts_with('"') && text.ends_with('"');
                Some(prefer(is_quoted, 0))
            }
            ColumnType::Optional | ColumnType::Word => {
                // almost certainly belongs to another column
                let is_foreign = is_age(text) || is_ratio(text);
                Some(if is_foreign { 0 } else { 2 } - extra)
            }
        }
    }

    /// Returns true if the column accepts this as an aligned cell.
    pub fn accepts(self, text: &str) -> bool {
        match self {
            _ if text.starts_with('<') && text == "<none>" => true,
            ColumnType::Name => {
                let plain = text.strip_suffix(" (default)").unwrap_or(text);
                let is_one_word = match plain.is_ascii() {
                    true => !plain.as_bytes().iter().any(is_space),
                    false => !plain.contains(char::is_whitespace),
                };
                !plain.is_empty() && is_one_word
            }
            _ if text.is_empty() => true,
            ColumnType::Age => is_age(text),
            ColumnType::Restarts => restarts(text).is_some(),
            ColumnType::Usage | ColumnType::Identifier => self.score(text, 1).is_some(),
            ColumnType::Ago | ColumnType::ContainerState => self.score(text, 1).is_some(),
            _ => true,
        }
    }
}

/// Returns true if cells cut at the header's offsets make a plausible row.
pub(super) fn is_plausible(types: &[ColumnType], cells: &[Cell<'_>]) -> bool {
    let filled = cells.iter().filter(|cell| !cell.is_empty()).count();
    filled >= 2
        && types
            .iter()
            .zip(cells)
            .all(|(column_type, cell)| column_type.accepts(cell.text))
}

/// Returns the cells of a row, one per column, by the best alignment of the parts between wide
/// gaps, or else of the words.
pub(super) fn align<'a>(
    types: &[ColumnType],
    columns: &Columns<'_>,
    line: &Line<'a>,
) -> Option<Vec<Cell<'a>>> {
    let parts = split(line, true)?;
    let by_gaps = if parts.len() > 1 {
        assign(types, columns, line, &parts)
    } else {
        None
    };
    match by_gaps {
        Some(cells) if !is_crowded(types, &cells) => Some(cells),
        Some(cells) => {
            // if a gap shrank to one space, two cells have merged and another column is empty
            let by_words = assign(types, columns, line, &pieces(line)?);
            let is_full = |cells: &Vec<Cell<'a>>| {
                !cells.iter().any(Cell::is_empty) && !is_crowded(types, cells)
            };
            by_words.filter(is_full).or(Some(cells))
        }
        None => assign(types, columns, line, &pieces(line)?),
    }
}

/// Returns true if a single-word column got several words.
fn is_crowded(types: &[ColumnType], cells: &[Cell<'_>]) -> bool {
    let of_words = |column_type: &ColumnType| {
        matches!(
            column_type,
            ColumnType::Word
                | ColumnType::Optional
                | ColumnType::Ratio
                | ColumnType::Count
                | ColumnType::Flag
                | ColumnType::Address
        )
    };
    let mut cells = types.iter().zip(cells);
    cells
        .any(|(column_type, cell)| of_words(column_type) && cell.text.contains(char::is_whitespace))
}

/// Returns the words of a row. Words in parentheses are joined with the word before them (`2 (3d23h
/// ago)`, `standard (default)`), and quoted words with each other.
pub(super) fn pieces<'a>(line: &Line<'a>) -> Option<Vec<Cell<'a>>> {
    split(line, false)
}

/// Returns the words of a row, or its parts between wide gaps; `None` if there are too many.
fn split<'a>(line: &Line<'a>, at_wide_gaps: bool) -> Option<Vec<Cell<'a>>> {
    if line.text.len() > MAX_ROW_LENGTH {
        return None;
    }
    let mut pieces: Vec<Span> = Vec::new();
    let mut is_bracketed = false;
    let mut is_quoted = false;
    for (span, is_wide) in words(line.text) {
        let word = &line.text[span.clone()];
        let joins = if at_wide_gaps {
            !is_wide
        } else {
            // the default-class marker only follows a name
            let is_mark = word == "(default)" && pieces.len() > 2;
            is_quoted || is_bracketed || (word.starts_with('(') && !is_mark)
        };
        is_bracketed = (is_bracketed || word.starts_with('(')) && !word.ends_with(')');
        is_quoted =
            (is_quoted || (word.starts_with('"') && word.len() > 1)) && !word.ends_with('"');
        match pieces.last_mut() {
            Some(before) if joins => before.end = span.end,
            _ => pieces.push(span),
        }
        if pieces.len() > MAX_PIECES {
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

/// Assigns each column a run of consecutive pieces, in order, that maximises the sum of scores.
///
/// A piece that starts at its column's position earns a bonus, so that empty cells stay empty.
fn assign<'a>(
    types: &[ColumnType],
    columns: &Columns<'_>,
    line: &Line<'a>,
    pieces: &[Cell<'a>],
) -> Option<Vec<Cell<'a>>> {
    if pieces.len() < 2 {
        return None;
    }
    let positions = positions_of(pieces, line);
    let run = |from: usize, to: usize| -> Cell<'a> {
        match (pieces.get(from), pieces.get(to.wrapping_sub(1))) {
            (Some(first), Some(last)) if from < to => {
                Cell::of(line, first.start - line.start..last.span().end - line.start)
            }
            _ => Cell::default(),
        }
    };
    let ends = pieces.len() + 1;
    // best[end]: score of the columns so far on pieces[..end]; from[column][end]: start of the run
    // assigned to that column
    let mut best: Vec<Option<i64>> = vec![None; ends];
    best[0] = Some(0);
    let mut from: Vec<Vec<usize>> = Vec::with_capacity(types.len());
    for (column, column_type) in types.iter().enumerate() {
        let position = columns.position(column);
        let mut next: Vec<Option<i64>> = vec![None; ends];
        let mut starts = vec![0; ends];
        for (start, score) in best.iter().enumerate() {
            let Some(score) = score else { continue };
            // only free text and unknown columns contain more than a few words
            let most = if column_type.is_long() { ends } else { 6 };
            let begins = position.is_some() && position == positions.get(start).copied();
            for end in start..ends.min(start.saturating_add(most)) {
                let Some(own) = column_type.score(run(start, end).text, end - start) else {
                    continue;
                };
                let bonus = if begins && end > start { 2 } else { 0 };
                let total = score + own + bonus;
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

/// Returns the screen position of each piece.
fn positions_of(pieces: &[Cell<'_>], line: &Line<'_>) -> Vec<usize> {
    let mut positions = screen_positions(line.text).peekable();
    let found = pieces.iter().map(|piece| {
        while positions
            .next_if(|(_, byte)| line.start + byte < piece.start)
            .is_some()
        {}
        positions
            .peek()
            .map_or(usize::MAX, |(position, _)| *position)
    });
    found.collect()
}

/// Parses the number of restarts and the age of the last one.
pub(super) fn restarts(text: &str) -> Option<(i64, Option<Age>)> {
    let digits = text.bytes().take_while(|byte| *byte != b' ').count();
    let (number, rest) = text.split_at(digits);
    let rest = rest.trim_start();
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

/// Returns true for an age, an age unknown to kubectl, or the timestamp of a custom column.
pub(super) fn is_age(text: &str) -> bool {
    let is_timestamp = || {
        text.len() >= 20 && text.ends_with('Z') && text.starts_with(|c: char| c.is_ascii_digit())
    };
    matches!(text, "<unknown>" | "<invalid>") || Age::parse(text).is_some() || is_timestamp()
}

/// Returns true for `1/2`.
pub(super) fn is_ratio(text: &str) -> bool {
    let is_number = |text: &str| {
        !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    text.split_once('/')
        .is_some_and(|(left, right)| is_number(left) && is_number(right))
}

/// Returns true for a name in a row, optionally with its kind before it or the default-class marker
/// after it.
fn is_name(text: &str) -> bool {
    text == "<none>" || is_object_name(text.strip_suffix(" (default)").unwrap_or(text))
}

/// Returns true for a Kubernetes name valid in DNS or RBAC, with or without a kind (`pod/web-0`).
pub(super) fn is_object_name(text: &str) -> bool {
    text.len() < 512
        && text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.:/_".contains(&byte)
        })
}
