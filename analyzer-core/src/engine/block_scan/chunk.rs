//! Parses chunks of a block and tests their events and objects.

use std::ops::Range;

use super::super::collection_time::collected;
use super::super::document_stats::note_namespace;
use super::super::list_continuation::{Items, Reach};
use super::super::listed::Listed;
use super::super::pieces::Piece;
use super::folded::Folder;
use super::{BlockScan, MAX_SEGMENTS, MAX_TEXT, Read, Run, count};
use crate::correlate::ObjectSnapshot;
use crate::matcher::Hit;
use crate::report::SegmentSummary;
use kwhy_model::{Event, Format, Parsed, Stamp, Subject};
use kwhy_parse::framing::{Class, classify, line_at};
use kwhy_parse::input::{
    Chunk, Document, Extent, floor_char, is_output, lines, log_section, segments_within,
    without_closing_marks,
};
use kwhy_parse::{self as parse, log};
use kwhy_signature::ConditionId;

/// The spare capacity for hits before an object is tested: few objects have more.
const LEAST_ROOM: usize = 64;

/// Reserves capacity for the hits of the objects to come, given that `before` objects had `found` hits: growth by
/// doubling would take as much memory as half a block.
fn make_room(
    hits: &mut Vec<(ConditionId, Box<Hit>)>,
    found: usize,
    (before, to_come): (usize, usize),
) {
    if hits.capacity() - hits.len() < LEAST_ROOM && before > 0 {
        let expected = found.div_ceil(before).saturating_mul(to_come);
        hits.reserve_exact(expected + LEAST_ROOM);
    }
}

impl BlockScan<'_, '_, '_> {
    /// Returns which ends of the block a segment of a range reaches.
    fn reach(&self, range: &Range<usize>, is_first: bool, is_last: bool) -> Reach {
        Reach {
            start: is_first && range.start == 0 && self.begins_with_item(),
            end: is_last && range.end == self.block.bytes.len() && !self.block.whole,
            ..Reach::default()
        }
    }

    /// The same for a table segment, which only counts as cut if the block ends within the table.
    fn reach_of_table(
        &self,
        range: &Range<usize>,
        is_first: bool,
        is_last: bool,
        extent: Extent,
    ) -> Reach {
        let block = self.block;
        Reach {
            start: is_first && range.start == 0 && block.table.is_some(),
            end: is_last && range.end == block.bytes.len() && block.table_continues,
            of_table: true,
            of_all: extent != Extent::Some,
        }
    }

    /// Returns true if the block starts with an item of a list that started in an earlier block.
    fn begins_with_item(&self) -> bool {
        let line = line_at(&self.block.bytes, 0);
        self.block.offset > 0 && (line.starts_with(b"- ") || line.starts_with(b"    "))
    }

    /// Returns true if the block is a whole document small enough to be a paste with broken lines.
    fn joins_lines(&self) -> bool {
        self.block.whole && self.block.bytes.len() <= self.block_limits.joined_up_to
    }

    /// Parses a range of the block's bytes, whose extent is `read`, and tests its events and objects. `candidates` are
    /// the conditions that its log records may fulfil, if known.
    pub(super) fn read_chunk(
        &mut self,
        range: Range<usize>,
        lines_before: u64,
        read: Read,
        candidates: Option<&[ConditionId]>,
    ) {
        let Some(bytes) = self.block.bytes.get(range.clone()) else {
            return;
        };
        let part = read != Read::Whole;
        let chunk = Chunk {
            document: self.block.document,
            first_byte: self.block.offset + range.start,
            lines_before,
            text: match part || !self.joins_lines() {
                true => Document::new("", bytes),
                false => Document::new("", bytes).with_joined_lines(),
            },
            gaps: Vec::new(),
            ends: Vec::new(),
            secrets: self.secrets.places(),
        };
        let text = chunk.text.text();
        let end = without_closing_marks(text.trim_end_matches('\n'));
        let is_record = read == Read::Record;
        let is_followed = match is_record && range.end < self.block.bytes.len() {
            true => true,
            false => self.is_followed(range.end),
        };
        let around = (self.block).around(range.start, is_followed);
        // classifying a line known to be a record is cheaper than detecting its format
        let is_sure =
            |line: &str| is_record && matches!(classify(line.as_bytes()), Class::Record(_));
        let is_log = |line| is_sure(line) || log::detect(line).is_some();
        if part && around.table.is_none() && !end.contains('\n') && is_log(end) {
            let line: Vec<_> = lines(end).collect();
            let mut parsed = log::parse(&line);
            self.fill(&mut parsed.events);
            let mut of = match &self.run {
                Run::OfCommand(subject) => subject.clone(),
                Run::Inherited | Run::Ended => Subject::default(),
            };
            self.enclose(&mut of);
            self.test(&chunk, (parsed, &of), candidates, true, Reach::default());
            if matches!(self.run, Run::Inherited) {
                self.outcome.inherited = self.outcome.hits.len();
            }
            return;
        }
        // the slow reference parses every line
        if !self.tester.is_naive()
            && let Some(regular) = parse::object::regular(text, self.limits)
        {
            if !part {
                self.outcome.invalid += chunk.text.invalid_sequences();
            }
            let lines = (1, regular.lines);
            let reach = self.reach(&range, true, true);
            self.test(
                &chunk,
                (regular.parsed, &Subject::default()),
                None,
                false,
                reach,
            );
            self.list(Format::ObjectJson, lines, regular.lines, lines_before);
            self.run = Run::Ended;
            return;
        }
        let mut segments = segments_within(text, around);
        if chunk.text.has_joined_lines() {
            let lines = segments.iter_mut().flat_map(|segment| &mut segment.lines);
            lines.for_each(|line| line.number = chunk.text.line_of(line.start));
        }
        let first_is_log = segments.first().is_some_and(|segment| segment.is_log);
        if first_is_log
            && let (Some(first), Run::OfCommand(subject)) = (segments.first_mut(), &self.run)
        {
            first.subject.fill_from(subject);
        }
        let inherits = matches!(self.run, Run::Inherited) && first_is_log;
        let all = segments.len();
        let mut folder = self.tester.has_entries().then(Folder::default);
        for (number, segment) in segments.iter_mut().enumerate() {
            if let Some(container) = log_section(segment) {
                self.outcome.enclosed.get_or_insert(self.outcome.hits.len());
                self.outcome.enclosing = container;
            }
            if is_output(segment.format) {
                self.enclose(&mut segment.subject);
            }
            let segment = &*segment;
            let is_log = part && segment.is_log;
            let is_last = number + 1 == all;
            let reach = match segment.format {
                Format::Table => self.reach_of_table(&range, number == 0, is_last, segment.extent),
                _ => self.reach(&range, number == 0, is_last),
            };
            let parsed = parse::segment(segment, self.limits);
            self.following.clear();
            if let Some(folder) = &mut folder {
                for event in &parsed.events {
                    let time = folder.take(text, event);
                    let follows = time.map(|time| (event.span.start, time));
                    self.following.extend(follows);
                }
            }
            self.test(
                &chunk,
                (parsed, &segment.subject),
                candidates,
                is_log,
                reach,
            );
            if !is_log {
                let own = segment.lines.iter().filter(|line| line.number > 0);
                let lines = own.count() as u64;
                self.list(segment.format, segment.line_numbers(), lines, lines_before);
            }
            if number == 0 && inherits {
                self.outcome.inherited = self.outcome.hits.len();
            }
        }
        self.following.clear();
        if let Some(folder) = folder {
            self.test_folded(&chunk, folder);
        }
        if !part {
            self.outcome.invalid += chunk.text.invalid_sequences();
        }
        let other = segments.iter().any(|segment| !segment.is_log);
        if let Some(last) = segments.last().filter(|_| other || !inherits) {
            self.run = if last.is_log && last.subject != Subject::default() {
                Run::OfCommand(last.subject.clone())
            } else {
                Run::Ended
            };
        }
    }

    /// Parses a block that is a piece of a line, and tests its objects.
    pub(super) fn piece(&mut self, piece: &Piece) {
        let chunk = Chunk {
            document: self.block.document,
            first_byte: self.block.offset,
            lines_before: 0,
            text: Document::new("", self.block.bytes.as_slice()),
            gaps: piece.gaps.clone(),
            ends: piece.ends.clone(),
            secrets: self.secrets.places(),
        };
        let parsed = piece.parse(chunk.text.text(), self.limits);
        let reach = Reach {
            start: piece.continues,
            end: !piece.is_last,
            ..Reach::default()
        };
        self.outcome.invalid += chunk.text.invalid_sequences();
        self.outcome.lines = u64::from(piece.is_last);
        self.test(&chunk, (parsed, &Subject::default()), None, false, reach);
        if piece.is_first {
            self.list(Format::ObjectJson, (1, 1), 1, 0);
        }
        self.run = Run::Ended;
    }

    /// Fills in the container whose log is open.
    fn enclose(&self, subject: &mut Subject) {
        if let Some(container) = &self.outcome.enclosing {
            subject.fill_from(container);
        }
    }

    /// Fills in what is known of the log that single records belong to.
    fn fill(&mut self, events: &mut [Event<'_>]) {
        if let Run::OfCommand(subject) = &self.run {
            for event in events {
                event.subject.fill_from(subject);
            }
        }
    }

    /// Records a time that states its year, from which others are inferred.
    pub(super) fn dated(&mut self, time: Option<Stamp>) {
        if let Some(time) = time.filter(|time| time.year_stated) {
            self.outcome.latest = self.outcome.latest.max(Some(time.nanos));
        }
    }

    /// Lists a segment with its first and last line and its number of lines.
    fn list(&mut self, format: Format, (first, last): (u64, u64), lines: u64, lines_before: u64) {
        count(&mut self.outcome.formats, format, lines);
        if self.outcome.segments.len() < MAX_SEGMENTS {
            self.outcome.segments.push(SegmentSummary {
                format,
                first_line: lines_before + first,
                last_line: lines_before + last,
            });
        }
    }

    /// Tests parsed events and objects; `of` is the object of the log, if a command names it. Log records were counted
    /// before.
    fn test(
        &mut self,
        chunk: &Chunk,
        (mut parsed, of): (Parsed<'_>, &Subject),
        candidates: Option<&[ConditionId]>,
        counted: bool,
        reach: Reach,
    ) {
        parsed
            .events
            .iter()
            .for_each(|event| self.dated(event.time));
        let events = parsed.events.iter().map(|event| &event.subject);
        let objects = parsed.objects.iter().map(|object| &object.subject);
        for subject in events.chain(objects) {
            note_namespace(subject, &mut self.outcome.namespaces);
        }
        for event in &parsed.events {
            let time = event
                .time
                .filter(|time| time.year_stated && !event.format.is_log());
            let outcome = &mut self.outcome;
            outcome.event = outcome.event.max(time.map(|time| time.nanos));
            let is_of_cluster = event.reason.is_some() && !event.format.is_log();
            outcome.cluster_events += u64::from(is_of_cluster);
            if !self.tester.takes(event) {
                continue;
            }
            let outcome = &mut self.outcome;
            let before = outcome.hits.len();
            outcome.stopped += self.tester.event(
                chunk,
                (event, self.is_paste),
                candidates,
                &mut self.memo,
                &mut outcome.hits,
            );
            let mut follows = self.following.iter();
            let follows = follows.find(|(start, _)| *start == event.span.start);
            for (leaf, hit) in outcome.hits.iter_mut().skip(before) {
                hit.written_in(of);
                if let Some((_, time)) = follows
                    && self.tester.is_entry(*leaf)
                {
                    hit.take_time_of_record(*time);
                }
            }
            let hits = outcome.hits.get(before..).unwrap_or_default();
            let catalogue = self.tester.catalogue();
            let covers = |((number, leaf), _): &(ConditionId, Box<Hit>)| {
                let signature = catalogue.at(*number as usize);
                !signature.is_frame() && signature.condition.is_match_alone(*leaf)
            };
            outcome.graph.event(chunk.document, event);
            let matched = !hits.is_empty();
            // a match of a single-event condition is reported as a finding
            if !hits.iter().any(covers) {
                outcome.unexplained_events.event(chunk, event, matched);
            }
        }
        let outcome = &mut self.outcome;
        let has_entries = self.tester.has_entries();
        let items = Items::of(&parsed, reach);
        let mut all = Listed::default();
        outcome.lists.begin(&items, reach);
        let (first, objects) = (outcome.hits.len(), parsed.objects.len());
        outcome.snapshots.reserve(objects);
        for (number, object) in parsed.objects.iter_mut().enumerate() {
            let before = outcome.hits.len();
            make_room(
                &mut outcome.hits,
                before - first,
                (number, objects - number),
            );
            let part = outcome.lists.part(&items, number);
            // whether a list is complete is known only at its end, which may be in a later block
            let listed = object.listed && part.is_none();
            object.listed |= part.is_some();
            if listed {
                all.add_object(&object.subject);
            }
            self.tester
                .object(chunk, object, &mut self.memo, &mut outcome.hits);
            if has_entries {
                let written = outcome.hits.len();
                outcome.stopped += self
                    .tester
                    .entry_of_object(chunk, object, &mut outcome.hits);
                // parts of it that were parsed as events have been tested
                let is_event = |hit: &Hit| {
                    let mut events = parsed.events.iter().map(|event| chunk.whole(&event.span));
                    events.any(|span| span.start <= hit.mark.start && hit.mark.end <= span.end)
                };
                drop(outcome.hits.extract_if(written.., |(_, hit)| is_event(hit)));
            }
            if let Some(part) = part {
                let waits = |(_, hit): &mut (ConditionId, Box<Hit>)| hit.of_list;
                part.object(&object.subject, outcome.hits.extract_if(before.., waits));
            }
            outcome.graph.object(chunk.document, object);
            let mut snapshot = ObjectSnapshot::of(chunk, object);
            if let Some(snapshot) = &mut snapshot {
                snapshot.read(&object.subject, &parsed.events);
            }
            outcome.snapshots.extend(snapshot);
            outcome.collected = outcome.collected.max(collected(object));
        }
        outcome.listed.add(all.close());
        for list in &parsed.lists {
            match &list.empty {
                Some(Subject {
                    kind: Some(kind), ..
                }) if list.of_cluster => {
                    outcome.listed.add_cluster(kind);
                }
                Some(of) => outcome.empty_lists.push((chunk.document, of.clone())),
                None => {}
            }
        }
        if !counted {
            outcome.events += parsed.events.len() as u64;
        }
        outcome.objects += parsed.objects.len() as u64;
        outcome.left_out.add(parsed.left_out);
        let text = |line: u64| {
            let mut text = chunk.place(&chunk.text.line_span(line)).text;
            text.truncate(floor_char(&text, MAX_TEXT));
            text
        };
        let lines = parsed.not_understood.iter();
        outcome
            .not_understood
            .extend(lines.map(|line| (line + chunk.lines_before, text(*line))));
    }
}
