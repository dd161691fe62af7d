//! The layout of a stream, learned from its records: the parts that nearly all of them have. It distinguishes a
//! logger's name from the first word of a message.

use std::collections::HashSet;

use super::head::{Head, MAX_PARTS, candidates};
use super::padding::Padding;
use super::parts::{self, Kind, Part, Separator};
use super::trailing::{self, Usual};
use crate::input::Line;
use crate::log::level;
use kwhy_model::{Severity, Stamp};

/// The maximum number of records that a layout is learned from.
const RECORDS: usize = 200;

/// The minimum number of records that must agree.
const LEAST: usize = 4;

/// The minimum share of records that must agree, in percent.
const SHARE: usize = 95;

/// The maximum share of distinct values among words that may be names, in percent.
const DIFFERENT: usize = 34;

/// The part that each record has at one position of its head.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    kind: Kind,
    open: u8,
    separator: Separator,
}

impl Shape {
    fn of(part: &Part) -> Shape {
        Shape {
            kind: if is_named(part.kind) {
                Kind::Word
            } else {
                part.kind
            },
            open: part.open,
            separator: part.separator,
        }
    }

    pub(super) fn fits(&self, part: &Part) -> bool {
        let same_kind = part.kind == self.kind || (is_named(part.kind) && is_named(self.kind));
        same_kind && part.open == self.open && part.separator == self.separator
    }
}

/// The parts common to all heads of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    shapes: Vec<Shape>,
    /// True if the time before each line is the records' own, although a single line would suggest an envelope's.
    is_outermost: bool,
    /// The padding before heads.
    padding: Option<Padding>,
    /// The layout after messages that end in pairs, if heads have no level.
    pairs: Option<Usual>,
    /// True if levels in brackets are padded: `[INFO ]`, `[INFO]  `.
    pads_levels: bool,
    /// True if it has parts that the format detected from a single line does not parse.
    is_surer: bool,
    /// The additional part after the head in records of a certain level.
    of_level: Vec<(String, Shape)>,
}

impl Layout {
    pub(super) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    pub(super) fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Returns true if the records have no head.
    pub(in crate::log) fn is_bare(&self) -> bool {
        self.shapes.is_empty()
    }

    /// Returns true if messages are followed by pairs, although heads have no level.
    pub(super) fn has_pairs(&self) -> bool {
        self.pairs.is_some()
    }

    /// Returns true if messages are followed by a logger in brackets.
    pub(super) fn has_loggers(&self) -> bool {
        self.pairs.as_ref().is_some_and(|pairs| pairs.has_loggers)
    }

    pub(super) fn pads_levels(&self) -> bool {
        self.pads_levels
    }

    pub(super) fn is_surer(&self) -> bool {
        self.is_surer
    }

    /// Returns the additional part of records of a level.
    pub(super) fn of_level(&self, level: &str) -> Option<&Shape> {
        let mut known = self.of_level.iter();
        known
            .find(|(known, _)| known == level)
            .map(|(_, shape)| shape)
    }

    /// Returns the number of spaces before the head of a line.
    pub(in crate::log) fn padding(&self, line: &str) -> usize {
        self.padding.map_or(0, |padding| padding.before(line))
    }

    /// Returns the number of spaces before the head of a line, and the head.
    fn head(&self, line: &str) -> Option<(usize, Head)> {
        let padding = self.padding(line);
        Some((padding, Head::within(line.get(padding..)?, self)?))
    }

    /// Learns the layout of lines; `None` if they have no common one with a level, or with a time that is set off.
    pub(in crate::log) fn learn<'l>(
        lines: impl Iterator<Item = &'l str> + Clone,
    ) -> Option<Layout> {
        let mut texts: Vec<&str> = Vec::new();
        let mut all = 0;
        let padding = Padding::learn(lines.clone().take(4 * RECORDS));
        let unpadded =
            |line: &'l str| padding.map_or(line, |padding| &line[padding.before(line)..]);
        for line in lines
            .map(unpadded)
            .filter(|line| !line.is_empty() && !line.starts_with([' ', '\t']))
            .take(4 * RECORDS)
        {
            all += 1;
            if begins(line) {
                texts.push(line);
            }
            if texts.len() == RECORDS {
                break;
            }
        }
        if texts.len() < LEAST || texts.len() * 2 < all {
            return None;
        }
        let mut places: Vec<usize> = vec![0; texts.len()];
        let mut levels: Vec<&str> = vec![""; texts.len()];
        let mut shapes: Vec<Shape> = Vec::new();
        while shapes.len() < MAX_PARTS {
            let Some(shape) = next_shape(&texts, &places, &shapes) else {
                break;
            };
            let (mut fitting, mut ends, mut words) = (Vec::new(), Vec::new(), Vec::new());
            for ((text, at), level) in texts.iter().zip(&places).zip(&levels) {
                if let Some(part) = candidates(text, *at).find(|part| shape.fits(part)) {
                    fitting.push(*text);
                    ends.push(part.end);
                    words.push(match shape.kind {
                        Kind::Level => text.get(part.range).unwrap_or(""),
                        _ => level,
                    });
                }
            }
            (texts, places, levels) = (fitting, ends, words);
            shapes.push(shape);
        }
        let empty = texts
            .iter()
            .zip(&places)
            .filter(|(text, at)| **at >= text.len());
        if empty.count() * 2 > texts.len() {
            // all messages are the same, so their words look like parts of the head
            let is_word = |shape: &Shape| {
                let is_bare = shape.open == 0 && shape.separator == Separator::Space;
                let is_last = shape.separator == Separator::None;
                (is_bare || is_last) && matches!(shape.kind, Kind::Word | Kind::Number)
            };
            while shapes.last().is_some_and(is_word) {
                shapes.pop();
            }
            texts.clear();
        }
        let has = |kind| shapes.iter().any(|shape| shape.kind == kind);
        let is_set_off = || {
            let first = shapes.first();
            first.is_some_and(|time| matches!(time.separator, Separator::Mark(" - " | " | ")))
        };
        (has(Kind::Level) || has(Kind::Time) && (shapes.len() > 1 || is_set_off())).then(|| {
            Layout {
                pads_levels: are_levels_padded(&texts),
                of_level: names_of_levels(&texts, &places, &levels),
                shapes,
                padding,
                ..Layout::default()
            }
        })
    }

    /// Learns the layout of lines detected as Go's log or zap; `None` if it has no more parts than those formats.
    pub(super) fn learn_surer<'l>(lines: impl Iterator<Item = &'l str> + Clone) -> Option<Layout> {
        let layout = Layout::learn(lines)?;
        let level = layout
            .shapes
            .iter()
            .position(|shape| shape.kind == Kind::Level)?;
        let is_set_off = |shape: &Shape| {
            is_named(shape.kind)
                && (shape.open != 0 || matches!(shape.separator, Separator::Mark(_)))
                || shape.kind == Kind::Caller && shape.separator != Separator::Tab
                || shape.kind == Kind::Level && matches!(shape.separator, Separator::Mark(_))
        };
        let is_surer = level > 1 || layout.shapes[level..].iter().any(is_set_off);
        is_surer.then_some(Layout { is_surer, ..layout })
    }

    /// Learns the layout of lines that have only a time or nothing before the message, and pairs after it.
    pub(super) fn learn_pairs<'l>(lines: impl Iterator<Item = &'l str>) -> Option<Layout> {
        let texts: Vec<&str> = lines
            .filter(|line| !line.is_empty() && !line.starts_with([' ', '\t']))
            .take(RECORDS)
            .collect();
        let time = candidates(texts.first()?, 0).next();
        let time = time
            .filter(|part| part.kind == Kind::Time)
            .map(|part| Shape::of(&part));
        let message = |text: &'l str| match &time {
            Some(time) => {
                let part = candidates(text, 0).find(|part| time.fits(part))?;
                Some((text, part.end))
            }
            None => Some((text, 0)),
        };
        let messages: Vec<(&str, usize)> = texts.iter().copied().filter_map(message).collect();
        if messages.len() * 100 < texts.len() * SHARE {
            return None;
        }
        Some(Layout {
            pairs: Some(trailing::usual(&messages)?),
            shapes: time.into_iter().collect(),
            ..Layout::default()
        })
    }

    /// Marks the layout as that of lines from their first byte on.
    pub(super) fn outermost(self) -> Layout {
        Layout {
            is_outermost: true,
            ..self
        }
    }

    /// Returns the offset of the message in a line with this layout.
    pub(in crate::log) fn message(&self, text: &str) -> Option<usize> {
        let (padding, head) = self.head(text)?;
        Some(padding + head.message)
    }

    /// Returns the time and the severity stated by the head of a line.
    pub(in crate::log) fn header(&self, text: &str) -> (Option<Stamp>, Option<Severity>) {
        let Some((padding, head)) = self.head(text) else {
            return (None, None);
        };
        let level = head.find(Kind::Level);
        let word = level.and_then(|part| text.get(padding..)?.get(part.range.clone()));
        (head.time(), word.and_then(level::of_head))
    }

    /// Returns true if a line starts with a head whose time looks like an envelope's.
    pub(in crate::log) fn is_before_envelopes(&self, text: &str) -> bool {
        self.is_outermost && Head::within(text, self).is_some()
    }

    /// Returns true if more than a time shows that the lines are records.
    pub(crate) fn is_sure(&self) -> bool {
        self.has_pairs() || self.shapes.iter().any(|shape| shape.kind == Kind::Level)
    }

    /// Returns the lines that may be the first of a record.
    fn firsts<'l>(&self, lines: &'l [Line<'_>]) -> impl Iterator<Item = &'l str> {
        lines.iter().map(|line| line.text).filter(|line| {
            let is_indented = line.starts_with([' ', '\t']);
            !line.trim().is_empty() && (!is_indented || self.padding(line) > 0)
        })
    }

    /// Returns true if at least four of five lines have this layout.
    pub(in crate::log) fn is_of_all(&self, lines: &[Line<'_>]) -> bool {
        let (mut all, mut fitting) = (0, 0);
        for line in self.firsts(lines).take(4 * RECORDS) {
            all += 1;
            fitting += usize::from(self.head(line).is_some());
        }
        fitting >= LEAST && fitting * 5 >= all * 4
    }

    /// Returns true if each line that is not indented has this layout.
    pub(crate) fn is_of_each(&self, lines: &[Line<'_>]) -> bool {
        // without a head, nothing marks the first line of a record
        !self.is_bare() && self.firsts(lines).all(|line| self.head(line).is_some())
    }
}

fn is_named(kind: Kind) -> bool {
    matches!(kind, Kind::Logger | Kind::Word | Kind::Thread)
}

/// Returns true if a line may be the start of a record in some layout.
fn begins(line: &str) -> bool {
    let first = candidates(line, 0).next();
    first.is_some_and(|part| match part.kind {
        Kind::Time => true,
        Kind::Level => part.open != 0 || part.separator != Separator::None,
        // `[quay] info: lift`
        _ if part.open == b'[' && is_named(part.kind) => {
            let next = candidates(line, part.end).next();
            next.is_some_and(|next| {
                next.kind == Kind::Level && matches!(next.separator, Separator::Mark(_))
            })
        }
        _ => false,
    }) || Head::of(line).is_some()
}

/// Returns true for a bare name that a mark follows.
fn is_logger(part: Part) -> bool {
    is_named(part.kind)
        && part.open == 0
        && matches!(part.separator, Separator::Mark(": " | " - " | " | "))
}

/// Returns the shape of the next part, which nearly all texts have at these offsets.
fn next_shape(texts: &[&str], places: &[usize], before: &[Shape]) -> Option<Shape> {
    let has = |kind| before.iter().any(|shape| shape.kind == kind);
    let (first, at) = (texts.first()?, *places.first()?);
    let samples = texts.iter().zip(places).take(3);
    let samples = samples.flat_map(|(text, at)| candidates(text, *at).collect::<Vec<_>>());
    let mut tried: Vec<Shape> = Vec::new();
    for sample in samples.chain(candidates(first, at)) {
        let shape = Shape::of(&sample);
        let kind = shape.kind;
        let is_known = matches!(kind, Kind::Time | Kind::Level | Kind::Caller) && has(kind);
        if is_known || tried.contains(&shape) {
            continue;
        }
        tried.push(shape.clone());
        let mut values = HashSet::new();
        let (mut fitting, mut missing, mut sure, mut closed) = (0, 0, false, false);
        for (text, at) in texts.iter().zip(places) {
            let Some(part) = candidates(text, *at).find(|part| shape.fits(part)) else {
                missing += 1;
                if missing * 100 > texts.len() * (100 - SHARE) {
                    break;
                }
                continue;
            };
            fitting += 1;
            let value = text
                .get(parts::logger_range(text, &part.range))
                .unwrap_or("");
            closed |= part.closed;
            sure |=
                part.kind == Kind::Logger || part.kind == Kind::Thread || parts::is_logger(value);
            values.insert(value);
        }
        if fitting * 100 < texts.len() * SHARE || fitting < LEAST {
            continue;
        }
        let few = values.len() * 100 <= fitting * DIFFERENT || values.len() == 1;
        let accepted = match kind {
            Kind::Time | Kind::Level | Kind::Caller => true,
            Kind::Number => shape.open != 0 || !has(Kind::Level),
            // no limit on distinct values
            Kind::Span => true,
            _ if shape.open == 0 && matches!(shape.separator, Separator::Space) => {
                // a word that is the same in all records, before a logger in nearly all
                let is_before_logger = || {
                    let named = texts.iter().zip(places).filter(|(text, at)| {
                        candidates(text, **at)
                            .find(|part| shape.fits(part))
                            .is_some_and(|part| candidates(text, part.end).any(is_logger))
                    });
                    values.len() == 1 && named.count() * 100 >= fitting * SHARE
                };
                few && (sure || closed || !has(Kind::Level) || is_before_logger())
            }
            _ if shape.open == 0 => {
                few && (values.len() > 1 || sure || shape.separator != Separator::Space)
            }
            _ => few || sure,
        };
        if accepted {
            return Some(shape);
        }
    }
    None
}

/// Returns true if four-letter levels in brackets are padded by a space, inside or after the brackets.
fn are_levels_padded(texts: &[&str]) -> bool {
    let of_four = texts.iter().filter_map(|text| {
        let (level, rest) = text.strip_prefix('[')?.split_once(']')?;
        let word = level.trim();
        let is_padded = level.len() > word.len() || rest.starts_with("  ");
        (word.len() == 4).then_some(is_padded)
    });
    let (all, padded) = of_four.fold((0, 0), |(all, padded), is_padded| {
        (all + 1, padded + usize::from(is_padded))
    });
    padded > 0 && padded * 100 >= all * SHARE
}

/// Returns the names that follow the heads of all records of a level, if one of them is unmistakably a name.
fn names_of_levels(texts: &[&str], places: &[usize], levels: &[&str]) -> Vec<(String, Shape)> {
    let mut found = Vec::new();
    let all: HashSet<&str> = levels
        .iter()
        .copied()
        .filter(|level| !level.is_empty())
        .collect();
    for level in all {
        let own = || {
            let texts = texts.iter().zip(places).zip(levels);
            texts
                .filter(move |(_, of)| **of == level)
                .map(|(text, _)| text)
        };
        let name = |(text, at): (&&str, &usize)| {
            candidates(text, *at).find(|part| {
                is_named(part.kind) && part.open == 0 && part.separator == Separator::Mark(": ")
            })
        };
        let names: Vec<Part> = own().filter_map(name).collect();
        let is_name = |part: &Part| part.kind == Kind::Logger;
        if let Some(first) = names.first().filter(|_| names.len() > 1)
            && names.len() == own().count()
            && names.iter().any(is_name)
        {
            found.push((level.to_owned(), Shape::of(first)));
        }
    }
    found
}
