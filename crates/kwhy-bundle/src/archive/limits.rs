//! Limits on archives, and the record of those that were met.

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

/// Limits on an archive, whatever it claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one member.
    pub member_size: u64,
    /// Bytes that are unpacked of all sources together.
    pub total_size: u64,
    /// Bytes that are unpacked for each packed one, of a stream and of all sources together, once there are more
    /// than `free`.
    pub ratio: u64,
    /// The number of unpacked bytes up to which the ratio is not checked: a short file of one repeated line compresses well.
    pub free: u64,
    /// Members of all sources together; archives inside of others count.
    pub members: u64,
    /// Archives and compressed files inside of one another.
    pub nesting: u64,
    /// Bytes of a member's name.
    pub path_length: u64,
    /// Bytes of the names of all members together: a report and the search for members that say the same keep them.
    pub names: u64,
    /// Seconds that reading may take.
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

    /// With some of them set.
    pub fn with(mut self, set: &[SetLimit]) -> Limits {
        for SetLimit { name, value } in set {
            if let Some(limit) = self.of(name) {
                *limit = *value;
            }
        }
        // each archive that is open takes a place on the stack
        self.nesting = self.nesting.min(32);
        self
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            // a journal of a large node takes some GiB
            member_size: 16 << 30,
            total_size: 256 << 30,
            // logs are packed 5 to 30 times, one line over and over up to 200 times
            ratio: 250,
            // a bomb of bzip2 takes more than a second for that
            free: 64 << 20,
            members: 100_000,
            // real bundles have two: a node's archive in a bundle, and compressed logs in that
            nesting: 4,
            path_length: 4096,
            // a bundle of 100,000 members has some 15 MiB
            names: 64 << 20,
            time: u64::MAX,
            read: ReadLimits::default(),
        }
    }
}

/// A limit as it is typed: `NAME=NUMBER`, with `k`, `M`, `G` or `T` after it for powers of 1024.
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

/// Reads a number such as `4096`, `64M` or `2G`: the letters are powers of 1024.
///
/// # Errors
/// It is no such number, or too large.
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
    /// Bytes that were unpacked.
    pub unpacked: AtomicU64,
    /// Bytes that were read of the sources themselves.
    pub read: AtomicU64,
    /// Members that were read.
    pub members: AtomicU64,
    /// Bytes of their names.
    pub names: AtomicU64,
    /// Ends the run early.
    pub stop: Cancel,
    clock: Clock,
    /// When the first byte was asked for.
    started: OnceLock<Duration>,
    /// True once it is reported that reading took too long.
    late: AtomicBool,
    reports: Mutex<LimitReports>,
}

impl Shared {
    /// For a run that this handle ends early.
    pub fn under(stop: &Cancel) -> Arc<Shared> {
        Shared::timed(stop, Clock::default())
    }

    /// For a run that this handle ends early, and that a clock of the caller's measures.
    pub fn timed(stop: &Cancel, clock: Clock) -> Arc<Shared> {
        Arc::new(Shared {
            stop: stop.clone(),
            clock,
            ..Shared::default()
        })
    }

    /// For a further run that ends together with this one.
    pub fn next(&self) -> Arc<Shared> {
        Shared::timed(&self.stop, self.clock)
    }

    fn reports(&self) -> std::sync::MutexGuard<'_, LimitReports> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports a limit or a damage.
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

    /// Reports one of many members of a source that were treated alike.
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

    /// Returns true if reading took longer than it may, which is reported of the first source that shows it.
    pub fn is_late(&self, limits: &Limits, source: &str) -> bool {
        // the clock is read for nothing else
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

    /// Returns true if all sources together unpack to more than is believed.
    pub fn is_bomb(&self, limits: &Limits) -> bool {
        let unpacked = self.unpacked.load(Ordering::Relaxed);
        let read = self.read.load(Ordering::Relaxed).max(1);
        unpacked > limits.free && unpacked / read > limits.ratio
    }

    /// Reports a source that cannot be read.
    pub fn fail(&self, path: &Path, source: io::Error) {
        self.reports().failures.push((path.to_owned(), source));
    }

    /// All that was reported, and what could not be read.
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

    /// Returns true if to come to an end.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }
}

/// The number of limits and damages of one kind that are listed individually.
const MAX_TOLD: usize = 20;
/// The number of members that are named in a note.
const MAX_NAMED: usize = 3;
/// The number of sources that have notes.
const MAX_SOURCES: usize = 1000;

/// The names of members with which the same was done, and how many there are.
type Noted = (Vec<String>, u64);

#[derive(Debug, Default)]
struct LimitReports {
    met: BTreeMap<Limit, (Vec<LimitMet>, u64)>,
    noted: BTreeMap<(Limit, &'static str, String), Noted>,
    failures: Vec<(PathBuf, io::Error)>,
}

/// The failure of a stream whose reason is reported already.
#[derive(Debug, thiserror::Error)]
#[error("the stream ends here")]
struct Stopped;

/// A failure whose reason is reported already.
pub fn stopped() -> io::Error {
    io::Error::other(Stopped)
}

/// Returns true if the reason of a failure is reported already.
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
