//! Finds the boundaries between the links of an error.
//!
//! A link ends at `: ` (or ` : `, or a line break) outside quotes and brackets. No link ends
//! after the name of a Go package that belongs to its text (`x509: certificate ...`), nor inside
//! `rpc error: code = X desc = `, which ends after the last `=`. A logger's field ` error=` and
//! client-go's ` - error from a previous attempt` start a link too. Addresses, times and image
//! references contain colons without a space after them and stay whole.

use std::ops::Range;

use super::unquote::unquote;
use kwhy_model::Text;

/// Words before a colon that belong to the text after it.
const PREFIXES: &[&str] = &[
    "etcdserver",
    "exec",
    "http",
    "http2",
    "json",
    "net/http",
    "remote error",
    "signal",
    "tls",
    "transport",
    "ttrpc",
    "x509",
    "yaml",
];

/// Logger fields that contain the inner error.
const FIELDS: &[&str] = &["error=", "err="];

const PREVIOUS_ATTEMPT: &str = "- error from a previous attempt";

/// A quoted or bracketed part of a text.
#[derive(Debug)]
pub(super) struct Region {
    /// The range including its quotes or brackets.
    pub(super) outer: Range<usize>,
    /// The range without them.
    pub(super) inner: Range<usize>,
    /// The number of levels of Go quoting around the inside.
    pub(super) levels: usize,
}

impl Region {
    /// Returns the inside, unquoted.
    pub(super) fn text<'a>(&self, whole: &Text<'a>) -> Text<'a> {
        let mut text = whole.slice(self.inner.clone());
        for _ in 0..self.levels {
            text = unquote(&text);
        }
        text
    }
}

/// The segments and the outermost regions of a text, both in order.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    pub(super) segments: Vec<Range<usize>>,
    pub(super) regions: Vec<Region>,
}

impl Cuts {
    /// Returns the regions within a range.
    pub(super) fn within(&self, range: &Range<usize>) -> impl Iterator<Item = &Region> {
        let end = range.end;
        self.regions[self.first(range.start)..]
            .iter()
            .take_while(move |region| region.outer.end <= end)
    }

    /// Returns the region that is a range, or all of it but a final full stop or comma.
    pub(super) fn covering(&self, range: &Range<usize>) -> Option<&Region> {
        let region = self.regions.get(self.first(range.start))?;
        let whole = region.outer.start == range.start
            && region.outer.end <= range.end
            && region.outer.end + 1 >= range.end;
        whole.then_some(region)
    }

    /// Returns the region that starts inside a range and ends with it.
    pub(super) fn ending(&self, range: &Range<usize>) -> Option<&Region> {
        let next = self
            .regions
            .partition_point(|region| region.outer.start < range.end);
        let region = self.regions.get(next.checked_sub(1)?)?;
        (region.outer.start > range.start && region.outer.end == range.end).then_some(region)
    }

    fn first(&self, start: usize) -> usize {
        self.regions
            .partition_point(|region| region.outer.start < start)
    }
}

/// Splits a text into segments.
pub(super) fn split(text: &str) -> Cuts {
    let regions = regions(text);
    let mut cutter = Cutter {
        text,
        segments: Vec::new(),
        start: 0,
        piece: 0,
    };
    let bytes = text.as_bytes();
    let mut next = regions.iter().peekable();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if let Some(region) = next.peek()
            && region.outer.start <= at
        {
            at = region.outer.end.max(at);
            next.next();
            continue;
        }
        match byte {
            b'\n' => cutter.cut(at, at + 1),
            b':' if ends_link(bytes.get(at + 1)) => {
                if cutter.keeps_colon(at) {
                    cutter.piece = at + 1;
                } else {
                    cutter.cut(at, at + 1);
                }
            }
            b'd' if text[at..].starts_with("desc = ") && cutter.is_status(at) => {
                cutter.cut(at, at + "desc = ".len());
            }
            b'e' if cutter.at_word(at) => {
                let rest = &text[at..];
                let field = FIELDS.iter().find(|field| rest.starts_with(**field));
                if let Some(field) = field
                    && !rest[field.len()..].starts_with('"')
                {
                    cutter.cut(at, at + field.len());
                }
            }
            b'-' if text[at..].starts_with(PREVIOUS_ATTEMPT) => cutter.cut(at, at + 1),
            _ => {}
        }
        at += 1;
    }
    cutter.cut(text.len(), text.len());
    let mut segments = cutter.segments;
    for segment in &mut segments {
        without_stray_quotes(text, segment, &regions);
    }
    segments.retain(|segment| !segment.is_empty());
    Cuts { segments, regions }
}

/// Removes quotes from a segment's ends whose counterpart is missing or in another segment.
fn without_stray_quotes(text: &str, segment: &mut Range<usize>, regions: &[Region]) {
    let bytes = text.as_bytes();
    let is_quote = |at: usize| bytes.get(at).is_some_and(|byte| b"\"'\\".contains(byte));
    let first = regions.partition_point(|region| region.outer.start < segment.start);
    let opened = regions.get(first).map(|region| region.outer.start);
    while segment.start < segment.end && is_quote(segment.start) && opened != Some(segment.start) {
        segment.start += 1;
    }
    let next = regions.partition_point(|region| region.outer.start < segment.end);
    let last = next.checked_sub(1).and_then(|last| regions.get(last));
    let closed = last.map(|region| region.outer.end);
    while segment.start < segment.end && is_quote(segment.end - 1) && closed != Some(segment.end) {
        segment.end -= 1;
    }
}

fn ends_link(next: Option<&u8>) -> bool {
    next.is_none_or(|byte| byte.is_ascii_whitespace())
}

struct Cutter<'t> {
    text: &'t str,
    segments: Vec<Range<usize>>,
    /// The start of the current segment.
    start: usize,
    /// The start of the text after the last colon of the current segment.
    piece: usize,
}

impl Cutter<'_> {
    /// Ends the segment at `end`; the next one starts at `resume`.
    fn cut(&mut self, end: usize, resume: usize) {
        let segment = self.text.get(self.start..end).unwrap_or("");
        let start = self.start + segment.len() - segment.trim_start().len();
        let trimmed = segment.trim();
        if !trimmed.is_empty() {
            self.segments.push(start..start + trimmed.len());
        }
        self.start = resume;
        self.piece = resume;
    }

    /// Returns true if a word starts at this offset.
    fn at_word(&self, at: usize) -> bool {
        let before = at
            .checked_sub(1)
            .and_then(|at| self.text.as_bytes().get(at));
        before.is_some_and(u8::is_ascii_whitespace)
    }

    fn keeps_colon(&self, at: usize) -> bool {
        // all prefixes are short, so a long piece is not one
        let piece = self.text.get(self.piece..at).unwrap_or("").trim();
        if PREFIXES.contains(&piece) {
            return true;
        }
        let status = self.text[at..].starts_with(": code = ");
        status && piece.ends_with("rpc error")
    }

    /// Returns true if `desc = ` at this offset belongs to a gRPC status or connection error.
    fn is_status(&self, at: usize) -> bool {
        let piece = self.text.get(self.piece..at).unwrap_or("").trim();
        piece.is_empty() || piece.starts_with("code = ")
    }
}

/// Returns the outermost quoted and bracketed parts, in order. Unclosed ones are plain
/// text, except that an unclosed double quote extends to the end, as recorders truncate long messages.
fn regions(text: &str) -> Vec<Region> {
    let bytes = text.as_bytes();
    let mut found: Vec<Region> = Vec::new();
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut counts = [0_usize; 3];
    // no quote of this level, or no such character, closes anything from here on
    let mut exhausted = [false; 8];
    let mut no_more = [false; 2];
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' | b'\\' => {
                let quote = at + run_of_backslashes(bytes, at);
                if bytes.get(quote) != Some(&b'"') {
                    at = quote.max(at + 1);
                    continue;
                }
                let region = double_quoted(bytes, at, quote, &mut exhausted);
                at = region.as_ref().map_or(quote + 1, |region| region.outer.end);
                found.extend(region);
                continue;
            }
            b'\'' | b'`' => {
                let sign = usize::from(byte == b'`');
                if !no_more[sign] && opens(bytes, at) {
                    match single_quoted(bytes, at) {
                        Some(end) => {
                            found.push(Region {
                                outer: at..end + 1,
                                inner: at + 1..end,
                                levels: 0,
                            });
                            at = end;
                        }
                        None => no_more[sign] = true,
                    }
                }
            }
            b'(' | b'[' | b'{' => {
                counts[shape(byte)] += 1;
                open.push((byte, at));
            }
            b')' | b']' | b'}' if counts[shape(byte)] > 0 => {
                while let Some((opening, start)) = open.pop() {
                    counts[shape(opening)] -= 1;
                    if shape(opening) == shape(byte) {
                        found.push(Region {
                            outer: start..at + 1,
                            inner: start + 1..at,
                            levels: 0,
                        });
                        break;
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    found.sort_unstable_by_key(|region| region.outer.start);
    let mut end = 0;
    found.retain(|region| {
        let outermost = region.outer.start >= end;
        if outermost {
            end = region.outer.end;
        }
        outermost
    });
    found
}

fn shape(bracket: u8) -> usize {
    match bracket {
        b'(' | b')' => 0,
        b'[' | b']' => 1,
        _ => 2,
    }
}

fn run_of_backslashes(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .take_while(|byte| **byte == b'\\')
        .count()
}

/// Returns the region of the string opened by the quote at `quote`, whose backslashes start at `start`.
///
/// Go prints a quote that is quoted n times with 2ⁿ-1 backslashes. It is closed by the
/// next one of the same level; after a text that ends in quoted backslashes, there are a multiple of 2ⁿ⁺¹ more.
fn double_quoted(
    bytes: &[u8],
    start: usize,
    quote: usize,
    exhausted: &mut [bool; 8],
) -> Option<Region> {
    let backslashes = quote - start;
    let (width, level) = match (backslashes + 1).checked_ilog2() {
        Some(level) if (backslashes + 1).is_power_of_two() => (backslashes + 1, level as usize),
        _ => return None,
    };
    let known = exhausted.get_mut(level)?;
    let after = bytes.get(quote + 1).copied();
    let closes = after.is_none_or(|byte| b" :,;)]}.".contains(&byte));
    if *known || closes {
        return None;
    }
    let mut from = quote + 1;
    while let Some(found) = memchr::memchr(b'"', &bytes[from..]) {
        let end = from + found;
        let before = bytes[from..end]
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\\')
            .count();
        if before % (2 * width) == backslashes {
            return Some(Region {
                outer: start..end + 1,
                inner: quote + 1..end - backslashes,
                levels: level + 1,
            });
        }
        from = end + 1;
    }
    *known = true;
    let word = start == 0 || bytes.get(start - 1).is_some_and(u8::is_ascii_whitespace);
    word.then_some(Region {
        outer: start..bytes.len(),
        inner: quote + 1..bytes.len(),
        levels: level + 1,
    })
}

/// Returns true if a single quote may open a quotation: an apostrophe inside a word does not.
fn opens(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    before.is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

fn single_quoted(bytes: &[u8], at: usize) -> Option<usize> {
    let sign = bytes[at];
    memchr::memchr_iter(sign, &bytes[at + 1..])
        .map(|found| at + 1 + found)
        .find(|end| {
            bytes
                .get(end + 1)
                .is_none_or(|byte| !byte.is_ascii_alphanumeric())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(text: &str) -> Vec<&str> {
        let cuts = split(text);
        cuts.segments
            .iter()
            .map(|range| &text[range.clone()])
            .collect()
    }

    #[test]
    fn colons_inside_values() {
        assert_eq!(
            segments("dial tcp [fd00::1]:6443: connect: connection refused"),
            ["dial tcp [fd00::1]:6443", "connect", "connection refused"]
        );
        assert_eq!(
            segments(r#"failed to pull image "a.io:5000/x/y:v1": 10:04:05 late"#),
            [
                r#"failed to pull image "a.io:5000/x/y:v1""#,
                "10:04:05 late"
            ]
        );
        assert_eq!(
            segments("dial tcp: lookup db on 10.0.0.10:53: no such host"),
            ["dial tcp", "lookup db on 10.0.0.10:53", "no such host"]
        );
        assert_eq!(
            segments("Get http://a/b?c=d: EOF"),
            ["Get http://a/b?c=d", "EOF"]
        );
    }

    #[test]
    fn statuses_and_packages() {
        assert_eq!(
            segments("rpc error: code = Unknown desc = remote error: tls: bad certificate"),
            [
                "rpc error: code = Unknown",
                "remote error: tls: bad certificate"
            ]
        );
        assert_eq!(
            segments("wait - error from a previous attempt : EOF"),
            ["wait", "error from a previous attempt", "EOF"]
        );
    }

    #[test]
    fn quotes_of_any_level() {
        let cuts = split(r#"a caused "b caused \"c: d\": e": unknown"#);
        assert_eq!(cuts.segments.len(), 2);
        assert_eq!(cuts.regions.len(), 1);
        let lost = r#"caused \"mounting \\\"/a: b\\\": d\": unknown"#;
        let cuts = split(lost);
        assert_eq!(cuts.segments.len(), 2);
        let inner = cuts.regions[0].text(&Text::borrowed(lost, 0));
        assert_eq!(inner.as_str(), r#"mounting "/a: b": d"#);
    }

    #[test]
    fn unbalanced() {
        assert_eq!(segments("it's (not: closed"), ["it's (not", "closed"]);
        assert_eq!(segments(r#"web-0": failed: x"#).len(), 3);
        assert_eq!(segments(r#"x caused "cut: off"#).len(), 1);
    }
}
