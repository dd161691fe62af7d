//! Linux error numbers by their texts: Go prints them in lower case (`syscall/zerrors_linux`),
//! libc's `strerror` with an initial capital.

use super::part::Part;

const ERRNOS: &[(&str, &str)] = &[
    ("address already in use", "EADDRINUSE"),
    ("address family not supported by protocol", "EAFNOSUPPORT"),
    ("argument list too long", "E2BIG"),
    ("bad address", "EFAULT"),
    ("bad file descriptor", "EBADF"),
    ("broken pipe", "EPIPE"),
    ("cannot allocate memory", "ENOMEM"),
    ("cannot assign requested address", "EADDRNOTAVAIL"),
    ("connection refused", "ECONNREFUSED"),
    ("connection reset by peer", "ECONNRESET"),
    ("connection timed out", "ETIMEDOUT"),
    ("device or resource busy", "EBUSY"),
    ("directory not empty", "ENOTEMPTY"),
    ("disk quota exceeded", "EDQUOT"),
    ("exec format error", "ENOEXEC"),
    ("file exists", "EEXIST"),
    ("file name too long", "ENAMETOOLONG"),
    ("file too large", "EFBIG"),
    ("function not implemented", "ENOSYS"),
    ("host is down", "EHOSTDOWN"),
    ("input/output error", "EIO"),
    ("interrupted system call", "EINTR"),
    ("invalid argument", "EINVAL"),
    ("invalid cross-device link", "EXDEV"),
    ("is a directory", "EISDIR"),
    ("key has expired", "EKEYEXPIRED"),
    ("message too long", "EMSGSIZE"),
    ("network is down", "ENETDOWN"),
    ("network is unreachable", "ENETUNREACH"),
    ("no buffer space available", "ENOBUFS"),
    ("no child processes", "ECHILD"),
    ("no medium found", "ENOMEDIUM"),
    ("no route to host", "EHOSTUNREACH"),
    ("no space left on device", "ENOSPC"),
    ("no such device or address", "ENXIO"),
    ("no such device", "ENODEV"),
    ("no such file or directory", "ENOENT"),
    ("no such process", "ESRCH"),
    ("not a directory", "ENOTDIR"),
    ("numerical result out of range", "ERANGE"),
    ("operation already in progress", "EALREADY"),
    ("operation not permitted", "EPERM"),
    ("operation not supported", "EOPNOTSUPP"),
    ("permission denied", "EACCES"),
    ("protocol not supported", "EPROTONOSUPPORT"),
    ("read-only file system", "EROFS"),
    ("required key not available", "ENOKEY"),
    ("resource temporarily unavailable", "EAGAIN"),
    ("software caused connection abort", "ECONNABORTED"),
    ("stale NFS file handle", "ESTALE"),
    ("stale file handle", "ESTALE"),
    ("structure needs cleaning", "EUCLEAN"),
    ("text file busy", "ETXTBSY"),
    ("too many levels of symbolic links", "ELOOP"),
    ("too many links", "EMLINK"),
    ("too many open files in system", "ENFILE"),
    ("too many open files", "EMFILE"),
    ("transport endpoint is not connected", "ENOTCONN"),
    ("value too large for defined data type", "EOVERFLOW"),
];

/// Finds an errno's text at the start or end of a part, or else a symbol among its words; also returns the symbol.
pub(super) fn find<'c, 'a>(part: Part<'c, 'a>) -> Option<(Part<'c, 'a>, &'static str)> {
    let part = part.trim_matches(&['"', '\'', '.', '\\', ' ', '!']);
    ERRNOS
        .iter()
        .find_map(|(words, symbol)| {
            starts_with(part, words)
                .or_else(|| ends_with(part, words))
                .map(|place| (place, *symbol))
        })
        .or_else(|| part.words().find_map(symbol))
}

/// Recognises a symbol as printed by Node.js: `connect ECONNREFUSED 10.0.0.1:5432`.
pub(super) fn symbol<'c, 'a>(word: Part<'c, 'a>) -> Option<(Part<'c, 'a>, &'static str)> {
    let word = word.trim_matches(&['(', ')', ',', ':', '"', '\'']);
    if !word.as_str().starts_with('E') {
        return None;
    }
    let (_, symbol) = ERRNOS.iter().find(|(_, known)| *known == word.as_str())?;
    Some((word, symbol))
}

/// Finds an errno's text at the start of a part; also returns its symbol.
pub(super) fn leading<'c, 'a>(part: Part<'c, 'a>) -> Option<(Part<'c, 'a>, &'static str)> {
    ERRNOS
        .iter()
        .find_map(|(words, symbol)| Some((starts_with(part, words)?, *symbol)))
}

fn starts_with<'c, 'a>(part: Part<'c, 'a>, words: &str) -> Option<Part<'c, 'a>> {
    let value = part.as_str();
    let same = value.get(..words.len())?.eq_ignore_ascii_case(words);
    let next = value.as_bytes().get(words.len());
    let free = next.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    (same && free).then(|| part.slice(0..words.len()))
}

fn ends_with<'c, 'a>(part: Part<'c, 'a>, words: &str) -> Option<Part<'c, 'a>> {
    let value = part.as_str();
    let start = value.len().checked_sub(words.len())?;
    let same = value.get(start..)?.eq_ignore_ascii_case(words);
    let before = start.checked_sub(1).and_then(|at| value.as_bytes().get(at));
    let free = before.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    (same && free).then(|| part.from(start))
}
