//! A streaming reader for tar archives: POSIX ustar and pax (IEEE 1003.1), and GNU tar 1.35 with long names and sparse
//! members.
//!
//! The `tar` crate keeps long names and pax records of any claimed size in memory and stops at the first damaged
//! header. This reader bounds both, and resumes at the next intact header.

use std::io::{self, BufRead};

use super::source::{AHEAD, Source};

const BLOCK: usize = 512;

/// The magic of a header and its offset.
const MAGIC: &[u8] = b"ustar";
const MAGIC_AT: usize = 257;

/// The maximum length of a GNU long name or of a set of pax records, in bytes.
const MAX_EXTENSION: u64 = 256 * 1024;

/// The number of zero bytes after which no further concatenated archive is looked for.
const MAX_BEHIND: u64 = 1 << 20;

/// The type of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A file.
    File,
    /// A file with holes. Only the written parts are stored.
    Sparse,
    /// A folder.
    Folder,
    /// A symbolic link.
    Symlink,
    /// Another name of an earlier member.
    Hardlink,
    /// A device or a pipe.
    Device,
    /// A record about the archive itself.
    Other,
}

/// A member's header.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name as stored.
    pub name: Vec<u8>,
    /// Its type.
    pub kind: EntryKind,
    /// The number of stored bytes.
    pub size: u64,
    /// The time of the last change, in seconds since 1970.
    pub modified: Option<i64>,
    /// The target, for links.
    pub link: Vec<u8>,
    /// The number of bytes before this header that belong to no member.
    pub lost: u64,
    /// True if an extension record was too long, so the name or another attribute may be wrong.
    pub name_too_long: bool,
}

/// A tar archive.
pub struct Tar<'s> {
    source: Source<'s>,
    /// The number of unread bytes of the open member.
    left: u64,
    /// The number of bytes that pad the member to a whole block.
    padding: u64,
    ended: bool,
}

/// Returns true if these bytes start a tar archive.
pub fn begins(head: &[u8]) -> bool {
    match head.first_chunk::<BLOCK>() {
        // an archive without members consists of its end mark, two zero blocks
        Some(first) if is_zero(first) => head.len() >= 2 * BLOCK && is_zero(&head[..2 * BLOCK]),
        Some(first) => is_header(first),
        None => false,
    }
}

fn is_zero(block: &[u8]) -> bool {
    block.iter().all(|byte| *byte == 0)
}

/// Returns true if a block's checksum is right. Old tars summed the bytes as signed values.
fn is_header(block: &[u8; BLOCK]) -> bool {
    let Some(stated) = number(&block[148..156]) else {
        return false;
    };
    let outside = block[..148].iter().chain(&block[156..]);
    let unsigned: u64 = outside.clone().map(|byte| u64::from(*byte)).sum();
    let signed: i64 = outside.map(|byte| i64::from(*byte as i8)).sum();
    block[0] != 0
        && (stated == unsigned + 8 * 32 || i64::try_from(stated).ok() == Some(signed + 8 * 32))
}

/// Parses an octal number or GNU's base-256 number. Returns `None` if it is invalid or overflows.
fn number(field: &[u8]) -> Option<u64> {
    match field {
        [first, rest @ ..] if *first == 0x80 => {
            let zeros = rest.len().saturating_sub(8);
            if !is_zero(&rest[..zeros]) {
                return None;
            }
            Some(
                rest[zeros..]
                    .iter()
                    .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
            )
        }
        _ => {
            let text = field.iter().copied().skip_while(|byte| *byte == b' ');
            let mut sum: u64 = 0;
            for byte in text.take_while(|byte| !matches!(byte, 0 | b' ')) {
                let digit = byte.wrapping_sub(b'0');
                if digit > 7 {
                    return None;
                }
                sum = sum.checked_mul(8)?.checked_add(u64::from(digit))?;
            }
            Some(sum)
        }
    }
}

fn text(field: &[u8]) -> &[u8] {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    &field[..end]
}

/// The attributes that extension records set for the next member.
#[derive(Default)]
struct Extension {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
    modified: Option<i64>,
    sparse: bool,
    too_long: bool,
}

impl Extension {
    /// Applies pax records, each of the form `LENGTH KEY=VALUE\n`.
    fn records(&mut self, mut rest: &[u8]) {
        while let Some(blank) = memchr::memchr(b' ', rest) {
            let length = std::str::from_utf8(&rest[..blank]).ok();
            let Some(length) = length.and_then(|text| text.parse::<usize>().ok()) else {
                return;
            };
            let Some(record) = rest.get(blank + 1..length) else {
                return;
            };
            rest = &rest[length..];
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            let Some(equals) = memchr::memchr(b'=', record) else {
                continue;
            };
            let (key, value) = (&record[..equals], &record[equals + 1..]);
            let digits = || std::str::from_utf8(value).ok();
            match key {
                b"path" | b"GNU.sparse.name" => self.name = Some(value.to_vec()),
                b"linkpath" => self.link = Some(value.to_vec()),
                b"size" => self.size = digits().and_then(|text| text.parse().ok()),
                b"mtime" => {
                    let whole = digits().and_then(|text| text.split('.').next());
                    self.modified = whole.and_then(|text| text.parse().ok());
                }
                b"GNU.sparse.major" => self.sparse = true,
                _ => {}
            }
        }
    }
}

impl<'s> Tar<'s> {
    /// Creates a reader at the start of an archive.
    pub fn new(source: Source<'s>) -> Tar<'s> {
        Tar {
            source,
            left: 0,
            padding: 0,
            ended: false,
        }
    }

    /// Skips the rest of the open member and reads the next header. Returns `None` at the end of the archive.
    ///
    /// # Errors
    /// Fails if the stream fails, with `UnexpectedEof` if it ends within a header or a member, and with `InvalidData`
    /// if bytes at the end belong to no member or the end mark is missing.
    pub fn next(&mut self) -> io::Result<Option<Entry>> {
        let mut extension = Extension::default();
        let mut lost = 0;
        let mut zeros = 0;
        let mut unmarked = false;
        self.finish_member()?;
        while !self.ended {
            let start = self.source.peek(BLOCK)?;
            if start.is_empty() {
                unmarked = zeros == 0;
                break;
            }
            let Some(block) = start.first_chunk::<BLOCK>().copied() else {
                // a partial last block: the archive was truncated
                if !is_zero(start) {
                    self.ended = true;
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                break;
            };
            if is_zero(&block) {
                self.source.consume(BLOCK);
                // concatenated archives have zero blocks between them
                zeros += BLOCK as u64;
                if zeros > MAX_BEHIND {
                    break;
                }
                continue;
            }
            let size = number(&block[124..136]).filter(|_| is_header(&block));
            let Some(size) = size else {
                lost += self.pass_to_header()?;
                extension = Extension::default();
                continue;
            };
            self.source.consume(BLOCK);
            let flag = block[156];
            match flag {
                b'L' | b'K' | b'x' | b'X' | b'g' => {
                    self.open(size);
                    self.extend(&mut extension, flag)?;
                }
                _ => return self.entry(&block, size, extension, lost).map(Some),
            }
        }
        self.ended = true;
        if lost > 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("its last {lost} bytes are no part of any member"),
            ));
        }
        if unmarked {
            let what = "it has no end mark, so members may be missing";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(None)
    }

    /// Skips bytes up to the next header, which need not be aligned to a block. Returns the number of bytes skipped.
    fn pass_to_header(&mut self) -> io::Result<u64> {
        self.source.consume(1);
        let mut passed = 1;
        loop {
            let ahead = self.source.peek(AHEAD)?;
            let header = memchr::memmem::find_iter(ahead, MAGIC).find_map(|at| {
                let start = at.checked_sub(MAGIC_AT)?;
                let block = ahead.get(start..)?.first_chunk::<BLOCK>()?;
                is_header(block).then_some(start)
            });
            let (step, found) = match header {
                Some(start) => (start, true),
                None if ahead.len() < BLOCK => (ahead.len(), true),
                None => (ahead.len() - (BLOCK - 1), false),
            };
            self.source.consume(step);
            passed += step as u64;
            if found {
                return Ok(passed);
            }
        }
    }

    fn open(&mut self, size: u64) {
        self.left = size;
        // `size` may be any value, so the padding must be computed without overflow
        self.padding = size.wrapping_neg() % BLOCK as u64;
    }

    fn extend(&mut self, extension: &mut Extension, flag: u8) -> io::Result<()> {
        if self.left > MAX_EXTENSION {
            extension.too_long = true;
            return self.finish_member();
        }
        let mut bytes = Vec::new();
        while self.left > 0 {
            let there = self.content()?;
            bytes.extend_from_slice(there);
            let length = there.len();
            self.consume(length);
        }
        self.finish_member()?;
        match flag {
            b'L' => extension.name = Some(text(&bytes).to_vec()),
            b'K' => extension.link = Some(text(&bytes).to_vec()),
            b'x' | b'X' => extension.records(&bytes),
            // global pax records apply to all members and carry no name
            _ => {}
        }
        Ok(())
    }

    fn entry(
        &mut self,
        block: &[u8; BLOCK],
        size: u64,
        extension: Extension,
        lost: u64,
    ) -> io::Result<Entry> {
        let mut kind = match block[156] {
            b'1' => EntryKind::Hardlink,
            b'2' => EntryKind::Symlink,
            b'3' | b'4' | b'6' => EntryKind::Device,
            b'5' | b'D' => EntryKind::Folder,
            b'S' => EntryKind::Sparse,
            b'M' | b'N' | b'V' => EntryKind::Other,
            _ => EntryKind::File,
        };
        if extension.sparse {
            kind = EntryKind::Sparse;
        }
        let name = extension.name.unwrap_or_else(|| {
            let name = text(&block[..100]);
            let is_ustar = &block[257..263] == b"ustar\0";
            match text(&block[345..500]) {
                prefix if is_ustar && !prefix.is_empty() => [prefix, name].join(&b'/'),
                _ => name.to_vec(),
            }
        });
        if kind == EntryKind::File && name.ends_with(b"/") {
            kind = EntryKind::Folder;
        }
        if block[156] == b'S' {
            // the map of stored parts continues in blocks of its own
            let mut more = block[482] != 0;
            while more {
                let next = self.source.take_exact::<BLOCK>()?;
                let next = next.ok_or(io::ErrorKind::UnexpectedEof)?;
                more = next[504] != 0;
            }
        }
        let size = match kind {
            EntryKind::File | EntryKind::Sparse | EntryKind::Other => {
                extension.size.unwrap_or(size)
            }
            // old writers store the size of the target in a link's header
            _ => 0,
        };
        self.open(size);
        Ok(Entry {
            name,
            kind,
            size,
            modified: extension
                .modified
                .or_else(|| number(&block[136..148]).and_then(|time| i64::try_from(time).ok())),
            link: extension
                .link
                .unwrap_or_else(|| text(&block[157..257]).to_vec()),
            lost,
            name_too_long: extension.too_long,
        })
    }

    /// Skips the rest of the open member and its padding.
    fn finish_member(&mut self) -> io::Result<()> {
        let left = std::mem::take(&mut self.left);
        let padding = std::mem::take(&mut self.padding);
        if self.source.skip(left)? < left {
            self.ended = true;
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.source.skip(padding)?;
        Ok(())
    }

    /// Returns the next bytes of the open member, empty at its end.
    fn content(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Ok(&[]);
        }
        let there = self.source.fill_buf()?;
        if there.is_empty() {
            self.left = 0;
            self.padding = 0;
            self.ended = true;
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let length = usize::try_from(self.left).unwrap_or(there.len());
        Ok(&there[..length.min(there.len())])
    }

    fn consume(&mut self, amount: usize) {
        self.left = self.left.saturating_sub(amount as u64);
        self.source.consume(amount);
    }
}

/// Reads the content of the open member.
impl io::Read for Tar<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let there = self.content()?;
        let length = there.len().min(into.len());
        into[..length].copy_from_slice(&there[..length]);
        self.consume(length);
        Ok(length)
    }
}
