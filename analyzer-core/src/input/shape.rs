//! The outward shape of a line: fences, list numbers, quote marks, sentences.

use super::line::Line;

/// Whether a line is a Markdown fence or the head of an admonition block.
pub(super) fn is_fence(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches(['>', ' ']);
    text.starts_with("```")
        || text.starts_with("~~~")
        || text.starts_with("??? ")
        || text.starts_with("!!! ")
}

/// Whether the inside of a fence begins after this fence line.
pub(super) fn fence_opens(text: &str, open: bool) -> bool {
    let text = text.trim_start().trim_start_matches(['>', ' ']);
    let marks = text.trim_start_matches(['`', '~']);
    if text.starts_with(['?', '!']) {
        return open;
    }
    // a fence that names a language opens in any case
    !marks.trim().is_empty() || !open
}

/// A line of dashes under a header.
pub(super) fn is_rule(text: &str) -> bool {
    let text = text.trim();
    text.contains("--") && text.bytes().all(|b| matches!(b, b'-' | b' ' | b'\t'))
}

/// The line without quote marks (`> `), list bullets (`- `, `• `) and list numbers (`3. `, `12) `).
/// Its indentation stays where nothing was stripped.
pub(super) fn strip_marks(line: Line<'_>) -> Line<'_> {
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
    line
}

/// Takes the common indentation off all lines.
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

/// Whether a line outside a fence reads like a sentence or markup and not like a program's output.
pub(super) fn is_prose(text: &str) -> bool {
    let text = text.trim();
    let markup = [
        "#", "- ", "* ", "• ", "+ ", "|", "![", "<", ".. ", "**", "__", "==", "--", "<!--",
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
    // a place such as `main.rs:14:` ends no sentence
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
    fn marks() {
        assert_eq!(stripped("    3. Warning  Failed"), "Warning  Failed");
        assert_eq!(stripped("> > Name: x"), "Name: x");
        assert_eq!(stripped(">= 3"), ">= 3");
        assert_eq!(
            stripped("1.672128505418613e+09\tERROR"),
            "1.672128505418613e+09\tERROR"
        );
        assert_eq!(stripped("10.0.0.1 refused"), "10.0.0.1 refused");
    }

    #[test]
    fn prose() {
        assert!(is_prose(
            "The pod does not start and nobody knows the reason for it."
        ));
        assert!(is_prose("查看日志，发现 pod 没有启动"));
        assert!(is_prose("Events:"));
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
        assert!(is_fence("    ```bash") && fence_opens("```bash", false));
        assert!(fence_opens("```text", true) && !fence_opens("```", true));
    }
}
