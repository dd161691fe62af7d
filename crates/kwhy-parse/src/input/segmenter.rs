//! Assigns the lines of a paste to segments, one by one.

mod tables;

use super::command::{self, Command, Extent, Verb};
use super::decoration;
use super::describe_state::{Data, EventsState, events_title};
use super::line::{Line, lines};
use super::quoted;
use super::segment::{Segment, ends_log, structure};
use crate::framing::{self, Framer, Relation};
use crate::table::{OpenTable, RowLayout};
use crate::{describe, events, log, object, table, unit};
use kwhy_model::{Format, Subject};
use tables::Interrupted;

/// Returns the following lines as the object parser sees them.
fn ahead<'l, 'a>(lines: &'l [Line<'a>], marked: bool) -> object::Ahead<'l, 'a> {
    let strip: fn(Line<'_>) -> Line<'_> = if marked {
        decoration::strip_marks
    } else {
        |line| line
    };
    object::Ahead { lines, strip }
}

/// Splits a text into segments line by line.
#[derive(Default)]
pub(super) struct Segmenter<'a> {
    text: &'a str,
    done: Vec<Segment<'a>>,
    open: Option<Segment<'a>>,
    /// Blank lines since the last line of the open segment.
    blank_lines: Vec<Line<'a>>,
    /// The open fence, if any.
    fence: Option<&'a str>,
    command: Option<Command>,
    /// True if the command printed a table; more tables may follow (`kubectl get all`).
    has_table: bool,
    /// True if log records follow the command.
    has_log: bool,
    /// Decides which lines belong to the last log record.
    framer: Framer,
    /// Lines that belong to the record only if its log continues after them.
    pending: Vec<Line<'a>>,
    /// True if decoration was removed from the first line of the last record.
    marked: bool,
    /// The number of further lines that certainly belong to the last record.
    spread: usize,
    /// The previous line, or empty if a blank one followed it.
    before: &'a str,
    /// The state of the events in the open describe.
    events: EventsState,
    /// The state of the raw data in the open describe.
    data: Data,
    /// True if decoration was removed from the first line of the open segment.
    first_marked: bool,
    /// The YAML or JSON objects of the open segment.
    objects: Option<Objects>,
    /// The number of quote marks before the last line.
    quoted: usize,
    /// True if the line belongs to a table drawn as a box.
    boxed: bool,
    /// The layout of the open table's rows.
    rows: Option<RowLayout>,
    /// The table that ended at a line that is none of its rows, in the same paragraph.
    interrupted: Option<Interrupted<'a>>,
}

/// The objects of an open segment.
#[derive(Debug)]
struct Objects {
    run: object::ObjectExtent,
    /// True if decoration was removed from the first line, and so from all others.
    marked: bool,
}

impl<'a> Segmenter<'a> {
    /// Splits a text into segments: `table` is open at its start, and `record_follows` if a record starts after it.
    pub fn segments(
        text: &'a str,
        table: Option<&'a OpenTable>,
        record_follows: bool,
    ) -> Vec<Segment<'a>> {
        let mut segmenter = Segmenter {
            text,
            ..Segmenter::default()
        };
        if let Some(table) = table {
            segmenter.continue_table(table);
        }
        let lines: Vec<Line<'_>> = lines(text).collect();
        let mut rest = lines.as_slice();
        while let Some((line, following)) = rest.split_first() {
            segmenter.take(*line, following);
            let more = segmenter.take_on(line, following);
            rest = following.get(more..).unwrap_or_default();
        }
        segmenter.settle(record_follows);
        segmenter.close();
        segmenter.done
    }

    fn take(&mut self, raw: Line<'a>, rest: &[Line<'a>]) {
        let is_row = |rows: &RowLayout| rows.takes(raw.text.as_bytes());
        if self.blank_lines.is_empty() && self.rows.as_ref().is_some_and(is_row) {
            self.before = raw.text;
            self.push(raw);
            return;
        }
        if let Some(table) = self.interrupted.take_if(|table| is_row(&table.rows)) {
            self.before = raw.text;
            self.resume(table);
            self.push(raw);
            return;
        }
        if let Some(left) = self.spread.checked_sub(1) {
            self.spread = left;
            self.push(raw);
            return;
        }
        if self.framer.is_in_entry(raw.text) {
            self.settle(true);
            self.push(raw);
            return;
        }
        let text = decoration::without_closing_marks(raw.text);
        if text.len() < raw.text.len() && !decoration::is_fence(raw.text) {
            self.take(Line { text, ..raw }, rest);
            self.end_fence();
            return;
        }
        if let Some((end, start)) = decoration::between_objects(raw) {
            self.take(end, rest);
            self.take(start, rest);
            return;
        }
        if raw.is_blank() {
            self.boxed = false;
            self.before = "";
            self.interrupted = None;
            let inside = self.blank_lines.is_empty() && self.framer.blank(raw.text);
            if inside && self.open.as_ref().is_some_and(|open| open.is_log) {
                self.settle(true);
                self.push(raw);
            } else {
                self.settle(false);
                self.blank_lines.push(raw);
            }
            return;
        }
        self.quote(raw);
        if self.continues(raw, rest) {
            return;
        }
        if let Some(line) = self.data(raw) {
            self.push(line);
            return;
        }
        if decoration::is_fence(raw.text) {
            self.before = "";
            self.settle(false);
            self.close();
            self.interrupted = None;
            self.fence = decoration::fence_after(raw.text, self.fence);
            if let Some((line, closes)) = decoration::fenced_on_line(raw) {
                self.take(line, rest);
                if closes {
                    self.end_fence();
                }
            }
            return;
        }
        let next = rest.first().map_or("", |next| next.text);
        let is_frame = framing::is_go_frame(raw.text.as_bytes(), next.as_bytes());
        let line = if is_frame {
            raw
        } else {
            decoration::strip_marks(raw)
        };
        self.boxed = decoration::is_box_rule(line.text)
            || (self.boxed && line.text.trim_start().starts_with('|'));
        // a blank line within a numbered or quoted log
        if line.is_blank()
            && self.marked
            && self.pending.is_empty()
            && self.open.as_ref().is_some_and(|open| open.is_log)
        {
            self.before = "";
            self.framer.blank("");
            if self.has_end(&line) {
                self.push(line);
            }
            return;
        }
        // apparent decoration may belong to the record: ` > key=value`
        let is_own = raw.text.starts_with(" > ")
            && !self.marked
            && self.open.as_ref().is_some_and(|open| open.is_log)
            && self.framer.surely_takes(raw.text);
        let line = if is_own { raw } else { line };
        let mut record = match is_frame || is_own {
            true => None,
            false => framing::starts(line.text, self.before),
        };
        if raw.text == "{"
            && let Some(lines) = framing::spread_lines(self.text.as_bytes(), raw.start)
        {
            record = Some(Format::JsonLog);
            self.spread = lines - 1;
        }
        self.before = line.text;
        let objects = match record {
            None if !is_frame => object::begins(&line, &ahead(rest, line != raw)),
            _ => None,
        };
        if self.open.as_ref().is_some_and(|open| open.is_log) {
            // text of a message is not decoration, unless the record's own first line has some
            let line = if record.is_none() && !self.marked {
                raw
            } else {
                line
            };
            let first = self.open.as_ref().and_then(|open| open.lines.first());
            let begins_object = objects.is_some() && line.indent() <= first.map_or(0, Line::indent);
            let ends = || !is_frame && (begins_object || ends_log(line.text));
            match self.framer.take(line.text, record, ends) {
                relation @ (Relation::Begins | Relation::Continues) => {
                    self.settle(true);
                    if relation == Relation::Begins {
                        self.marked = line != raw;
                    }
                    self.push(line);
                    return;
                }
                Relation::MayContinue => {
                    self.pending.push(line);
                    return;
                }
                Relation::Blank | Relation::Outside => self.settle(false),
            }
        }
        self.marked = line != raw;
        self.place(line, line != raw, record, objects);
    }

    /// Closes what is open if a line answers the deeper quoted lines above it.
    fn quote(&mut self, raw: Line<'a>) {
        let before = self.quoted;
        if before == 0 && !raw.text.starts_with('>') {
            return;
        }
        (self.quoted, _) = quoted::depth(raw.text);
        if self.quoted < before && self.blank_lines.is_empty() && quoted::is_answer(raw.text) {
            self.before = "";
            self.settle(false);
            self.close();
        }
    }

    /// Closes the log and the segment at the end of a fence.
    fn end_fence(&mut self) {
        self.before = "";
        self.settle(false);
        self.close();
        self.interrupted = None;
        self.fence = None;
    }

    /// Decides on the pending lines: they belong to the log if it continues after them.
    fn settle(&mut self, continues: bool) {
        if self.pending.is_empty() {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        if continues {
            pending.into_iter().for_each(|line| self.push(line));
            return;
        }
        self.close();
        for line in pending {
            let bare = decoration::strip_marks(line);
            self.place(bare, bare != line, None, None);
        }
    }

    /// Adds a line to the open segment, or starts a new one with it.
    fn place(
        &mut self,
        line: Line<'a>,
        marked: bool,
        record: Option<Format>,
        objects: Option<Format>,
    ) {
        if self.stays(&line, record, objects.is_some()) {
            self.push(line);
            return;
        }
        self.close();
        if let Some(format) = record {
            self.framer.begin(format, line.text);
        }
        self.events = EventsState::NotYet.after(line.text);
        self.data = Data::None;
        self.first_marked = marked;
        let format = record.or(objects).unwrap_or_else(|| self.classify(&line));
        self.objects = objects.map(|format| Objects {
            run: object::ObjectExtent::new(format, &line),
            marked,
        });
        if format == Format::Command {
            self.command = command::parse(line.text);
            self.has_table = false;
            self.has_log = false;
            self.interrupted = None;
        }
        let is_table = matches!(
            format,
            Format::Table | Format::DescribeEvents | Format::EventsTable
        );
        self.rows = is_table.then(|| RowLayout::of(line.text)).flatten();
        if is_table {
            self.interrupted = None;
        }
        self.open = Some(Segment {
            format,
            is_log: record.is_some(),
            lines: vec![line],
            subject: Subject::default(),
            extent: Extent::default(),
        });
    }

    /// Returns the line if it belongs to the raw data of a ConfigMap, which may be any text: decoration is removed only
    /// if the first line of the describe has some.
    fn data(&self, raw: Line<'a>) -> Option<Line<'a>> {
        let open = self.open.as_ref()?;
        if self.data != Data::Open || open.format != Format::Describe {
            return None;
        }
        let line = if self.first_marked {
            decoration::strip_marks(raw)
        } else {
            raw
        };
        let ends = command::parse(line.text).is_some()
            || (self.fence.is_some() && decoration::is_fence(raw.text))
            || (!self.blank_lines.is_empty() && describe::is_start(line.text))
            || events_title(line.text).is_some();
        (!ends).then_some(line)
    }

    /// Adds a line to the objects of the open segment; returns false if it does not belong to them.
    fn continues(&mut self, raw: Line<'a>, rest: &[Line<'a>]) -> bool {
        let Some(Objects { run, marked }) = &mut self.objects else {
            return false;
        };
        let line = if *marked {
            decoration::strip_marks(raw)
        } else {
            raw
        };
        if line.is_blank() {
            self.blank_lines.push(line);
            return true;
        }
        let foreign = || {
            decoration::is_fence(raw.text)
                || ends_log(line.text)
                || (log::detect(line.text).is_some() && !object::may_begin(line.text))
        };
        if !run.takes(
            &line,
            &ahead(rest, *marked),
            self.blank_lines.len(),
            foreign,
        ) {
            return false;
        }
        self.push(line);
        true
    }

    /// Adds the lines after this one that continue its value; returns their number.
    fn take_on(&mut self, line: &Line<'a>, following: &[Line<'a>]) -> usize {
        if !matches!(line.text.trim_ascii_start(), "{" | "[") || !self.blank_lines.is_empty() {
            return 0;
        }
        let (Some(Objects { run, marked: false }), Some(open)) =
            (&mut self.objects, &mut self.open)
        else {
            return 0;
        };
        if open.lines.last() != Some(line) {
            return 0;
        }
        let text = self.text.get(line.start..).unwrap_or("");
        let lines = run.takes_on(text).min(following.len());
        open.lines.extend_from_slice(&following[..lines]);
        lines
    }

    /// Returns true if the line belongs to the open segment. `record` is the format of the log record
    /// that starts on it; `object` is true if an object in YAML or JSON does.
    fn stays(&self, line: &Line<'a>, record: Option<Format>, object: bool) -> bool {
        let Some(open) = &self.open else { return false };
        let blank_before = !self.blank_lines.is_empty();
        let text = line.text;
        if object && line.indent() <= open.lines.first().map_or(0, Line::indent) {
            return false;
        }
        if open.is_log {
            return false;
        }
        match open.format {
            Format::Describe => {
                if self.begins_events_again(open, text) {
                    return false;
                }
                let base = open.lines.first().map_or(0, Line::indent);
                // a journal line looks like a field whose key is a time and a program
                let is_enveloped =
                    record.is_some() && line.indent() <= base && log::is_enveloped(text);
                let is_own =
                    describe::is_start(text) || describe::is_field(text) || events::is_row(text);
                if is_own && !is_enveloped {
                    return true;
                }
                let foreign = record.is_some() || command::parse(text).is_some();
                !foreign && (!blank_before || (line.indent() > base && self.blank_lines.len() < 3))
            }
            Format::DescribeEvents | Format::EventsTable => {
                let row = events::is_row(text) || decoration::is_rule(text);
                let foreign = record.is_some()
                    || command::parse(text).is_some()
                    || table::is_header(text)
                    || describe::is_start(text)
                    || events_title(text).is_some();
                (row || (!blank_before && !foreign)) && !events::is_header(text)
            }
            Format::Table => {
                let stamped = record.is_some() && text.starts_with(|c: char| c.is_ascii_digit());
                let header = open.lines.first().map_or("", |line| line.text.trim_start());
                let of_times = ["TIME", "CREAT", "DATE", "FIRST", "LAST"];
                let foreign = stamped && !of_times.iter().any(|word| header.starts_with(word));
                !blank_before && !foreign && table::continues(&open.lines, text)
            }
            Format::UnitStatus => {
                let first = open.lines.first().map_or("", |line| line.text);
                let foreign = record.is_some() || command::parse(text).is_some();
                !blank_before && !foreign && unit::belongs(first, text)
            }
            Format::Plain | Format::Prose => {
                !blank_before && !object && record.is_none() && self.classify(line) == open.format
            }
            _ => false,
        }
    }

    /// Returns true if a line starts another list of events in an open describe, unless one of the events quotes it.
    fn begins_events_again(&self, open: &Segment<'_>, text: &str) -> bool {
        // a multi-line message may quote a table of events
        let last = open.lines.last().map_or("", |line| line.text);
        let is_quoted = || {
            self.events == EventsState::Header
                && self.blank_lines.is_empty()
                && !events::is_row(last)
                && !events::is_header(last)
                && !decoration::is_rule(last)
        };
        self.events.is_over_at(text) && !is_quoted()
    }

    /// Returns the format of a line on which no log record starts.
    fn classify(&self, line: &Line<'a>) -> Format {
        let text = line.text;
        if let Some(format) = structure(text) {
            return format;
        }
        let is_prose = self.fence.is_none() && !self.boxed && decoration::is_prose(text);
        match is_prose && !self.is_listed_error(text) {
            true => Format::Prose,
            false => Format::Plain,
        }
    }

    /// Returns true if a line is an item of the list in which a program reports several errors: `2 errors occurred:` and
    /// an item for each (hashicorp/go-multierror, `format.go`).
    fn is_listed_error(&self, text: &str) -> bool {
        let is_item = |text: &str| text.trim_start().starts_with("* ");
        let open = self.open.as_ref();
        let last = open.and_then(|open| open.lines.last());
        is_item(text)
            && open.is_some_and(|open| open.format == Format::Plain)
            && last.is_some_and(|last| {
                is_item(last.text) || last.text.trim_end().ends_with(" occurred:")
            })
    }

    fn push(&mut self, line: Line<'a>) {
        if let Some(open) = &mut self.open {
            if open.format == Format::Describe {
                self.events = self.events.after(line.text);
                self.data = self.data.after(line.text, open);
            }
            open.lines.append(&mut self.blank_lines);
            open.lines.push(line);
        }
    }

    /// Returns true unless the line is empty and ends the text without a newline.
    fn has_end(&self, line: &Line<'a>) -> bool {
        line.start < self.text.len()
    }

    fn close(&mut self) {
        let own = self.blank_lines.first().copied();
        let own = own.filter(|line| self.framer.ends_blank() && self.has_end(line));
        let is_interrupted = self.blank_lines.is_empty();
        self.blank_lines.clear();
        if let Some(open) = self.open.as_mut().filter(|open| open.is_log) {
            open.lines.extend(own);
        }
        self.objects = None;
        let rows = self.rows.take().filter(|_| is_interrupted);
        self.framer = Framer::default();
        let Some(mut segment) = self.open.take() else {
            return;
        };
        // a header from an earlier part without any rows
        if segment.lines.iter().all(|line| line.number == 0) {
            return;
        }
        let first = segment.lines.first().map(|line| line.text);
        decoration::strip_indentation(&mut segment.lines);
        if self.has_table && segment.format != Format::Table {
            self.command = None;
        }
        if let Some(command) = &mut self.command {
            let is_empty_list = command.verb == Verb::Get
                && segment
                    .lines
                    .iter()
                    .any(|line| table::is_empty_list(line.text));
            let fits = match segment.format {
                _ if is_empty_list => true,
                Format::Describe | Format::DescribeEvents => command.verb == Verb::Describe,
                Format::EventsTable | Format::Table | Format::ObjectYaml | Format::ObjectJson => {
                    command.verb == Verb::Get
                }
                Format::Command | Format::Prose | Format::UnitStatus => false,
                // after records of another log, plain lines are not the command's output
                Format::Plain => command.verb != Verb::Other && !self.has_log,
                _ => command.verb == Verb::Logs,
            };
            // `kubectl get events` names a namespace but not an object
            if segment.format == Format::DescribeEvents && command.verb == Verb::Get {
                (segment.subject.namespace).clone_from(&command.subject.namespace);
            }
            if fits {
                segment.subject = command.subject.clone();
                segment.extent = command.extent;
                if segment.format == Format::Table && segment.subject.kind.is_none() {
                    // a table further below may belong to another command that is missing
                    segment.subject.kind = command.resource.take();
                }
                // one command has one output; plain lines may be just its start
                self.has_table = segment.format == Format::Table;
                if !matches!(segment.format, Format::Plain | Format::Table) {
                    self.command = None;
                }
            }
        }
        self.interrupted = rows
            .zip(first)
            .map(|(rows, header)| Interrupted::of(&segment, header, rows))
            .or(self.interrupted.take());
        self.has_log |= segment.is_log && segment.format != Format::Plain;
        self.done.push(segment);
    }
}
