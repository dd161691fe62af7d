//! Error text without a log format: output of a program, quoted in a paste.
//!
//! A line whose quotes do not close is joined with the lines that close them, because page layout
//! and YAML wrap long texts. So is a chain of errors that ends in a colon, whose next link is on a
//! line of its own. Sentences quoted in JSON are separate texts (`log/json_sentences.rs`).

mod code_span;
mod reasons;

use super::log;
use crate::input::Line;
use kwhy_model::{Event, Format, Parsed, Severity, TextBuilder};

/// The maximum number of lines in a wrapped text.
pub const MAX_WRAPPED: usize = 24;

/// The maximum number of lines in a chain of errors that was broken between words.
const MAX_CHAINED: usize = 6;

/// Parses each line as an event of its own; wrapped lines become one event.
pub fn parse<'a>(format: Format, lines: &[Line<'a>]) -> Parsed<'a> {
    let mut parsed = Parsed::default();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].trim_start();
        let taken = wrapped(&lines[at..]);
        let message = if taken == 1 {
            kwhy_model::Text::borrowed(line.text.trim_end(), line.start)
        } else {
            join(&lines[at..at + taken])
        };
        let sentences = match taken {
            1 if reasons::is_list(line.text) => reasons::read(line),
            1 => log::json_sentences(line),
            _ => Vec::new(),
        };
        if !sentences.is_empty() {
            let own = sentences.into_iter();
            parsed
                .events
                .extend(own.filter_map(|own| event(format, own)));
            at += 1;
            continue;
        }
        let answer = match taken {
            1 => log::api_status_at_end(line, format),
            _ => None,
        };
        if let Some((before, answer)) = answer {
            if reports_failure(before) {
                let before = kwhy_model::Text::borrowed(before, line.start);
                parsed.events.extend(event(format, before));
            }
            parsed.events.push(answer);
            at += 1;
            continue;
        }
        let pieces = match taken {
            1 => code_span::pieces(line.text.trim_end()),
            _ => Vec::new(),
        };
        if pieces.is_empty() {
            parsed.events.extend(event(format, message));
        }
        for piece in pieces {
            let part = Line {
                text: piece.text,
                start: line.start + piece.start,
                ..line
            };
            let read = piece.is_quoted.then(|| code_span::read(part)).flatten();
            let message = || kwhy_model::Text::borrowed(part.text, part.start);
            match read {
                Some(read) => parsed.append(read),
                None => parsed.events.extend(event(format, message())),
            }
        }
        at += taken;
    }
    parsed
}

/// Returns events for commands whose output follows on the same line, because line breaks were lost: an unquoted colon
/// and a space show such output.
pub(crate) fn after_commands<'a>(lines: &[Line<'a>]) -> Parsed<'a> {
    let mut parsed = Parsed::default();
    for line in lines {
        let mut quote = None;
        let mut before = ' ';
        let has_colon = line.text.chars().any(|c| {
            match quote {
                Some(open) if open == c => quote = None,
                None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
                _ => {}
            }
            let is_colon = quote.is_none() && before == ':' && c == ' ';
            before = c;
            is_colon
        });
        if has_colon {
            let message = kwhy_model::Text::borrowed(line.text.trim_end(), line.start);
            parsed.events.extend(event(Format::Plain, message));
        }
    }
    parsed
}

/// Returns the event of a text, or `None` if it is empty.
fn event(format: Format, message: kwhy_model::Text<'_>) -> Option<Event<'_>> {
    if message.is_empty() {
        return None;
    }
    let severity = severity(message.as_str());
    let event = Event::new(format, message.span(), message);
    Some(Event { severity, ..event })
}

/// Returns true if a sentence quotes an error or a line of output between backticks.
///
/// ```
/// use kwhy_parse::plain::quotes_output;
/// assert!(quotes_output("we see `Error: no berth, lift failed` since Monday"));
/// assert!(!quotes_output("we ran `kubectl get pods`"));
/// ```
pub fn quotes_output(text: &str) -> bool {
    !code_span::pieces(text).is_empty()
}

/// Returns the severity stated after a leading time or number, as checkers print it before each remark.
fn severity(text: &str) -> Option<Severity> {
    let first = text.bytes().find(u8::is_ascii_alphanumeric)?;
    log::stated_severity(text).filter(|_| first.is_ascii_digit())
}

/// Words that report a failure.
const FAILURES: &[&str] = &[
    "abort",
    "aborted",
    "aborting",
    "can't",
    "cannot",
    "couldn't",
    "crashed",
    "denied",
    "error",
    "errors",
    "exception",
    "failed",
    "failure",
    "failures",
    "fatal",
    "forbidden",
    "panic",
    "refused",
    "rejected",
    "traceback",
    "unable",
    "unauthorized",
    "unreachable",
];

/// Pairs of words that together report a failure.
const FAILURES_OF_TWO: &[(&str, &str)] = &[
    ("could", "not"),
    ("can", "not"),
    ("no", "such"),
    ("timed", "out"),
];

/// Words before one of [`FAILURES`] that negate it.
const DENIALS: &[&str] = &["any", "if", "no", "never", "non", "on", "without", "zero"];

/// Returns true if the words of a text report a failure: `couldn't resolve host`, but not `no error`,
/// `errors: 0`, `--on-error` or `failed.go`.
///
/// ```
/// use kwhy_parse::plain::reports_failure;
/// assert!(reports_failure("lift: couldn't reach the berth"));
/// assert!(!reports_failure("lifted 7 boxes, 0 failed, without errors"));
/// ```
pub fn reports_failure(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'\'' || byte >= 0x80;
    let mut before = "";
    // the end of the last word that means zero
    let mut zero = None;
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..]
            .iter()
            .take_while(|byte| is_part(**byte))
            .count();
        if length == 0 {
            at += 1;
            continue;
        }
        let end = at + length;
        let Some(word) = text.get(at..end) else {
            return false;
        };
        let is_sign = |sign: Option<&u8>| {
            sign.is_some_and(|sign| matches!(sign, b'-' | b'_' | b'/' | b'.' | b'$' | b'@'))
        };
        let next = bytes.get(end + 1).copied().unwrap_or(b' ');
        // part of a name: `error-pages`, `/var/failed`, `panic.go`
        let is_name = is_sign(at.checked_sub(1).and_then(|sign| bytes.get(sign)))
            || is_sign(bytes.get(end)) && is_part(next);
        let is = |known: &str| known.eq_ignore_ascii_case(word);
        let follows = |first: &str| first.eq_ignore_ascii_case(before);
        if !is_name && length > 2 {
            let is_plural = word.ends_with(['s', 'S']);
            let is_denied = || {
                DENIALS.iter().any(|denial| follows(denial))
                    || zero.is_some_and(|zero| is_none_of(&text[zero..at]))
                    || (is_plural && follows("for"))
                    || is_nothing(&text[end..])
            };
            let pair = FAILURES_OF_TWO
                .iter()
                .any(|(first, second)| is(second) && follows(first));
            if pair || (FAILURES.iter().any(|known| is(known)) && !is_denied()) {
                return true;
            }
        }
        if matches!(word, "0" | "no" | "No" | "zero") {
            zero = Some(end);
        }
        before = word;
        at = end;
    }
    false
}

/// The maximum number of words between a number and what it counts.
const COUNTED: usize = 2;

/// Returns true if the text between a zero and a word is at most the name of what is counted: `0 chart(s) failed`.
fn is_none_of(between: &str) -> bool {
    let is_clause = between.contains([',', ';', ':', '=', '.', '/']);
    !is_clause && between.split_whitespace().count() <= COUNTED
}

/// Returns true if a text starts with an assignment of nothing: `=0`, `: none`.
fn is_nothing(text: &str) -> bool {
    let Some(value) = text.trim_start_matches('"').strip_prefix([':', '=']) else {
        return false;
    };
    let value = value.trim_start().trim_start_matches(['"', '<']);
    let word = value
        .split(|mark: char| !mark.is_ascii_alphanumeric())
        .next();
    word.is_some_and(|word| {
        ["0", "false", "nil", "no", "none", "null"]
            .iter()
            .any(|nothing| nothing.eq_ignore_ascii_case(word))
    })
}

/// Returns the number of lines in the text at the start: more than one if its quotes close later.
fn wrapped(lines: &[Line<'_>]) -> usize {
    let mut open = Quotes::default();
    // lines that belong to the chain even if the quotes never close
    let mut chained = 1;
    for (at, line) in lines.iter().take(MAX_WRAPPED).enumerate() {
        if line.is_blank() && at > 0 {
            return if open.any() { chained } else { at };
        }
        open.read(line.text);
        if at == 0 && open.any() && open.is_closed_but_for_an_end(line.text) {
            open = Quotes::default();
        }
        let next = lines.get(at + 1).filter(|next| !next.is_blank());
        let continues = next.is_some_and(|next| {
            let is_link = || is_middle(next.text) || is_deeper_link(&lines[0], line, next);
            ends_open(line.text) || (chained > 1 && at < MAX_CHAINED && is_link())
        });
        if continues && chained == at + 1 {
            chained += 1;
        } else if !open.any() {
            return at + 1;
        }
    }
    chained
}

/// Tracks where a text may continue on the next line.
///
/// ```
/// use kwhy_parse::plain::Wrapping;
/// let mut wrapping = Wrapping::default();
/// wrapping.read("crane: lift \"north");
/// assert!(wrapping.may_continue());
/// wrapping.read("");
/// assert!(!wrapping.may_continue());
/// ```
#[derive(Default)]
pub struct Wrapping {
    /// The number of further lines that the last open text may take.
    left: usize,
}

impl Wrapping {
    /// Reads the next line.
    pub fn read(&mut self, line: &str) {
        self.left = if line.trim().is_empty() {
            0
        } else if is_open(line) || ends_open(line) {
            MAX_WRAPPED - 1
        } else {
            self.left.saturating_sub(1)
        };
    }

    /// Returns true if a text before the next line may continue there.
    pub fn may_continue(&self) -> bool {
        self.left > 0
    }
}

/// Returns true if the line is a chain of errors whose next link is on the next line.
pub fn ends_open(line: &str) -> bool {
    let text = line.trim_end();
    text.ends_with(':') && text.contains(": ") && !text.ends_with("::")
}

/// Returns true if the line is a link of a chain that continues on the next line: each link is
/// indented deeper than the one around it.
fn is_deeper_link(first: &Line<'_>, line: &Line<'_>, next: &Line<'_>) -> bool {
    let text = line.text.trim_end();
    text.ends_with(':')
        && !text.ends_with("::")
        && first.indent() < line.indent()
        && line.indent() < next.indent()
}

/// Returns true if the line can only be the middle of a text.
fn is_middle(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with("\\\"") || text.starts_with(['"', ')', ',', ';'])
}

/// Returns true if quotes are still open at the end of the line.
pub fn is_open(line: &str) -> bool {
    let mut quotes = Quotes::default();
    quotes.read(line);
    quotes.any()
}

fn join(lines: &[Line<'_>]) -> kwhy_model::Text<'static> {
    let mut builder = TextBuilder::new();
    let mut end = None;
    for line in lines {
        let line = line.trim_start();
        let text = line.text.trim_end();
        if text.is_empty() {
            continue;
        }
        if let Some(end) = end {
            builder.push_decoded(" ", end..line.start);
        }
        builder.push(text, line.start);
        end = Some(line.start + text.len());
    }
    builder.finish()
}

/// Returns true if a word ends at an offset, where a quote closes rather than opens a quotation. A single letter before
/// a quote may be a prefix: `b"text"`.
pub(crate) fn follows_word(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(2).and_then(|from| bytes.get(from..at));
    before.is_some_and(|before| before.iter().all(u8::is_ascii_alphanumeric))
}

/// The open quotes, distinguished by the number of backslashes before them.
#[derive(Default)]
struct Quotes {
    /// The open quotes with their depth, outermost first.
    open: Vec<(u8, usize)>,
    /// The offset of the first double quote that follows a word while none are open.
    end: Option<usize>,
}

impl Quotes {
    fn any(&self) -> bool {
        !self.open.is_empty()
    }

    /// Returns true if no quotes are open once the first closing quote without an opening one is ignored.
    fn is_closed_but_for_an_end(&self, text: &str) -> bool {
        self.end.is_some_and(|end| {
            let mut rest = Quotes::default();
            rest.read(text.get(end + 1..).unwrap_or(""));
            !rest.any()
        })
    }

    fn read(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut backslashes = 0;
        for (at, &b) in bytes.iter().enumerate() {
            match b {
                b'\\' => {
                    backslashes += 1;
                    continue;
                }
                // an apostrophe between letters is not a quote
                b'\''
                    if at > 0 && bytes[at - 1].is_ascii_alphanumeric() && self.open.is_empty() => {}
                b'"' | b'\'' => {
                    if b == b'"' && follows_word(bytes, at) && self.open.is_empty() {
                        self.end = self.end.or(Some(at));
                    }
                    self.toggle(b, backslashes);
                }
                _ => {}
            }
            backslashes = 0;
        }
    }

    fn toggle(&mut self, quote: u8, depth: usize) {
        // `\"\"": closing a quote closes all quotes opened inside it
        if let Some(at) = self.open.iter().position(|&known| known == (quote, depth)) {
            self.open.truncate(at);
        } else if self.open.len() < 8 {
            self.open.push((quote, depth));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::lines;

    #[test]
    fn output_after_commands() {
        let read = |text| {
            let all: Vec<_> = lines(text).collect();
            after_commands(&all).events.len()
        };
        assert_eq!(
            read("$ kubectl logs crane-02024/03/04 05:06:07 lift \"north\": no berth"),
            1
        );
        for text in [
            "$ kubectl get pods -n quay",
            "$ kubectl logs crane-0 | grep \"lift: no berth\"",
            "$ kubectl patch deploy crane -p '{\"spec\": {\"replicas\": 2}}'",
        ] {
            assert_eq!(read(text), 0, "{text}");
        }
    }

    #[test]
    fn failures_in_words() {
        for text in [
            "lift: (6) Couldn't reach berth 'north'",
            "could not lift",
            "ERROR no berth",
            "[crane] Unable to lift",
            "lift failed.",
            "open /etc/tide: no such file",
            "errors: 7",
            "0/3 cranes are free: lift failed",
            "exit for error 7",
            "no oil, lift failed",
            "Error: none of the berths is free, failed",
        ] {
            assert!(reports_failure(text), "{text}");
        }
        for text in [
            "lifted without error",
            "3 cranes checked, 0 crane(s) failed",
            "no lifts were refused",
            "checking for errors",
            "0 failed, 7 lifted",
            "errors: 0, failed=0",
            "\"error\": null",
            "error: <none>",
            "crane --on-error=stop --retry-failed",
            "at lift (/src/error/panic.go:7)",
            "the tide is high",
            "façade, côté",
            "",
        ] {
            assert!(!reports_failure(text), "{text}");
        }
    }

    #[test]
    fn chains_are_joined_after_a_colon() {
        let text = "failed to list *v1.Tide: tides is forbidden:\nUser \\\"harbour\\\" cannot list resource\n\\\"tides\\\" in API group \\\"\\\" in the namespace \\\"sea\\\"\nnext: line\n\nit says:\nno berth\nlift: no arm:\n\nother\n";
        let all: Vec<_> = lines(text).collect();
        let parsed = parse(Format::Plain, &all);
        let messages: Vec<&str> = parsed
            .events
            .iter()
            .map(|event| event.message.as_str())
            .collect();
        assert_eq!(
            messages,
            [
                "failed to list *v1.Tide: tides is forbidden: User \\\"harbour\\\" cannot list resource \\\"tides\\\" in API group \\\"\\\" in the namespace \\\"sea\\\"",
                "next: line",
                "it says:",
                "no berth",
                "lift: no arm:",
                "other",
            ]
        );
    }

    #[test]
    fn links_that_are_indented_deeper_are_joined() {
        let text = "Error: not stored: harbour says no to:\n  berth 7:\n    crane: out of oil\n  berth 8:\n  note\n";
        let all: Vec<_> = lines(text).collect();
        let parsed = parse(Format::Plain, &all);
        let messages = parsed.events.iter().map(|event| event.message.as_str());
        let wanted = [
            "Error: not stored: harbour says no to: berth 7: crane: out of oil",
            "berth 8:",
            "note",
        ];
        assert_eq!(messages.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn a_quote_that_only_ends_joins_nothing() {
        let text =
            "lift of arm, name=crane\", tag=seven\nvisible is the arm\nname=berth\", tag=two\n";
        let all: Vec<_> = lines(text).collect();
        assert_eq!(parse(Format::Plain, &all).events.len(), 3);
    }

    #[test]
    fn wrapped_quotes_are_joined() {
        let text = "state: waiting\nmessage: 'create failed: container_linux.go:1:\n  starting caused \"mounting \\\"/a\\\"\n  caused \\\"not found\\\"\"'\nready: false\ndon't\n";
        let all: Vec<_> = lines(text).collect();
        let parsed = parse(Format::Plain, &all);
        let messages: Vec<&str> = parsed
            .events
            .iter()
            .map(|event| event.message.as_str())
            .collect();
        assert_eq!(messages.len(), 4);
        assert_eq!(
            messages[1],
            "message: 'create failed: container_linux.go:1: starting caused \"mounting \\\"/a\\\" caused \\\"not found\\\"\"'"
        );
        let at = messages[1].find("mounting").unwrap();
        assert_eq!(
            &text[parsed.events[1].message.source_span(at..at + 8)],
            "mounting"
        );
    }
}
