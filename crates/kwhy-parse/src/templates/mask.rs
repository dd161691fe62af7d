//! Masks the parts of a message that vary between occurrences.

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

/// Splits a message into words and punctuation, with `ANY` for parts that vary. Spaces are
/// ignored.
///
/// A part varies if it contains a digit (numbers, addresses, times, generated names) and is neither
/// an API version nor a known name, if it is an absolute path, or if it is a single quoted word.
pub fn tokens(message: &str) -> Vec<&str> {
    let message = &message[..crate::input::floor_char(message, MAX_BYTES)];
    let mut tokens: Vec<&str> = Vec::new();
    let mut rest = message;
    while let Some(c) = rest.chars().next() {
        if tokens.len() >= MAX_TOKENS {
            break;
        }
        if c.is_whitespace() {
            rest = &rest[c.len_utf8()..];
            continue;
        }
        if let Some((value, after)) = quoted(rest) {
            tokens.push(value);
            rest = after;
            continue;
        }
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if length == 0 {
            tokens.push(&rest[..c.len_utf8()]);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(length);
        // a colon or full stop after a word is not part of it
        let bare = word.trim_end_matches([':', '.', '-']);
        if bare.is_empty() {
            tokens.push(word);
        } else {
            push(&mut tokens, if varies(bare) { ANY } else { bare });
            if bare.len() < word.len() {
                tokens.push(&word[bare.len()..]);
            }
        }
        rest = after;
    }
    tokens
}

/// Appends a token; adjacent parts that vary are merged.
fn push<'m>(tokens: &mut Vec<&'m str>, token: &'m str) {
    if token != ANY || tokens.last() != Some(&ANY) {
        tokens.push(token);
    }
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

/// Returns true if a word is a value.
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
    token.starts_with(char::is_alphanumeric) || token.contains(ANY)
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
