//! Text from the input in Markdown: it never becomes markup, a link, a mention or a reference.
//!
//! Plain words stay as they are. All else is a code span, in which only its own end means something.

use std::borrow::Cow;

use crate::escape::visible;

/// Returns a text as part of a line.
pub fn inline(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut code: Vec<&str> = Vec::new();
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        if !is_plain(word) {
            code.push(word);
            // adjacent words share a span
            if words.peek().is_some_and(|next| !is_plain(next)) {
                continue;
            }
        }
        if !out.is_empty() {
            out.push(' ');
        }
        if code.is_empty() {
            out.push_str(word);
        } else {
            out.push_str(&span(&code.join(" ")));
            code.clear();
        }
    }
    out
}

/// Returns a code span. Its delimiter is longer than any run of backticks in the text.
pub fn span(text: &str) -> String {
    let text = visible(text);
    let mark = "`".repeat(longest_run(&text) + 1);
    let is_at_end = text.starts_with('`') || text.ends_with('`') || text.is_empty();
    let fill = if is_at_end { " " } else { "" };
    format!("{mark}{fill}{text}{fill}{mark}")
}

/// Returns a fenced block. Its fence is longer than any run of backticks in it.
pub fn fence(info: &str, lines: &[Cow<'_, str>]) -> String {
    let longest = lines
        .iter()
        .map(|line| longest_run(line))
        .max()
        .unwrap_or(0);
    let mark = "`".repeat((longest + 1).max(3));
    let mut out = format!("{mark}{info}\n");
    for line in lines {
        out.push_str(&visible(line));
        out.push('\n');
    }
    out + &mark + "\n"
}

/// Returns the length of the longest run of backticks in a text.
fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Returns true for a word of letters, possibly with hyphens, quotes, brackets or punctuation around it, and for a
/// small number.
fn is_plain(word: &str) -> bool {
    let core = word
        .trim_start_matches(['(', '"', '\''])
        .trim_end_matches([',', '.', ';', ':', ')', '"', '\'', '?']);
    let is_letter = |c: char| c.is_alphabetic();
    // possibly with units, as in `1m57s`
    let is_number = |core: &str| {
        let is_part = |byte: u8| byte.is_ascii_digit() || b"smhd".contains(&byte);
        core.len() < 7 && core.bytes().all(is_part)
    };
    let is_word = |core: &str| {
        let mut parts = core.split(['-', '\'']);
        parts.all(|part| !part.is_empty() && part.chars().all(is_letter))
    };
    // a number with a dot would start a list, `:x:` is an emoji
    !core.is_empty() && (is_word(core) || is_number(core) && !word.ends_with(['.', ')']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_and_all_else_is_code() {
        for (text, shown) in [
            (
                "does not exist, so it (the pod's) waits",
                "does not exist, so it (the pod's) waits",
            ),
            (
                "ConfigMap \"web-conf\" of Pod shop/web-0 is gone",
                "ConfigMap \"web-conf\" of Pod `shop/web-0` is gone",
            ),
            ("a read-only volume, 3 times", "a read-only volume, 3 times"),
            (
                "<script>alert(1)</script> x",
                "`<script>alert(1)</script>` x",
            ),
            (
                "see https://x.example @ann #7",
                "see `https://x.example @ann #7`",
            ),
            ("a `b` c", "a `` `b` `` c"),
            ("1. first 2) second", "`1.` first `2)` second"),
            ("24m, 7: 1m57s", "24m, 7: 1m57s"),
            ("- item", "`-` item"),
            ("# head", "`#` head"),
            ("*bold* _it_ ~no~ |", "`*bold* _it_ ~no~ |`"),
            ("\x1b[31m :smile:", "`␛[31m :smile:`"),
            ("deadbeef1 & &lt;", "`deadbeef1 & &lt;`"),
            ("   ", ""),
        ] {
            assert_eq!(inline(text), shown, "{text}");
        }
    }

    #[test]
    fn marks_are_longer_than_what_is_inside() {
        assert_eq!(span("a``b"), "```a``b```");
        assert_eq!(span(""), "`  `");
        let lines = ["````".into(), "x".into()];
        assert_eq!(fence("text", &lines), "`````text\n````\nx\n`````\n");
    }
}
