//! Events tables of `kubectl describe` and `kubectl get events`.
//!
//! Sources: kubernetes/kubectl `pkg/describe/describe.go` (`DescribeEvents`), `pkg/cmd/events`
//! (`kubectl events`) and kubernetes/kubernetes `pkg/printers/internalversion/printers.go`
//! (`printEvent`), from the oldest releases to 1.36.
//!
//! Accepted: describe's `Type Reason Age From Message` with its line of dashes, without the From
//! cell (up to 1.19), with the node in it (`kubelet, node-1`), with a field path before the message
//! (since 1.35), and the layout up to 1.8 (`FirstSeen LastSeen Count From SubObjectPath Type Reason
//! Message`); `LAST SEEN TYPE REASON OBJECT MESSAGE` with a NAMESPACE column, with `-o wide`, and
//! the layout up to 1.10 (`LAST SEEN FIRST SEEN COUNT NAME KIND SUBOBJECT TYPE REASON SOURCE
//! MESSAGE`); both of these without a type (up to 1.1), when reasons started with a lower-case
//! letter, sources were in braces and times were timestamps; and custom columns with those names.
//!
//! Cells are cut at the header's offsets. If the columns were squeezed to single spaces, or the
//! header is missing, a row is parsed by its grammar; so is a row on the header's own line, after
//! its rule. A row without age and source is accepted only if two spaces are left between its
//! cells. A placeholder that the author put in place of an age (`...`, `<time>`, `xxx`) is an
//! unknown age.
//!
//! A line that is not a row continues the message of the previous row. Lines that a terminal
//! wrapped at its width are joined first, so a row may be cut anywhere, even inside a word. Lines
//! before the first row that are not rows are refused, as are tables with a column that events do
//! not have (Conditions).

mod header;
mod row;
mod source;
mod subject;
mod untyped;

use header::Header;
use row::Row;

use super::table::columns::{self, Cell, Columns};
use super::table::unwrap::{self, LogicalLine};

use crate::input::{Line, is_continued};
use kwhy_model::{Event, Field, Format, Parsed, Severity, Span, Text, TextBuilder};

/// Returns true if the line is the header of an Events table.
///
/// ```
/// use kwhy_parse::events::is_header;
/// assert!(is_header("  Type     Reason   Age   From     Message"));
/// assert!(is_header("LAST SEEN   TYPE   REASON   OBJECT   MESSAGE"));
/// assert!(!is_header("  Type   Status   LastProbeTime   Reason   Message"));
/// ```
pub fn is_header(line: &str) -> bool {
    Header::read(line).is_some()
}

/// Returns the columns of an Events header that ends with the message, and the index of the type.
pub(crate) fn columns(line: &str) -> Option<(Columns<'_>, usize)> {
    Header::read(line)?.layout()
}

/// Returns true if the line on its own is certainly a row of an Events table, even without its
/// header.
///
/// ```
/// use kwhy_parse::events::is_row;
/// assert!(is_row("Warning BackOff 5s (x7 over 2m) kubelet, node-1 Back-off pulling image"));
/// assert!(is_row("5s    Normal   Started   pod/web-0   Started container web"));
/// assert!(!is_row("Normal operation resumes after 5m"));
/// assert!(!is_row("Warning: the kubelet was restarted"));
/// ```
pub fn is_row(line: &str) -> bool {
    let line = Line {
        text: line,
        start: 0,
        number: 1,
    };
    Row::read(None, &line).is_some()
}

/// Parses the lines of one Events table, with or without its header; several tables, each with its
/// header, may follow one another.
///
/// The subject is the object named in the table. A describe's table does not name it: there, the
/// pod is taken from messages that name one and applies to the rows that name none. If the whole
/// describe is available, its own name takes precedence.
///
/// ```
/// use kwhy_model::Severity;
/// use kwhy_parse::{events, input::lines};
/// let text = "\
/// Type Reason Age From Message
/// ---- ------ ---- ---- -------
/// Normal Scheduled 9m default-scheduler Successfully assigned shop/web-0 to node-1
/// Warning Failed 5s (x4 over 8m) kubelet Error: secret \"login\" not found";
/// let parsed = events::parse(&lines(text).collect::<Vec<_>>());
/// let failed = &parsed.events[1];
/// assert_eq!(failed.severity, Some(Severity::Warning));
/// assert_eq!((failed.count, failed.age.unwrap().seconds), (4, 5));
/// assert_eq!(failed.message.as_str(), "Error: secret \"login\" not found");
/// assert_eq!(failed.subject.to_string(), "Pod shop/web-0");
/// ```
pub fn parse<'a>(lines: &[Line<'a>]) -> Parsed<'a> {
    let mut parsed = Parsed::default();
    let mut header: Option<Header<'_>> = None;
    let mut table: Vec<Event<'a>> = Vec::new();
    let mut open: Option<OpenRow<'a, '_>> = None;
    let joined = unwrap::join(lines, |line| is_start(line.text));
    let longest = unwrap::longest(lines);
    let longest = if are_broken_at_words(lines, longest) {
        usize::MAX
    } else {
        longest
    };
    for whole in &joined {
        let line = whole.line();
        // a message may contain a title of its own
        if is_decoration(line.text) || (open.is_none() && is_title(line.text)) {
            continue;
        }
        if let Some(found) = Header::read(whole.text.as_str()) {
            table.extend(open.take().map(OpenRow::close));
            subject::complete(&mut table);
            parsed.events.append(&mut table);
            let row = header::rule(line.text).and_then(|rule| {
                let row = Line {
                    text: line.text.get(rule.end..)?,
                    start: line.start + rule.end,
                    number: line.number,
                };
                Row::read(Some(&found), &row)
            });
            open = row.map(|row| OpenRow::new(row, whole));
            header = Some(found);
        } else if let Some(row) = Row::read(header.as_ref(), &line) {
            table.extend(open.take().map(OpenRow::close));
            open = Some(OpenRow::new(row, whole));
        } else if let Some(open) = &mut open {
            open.append(whole, longest);
        } else {
            parsed.not_understood.extend(whole.numbers());
        }
    }
    table.extend(open.take().map(OpenRow::close));
    subject::complete(&mut table);
    parsed.events.append(&mut table);
    parsed
}

/// Returns true if messages were wrapped between words rather than at a fixed width: a line in the middle of a message
/// is shorter than the longest.
fn are_broken_at_words(lines: &[Line<'_>], longest: usize) -> bool {
    let continues = |line: &Line<'_>| !line.is_blank() && !is_start(line.text);
    lines.windows(2).any(|pair| {
        let is_shorter = unwrap::width_of(&pair[0]) + 1 < longest;
        pair.iter().all(continues) && is_shorter
    })
}

/// Returns true if the line starts a row, header or title, and so continues no previous line.
pub fn is_start(line: &str) -> bool {
    Row::is_start(line) || is_header(line) || is_title(line)
}

/// Returns true if the line is decoration: empty, dashes, or dots for removed text.
fn is_decoration(line: &str) -> bool {
    let line = line.trim();
    line.chars().all(is_rule) || line.bytes().all(|byte| byte == b'.')
}

/// Returns true for the characters of the rule below a header; editors draw lines instead of
/// dashes.
fn is_rule(c: char) -> bool {
    matches!(c, '-' | ' ' | '\t' | '\u{2500}' | '\u{2501}' | '\u{2014}')
}

/// Returns true for `Events:`, above the table or in its place.
fn is_title(line: &str) -> bool {
    line.trim()
        .strip_prefix("Events:")
        .is_some_and(|rest| matches!(rest.trim(), "" | "<none>"))
}

/// A row whose message may continue.
struct OpenRow<'a, 'r> {
    row: Row<'r>,
    whole: &'r LogicalLine<'a>,
    span: Span,
    /// The message, once it has more than one line.
    multiline: Option<TextBuilder>,
    /// The width of its last line.
    width: usize,
    /// Its last line.
    last: &'r str,
}

impl<'a, 'r> OpenRow<'a, 'r> {
    fn new(row: Row<'r>, whole: &'r LogicalLine<'a>) -> Self {
        OpenRow {
            row,
            whole,
            span: whole.trimmed_span(),
            multiline: None,
            width: unwrap::width_of(&whole.line()),
            last: whole.text.as_str(),
        }
    }

    /// Appends a line to the message. A line that starts below the message or right of it was
    /// wrapped to fit its column, and one that continues a sentence was broken by hand; any other
    /// follows a newline in the message. `kubectl get` alone prints a message only up to its first
    /// newline: there, the line after the longest one was wrapped.
    fn append(&mut self, whole: &'r LogicalLine<'a>, longest: usize) {
        let message = self.whole.cell(self.row.message);
        let multiline = self.multiline.get_or_insert_with(|| {
            let mut builder = TextBuilder::new();
            builder.push_text(&message);
            builder
        });
        let text = whole.text.trim();
        let span = text.span();
        if !multiline.is_empty() {
            let column = screen_position(self.whole.text.as_str(), self.row.message.start);
            let is_below =
                screen_position(whole.text.as_str(), whole.line().indent()) >= column.max(1);
            let joint = match self.row.is_of_server() {
                _ if is_below => " ",
                true if self.width == longest => "",
                // copying lost the space at which the line was wrapped
                true if longest < usize::MAX => " ",
                _ if self.width.checked_add(1) == Some(longest) => " ",
                _ if is_continued(self.last, text.as_str()) => " ",
                _ => "\n",
            };
            multiline.push_decoded(joint, self.span.end..span.start);
        }
        multiline.push_text(&text);
        self.span.end = span.end;
        self.width = unwrap::width_of(&whole.line());
        self.last = whole.text.as_str();
    }

    fn close(self) -> Event<'a> {
        let OpenRow { row, whole: of, .. } = self;
        let whole = match self.multiline {
            Some(builder) => builder.finish(),
            None => of.cell(row.message),
        };
        let (path, skipped) = subject::field_path(whole.as_str());
        let mut subject = subject::of_row(&row);
        subject.container = path
            .and_then(subject::container_of_path)
            .or_else(|| subject::container_of_path(row.subobject.text))
            .or_else(|| subject::container_of_message(&whole.as_str()[skipped..]))
            .map(str::to_owned);
        let message = if skipped == 0 {
            whole
        } else {
            whole.slice(skipped..whole.as_str().len())
        };
        let format = if row.is_get {
            Format::EventsTable
        } else {
            Format::DescribeEvents
        };
        let filled =
            |cell: Cell<'_>| -> Option<Text<'a>> { (!cell.is_empty()).then(|| of.cell(cell)) };
        let fields = [
            ("namespace", row.namespace),
            ("subobject", row.subobject),
            ("host", row.host),
            ("name", row.event_name),
        ];
        Event {
            time: row.seen.time,
            age: row.seen.last,
            first_age: row.seen.first,
            count: row.seen.count.unwrap_or(1),
            severity: match row.kind_of_event.text {
                "" if row.reason.is_empty() => None,
                "" => Some(untyped::severity_of(row.reason.text)),
                kind => Severity::from_word(kind),
            },
            component: filled(row.component),
            subject,
            reason: filled(row.reason).map(capitalised),
            fields: fields
                .into_iter()
                .filter_map(|(key, cell)| Some(Field::text(key, filled(cell)?)))
                .collect(),
            ..Event::new(format, self.span, message)
        }
    }
}

/// Capitalises a reason as releases since 1.1 write it.
fn capitalised(reason: Text<'_>) -> Text<'_> {
    let text = reason.as_str();
    let first = text
        .as_bytes()
        .first()
        .filter(|byte| byte.is_ascii_lowercase());
    let Some(first) = first.map(|byte| char::from(byte.to_ascii_uppercase())) else {
        return reason;
    };
    let start = reason.span().start;
    let mut builder = TextBuilder::new();
    builder.push_decoded(first.encode_utf8(&mut [0; 4]), start..start + 1);
    builder.push_text(&reason.slice(1..text.len()));
    builder.finish()
}

/// Returns the screen position of a byte of a line.
fn screen_position(line: &str, byte: usize) -> usize {
    let mut before = columns::screen_positions(line).take_while(|(_, at)| *at <= byte);
    before.by_ref().last().map_or(0, |(position, _)| position)
}

#[cfg(test)]
mod tests;
