//! From bytes to reports: when lines are analysed, and what is shown.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use kwhy_core::jiff::Timestamp;
use kwhy_core::{Analyzer, Incident};
use kwhy_render::{Detail, Human, Layout, Render, View};

use crate::causes::Causes;
use crate::source::Message;

/// The time without new bytes after which a record is taken to be complete: a stack trace comes line by line.
const QUIET: Duration = Duration::from_millis(300);

/// The maximum time that a line waits for such a pause: some logs are never quiet.
const MAX_DELAY: Duration = Duration::from_secs(2);

/// The maximum number of bytes that wait for such a pause. A line without an end is cut at this length; the analysis
/// reads even less of it, unless it is JSON.
const MAX_WAITING: usize = 4 << 20;

/// A log that is followed.
pub struct Session<W> {
    incident: Incident,
    every: Duration,
    out: W,
    /// The bytes that were not analysed yet.
    waiting: Vec<u8>,
    /// The time when the first of them came.
    waiting_since: Option<Instant>,
    /// True if something was analysed since the last report.
    is_new: bool,
    reported: Option<Instant>,
    shown: Option<Causes>,
}

impl<W: Write> Session<W> {
    /// Follows a log, with at most one report in each interval of `every`.
    pub fn new(name: &str, every: Duration, out: W) -> Session<W> {
        let mut incident = Analyzer::new().incident();
        // reading nothing cannot fail; later bytes are added to this document
        let _ = incident.read(name, io::empty());
        Session {
            incident,
            every,
            out,
            waiting: Vec::new(),
            waiting_since: None,
            is_new: false,
            reported: None,
            shown: None,
        }
    }

    /// Handles messages until the end, and shows a last report.
    ///
    /// # Errors
    /// The log cannot be read, or the output cannot be written.
    pub fn run(&mut self, messages: &Receiver<Message>) -> io::Result<()> {
        loop {
            let message = match self.next_deadline() {
                Some(wait) => messages.recv_timeout(wait),
                None => messages.recv().map_err(RecvTimeoutError::from),
            };
            match message {
                Ok(Message::Bytes(bytes)) => {
                    let since = *self.waiting_since.get_or_insert_with(Instant::now);
                    self.take(&bytes);
                    if self.waiting.len() >= MAX_WAITING || since.elapsed() >= MAX_DELAY {
                        self.analyze(false)?;
                    }
                }
                Ok(Message::Failed(error)) => {
                    self.end()?;
                    return Err(error);
                }
                Err(RecvTimeoutError::Timeout) => self.analyze(false)?,
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return self.end(),
            }
            if self.is_due() {
                self.report()?;
            }
        }
    }

    /// Returns the time to wait for more: until the waiting record is complete, or until the next report. `None` to
    /// wait indefinitely.
    fn next_deadline(&self) -> Option<Duration> {
        if self.has_lines() {
            return Some(QUIET);
        }
        let reported = self.reported.filter(|_| self.is_new)?;
        Some(self.every.saturating_sub(reported.elapsed()))
    }

    /// Adds bytes to those that wait, except for the rest of a line that is too long. Its line end is kept, so that
    /// line numbers stay right.
    fn take(&mut self, bytes: &[u8]) {
        let is_full = self.waiting.len() >= MAX_WAITING && !self.has_lines();
        let dropped = match is_full {
            true => bytes.iter().position(|byte| *byte == b'\n'),
            false => Some(0),
        };
        let kept = bytes.get(dropped.unwrap_or(bytes.len())..);
        self.waiting.extend_from_slice(kept.unwrap_or_default());
    }

    fn has_lines(&self) -> bool {
        self.waiting.contains(&b'\n')
    }

    fn is_due(&self) -> bool {
        self.is_new && self.reported.is_none_or(|at| at.elapsed() >= self.every)
    }

    /// Analyses the complete lines that wait; at the end also one without a line end.
    fn analyze(&mut self, is_end: bool) -> io::Result<()> {
        let lines = self.waiting.iter().rposition(|byte| *byte == b'\n');
        let length = match lines {
            _ if is_end => self.waiting.len(),
            Some(last) => last + 1,
            None => 0,
        };
        self.waiting_since = None;
        if length == 0 {
            return Ok(());
        }
        // times without a year are not in the future
        self.incident.collected_at(Timestamp::now());
        self.incident.read_on(&self.waiting[..length])?;
        self.waiting.drain(..length);
        self.is_new = true;
        Ok(())
    }

    /// Shows the report if its causes changed.
    fn report(&mut self) -> io::Result<()> {
        self.is_new = false;
        self.reported = Some(Instant::now());
        let report = self.incident.report_so_far();
        let causes = Causes::of(&report);
        if self.shown.as_ref() == Some(&causes) {
            return Ok(());
        }
        // no first report while nothing was found
        if self.shown.is_none() && causes == Causes::default() {
            return Ok(());
        }
        self.shown = Some(causes);
        let human = Human {
            layout: Layout {
                width: 100,
                color: false,
            },
            detail: Detail::Usual,
        };
        writeln!(self.out, "--- {}", Timestamp::now().strftime("%FT%TZ"))?;
        let view = View {
            report: &report,
            left_out: 0,
        };
        human.render(&view, &mut self.out)?;
        self.out.flush()
    }

    /// Analyses the rest, and shows the report if its causes changed.
    fn end(&mut self) -> io::Result<()> {
        self.analyze(true)?;
        match self.is_new {
            true => self.report(),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_one_line() {
        let mut session = Session::new("app.log", Duration::ZERO, Vec::new());
        for _ in 0..100 {
            session.take(&[b'x'; 64 << 10]);
            session.analyze(false).unwrap();
        }
        assert_eq!(session.waiting.len(), MAX_WAITING);
        session.take(b"x\npanic: runtime error: index out of range [3] with length 3\n");
        session.end().unwrap();
        let report = session.incident.report_so_far();
        assert_eq!(report.findings[0].evidence[0].line, 2);
        assert_eq!(report.inputs[0].lines, 2);
    }
}
