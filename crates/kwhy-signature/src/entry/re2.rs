//! Regular expressions with RE2's semantics, translated for the `regex` crate's parser.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};

use crate::case::mapped;

/// The maximum nesting depth of groups.
const MAX_DEPTH: u32 = 100;

/// The maximum number of repetitions that RE2 allows.
const MAX_REPEAT: u32 = 1000;

/// Parses an expression.
pub(super) fn parse(source: &str) -> Result<Hir, String> {
    let hir = ParserBuilder::new()
        .utf8(false)
        .dot_matches_new_line(true)
        .nest_limit(MAX_DEPTH)
        .build()
        .parse(&translated(source)?);
    let hir = hir.map_err(|error| match error {
        regex_syntax::Error::Parse(error) => first_line(&error.kind().to_string()),
        regex_syntax::Error::Translate(error) => first_line(&error.kind().to_string()),
        other => first_line(&other.to_string()),
    })?;
    Ok(without_odd_letters(&hir))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// Translates an RE2 expression to the syntax of the `regex` crate.
fn translated(source: &str) -> Result<String, String> {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\\' => escape(after, &mut out, false)?,
            '[' => class(after, &mut out)?,
            '{' => match repeat(rest) {
                Some(counts) => {
                    check_repeat(counts)?;
                    out.push_str(counts);
                    &rest[counts.len()..]
                }
                None => {
                    out.push_str("\\{");
                    after
                }
            },
            '(' => group(rest, &mut out)?,
            _ => {
                out.push(c);
                after
            }
        };
    }
    Ok(out)
}

/// Translates the start of a group, refusing flags that only the `regex` crate knows. Returns the rest.
fn group<'s>(rest: &'s str, out: &mut String) -> Result<&'s str, String> {
    let after = &rest[1..];
    out.push('(');
    let Some(flags) = after.strip_prefix('?') else {
        return Ok(after);
    };
    if flags.starts_with(['=', '!']) || flags.starts_with("<=") || flags.starts_with("<!") {
        return Err("look-around is not allowed".into());
    }
    let end = flags.find([':', ')', '<']).unwrap_or(flags.len());
    let set = &flags[..end];
    if let Some(unknown) = set.chars().find(|flag| !"imsU-P".contains(*flag)) {
        return Err(format!("unknown flag {unknown:?}: RE2 has i, m, s and U"));
    }
    Ok(after)
}

/// Returns the counted repetition at the start of a text, if there is one.
fn repeat(text: &str) -> Option<&str> {
    let end = text.find('}')?;
    let inside = text.get(1..end)?;
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (!least.is_empty() && is_number(least) && is_number(most)).then(|| &text[..=end])
}

fn check_repeat(counts: &str) -> Result<(), String> {
    let numbers = counts
        .trim_matches(['{', '}'])
        .split(',')
        .filter(|n| !n.is_empty());
    for number in numbers {
        if number.parse::<u32>().map_or(true, |n| n > MAX_REPEAT) {
            return Err(format!(
                "{counts} repeats more than {MAX_REPEAT} times, which RE2 refuses"
            ));
        }
    }
    Ok(())
}

/// Translates an escape, whose backslash has been consumed. Returns the rest.
fn escape<'s>(after: &'s str, out: &mut String, in_class: bool) -> Result<&'s str, String> {
    let Some(c) = after.chars().next() else {
        return Err("a backslash at the end".into());
    };
    let rest = &after[c.len_utf8()..];
    let ascii = |inside: &str, out: &mut String| {
        if in_class {
            out.push_str(inside);
        } else {
            out.push('[');
            out.push_str(inside);
            out.push(']');
        }
    };
    match c {
        'd' => ascii("0-9", out),
        'w' => ascii("0-9A-Za-z_", out),
        's' => ascii(r"\t\n\x0c\r ", out),
        // classes may be nested inside classes
        'D' => out.push_str("[^0-9]"),
        'W' => out.push_str("[^0-9A-Za-z_]"),
        'S' => out.push_str(r"[^\t\n\x0c\r ]"),
        'b' if !in_class => out.push_str(r"(?-u:\b)"),
        'B' if !in_class => out.push_str(r"(?-u:\B)"),
        'Q' if !in_class => {
            let end = rest.find("\\E").unwrap_or(rest.len());
            out.push_str(&regex_syntax::escape(&rest[..end]));
            return Ok(rest.get(end + 2..).unwrap_or(""));
        }
        '0'..='7' => {
            let digits = after
                .bytes()
                .take(3)
                .take_while(|b| (b'0'..=b'7').contains(b));
            let length = digits.count();
            if c != '0' && length < 2 {
                return Err(format!("back-reference \\{c} is not allowed"));
            }
            let code = u32::from_str_radix(&after[..length], 8).unwrap_or(0);
            out.push_str(&format!("\\x{{{code:x}}}"));
            return Ok(&after[length..]);
        }
        'C' => return Err("\\C, any byte, is not allowed".into()),
        '8' | '9' => return Err(format!("back-reference \\{c} is not allowed")),
        'A' | 'z' | 'a' | 'f' | 'n' | 'r' | 't' | 'v' | 'p' | 'P' | 'x' => {
            out.push('\\');
            out.push(c);
        }
        c if c.is_ascii_alphanumeric() => {
            return Err(format!("unknown escape \\{c}"));
        }
        c => out.push_str(&regex_syntax::escape(c.encode_utf8(&mut [0; 4]))),
    }
    Ok(rest)
}

/// Translates a bracketed class, whose opening bracket has been consumed. Returns the rest.
fn class<'s>(after: &'s str, out: &mut String) -> Result<&'s str, String> {
    out.push('[');
    let mut rest = after;
    if let Some(negated) = rest.strip_prefix('^') {
        out.push('^');
        rest = negated;
    }
    let mut is_first = true;
    loop {
        let Some(c) = rest.chars().next() else {
            return Err("a class without its closing bracket".into());
        };
        let next = &rest[c.len_utf8()..];
        rest = match c {
            ']' if !is_first => {
                out.push(']');
                return Ok(next);
            }
            '\\' => escape(next, out, true)?,
            '[' if rest.starts_with("[:") && rest.contains(":]") => {
                let end = rest.find(":]").map_or(rest.len(), |at| at + 2);
                out.push_str(&rest[..end]);
                &rest[end..]
            }
            // the `regex` crate gives these a special meaning in classes
            '[' | ']' | '&' | '~' => {
                out.push('\\');
                out.push(c);
                next
            }
            '-' if is_first || next.starts_with(']') || next.starts_with('-') => {
                out.push_str("\\-");
                next
            }
            _ => {
                out.push(c);
                next
            }
        };
        is_first = false;
    }
}

/// Returns true if a match may contain a line break.
pub(super) fn spans_lines(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(Class::Unicode(class)) => {
            let mut ranges = class.ranges().iter();
            ranges.any(|range| range.start() <= '\n' && '\n' <= range.end())
        }
        HirKind::Class(Class::Bytes(class)) => {
            let mut ranges = class.ranges().iter();
            ranges.any(|range| range.start() <= b'\n' && b'\n' <= range.end())
        }
        HirKind::Repetition(repeated) => spans_lines(&repeated.sub),
        HirKind::Capture(group) => spans_lines(&group.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(spans_lines),
    }
}

/// Returns the expression without the two non-ASCII letters that case folding equates with `k` and `s`: no log means
/// them, and without them the required texts can be determined.
fn without_odd_letters(hir: &Hir) -> Hir {
    mapped(hir, &|hir| match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            let of = |letters: &[char]| {
                ClassUnicode::new(letters.iter().map(|c| ClassUnicodeRange::new(*c, *c)))
            };
            let mut class = class.clone();
            for [small, large, odd] in [['k', 'K', '\u{212a}'], ['s', 'S', '\u{17f}']] {
                if class == of(&[small, large, odd]) {
                    class = of(&[small, large]);
                }
            }
            Hir::class(Class::Unicode(class))
        }
        _ => hir.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{EntryMatch, EntryTerm};

    fn finds(source: &str, text: &str) -> bool {
        let term = EntryTerm::regex(source).unwrap_or_else(|error| panic!("{source}: {error}"));
        matches!(term.find(text), EntryMatch::At(_))
    }

    #[test]
    fn classes_are_of_ascii() {
        assert!(finds(r"a\d+", "a12") && !finds(r"^\d$", "\u{663}"));
        assert!(finds(r"^[\d_]+$", "1_2") && finds(r"^[^\s]+$", "ab") && finds(r"^[\D]$", "x"));
        assert!(!finds(r"\w", "\u{e9}") && finds(r"\W", "\u{e9}"));
        assert!(finds(r"\bfoo\b", "a foo b") && !finds(r"\bfoo\b", "afoo"));
        assert!(finds(r"^[[:alpha:]]+\z", "abc") && finds(r"\pL", "\u{e9}"));
        assert!(
            !finds(r"^\s$", "\u{b}"),
            "a vertical tab is no space of RE2"
        );
    }

    #[test]
    fn marks_that_mean_themselves() {
        assert!(finds(r"^[[]$", "[") && finds("^[]a]$", "]") && finds("^[a&&b]$", "&"));
        assert!(finds("^[-a]$", "-") && finds("^[a-]$", "-") && finds("^[~~]$", "~"));
        assert!(finds("a{", "a{") && finds("^{x}$", "{x}") && finds("a{1,2}b", "aab"));
        assert!(finds(r"\_\-\/\Qa.b\E\.", "_-/a.b.") && !finds(r"\Qa.b\E", "axb"));
        assert!(finds(r"^\101\x42\x{43}$", "ABC"));
        assert!(finds("what()", "x what"), "an empty group");
    }

    #[test]
    fn a_dot_reaches_over_lines_and_bounds_are_of_the_text() {
        assert!(finds("one.*two", "one\ntwo") && !finds("^two", "one\ntwo"));
        assert!(finds("(?m)^two$", "one\ntwo\n"));
        assert!(finds("(?i)KAFKA is down", "kafka IS down") && !finds("(?i)k", "\u{212a}"));
        assert!(finds("(?P<n>x)(?:y)(?<m>z)", "xyz"));
    }

    #[test]
    fn what_re2_refuses() {
        for source in [
            "(?=x)", "(?!x)", "(?<=x)", "(?<!x)", r"(a)\1", "a**b(", "[a", r"\C", r"\y", "a{1001}",
            "(?x)a", r"\", "(", "*a",
        ] {
            assert!(EntryTerm::regex(source).is_err(), "{source}");
        }
    }
}
