//! Lines split by a container runtime: the stream's next line continues them.

use memchr::{memchr, memmem};

use super::lines::lines_before;
use crate::log::timestamp::date_time_length;

/// The maximum number of lines searched backwards for the start of a split line.
const MAX_BACK: usize = 128;

/// The prefix that the CRI puts before a line (kubelet `pkg/kubelet/kuberuntime/logs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cri {
    /// 0 for standard output, 1 for standard error.
    pub stream: usize,
    /// True if the stream's next line continues this one.
    pub partial: bool,
    /// The offset of the program's own text.
    pub payload: usize,
}

impl Cri {
    /// Parses the prefix of a line.
    ///
    /// ```
    /// use kwhy_parse::framing::Cri;
    /// let line = b"2024-03-04T05:06:07.123456789Z stderr P no ";
    /// let cri = Cri::of(line).unwrap();
    /// assert_eq!((cri.stream, cri.partial, &line[cri.payload..]), (1, true, &b"no "[..]));
    /// ```
    #[inline]
    pub fn of(line: &[u8]) -> Option<Cri> {
        if line.get(10) != Some(&b'T') || !line[0].is_ascii_digit() {
            return None;
        }
        let head = &line[..line.len().min(64)];
        let space = memchr(b' ', head)?;
        let after = &head[space..];
        let (stream, tag) = if let Some(tag) = after.strip_prefix(b" stdout ") {
            (0, tag)
        } else {
            (1, after.strip_prefix(b" stderr ")?)
        };
        // further tags follow a colon
        let partial = match (tag.first()?, tag.get(1)) {
            (b'F', None | Some(b' ' | b':')) => false,
            (b'P', None | Some(b' ' | b':')) => true,
            _ => return None,
        };
        if date_time_length(head) != Some((space, true)) {
            return None;
        }
        let length = memchr(b' ', tag).unwrap_or(tag.len());
        Some(Cri {
            stream,
            partial,
            payload: (space + " stdout ".len() + length + 1).min(line.len()),
        })
    }
}

/// Returns the stream of a container runtime's line, and true if the stream's next line continues it.
///
/// Recognises the lines of the CRI and docker, also after the prefix of `kubectl logs --prefix`.
pub fn cut_line(line: &[u8]) -> Option<(usize, bool)> {
    let mut line = line;
    if line.starts_with(b"[pod/") {
        let window = &line[..line.len().min(512)];
        line = line.get(memchr(b']', window)? + 2..)?;
    }
    if let Some(cri) = Cri::of(line) {
        return Some((cri.stream, cri.partial));
    }
    let log = line.strip_prefix(b"{\"log\":\"")?;
    let end = memmem::rfind(log, b"\",\"stream\":\"std")?;
    let is_error = log.get(end..)?.starts_with(b"\",\"stream\":\"stderr");
    let escapes = |end: usize| log[..end].iter().rev().take_while(|b| **b == b'\\').count();
    let whole = log[..end].ends_with(b"n") && escapes(end - 1) % 2 == 1;
    Some((usize::from(is_error), !whole))
}

/// Returns true if a runtime's line continues a partial line, or is between two parts of one.
pub(super) fn continues_partial(bytes: &[u8], at: usize, line: &[u8]) -> bool {
    if cut_line(line).is_none() {
        return false;
    }
    let mut seen = [false; 2];
    for before in lines_before(bytes, at).take(MAX_BACK) {
        let Some((stream, partial)) = cut_line(before) else {
            break;
        };
        if !std::mem::replace(&mut seen[stream], true) && partial {
            return true;
        }
        if seen == [true; 2] {
            break;
        }
    }
    false
}
