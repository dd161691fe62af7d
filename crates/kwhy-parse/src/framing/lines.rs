//! Access to the lines of a block of bytes by offset.

use std::borrow::Cow;

use memchr::{memchr, memrchr};

use crate::input::{Document, is_clean, marked_record};

/// Returns the line that starts at an offset, without its newline.
pub fn line_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = &bytes[at.min(bytes.len())..];
    &rest[..memchr(b'\n', rest).unwrap_or(rest.len())]
}

/// Returns the start of the line after the one that contains an offset, if that is terminated.
pub fn next_line(bytes: &[u8], at: usize) -> Option<usize> {
    memchr(b'\n', bytes.get(at..)?).map(|end| at + end + 1)
}

/// Returns the lines after the one that starts at an offset.
pub fn lines_after(bytes: &[u8], at: usize) -> impl Iterator<Item = &[u8]> {
    let mut at = next_line(bytes, at);
    std::iter::from_fn(move || {
        let start = at.filter(|at| *at < bytes.len())?;
        at = next_line(bytes, start);
        Some(line_at(bytes, start))
    })
}

/// Returns the lines before an offset, nearest first.
pub fn lines_before(bytes: &[u8], at: usize) -> impl Iterator<Item = &[u8]> {
    let mut end = at;
    std::iter::from_fn(move || {
        let before = end.checked_sub(1)?;
        end = memrchr(b'\n', &bytes[..before]).map_or(0, |end| end + 1);
        bytes.get(end..before)
    })
}

/// Returns a line as the parsers see it: normalized, and without the Markdown around a record.
pub fn text(line: &[u8]) -> Cow<'_, str> {
    let bare = line.strip_suffix(b"\r").unwrap_or(line);
    match std::str::from_utf8(bare) {
        Ok(text) if is_clean(bare) => Cow::Borrowed(marked_record(text).unwrap_or(text)),
        _ => {
            let document = Document::new("", line);
            let text = document.text();
            Cow::Owned(marked_record(text).unwrap_or(text).to_owned())
        }
    }
}
