//! Times as printed in logs.
//!
//! Accepted: RFC 3339 and ISO 8601 with `T` or a space, fraction after a point or a comma, zone
//! `Z`, `+08:00`, `+0800` or none (then UTC is assumed and the stamp says so); epoch numbers in
//! seconds, milliseconds, microseconds or nanoseconds, distinguished by magnitude, also with an
//! exponent as Go's `%v` prints floats; klog's `0304 05:06:07.123456` and syslog's `Mar  4
//! 05:06:07`, in Chinese, Japanese and Korean locales `3月 04 05:06:07` and `3월 04 05:06:07`, all
//! without a year (then 1970 is assumed and the stamp says so).

pub(super) mod written;

use jiff::Timestamp;
use memchr::memchr2;

use kwhy_model::Stamp;

const NANOS: i128 = 1_000_000_000;
/// The largest accepted offset of a zone from UTC, in seconds.
const MAX_ZONE: i32 = 26 * 3600 - 1;

/// A value greater than any number in a time, which marks invalid digits.
const NO_NUMBER: u32 = 1 << 16;

/// Parses a two-digit number; at least [`NO_NUMBER`] if invalid, which the caller's range check
/// rejects.
#[inline(always)]
fn pair(tens: u8, ones: u8) -> u32 {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    let wrong = u32::from(tens > 9) | u32::from(ones > 9);
    (u32::from(tens) * 10 + u32::from(ones)) | (wrong * NO_NUMBER)
}

/// Parses a four-digit year; at least [`NO_NUMBER`] if invalid.
#[inline(always)]
fn year_of([a, b, c, d]: [u8; 4]) -> u32 {
    pair(a, b) * 100 + pair(c, d)
}

/// Returns the days from 1970-01-01 to a date, if the date exists.
#[inline(always)]
fn days(year: u32, month: u32, day: u32) -> Option<i64> {
    const LENGTHS: [u32; 13] = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    const BEFORE: [u32; 13] = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    if year > 9999 {
        return None;
    }
    let index = usize::try_from(month).ok()?;
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = *LENGTHS.get(index)? + u32::from(leap && month == 2);
    if !(1..=length).contains(&day) {
        return None;
    }
    // leap days from year 0, itself a leap year, to the year before
    let leaps = match year.checked_sub(1) {
        Some(last) => last / 4 - last / 100 + last / 400 + 1,
        None => 0,
    };
    let in_year = BEFORE.get(index)? + u32::from(leap && month > 2) + day - 1;
    Some(i64::from(year * 365 + leaps + in_year) - 719_528)
}

/// The powers of ten.
const POWERS: [u32; 10] = [
    1,
    10,
    100,
    1000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
];

/// A time of day.
struct Clock {
    seconds: u32,
    nanos: u32,
    digits: u8,
    /// The offset after it.
    end: usize,
}

/// Parses `05:06:07` with an optional fraction.
#[inline(always)]
fn clock(bytes: &[u8], at: usize) -> Option<Clock> {
    let &[h, i, b':', m, n, b':', s, t] = bytes.get(at..)?.first_chunk::<8>()? else {
        return None;
    };
    let (hour, minute, second) = (pair(h, i), pair(m, n), pair(s, t));
    if hour > 23 || minute > 59 || second >= NO_NUMBER {
        return None;
    }
    let mut end = at + 8;
    let (mut nanos, mut digits) = (0u32, 0u8);
    if matches!(bytes.get(end), Some(b'.' | b',')) {
        let fraction = bytes.get(end + 1..)?;
        for byte in fraction {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            if digits < 9 {
                nanos = nanos * 10 + u32::from(digit);
                digits += 1;
            }
            end += 1;
        }
        if digits > 0 {
            end += 1;
            nanos *= POWERS.get(usize::from(9 - digits)).copied().unwrap_or(0);
        }
    }
    Some(Clock {
        // a leap second is read as the second before it
        seconds: hour * 3600 + minute * 60 + second.min(59),
        nanos,
        digits,
        end,
    })
}

/// Parses a zone: seconds east of UTC, and the offset after it.
#[inline(always)]
fn zone(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let sign = match bytes.get(at)? {
        b'Z' | b'z' => return Some((0, at + 1)),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let &[a, b, after] = bytes.get(at + 1..)?.first_chunk::<3>()?;
    let colon = usize::from(after == b':');
    let &[c, d] = bytes.get(at + 3 + colon..)?.first_chunk::<2>()?;
    let (hours, minutes) = (pair(a, b), pair(c, d));
    if hours.max(minutes) >= NO_NUMBER {
        return None;
    }
    let seconds = i32::try_from(hours * 3600 + minutes * 60).ok()?;
    Some((sign * seconds, at + 5 + colon))
}

#[inline(always)]
fn stamp(days: i64, clock: &Clock, zone: Option<i32>, year_stated: bool) -> Option<Stamp> {
    let offset = zone.unwrap_or(0);
    let seconds = days * 86_400 + i64::from(clock.seconds) - i64::from(offset);
    if offset.abs() > MAX_ZONE || seconds > Timestamp::MAX.as_second() {
        return None;
    }
    Some(Stamp {
        nanos: i128::from(seconds) * NANOS + i128::from(clock.nanos),
        digits: clock.digits,
        zone_stated: zone.is_some(),
        year_stated,
    })
}

/// Parses a full date and time at the start of a text; also returns its length.
pub(crate) fn leading_date_time(text: impl AsRef<[u8]>) -> Option<(Stamp, usize)> {
    date_time(text.as_ref())
}

/// Returns the length of the full date and time at the start of a text, and true if it states a zone.
#[inline]
pub(crate) fn date_time_length(bytes: &[u8]) -> Option<(usize, bool)> {
    let (_, _, zone, length) = date_time_parts(bytes)?;
    let is_zone = |seconds: i32| seconds.abs() <= MAX_ZONE;
    zone.is_none_or(is_zone).then_some((length, zone.is_some()))
}

#[inline]
fn date_time(bytes: &[u8]) -> Option<(Stamp, usize)> {
    let (days, clock, zone, length) = date_time_parts(bytes)?;
    Some((stamp(days, &clock, zone, true)?, length))
}

#[inline(always)]
fn date_time_parts(bytes: &[u8]) -> Option<(i64, Clock, Option<i32>, usize)> {
    let &[
        a,
        b,
        c,
        d,
        b'-' | b'/',
        e,
        f,
        b'-' | b'/',
        g,
        h,
        b'T' | b't' | b' ',
    ] = bytes.first_chunk::<11>()?
    else {
        return None;
    };
    let days = days(year_of([a, b, c, d]), pair(e, f), pair(g, h))?;
    let clock = clock(bytes, 11)?;
    // Go's time.String prints a space before the zone: `2024-03-04 05:06:07.1 +0000 UTC`
    let zone = match bytes.get(clock.end) {
        Some(b' ') => zone(bytes, clock.end + 1),
        _ => zone(bytes, clock.end),
    };
    let length = zone.map_or(clock.end, |(_, end)| end);
    let zone = zone.map(|(seconds, _)| seconds);
    Some((days, clock, zone, length))
}

/// Parses klog's header time at the start of a text: `0304 05:06:07.123456`, or preceded by the
/// year as C++ glog 0.5 writes it.
#[inline(always)]
pub(crate) fn leading_klog_time(text: impl AsRef<[u8]>) -> Option<(Stamp, usize)> {
    klog_time(text.as_ref())
}

/// Returns the length of klog's header time at the start of a text.
#[inline(always)]
pub(crate) fn klog_time_length(bytes: &[u8]) -> Option<usize> {
    klog_time_parts(bytes).map(|(_, clock, _)| clock.end)
}

#[inline(always)]
fn klog_time(bytes: &[u8]) -> Option<(Stamp, usize)> {
    let (days, clock, with_year) = klog_time_parts(bytes)?;
    Some((stamp(days, &clock, None, with_year)?, clock.end))
}

#[inline(always)]
fn klog_time_parts(bytes: &[u8]) -> Option<(i64, Clock, bool)> {
    let with_year = bytes.get(8) == Some(&b' ');
    let (year, at) = if with_year {
        (year_of(*bytes.first_chunk()?), 4)
    } else {
        (1970, 0)
    };
    let &[a, b, c, d, b' '] = bytes.get(at..)?.first_chunk::<5>()? else {
        return None;
    };
    let days = days(year, pair(a, b), pair(c, d))?;
    let clock = clock(bytes, at + 5)?;
    Some((days, clock, with_year))
}

/// Parses syslog's time at the start of a text: `Mar 04 05:06:07`, with the day padded by 0 or a
/// space and an optional fraction. The month may be a number as in glibc's East Asian locales.
pub(crate) fn leading_syslog_time(text: impl AsRef<[u8]>) -> Option<(Stamp, usize)> {
    let bytes = text.as_ref();
    match bytes.first()? {
        b'0'..=b'9' | b' ' => numbered_month_time(bytes),
        _ => syslog_time(bytes),
    }
}

/// Parses an East Asian locale's month at the start of a text: `10月`, ` 3월`; also returns its
/// length.
fn numbered_month(bytes: &[u8]) -> Option<(u32, usize)> {
    let (month, at) = match *bytes.first_chunk::<2>()? {
        [b' ', ones @ b'1'..=b'9'] => (pair(b'0', ones), 2),
        [b'1', ones @ b'0'..=b'2'] => (pair(b'1', ones), 2),
        [ones @ b'1'..=b'9', _] => (pair(b'0', ones), 1),
        _ => return None,
    };
    // 月 and 월
    matches!(
        bytes.get(at..)?.first_chunk::<3>()?,
        [0xe6, 0x9c, 0x88] | [0xec, 0x9b, 0x94]
    )
    .then_some((month, at + 3))
}

/// Returns true if a text starts with such a month, of one digit after a space.
pub fn is_padded_month(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b' ') && numbered_month(bytes).is_some()
}

fn numbered_month_time(bytes: &[u8]) -> Option<(Stamp, usize)> {
    let (month, at) = numbered_month(bytes)?;
    let &[b' ', tens, ones, b' '] = bytes.get(at..)?.first_chunk::<4>()? else {
        return None;
    };
    let day = pair(if tens == b' ' { b'0' } else { tens }, ones);
    let clock = clock(bytes, at + 4)?;
    Some((
        stamp(days(1970, month, day)?, &clock, None, false)?,
        clock.end,
    ))
}

#[inline]
fn syslog_time(bytes: &[u8]) -> Option<(Stamp, usize)> {
    let &[a, b, c, b' ', tens, ones, b' '] = bytes.first_chunk::<7>()? else {
        return None;
    };
    let month = month(&[a, b, c])?;
    let day = pair(if tens == b' ' { b'0' } else { tens }, ones);
    let clock = clock(bytes, 7)?;
    Some((
        stamp(days(1970, month, day)?, &clock, None, false)?,
        clock.end,
    ))
}

/// Returns the number of a month by its three-letter English name.
#[inline(always)]
fn month(name: &[u8; 3]) -> Option<u32> {
    Some(match name {
        b"Jan" => 1,
        b"Feb" => 2,
        b"Mar" => 3,
        b"Apr" => 4,
        b"May" => 5,
        b"Jun" => 6,
        b"Jul" => 7,
        b"Aug" => 8,
        b"Sep" => 9,
        b"Oct" => 10,
        b"Nov" => 11,
        b"Dec" => 12,
        _ => return None,
    })
}

/// Parses the common log format's time at the start of a text: `02/Jan/2006:15:04:05 -0700`.
pub(crate) fn leading_common_log_time(text: &str) -> Option<(Stamp, usize)> {
    let bytes = text.as_bytes();
    let &[d, e, b'/', a, b, c, b'/', y, x, w, v, b':'] = bytes.first_chunk::<12>()? else {
        return None;
    };
    let days = days(year_of([y, x, w, v]), month(&[a, b, c])?, pair(d, e))?;
    let clock = clock(bytes, 12)?;
    let zone = match bytes.get(clock.end) {
        Some(b' ') => zone(bytes, clock.end + 1),
        _ => None,
    };
    let end = zone.map_or(clock.end, |(_, end)| end);
    let zone = zone.map(|(seconds, _)| seconds);
    Some((stamp(days, &clock, zone, true)?, end))
}

/// Parses the time of java.util.logging at the start of a text: `Jan 2, 2006 3:04:05 PM`.
pub(crate) fn leading_java_time(text: &str) -> Option<(Stamp, usize)> {
    let bytes = text.as_bytes();
    let &[a, b, c, b' '] = bytes.first_chunk::<4>()? else {
        return None;
    };
    let month = month(&[a, b, c])?;
    let (day, at) = one_or_two(bytes, 4)?;
    let &[b',', b' ', y, x, w, v, b' '] = bytes.get(at..)?.first_chunk::<7>()? else {
        return None;
    };
    let days = days(year_of([y, x, w, v]), month, day)?;
    let (hour, at) = one_or_two(bytes, at + 7)?;
    let &[b':', m, n, b':', s, t] = bytes.get(at..)?.first_chunk::<6>()? else {
        return None;
    };
    // Java 20 and later print a narrow no-break space before AM or PM
    let rest = text.get(at + 6..)?;
    let space = rest
        .chars()
        .next()
        .filter(|c| matches!(c, ' ' | '\u{202f}'))?;
    let half = match rest
        .get(space.len_utf8()..)?
        .as_bytes()
        .first_chunk::<2>()?
    {
        b"AM" => 0,
        b"PM" => 12,
        _ => return None,
    };
    let (minute, second) = (pair(m, n), pair(s, t));
    if !(1..=12).contains(&hour) || minute > 59 || second >= NO_NUMBER {
        return None;
    }
    let clock = Clock {
        seconds: (hour % 12 + half) * 3600 + minute * 60 + second.min(59),
        nanos: 0,
        digits: 0,
        end: at + 6 + space.len_utf8() + 2,
    };
    Some((stamp(days, &clock, None, true)?, clock.end))
}

/// Parses a number of one or two digits; also returns the offset after it.
fn one_or_two(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let &[tens, ones] = bytes.get(at..)?.first_chunk::<2>()?;
    let two = pair(tens, ones);
    if two < NO_NUMBER {
        return Some((two, at + 2));
    }
    let one = pair(b'0', tens);
    (one < NO_NUMBER).then_some((one, at + 1))
}

/// Parses the time of `dmesg -T` and `ctime` at the start of a text: `Mon Mar  4 05:06:07 2024`.
pub(crate) fn leading_ctime(text: &str) -> Option<(Stamp, usize)> {
    let bytes = text.as_bytes();
    let rest = bytes.get(3..)?.strip_prefix(b" ")?;
    let (unyeared, length) = syslog_time(rest)?;
    let &[b' ', y, x, w, v] = rest.get(length..)?.first_chunk::<5>()? else {
        return None;
    };
    let &[a, b, c, b' ', tens, ones, b' '] = rest.first_chunk::<7>()? else {
        return None;
    };
    let day = pair(if tens == b' ' { b'0' } else { tens }, ones);
    let days = days(year_of([y, x, w, v]), month(&[a, b, c])?, day)?;
    let in_day = unyeared.nanos.rem_euclid(86_400 * NANOS);
    let stamp = Stamp {
        nanos: i128::from(days) * 86_400 * NANOS + in_day,
        year_stated: true,
        ..unyeared
    };
    stamp.timestamp()?;
    Some((stamp, 4 + length + 5))
}

/// Parses stern's short time at the start of a text: `03-04 05:06:07`.
pub(crate) fn leading_short_time(text: impl AsRef<[u8]>) -> Option<(Stamp, usize)> {
    let bytes = text.as_ref();
    let &[a, b, b'-', c, d, b' '] = bytes.first_chunk::<6>()? else {
        return None;
    };
    let clock = clock(bytes, 6)?;
    let days = days(1970, pair(a, b), pair(c, d))?;
    Some((stamp(days, &clock, None, false)?, clock.end))
}

/// Parses a number of seconds, milliseconds, microseconds or nanoseconds since 1970: below 1e11 it
/// is seconds, below 1e14 milliseconds, below 1e17 microseconds.
pub(super) fn epoch(text: &str) -> Option<Stamp> {
    let (mantissa, exponent) = match memchr2(b'e', b'E', text.as_bytes()) {
        Some(at) => (text.get(..at)?, text.get(at + 1..)?.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole.len() + fraction.len();
    if whole.is_empty() || digits > 30 || !(-30..=30).contains(&exponent) {
        return None;
    }
    let scale = exponent - i32::try_from(fraction.len()).ok()?;
    if digits <= 18 && (-18..=0).contains(&scale) {
        return short_epoch(whole, fraction, scale.unsigned_abs());
    }
    let mut number = 0i128;
    for byte in whole.bytes().chain(fraction.bytes()) {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i128::from(byte - b'0');
    }
    // the value is number * 10^scale
    let magnitude = |limit: u32| scaled(number, scale).is_some_and(|n| n < 10i128.pow(limit));
    let unit = match () {
        () if magnitude(11) => 9,
        () if magnitude(14) => 6,
        () if magnitude(17) => 3,
        () => 0,
    };
    // fraction digits of seconds: those of the unit and those printed after its point
    let digits = (9 - unit - scale.min(0)).clamp(0, 9);
    let nanos = scaled(number, scale + unit)?;
    Timestamp::from_nanosecond(nanos).ok()?;
    Some(Stamp {
        nanos,
        digits: u8::try_from(digits).ok()?,
        zone_stated: true,
        year_stated: true,
    })
}

/// Parses an epoch of at most 18 digits with its point before the last `places` of them. It is in
/// the range of timestamps whatever its unit.
fn short_epoch(whole: &str, fraction: &str, places: u32) -> Option<Stamp> {
    let mut number = 0u64;
    for byte in whole.bytes().chain(fraction.bytes()) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + u64::from(digit);
    }
    let unit = match number / 10u64.pow(places) {
        0..100_000_000_000 => 9,
        100_000_000_000..100_000_000_000_000 => 6,
        100_000_000_000_000..100_000_000_000_000_000 => 3,
        _ => 0,
    };
    let nanos = match places.checked_sub(unit) {
        Some(cut) => i128::from(number / 10u64.pow(cut)),
        None => i128::from(number) * i128::from(10u64.pow(unit - places)),
    };
    Some(Stamp {
        nanos,
        digits: u8::try_from((9 - unit + places).min(9)).ok()?,
        zone_stated: true,
        year_stated: true,
    })
}

/// Returns `number * 10^scale`, rounded towards zero.
fn scaled(number: i128, scale: i32) -> Option<i128> {
    let power = 10i128.checked_pow(scale.unsigned_abs())?;
    if scale >= 0 {
        number.checked_mul(power)
    } else {
        Some(number / power)
    }
}

/// Parses a value that is a time in any of the formats with a year.
pub(super) fn parse(text: &str) -> Option<Stamp> {
    let text = text.trim();
    match leading_date_time(text) {
        Some((stamp, _)) => Some(stamp),
        None => epoch(text).or_else(|| {
            let found = written::leading(text)?;
            found.stamp.filter(|_| found.length == text.len())
        }),
    }
}

#[cfg(test)]
mod tests;
