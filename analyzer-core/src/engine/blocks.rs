//! Reads a document as a stream and cuts it into blocks that can be read independently.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memrchr};

use super::pieces::{Cutter, Piece};
use super::split::{self, Cut};
use super::utf16::Utf16;
use super::utf32::Utf32;
use kwhy_parse::framing::begins_record;
use kwhy_parse::input::{Around, ReadLimits};
use kwhy_parse::table::OpenTable;
use kwhy_parse::{log, object};

/// The number of bytes requested per read: as many as a reader can provide without a buffer of its own.
const CHUNK: usize = 256 * 1024;

/// The number of bytes requested by the first read: most members of a bundle are smaller, and the buffer is zeroed
/// before it is filled.
const FIRST: usize = 16 * 1024;

/// The number of bytes after a block's minimum size that are searched for a cut.
const AHEAD: usize = 8 * 1024;

/// The number of bytes by which a block grows at first in search of a cut.
const MORE: usize = 64 * 1024;

/// The maximum number of bytes by which a block may exceed its size in search of a cut.
const MAX_MORE: usize = 1 << 20;

/// The minimum number of bytes of an over-long line that are examined to see whether it contains objects.
const HEAD: usize = 16 * 1024;

/// Whole lines of a document, or a piece of a line that contains objects.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The document's number.
    pub document: usize,
    /// The byte offset of its start in the document.
    pub offset: usize,
    pub bytes: Vec<u8>,
    /// True if a log record starts right after it.
    pub followed: bool,
    /// True if it is the whole document.
    pub whole: bool,
    /// The lines whose end was omitted, counted from 0.
    pub long_lines: Vec<u64>,
    /// Byte sequences that could not be decoded when it was read.
    pub undecoded: u64,
    /// The part of a line that it is, if it is a piece of one.
    pub piece: Option<Piece>,
    /// The table that is open at its start.
    pub table: Option<Arc<OpenTable>>,
    /// True if the table that it ends with continues after it.
    pub table_continues: bool,
}

impl Block {
    /// Returns what surrounds its bytes from `start` on. `record_follows` is true if a log record starts right after
    /// it.
    pub fn around(&self, start: usize, record_follows: bool) -> Around<'_> {
        Around {
            table: self.table.as_deref().filter(|_| start == 0),
            record_follows,
        }
    }
}

/// The blocks of one document.
pub(crate) struct Blocks<R> {
    reader: R,
    document: usize,
    /// The minimum size in bytes of a block that is not the last one.
    size: usize,
    /// The bytes that were read and not returned yet.
    buffer: Vec<u8>,
    /// The offset in the buffer of the line that is being read.
    line: usize,
    /// True if the rest of that line is omitted.
    dropping: bool,
    /// The offsets in the buffer of the lines that were truncated.
    long: Vec<usize>,
    encoding: Option<Encoding>,
    ended: bool,
    /// The error that ended reading, if any.
    pub failure: Option<io::Error>,
    offset: usize,
    /// The bytes read so far.
    pub read: u64,
    chunk: Vec<u8>,
    undecoded: u64,
    /// The number of bytes of a line that are kept.
    longest: usize,
    /// Cuts the line that is being read, if it contains objects and is too long.
    cutter: Option<Cutter>,
    /// Blocks that precede the buffer.
    ready: VecDeque<Block>,
    /// The table that is open at the start of the buffer.
    table: Option<Arc<OpenTable>>,
}

enum Encoding {
    Bytes,
    Utf16(Utf16),
    Utf32(Utf32),
}

impl Encoding {
    /// Detects the encoding of a document that starts with these bytes.
    fn of(bytes: &[u8]) -> Encoding {
        // the byte order mark of UTF-32 starts with that of UTF-16
        if let Some(decoder) = Utf32::detect(bytes) {
            return Encoding::Utf32(decoder);
        }
        Utf16::detect(bytes).map_or(Encoding::Bytes, Encoding::Utf16)
    }

    /// Decodes the next bytes. Returns the text and the number of invalid units, or `None` if the bytes need no
    /// decoding.
    fn decode(&mut self, bytes: &[u8]) -> Option<(String, u64)> {
        match self {
            Encoding::Bytes => None,
            Encoding::Utf16(decoder) => {
                let text = decoder.decode(bytes);
                Some((text, std::mem::take(&mut decoder.invalid)))
            }
            Encoding::Utf32(decoder) => {
                let text = decoder.decode(bytes);
                Some((text, std::mem::take(&mut decoder.invalid)))
            }
        }
    }

    /// Returns the undecoded remainder at the end, and the number of invalid units in it.
    fn finish(&mut self) -> (String, u64) {
        match self {
            Encoding::Bytes => (String::new(), 0),
            Encoding::Utf16(decoder) => {
                let text = decoder.finish();
                (text, std::mem::take(&mut decoder.invalid))
            }
            Encoding::Utf32(decoder) => {
                let text = decoder.finish();
                (text, std::mem::take(&mut decoder.invalid))
            }
        }
    }
}

fn length(limits: &ReadLimits) -> usize {
    usize::try_from(limits.line_length).unwrap_or(usize::MAX)
}

impl<R: Read> Blocks<R> {
    pub fn new(document: usize, reader: R, size: usize) -> Blocks<R> {
        Blocks {
            reader,
            document,
            size,
            buffer: Vec::new(),
            line: 0,
            dropping: false,
            long: Vec::new(),
            encoding: None,
            ended: false,
            failure: None,
            offset: 0,
            read: 0,
            chunk: Vec::new(),
            undecoded: 0,
            longest: length(&ReadLimits::default()),
            cutter: None,
            ready: VecDeque::new(),
            table: None,
        }
    }

    /// Limits the length of lines.
    pub fn with_limits(self, limits: ReadLimits) -> Self {
        Blocks {
            longest: length(&limits),
            ..self
        }
    }

    /// Sets the byte offset of the document at which reading starts.
    pub fn starting_at(self, offset: usize) -> Self {
        Blocks { offset, ..self }
    }

    /// The byte offset in the document after the last block returned.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the next block; `None` at the end or after an error.
    pub fn next(&mut self) -> Option<Block> {
        let mut wanted = self.size.saturating_add(AHEAD);
        loop {
            while !self.ended && self.ready.is_empty() && self.buffer.len() < wanted {
                self.fill(wanted - self.buffer.len());
            }
            if let Some(block) = self.ready.pop_front() {
                return Some(block);
            }
            if self.ended && self.buffer.len() <= self.size {
                return (!self.buffer.is_empty()).then(|| self.give(self.all(), true));
            }
            // a line whose rest is omitted does not make the buffer grow
            let may_grow = self.dropping || self.buffer.len() < self.size.saturating_add(MAX_MORE);
            match split::find(&self.buffer, self.size, may_grow, self.table.as_deref()) {
                Some(cut) => return Some(self.give(cut, true)),
                // doubles the search range, so that each line is examined only a few times
                None if may_grow && !self.ended => {
                    let more = self.buffer.len().saturating_sub(self.size).max(MORE);
                    let most = self.size.saturating_add(MAX_MORE);
                    wanted = (self.buffer.len() + more).min(most.max(self.buffer.len() + MORE));
                }
                None => return Some(self.give(self.all(), true)),
            }
        }
    }

    /// Cuts after everything that was read.
    fn all(&self) -> Cut {
        Cut {
            at: self.buffer.len(),
            table: None,
        }
    }

    /// Turns everything before a line that is cut into pieces into blocks.
    fn give_all(&mut self) {
        while !self.buffer.is_empty() {
            let cut = match self.buffer.len() <= self.size {
                true => None,
                false => split::find(&self.buffer, self.size, false, self.table.as_deref()),
            };
            let block = self.give(cut.unwrap_or_else(|| self.all()), false);
            self.ready.push_back(block);
        }
    }

    /// Removes a block from the start of the buffer. `is_last` is true if the document may end with it.
    fn give(&mut self, cut: Cut, is_last: bool) -> Block {
        let length = cut.at;
        let whole = self.offset == 0 && self.ended && is_last && length == self.buffer.len();
        let followed = length < self.buffer.len() && begins_record(&self.buffer, length);
        let rest = self.buffer.split_off(length);
        let bytes = std::mem::replace(&mut self.buffer, rest);
        if !self.ended {
            let room = self.size.min(MAX_MORE) + AHEAD;
            self.buffer
                .reserve_exact(room.saturating_sub(self.buffer.len()));
        }
        self.line = self.line.saturating_sub(length);
        let of_block = self.long.partition_point(|start| *start < length);
        let long_lines = self
            .long
            .drain(..of_block)
            .map(|start| memchr_iter(b'\n', &bytes[..start]).count() as u64)
            .collect();
        self.long.iter_mut().for_each(|start| *start -= length);
        let offset = self.offset;
        self.offset += length;
        let table_continues = cut.table.is_some();
        Block {
            document: self.document,
            offset,
            bytes,
            followed,
            whole,
            long_lines,
            undecoded: std::mem::take(&mut self.undecoded),
            piece: None,
            table: std::mem::replace(&mut self.table, cut.table.map(Arc::new)),
            table_continues,
        }
    }

    /// Reads up to this many more bytes of the document, at most one chunk at a time.
    fn fill(&mut self, wanted: usize) {
        let read = usize::try_from(self.read).unwrap_or(CHUNK);
        let most = read.saturating_mul(4).clamp(FIRST, CHUNK);
        let wanted = wanted.clamp(1, most);
        let is_plain = matches!(self.encoding, Some(Encoding::Bytes))
            && self.longest >= CHUNK
            && self.cutter.is_none()
            && !self.dropping;
        if is_plain {
            self.fill_in_place(wanted);
        } else {
            let mut chunk = std::mem::take(&mut self.chunk);
            chunk.clear();
            self.read_onto(&mut chunk, wanted);
            if chunk.is_empty()
                && let Some(encoding) = &mut self.encoding
            {
                let (rest, undecoded) = encoding.finish();
                self.undecoded += undecoded;
                self.take(rest.as_bytes());
            }
            self.decode(&chunk);
            self.chunk = chunk;
        }
        if self.ended {
            self.end();
        }
    }

    /// Appends up to this many bytes from the reader; if there is none, the document ends.
    fn read_onto(&mut self, bytes: &mut Vec<u8>, wanted: usize) {
        let before = bytes.len();
        bytes.reserve(wanted);
        if let Err(error) = self.reader.by_ref().take(wanted as u64).read_to_end(bytes) {
            self.failure = Some(error);
            self.ended = true;
        }
        let length = bytes.len() - before;
        self.read += length as u64;
        self.ended |= length == 0;
    }

    /// Reads straight into the buffer: for text that needs no decoding and whose lines are whole so far.
    fn fill_in_place(&mut self, wanted: usize) {
        let before = self.buffer.len();
        let mut buffer = std::mem::take(&mut self.buffer);
        self.read_onto(&mut buffer, wanted);
        self.buffer = buffer;
        let more = &self.buffer[before..];
        let end = memchr(b'\n', more).map_or(self.buffer.len(), |end| before + end);
        if end - self.line > self.longest {
            let more = self.buffer.split_off(before);
            self.take(&more);
        } else if let Some(last) = memrchr(b'\n', more) {
            self.line = before + last + 1;
        }
    }

    fn decode(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let encoding = self.encoding.get_or_insert_with(|| Encoding::of(bytes));
        match encoding.decode(bytes) {
            None => self.take(bytes),
            Some((text, undecoded)) => {
                self.undecoded += undecoded;
                self.take(text.as_bytes());
            }
        }
    }

    /// Appends bytes to the buffer.
    fn take(&mut self, bytes: &[u8]) {
        if self.longest < CHUNK {
            let lines = bytes.split_inclusive(|byte| *byte == b'\n');
            return lines.for_each(|line| self.part(line));
        }
        // a line that ends within these bytes can be too long only if it started before them
        let first = memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1);
        let (first, rest) = bytes.split_at(first);
        self.part(first);
        self.buffer.extend_from_slice(rest);
        if let Some(last) = memrchr(b'\n', rest) {
            self.line = self.buffer.len() - (rest.len() - last - 1);
        }
    }

    /// Appends a part of a line, which may be its end.
    fn part(&mut self, part: &[u8]) {
        let body = part.strip_suffix(b"\n").unwrap_or(part);
        let is_ended = body.len() < part.len();
        if let Some(cutter) = &mut self.cutter {
            cutter.feed(body);
            return self.pieces(is_ended.then_some(&b"\n"[..]));
        }
        if !self.dropping {
            self.buffer.extend_from_slice(body);
            if self.settle(is_ended) {
                return;
            }
        }
        if is_ended {
            self.dropping = false;
            self.buffer.push(b'\n');
            self.line = self.buffer.len();
        }
    }

    /// Cuts the line that is being read if it is too long. Returns true if it is cut into pieces.
    fn settle(&mut self, is_ended: bool) -> bool {
        let line = self.buffer.get(self.line..).unwrap_or_default();
        if line.len() <= self.longest {
            return false;
        }
        if matches!(bare(line).first(), Some(b'{' | b'[')) {
            let examined = self.longest.max(HEAD);
            if line.len() < examined && !is_ended {
                return false;
            }
            if holds_objects(&line[..kept(line, examined)]) {
                let line = self.buffer.split_off(self.line);
                self.give_all();
                let mut cutter = Cutter::new(self.size);
                cutter.feed(&line);
                self.cutter = Some(cutter);
                self.pieces(is_ended.then_some(&b"\n"[..]));
                return true;
            }
        }
        let kept = kept(line, self.longest);
        self.buffer.truncate(self.line + kept);
        self.long.push(self.line);
        self.dropping = !is_ended;
        false
    }

    /// Turns the completed pieces into blocks; all of them if the line ends.
    fn pieces(&mut self, end: Option<&[u8]>) {
        let Some(cutter) = &mut self.cutter else {
            return;
        };
        if let Some(end) = end {
            cutter.finish(end);
        }
        for (bytes, piece) in cutter.ready() {
            let offset = self.offset;
            self.offset += bytes.len();
            self.ready.push_back(Block {
                document: self.document,
                offset,
                bytes,
                undecoded: std::mem::take(&mut self.undecoded),
                piece: Some(piece),
                ..Block::default()
            });
        }
        if end.is_some() {
            self.cutter = None;
        }
    }

    /// Ends a last line that has no line end.
    fn end(&mut self) {
        if self.cutter.is_some() {
            self.pieces(Some(b""));
        } else if !self.dropping {
            self.settle(true);
        }
    }
}

/// Strips a byte order mark and white space before the first bracket.
fn bare(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    line.trim_ascii_start()
}

/// Returns true if a line that starts with these bytes contains JSON objects and is not a log record.
fn holds_objects(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(bare(head));
    object::is_compact(&head) && log::detect(&head).is_none()
}

/// Returns how many leading bytes of a line are kept, without cutting a character.
fn kept(line: &[u8], longest: usize) -> usize {
    let mut kept = longest.min(line.len());
    while kept > 0 && line.get(kept).is_some_and(|byte| byte & 0xc0 == 0x80) {
        kept -= 1;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_LINE: usize = 1 << 20;

    /// A reader that returns its bytes in pieces of this size.
    struct Dripping<'b>(&'b [u8], usize);

    impl Read for Dripping<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(into.len()).min(self.0.len());
            into[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn blocks(bytes: &[u8], drip: usize, size: usize) -> Vec<Block> {
        let mut blocks = Blocks::new(0, Dripping(bytes, drip), size);
        let all = std::iter::from_fn(|| blocks.next()).collect();
        assert_eq!(blocks.read, bytes.len() as u64);
        all
    }

    #[test]
    fn blocks_are_the_document_whatever_a_read_gives() {
        let line = "I0304 05:06:07.123456       1 sync.go:88] \"Synced\" pod=\"shop/web-0\"\n";
        let text = line.repeat(4000);
        let places = |drip| -> Vec<(usize, usize)> {
            let all = blocks(text.as_bytes(), drip, 10_000);
            assert!(all.iter().all(|block| !block.whole));
            let bytes: Vec<u8> = all.iter().flat_map(|block| block.bytes.clone()).collect();
            assert_eq!(bytes, text.as_bytes());
            all.iter()
                .map(|block| (block.offset, block.bytes.len()))
                .collect()
        };
        assert_eq!(places(usize::MAX), places(777));
        assert!(places(777).len() > 20);
        assert!(blocks(b"a\nb", 1, 10)[0].whole);
        assert!(blocks(b"", 1, 10).is_empty());
    }

    #[test]
    fn of_a_long_line_the_first_mib_is_kept() {
        let long = "\u{e9}".repeat(MAX_LINE);
        let text = format!("a\n{long}\nb\n{long}");
        for drip in [usize::MAX, 1000] {
            let all = blocks(text.as_bytes(), drip, 4 << 20);
            let [block] = all.as_slice() else { panic!() };
            let lines: Vec<&str> = std::str::from_utf8(&block.bytes).unwrap().lines().collect();
            assert_eq!(
                lines.iter().map(|l| l.len()).collect::<Vec<_>>(),
                [1, MAX_LINE, 1, MAX_LINE]
            );
            assert_eq!(block.long_lines, [1, 3]);
        }
    }

    #[test]
    fn a_shorter_limit_cuts_each_line() {
        let text = "abcdefgh\nabc\n\u{e9}\u{e9}\u{e9}\n\nabcdefgh";
        let limits = ReadLimits::default().with_line_length(5);
        for drip in [usize::MAX, 3, 1] {
            let mut blocks =
                Blocks::new(0, Dripping(text.as_bytes(), drip), 1000).with_limits(limits);
            let block = blocks.next().unwrap();
            assert_eq!(
                std::str::from_utf8(&block.bytes).unwrap(),
                "abcde\nabc\n\u{e9}\u{e9}\n\nabcde"
            );
            assert_eq!(block.long_lines, [0, 2, 4]);
        }
    }

    #[test]
    fn utf16_is_decoded() {
        let mut bytes = vec![0xff, 0xfe];
        for unit in "one\r\n\u{1f980}two\n".encode_utf16() {
            bytes.extend(unit.to_le_bytes());
        }
        for drip in [1, 2, 3, usize::MAX] {
            let all = blocks(&bytes, drip, 1000);
            assert_eq!(all[0].bytes, "one\r\n\u{1f980}two\n".as_bytes());
        }
        for unit in [u32::to_le_bytes, u32::to_be_bytes] {
            let text = "\u{feff}one\n\u{1f980}two\n".chars();
            let mut bytes: Vec<u8> = text.flat_map(|c| unit(c.into())).collect();
            bytes.push(0);
            for drip in [1, 2, 5, usize::MAX] {
                let all = blocks(&bytes, drip, 1000);
                assert_eq!(all[0].bytes, "one\n\u{1f980}two\n\u{fffd}".as_bytes());
                assert_eq!(all[0].undecoded, 1);
            }
        }
        let other = b"\xff\xfe\x00 bytes of something else, and then a log\n";
        assert_eq!(blocks(other, usize::MAX, 1000)[0].bytes, other);
    }
}
