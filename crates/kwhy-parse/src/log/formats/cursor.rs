//! A cursor that consumes a text from left to right.

use std::ops::Range;

use memchr::memmem;

use crate::log::timestamp::leading_date_time;
use kwhy_model::Stamp;

/// A position in a text. A method that fails to match leaves the position unchanged.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Cursor { text, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Consumes a literal.
    pub(super) fn eat(&mut self, literal: &str) -> Option<()> {
        self.rest().strip_prefix(literal)?;
        self.at += literal.len();
        Some(())
    }

    /// Consumes bytes that the caller has looked at.
    pub(super) fn skip(&mut self, length: usize) {
        self.at += length;
    }

    /// Consumes spaces and returns their number.
    pub(super) fn spaces(&mut self) -> usize {
        let rest = self.rest();
        let count = rest.len() - rest.trim_start_matches(' ').len();
        self.at += count;
        count
    }

    /// Consumes the longest non-empty run of accepted bytes.
    pub(super) fn run(&mut self, accepted: impl Fn(u8) -> bool) -> Option<Range<usize>> {
        let length = self
            .rest()
            .bytes()
            .take_while(|byte| accepted(*byte))
            .count();
        let range = self.at..self.at + length;
        if length == 0 || !self.text.is_char_boundary(range.end) {
            return None;
        }
        self.at = range.end;
        Some(range)
    }

    pub(super) fn digits(&mut self) -> Option<Range<usize>> {
        self.run(|byte| byte.is_ascii_digit())
    }

    /// Consumes everything up to and including a literal within the next `NEAR` bytes; returns the
    /// part before it.
    pub(super) fn until(&mut self, literal: &str) -> Option<Range<usize>> {
        const NEAR: usize = 300;
        let rest = self.rest().as_bytes();
        let window = &rest[..rest.len().min(NEAR)];
        let length = memmem::find(window, literal.as_bytes())?;
        let range = self.at..self.at + length;
        self.at = range.end + literal.len();
        Some(range)
    }

    /// Consumes a date and a time.
    pub(super) fn time(&mut self) -> Option<Stamp> {
        let (stamp, length) = leading_date_time(self.rest())?;
        self.at += length;
        Some(stamp)
    }
}
