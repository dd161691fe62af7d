//! A streaming reader for zip archives (PKWARE APPNOTE 6.3.10) that goes from one local header to the next.
//!
//! The `zip` crate needs to seek, or members whose size precedes them. An archive that Go's `archive/zip`, and so most
//! collectors, wrote to a pipe allows neither. This reader also handles an archive that was truncated before its
//! central directory.

use std::io::{self, BufRead, Read};

use super::crc::Crc;
use super::source::{AHEAD, Source};
use super::unpack::Inflate;

/// The compression method of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Uncompressed. Also bzip2, zstd and xz, whose data is recognised as a compressed stream of its own.
    Stored,
    /// Deflate.
    Deflate,
    /// A method that is not supported.
    Unknown(u16),
    /// Encrypted.
    Encrypted,
}

/// A member's header.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name as stored.
    pub name: Vec<u8>,
    /// The compression method.
    pub method: Method,
    /// The uncompressed size, if it precedes the content.
    pub size: Option<u64>,
    /// The number of bytes before this header that belong to no member.
    pub lost: u64,
}

impl Entry {
    /// Returns true if the member is a folder.
    pub fn is_folder(&self) -> bool {
        self.name.ends_with(b"/")
    }
}

/// A zip archive.
pub struct Zip<'s> {
    source: Source<'s>,
    open: Open,
    ended: bool,
}

/// The state of the open member.
enum Open {
    None,
    Stored {
        left: u64,
        crc: Crc,
        expected: Option<u32>,
    },
    Deflate {
        inflate: Box<Inflate>,
        expected: Option<u32>,
        described: bool,
    },
    /// Its length is unknown: everything up to the next header belongs to it.
    Lost,
}

const LOCAL: &[u8] = b"PK\x03\x04";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";

/// The signatures that start the records after the last member, or those of an archive without members.
const BEHIND: [&[u8]; 5] = [
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"PK\x06\x06",
    b"PK\x06\x08",
    b"PK\x05\x05",
];

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn ends_early() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it ends early")
}

impl<'s> Zip<'s> {
    /// Creates a reader at the start of an archive.
    pub fn new(source: Source<'s>) -> Zip<'s> {
        Zip {
            source,
            open: Open::None,
            ended: false,
        }
    }

    /// Skips the rest of the open member and reads the next local header. Returns `None` at the central directory.
    ///
    /// # Errors
    /// Fails if the stream fails, and with `UnexpectedEof` if it ends before the central directory.
    pub fn next(&mut self) -> io::Result<Option<Entry>> {
        self.finish_member()?;
        let mut lost = 0;
        while !self.ended {
            let start = self.source.peek(4)?;
            if start.len() < 4 {
                self.ended = true;
                return Err(ends_early());
            }
            if start.starts_with(LOCAL) {
                return self.entry(lost).map(Some);
            }
            if BEHIND.iter().any(|mark| start.starts_with(mark)) {
                break;
            }
            if start.starts_with(DESCRIPTOR) && lost == 0 {
                self.source.consume(4);
                continue;
            }
            lost += self.pass_to_mark()?;
        }
        self.ended = true;
        Ok(None)
    }

    /// Skips bytes up to the next possible signature. Returns the number of bytes skipped.
    fn pass_to_mark(&mut self) -> io::Result<u64> {
        let ahead = self.source.peek(AHEAD)?;
        let at = memchr::memmem::find_iter(ahead, b"PK")
            .find(|at| *at > 0)
            .unwrap_or(ahead.len().saturating_sub(1).max(1));
        self.source.consume(at);
        Ok(at as u64)
    }

    fn entry(&mut self, lost: u64) -> io::Result<Entry> {
        let head = self.source.take_exact::<30>()?.ok_or_else(ends_early)?;
        let short = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let long =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let flags = short(6);
        let mut name = vec![0; usize::from(short(26))];
        self.source.read_exact(&mut name)?;
        let mut extra = vec![0; usize::from(short(28))];
        self.source.read_exact(&mut extra)?;
        let described = flags & 8 != 0;
        let mut packed = u64::from(long(18));
        let mut size = u64::from(long(22));
        if let Some(wide) = zip64(&extra) {
            let mut wide = wide.chunks_exact(8).map(|bytes| {
                bytes
                    .iter()
                    .rev()
                    .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
            });
            if long(22) == u32::MAX {
                size = wide.next().unwrap_or(size);
            }
            if long(18) == u32::MAX {
                packed = wide.next().unwrap_or(packed);
            }
        }
        let method = match short(8) {
            _ if flags & 1 != 0 => Method::Encrypted,
            0 => Method::Stored,
            // bzip2, zstd and xz, whose data is recognised as a stream of its own
            12 | 93 | 95 => Method::Stored,
            8 => Method::Deflate,
            other => Method::Unknown(other),
        };
        let known = !described || packed > 0;
        let crc = long(14);
        self.open = match method {
            Method::Deflate => Open::Deflate {
                inflate: Box::new(Inflate::new()),
                expected: (!described).then_some(crc),
                described,
            },
            Method::Stored if known => Open::Stored {
                left: packed,
                crc: Crc::new(),
                expected: (!described && short(8) == 0).then_some(crc),
            },
            // a folder has no content, but may have a data descriptor
            Method::Stored if name.ends_with(b"/") => Open::None,
            _ if known => Open::Stored {
                left: packed,
                crc: Crc::new(),
                expected: None,
            },
            _ => Open::Lost,
        };
        Ok(Entry {
            name,
            method,
            size: known.then_some(size),
            lost,
        })
    }

    /// Skips the rest of the open member.
    fn finish_member(&mut self) -> io::Result<()> {
        let mut void = [0; 8192];
        loop {
            match &mut self.open {
                Open::None | Open::Lost => return Ok(()),
                Open::Stored { left, .. } => {
                    let left = std::mem::take(left);
                    self.open = Open::None;
                    if self.source.skip(left)? < left {
                        self.ended = true;
                        return Err(ends_early());
                    }
                }
                Open::Deflate { .. } => match self.read(&mut void) {
                    Ok(0) => self.open = Open::None,
                    Ok(_) => {}
                    // already reported when the content was read; look for the next header
                    Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                        self.open = Open::Lost;
                    }
                    Err(error) => return Err(error),
                },
            }
        }
    }

    /// Consumes the data descriptor after a member and compares its checksum with `sum`.
    fn descriptor(&mut self, sum: u32) -> io::Result<()> {
        let ahead = self.source.peek(28)?;
        let signed = if ahead.starts_with(DESCRIPTOR) { 4 } else { 0 };
        let expected = ahead.get(signed..).and_then(<[u8]>::first_chunk::<4>);
        let expected = expected.copied().map(u32::from_le_bytes);
        // sizes of 4 bytes each, or of 8 in archives over 4 GiB, followed by the next signature
        let short = signed + 12;
        let long = signed + 20;
        let mark = |at: usize| ahead.get(at..at + 2) == Some(b"PK");
        let length = if !mark(short) && mark(long) {
            long
        } else {
            short
        };
        self.source.consume(length);
        match expected {
            Some(expected) if expected == sum => Ok(()),
            Some(_) => Err(damaged("its check sum is wrong")),
            None => Err(ends_early()),
        }
    }
}

/// Returns the zip64 field (64-bit sizes) among a header's extra fields.
fn zip64(mut extra: &[u8]) -> Option<&[u8]> {
    while let [a, b, c, d, rest @ ..] = extra {
        let length = usize::from(u16::from_le_bytes([*c, *d]));
        let field = rest.get(..length)?;
        if u16::from_le_bytes([*a, *b]) == 1 {
            return Some(field);
        }
        extra = &rest[length..];
    }
    None
}

/// Reads the content of the open member.
impl Read for Zip<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.open {
            Open::None | Open::Lost => Ok(0),
            Open::Stored {
                left,
                crc,
                expected,
            } => {
                if *left == 0 {
                    let wrong = expected
                        .take()
                        .is_some_and(|expected| expected != crc.sum());
                    return if wrong {
                        Err(damaged("its check sum is wrong"))
                    } else {
                        Ok(0)
                    };
                }
                let there = self.source.fill_buf()?;
                if there.is_empty() {
                    self.open = Open::None;
                    self.ended = true;
                    return Err(ends_early());
                }
                let most = usize::try_from(*left).unwrap_or(there.len());
                let length = there.len().min(into.len()).min(most);
                into[..length].copy_from_slice(&there[..length]);
                crc.update(&there[..length]);
                *left -= length as u64;
                self.source.consume(length);
                Ok(length)
            }
            Open::Deflate {
                inflate,
                expected,
                described,
            } => {
                if into.is_empty() {
                    return Ok(0);
                }
                let read = inflate.read(&mut self.source, into);
                match read {
                    Ok(0) => {
                        let (sum, expected, described) = (inflate.crc.sum(), *expected, *described);
                        self.open = Open::None;
                        if described {
                            self.descriptor(sum)?;
                        }
                        match expected {
                            Some(expected) if expected != sum => {
                                Err(damaged("its check sum is wrong"))
                            }
                            _ => Ok(0),
                        }
                    }
                    Ok(length) => Ok(length),
                    Err(error) => {
                        if error.kind() == io::ErrorKind::UnexpectedEof {
                            self.ended = true;
                        }
                        self.open = Open::Lost;
                        Err(error)
                    }
                }
            }
        }
    }
}
