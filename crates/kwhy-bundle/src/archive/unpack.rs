//! Decoders for compressed streams. Each returns everything before the damage in a damaged stream.

use std::io::{self, BufRead, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use lzma_rust2::XzReader;
use ruzstd::decoding::BlockDecodingStrategy;
use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

use super::crc::Crc;
use super::memory::Memory;
use super::sniff::Packed;
use super::source::Source;

/// The maximum dictionary size of an xz stream, in KiB. `xz -9` needs 64 MiB.
const MAX_XZ_KIB: u32 = 96 * 1024;

/// The length of a zstd frame header up to and including its content size (RFC 8878, 3.1.1.1).
const ZSTD_HEAD: usize = 18;

/// Creates a decoder for a compressed stream that uses no more than what is left of `memory`.
pub(super) fn unpack<'s>(
    packed: Packed,
    source: Source<'s>,
    mut memory: Memory,
) -> Box<dyn Read + Send + 's> {
    match packed {
        Packed::Gzip => Box::new(Gzip::new(source)),
        Packed::Zstd => Box::new(Zstd::new(source, memory)),
        Packed::Xz => {
            let most = (memory.left() / 1024).min(u64::from(MAX_XZ_KIB)) as u32;
            memory.take(u64::from(most) * 1024);
            Box::new(Xz {
                reader: XzReader::new_mem_limit(source, true, most),
                _memory: memory,
            })
        }
        Packed::Bzip2 => Box::new(MultiBzDecoder::new(source)),
    }
}

/// An xz decoder, with the memory reserved for its dictionary.
struct Xz<'s> {
    reader: XzReader<Source<'s>>,
    _memory: Memory,
}

impl Read for Xz<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.reader.read(into)
    }
}

fn ends_early() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it ends early")
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// One deflate stream (RFC 1951) within another format.
pub struct Inflate {
    state: Decompress,
    /// The checksum of the decoded bytes.
    pub crc: Crc,
    failed: bool,
    /// True once the end of the stream was reached.
    pub ended: bool,
}

impl Inflate {
    /// Creates a decoder at the start of a stream.
    pub fn new() -> Inflate {
        Inflate {
            state: Decompress::new(false),
            crc: Crc::new(),
            failed: false,
            ended: false,
        }
    }

    /// Prepares the decoder for the next stream.
    fn reset(&mut self) {
        self.state.reset(false);
        self.crc.reset();
        self.ended = false;
    }

    /// Decodes the next bytes. Returns 0 at the end of the stream.
    pub fn read(&mut self, source: &mut Source<'_>, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() || self.ended {
            return Ok(0);
        }
        if self.failed {
            return Err(damaged("its data is damaged"));
        }
        loop {
            let packed = source.fill_buf()?;
            let at_end = packed.is_empty();
            let (before_in, before_out) = (self.state.total_in(), self.state.total_out());
            let done = self.state.decompress(packed, into, FlushDecompress::None);
            let taken = (self.state.total_in() - before_in) as usize;
            let given = (self.state.total_out() - before_out) as usize;
            source.consume(taken);
            let given = given.min(into.len());
            self.crc.update(&into[..given]);
            match done {
                Ok(Status::StreamEnd) => self.ended = true,
                Ok(_) if given == 0 && at_end => return Err(ends_early()),
                Ok(_) if given == 0 && taken == 0 => return Err(damaged("its data is damaged")),
                Ok(_) => {}
                // the bytes decoded before the damage are returned first
                Err(_) => self.failed = true,
            }
            if given > 0 || self.ended {
                return Ok(given);
            }
            if self.failed {
                return Err(damaged("its data is damaged"));
            }
        }
    }
}

/// A gzip stream of any number of members (RFC 1952).
struct Gzip<'s> {
    source: Source<'s>,
    inflate: Inflate,
    /// True if a member's header comes next.
    head: bool,
    first: bool,
    ended: bool,
}

impl<'s> Gzip<'s> {
    fn new(source: Source<'s>) -> Gzip<'s> {
        Gzip {
            source,
            inflate: Inflate::new(),
            head: true,
            first: true,
            ended: false,
        }
    }

    /// Reads a member's header. Returns false at the end of the stream.
    fn head(&mut self) -> io::Result<bool> {
        let start = self.source.peek(10)?;
        if start.is_empty() {
            return if self.first {
                Err(ends_early())
            } else {
                Ok(false)
            };
        }
        if !self.first && start.first() == Some(&0) {
            // some tapes and tools pad with zeros
            loop {
                let rest = self.source.fill_buf()?;
                let length = rest.len();
                if length == 0 {
                    return Ok(false);
                }
                if rest.iter().any(|byte| *byte != 0) {
                    return Err(damaged("what follows its end is no gzip"));
                }
                self.source.consume(length);
            }
        }
        let Some(head) = self.source.take_exact::<10>()? else {
            return Err(ends_early());
        };
        let [0x1f, 0x8b, 8, flags, ..] = head else {
            return Err(damaged(if self.first {
                "it is no gzip"
            } else {
                "what follows its end is no gzip"
            }));
        };
        if flags & 4 != 0 {
            let length = self.source.take_exact::<2>()?.ok_or_else(ends_early)?;
            self.source.skip(u64::from(u16::from_le_bytes(length)))?;
        }
        for flag in [8, 16] {
            if flags & flag != 0 {
                self.pass_text()?;
            }
        }
        if flags & 2 != 0 {
            self.source.skip(2)?;
        }
        Ok(true)
    }

    /// Skips a NUL-terminated string.
    fn pass_text(&mut self) -> io::Result<()> {
        loop {
            let rest = self.source.fill_buf()?;
            if rest.is_empty() {
                return Err(ends_early());
            }
            match memchr::memchr(0, rest) {
                Some(end) => {
                    self.source.consume(end + 1);
                    return Ok(());
                }
                None => {
                    let length = rest.len();
                    self.source.consume(length);
                }
            }
        }
    }
}

impl Read for Gzip<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.ended && !into.is_empty() {
            if self.head {
                if !self.head()? {
                    self.ended = true;
                    break;
                }
                self.head = false;
                self.first = false;
                self.inflate.reset();
            }
            let length = self.inflate.read(&mut self.source, into)?;
            if self.inflate.ended && length == 0 {
                self.head = true;
                let tail = self.source.take_exact::<8>()?.ok_or_else(ends_early)?;
                let [a, b, c, d, ..] = tail;
                if u32::from_le_bytes([a, b, c, d]) != self.inflate.crc.sum() {
                    return Err(damaged("its check sum is wrong"));
                }
                continue;
            }
            return Ok(length);
        }
        Ok(0)
    }
}

/// An empty last block, with room for a checksum after it.
const LAST_BLOCK: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

/// A zstd stream of any number of frames.
struct Zstd<'s> {
    source: Source<'s>,
    decoder: FrameDecoder,
    memory: Memory,
    inside: bool,
    first: bool,
    /// The error to return once the bytes decoded before it have been read.
    failure: Option<io::Error>,
}

impl<'s> Zstd<'s> {
    fn new(source: Source<'s>, memory: Memory) -> Zstd<'s> {
        Zstd {
            source,
            decoder: FrameDecoder::new(),
            memory,
            inside: false,
            first: true,
            failure: None,
        }
    }

    /// Starts the next frame. Returns false at the end of the stream.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.source.peek(1)?.is_empty() {
                return if self.first {
                    Err(ends_early())
                } else {
                    Ok(false)
                };
            }
            self.first = false;
            let window = zstd_window(self.source.peek(ZSTD_HEAD)?);
            if !self.memory.take(window) {
                return Err(damaged("its window takes more memory than an archive may"));
            }
            self.decoder.set_max_window_size(window);
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    self.source.skip(u64::from(length))?;
                }
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
            }
        }
    }
}

/// Returns the window size in bytes that a zstd frame asks for; 0 if this is not a frame header.
fn zstd_window(head: &[u8]) -> u64 {
    let [0x28, 0xb5, 0x2f, 0xfd, descriptor, rest @ ..] = head else {
        return 0;
    };
    if descriptor & 0x20 == 0 {
        let Some(window) = rest.first() else { return 0 };
        let base = 1u64 << (10 + (window >> 3));
        return base + base / 8 * u64::from(window & 7);
    }
    // in a single-segment frame, the window is the whole content
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let length = [1, 2, 4, 8][usize::from(descriptor >> 6)];
    let size = rest.get(dictionary..dictionary + length);
    let size = size.unwrap_or_default().iter().rev();
    let size = size.fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    size + if length == 2 { 256 } else { 0 }
}

impl Read for Zstd<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.inside {
                if !self.begin()? {
                    return Ok(0);
                }
                self.inside = true;
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let strategy = BlockDecodingStrategy::UptoBlocks(1);
                if let Err(error) = self.decoder.decode_blocks(&mut self.source, strategy) {
                    if self.failure.is_some() {
                        break;
                    }
                    self.failure = Some(io::Error::new(io::ErrorKind::InvalidData, error));
                    // the decoder holds back what later blocks may refer to until it has seen the last block
                    let _ = self
                        .decoder
                        .decode_blocks(LAST_BLOCK, BlockDecodingStrategy::All);
                }
            }
            let length = Read::read(&mut self.decoder, into)?;
            if length > 0 {
                return Ok(length);
            }
            if let Some(error) = self.failure.take() {
                return Err(error);
            }
            let expected = self.decoder.get_checksum_from_data();
            if expected.is_some() && expected != self.decoder.get_calculated_checksum() {
                return Err(damaged("its check sum is wrong"));
            }
            self.inside = false;
        }
    }
}
