//! The clock that measures reading time for [`Limits::time`](super::limits::Limits::time).

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A monotonic clock. It is read only if [`Limits::time`](super::limits::Limits::time) is set.
///
/// The default is the operating system's clock. On platforms without one, such as browsers (`wasm32-unknown-unknown`),
/// the caller must supply a clock.
///
/// ```
/// use std::time::Duration;
/// use kwhy_bundle::{Clock, Limits, Options, read};
/// use kwhy_core::Analyzer;
/// use kwhy_core::report::Limit;
/// // each look at this clock takes a minute
/// fn minutes() -> Duration {
///     use std::sync::atomic::{AtomicU64, Ordering};
///     static LOOKS: AtomicU64 = AtomicU64::new(0);
///     Duration::from_secs(60 * LOOKS.fetch_add(1, Ordering::Relaxed))
/// }
/// let limits = Limits::default().with(&["time=30".parse()?]);
/// let options = Options::default().with_limits(limits).with_clock(Clock::new(minutes));
/// let log = "2024-03-04T05:06:07Z started\n".repeat(100_000);
/// let inputs = read("app.log", log.as_bytes(), &options, &mut Analyzer::new().incident());
/// assert_eq!(inputs.limits[0].limit, Limit::Time);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Clock(fn() -> Duration);

impl Clock {
    /// Creates a clock from a function that returns the time elapsed since some fixed moment.
    pub fn new(now: fn() -> Duration) -> Clock {
        Clock(now)
    }

    pub(super) fn now(self) -> Duration {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Clock {
        Clock(since_first_use)
    }
}

fn since_first_use() -> Duration {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed()
}
