//! Cuts a line of JSON objects into pieces between its items, while it is read: an API server sends a whole list on one
//! line.

use memchr::memchr2;

use kwhy_model::{LeftOut, Parsed};
use kwhy_parse::input::{Gap, ReadLimits};
use kwhy_parse::object;

/// The number of bytes that are kept of a string (256 KiB): the Kubernetes limit for all annotations of an object.
const MAX_STRING: usize = 256 << 10;

/// The number of bytes that are kept of one item (4 MiB): more than etcd accepts for an object.
const MAX_ITEM: usize = 4 << 20;

/// The maximum depth of nested lists that are cut between items, which is the parser's too.
const MAX_LISTS: usize = 6;

/// The maximum number of bytes of a member's name or a kind that are examined.
const MAX_WORD: usize = 256;

/// The position of a block within the line that it is a piece of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece {
    /// The kind of the items of the list in which it starts, if the list has stated it.
    pub of: Option<String>,
    /// True if it starts the line.
    pub is_first: bool,
    /// True if it ends the line.
    pub is_last: bool,
    /// True if it continues the list in which the previous piece ends.
    pub continues: bool,
    /// True if the line ends before its brackets are closed.
    pub is_cut_off: bool,
    /// The number of strings whose end was omitted.
    pub long_strings: u64,
    /// The number of items whose end was omitted.
    pub large_items: u64,
    /// The places where characters of the line were omitted, those before the piece first.
    pub gaps: Vec<Gap>,
    /// The ends of the items in the piece.
    pub ends: Vec<usize>,
}

impl Piece {
    /// Parses the piece's text.
    pub fn parse<'a>(&self, text: &'a str, limits: &ReadLimits) -> Parsed<'a> {
        let mut parsed = object::piece(text, self.of.as_deref(), limits);
        parsed.has_gaps |= self.is_cut_off || self.large_items > 0;
        parsed.left_out.add(LeftOut {
            long_strings: self.long_strings,
            large_objects: self.large_items,
            cut_off: u64::from(self.is_cut_off),
            ..LeftOut::default()
        });
        parsed
    }
}

/// An open bracket on the way from a line's start to its items.
#[derive(Debug)]
enum Frame {
    /// An object that may be a list or an item: the name of the member being read, and the object's kind.
    Object {
        key: Option<String>,
        kind: Option<String>,
    },
    /// A list of items.
    Items,
}

/// Cuts one line into pieces.
#[derive(Debug)]
pub(super) struct Cutter {
    /// The minimum size in bytes of a piece that is not the last one.
    size: usize,
    /// The bytes of the current piece so far.
    bytes: Vec<u8>,
    piece: Piece,
    /// The open brackets between which the line may be cut.
    frames: Vec<Frame>,
    /// The number of open brackets within the innermost of these.
    depth: u64,
    /// The number of frames that were open at the start of the piece.
    began: usize,
    string: Option<Quoted>,
    /// The last string of an object in `frames`.
    word: Vec<u8>,
    /// True while the rest of an item is omitted.
    is_skipping: bool,
    ready: Vec<(Vec<u8>, Piece)>,
}

/// The string that is being read.
#[derive(Clone, Copy, Debug, Default)]
struct Quoted {
    length: usize,
    /// True if a backslash precedes the next byte.
    is_escaped: bool,
    /// True if its rest is omitted.
    is_cut: bool,
    /// True if it may be a member's name or a kind.
    is_word: bool,
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b':' | b',')
}

fn is_inside_char(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

fn characters(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| !is_inside_char(**byte)).count() as u64
}

impl Cutter {
    /// Creates a cutter for a new line.
    pub fn new(size: usize) -> Cutter {
        Cutter {
            size,
            bytes: Vec::new(),
            piece: Piece {
                is_first: true,
                ..Piece::default()
            },
            frames: Vec::new(),
            depth: 0,
            began: 0,
            string: None,
            word: Vec::new(),
            is_skipping: false,
            ready: Vec::new(),
        }
    }

    /// Takes the next bytes of the line.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while let Some(byte) = bytes.first() {
            let taken = if let Some(string) = self.string {
                self.in_string(string, bytes)
            } else if is_mark(*byte) {
                self.mark(*byte);
                1
            } else {
                let next = bytes.iter().position(|byte| is_mark(*byte));
                let plain = next.unwrap_or(bytes.len());
                self.keep(&bytes[..plain]);
                plain
            };
            bytes = &bytes[taken..];
        }
    }

    /// Returns the completed pieces.
    pub fn ready(&mut self) -> impl Iterator<Item = (Vec<u8>, Piece)> {
        self.ready.drain(..)
    }

    /// Ends the line with its line end, if any.
    pub fn finish(&mut self, end: &[u8]) {
        self.bytes.extend_from_slice(end);
        self.piece.is_last = true;
        self.piece.is_cut_off = !self.frames.is_empty() || self.depth > 0 || self.string.is_some();
        self.give(false);
    }

    /// Takes bytes of a string and returns their number.
    fn in_string(&mut self, mut string: Quoted, bytes: &[u8]) -> usize {
        if string.is_escaped {
            string.is_escaped = false;
            self.text(&mut string, &bytes[..1], true);
            self.string = Some(string);
            return 1;
        }
        let end = memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
        if end > 0 {
            self.text(&mut string, &bytes[..end], false);
            self.string = Some(string);
            return end;
        }
        if bytes.first() == Some(&b'\\') {
            string.is_escaped = true;
            self.text(&mut string, &bytes[..1], false);
            self.string = Some(string);
        } else {
            self.string = None;
            self.keep(&bytes[..1]);
        }
        1
    }

    /// Appends a part of a string, up to the limit in whole characters. `belongs` is true for a part that must not be
    /// separated from the previous one.
    fn text(&mut self, string: &mut Quoted, part: &[u8], belongs: bool) {
        if string.is_word && self.word.len() < MAX_WORD {
            self.word.extend_from_slice(part);
        }
        let room = MAX_STRING.saturating_sub(string.length);
        string.length += part.len();
        let mut kept = match string.is_cut {
            true => 0,
            false if belongs => part.len(),
            false => room.min(part.len()),
        };
        while !string.is_cut && part.get(kept).is_some_and(|byte| is_inside_char(*byte)) {
            kept += 1;
        }
        self.keep(&part[..kept]);
        if kept < part.len() {
            self.piece.long_strings += u64::from(!string.is_cut && !self.is_skipping);
            string.is_cut = true;
            self.leave_out(&part[kept..]);
        }
    }

    /// Takes a byte outside of strings.
    fn mark(&mut self, byte: u8) {
        let top = self.frames.last_mut();
        match byte {
            b'{' | b'[' if self.depth > 0 => self.depth += 1,
            b'}' | b']' if self.depth > 0 => self.depth -= 1,
            b'"' => {
                let is_word = self.depth == 0 && !matches!(top, Some(Frame::Items));
                self.word.clear();
                self.string = Some(Quoted {
                    is_word,
                    ..Quoted::default()
                });
            }
            b':' if self.depth == 0 => {
                if let Some(Frame::Object { key, .. }) = top {
                    *key = Some(String::from_utf8_lossy(&self.word).into_owned());
                }
            }
            b',' if self.depth == 0 => self.end_member(),
            b'{' => match top {
                None | Some(Frame::Items) => self.frames.push(Frame::Object {
                    key: None,
                    kind: None,
                }),
                Some(Frame::Object { .. }) => self.depth = 1,
            },
            b'[' => {
                let holds_items = match top {
                    None => true,
                    Some(Frame::Object { key, .. }) => {
                        matches!(key.as_deref(), Some("items" | "rows"))
                    }
                    Some(Frame::Items) => false,
                };
                if holds_items && self.frames.len() < 2 * MAX_LISTS {
                    self.frames.push(Frame::Items);
                } else {
                    self.depth = 1;
                }
            }
            b'}' if matches!(top, Some(Frame::Object { .. })) => {
                self.frames.pop();
                self.keep(b"}");
                self.end_item();
                return;
            }
            b']' if matches!(top, Some(Frame::Items)) => {
                self.is_skipping = false;
                // items after this list belong to another one
                let ends_piece = self.began == self.frames.len();
                self.frames.pop();
                if ends_piece && self.bytes.is_empty() {
                    self.piece.continues = false;
                    self.begin();
                } else if ends_piece {
                    self.give(false);
                }
            }
            _ => {}
        }
        self.keep(&[byte]);
    }

    /// Ends a member of an object.
    fn end_member(&mut self) {
        let Some(Frame::Object { key, kind }) = self.frames.last_mut() else {
            return;
        };
        if key.take().as_deref() == Some("kind") {
            *kind = Some(String::from_utf8_lossy(&self.word).into_owned());
        }
    }

    /// Ends an item or the whole value: the line may be cut after it.
    fn end_item(&mut self) {
        let is_of_list = matches!(self.frames.last(), Some(Frame::Items));
        let was_skipping = std::mem::take(&mut self.is_skipping);
        self.piece.ends.push(self.bytes.len());
        if was_skipping {
            self.piece.continues = is_of_list;
            self.begin();
        } else if self.bytes.len() >= self.size {
            self.give(is_of_list);
        }
    }

    fn keep(&mut self, part: &[u8]) {
        if self.is_skipping {
            return self.leave_out(part);
        }
        let room = self
            .size
            .saturating_add(MAX_ITEM)
            .saturating_sub(self.bytes.len());
        let mut kept = room.min(part.len());
        while part.get(kept).is_some_and(|byte| is_inside_char(*byte)) {
            kept += 1;
        }
        self.bytes.extend_from_slice(&part[..kept]);
        if kept < part.len() {
            self.piece.large_items += 1;
            self.is_skipping = true;
            self.give(false);
            self.leave_out(&part[kept..]);
        }
    }

    fn leave_out(&mut self, part: &[u8]) {
        let (at, more) = (self.bytes.len(), characters(part));
        match self.piece.gaps.last_mut() {
            Some(gap) if gap.at == at => gap.characters += more,
            _ => self.piece.gaps.push(Gap {
                at,
                characters: more,
            }),
        }
    }

    /// Emits the piece; `continues` is true if the next one continues the same list.
    fn give(&mut self, continues: bool) {
        let left_out: u64 = self.piece.gaps.iter().map(|gap| gap.characters).sum();
        // a byte order mark has no column
        let line = match self.piece.is_first {
            true => self.bytes.strip_prefix(b"\xef\xbb\xbf"),
            false => None,
        };
        let before = Gap {
            at: 0,
            characters: left_out + characters(line.unwrap_or(&self.bytes)),
        };
        let next = Piece {
            continues,
            gaps: vec![before],
            ..Piece::default()
        };
        let piece = std::mem::replace(&mut self.piece, next);
        let bytes = std::mem::take(&mut self.bytes);
        self.ready.push((bytes, piece));
        self.begin();
    }

    /// Starts the next piece.
    fn begin(&mut self) {
        self.began = self.frames.len();
        let list = self
            .frames
            .iter()
            .rev()
            .skip_while(|frame| !matches!(frame, Frame::Items))
            .nth(1);
        self.piece.of = match list {
            Some(Frame::Object {
                kind: Some(kind), ..
            }) => kind.strip_suffix("List"),
            _ => None,
        }
        .filter(|kind| !kind.is_empty())
        .map(str::to_owned);
    }
}

#[cfg(test)]
mod tests;
