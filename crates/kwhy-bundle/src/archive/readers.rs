//! Reader adapters that count bytes and enforce limits.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kwhy_core::report::Limit;

use super::limits::{Limits, Shared, is_reported, stopped};
use super::source::Source;
use super::tar::Tar;

/// Wraps the reader of a source: counts its bytes, stops when the run is cancelled, and keeps its error in `failure`.
pub(super) struct Raw<'f, R> {
    pub(super) inner: R,
    pub(super) shared: Arc<Shared>,
    pub(super) read: Arc<AtomicU64>,
    pub(super) failure: &'f mut Option<io::Error>,
    pub(super) failed: bool,
}

impl<R: Read> Read for Raw<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.failed || self.shared.is_stopped() {
            return Err(stopped());
        }
        match self.inner.read(into) {
            Ok(length) => {
                self.read.fetch_add(length as u64, Ordering::Relaxed);
                self.shared.read.fetch_add(length as u64, Ordering::Relaxed);
                Ok(length)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.failed = true;
                *self.failure = Some(error);
                Err(stopped())
            }
        }
    }
}

/// The content of a tar member. Reports if the archive ends within it.
pub(super) struct Content<'t, 's> {
    pub(super) tar: &'t mut Tar<'s>,
    pub(super) archive: &'t str,
    pub(super) path: &'t str,
    pub(super) shared: Arc<Shared>,
}

impl Read for Content<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.tar.read(into).map_err(|error| {
            if !is_reported(&error) {
                let path = self.path;
                let message =
                    format!("the tar archive ends inside of {path}; what came before was read");
                self.shared.tell(self.archive, Limit::Damaged, message);
            }
            stopped()
        })
    }
}

/// Counts the bytes that are read.
pub(super) struct Counted<R> {
    pub(super) inner: R,
    pub(super) count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(into)?;
        self.count.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

/// A decoder with limits on its output.
pub(super) struct Layer<'s> {
    pub(super) decoder: Box<dyn Read + Send + 's>,
    pub(super) name: String,
    pub(super) format: &'static str,
    pub(super) shared: Arc<Shared>,
    pub(super) limits: Limits,
    /// The number of compressed bytes read: from the source itself, and from this stream.
    pub(super) packed: [Arc<AtomicU64>; 2],
    pub(super) given: u64,
    pub(super) failed: bool,
}

impl Layer<'_> {
    fn stop(&mut self, limit: Limit, message: String) -> io::Error {
        self.shared.tell(&self.name, limit, message);
        self.failed = true;
        stopped()
    }
}

impl Read for Layer<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.failed || self.shared.is_stopped() || self.shared.is_late(&self.limits, &self.name)
        {
            return Err(stopped());
        }
        if self.shared.is_bomb(&self.limits) {
            let message = format!(
                "the compression ratio of all together exceeds {}; stopped after {} bytes",
                self.limits.ratio, self.given
            );
            return Err(self.stop(Limit::Ratio, message));
        }
        let length = match self.decoder.read(into) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) if is_reported(&error) => {
                self.failed = true;
                return Err(error);
            }
            Err(error) => {
                let (format, given) = (self.format, self.given);
                let message = format!(
                    "the {format} data is damaged after {given} bytes: {error}; what came before was read"
                );
                return Err(self.stop(Limit::Damaged, message));
            }
        };
        self.given += length as u64;
        let total = self
            .shared
            .unpacked
            .fetch_add(length as u64, Ordering::Relaxed)
            + length as u64;
        if total > self.limits.total_size {
            let most = self.limits.total_size;
            return Err(self.stop(
                Limit::TotalSize,
                format!("more than {most} bytes in all: the rest was not read"),
            ));
        }
        let packed = self
            .packed
            .iter()
            .map(|count| count.load(Ordering::Relaxed))
            .min();
        let packed = packed.unwrap_or_default().max(1);
        if self.given > self.limits.free && self.given / packed > self.limits.ratio {
            let message = format!(
                "the compression ratio exceeds {}; stopped after {} bytes",
                self.limits.ratio, self.given
            );
            return Err(self.stop(Limit::Ratio, message));
        }
        Ok(length)
    }
}

/// The content of a member, cut at the limit on member size.
pub(super) struct Capped<'s, 'm> {
    pub(super) inner: Source<'s>,
    pub(super) left: u64,
    pub(super) limits: Limits,
    pub(super) name: &'m str,
    pub(super) shared: &'m Shared,
}

impl Read for Capped<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.shared.is_late(&self.limits, self.name) {
            return Ok(0);
        }
        if self.left == 0 {
            if !self.inner.peek(1)?.is_empty() {
                let most = self.limits.member_size;
                let message = format!("of it only the first {most} bytes were read");
                self.shared.tell(self.name, Limit::MemberSize, message);
                self.inner = Source::new(Box::new(io::empty()));
            }
            return Ok(0);
        }
        let most = usize::try_from(self.left)
            .unwrap_or(into.len())
            .min(into.len());
        let length = self.inner.read(&mut into[..most])?;
        self.left -= length as u64;
        Ok(length)
    }
}
