//! Stack traces after a record, line by line: Go, Java (also Kotlin and Scala), Python with chained
//! exceptions and groups, Node.
//!
//! Java: Throwable.printStackTrace of Java 17, and its variants in logback and log4j2. Python:
//! traceback of 3.11. Node: Error.stack of V8.

use super::stack_frame::{is_dump_head, is_frame};

/// The role of a line in a stack trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A frame, or a line around frames.
    Frame,
    /// An error's name and message, from this offset of the line.
    Error(usize),
    /// A further line of an error's message.
    Message,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// In frames of Go, Java or Node.
    Frames,
    /// After the first line of a Java error, whose message may continue.
    Head,
    /// After `Traceback`: its frames, then the error.
    Python,
    /// After a Python error, whose message may continue.
    PythonError,
    /// After a sentence that chains two Python errors.
    Between,
    /// In a group of Python errors.
    Group,
}

/// The state of a stack trace.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trace {
    state: State,
}

const PYTHON: &str = "Traceback (most recent call last):";
const CHAINS: [&str; 2] = [
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
];

impl Trace {
    /// Accepts a non-blank line on which no record starts; `None` if it may not belong to the
    /// trace.
    pub(crate) fn take(&mut self, line: &str) -> Option<Part> {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        match self.state {
            State::Python if indent > 0 => return Some(Part::Frame),
            State::Python => {
                self.state = State::PythonError;
                return Some(Part::Error(0));
            }
            State::Group if indent > 0 && bare.starts_with(['|', '+']) => {
                let inside = bare.trim_start_matches('|');
                let text = inside.strip_prefix(' ').unwrap_or(inside);
                // the error of the group, not those in it
                let is_error = indent == 2 && bare.starts_with('|') && is_head(text);
                return Some(if is_error {
                    Part::Error(line.len() - text.len())
                } else {
                    Part::Frame
                });
            }
            _ => {}
        }
        if bare.starts_with(PYTHON) {
            self.state = State::Python;
        } else if bare.starts_with("+ Exception Group ") && indent > 0 {
            self.state = State::Group;
        } else if CHAINS.contains(&bare) {
            self.state = State::Between;
        } else if let Some(start) = error_start(bare, indent) {
            // suppressed exceptions and their causes do not explain the failure
            if indent > 0 {
                self.state = State::Frames;
                return Some(Part::Frame);
            }
            self.state = State::Head;
            return Some(Part::Error(start));
        } else if (indent > 0 && is_at(bare)) || is_frame(line) {
            self.state = State::Frames;
        } else {
            return None;
        }
        Some(Part::Frame)
    }

    /// Accepts a line as the start of an error that frames follow, or as a further line of an
    /// error's message.
    pub(crate) fn take_error(&mut self, line: &str) -> Option<Part> {
        match self.state {
            State::Head | State::PythonError => Some(Part::Message),
            _ if is_head(line) => {
                self.state = State::Head;
                Some(Part::Error(0))
            }
            _ => None,
        }
    }

    /// Returns true if a line after a blank one belongs to the trace.
    pub(crate) fn continues_with(&self, line: &str) -> bool {
        is_dump_head(line)
            || CHAINS.contains(&line)
            || (self.state == State::Between && line.starts_with(PYTHON))
    }

    /// Returns true if any line was accepted.
    pub(crate) fn is_open(&self) -> bool {
        self.state != State::Outside
    }

    /// Returns true if the next lines may continue an error's message.
    pub(crate) fn is_in_message(&self) -> bool {
        matches!(self.state, State::Head | State::PythonError)
    }
}

/// Returns true if the line is the heading of a Python traceback.
pub(crate) fn is_heading(line: &str) -> bool {
    line.trim_start().starts_with(PYTHON)
}

/// Returns true if a line with this role, on its own, starts a trace rather than continuing one.
pub fn begins(part: Part, line: &str) -> bool {
    match part {
        Part::Error(start) => start == 0 || line.starts_with("Exception in thread "),
        Part::Frame => is_heading(line),
        Part::Message => false,
    }
}

/// Returns the offset of the error's name after `Caused by: ` and the like.
fn error_start(bare: &str, indent: usize) -> Option<usize> {
    const OUTER: [&str; 2] = ["Caused by: ", "Wrapped by: "];
    if let Some(start) = OUTER.iter().find(|start| bare.starts_with(**start)) {
        return Some(start.len());
    }
    if indent > 0 && bare.starts_with("Suppressed: ") {
        return Some("Suppressed: ".len());
    }
    // `Exception in thread "main" java.lang.Error: text`
    let thread = bare.strip_prefix("Exception in thread \"")?;
    let name = thread.find("\" ")? + 2;
    Some(bare.len() - thread.len() + name)
}

/// Returns true for a frame of Java (`at a.B.c(B.java:7)`, `... 3 more`) or Node (`at run
/// (/srv/a.js:1:2)`).
fn is_at(bare: &str) -> bool {
    if let Some(rest) = bare.strip_prefix("... ") {
        return rest.starts_with(|c: char| c.is_ascii_digit())
            && (rest.ends_with(" more") || rest.ends_with("common frames omitted"));
    }
    let Some(place) = bare.strip_prefix("at ") else {
        return false;
    };
    let is_node = place
        .bytes()
        .rev()
        .find(|byte| !byte.is_ascii_digit() && *byte != b')')
        == Some(b':');
    is_node || (place.contains('(') && place.contains(')'))
}

/// Returns true if a line may be a function name in no known format, with its location on the next
/// line.
pub(crate) fn may_be_function(line: &str) -> bool {
    line.contains('.') && !line.trim().contains(' ')
}

/// Returns true if a line looks like an error's name with or without a message:
/// `java.io.IOException: text`, `TypeError: text`.
pub(crate) fn is_head(line: &str) -> bool {
    const ENDS: [&str; 6] = [
        "Error",
        "Exception",
        "Throwable",
        "Interrupt",
        "Fault",
        "ExceptionGroup",
    ];
    let length = line
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"._$".contains(byte))
        .count();
    let Some((name, rest)) = line.split_at_checked(length) else {
        return false;
    };
    let class = name.rsplit(['.', '$']).next().unwrap_or(name);
    let is_class = class.starts_with(|c: char| c.is_ascii_uppercase());
    let dotted = name.len() > class.len()
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !name.contains("..");
    let ends = rest.is_empty() || rest.starts_with(": ") || rest == ":";
    is_class && ends && (dotted || ENDS.iter().any(|end| class.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<Option<Part>> {
        let mut trace = Trace::default();
        text.lines()
            .map(|line| trace.take(line).or_else(|| trace.take_error(line)))
            .collect()
    }

    #[test]
    fn java() {
        let text = "io.quay.CraneException: arm \"a\" is stuck\n\tat io.quay.Crane.lift(Crane.java:7) ~[app.jar:?]\n\t... 4 more\nCaused by: java.io.IOException: two\nlines\n\tSuppressed: io.quay.X: y\n\t\t... 3 common frames omitted\n";
        let error = |start| Some(Part::Error(start));
        let frame = Some(Part::Frame);
        assert_eq!(
            parts(text),
            [
                error(0),
                frame,
                frame,
                error(11),
                Some(Part::Message),
                frame,
                frame
            ]
        );
    }

    #[test]
    fn python() {
        let text = "Traceback (most recent call last):\n  File \"/srv/a.py\", line 3, in run\n    lift()\nKeyError: 'arm'\nDuring handling of the above exception, another exception occurred:\nTraceback (most recent call last):\n  File \"/srv/a.py\", line 5, in run\nStuck\n";
        let found = parts(text);
        assert_eq!(found[3], Some(Part::Error(0)));
        assert_eq!(found[7], Some(Part::Error(0)));
        assert!(found.iter().all(Option::is_some));
    }

    #[test]
    fn other_lines() {
        for line in [
            "at noon",
            "  at noon",
            "Name: web-0",
            "a.b.c",
            "... and so on",
            "Error",
        ] {
            assert_eq!(Trace::default().take(line), None, "{line}");
        }
        assert!(is_head("TypeError: x is not a function"));
        assert!(!is_head("Name: web-0") && !is_head("web.shop.svc: refused"));
    }
}
