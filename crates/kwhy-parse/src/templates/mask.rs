//! What of a message varies from one occurrence to the next.

/// What stands for a part that varies.
pub(crate) const ANY: &str = "<*>";

/// How much of a message is looked at, in bytes.
const MOST: usize = 1024;

/// How many tokens a template has at most.
const TOKENS: usize = 96;

/// Words with digits that are names of things, not values.
const NAMES: [&str; 22] = [
    "x509", "http2", "ipv4", "ipv6", "ip4", "ip6", "sha256", "sha512", "sha1", "md5", "utf-8",
    "utf8", "base64", "k8s.io", "oauth2", "s3", "ext4", "nfs4", "cgroup2", "h2", "log4j2",
    "python3",
];

/// The parts of a message in order: words, marks, and `ANY` for what varies. Blanks count for nothing.
///
/// A part varies if it holds a digit (numbers, addresses, times, generated names) and is neither an
/// API version nor a known name, if it is an absolute path, or one word between quotes.
pub fn tokens(message: &str) -> Vec<&str> {
    let message = &message[..crate::input::floor_char(message, MOST)];
    let mut tokens: Vec<&str> = Vec::new();
    let mut rest = message;
    while let Some(c) = rest.chars().next() {
        if tokens.len() >= TOKENS {
            break;
        }
        if c.is_whitespace() {
            rest = &rest[c.len_utf8()..];
            continue;
        }
        if let Some((value, behind)) = quoted(rest) {
            tokens.push(value);
            rest = behind;
            continue;
        }
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if length == 0 {
            tokens.push(&rest[..c.len_utf8()]);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (word, behind) = rest.split_at(length);
        // a colon or full stop behind a word is no part of it
        let bare = word.trim_end_matches([':', '.', '-']);
        if bare.is_empty() {
            tokens.push(word);
        } else {
            push(&mut tokens, if varies(bare) { ANY } else { bare });
            if bare.len() < word.len() {
                tokens.push(&word[bare.len()..]);
            }
        }
        rest = behind;
    }
    tokens
}

/// Two parts that vary side by side are one.
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

/// What stands for a text without blanks between quotes, and what is behind it.
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

/// Whether a word is a value.
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

/// Whether a token is a word or stands for one.
pub(super) fn is_word_token(token: &str) -> bool {
    token.starts_with(char::is_alphanumeric) || token.contains(ANY)
}

/// Tokens as a text: words stand apart, marks where they stood.
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
    fn odd_texts() {
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
