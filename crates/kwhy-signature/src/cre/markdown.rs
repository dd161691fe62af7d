//! Converts Markdown to plain steps that every renderer can show.

/// The maximum number of steps per text.
const MAX_STEPS: usize = 24;

/// Returns the paragraphs and list items of a text, without emphasis; commands keep their backquotes.
pub(super) fn steps(markdown: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    let mut open = String::new();
    let mut is_code = false;
    let end = |open: &mut String, steps: &mut Vec<String>| {
        let text = line(&std::mem::take(open));
        if !text.is_empty() && steps.len() < MAX_STEPS {
            steps.push(text);
        }
    };
    for written in markdown.lines() {
        let text = written.trim();
        if text.starts_with("```") || text.starts_with("~~~") {
            end(&mut open, &mut steps);
            is_code = !is_code;
            continue;
        }
        if is_code {
            if !text.is_empty() {
                let mut code = format!("`{}`", text.replace('`', "'"));
                end(&mut code, &mut steps);
            }
            continue;
        }
        let item = item(text);
        let heading = text.trim_start_matches('#');
        let is_heading = heading.len() < text.len() && heading.starts_with(' ');
        if text.is_empty() || item.is_some() || is_heading {
            end(&mut open, &mut steps);
        }
        if !open.is_empty() {
            open.push(' ');
        }
        open.push_str(
            item.unwrap_or(if is_heading { heading } else { text })
                .trim(),
        );
        if is_heading {
            end(&mut open, &mut steps);
        }
    }
    end(&mut open, &mut steps);
    steps
}

/// Returns the text of a list item.
fn item(text: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ ", "• "]
        .into_iter()
        .find_map(|mark| text.strip_prefix(mark));
    bullet.or_else(|| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let rest = text.get(digits..).filter(|_| (1..3).contains(&digits))?;
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))
    })
}

/// Returns a text on one line without emphasis; links are followed by their address.
pub(super) fn line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    // the marker of the open emphasis
    let mut emphasis = None;
    while let Some(at) = rest.find(['`', '*', '_', '[']) {
        plain.push_str(&rest[..at]);
        let from = &rest[at..];
        if let Some(code) = from.strip_prefix('`') {
            // emphasis does not occur in commands
            let end = code.find('`').map_or(from.len(), |end| end + 2);
            plain.push_str(&from[..end]);
            rest = &from[end..];
        } else if let Some((text, address, after)) = link(from) {
            plain.push_str(text);
            if text != address {
                plain.push_str(&format!(" ({address})"));
            }
            rest = after;
        } else if let Some(mark) = mark(from).filter(|mark| match emphasis {
            Some(open) => open == *mark,
            None => opens_emphasis(&plain, mark, &from[mark.len()..]),
        }) {
            emphasis = emphasis.is_none().then_some(mark);
            rest = &from[mark.len()..];
        } else {
            plain.push_str(&from[..1]);
            rest = &from[1..];
        }
    }
    plain.push_str(rest);
    plain
}

/// Returns the marker of strong emphasis at the start of a text.
fn mark(text: &str) -> Option<&'static str> {
    ["**", "__"].into_iter().find(|mark| text.starts_with(mark))
}

/// Returns true if a marker between two texts starts emphasis: it encloses words and is closed, unlike in `__offsets`
/// and `logs/**`.
fn opens_emphasis(before: &str, mark: &str, after: &str) -> bool {
    let is_closed = after
        .find(mark)
        .is_some_and(|at| at > 0 && !after[..at].ends_with(' '));
    !before.ends_with(|c: char| c.is_alphanumeric() || c == '/')
        && !after.starts_with([' ', '/'])
        && is_closed
}

/// Parses a link: its text, its address, and the text after it.
fn link(from: &str) -> Option<(&str, &str, &str)> {
    let (text, rest) = from.strip_prefix('[')?.split_once("](")?;
    let (address, after) = rest.split_once(')')?;
    let is_one = !text.contains(['[', ']']) && !address.contains(char::is_whitespace);
    is_one.then_some((text, address, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_paragraphs_are_steps() {
        let text = "Do **one** of:\n- Fill the `shelf_*`\n  today\n* See [the guide](https://x.example/a)\n\n1. Wait\n## Then\nrun\n```sh\nls -l\n```\nlast __word__ a_b*c";
        assert_eq!(
            steps(text),
            [
                "Do one of:",
                "Fill the `shelf_*` today",
                "See the guide (https://x.example/a)",
                "Wait",
                "Then",
                "run",
                "`ls -l`",
                "last word a_b*c",
            ]
        );
        assert!(steps("").is_empty() && steps("- \n- \n").iter().all(|step| !step.is_empty()));
        assert_eq!(steps(&"- x\n".repeat(1000)).len(), MAX_STEPS);
    }

    #[test]
    fn what_is_not_closed_stays() {
        assert_eq!(line("a `b [c"), "a `b [c");
        assert_eq!(line("[a] (b) [c](d e)"), "[a] (b) [c](d e)");
        for text in [
            "the topic __offsets",
            "logs/**/*.gz of a/**/b",
            "2 ** 3 and 4 ** 5",
            "a__b__c",
        ] {
            assert_eq!(line(text), text);
        }
        assert_eq!(line("**a b**: __c__, (**d**)"), "a b: c, (d)");
    }
}
