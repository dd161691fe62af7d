//! `kwhy redact`: a copy of a file, folder or archive that can be passed on, with its structure.
//!
//! The input is read twice: for the names in it, and to write the copy. A tar takes a third pass in between, as its
//! headers state the sizes of members before their contents. Nothing but the copy is written.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;
use kwhy_core::events::SecretPolicy;
use kwhy_core::report::Identities;

use kwhy_bundle::archive::{Member, MemberVisitor, Start, Walk};
use kwhy_bundle::sources::{self, InputSet};

use crate::failure::Failure;
use crate::whole::Unfinished;

/// The number of bytes redacted at a time, and the number of bytes before and after them used as context.
const BLOCK: usize = 4 << 20;
const AROUND: usize = 64 << 10;

/// The result of a copy.
#[derive(Debug, Default)]
pub struct Copied {
    /// The number of files that were copied.
    pub files: u64,
    /// The names of members that are not in the copy, as they are binary or not read.
    pub omitted: Vec<String>,
}

/// Writes a redacted copy of `from` to `to`, which must not exist. The copy is complete or absent. Returns `None` if
/// reading was interrupted, and writes nothing if the input contains no text.
///
/// # Errors
/// The input cannot be read, or the copy cannot be written.
pub fn copy(
    from: &Path,
    to: &Path,
    reading: &InputSet,
    identities: &mut Identities,
) -> Result<Option<Copied>, Failure> {
    let unwritable = |source| Failure::Write {
        path: to.to_owned(),
        source,
    };
    if to.symlink_metadata().is_ok() {
        return Err(unwritable(io::ErrorKind::AlreadyExists.into()));
    }
    let name = to.to_string_lossy().to_ascii_lowercase();
    let is_packed = name.ends_with(".tar.gz") || name.ends_with(".tgz");
    let is_one = from.is_file() && !sources::holds_several(&reading.sources);
    let unfinished = Unfinished::new(to);
    let target = unfinished.path().to_owned();
    let out = match () {
        () if is_packed || name.ends_with(".tar") => {
            // a clone: the second pass makes the same tokens, and each must be counted only once
            let mut measured = identities.clone();
            let mut sizes = Copy::new(&mut measured, Out::Sizes(Vec::new()));
            sizes.walk(from, reading)?;
            let sizes = match sizes.out {
                Out::Sizes(sizes) => sizes,
                _ => Vec::new(),
            };
            let file = BufWriter::new(File::create_new(&target).map_err(unwritable)?);
            let pipe = match is_packed {
                true => Pipe::Packed(Box::new(GzEncoder::new(file, Compression::default()))),
                false => Pipe::Plain(file),
            };
            Out::Tar {
                pipe,
                sizes: sizes.into_iter(),
            }
        }
        () if is_one => Out::File(target),
        () => Out::Folder(target),
    };
    let mut copy = Copy::new(identities, out);
    copy.walk(from, reading)?;
    if reading.shared.is_stopped() {
        return Ok(None);
    }
    if let Some(error) = copy.failed {
        return Err(unwritable(error));
    }
    if copy.copied.files == 0 {
        return Ok(Some(copy.copied));
    }
    match copy.out {
        Out::Tar { mut pipe, .. } => {
            let ended = pipe.write_all(&[0; 1024]).and_then(|()| pipe.finish());
            ended.map_err(unwritable)?;
        }
        Out::File(_) | Out::Folder(_) | Out::Sizes(_) => {}
    }
    unfinished.finish().map_err(unwritable)?;
    Ok(Some(copy.copied))
}

/// The destination of the members.
enum Out {
    /// None: only the sizes of the redacted members are collected.
    Sizes(Vec<u64>),
    /// A single file, which is the whole copy.
    File(PathBuf),
    /// Files below a folder.
    Folder(PathBuf),
    /// A tar archive, with the sizes of its members in order.
    Tar {
        pipe: Pipe,
        sizes: std::vec::IntoIter<u64>,
    },
}

/// The output stream of a tar archive, plain or compressed.
enum Pipe {
    Plain(BufWriter<File>),
    Packed(Box<GzEncoder<BufWriter<File>>>),
}

impl Pipe {
    /// Ends the compressed stream, and writes everything to disk.
    fn finish(self) -> io::Result<()> {
        match self {
            Pipe::Plain(file) => synced(file),
            Pipe::Packed(packed) => synced(packed.finish()?),
        }
    }
}

/// Flushes and syncs a file: some file systems report only then that they are full.
fn synced(file: BufWriter<File>) -> io::Result<()> {
    file.into_inner()?.sync_all()
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Pipe::Plain(file) => file.write(bytes),
            Pipe::Packed(packed) => packed.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Pipe::Plain(file) => file.flush(),
            Pipe::Packed(packed) => packed.flush(),
        }
    }
}

/// Writes redacted copies of the members of an input.
struct Copy<'i> {
    identities: &'i mut Identities,
    out: Out,
    paths: BTreeSet<String>,
    copied: Copied,
    failed: Option<io::Error>,
}

impl<'i> Copy<'i> {
    fn new(identities: &'i mut Identities, out: Out) -> Copy<'i> {
        Copy {
            identities,
            out,
            paths: BTreeSet::new(),
            copied: Copied::default(),
            failed: None,
        }
    }

    /// Copies a file, or all files below a folder.
    fn walk(&mut self, from: &Path, reading: &InputSet) -> Result<(), Failure> {
        let mut files = vec![from.to_owned()];
        if from.is_dir() {
            files = sources::below(from).files;
        }
        for path in files {
            let inside = path.strip_prefix(from).unwrap_or(&path);
            let inside = match inside.as_os_str().is_empty() {
                true => String::new(),
                false => inside.to_string_lossy().replace('\\', "/"),
            };
            let file = File::open(&path).map_err(|error| Failure::Unreadable {
                path: path.clone(),
                source: error,
            })?;
            let modified = file.metadata().and_then(|data| data.modified());
            let modified = modified
                .ok()
                .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let member = Member {
                name: path.display().to_string(),
                root: from.display().to_string(),
                path: inside,
                size: None,
                modified: modified.and_then(|since| i64::try_from(since.as_secs()).ok()),
                packed: false,
                loose: true,
            };
            let shared = reading.shared.next();
            let read = Walk::new(self, reading.limits, shared).read(member, file);
            read.map_err(|source| Failure::Unreadable { path, source })?;
        }
        Ok(())
    }

    /// Returns the redacted path of a member in the copy. It is unique, and never leads out of the copy.
    fn path(&mut self, member: &Member) -> String {
        let path = match member.path.as_str() {
            "" => member.name.rsplit('/').next().unwrap_or("input"),
            path => path,
        };
        let parts = path.split(['/', '!']);
        let parts = parts.filter(|part| !part.is_empty() && *part != "." && *part != "..");
        let clean = parts.collect::<Vec<_>>().join("/");
        // `*` is a pattern in shells, and not allowed in file names on Windows
        let clean = SecretPolicy::Mask.shown(&clean).replace("***", "masked");
        let path = self.identities.redact(&clean).into_owned();
        let mut unique = path.clone();
        let mut number = 2;
        while !self.paths.insert(unique.clone()) {
            unique = format!("{path}.{number}");
            number += 1;
        }
        unique
    }

    fn member(&mut self, member: &Member, content: &mut dyn Read) -> io::Result<()> {
        let path = self.path(member);
        let identities = &mut *self.identities;
        match &mut self.out {
            Out::Sizes(sizes) => {
                let mut count = Count(0);
                redacted(identities, content, &mut count)?;
                sizes.push(count.0);
            }
            Out::File(to) => {
                let to = to.clone();
                file(identities, &to, member, content)?;
            }
            Out::Folder(folder) => {
                let to = folder.join(path);
                if let Some(parent) = to.parent() {
                    fs::create_dir_all(parent)?;
                }
                file(identities, &to, member, content)?;
            }
            Out::Tar { pipe, sizes } => {
                let size = sizes.next().unwrap_or(0);
                header(&path, size, member.modified, pipe)?;
                // the input may have changed since it was measured: cut or pad it, so that the tar stays valid
                let mut exact = Exact { pipe, left: size };
                redacted(identities, content, &mut exact)?;
                let fill = exact.left + size.next_multiple_of(512) - size;
                io::copy(&mut io::repeat(0).take(fill), pipe)?;
            }
        }
        self.copied.files += 1;
        Ok(())
    }
}

impl MemberVisitor for Copy<'_> {
    fn document(&mut self, member: &Member, start: Start, content: &mut (dyn Read + Send)) {
        if self.failed.is_some() {
            return;
        }
        if start.binary {
            return self.copied.omitted.push(member.name.clone());
        }
        self.failed = self.member(member, content).err();
    }

    fn passed(&mut self, member: &Member, _why: &'static str) {
        self.copied.omitted.push(member.name.clone());
    }
}

fn file(
    identities: &mut Identities,
    to: &Path,
    member: &Member,
    content: &mut dyn Read,
) -> io::Result<()> {
    let file = File::create_new(to)?;
    let mut out = BufWriter::new(&file);
    redacted(identities, content, &mut out)?;
    out.flush()?;
    drop(out);
    if let Some(seconds) = member.modified.and_then(|time| u64::try_from(time).ok()) {
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds))?;
    }
    Ok(())
}

/// Writes a redacted stream, some megabytes at a time.
fn redacted(
    identities: &mut Identities,
    content: &mut dyn Read,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut before = String::new();
    let mut open: Vec<u8> = Vec::new();
    let mut first = true;
    loop {
        let wanted = (BLOCK + AROUND - open.len().min(BLOCK)) as u64;
        let read = Read::take(&mut *content, wanted).read_to_end(&mut open)?;
        if std::mem::take(&mut first)
            && let Some(decode) = wide(&open)
        {
            Read::take(&mut *content, MAX_WIDE).read_to_end(&mut open)?;
            if open.len() as u64 > MAX_WIDE {
                let message = format!(
                    "a text in UTF-16 or UTF-32 of more than {} MiB",
                    MAX_WIDE >> 20
                );
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
            }
            open = decode(&open).into_bytes();
        }
        let is_last = (read as u64) < wanted;
        let end = match is_last {
            true => open.len(),
            false => {
                let most = open.len().saturating_sub(AROUND);
                let line = open[..most].iter().rposition(|byte| *byte == b'\n');
                line.map_or(most, |at| at + 1)
            }
        };
        let text = String::from_utf8_lossy(&open[..end]);
        let after = String::from_utf8_lossy(&open[end..]);
        out.write_all(identities.copied(&before, &text, &after).as_bytes())?;
        let mut from = text.len().saturating_sub(AROUND);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        before = text[from..].to_owned();
        open.drain(..end);
        if is_last {
            return Ok(());
        }
    }
}

/// The maximum size of a text in UTF-16 or UTF-32, in bytes: it is decoded as a whole.
const MAX_WIDE: u64 = 64 << 20;

/// Returns the decoder of a text in UTF-16 or UTF-32, by its byte order mark; `None` for any other text.
fn wide(head: &[u8]) -> Option<fn(&[u8]) -> String> {
    fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
        let units = bytes.as_chunks::<2>().0.iter().skip(1);
        String::from_utf16_lossy(&units.map(|pair| unit(*pair)).collect::<Vec<_>>())
    }
    fn utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> String {
        let units = bytes.as_chunks::<4>().0.iter().skip(1);
        let chars = units.map(|four| char::from_u32(unit(*four)));
        chars
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }
    Some(match head {
        [0xff, 0xfe, 0, 0, ..] => |bytes| utf32(bytes, u32::from_le_bytes),
        [0, 0, 0xfe, 0xff, ..] => |bytes| utf32(bytes, u32::from_be_bytes),
        [0xff, 0xfe, ..] => |bytes| utf16(bytes, u16::from_le_bytes),
        [0xfe, 0xff, ..] => |bytes| utf16(bytes, u16::from_be_bytes),
        _ => return None,
    })
}

/// A writer that only counts bytes.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer that drops what exceeds the size stated in the tar header.
struct Exact<'p> {
    pipe: &'p mut Pipe,
    left: u64,
}

impl Write for Exact<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes
            .len()
            .min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.pipe.write_all(&bytes[..fits])?;
        self.left -= fits as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pipe.flush()
    }
}

/// Writes the tar header of a member. A path longer than 100 bytes precedes it as a member of its own, as in GNU tar.
fn header(path: &str, size: u64, modified: Option<i64>, out: &mut dyn Write) -> io::Result<()> {
    if path.len() > 100 {
        let name = [path.as_bytes(), &[0]].concat();
        out.write_all(&head("././@LongLink", name.len() as u64, None, b'L'))?;
        out.write_all(&name)?;
        let fill = name.len().next_multiple_of(512) - name.len();
        out.write_all(&vec![0; fill])?;
    }
    out.write_all(&head(path, size, modified, b'0'))
}

fn head(path: &str, size: u64, modified: Option<i64>, kind: u8) -> [u8; 512] {
    let mut head = [0; 512];
    let mut put = |at: usize, text: &[u8]| head[at..at + text.len()].copy_from_slice(text);
    put(0, &path.as_bytes()[..path.len().min(100)]);
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    match size >> 33 {
        0 => put(124, format!("{size:011o}\0").as_bytes()),
        // in base 256, as in GNU tar, since it does not fit into 11 octal digits
        _ => put(124, &[&[0x80, 0, 0, 0][..], &size.to_be_bytes()].concat()),
    }
    let seconds = modified
        .and_then(|time| u64::try_from(time).ok())
        .unwrap_or(0);
    put(
        136,
        format!("{:011o}\0", seconds & 0o777_7777_7777).as_bytes(),
    );
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar  \0");
    let sum: u64 = head.iter().map(|byte| u64::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    head
}
