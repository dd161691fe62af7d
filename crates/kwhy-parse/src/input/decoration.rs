//! The decoration of a pasted line: fences, list numbers, quote marks; and recognition of sentences.

use memchr::memchr;

use super::line::Line;
use super::{boxes, markdown};
use crate::log;
use kwhy_model::Severity;

/// Tags that web pages put around pastes.
const TAGS: &[&[u8]] = &[b"br", b"pre", b"code"];

/// The maximum length of a recognised tag, including its attributes.
const LONGEST_TAG: usize = 200;

/// Returns true if a line starts with a Markdown fence or an admonition, or consists of tags that web pages put around
/// pastes.
pub(super) fn is_fence(text: &str) -> bool {
    let text = after_marks(text);
    !marks_of_fence(text).is_empty()
        || text.starts_with("??? ")
        || is_admonition(text)
        || (text.starts_with('<') && is_tags(text))
}

/// Returns true for `!!! warning "Title"`: up to three words, then a title; not for servers' banners
/// (`!!! process 7 got Segmentation Fault !!!`).
fn is_admonition(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("!!! ") else {
        return false;
    };
    let (words, title) = rest.split_at(rest.find('"').unwrap_or(rest.len()));
    let is_word = |word: &str| {
        word.bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
    };
    let title = title.trim_end();
    words.split_whitespace().all(is_word)
        && words.split_whitespace().count() < 4
        && (title.is_empty() || title.ends_with('"'))
}

/// Returns the line without what may precede a fence: spaces, quote marks, a list marker.
fn after_marks(text: &str) -> &str {
    let text = text.trim_start().trim_start_matches(['>', ' ']);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = text[digits..]
        .strip_prefix(['.', ')'])
        .filter(|_| digits > 0);
    let item = numbered.or_else(|| text.strip_prefix(['-', '*', '+']));
    let item = item
        .filter(|rest| rest.starts_with(' '))
        .map(str::trim_start);
    item.filter(|rest| !marks_of_fence(rest).is_empty())
        .unwrap_or(text)
}

/// Returns the fence characters at the start of a text: three or more of one kind, or none.
fn marks_of_fence(text: &str) -> &str {
    let mark = text
        .bytes()
        .next()
        .filter(|mark| matches!(mark, b'`' | b'~'));
    let length = mark.map_or(0, |mark| {
        text.bytes().take_while(|byte| *byte == mark).count()
    });
    if length >= 3 { &text[..length] } else { "" }
}

/// Returns the fence that is open after this line, if any; `open` is the fence that was open before it.
pub(super) fn fence_after<'t>(text: &'t str, open: Option<&'t str>) -> Option<&'t str> {
    let text = after_marks(text);
    if text.starts_with(['?', '!']) {
        return open;
    }
    if text.starts_with('<') {
        return (!text.contains("</")).then_some("<");
    }
    let marks = marks_of_fence(text);
    let has_info = !text[marks.len()..].trim().is_empty();
    match open {
        // a fence is closed by one of the same kind that is at least as long
        Some(open) if marks_of_fence(open) == open && !open.is_empty() => {
            let closes = marks.starts_with(open) && !has_info;
            let inside = marks.len() < open.len() || !marks.starts_with(&open[..1]);
            if closes {
                None
            } else if inside {
                Some(open)
            } else {
                // the previous fence was never closed
                Some(marks)
            }
        }
        Some(_) if !has_info => None,
        _ => Some(marks),
    }
}

/// Returns the text on the line of an opening fence, unless it is an info string; and true if the fence is closed on
/// the same line.
pub(super) fn fenced_on_line(line: Line<'_>) -> Option<(Line<'_>, bool)> {
    let bare = after_marks(line.text);
    let marks = marks_of_fence(bare);
    let before = line.text.len() - bare.len() + marks.len();
    let content = line.skip(before);
    let text = content.text.trim();
    if marks.is_empty() || text.is_empty() {
        return None;
    }
    let (inner, closes) = match content.text.trim_end().strip_suffix(marks) {
        Some(inner) => (inner, true),
        None => (content.text, false),
    };
    if !closes && is_info(text) {
        return None;
    }
    let mut inner = Line {
        text: inner,
        ..content
    };
    let word = inner.text.split_whitespace().next().unwrap_or("");
    if LANGUAGES.contains(&word) && inner.text.starts_with(word) && inner.text.trim() != word {
        inner = inner.skip(word.len()).trim_start();
    }
    (!inner.is_blank()).then_some((inner, closes))
}

/// Languages that may precede content on the line of an opening fence.
const LANGUAGES: &[&str] = &[
    "bash",
    "console",
    "json",
    "log",
    "logs",
    "plaintext",
    "powershell",
    "sh",
    "shell",
    "text",
    "txt",
    "yaml",
    "yml",
];

/// Returns true if the text after a fence names a language, possibly with attributes.
fn is_info(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_name = |word: &str| {
        word.len() <= 24
            && !word.ends_with(':')
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_+-#.{}=:,/".contains(&byte))
    };
    words.next().is_some_and(is_name)
        && words.all(|word| word.contains('=') || word.starts_with(['{', ':']))
}

/// Returns the line without a closing fence at its end, if other text precedes it.
pub fn without_closing_marks(text: &str) -> &str {
    const MARKS: &str = "```";
    let end = text.trim_end();
    let Some(inner) = end.strip_suffix(MARKS) else {
        return text;
    };
    let inner = inner.trim_end_matches('`');
    // two such fences in a line are inline code
    match inner.trim().is_empty() || inner.contains(MARKS) {
        true => text,
        false => inner,
    }
}

/// Returns true if a text consists of `<pre>` and `<code>` tags; a lone `<br>` is an empty line.
fn is_tags(text: &str) -> bool {
    let mut rest = text.trim();
    while let Some(length) = tag_at_start(rest.as_bytes()) {
        if rest.starts_with("<br") {
            return false;
        }
        rest = rest.get(length..).unwrap_or("").trim_start();
    }
    rest.is_empty()
}

/// Returns the length of the tag at the start of a text, if web pages put it around pastes:
/// `<br />`, `<pre class="x">`, `</code>`.
pub(super) fn tag_at_start(text: &[u8]) -> Option<usize> {
    let head = text.get(..text.len().min(LONGEST_TAG))?;
    let inner = head.strip_prefix(b"<")?;
    let inner = inner.strip_prefix(b"/").unwrap_or(inner);
    let name = inner
        .iter()
        .position(|byte| !byte.is_ascii_alphabetic())
        .and_then(|end| inner.get(..end))?;
    let is_known = TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name));
    let after = inner.get(name.len())?;
    if !is_known || !matches!(after, b'>' | b'/' | b' ') {
        return None;
    }
    memchr::memchr(b'>', head).map(|end| end + 1)
}

/// Removes such tags from both ends of a line.
fn strip_tags(line: Line<'_>) -> Line<'_> {
    let mut line = line;
    while let Some(length) = Some(line.text.trim_start())
        .filter(|text| text.starts_with('<'))
        .and_then(|text| tag_at_start(text.as_bytes()))
    {
        line = line.trim_start().skip(length);
    }
    while line.text.trim_end().ends_with('>') {
        let text = line.text.trim_end();
        let tag = text.rfind('<').filter(|start| {
            text.get(*start..)
                .and_then(|tag| tag_at_start(tag.as_bytes()))
                .is_some_and(|length| start + length == text.len())
        });
        let Some(start) = tag else { break };
        line.text = &text[..start];
    }
    line
}

/// Removes the borders that k9s draws at both ends of a line.
fn strip_borders(line: Line<'_>) -> Line<'_> {
    let bare = line.trim_start();
    let Some(rest) = bare.text.strip_prefix(boxes::BORDERS) else {
        return line;
    };
    let mut inner = bare.skip(bare.text.len() - rest.len());
    inner.text = inner.text.trim_end();
    inner.text = inner.text.trim_end_matches(boxes::BORDERS).trim_end();
    inner
}

/// Returns true for a line of dashes below a header.
pub(super) fn is_rule(text: &str) -> bool {
    let text = text.trim();
    let is_part = |c: char| matches!(c, '-' | ' ' | '\t' | '\u{2500}' | '\u{2501}' | '\u{2014}');
    [
        "--",
        "\u{2500}\u{2500}",
        "\u{2501}\u{2501}",
        "\u{2014}\u{2014}",
    ]
    .iter()
    .any(|two| text.contains(two))
        && text.chars().all(is_part)
}

/// Removes what web pages and editors put around a line: tags (`<pre>`, `<br>`), borders, quote
/// marks (`> `), numbers (`3. `, `12) `, those of `cat -n`), and, if a program printed the rest, list markers and
/// emphasis. Its indentation is kept if nothing was removed.
pub(super) fn strip_marks(line: Line<'_>) -> Line<'_> {
    markdown::strip(strip_borders(strip_numbers(strip_tags(line))))
}

/// Removes quote marks and numbers.
fn strip_numbers(line: Line<'_>) -> Line<'_> {
    let mut line = line;
    let mut bare = line.trim_start();
    while let Some(rest) = bare.text.strip_prefix('>') {
        // `> ` quotes; `>=` and `>>` do not
        if !rest.is_empty() && !rest.starts_with([' ', '>', '\t']) {
            break;
        }
        line = bare.skip(1);
        if line.text.starts_with(' ') {
            line = line.skip(1);
        }
        bare = line.trim_start();
    }
    let digits = bare.text.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=4).contains(&digits) && bare.text[digits..].starts_with(['.', ')']) {
        let rest = bare.skip(digits + 1);
        if rest.text.starts_with([' ', '\t']) {
            return rest.skip(1);
        }
    }
    // `cat -n` and `nl` write the number in six columns and a tab
    let is_numbered = (1..=6).contains(&digits)
        && line.indent() + digits == 6
        && bare.text[digits..].starts_with('\t');
    if is_numbered {
        return bare.skip(digits + 1);
    }
    line
}

/// Removes the common indentation of all lines.
pub(super) fn strip_indentation(lines: &mut [Line<'_>]) {
    let common = lines
        .iter()
        .filter(|line| !line.is_blank())
        .map(|line| {
            line.text
                .bytes()
                .take_while(|b| matches!(b, b' ' | b'\t'))
                .count()
        })
        .min()
        .unwrap_or(0);
    for line in lines {
        let own = line
            .text
            .bytes()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count();
        *line = line.skip(common.min(own));
    }
}

/// Returns true if a line outside a fence is a sentence or markup rather than a program's output.
pub(super) fn is_prose(text: &str) -> bool {
    let text = text.trim();
    let is_banner = text.starts_with("!!! ") && text.ends_with("!!!");
    if is_logged(text) || is_starred(text) || is_banner {
        return false;
    }
    // a reason in bold before a message
    let bold = text
        .strip_prefix("**")
        .and_then(|rest| rest.split_once("**:"));
    if let Some((_, said)) =
        bold.filter(|(word, _)| word.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    {
        return is_prose(said);
    }
    // an error set between dashes by a program
    let inside = text.trim_matches('-');
    if text.starts_with("--") && inside.starts_with(' ') && inside.contains(": ") {
        return is_prose(inside);
    }
    let markup = [
        "\u{250c}", "\u{2514}", "\u{256d}", "\u{2570}", "#", "- ", "* ", "• ", "+ ", "|", "![",
        "<", ".. ", "**", "__", "==", "--", "<!--",
    ];
    if markup.iter().any(|mark| text.starts_with(mark)) {
        return true;
    }
    let mut letters = 0;
    let mut wide = 0;
    for c in text.chars().take(400) {
        letters += usize::from(c.is_alphabetic());
        wide += usize::from(c.is_alphabetic() && !c.is_ascii() && c >= '\u{2e80}');
    }
    if wide * 5 > letters {
        return true;
    }
    let words = text.split_whitespace().count();
    // a colon after `main.rs:14` does not end a sentence
    let ends = text.ends_with(['.', '?', '!', '。', '：', '；'])
        || text
            .strip_suffix(':')
            .is_some_and(|text| text.ends_with(char::is_alphabetic));
    let has_fields = text.contains(": ") || text.contains('=');
    let heading = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | ',');
    (ends && words > 3 && !has_fields && !text.contains('"'))
        || (words >= 10 && !has_fields && (ends || text.contains(". ") || text.contains('。')))
        || (words <= 6
            && text
                .strip_suffix(':')
                .is_some_and(|title| title.chars().all(heading)))
}

/// Returns true if a line starts like an error of nslookup or similar tools (`** server can't find`): asterisks before
/// a space are not emphasis, and a single one is a list marker.
fn is_starred(text: &str) -> bool {
    let rest = text.trim_start_matches('*');
    text.len() - rest.len() >= 2 && rest.starts_with(' ') && rest.contains(char::is_alphabetic)
}

/// Returns true if a line states a level of at least warning as logs do, after a time or a rule at most.
fn is_logged(text: &str) -> bool {
    let text = text.trim_start_matches(['-', ' ', '*']);
    log::stated_severity(text).is_some_and(|severity| severity >= Severity::Warning)
}

/// Splits `}{`, printed by programs that write JSON objects without newlines between them.
pub(super) fn between_objects(line: Line<'_>) -> Option<(Line<'_>, Line<'_>)> {
    let start = memchr(b'{', line.text.as_bytes()).filter(|_| line.text.trim() == "}{")?;
    let end = Line {
        text: line.text.get(..start)?,
        ..line
    };
    Some((end, line.skip(start)))
}

/// Returns true for a rule of a table drawn as a box: `+-----+-----+`.
pub(super) fn is_box_rule(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('+')
        && text.ends_with('+')
        && text.contains("--")
        && text.bytes().all(|byte| matches!(byte, b'+' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(text: &str) -> &str {
        strip_marks(Line {
            text,
            start: 0,
            number: 1,
        })
        .text
    }

    #[test]
    fn banners_are_no_admonitions() {
        for text in [
            "!!! note",
            "!!! warning \"The tide\"",
            "!!! danger inline end",
        ] {
            assert!(is_fence(text), "{text}");
        }
        for text in [
            "!!! crane process 7 got Segmentation Fault !!!",
            "!!! WARNING: the crane runs as root !!!",
        ] {
            assert!(!is_fence(text) && !is_prose(text), "{text}");
        }
    }

    #[test]
    fn marks() {
        assert_eq!(stripped("    3. Warning  Failed"), "Warning  Failed");
        assert_eq!(stripped("> > Name: x"), "Name: x");
        assert_eq!(stripped(">= 3"), ">= 3");
        assert_eq!(
            stripped("1.672128505418613e+09\tERROR"),
            "1.672128505418613e+09\tERROR"
        );
        assert_eq!(stripped("10.0.0.1 refused"), "10.0.0.1 refused");
        assert_eq!(stripped("    12\t  Name: x"), "  Name: x");
        assert_eq!(stripped("12\t  Name: x"), "12\t  Name: x");
        assert_eq!(stripped("<pre><code class=\"x\">Name: x<br />"), "Name: x");
        assert_eq!(stripped("  IP: <none>"), "  IP: <none>");
        assert_eq!(stripped("<b>x</b>"), "<b>x</b>");
        assert_eq!(stripped(" \u{2502} web-0   1/1 \u{2502}"), " web-0   1/1");
    }

    #[test]
    fn prose() {
        assert!(is_prose(
            "The pod does not start and nobody knows the reason for it."
        ));
        assert!(is_prose("查看日志，发现 pod 没有启动"));
        assert!(is_prose("Events:"));
        assert!(is_prose("| state | what it says |"));
        assert!(!is_prose("<Error> Quay: no berth."));
        assert!(!is_prose("** server can't find quay.harbour: SERVFAIL"));
        assert!(!is_prose("*** FATAL CRANE FILE ERROR (Crane 7.2) ***"));
        assert!(!is_prose(
            "-----  crane: [error] lift failed: no arm:  -----"
        ));
        assert!(is_prose("** ** **") && is_prose("**bold** words"));
        assert!(is_prose(
            "**Note**: all is well again, as it was on the day before."
        ));
        assert!(!is_prose("**Failed**: Error: no berth \"north\""));
        assert!(is_prose("- crane: no arm") && is_prose("-- Boot 5e1b8f0c9d1e4b8a --"));
        assert!(!is_prose(
            "2024-03-04 05:06:07.123456+00:00 [error] <0.230.0> Exception during startup:"
        ));
        assert!(is_box_rule("+-----+---+") && !is_box_rule("+") && !is_box_rule("+ a +--+"));
        assert!(is_prose(
            "\"connection refused\" in an old ticket could come back one day. Nothing has failed"
        ));
        assert!(!is_prose("thread 'main' panicked at src/main.rs:14:10:"));
        assert!(!is_prose("goroutine 1 [running]:"));
        assert!(!is_prose("panic: too many open files"));
        assert!(!is_prose(
            "Pod sandbox changed, it will be killed and re-created"
        ));
    }

    #[test]
    fn fences() {
        for fence in [
            "    ```bash",
            "<pre>",
            "</code></pre>",
            "~~~~",
            "> ```",
            "- ```yaml",
            "1. ```",
            "```error: no berth",
        ] {
            assert!(is_fence(fence), "{fence}");
        }
        for text in ["<br>", "<pre>x", "<none>", "``x``", "- x", "1. x"] {
            assert!(!is_fence(text), "{text}");
        }
        for (text, open, wanted) in [
            ("```bash", None, Some("```")),
            ("<pre>", None, Some("<")),
            ("</pre>", Some("<"), None),
            ("```text", Some("```"), Some("```")),
            ("```", Some("```"), None),
            ("````", Some("```"), None),
            ("```", Some("````"), Some("````")),
            ("~~~", Some("```"), Some("```")),
            ("~~~", Some("~~~"), None),
        ] {
            assert_eq!(fence_after(text, open), wanted, "{text} {open:?}");
        }
    }

    #[test]
    fn text_on_the_line_of_a_fence() {
        let on_line = |text| {
            let found = fenced_on_line(Line {
                text,
                start: 0,
                number: 1,
            });
            found.map(|(line, closes)| (line.text, line.start, closes))
        };
        assert_eq!(
            on_line("```error: no berth```"),
            Some(("error: no berth", 3, true))
        );
        assert_eq!(
            on_line("> ```error: no berth"),
            Some(("error: no berth", 5, false))
        );
        assert_eq!(
            on_line("~~~~ no berth left ~~~~"),
            Some((" no berth left ", 4, true))
        );
        assert_eq!(
            on_line("```console no berth left"),
            Some(("no berth left", 11, false))
        );
        assert_eq!(on_line("```Stuck```"), Some(("Stuck", 3, true)));
        for info in [
            "```",
            "```yaml",
            "```yaml title=\"x.yaml\"",
            "``` c++ {1,3}",
            "``````",
        ] {
            assert_eq!(on_line(info), None, "{info}");
        }
        assert_eq!(without_closing_marks("no berth ```"), "no berth ");
        assert_eq!(
            without_closing_marks("we saw ```no berth```"),
            "we saw ```no berth```"
        );
        assert_eq!(without_closing_marks("```"), "```");
    }
}
