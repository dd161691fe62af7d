//! Characters split by a container runtime: the CRI's log files (containerd 2.3, CRI-O) split a long line into
//! partial lines of a fixed size in bytes, so one may end within a character.
//!
//! `2024-03-04T05:06:07.1Z stderr P text` continues on the stream's next line, tagged `P` or `F`; docker's
//! files store each part as JSON, in which such a character is lost.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

/// The maximum number of lines of other streams between two parts.
const BETWEEN: usize = 64;
/// The number of bytes of a line in which its stream is named.
const HEAD: usize = 256;

/// Returns the character whose first bytes end a part, and the range of its remaining bytes.
pub(super) fn whole(bytes: &[u8], begin: Range<usize>) -> Option<(char, Range<usize>)> {
    let first = *bytes.get(begin.start)?;
    let length = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let missing = usize::checked_sub(length, begin.len()).filter(|missing| *missing > 0)?;
    let rest = bytes.get(begin.end..)?;
    let rest = rest
        .strip_prefix(b"\r")
        .unwrap_or(rest)
        .strip_prefix(b"\n")?;
    let start = memrchr(b'\n', bytes.get(..begin.start)?).map_or(0, |end| end + 1);
    let (stream, tag, _) = head(bytes.get(start..begin.start)?)?;
    if tag != b'P' {
        return None;
    }
    let mut at = bytes.len() - rest.len();
    for _ in 0..BETWEEN {
        let line = bytes.get(at..)?;
        if let Some((other, _, text)) = head(line)
            && other == stream
        {
            let end = at + text..at + text + missing;
            let mut char = [0; 4];
            char.get_mut(..begin.len())?
                .copy_from_slice(bytes.get(begin.clone())?);
            char.get_mut(begin.len()..length)?
                .copy_from_slice(bytes.get(end.clone())?);
            let char = std::str::from_utf8(char.get(..length)?).ok()?;
            return Some((char.chars().next()?, end));
        }
        at += memchr(b'\n', line)? + 1;
    }
    None
}

/// Returns a line's stream, its tag, and the offset of its text.
fn head(line: &[u8]) -> Option<(&[u8], u8, usize)> {
    let window = line.get(..line.len().min(HEAD))?;
    let window = window.split(|byte| *byte == b'\n').next()?;
    let stream = memmem::find(window, b" std")? + 1;
    let tag = stream + memchr(b' ', window.get(stream..)?)? + 1;
    let name = window.get(stream..tag - 1)?;
    let text = tag + memchr(b' ', window.get(tag..)?)? + 1;
    let value = *window.get(tag)?;
    let is_tag = matches!(value, b'P' | b'F') && matches!(window.get(tag + 1), Some(b' ' | b':'));
    (matches!(name, b"stdout" | b"stderr") && is_tag).then_some((name, value, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(stream: &str, tag: &str, text: &[u8]) -> Vec<u8> {
        let head = format!("2024-03-04T05:06:07.1Z {stream} {tag} ");
        [head.as_bytes(), text, b"\n"].concat()
    }

    /// Returns the character whose first bytes end the first line.
    fn found(begin: &[u8], lines: &[Vec<u8>]) -> Option<char> {
        let first = line("stderr", "P", begin);
        let end = first.len() - 1;
        let log = [&[first][..], lines].concat().concat();
        whole(&log, end - begin.len()..end).map(|(found, _)| found)
    }

    #[test]
    fn ends_of_characters() {
        let other = line("stdout", "F", b"\xa5");
        let end = line("stderr", "F", b"\xa5b");
        assert_eq!(
            found(b"\xe6\x97", &[other.clone(), end.clone()]),
            Some('日')
        );
        let part = line("stderr", "P:x", b"\x9f\x98\x80");
        assert_eq!(found(b"\xf0", &[part]), Some('😀'));
        assert_eq!(found(b"\xe6\x97", std::slice::from_ref(&other)), None);
        assert_eq!(found(b"\xe6", &[end]), None);
        assert_eq!(found(b"\xe6\x97", &[line("stderr", "F", b"")]), None);
        assert_eq!(found(b"\xe6\x97", &vec![other; BETWEEN + 1]), None);
    }
}
