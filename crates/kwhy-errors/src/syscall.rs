//! Failed system calls: Go's `os.PathError` (`open /x: permission denied`), `os.LinkError`,
//! `os/exec` (`exec: "x": executable file not found in $PATH`), and texts of error numbers alone.

use super::errno;
use super::part::{Cursor, Part};
use super::recognise::Found;
use super::{Fact, LinkKind};

const CALLS: &[&str] = &[
    "access",
    "bind",
    "chdir",
    "chmod",
    "chown",
    "close",
    "connect",
    "creat",
    "exec",
    "execve",
    "fallocate",
    "fchmodat",
    "flock",
    "fork/exec",
    "fstatat",
    "fsync",
    "getcwd",
    "getdents",
    "inotify_add_watch",
    "lchown",
    "link",
    "listen",
    "lsetxattr",
    "lstat",
    "mkdir",
    "mkdirat",
    "mknod",
    "mknodat",
    "mount",
    "open",
    "open_tree",
    "openat",
    "openat2",
    "pivot_root",
    "read",
    "readdir",
    "readdirent",
    "readlink",
    "remove",
    "rename",
    "renameat",
    "rmdir",
    "setns",
    "stat",
    "statfs",
    "statx",
    "symlink",
    "truncate",
    "umount",
    "unlink",
    "unlinkat",
    "unmount",
    "utimensat",
    "write",
];

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    executed(cursor, first)
        .or_else(|| not_in_path(cursor, first))
        .or_else(|| called(cursor, first))
        .or_else(|| {
            let (place, symbol) = errno::find(first)?;
            let facts = vec![place.says(Fact::Errno, symbol)];
            Some(Found::new(LinkKind::Syscall, facts))
        })
}

/// Recognises `exec: "x": executable file not found in $PATH`.
fn executed<'a>(cursor: Cursor<'_, 'a>, first: Part<'_, 'a>) -> Option<Found<'a>> {
    let (lead, program) = first.split_once("exec: ")?;
    if !lead.is_empty() && !lead.as_str().ends_with(' ') {
        return None;
    }
    let at = lead.as_str().len();
    let call = first.slice(at..at + "exec".len());
    let mut facts = vec![call.fact(Fact::Syscall)];
    let path = program.trim_matches(&['"', '\\', '\'']);
    let quoted = path.range() != program.range();
    if path.is_empty() || !quoted && path.as_str().contains(' ') {
        return None;
    }
    facts.push(path.fact(Fact::Path));
    let mut take = 1;
    if let Some(second) = cursor.part(1) {
        if second.as_str().starts_with("executable file not found") {
            facts.push(second.says(Fact::Errno, "ENOENT"));
            take = 2;
        } else if let Some((place, symbol)) = errno::leading(second) {
            facts.push(place.says(Fact::Errno, symbol));
            take = 2;
        } else if second.words().next().is_some_and(is_call)
            && let Some((place, symbol)) = cursor.part(2).and_then(errno::leading)
        {
            facts.push(place.says(Fact::Errno, symbol));
            take = 3;
        }
    }
    Some(Found::new(LinkKind::Syscall, facts).at(at).taking(take))
}

/// Recognises crun's ``executable file `x` not found in $PATH: No such file or directory``.
fn not_in_path<'a>(cursor: Cursor<'_, 'a>, first: Part<'_, 'a>) -> Option<Found<'a>> {
    let program = first.strip_prefix("executable file ")?;
    let (program, rest) = program.split_once(" not found in")?;
    let mut facts = vec![first.says(Fact::Syscall, "exec")];
    facts.push(program.trim_matches(&['`', '"', '\'']).fact(Fact::Path));
    let errno = cursor.part(1).and_then(errno::leading);
    let place = errno.map_or(rest, |(place, _)| place);
    facts.push(place.says(Fact::Errno, "ENOENT"));
    let take = 1 + usize::from(errno.is_some());
    Some(Found::new(LinkKind::Syscall, facts).taking(take))
}

/// Recognises `open /x: permission denied`.
fn called<'a>(cursor: Cursor<'_, 'a>, first: Part<'_, 'a>) -> Option<Found<'a>> {
    let (place, symbol) = errno::leading(cursor.part(1)?)?;
    // `open config.yaml`, but not `mount error(5)`, which is not a system call
    let only_two = first.words().nth(2).is_none() && !first.as_str().contains(" error");
    let mut found = None;
    let mut previous: Option<Part<'_, 'a>> = None;
    for (index, word) in first.words().enumerate() {
        if let Some(call) = previous
            && is_call(call)
            && (index == 1 && only_two
                || word.as_str().starts_with(['/', '"', '\'', '`', '\\', '.']))
        {
            found = Some((call, word));
        }
        previous = Some(word);
    }
    let (call, path) = match (found, previous) {
        (Some((call, path)), _) => (call, Some(path)),
        (None, Some(last)) if is_call(last) && last.range() == first.range() => (last, None),
        _ => return None,
    };
    let mut facts = vec![call.fact(Fact::Syscall)];
    if let Some(path) = path
        && errno::symbol(path).is_none()
    {
        let path = path.trim_matches(&['"', '\'', '`', '\\', ',']);
        facts.push(path.fact(Fact::Path));
    }
    facts.push(place.says(Fact::Errno, symbol));
    let at = call.range().start - first.range().start;
    Some(Found::new(LinkKind::Syscall, facts).at(at).taking(2))
}

fn is_call(word: Part<'_, '_>) -> bool {
    CALLS.contains(&word.as_str())
}
