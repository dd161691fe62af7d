//! Opens archives and compressed files of any make as streams and hands their members out one by one.
//!
//! What a stream is, its first bytes tell ([`sniff`]). A compression is taken off ([`unpack()`]), of an archive
//! ([`tar`], [`zip`]) each member goes the same way again, down to a limit. Nothing is written to disk, no
//! member is held whole, links are not followed, a name is only a name. What a damaged stream holds before
//! the damage is handed out. [`limits`] says what an archive may take.

pub mod limits;
mod sniff;
mod source;
mod tar;
mod unpack;
mod zip;

use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use limits::{Limits, Shared, is_told, stopped};
use source::{AHEAD, Source};
use tar::{EntryKind, Tar};
use unpack::unpack;
use zip::{Method, Zip};

pub use sniff::{Kind, kind};

/// A document that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// What it is called in a report: `bundle.tar.gz!logs/web.log`.
    pub name: String,
    /// The source in which it was found.
    pub root: String,
    /// Where in the source it stands, its folders parted by `/`; empty for a file that is all of a source.
    pub path: String,
    /// How many bytes it has, if that is known before it is read.
    pub size: Option<u64>,
    /// When it was changed, in seconds since 1970.
    pub modified: Option<i64>,
    /// Whether it stands in an archive or was compressed.
    pub packed: bool,
    /// Whether it stands in a folder of no known make, so that its name tells nothing.
    pub loose: bool,
}

/// What a member's first bytes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Whether it holds NUL bytes.
    pub binary: bool,
    /// The same for members that begin with the same 64 KiB; none if it is empty.
    pub fingerprint: Option<u64>,
    /// How many bytes it has, if that is known.
    pub size: Option<u64>,
}

/// Takes what is found.
pub trait Visit {
    /// Reads a document. What is left of it is passed over.
    fn document(&mut self, member: &Member, start: Start, content: &mut (dyn Read + Send));

    /// A member that is no document, and why.
    fn passed(&mut self, _member: &Member, _why: &'static str) {}
}

/// Goes through sources and hands out what they hold.
pub struct Walk<'v> {
    visit: &'v mut dyn Visit,
    limits: Limits,
    shared: Arc<Shared>,
    members: u64,
}

impl<'v> Walk<'v> {
    /// With nothing read.
    pub fn new(visit: &'v mut dyn Visit, limits: Limits, shared: Arc<Shared>) -> Walk<'v> {
        Walk {
            visit,
            limits,
            shared,
            members: 0,
        }
    }

    /// Reads a source to its end. A failure of the reader itself is given back; all else is told.
    pub fn read(&mut self, member: Member, reader: impl Read + Send) -> io::Result<()> {
        let packed = Arc::new(AtomicU64::new(0));
        let mut failure = None;
        let raw = Raw {
            inner: reader,
            shared: Arc::clone(&self.shared),
            read: Arc::clone(&packed),
            failure: &mut failure,
            failed: false,
        };
        let layers = Layers {
            depth: 0,
            peeled: false,
            packed,
        };
        self.stream(member, Source::new(Box::new(raw)), layers);
        match failure {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn stream(&mut self, mut member: Member, mut source: Source<'_>, layers: Layers) {
        let head = source.peek(AHEAD).unwrap_or_default();
        let kind = kind(head);
        let start = Start {
            binary: kind == Kind::Binary,
            fingerprint: fingerprint(head),
            size: if head.len() < AHEAD {
                Some(head.len() as u64)
            } else {
                member.size
            },
        };
        match kind {
            Kind::Packed(_) | Kind::Tar | Kind::Zip if layers.depth > self.limits.nesting => {
                let message = format!(
                    "more than {} archives inside of one another: it was not opened",
                    self.limits.nesting
                );
                self.shared.tell(&member.name, "nesting", message);
                self.visit.passed(&member, "nested too deep");
            }
            Kind::Packed(packed) => {
                member.packed = true;
                member.size = None;
                if let Some(stem) = member.path.strip_suffix(".gz") {
                    member.path.truncate(stem.len());
                }
                let read = Arc::new(AtomicU64::new(0));
                let counted = Counted {
                    inner: source,
                    count: Arc::clone(&read),
                };
                let layer = Layer {
                    decoder: unpack(packed, Source::new(Box::new(counted))),
                    name: member.name.clone(),
                    format: packed.name(),
                    shared: Arc::clone(&self.shared),
                    limits: self.limits,
                    packed: [Arc::clone(&layers.packed), read],
                    given: 0,
                    failed: false,
                };
                let layers = Layers {
                    depth: layers.depth + u64::from(layers.peeled),
                    peeled: true,
                    packed: layers.packed,
                };
                self.stream(member, Source::new(Box::new(layer)), layers);
            }
            Kind::Tar => self.tar(&member, Tar::new(source), &layers),
            Kind::Zip => self.zip(&member, Zip::new(source), &layers),
            Kind::Closed(what) => {
                let message =
                    format!("{what}, which is not opened: open it and give what it holds");
                self.shared.tell(&member.name, "unsupported", message);
                self.visit.passed(&member, what);
            }
            Kind::Binary | Kind::Text => self.document(&member, start, source),
        }
    }

    fn document(&mut self, member: &Member, start: Start, source: Source<'_>) {
        self.members += 1;
        if self.members > self.limits.members {
            let root = &member.root;
            let what = "more members than --limit members allows, which were not read";
            self.shared.note(root, "members", what, &member.path);
            self.visit.passed(member, "beyond the limit of members");
            return;
        }
        self.shared.members.fetch_add(1, Ordering::Relaxed);
        let mut content = Capped {
            inner: source,
            left: self.limits.member_size,
            limits: self.limits,
            name: &member.name,
            shared: &self.shared,
        };
        self.visit.document(member, start, &mut content);
    }

    fn tar(&mut self, archive: &Member, mut tar: Tar<'_>, layers: &Layers) {
        let mut last = String::new();
        loop {
            if self.shared.is_stopped() {
                return;
            }
            let entry = match tar.next() {
                Ok(Some(entry)) => entry,
                Ok(None) => return self.ended(archive, "tar", &last),
                Err(error) => return self.damaged(archive, "tar", &last, &error),
            };
            let member = self.member(archive, &entry.name, entry.modified, Some(entry.size));
            if entry.lost > 0 {
                let lost = entry.lost;
                let message = format!(
                    "{lost} bytes before {} are no part of any member",
                    member.path
                );
                self.shared.tell(&archive.name, "damaged", message);
            }
            if entry.name_too_long {
                self.too_long(&member);
            }
            last.clone_from(&member.path);
            let what = match entry.kind {
                EntryKind::File => None,
                EntryKind::Sparse => {
                    let what = "files with holes, of which what is written was read";
                    self.shared
                        .note(&archive.name, "sparse", what, &member.path);
                    None
                }
                EntryKind::Folder | EntryKind::Other => continue,
                EntryKind::Symlink | EntryKind::Hardlink => {
                    Some(("link", "links were not followed"))
                }
                EntryKind::Device => Some(("device", "devices and pipes were not read")),
            };
            if let Some((limit, what)) = what {
                self.shared.note(&archive.name, limit, what, &member.path);
                self.visit.passed(&member, limit);
                continue;
            }
            let content = Content {
                tar: &mut tar,
                archive: &archive.name,
                path: &last,
                shared: Arc::clone(&self.shared),
            };
            self.stream(member, Source::new(Box::new(content)), layers.deeper());
        }
    }

    fn zip(&mut self, archive: &Member, mut zip: Zip<'_>, layers: &Layers) {
        let mut last = String::new();
        loop {
            if self.shared.is_stopped() {
                return;
            }
            let entry = match zip.next() {
                Ok(Some(entry)) => entry,
                Ok(None) => return self.ended(archive, "zip", &last),
                Err(error) => return self.damaged(archive, "zip", &last, &error),
            };
            let name: Vec<u8> = entry
                .name
                .iter()
                .map(|b| if *b == b'\\' { b'/' } else { *b })
                .collect();
            let member = self.member(archive, &name, None, entry.size);
            if entry.lost > 0 {
                let lost = entry.lost;
                let message = format!(
                    "{lost} bytes before {} are no part of any member",
                    member.path
                );
                self.shared.tell(&archive.name, "damaged", message);
            }
            last.clone_from(&member.path);
            let closed = match entry.method {
                Method::Stored | Method::Deflate => None,
                Method::Unknown(_) => Some("members are packed in a way that is not read"),
                Method::Encrypted => Some("members are encrypted"),
            };
            if let Some(what) = closed {
                self.shared
                    .note(&archive.name, "unsupported", what, &member.path);
                self.visit.passed(&member, what);
            } else if !entry.is_folder() {
                let layers = layers.deeper();
                let layer = Layer {
                    packed: [Arc::clone(&layers.packed), Arc::clone(&layers.packed)],
                    decoder: Box::new(&mut zip),
                    name: member.name.clone(),
                    format: "zip",
                    shared: Arc::clone(&self.shared),
                    limits: self.limits,
                    given: 0,
                    failed: false,
                };
                self.stream(member, Source::new(Box::new(layer)), layers);
            }
        }
    }

    /// A member of an archive.
    fn member(
        &self,
        archive: &Member,
        name: &[u8],
        modified: Option<i64>,
        size: Option<u64>,
    ) -> Member {
        let most = usize::try_from(self.limits.path_length).unwrap_or(usize::MAX);
        let cut = name.len() > most;
        let name = String::from_utf8_lossy(&name[..name.len().min(most)]);
        let mut inside = name.as_ref();
        while let Some(rest) = inside.strip_prefix("./") {
            inside = rest;
        }
        let path = match archive.path.as_str() {
            "" => inside.to_owned(),
            outer => format!("{outer}/{inside}"),
        };
        let member = Member {
            name: format!("{}!{inside}", archive.name),
            root: archive.root.clone(),
            path,
            size,
            modified,
            packed: true,
            loose: false,
        };
        if cut {
            self.too_long(&member);
        }
        member
    }

    fn too_long(&self, member: &Member) {
        let what = "names were too long and were cut";
        self.shared
            .note(&member.root, "path-length", what, &member.path);
    }

    /// Tells of an archive without members.
    fn ended(&self, archive: &Member, format: &str, last: &str) {
        if last.is_empty() {
            let message = format!("the {format} archive holds nothing");
            self.shared.tell(&archive.name, "empty", message);
        }
    }

    /// Tells how an archive ended, if that is not told already.
    fn damaged(&self, archive: &Member, format: &str, last: &str, error: &io::Error) {
        if is_told(error) {
            return;
        }
        let place = match last {
            "" => "before its first member".to_owned(),
            last => format!("in or behind {last}"),
        };
        let message = match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                format!("the {format} archive ends early, {place}; what came before was read")
            }
            _ => format!(
                "the {format} archive is damaged {place} ({error}); what came before was read"
            ),
        };
        self.shared.tell(&archive.name, "damaged", message);
    }
}

/// How deep a stream stands.
struct Layers {
    depth: u64,
    /// Whether one compression was taken off since the last archive.
    peeled: bool,
    /// The bytes that were read of the source itself.
    packed: Arc<AtomicU64>,
}

impl Layers {
    fn deeper(&self) -> Layers {
        Layers {
            depth: self.depth + 1,
            peeled: false,
            packed: Arc::clone(&self.packed),
        }
    }
}

/// The same for the same bytes, on every machine and in every run.
fn fingerprint(bytes: &[u8]) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    (!bytes.is_empty()).then(|| hasher.finish())
}

/// A source as it is opened.
struct Raw<'f, R> {
    inner: R,
    shared: Arc<Shared>,
    read: Arc<AtomicU64>,
    failure: &'f mut Option<io::Error>,
    failed: bool,
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

/// The content of a tar's member; tells where the archive ends inside of it.
struct Content<'t, 's> {
    tar: &'t mut Tar<'s>,
    archive: &'t str,
    path: &'t str,
    shared: Arc<Shared>,
}

impl Read for Content<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.tar.read(into).map_err(|error| {
            if !is_told(&error) {
                let path = self.path;
                let message =
                    format!("the tar archive ends inside of {path}; what came before was read");
                self.shared.tell(self.archive, "damaged", message);
            }
            stopped()
        })
    }
}

/// Counts what is read.
struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(into)?;
        self.count.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

/// A compression that was taken off, with the limits on what comes out of it.
struct Layer<'s> {
    decoder: Box<dyn Read + Send + 's>,
    name: String,
    format: &'static str,
    shared: Arc<Shared>,
    limits: Limits,
    /// What was read of the source itself, and of this stream.
    packed: [Arc<AtomicU64>; 2],
    given: u64,
    failed: bool,
}

impl Layer<'_> {
    fn stop(&mut self, limit: &'static str, message: String) -> io::Error {
        self.shared.tell(&self.name, limit, message);
        self.failed = true;
        stopped()
    }
}

impl Read for Layer<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.failed || self.shared.is_stopped() {
            return Err(stopped());
        }
        let length = match self.decoder.read(into) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) if is_told(&error) => {
                self.failed = true;
                return Err(error);
            }
            Err(error) => {
                let (format, given) = (self.format, self.given);
                let message = format!(
                    "the {format} data is damaged behind {given} bytes: {error}; what came before was read"
                );
                return Err(self.stop("damaged", message));
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
                "total-size",
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
                "more than {} bytes unpacked for each packed one: it was left behind {} bytes",
                self.limits.ratio, self.given
            );
            return Err(self.stop("ratio", message));
        }
        Ok(length)
    }
}

/// A member's content, up to the limit.
struct Capped<'s, 'm> {
    inner: Source<'s>,
    left: u64,
    limits: Limits,
    name: &'m str,
    shared: &'m Shared,
}

impl Read for Capped<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            if !self.inner.peek(1)?.is_empty() {
                let most = self.limits.member_size;
                let message = format!("of it only the first {most} bytes were read");
                self.shared.tell(self.name, "member-size", message);
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
