//! Decides from the times of log records of one kind whether their log continued without them.

use crate::matcher::Moment;

/// The time for which a log may continue after a fatal record, in nanoseconds: programs take a while to exit.
const LAST_WORDS: i128 = 30_000_000_000;

/// The number of lines for which a log without times may continue after a fatal record.
const LAST_LINES: u64 = 8;

/// The number of mean intervals between errors after which the next one is overdue.
const PAUSES: u64 = 10;

/// The times and lines of records of one kind in one document.
#[derive(Clone, Debug, Default)]
pub(super) struct LogCourse {
    count: u64,
    /// The times of the first and last dated record, in nanoseconds since 1970.
    ends: Option<(i128, i128)>,
    is_undated: bool,
    /// The lines of the first and last record that is kept.
    lines: Option<(u64, u64)>,
}

impl LogCourse {
    /// Adds records, with the times of the first and the last one.
    pub fn add(&mut self, count: u64, moments: [Option<Moment>; 2]) {
        self.count += count;
        for moment in moments {
            let Some(Moment::At(stamp)) = moment else {
                self.is_undated = true;
                continue;
            };
            let (first, last) = self.ends.unwrap_or((stamp.nanos, stamp.nanos));
            self.ends = Some((first.min(stamp.nanos), last.max(stamp.nanos)));
        }
    }

    /// Adds the line of a record.
    pub fn at_line(&mut self, line: u64) {
        let (first, last) = self.lines.unwrap_or((line, line));
        self.lines = Some((first.min(line), last.max(line)));
    }

    /// Returns true if the log continued without further records of this kind until `end`, or, if times are unknown,
    /// until this line, on which its last record starts. Lines of a stack trace or of prose after the log are no
    /// records, so they do not show that the program continued.
    pub fn is_over(&self, end: Option<i128>, last_record: u64) -> bool {
        let pauses = self.count.max(2) - 1;
        match (self.ends, end, self.lines) {
            (Some((first, last)), Some(end), _) if !self.is_undated => {
                let overdue = (last - first) / i128::from(pauses) * i128::from(PAUSES);
                end - last > LAST_WORDS.max(overdue)
            }
            (_, _, Some((first, last))) => {
                let overdue = (last - first) / pauses * PAUSES;
                last_record.saturating_sub(last) > LAST_LINES.max(overdue)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kwhy_model::Stamp;

    fn records(times: &[i128]) -> LogCourse {
        let mut records = LogCourse::default();
        for seconds in times {
            let stamp = Stamp {
                nanos: seconds * 1_000_000_000,
                digits: 0,
                zone_stated: true,
                year_stated: true,
            };
            records.add(1, [Some(Moment::At(stamp)); 2]);
        }
        records
    }

    #[test]
    fn what_a_log_continues_after_is_over() {
        let at = |seconds: i128| Some(seconds * 1_000_000_000);
        assert!(!records(&[100]).is_over(at(110), 0));
        assert!(records(&[100]).is_over(at(200), 0));
        assert!(!records(&[0, 100, 200]).is_over(at(400), 0));
        assert!(records(&[0, 100, 200]).is_over(at(1300), 0));
    }

    #[test]
    fn without_times_its_lines_tell() {
        let mut undated = records(&[100]);
        undated.add(1, [None, None]);
        assert!(!undated.is_over(None, 500));
        undated.at_line(7);
        assert!(!undated.is_over(None, 14));
        assert!(undated.is_over(None, 100));
        undated.at_line(57);
        assert!(!undated.is_over(None, 100));
    }
}
