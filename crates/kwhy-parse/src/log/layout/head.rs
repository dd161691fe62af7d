//! The head of a record: its parts in order, and the offset of the message.

use super::learned::Layout;
use super::parts::{self, Bracketed, GROUP, Kind, Part, Separator, bare};
use crate::log::level;
use kwhy_model::Stamp;

/// The maximum number of parts in a head.
pub(super) const MAX_PARTS: usize = 9;

/// The maximum number of consecutive words that count as parts only if a level follows them.
const MAX_WORDS: usize = 2;

/// The head at the start of a record.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) parts: Vec<Part>,
    /// The offset of the message.
    pub(super) message: usize,
    /// True while parsing the parts inside a pair of brackets.
    grouped: bool,
}

impl Head {
    /// Parses the head at the start of a text, if it shows that a record starts there.
    pub(super) fn of(text: &str) -> Option<Head> {
        if !may_start(text) {
            return None;
        }
        let mut head = Head {
            parts: Vec::new(),
            message: 0,
            grouped: false,
        };
        let line = first_line(text);
        head.take_all(line, 0, line.len());
        head.settle();
        head.is_record(text).then_some(head)
    }

    /// Parses the head of a text in a known layout.
    pub(super) fn within(text: &str, layout: &Layout) -> Option<Head> {
        let mut parts = Vec::with_capacity(layout.len());
        let text = first_line(text);
        let mut at = 0;
        for shape in layout.shapes() {
            let part = candidates(text, at).find(|part| shape.fits(part))?;
            at = part.end;
            parts.push(part);
        }
        let level = parts.iter().find(|part| part.kind == Kind::Level);
        let word = level.and_then(|part| text.get(part.range.clone()));
        if let Some(shape) = word.and_then(|word| layout.of_level(word))
            && let Some(part) = candidates(text, at).find(|part| shape.fits(part))
        {
            at = part.end;
            parts.push(part);
        }
        Some(Head {
            parts,
            message: at,
            grouped: false,
        })
    }

    pub(super) fn find(&self, kind: Kind) -> Option<&Part> {
        self.parts.iter().find(|part| part.kind == kind)
    }

    pub(super) fn time(&self) -> Option<Stamp> {
        self.find(Kind::Time)?.stamp
    }

    /// Returns the part that names the logger: one that looks like it, or else the last word that is not a thread.
    pub(super) fn logger(&self) -> Option<&Part> {
        self.find(Kind::Logger).or_else(|| {
            // a bracketed word before the level is the thread's name
            let level = self.parts.iter().position(|part| part.kind == Kind::Level);
            let is_thread = |at: usize, part: &Part| {
                level.is_some_and(|level| at < level) && part.open == b'[' && self.parts.len() > 3
            };
            let words = self.parts.iter().enumerate().rev();
            words
                .filter(|(_, part)| part.kind == Kind::Word)
                .find(|(at, part)| !is_thread(*at, part))
                .map(|(_, part)| part)
        })
    }

    /// Appends all parts from an offset on.
    fn take_all(&mut self, text: &str, from: usize, until: usize) {
        let mut at = from;
        while at < until && self.parts.len() < MAX_PARTS {
            let (has_time, has_level) = (self.has(Kind::Time), self.has(Kind::Level));
            if !has_level && self.is_in_sentence(text, at) {
                return;
            }
            if matches!(text.as_bytes().get(at), Some(b'[' | b'(' | b'<' | b'{')) {
                let Some(end) = self.take_brackets(text, at, has_time, has_level) else {
                    return;
                };
                at = end;
                continue;
            }
            let Some(part) = bare(text, at, !has_time, !has_level) else {
                return;
            };
            if !self.wants(&part, has_time, has_level) && !self.is_before_logger(text, &part) {
                return;
            }
            at = part.end;
            self.parts.push(part);
        }
    }

    /// Appends the contents of the brackets at an offset (one part, several, or a thread's name) and returns the offset
    /// after them.
    fn take_brackets(
        &mut self,
        text: &str,
        at: usize,
        has_time: bool,
        has_level: bool,
    ) -> Option<usize> {
        let brackets = Bracketed::at(text, at)?;
        let part = match brackets.part(text) {
            Some(part) if self.wants(&part, has_time, has_level) => Some(part),
            None if self.take_group(text, brackets.inside.clone()) => {
                let last = self.parts.last().map_or(0, |last| last.end);
                return Some(last.max(brackets.end));
            }
            // `[main:QuorumPeer@151] - `
            None if has_level && matches!(brackets.separator, Separator::Mark(" - " | " : ")) => {
                Some(brackets.part_of(Kind::Thread))
            }
            None => has_level.then(|| brackets.thread_of_class(text)).flatten(),
            Some(_) => None,
        };
        // after ` --- ` come the application, identifiers and the thread
        let dashes = |part: &Part| part.separator == Separator::Mark(" --- ");
        let follows_dashes =
            || text.as_bytes().get(at) == Some(&b'[') && self.parts.iter().any(dashes);
        let part = part.or_else(|| follows_dashes().then(|| brackets.part_of(Kind::Thread)))?;
        let end = part.end;
        self.parts.push(part);
        Some(end)
    }

    /// Appends unmistakable parts after those of a learned layout, which only some records have.
    pub(super) fn extend(&mut self, text: &str) {
        let known = self.parts.len();
        let text = first_line(text);
        self.take_all(text, self.message, text.len());
        let after = self.parts.get(known..).unwrap_or(&[]);
        let is_unnamed = !self
            .parts
            .iter()
            .take(known)
            .any(|part| matches!(part.kind, Kind::Logger | Kind::Word));
        let sure = after.iter().rposition(|part| match part.kind {
            Kind::Caller => part.is_marked(),
            Kind::Thread => part.open != 0 && matches!(part.separator, Separator::Mark(_)),
            Kind::Span => true,
            Kind::Logger => {
                text.get(part.range.clone())
                    .is_some_and(|name| name.contains("::"))
                    || is_unnamed && part.is_sure()
            }
            _ => false,
        });
        let kept = known + sure.map_or(0, |last| last + 1);
        self.parts.truncate(kept);
        self.message = self.parts.last().map_or(0, |last| last.end);
    }

    /// Returns true if a lower-case word follows a word that nothing sets off: `lost, error was empty`.
    fn is_in_sentence(&self, text: &str, at: usize) -> bool {
        self.parts.last().is_some_and(|last| {
            last.kind == Kind::Word
                && last.open == 0
                && matches!(last.separator, Separator::Space | Separator::Mark(", "))
                && text.as_bytes().get(at).is_some_and(u8::is_ascii_lowercase)
        })
    }

    fn has(&self, kind: Kind) -> bool {
        self.find(kind).is_some()
    }

    /// Appends the contents of brackets with several parts if a time, a level or a caller is among them:
    /// `[2024-03-04T05:06:07Z ERROR shop::db]`.
    fn take_group(&mut self, text: &str, inside: std::ops::Range<usize>) -> bool {
        let before = self.parts.len();
        self.grouped = true;
        self.take_all(text, inside.start, inside.end);
        self.grouped = false;
        if let Some(first) = self.parts.get_mut(before) {
            first.open |= GROUP;
        }
        let taken = self.parts.get(before..).unwrap_or(&[]);
        let whole = taken.last().is_some_and(|last| last.end >= inside.end);
        let is_head = taken
            .iter()
            .any(|part| matches!(part.kind, Kind::Time | Kind::Level));
        let is_writer = taken.iter().any(|part| part.kind == Kind::Caller);
        if whole && (is_head || is_writer) {
            return true;
        }
        self.parts.truncate(before);
        false
    }

    fn wants(&self, part: &Part, has_time: bool, has_level: bool) -> bool {
        if self.grouped
            && has_level
            && matches!(part.kind, Kind::Logger | Kind::Word | Kind::Thread)
        {
            return true;
        }
        match part.kind {
            Kind::Span => has_level,
            Kind::Time => !has_time,
            Kind::Level => !has_level,
            Kind::Caller | Kind::Thread => !self.has(part.kind),
            // a logger without a mark after it is recognised by its name alone: `ERROR shop::db text`
            Kind::Logger => {
                let is_shown = part.is_sure() && !self.has(Kind::Caller) || !self.parts.is_empty();
                is_shown && !self.has(Kind::Logger) || !has_level
            }
            Kind::Number => {
                part.open != 0 && !self.parts.is_empty()
                    || !has_level && has_time
                    || part.separator == Separator::Mark(" --- ")
            }
            Kind::Word => self.wants_word(part, has_time, has_level),
        }
    }

    /// Returns true for a word before an unmistakable logger: `request: shop::db: text`.
    fn is_before_logger(&self, text: &str, part: &Part) -> bool {
        let next = || {
            bare(text, part.end, false, false)
                .is_some_and(|next| next.kind == Kind::Logger && next.is_sure())
        };
        part.kind == Kind::Word
            && part.separator == Separator::Mark(": ")
            && self.has(Kind::Level)
            && next()
    }

    fn wants_word(&self, part: &Part, has_time: bool, has_level: bool) -> bool {
        if self.parts.is_empty() || self.has(Kind::Logger) {
            return false;
        }
        let words = self
            .parts
            .iter()
            .rev()
            .take_while(|part| matches!(part.kind, Kind::Word | Kind::Number))
            .count();
        if !has_level {
            return has_time && words < MAX_WORDS;
        }
        let last = self.parts.last();
        // `ERROR:root:text`, `[main] ERROR ROOT - text`
        let is_tight = part.separator == Separator::Mark(":")
            && last.is_some_and(|last| last.separator == Separator::Mark(":"));
        let is_java = matches!(part.separator, Separator::Mark(" - " | " : "))
            && last.is_some_and(|last| matches!(last.kind, Kind::Level | Kind::Thread))
            && self
                .parts
                .iter()
                .any(|part| part.kind == Kind::Thread && part.open == b'[');
        if is_tight || is_java {
            return true;
        }
        if self
            .parts
            .iter()
            .any(|before| before.kind == Kind::Word && before.is_marked())
        {
            return false;
        }
        // brackets, or a mark that already separated two parts
        let repeats = |separator: Separator| {
            separator != Separator::Space
                && self
                    .parts
                    .iter()
                    .any(|before| before.separator == separator)
        };
        part.open != 0 && part.open != b'{'
            || repeats(part.separator)
                && !matches!(
                    part.separator,
                    Separator::Mark(": " | ", ") | Separator::None
                )
    }

    /// Removes trailing parts that nothing confirms.
    fn settle(&mut self) {
        let level = self.parts.iter().rposition(|part| part.kind == Kind::Level);
        while let Some(last) = self.parts.last() {
            let is_after_level = level.is_some_and(|level| level < self.parts.len() - 1);
            let stays = match last.kind {
                Kind::Word => is_after_level,
                Kind::Number => last.open != 0 || last.separator == Separator::Mark(" --- "),
                Kind::Thread => last.is_sure(),
                Kind::Logger => last.is_sure() || is_after_level,
                _ => true,
            };
            if stays {
                break;
            }
            self.parts.pop();
        }
        self.message = self.parts.last().map_or(0, |last| last.end);
    }

    /// Returns true if the parts show that a record starts here.
    fn is_record(&self, text: &str) -> bool {
        if self
            .find(Kind::Time)
            .is_some_and(|time| is_enveloped(text, time))
        {
            return false;
        }
        let has_message = text.len() > self.message;
        let level = self.find(Kind::Level);
        let is_letter = level.is_some_and(|level| level.range.len() == 1);
        let others = self
            .parts
            .iter()
            .filter(|part| !matches!(part.kind, Kind::Time | Kind::Level));
        // a word counts if the mark after the level follows it too, or if brackets enclose it
        let repeats = |part: &Part| {
            level.is_some_and(|level| {
                level.separator == part.separator && matches!(level.separator, Separator::Mark(_))
            })
        };
        let is_set_off = |part: &Part| {
            part.kind == Kind::Word
                && (repeats(part)
                    || part.open != 0
                        && matches!(
                            part.separator,
                            Separator::Mark(" : " | ": " | " - " | " | ")
                        )
                    || part.open == b'['
                        && level.is_some_and(|level| matches!(level.separator, Separator::Mark(_))))
        };
        let sure = others
            .filter(|part| part.is_sure() || part.kind == Kind::Logger || is_set_off(part))
            .count();
        match (self.find(Kind::Time), level) {
            (Some(_), Some(_)) => true,
            // a time of day may occur in a sentence
            (Some(time), None) => {
                // without a mark, a time with a zone is a prefix of `kubectl logs --timestamps`
                let is_marked = matches!(
                    time.separator,
                    Separator::Mark(" - " | " | " | " : " | ": ")
                );
                let is_envelope = time.open == 0
                    && !is_marked
                    && time.stamp.is_some_and(|stamp| stamp.zone_stated);
                has_message && !is_envelope && (time.stamp.is_some() || time.open != 0 && sure > 0)
            }
            (None, Some(level)) if level.open == 0 => {
                let first = self
                    .parts
                    .first()
                    .is_some_and(|first| first.kind == Kind::Level);
                let is_marked = self.find(Kind::Logger).is_some_and(|logger| {
                    matches!(logger.separator, Separator::Mark(" - " | " | " | " : "))
                });
                first
                    && sure > 0
                    && (is_upper(text.get(level.range.clone()).unwrap_or("")) || is_marked)
            }
            (None, Some(level)) => {
                // `[ERROR] text` is a format of its own
                let is_leveled = self.parts.len() == 1
                    && level.separator == Separator::Space
                    && is_upper(text.get(level.range.clone()).unwrap_or(""));
                level.open == b'['
                    && has_message
                    && !is_leveled
                    && (!is_letter || self.parts.len() > 1)
                    || self.parts.len() > 1 && sure > 0
            }
            (None, None) => false,
        }
    }
}

impl Part {
    /// Returns true if brackets or a mark set the part off.
    fn is_marked(&self) -> bool {
        self.open != 0 || !matches!(self.separator, Separator::Space)
    }
}

/// Returns true for an envelope's time before the further line of a record, recognised by its indentation.
fn is_enveloped(text: &str, time: &Part) -> bool {
    let after = text.get(time.range.end..).unwrap_or("");
    let is_indented = after.starts_with(" \t")
        || (after.starts_with("  ") && after.trim_start().starts_with(['|', '+']));
    time.open == 0 && is_indented && time.stamp.is_some_and(|stamp| stamp.zone_stated)
}

/// Returns the first line of a text; a head never spans lines.
fn first_line(text: &str) -> &str {
    memchr::memchr(b'\n', text.as_bytes())
        .and_then(|end| text.get(..end))
        .unwrap_or(text)
}

fn is_upper(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Returns all readings of the part at an offset, the surest first.
pub(super) fn candidates(text: &str, at: usize) -> impl Iterator<Item = Part> {
    let brackets = Bracketed::at(text, at);
    let bracket = brackets.and_then(|brackets| {
        let part = brackets.part(text);
        part.or_else(|| brackets.thread_of_class(text))
    });
    let group = bracket.is_none() && matches!(text.as_bytes().get(at), Some(b'[' | b'(' | b'<'));
    let (at, open) = if group { (at + 1, GROUP) } else { (at, 0) };
    let bare = [(true, true), (false, true), (true, false), (false, false)];
    let bare = bare.into_iter().filter_map(move |(time, level)| {
        let part = parts::bare(text, at, time, level)?;
        Some(Part { open, ..part })
    });
    bracket.into_iter().chain(bare)
}

/// Returns false if the first bytes rule out a head.
fn may_start(text: &str) -> bool {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(b'0'..=b'9') => {
            let is_mark = |byte: &&u8| matches!(byte, b':' | b'-' | b'/' | b'.' | b' ');
            let marks = bytes.iter().take(12).filter(is_mark).count();
            // `240304 050607`
            marks > 1 || bytes.get(6) == Some(&b' ')
        }
        Some(b'[' | b'(' | b'<') => bytes.len() > 3,
        Some(first) if first.is_ascii_uppercase() => {
            let letters = bytes
                .iter()
                .take(12)
                .take_while(|byte| byte.is_ascii_alphabetic());
            let word = &text[..letters.count()];
            // a month or a day, or else a level
            (word.len() == 3 && matches!(bytes.get(3), Some(b' ' | b',')))
                || level::of_head(word).is_some()
        }
        Some(first) if first.is_ascii_lowercase() => {
            let length = bytes
                .iter()
                .take(9)
                .take_while(|byte| byte.is_ascii_lowercase())
                .count();
            length > 1 && level::of_head(&text[..length]).is_some()
        }
        _ => false,
    }
}
