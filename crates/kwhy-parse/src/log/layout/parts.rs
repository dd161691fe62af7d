//! The parts of heads and the separators between them.

use std::ops::Range;

use memchr::memmem;

use crate::log::level;
use crate::log::timestamp::written;
use crate::log::zap_console::is_caller;
use kwhy_model::Stamp;

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Time,
    Level,
    /// A logger's name that cannot be an ordinary word: `c.e.App`, `shop::db`.
    Logger,
    /// `file.go:12`
    Caller,
    Thread,
    /// A context and its values: `request{id=7}:`
    Span,
    Number,
    /// A word that may be a logger's name or the first word of the message.
    Word,
}

/// The separator between a part and the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// Nothing: `[a][b]`.
    None,
    Space,
    Tab,
    /// A mark with spaces around it, or a colon or comma after the part: ` - `, ` | `, `: `, ` : `, ` --- `.
    Mark(&'static str),
}

/// A part of a head.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) kind: Kind,
    /// The opening bracket before the part, or 0.
    pub(super) open: u8,
    /// The text without brackets and padding.
    pub(super) range: Range<usize>,
    pub(super) separator: Separator,
    /// The offset after the separator.
    pub(super) end: usize,
    pub(super) stamp: Option<Stamp>,
    /// True if brackets around several parts close after it.
    pub(super) closed: bool,
}

impl Part {
    /// Returns true if the text cannot be anything but a part of a head.
    pub(super) fn is_sure(&self) -> bool {
        match self.kind {
            Kind::Time | Kind::Level | Kind::Caller | Kind::Span => true,
            Kind::Logger | Kind::Thread => {
                self.open != 0 || self.closed || self.separator != Separator::Space
            }
            Kind::Number | Kind::Word => false,
        }
    }
}

/// The maximum length of a bracketed text that is a part.
const MAX_BRACKETED: usize = 240;

/// The closing brackets.
const CLOSING: [u8; 4] = [b']', b')', b'>', b'}'];

/// A flag in `open`: the brackets enclose several parts.
pub(super) const GROUP: u8 = 0x80;

/// Marks between parts, the longest first.
const MARKS: [&str; 9] = [" --- ", " -- ", " - ", " | ", " : ", " > ", ": ", ", ", "|"];

/// The bytes of marks other than spaces.
const MARK_BYTES: [u8; 5] = [b'-', b'|', b':', b'>', b','];

/// Returns the number of spaces at the start of a text.
fn padding(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b' ').count()
}

/// Returns the separator at an offset and the offset after it; spaces around marks are padding.
pub(super) fn separator(text: &str, at: usize) -> (Separator, usize) {
    let rest = text.get(at..).unwrap_or("");
    let spaces = padding(rest);
    match rest.as_bytes().get(spaces) {
        Some(byte) if MARK_BYTES.contains(byte) => {
            if let Some((mark, length)) = mark(rest, spaces) {
                return (Separator::Mark(mark), at + length);
            }
        }
        Some(b'\t') => {
            let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            return (Separator::Tab, at + spaces);
        }
        _ => {}
    }
    match spaces {
        0 => (Separator::None, at),
        _ => (Separator::Space, at + spaces),
    }
}

/// Returns the mark after `spaces` spaces, and its length including the spaces around it.
fn mark(rest: &str, spaces: usize) -> Option<(&'static str, usize)> {
    // the first space of a mark is one of the padding's
    let from = rest.get(spaces.saturating_sub(1)..)?;
    for mark in MARKS {
        let is_tight = !mark.starts_with(' ');
        let here = if is_tight { rest } else { from };
        // at the end of a line, a mark lacks its last space
        let is_last = here.len() + 1 == mark.len()
            && mark.starts_with(here)
            && here.ends_with(['-', '|', ':']);
        if here.starts_with(mark) || is_last {
            let end = rest.len() - here.len() + mark.len().min(here.len());
            return Some((mark, end + padding(rest.get(end..)?)));
        }
    }
    // `ERROR:name:text`
    let is_name = rest.starts_with(':') && rest.as_bytes().get(1)?.is_ascii_alphabetic();
    is_name.then_some((":", 1))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'$' | b'/' | b'@' | b'#')
}

/// Returns the length of the name at the start of a text; a name may contain `::` but no single colon.
pub(super) fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    // logback abbreviates a package to its first letter and a point
    let shortened =
        bytes.first() == Some(&b'.') && bytes.get(1).is_some_and(u8::is_ascii_alphabetic);
    if !shortened
        && !bytes
            .first()
            .is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
    {
        return 0;
    }
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(byte) if is_name_byte(*byte) => at += 1,
            Some(b':')
                if bytes.get(at + 1) == Some(&b':')
                    && bytes.get(at + 2).is_some_and(u8::is_ascii_alphabetic) =>
            {
                at += 2
            }
            _ => break,
        }
    }
    // the end of a sentence
    at - (text[..at].len() - text[..at].trim_end_matches(['.', '-', '/']).len())
}

/// Extensions and top-level domains of names that are files or hosts, not loggers.
const FILES: [&str; 21] = [
    "yaml", "yml", "json", "conf", "cfg", "ini", "toml", "txt", "log", "sh", "go", "py", "js",
    "ts", "crt", "pem", "key", "xml", "sock", "local", "html",
];

/// Returns true if a name cannot be a word of a sentence: it has inner points or double colons.
pub(super) fn is_logger(name: &str) -> bool {
    if name.contains("::") {
        return true;
    }
    let Some((before, last)) = name.rsplit_once(['.', '$']) else {
        return false;
    };
    let is_word =
        |part: &str| !part.is_empty() && part.bytes().any(|byte| byte.is_ascii_alphabetic());
    is_word(last)
        && before.split(['.', '$']).all(is_word)
        && !FILES.contains(&last)
        && !name.contains(['/', '@'])
}

/// Returns true if a name is typical of threads.
fn is_thread(name: &str) -> bool {
    let has = |part: &[u8]| memmem::find(name.as_bytes(), part).is_some();
    matches!(name, "main" | "MainProcess" | "restartedMain")
        || name.starts_with("pool-")
        || has(b"hread")
        || (name.contains('-') && (has(b"-exec-") || has(b"Worker-")))
}

/// Returns true for a file and a line, possibly with a column or a function: `src/a.rs:7`, `a.js:7:9`, `a.py:run:7`.
pub(super) fn is_place(word: &str) -> bool {
    if is_caller(word) && !word.contains("::") && !word.contains("://") {
        let file = word.rsplit_once(':').map_or("", |(file, _)| file);
        // `10.0.0.1:80` and `host.example:80` are not source locations
        let extension = file
            .split(':')
            .next()
            .unwrap_or("")
            .rsplit('.')
            .next()
            .unwrap_or("");
        return is_extension(extension);
    }
    false
}

fn is_extension(word: &str) -> bool {
    const SOURCES: [&str; 24] = [
        "go", "rs", "py", "js", "ts", "mjs", "cjs", "tsx", "jsx", "java", "kt", "scala", "rb", "c",
        "cc", "cpp", "cxx", "h", "cs", "php", "ex", "exs", "erl", "swift",
    ];
    SOURCES.contains(&word)
}

/// Classifies the text of a part set off by brackets or marks.
fn classify(text: &str) -> Option<(Kind, Option<Stamp>)> {
    if let Some(found) = written::leading(text)
        && found.length == text.len()
    {
        return Some((Kind::Time, found.stamp));
    }
    if level::of_head(text).is_some() {
        return Some((Kind::Level, None));
    }
    if is_place(text) {
        return Some((Kind::Caller, None));
    }
    let is_number = |text: &str| {
        !text.is_empty() && text.len() < 20 && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if is_number(text)
        || text
            .strip_prefix("pid:")
            .or_else(|| text.strip_prefix('#'))
            .is_some_and(is_number)
    {
        return Some((Kind::Number, None));
    }
    if is_thread(text) && !text.contains(['"', '=']) {
        return Some((Kind::Thread, None));
    }
    let length = name_length(text);
    let (name, rest) = text
        .split_at_checked(length)
        .filter(|(name, _)| !name.is_empty())?;
    // `name:12`, `name:function:12`
    let is_place = rest.strip_prefix(':').is_some_and(|rest| {
        is_number(rest)
            || rest.split_once(':').is_some_and(|(function, line)| {
                name_length(function) == function.len()
                    && !function.contains(['@', '/'])
                    && is_number(line)
            })
    });
    if !rest.is_empty() && !is_place {
        return None;
    }
    let kind = if is_logger(name) || is_place {
        Kind::Logger
    } else {
        Kind::Word
    };
    Some((kind, None))
}

/// Returns the range of the name in a logger that includes a line number: `shop.db:12`.
pub(super) fn logger_range(text: &str, range: &Range<usize>) -> Range<usize> {
    let length = text.get(range.clone()).map_or(0, name_length);
    range.start..if length == 0 {
        range.end
    } else {
        range.start + length
    }
}

/// Returns the offset of the bracket that closes the one at the start of a text.
fn closing(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let open = *bytes.first()?;
    let close = match open {
        b'[' => b']',
        b'(' => b')',
        b'<' => b'>',
        b'{' => b'}',
        _ => return None,
    };
    let mut depth = 0usize;
    for (at, byte) in bytes.iter().enumerate().take(MAX_BRACKETED) {
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        } else if *byte == b'\n' {
            return None;
        }
    }
    None
}

/// A bracketed text and what follows it.
pub(super) struct Bracketed {
    open: u8,
    /// The text without padding.
    pub(super) inside: Range<usize>,
    pub(super) separator: Separator,
    /// The offset after the separator.
    pub(super) end: usize,
}

impl Bracketed {
    /// Returns the part as a thread's name, which may be any text, if a class follows: `[IPC Server handler 13]
    /// org.example.ipc.Server: `.
    pub(super) fn thread_of_class(&self, text: &str) -> Option<Part> {
        let is_class = |next: &Part| {
            let name = text.get(next.range.clone()).unwrap_or("");
            next.kind == Kind::Logger && next.is_sure() && name.matches('.').count() > 1
        };
        let is_before_class =
            bare(text, self.end, false, false).is_some_and(|next| is_class(&next));
        (self.open == b'[' && is_before_class).then(|| self.part_of(Kind::Thread))
    }

    /// Finds the brackets that open at an offset.
    pub(super) fn at(text: &str, at: usize) -> Option<Bracketed> {
        let rest = text.get(at..)?;
        let close = closing(rest)?;
        let padded = rest.get(1..close)?;
        let bare = padded.trim();
        let start = at + 1 + (padded.len() - padded.trim_start().len());
        let (separator, end) = separator(text, at + close + 1);
        Some(Bracketed {
            open: *rest.as_bytes().first()?,
            inside: start..start + bare.len(),
            separator,
            end,
        })
    }

    /// Returns the text as one part; `None` if it contains several parts or arbitrary words.
    pub(super) fn part(&self, text: &str) -> Option<Part> {
        let (kind, stamp) = classify(text.get(self.inside.clone())?)?;
        Some(Part {
            stamp,
            ..self.part_of(kind)
        })
    }

    /// Returns the text as a part of the given kind, whatever it contains.
    pub(super) fn part_of(&self, kind: Kind) -> Part {
        Part {
            kind,
            open: self.open,
            range: self.inside.clone(),
            separator: self.separator,
            end: self.end,
            stamp: None,
            closed: false,
        }
    }
}

/// Returns the unbracketed part at an offset.
pub(super) fn bare(text: &str, at: usize, wants_time: bool, wants_level: bool) -> Option<Part> {
    let rest = text.get(at..)?;
    let part = |kind, length: usize, stamp| {
        // the end of brackets around several parts
        let after = text.get(at + length..).unwrap_or("");
        let pad = after.len() - after.trim_start_matches(' ').len();
        let before = text.get(..at).unwrap_or("");
        let closed = match after.as_bytes().get(pad) {
            Some(b']') if pad == 0 || before.rfind('[') > before.rfind(']') => pad + 1,
            Some(byte) if pad == 0 && CLOSING.contains(byte) => 1,
            _ => 0,
        };
        let (separator, end) = separator(text, at + length + closed);
        Some(Part {
            kind,
            open: 0,
            range: at..at + length,
            separator,
            end,
            stamp,
            closed: closed > 0,
        })
    };
    if wants_time && let Some(found) = written::leading(rest) {
        return part(Kind::Time, found.length, found.stamp);
    }
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n');
    let word_length = rest.bytes().position(is_blank).unwrap_or(rest.len());
    let word = &rest[..word_length];
    let trimmed = word
        .trim_end_matches([':', ',', '|'])
        .trim_end_matches([']', ')', '>', '}']);
    if wants_level {
        let letters = rest
            .bytes()
            .take(12)
            .take_while(u8::is_ascii_alphabetic)
            .count();
        let ends = !rest.as_bytes().get(letters).is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'\'')
        });
        let candidate = &rest[..letters];
        if ends && level::of_head(candidate).is_some() && (letters > 1 || letters == word_length) {
            // `ERROR/MainProcess`
            if rest.as_bytes().get(letters) == Some(&b'/') {
                let end = at + letters + 1;
                return Some(Part {
                    kind: Kind::Level,
                    open: 0,
                    range: at..at + letters,
                    separator: Separator::Mark("/"),
                    end,
                    stamp: None,
                    closed: false,
                });
            }
            return part(Kind::Level, letters, None);
        }
    }
    // flexi_logger's thread: `T[main]`
    if rest.starts_with("T[")
        && let Some(close) = closing(&rest[1..])
    {
        return part(Kind::Thread, close + 2, None);
    }
    let name = name_length(rest);
    if name > 0
        && rest[name..].starts_with('{')
        && let Some(close) = closing(&rest[name..])
    {
        let length = name + close + 1;
        let ends = matches!(rest.as_bytes().get(length), Some(b':'));
        // nested contexts: `a{x=1}:b{y=2}: `
        if ends {
            return part(Kind::Span, length, None);
        }
    }
    if is_place(trimmed) {
        return part(Kind::Caller, trimmed.len(), None);
    }
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return if digits == trimmed.len() && digits < 10 {
            part(Kind::Number, digits, None)
        } else {
            None
        };
    }
    if let Some((kind @ (Kind::Thread | Kind::Logger | Kind::Word), _)) = classify(trimmed) {
        return part(kind, trimmed.len(), None);
    }
    // `name:`, without a space after it
    let length = name_length(rest);
    (length > 0 && rest[length..].starts_with(':')).then_some(())?;
    let name = &rest[..length];
    let kind = if is_logger(name) {
        Kind::Logger
    } else {
        Kind::Word
    };
    Some(Part {
        kind,
        open: 0,
        range: at..at + length,
        separator: Separator::Mark(":"),
        end: at + length + 1,
        stamp: None,
        closed: false,
    })
}
