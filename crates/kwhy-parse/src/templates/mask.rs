//! Masks the parts of a message that vary between occurrences.

use std::net::{IpAddr, SocketAddr};

use kwhy_model::duration;

/// The placeholder for a part that varies.
pub(crate) const ANY: &str = "<*>";

/// The number of bytes of a message that are tokenised.
const MAX_BYTES: usize = 1024;

/// The maximum number of tokens of a template.
const MAX_TOKENS: usize = 96;

/// Words with digits that are proper names, not values.
const NAMES: [&str; 22] = [
    "x509", "http2", "ipv4", "ipv6", "ip4", "ip6", "sha256", "sha512", "sha1", "md5", "utf-8",
    "utf8", "base64", "k8s.io", "oauth2", "s3", "ext4", "nfs4", "cgroup2", "h2", "log4j2",
    "python3",
];

/// Days and months, which are part of a date if a number is next to them.
const DAYS: [&str; 19] = [
    "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Units that may follow a number as words of their own.
const SIZES: [&str; 10] = [
    "B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB",
];
const TIMES: [&str; 7] = ["ns", "us", "ms", "s", "sec", "secs", "seconds"];

/// The type of a part that varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    /// Any other type, or several types.
    Any,
    Duration,
    /// An address with or without a port or a prefix length.
    Ip,
    Number,
    Path,
    Size,
    Time,
    Uuid,
}

impl Type {
    fn placeholder(self) -> &'static str {
        match self {
            Type::Any => ANY,
            Type::Duration => "<duration>",
            Type::Ip => "<ip>",
            Type::Number => "<number>",
            Type::Path => "<path>",
            Type::Size => "<size>",
            Type::Time => "<time>",
            Type::Uuid => "<uuid>",
        }
    }

    /// Returns the type of a variable word.
    fn of(word: &str) -> Type {
        let is_ip =
            |text: &str| text.parse::<IpAddr>().is_ok() || text.parse::<SocketAddr>().is_ok();
        let is_number = |text: &str| {
            text.bytes()
                .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'%'))
        };
        if word.starts_with('/') {
            Type::Path
        } else if is_ip(word)
            || word
                .split_once('/')
                .is_some_and(|(address, _)| is_ip(address))
        {
            Type::Ip
        } else if is_uuid(word) {
            Type::Uuid
        } else if is_time(word) {
            Type::Time
        } else if is_number(word) && word.matches('.').count() < 2 {
            Type::Number
        } else if duration::nanoseconds(word).is_some() {
            Type::Duration
        } else {
            Type::Any
        }
    }

    /// Returns the type of two adjacent parts.
    fn joined(self, next: Type) -> Type {
        match (self, next) {
            _ if self == next => self,
            (Type::Time, Type::Number) | (Type::Number, Type::Time) => Type::Time,
            _ => Type::Any,
        }
    }
}

/// Returns true for `550e8400-e29b-41d4-a716-446655440000` and the like.
fn is_uuid(word: &str) -> bool {
    let mut parts = word.split('-');
    let is_part = |part: Option<&str>, length: usize| {
        part.is_some_and(|part| part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    [8, 4, 4, 4, 12]
        .into_iter()
        .all(|length| is_part(parts.next(), length))
        && parts.next().is_none()
}

/// Returns true for a date, a time or both, as in RFC 3339: three numbers separated by colons or hyphens.
fn is_time(word: &str) -> bool {
    let pairs = |mark: char| {
        let mut fields = word.split(mark);
        let last = |text: &str| text.bytes().rev().take_while(u8::is_ascii_digit).count();
        let first = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (Some(one), Some(two), Some(three)) = (fields.next(), fields.next(), fields.next())
        else {
            return false;
        };
        let is_year = last(one) == 4 && one.len() == 4;
        (last(one) == 2 || is_year && mark == '-')
            && two.len() == 2
            && last(two) == 2
            && first(three) >= 2
    };
    word.is_ascii() && word.starts_with(|c: char| c.is_ascii_digit()) && (pairs(':') || pairs('-'))
}

/// A part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'m> {
    /// A word, punctuation, or the placeholder for a quoted word.
    Text(&'m str),
    Value(Type),
}

/// Splits a message into words and punctuation, with `ANY` for parts that vary. Spaces are
/// ignored.
///
/// A part varies if it contains a digit (numbers, addresses, times, generated names) and is neither
/// an API version nor a known name, if it is an absolute path, or if it is a single quoted word. The words of a date,
/// a unit and further values of a list belong to the adjacent value. Empty brackets after a space contain a missing
/// value.
pub fn tokens(message: &str) -> Vec<&str> {
    let text = |part| match part {
        Part::Text(text) => text,
        Part::Value(_) => ANY,
    };
    parts(message).into_iter().map(text).collect()
}

/// Like [`tokens`], with placeholders that state the type if it is known.
pub(super) fn typed(message: &str) -> Vec<&str> {
    let text = |part| match part {
        Part::Text(text) => text,
        Part::Value(value) => value.placeholder(),
    };
    parts(message).into_iter().map(text).collect()
}

/// Replaces a typed placeholder by [`ANY`].
pub(super) fn untyped(token: &str) -> &str {
    if is_value(token) { ANY } else { token }
}

/// Returns true for a placeholder without quotes.
fn is_value(token: &str) -> bool {
    token.len() > 1 && token.starts_with('<')
}

fn parts(message: &str) -> Vec<Part<'_>> {
    let message = &message[..crate::input::floor_char(message, MAX_BYTES)];
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut rest = message;
    let mut after_blank = true;
    while let Some(c) = rest.chars().next() {
        if parts.len() >= MAX_TOKENS {
            break;
        }
        if c.is_whitespace() {
            rest = &rest[c.len_utf8()..];
            after_blank = true;
            continue;
        }
        let is_apart = std::mem::take(&mut after_blank);
        if let Some((value, after)) = quoted(rest) {
            parts.push(Part::Text(value));
            rest = after;
            continue;
        }
        let (word, after) = rest.split_at(word_length(rest));
        if word.is_empty() {
            let (mark, after) = rest.split_at(c.len_utf8());
            if !(c == ',' && continues_list(&parts, after)) {
                parts.push(Part::Text(mark));
            }
            if is_apart && (rest.starts_with("()") || rest.starts_with("[]")) {
                parts.push(Part::Value(Type::Any));
            }
            rest = after;
            continue;
        }
        // a colon or full stop after a word is not part of it
        let bare = word.trim_end_matches([':', '.', '-']);
        if bare.is_empty() {
            parts.push(Part::Text(word));
        } else {
            push(&mut parts, bare);
            if bare.len() < word.len() {
                parts.push(Part::Text(&word[bare.len()..]));
            }
        }
        rest = after;
    }
    with_dates(parts)
}

/// Returns the length of the word at the start of a text; a path or address includes its query.
fn word_length(text: &str) -> usize {
    let length = text.find(|c| !is_word(c)).unwrap_or(text.len());
    let (word, rest) = text.split_at(length);
    let is_located = word.starts_with('/') || word.contains("://");
    if !is_located || !rest.starts_with('?') {
        return length;
    }
    let is_of_query = |c: char| is_word(c) || matches!(c, '?' | '&' | '=' | ';' | ',');
    let query = rest.find(|c| !is_of_query(c)).unwrap_or(rest.len());
    length + query
}

/// Returns true if a comma after a value is followed by another value.
fn continues_list(parts: &[Part<'_>], after: &str) -> bool {
    matches!(parts.last(), Some(Part::Value(_))) && varies(&after[..word_length(after)])
}

/// Appends a word; adjacent values, and a unit after a number, become one part.
fn push<'m>(parts: &mut Vec<Part<'m>>, word: &'m str) {
    let value = varies(word).then(|| Type::of(word));
    match (parts.last_mut(), value) {
        (Some(Part::Value(number @ Type::Number)), None) if SIZES.contains(&word) => {
            *number = Type::Size;
        }
        (Some(Part::Value(number @ Type::Number)), None) if TIMES.contains(&word) => {
            *number = Type::Duration;
        }
        (Some(Part::Value(last)), Some(value)) => *last = last.joined(value),
        (_, Some(value)) => parts.push(Part::Value(value)),
        (_, None) => parts.push(Part::Text(word)),
    }
}

/// Merges days and months into an adjacent value: `Mon Jun 20 03:40:59 2005`.
fn with_dates(parts: Vec<Part<'_>>) -> Vec<Part<'_>> {
    let is_day = |part: &Part<'_>| matches!(part, Part::Text(word) if DAYS.contains(word));
    if !parts.iter().any(is_day) {
        return parts;
    }
    let mut whole: Vec<Part<'_>> = Vec::with_capacity(parts.len());
    for (at, part) in parts.iter().enumerate() {
        let next = parts.iter().skip(at).find(|part| !is_day(part));
        let is_beside = |part: Option<&Part<'_>>| matches!(part, Some(Part::Value(_)));
        let is_date = is_day(part) && (is_beside(next) || is_beside(whole.last()));
        let value = match part {
            _ if is_date => Type::Time,
            Part::Value(value) => *value,
            Part::Text(_) => {
                whole.push(*part);
                continue;
            }
        };
        match whole.last_mut() {
            Some(Part::Value(last)) => *last = last.joined(value),
            _ => whole.push(Part::Value(value)),
        }
    }
    whole
}

/// Returns true if a token is a name made up by a program or a person rather than a word of the message.
pub(super) fn is_identifier(token: &str) -> bool {
    let inside = token.get(..token.len().saturating_sub(1)).unwrap_or(token);
    let is_mark = |b: u8| b.is_ascii_digit() || b"./-_:@+#$%".contains(&b);
    is_placeholder(token) || inside.bytes().any(is_mark)
}

/// Returns true for a placeholder, with or without quotes.
fn is_placeholder(token: &str) -> bool {
    is_value(token) || token.contains(ANY)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(
            c,
            '_' | '.' | '-' | '/' | ':' | '@' | '%' | '+' | '~' | '$' | '#' | '*'
        )
}

/// Returns the placeholder for a quoted text without spaces, and the rest after it.
fn quoted(text: &str) -> Option<(&'static str, &str)> {
    let (quote, value) = match text.as_bytes().first()? {
        b'"' => ('"', "\"<*>\""),
        b'\'' => ('\'', "'<*>'"),
        b'`' => ('`', "`<*>`"),
        _ => return None,
    };
    let inside = &text[1..];
    let end = inside.find(|c: char| c == quote || c.is_whitespace())?;
    let closed = inside[end..].starts_with(quote);
    (closed && end > 0).then(|| (value, &inside[end + 1..]))
}

/// Returns true if a word is variable.
fn varies(word: &str) -> bool {
    if word.starts_with('/') && word.matches('/').count() > 1 {
        return true;
    }
    if !word.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    if NAMES.iter().any(|name| name.eq_ignore_ascii_case(word)) {
        return false;
    }
    // `v1`, `apps/v1beta1`
    let version = word.rsplit('/').next().unwrap_or(word);
    let is_version = version.strip_prefix('v').is_some_and(|rest| {
        rest.len() <= 9
            && rest.starts_with(|c: char| c.is_ascii_digit())
            && rest
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .chars()
                .all(char::is_alphanumeric)
    });
    let group = &word[..word.len() - version.len()];
    !is_version || group.bytes().any(|b| b.is_ascii_digit())
}

/// Returns true if a token is a word or a placeholder for one.
pub(super) fn is_word_token(token: &str) -> bool {
    token.starts_with(char::is_alphanumeric) || is_placeholder(token)
}

/// Joins tokens into a text: words are separated by spaces, punctuation is attached as usual.
pub fn text<T: AsRef<str>>(tokens: &[T]) -> String {
    let mut text = String::new();
    for token in tokens.iter().map(AsRef::as_ref) {
        let word = is_word_token(token);
        let after = text.chars().next_back();
        let joined = after.is_none_or(|c| matches!(c, '(' | '[' | '{' | '=' | '\'' | '/'));
        if word && !joined || (!word && matches!(token, "(" | "[" | "{") && !text.is_empty()) {
            text.push(' ');
        }
        text.push_str(token);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(message: &str) -> String {
        text(&tokens(message))
    }

    #[test]
    fn values_vary_and_words_stay() {
        assert_eq!(
            masked("dial tcp 10.0.0.1:6443: connect: connection refused"),
            "dial tcp <*>: connect: connection refused"
        );
        assert_eq!(
            masked("failed calling webhook \"x\": no (it's gone)"),
            "failed calling webhook \"<*>\": no (it's gone)"
        );
        assert_eq!(masked("took 12.5s (limit 10s)"), "took <*> (limit <*>)");
        assert_eq!(
            masked("open /var/lib/x: no such file"),
            "open <*>: no such file"
        );
        assert_eq!(
            masked("no matches for kind Foo in version apps/v1beta1"),
            "no matches for kind Foo in version apps/v1beta1"
        );
        assert_eq!(masked("x509: certificate"), "x509: certificate");
        assert_eq!(
            tokens("configmap \"web\" not found"),
            tokens("configmap \"cart\"  not found")
        );
    }

    #[test]
    fn edge_cases() {
        for text in [
            "",
            "\"",
            "\"\"",
            "'a b'",
            "…",
            "\u{1f980}1",
            "::",
            "a=\"x\"",
            "\"é",
        ] {
            let _ = masked(text);
        }
    }
}
