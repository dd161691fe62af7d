//! A buffered stream that can be peeked at.

use std::cell::RefCell;
use std::io::{self, BufRead, Read};

/// The size of the buffer in bytes, which is also the most that can be peeked.
pub const AHEAD: usize = 64 * 1024;

/// The maximum number of buffers kept for reuse: enough for nested archives.
const MAX_FREE: usize = 16;

thread_local! {
    /// Buffers of dropped streams, kept for reuse as an archive may have very many small members.
    static FREE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

fn taken_buffer() -> Vec<u8> {
    FREE.with_borrow_mut(Vec::pop)
        .unwrap_or_else(|| vec![0; AHEAD])
}

/// A stream with a buffer of the bytes read ahead.
pub struct Source<'s> {
    inner: Box<dyn Read + Send + 's>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl<'s> Source<'s> {
    /// Wraps a stream.
    pub fn new(inner: Box<dyn Read + Send + 's>) -> Source<'s> {
        Source {
            inner,
            buffer: Vec::new(),
            start: 0,
            end: 0,
        }
    }

    /// Returns the next bytes without consuming them: fewer than `wanted` at the end of the stream or beyond `AHEAD`.
    pub fn peek(&mut self, wanted: usize) -> io::Result<&[u8]> {
        let wanted = wanted.min(AHEAD);
        if self.buffer.is_empty() {
            self.buffer = taken_buffer();
        }
        if self.end - self.start < wanted && self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        while self.end - self.start < wanted {
            match self.inner.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(length) => self.end += length.min(self.buffer.len() - self.end),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // the bytes before the error are returned first; the next read meets it again
                Err(_) if self.end > self.start => break,
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Reads exactly `N` bytes. Returns `None` if the stream ends before that.
    pub fn take_exact<const N: usize>(&mut self) -> io::Result<Option<[u8; N]>> {
        let Some(bytes) = self.peek(N)?.first_chunk::<N>().copied() else {
            return Ok(None);
        };
        self.consume(N);
        Ok(Some(bytes))
    }

    /// Skips up to `wanted` bytes and returns the number of bytes skipped.
    pub fn skip(&mut self, wanted: u64) -> io::Result<u64> {
        let mut left = wanted;
        while left > 0 {
            let there = self.fill_buf()?.len();
            if there == 0 {
                break;
            }
            let step = usize::try_from(left).unwrap_or(there).min(there);
            self.consume(step);
            left -= step as u64;
        }
        Ok(wanted - left)
    }
}

impl Drop for Source<'_> {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        // the thread-local list is already gone while the thread ends
        let _ = FREE.try_with(|free| {
            let mut free = free.borrow_mut();
            if !buffer.is_empty() && free.len() < MAX_FREE {
                free.push(buffer);
            }
        });
    }
}

impl Read for Source<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.start == self.end && into.len() >= AHEAD {
            return self.inner.read(into);
        }
        let there = self.fill_buf()?;
        let length = there.len().min(into.len());
        into[..length].copy_from_slice(&there[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Source<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            return self.peek(1);
        }
        Ok(&self.buffer[self.start..self.end])
    }

    fn consume(&mut self, amount: usize) {
        self.start = (self.start + amount).min(self.end);
    }
}
