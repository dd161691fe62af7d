//! Limits on archives, and a record of the limits that were reached.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use kwhy_core::report::{Limit, LimitMet};
use kwhy_core::{Cancel, ReadLimits};

use super::clock::Clock;

/// Limits on archives. They hold whatever an archive's headers claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum size of one member, in bytes.
    pub member_size: u64,
    /// The maximum number of unpacked bytes, of all sources together.
    pub total_size: u64,
    /// The maximum ratio of unpacked to packed bytes. It is checked for each stream and for all sources together, once
    /// more than `free` bytes are unpacked.
    pub ratio: u64,
    /// The number of unpacked bytes up to which the ratio is not checked, as a short file of one repeated line
    /// compresses well.
    pub free: u64,
    /// The maximum number of members of all sources together, nested archives included.
    pub members: u64,
    /// The maximum nesting depth of archives and compressed files.
    pub nesting: u64,
    /// The maximum length of a member's name, in bytes.
    pub path_length: u64,
    /// The maximum total length of all members' names, in bytes. They are kept in memory for the report and for finding
    /// duplicate members.
    pub names: u64,
    /// The maximum time for reading, in seconds; `u64::MAX` means no limit.
    pub time: u64,
    /// Limits on reading members and files.
    pub read: ReadLimits,
}

impl Limits {
    /// The names under which limits are set and reported.
    pub const NAMES: [&str; 10] = [
        "member-size",
        "total-size",
        "ratio",
        "members",
        "nesting",
        "path-length",
        "time",
        "line-length",
        "depth",
        "aliases",
    ];

    fn of(&mut self, name: &str) -> Option<&mut u64> {
        Some(match name {
            "member-size" => &mut self.member_size,
            "total-size" => &mut self.total_size,
            "ratio" => &mut self.ratio,
            "members" => &mut self.members,
            "nesting" => &mut self.nesting,
            "path-length" => &mut self.path_length,
            "time" => &mut self.time,
            "line-length" => &mut self.read.line_length,
            "depth" => &mut self.read.depth,
            "aliases" => &mut self.read.aliases,
            _ => return None,
        })
    }

    /// Returns these limits with those in `set` replaced.
    pub fn with(mut self, set: &[SetLimit]) -> Limits {
        for SetLimit { name, value } in set {
            if let Some(limit) = self.of(name) {
                *limit = *value;
            }
        }
        // each open archive takes a stack frame
        self.nesting = self.nesting.min(32);
        self
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            // the journal of a large node can be several GiB
            member_size: 16 << 30,
            total_size: 256 << 30,
            // logs compress 5 to 30 times, one line repeated over and over up to 200 times
            ratio: 250,
            // unpacking this much of a bzip2 bomb takes more than a second
            free: 64 << 20,
            members: 100_000,
            // real bundles have two: a node's archive in the bundle, and compressed logs in that
            nesting: 4,
            path_length: 4096,
            // the names of a bundle with 100,000 members take about 15 MiB
            names: 64 << 20,
            time: u64::MAX,
            read: ReadLimits::default(),
        }
    }
}

/// A limit as it is typed: `NAME=NUMBER`. The suffixes `k`, `M`, `G` and `T` stand for powers of 1024.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetLimit {
    name: String,
    value: u64,
}

impl FromStr for SetLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<SetLimit, String> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| "a limit is written NAME=NUMBER".to_owned())?;
        if !Limits::NAMES.contains(&name) {
            return Err(format!("the limits are {}", Limits::NAMES.join(", ")));
        }
        let value = number(value)?;
        Ok(SetLimit {
            name: name.to_owned(),
            value,
        })
    }
}

/// Parses a number such as `4096`, `64M` or `2G`. The suffixes stand for powers of 1024.
///
/// # Errors
/// Fails if the text is not such a number, or if the number does not fit into 64 bits.
pub fn number(typed: &str) -> Result<u64, String> {
    let no_number = || format!("{typed:?} is no number such as 4096, 64M or 2G");
    let digits = typed.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match typed.get(digits.len()..).unwrap_or_default() {
        "" => 0,
        "k" | "K" | "Ki" => 10,
        "M" | "Mi" => 20,
        "G" | "Gi" => 30,
        "T" | "Ti" => 40,
        _ => return Err(no_number()),
    };
    let number: u64 = digits.parse().map_err(|_| no_number())?;
    number
        .checked_mul(1 << shift)
        .ok_or_else(|| format!("{typed} is too large"))
}

/// The state that all readers of a run share.
#[derive(Debug, Default)]
pub struct Shared {
    /// The number of bytes unpacked so far.
    pub unpacked: AtomicU64,
    /// The number of bytes read from the sources themselves.
    pub read: AtomicU64,
    /// The number of members read so far.
    pub members: AtomicU64,
    /// The total length of their names, in bytes.
    pub names: AtomicU64,
    /// The handle that ends the run early.
    pub stop: Cancel,
    clock: Clock,
    /// The clock's time when the limit on time was first checked.
    started: OnceLock<Duration>,
    /// True once it was reported that reading took too long.
    late: AtomicBool,
    reports: Mutex<LimitReports>,
}

impl Shared {
    /// Creates the state of a run that `stop` ends early.
    pub fn under(stop: &Cancel) -> Arc<Shared> {
        Shared::timed(stop, Clock::default())
    }

    /// Creates the state of a run that `stop` ends early and whose time is measured by `clock`.
    pub fn timed(stop: &Cancel, clock: Clock) -> Arc<Shared> {
        Arc::new(Shared {
            stop: stop.clone(),
            clock,
            ..Shared::default()
        })
    }

    /// Creates the state of a further run with the same cancel handle and clock.
    pub fn next(&self) -> Arc<Shared> {
        Shared::timed(&self.stop, self.clock)
    }

    fn reports(&self) -> std::sync::MutexGuard<'_, LimitReports> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a limit that was reached, or damage. Of one kind, the first `MAX_TOLD` by source are listed, the
    /// others counted.
    pub fn tell(&self, source: &str, limit: Limit, message: impl Into<String>) {
        let mut reports = self.reports();
        let (listed, more) = reports.met.entry(limit.clone()).or_default();
        let at = listed.partition_point(|known| known.source.as_str() <= source);
        listed.insert(at, LimitMet::new(source, limit, message));
        if listed.len() > MAX_TOLD {
            listed.pop();
            *more += 1;
        }
    }

    /// Records one of several members of a source that were all treated alike. They are merged into one message.
    pub fn note(&self, source: &str, limit: Limit, what: &'static str, member: &str) {
        let mut reports = self.reports();
        let key = (limit, what, source.to_owned());
        if reports.noted.len() >= MAX_SOURCES && !reports.noted.contains_key(&key) {
            return;
        }
        let (named, count) = reports.noted.entry(key).or_default();
        *count += 1;
        let at = named.partition_point(|known| known.as_str() <= member);
        if at < MAX_NAMED {
            named.insert(at, member.to_owned());
            named.truncate(MAX_NAMED);
        }
    }

    /// Returns true if reading took longer than the limit. This is reported once, for the source that notices it first.
    pub fn is_late(&self, limits: &Limits, source: &str) -> bool {
        // without a limit, the clock is never read
        if limits.time == u64::MAX {
            return false;
        }
        let now = self.clock.now();
        let started = *self.started.get_or_init(|| now);
        let is_late = now.saturating_sub(started).as_secs() >= limits.time;
        if is_late && !self.late.swap(true, Ordering::Relaxed) {
            let message = format!(
                "reading took {} seconds, the limit: the rest was not read",
                limits.time
            );
            self.tell(source, Limit::Time, message);
        }
        is_late
    }

    /// Returns true if all sources together exceed the compression ratio.
    pub fn is_bomb(&self, limits: &Limits) -> bool {
        let unpacked = self.unpacked.load(Ordering::Relaxed);
        let read = self.read.load(Ordering::Relaxed).max(1);
        unpacked > limits.free && unpacked / read > limits.ratio
    }

    /// Records a source that cannot be read.
    pub fn fail(&self, path: &Path, source: io::Error) {
        self.reports().failures.push((path.to_owned(), source));
    }

    /// Returns the limits that were recorded and the sources that could not be read, and clears both.
    pub fn finish(&self) -> (Vec<LimitMet>, Vec<(PathBuf, io::Error)>) {
        let reports = std::mem::take(&mut *self.reports());
        let mut all = Vec::new();
        for (_, (mut listed, more)) in reports.met {
            if let Some(last) = listed.last_mut().filter(|_| more > 0) {
                last.message = format!("{}; {more} more like this", last.message);
            }
            all.append(&mut listed);
        }
        for ((limit, what, source), (named, count)) in reports.noted {
            let more = count - named.len() as u64;
            let mut names = named.join(", ");
            if more > 0 {
                names = format!("{names} and {more} more");
            }
            all.push(LimitMet::new(source, limit, format!("{what}: {names}")));
        }
        (all, reports.failures)
    }

    /// Returns true if the run was cancelled.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }
}

/// The maximum number of limits of one kind that are listed individually.
const MAX_TOLD: usize = 20;
/// The maximum number of members named in one note.
const MAX_NAMED: usize = 3;
/// The maximum number of notes.
const MAX_SOURCES: usize = 1000;

/// The names of the members that were treated alike, up to `MAX_NAMED`, and the number of all of them.
type Noted = (Vec<String>, u64);

#[derive(Debug, Default)]
struct LimitReports {
    met: BTreeMap<Limit, (Vec<LimitMet>, u64)>,
    noted: BTreeMap<(Limit, &'static str, String), Noted>,
    failures: Vec<(PathBuf, io::Error)>,
}

/// The error of a stream that failed for a reason that is already reported.
#[derive(Debug, thiserror::Error)]
#[error("the stream ends here")]
struct Stopped;

/// Returns an error whose reason is already reported.
pub fn stopped() -> io::Error {
    io::Error::other(Stopped)
}

/// Returns true if the reason of an error is already reported.
pub fn is_reported(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Stopped>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_as_typed() {
        let set = |text: &str| text.parse::<SetLimit>();
        let limits = Limits::default().with(&[set("member-size=2G").unwrap()]);
        assert_eq!(limits.member_size, 2 << 30);
        assert_eq!(limits.members, 100_000);
        for wrong in [
            "ratio",
            "ratio=",
            "ratio=ten",
            "colour=1",
            "members=1x",
            "total-size=99999999999T",
        ] {
            assert!(set(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_reported_stays_short() {
        let shared = Shared::default();
        for number in 0..100 {
            shared.tell("b.tar", Limit::Damaged, "it ends early");
            shared.note(
                "b.tar",
                Limit::Link,
                "links are not followed",
                &format!("m{number:02}"),
            );
        }
        let (all, _) = shared.finish();
        assert_eq!(all.len(), MAX_TOLD + 1);
        assert_eq!(
            all[MAX_TOLD - 1].message,
            "it ends early; 80 more like this"
        );
        assert_eq!(
            all[MAX_TOLD].message,
            "links are not followed: m00, m01, m02 and 97 more"
        );
    }
}
