//! Opens archives and compressed files of all supported formats as streams and visits their members one by one.
//!
//! The format of a stream is detected from its first bytes (`sniff`). Compression is removed (`unpack()`), and each
//! member of an archive (`tar`, `zip`, driven by `members`) is handled the same way recursively, up to a depth limit.
//! Nothing is written to disk, no member is kept in memory as a whole, links are not followed, and names are never used
//! as paths. Everything before the damage in a damaged stream is still handed out. The limits are in [`limits`];
//! `readers` enforces them.

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

/// The note on links that were not followed.
pub const LINKS: &str = "links were not followed";
/// The note on devices, pipes and sockets that were not read.
pub const DEVICES: &str = "devices and pipes were not read";

/// A document found in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name shown in reports: `bundle.tar.gz!logs/web.log`.
    pub name: String,
    /// The source that contains it.
    pub root: String,
    /// The path within the source, with `/` between folders. Empty if the document is the whole source.
    pub path: String,
    /// The size in bytes, if it is known before the member is read.
    pub size: Option<u64>,
    /// The time of the last change, in seconds since 1970.
    pub modified: Option<i64>,
    /// True if it is in an archive or was compressed.
    pub packed: bool,
    /// True if it is in a folder that is not a known bundle, so its path carries no information.
    pub loose: bool,
}

/// The properties derived from a member's first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// True if it contains NUL bytes.
    pub binary: bool,
    /// A hash of the first 64 KiB, equal for members that start alike. `None` if the member is empty.
    pub fingerprint: Option<u64>,
    /// The size in bytes, if it is known.
    pub size: Option<u64>,
}

/// Receives the members that a walk finds.
pub trait MemberVisitor {
    /// Reads a document. Any content left unread is skipped.
    fn document(&mut self, member: &Member, start: Start, content: &mut (dyn Read + Send));

    /// Called for a member that is not read, with the reason.
    fn passed(&mut self, _member: &Member, _why: &'static str) {}
}

/// Walks sources and passes their members to a visitor.
pub struct Walk<'v> {
    visit: &'v mut dyn MemberVisitor,
    limits: Limits,
    shared: Arc<Shared>,
}

impl<'v> Walk<'v> {
    /// Creates a walk that has read nothing yet.
    pub fn new(visit: &'v mut dyn MemberVisitor, limits: Limits, shared: Arc<Shared>) -> Walk<'v> {
        Walk {
            visit,
            limits,
            shared,
        }
    }

    /// Reads a source to its end. Returns an error only if the reader itself fails; everything else is recorded as a
    /// limit.
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

    /// Returns true, and reports it, if no further member may be read: their number or the total length of their names
    /// is at its limit. The archive is then read no further.
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

/// The position of a stream within nested archives and compressions.
struct Layers {
    depth: u64,
    /// True if a compression was already removed since the last archive.
    peeled: bool,
    /// The number of bytes read from the source itself.
    packed: Arc<AtomicU64>,
    /// The memory budget shared with the decoders of the other nested streams.
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

/// Returns a hash of bytes that is the same on every machine and in every run; `None` for no bytes.
fn fingerprint(bytes: &[u8]) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    (!bytes.is_empty()).then(|| hasher.finish())
}
