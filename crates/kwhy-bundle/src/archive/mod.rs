//! Opens archives and compressed files of any make as streams and hands their members out one by one.
//!
//! The first bytes of a stream show its type (`sniff`). A compression is removed (`unpack()`), of an archive
//! (`tar`, `zip`, by `members`) each member goes the same way again, down to a limit. Nothing is written to disk, no
//! member is kept in memory as a whole, links are not followed, a name is only a name. What a damaged stream contains before
//! the damage is handed out. [`limits`] says what an archive may take, `readers` keep to it.

mod clock;
mod crc;
pub mod limits;
mod members;
mod memory;
mod readers;
mod sniff;
mod source;
mod tar;
mod unpack;
mod zip;

use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kwhy_core::report::Limit;

use limits::{Limits, Shared};
use memory::Memory;
use readers::{Capped, Counted, Layer, Raw};
use source::{AHEAD, Source};
use tar::Tar;
use unpack::unpack;
use zip::Zip;

pub use clock::Clock;
pub use sniff::{Kind, kind};

/// The note about links.
pub const LINKS: &str = "links were not followed";
/// The note about devices, pipes and sockets.
pub const DEVICES: &str = "devices and pipes were not read";

/// A document that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name in a report: `bundle.tar.gz!logs/web.log`.
    pub name: String,
    /// The source in which it was found.
    pub root: String,
    /// The path in the source, with `/` between folders; empty for a file that is all of a source.
    pub path: String,
    /// The size in bytes, if it is known before the member is read.
    pub size: Option<u64>,
    /// The time of the last change, in seconds since 1970.
    pub modified: Option<i64>,
    /// True if it occurs in an archive or was compressed.
    pub packed: bool,
    /// True if it occurs in a folder of no known make, so that its name shows nothing.
    pub loose: bool,
}

/// The properties that a member's first bytes show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// True if it contains NUL bytes.
    pub binary: bool,
    /// The same for members that start with the same 64 KiB; none if it is empty.
    pub fingerprint: Option<u64>,
    /// The size in bytes, if it is known.
    pub size: Option<u64>,
}

/// Takes what is found.
pub trait MemberVisitor {
    /// Reads a document. What is left of it is passed over.
    fn document(&mut self, member: &Member, start: Start, content: &mut (dyn Read + Send));

    /// A member that is not a document, and why.
    fn passed(&mut self, _member: &Member, _why: &'static str) {}
}

/// Walks sources and passes on their members.
pub struct Walk<'v> {
    visit: &'v mut dyn MemberVisitor,
    limits: Limits,
    shared: Arc<Shared>,
}

impl<'v> Walk<'v> {
    /// With nothing read.
    pub fn new(visit: &'v mut dyn MemberVisitor, limits: Limits, shared: Arc<Shared>) -> Walk<'v> {
        Walk {
            visit,
            limits,
            shared,
        }
    }

    /// Reads a source to its end. A failure of the reader itself is given back; all else is reported.
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
            memory: Memory::budget(),
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
                self.shared.tell(&member.name, Limit::Nesting, message);
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
                    decoder: unpack(
                        packed,
                        Source::new(Box::new(counted)),
                        layers.memory.share(),
                    ),
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
                    memory: layers.memory,
                };
                self.stream(member, Source::new(Box::new(layer)), layers);
            }
            Kind::Tar | Kind::Zip => {
                if layers.depth > 0 {
                    self.shared.members.fetch_add(1, Ordering::Relaxed);
                }
                match kind {
                    Kind::Tar => self.tar(&member, Tar::new(source), &layers),
                    _ => self.zip(&member, Zip::new(source), &layers),
                }
            }
            Kind::Closed(what) => {
                let message =
                    format!("{what}, which is not opened: open it and give what it holds");
                self.shared.tell(&member.name, Limit::Unsupported, message);
                self.visit.passed(&member, what);
            }
            Kind::Binary | Kind::Text => self.document(&member, start, source),
        }
    }

    /// Returns true if there were as many members as there may be, which is reported. An archive is then read no
    /// further.
    fn is_full(&self, member: &Member) -> bool {
        let what = if self.shared.members.load(Ordering::Relaxed) >= self.limits.members {
            "more members than --limit members allows: not read from here on"
        } else if self.shared.names.load(Ordering::Relaxed) > self.limits.names {
            "names of members of more bytes than a run keeps: not read from here on"
        } else {
            return false;
        };
        self.shared
            .note(&member.root, Limit::Members, what, &member.path);
        true
    }

    fn document(&mut self, member: &Member, start: Start, source: Source<'_>) {
        if self.is_full(member) {
            self.visit.passed(member, "beyond the limit of members");
            return;
        }
        self.shared.members.fetch_add(1, Ordering::Relaxed);
        let name = member.name.len() as u64;
        self.shared.names.fetch_add(name, Ordering::Relaxed);
        let mut content = Capped {
            inner: source,
            left: self.limits.member_size,
            limits: self.limits,
            name: &member.name,
            shared: &self.shared,
        };
        self.visit.document(member, start, &mut content);
    }
}

/// The nesting of a stream.
struct Layers {
    depth: u64,
    /// True if one compression was taken off since the last archive.
    peeled: bool,
    /// The bytes that were read of the source itself.
    packed: Arc<AtomicU64>,
    /// What decoders of the streams inside of one another may take.
    memory: Memory,
}

impl Layers {
    fn deeper(&self) -> Layers {
        Layers {
            depth: self.depth + 1,
            peeled: false,
            packed: Arc::clone(&self.packed),
            memory: self.memory.share(),
        }
    }
}

/// The same for the same bytes, on every machine and in every run.
fn fingerprint(bytes: &[u8]) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    (!bytes.is_empty()).then(|| hasher.finish())
}
