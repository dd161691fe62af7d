//! The layout of a stream, learned from its records: which parts all of them have, so that a word that may be
//! a logger's name or a message's first one is recognised apart.

use std::collections::HashSet;

use super::head::{Head, MAX_PARTS, candidates};
use super::parts::{self, Kind, Part, Separator};
use crate::input::Line;
use crate::log::level;
use kwhy_model::{Severity, Stamp};

/// The number of records that a layout is learned from at most.
const RECORDS: usize = 200;

/// The number of records that must agree at least.
const LEAST: usize = 4;

/// The share of records that must agree, in percent.
const SHARE: usize = 95;

/// The share of different values among the words that may be names, in percent.
const DIFFERENT: usize = 34;

/// What each record has in one place of its head.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    kind: Kind,
    open: u8,
    separator: Separator,
}

impl Shape {
    pub(super) fn fits(&self, part: &Part) -> bool {
        let same_kind = part.kind == self.kind || (is_named(part.kind) && is_named(self.kind));
        same_kind && part.open == self.open && part.separator == self.separator
    }
}

/// The parts of all heads of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::log) struct Layout {
    shapes: Vec<Shape>,
    /// True if the time before each line, which one line alone shows as an envelope's, is the records' own.
    is_outermost: bool,
}

impl Layout {
    pub(super) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    pub(super) fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Learns the layout of lines, if they have one that is worth knowing.
    pub(in crate::log) fn learn<'l>(lines: impl Iterator<Item = &'l str>) -> Option<Layout> {
        let mut texts: Vec<&str> = Vec::new();
        let mut all = 0;
        for line in lines
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
        let mut shapes: Vec<Shape> = Vec::new();
        while shapes.len() < MAX_PARTS {
            let Some(shape) = next_shape(&texts, &places, &shapes) else {
                break;
            };
            let mut kept = Vec::new();
            for (text, at) in texts.iter().zip(&places) {
                if let Some(part) = candidates(text, *at).find(|part| shape.fits(part)) {
                    kept.push((*text, part.end));
                }
            }
            (texts, places) = kept.into_iter().unzip();
            shapes.push(shape);
        }
        let has = |kind| shapes.iter().any(|shape| shape.kind == kind);
        let is_set_off = || {
            let first = shapes.first();
            first.is_some_and(|time| matches!(time.separator, Separator::Mark(" - " | " | ")))
        };
        (has(Kind::Level) || has(Kind::Time) && (shapes.len() > 1 || is_set_off())).then_some(
            Layout {
                shapes,
                is_outermost: false,
            },
        )
    }

    /// The same layout, of lines from their first byte on.
    pub(super) fn outermost(self) -> Layout {
        Layout {
            is_outermost: true,
            ..self
        }
    }

    /// The offset of the message in a line with this layout.
    pub(in crate::log) fn message(&self, text: &str) -> Option<usize> {
        Some(Head::within(text, self)?.message)
    }

    /// The time and the level in the head of a line.
    pub(in crate::log) fn header(&self, text: &str) -> (Option<Stamp>, Option<Severity>) {
        let head = Head::within(text, self);
        let level = head.as_ref().and_then(|head| head.find(Kind::Level));
        let level = level.and_then(|part| level::of_head(text.get(part.range.clone())?));
        (head.as_ref().and_then(Head::time), level)
    }

    /// Returns true if a line starts with the head of a record whose time looks like an envelope's.
    pub(in crate::log) fn is_before_envelopes(&self, text: &str) -> bool {
        self.is_outermost && Head::within(text, self).is_some()
    }

    /// Returns true if four of five lines have this layout, with a level in it.
    pub(in crate::log) fn is_of_all(&self, lines: &[Line<'_>]) -> bool {
        let lines = lines
            .iter()
            .filter(|line| !line.is_blank() && line.indent() == 0);
        let (mut all, mut fitting) = (0, 0);
        for line in lines.take(4 * RECORDS) {
            all += 1;
            fitting += usize::from(Head::within(line.text, self).is_some());
        }
        self.shapes.iter().any(|shape| shape.kind == Kind::Level)
            && fitting >= LEAST
            && fitting * 5 >= all * 4
    }

    /// Returns true if each line that is not indented has this layout, with a level in it.
    pub(in crate::log) fn is_of_each(&self, lines: &[Line<'_>]) -> bool {
        let mut lines = lines
            .iter()
            .filter(|line| !line.is_blank() && line.indent() == 0);
        self.shapes.iter().any(|shape| shape.kind == Kind::Level)
            && lines.all(|line| Head::within(line.text, self).is_some())
    }
}

fn is_named(kind: Kind) -> bool {
    matches!(kind, Kind::Logger | Kind::Word | Kind::Thread)
}

/// Returns true if a line may start a record of some layout.
fn begins(line: &str) -> bool {
    let first = candidates(line, 0).next();
    first.is_some_and(|part| match part.kind {
        Kind::Time => true,
        Kind::Level => part.open != 0 || part.separator != Separator::None,
        _ => false,
    }) || Head::of(line).is_some()
}

/// Returns the shape that nearly all texts have at their places.
fn next_shape(texts: &[&str], places: &[usize], before: &[Shape]) -> Option<Shape> {
    let has = |kind| before.iter().any(|shape| shape.kind == kind);
    let (first, at) = (texts.first()?, *places.first()?);
    for sample in texts
        .iter()
        .zip(places)
        .take(3)
        .flat_map(|(text, at)| candidates(text, *at).collect::<Vec<_>>())
        .chain(candidates(first, at))
    {
        let kind = if is_named(sample.kind) {
            Kind::Word
        } else {
            sample.kind
        };
        let shape = Shape {
            kind,
            open: sample.open,
            separator: sample.separator,
        };
        if matches!(kind, Kind::Time | Kind::Level | Kind::Caller) && has(kind) {
            continue;
        }
        let mut values = HashSet::new();
        let (mut fitting, mut sure, mut closed, mut behind) = (0, false, false, 0);
        for (text, at) in texts.iter().zip(places) {
            let Some(part) = candidates(text, *at).find(|part| shape.fits(part)) else {
                continue;
            };
            fitting += 1;
            let value = text
                .get(parts::logger_range(text, &part.range))
                .unwrap_or("");
            closed |= part.closed;
            sure |=
                part.kind == Kind::Logger || part.kind == Kind::Thread || parts::is_logger(value);
            let is_logger = |next: Part| {
                is_named(next.kind)
                    && next.open == 0
                    && matches!(next.separator, Separator::Mark(": " | " - " | " | "))
            };
            behind += usize::from(candidates(text, part.end).any(is_logger));
            values.insert(value);
        }
        if fitting * 100 < texts.len() * SHARE || fitting < LEAST {
            continue;
        }
        let few = values.len() * 100 <= fitting * DIFFERENT || values.len() == 1;
        let accepted = match kind {
            Kind::Time | Kind::Level | Kind::Caller => true,
            Kind::Number => shape.open != 0 || !has(Kind::Level),
            // one word that all records have may start all messages
            Kind::Span => true,
            _ if shape.open == 0 && matches!(shape.separator, Separator::Space) => {
                // a word that all records have, before a logger that all have
                let is_before_logger = values.len() == 1 && behind * 100 >= fitting * SHARE;
                few && (sure || closed || is_before_logger || !has(Kind::Level))
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
