//! Iterates over the members of an archive and reports how the archive ended.

use std::io;
use std::sync::Arc;

use kwhy_core::report::Limit;

use super::limits::is_reported;
use super::readers::{Content, Layer};
use super::source::Source;
use super::tar::{EntryKind, Tar};
use super::zip::{Method, Zip};
use super::{DEVICES, LINKS, Layers, Member, Walk};

impl Walk<'_> {
    pub(super) fn tar(&mut self, archive: &Member, mut tar: Tar<'_>, layers: &Layers) {
        let mut last = String::new();
        while let Some(entry) = self.next(archive, "tar", &last, || tar.next()) {
            let member = self.member(archive, &entry.name, entry.modified, Some(entry.size));
            self.lost(archive, &member, entry.lost);
            if entry.name_too_long {
                self.too_long(&member);
            }
            if entry.kind != EntryKind::Folder && self.is_full(&member) {
                return;
            }
            last.clone_from(&member.path);
            let what = match entry.kind {
                EntryKind::File => None,
                EntryKind::Sparse => {
                    let what = "files with holes, of which what is written was read";
                    self.shared
                        .note(&archive.name, Limit::Sparse, what, &member.path);
                    None
                }
                EntryKind::Folder | EntryKind::Other => continue,
                EntryKind::Symlink | EntryKind::Hardlink => Some((Limit::Link, "link", LINKS)),
                EntryKind::Device => Some((Limit::Device, "device", DEVICES)),
            };
            if let Some((limit, why, what)) = what {
                self.shared.note(&archive.name, limit, what, &member.path);
                self.visit.passed(&member, why);
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

    pub(super) fn zip(&mut self, archive: &Member, mut zip: Zip<'_>, layers: &Layers) {
        let mut last = String::new();
        while let Some(entry) = self.next(archive, "zip", &last, || zip.next()) {
            let name: Vec<u8> = entry
                .name
                .iter()
                .map(|b| if *b == b'\\' { b'/' } else { *b })
                .collect();
            let member = self.member(archive, &name, None, entry.size);
            self.lost(archive, &member, entry.lost);
            if !entry.is_folder() && self.is_full(&member) {
                return;
            }
            last.clone_from(&member.path);
            let closed = match entry.method {
                Method::Stored | Method::Deflate => None,
                Method::Unknown(_) => Some("members are packed in a way that is not read"),
                Method::Encrypted => Some("members are encrypted"),
            };
            if let Some(what) = closed {
                self.shared
                    .note(&archive.name, Limit::Unsupported, what, &member.path);
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

    /// Returns the next entry. Returns `None` at the archive's end or if it is damaged, both reported, and once the run
    /// was stopped.
    fn next<E>(
        &self,
        archive: &Member,
        format: &str,
        last: &str,
        read: impl FnOnce() -> io::Result<Option<E>>,
    ) -> Option<E> {
        if self.shared.is_stopped() || self.shared.is_late(&self.limits, &archive.name) {
            return None;
        }
        let entry = read();
        match &entry {
            Ok(Some(_)) => {}
            Ok(None) => self.ended(archive, format, last),
            Err(error) => self.damaged(archive, format, last, error),
        }
        entry.ok().flatten()
    }

    /// Creates the member for an entry of an archive.
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

    /// Reports the `lost` bytes before a member that belong to no member.
    fn lost(&self, archive: &Member, member: &Member, lost: u64) {
        if lost > 0 {
            let path = &member.path;
            let message = format!("{lost} bytes before {path} are no part of any member");
            self.shared.tell(&archive.name, Limit::Damaged, message);
        }
    }

    fn too_long(&self, member: &Member) {
        let what = "names were too long and were cut";
        self.shared
            .note(&member.root, Limit::PathLength, what, &member.path);
    }

    /// Reports an archive without members as empty.
    fn ended(&self, archive: &Member, format: &str, last: &str) {
        if last.is_empty() {
            let message = format!("the {format} archive holds nothing");
            self.shared.tell(&archive.name, Limit::Empty, message);
        }
    }

    /// Reports where an archive is damaged, unless that is already reported.
    fn damaged(&self, archive: &Member, format: &str, last: &str, error: &io::Error) {
        if is_reported(error) {
            return;
        }
        let place = match last {
            "" => "before its first member".to_owned(),
            last => format!("in or after {last}"),
        };
        let message = match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                format!("the {format} archive ends early, {place}; what came before was read")
            }
            _ => format!(
                "the {format} archive is damaged {place} ({error}); what came before was read"
            ),
        };
        self.shared.tell(&archive.name, Limit::Damaged, message);
    }
}
