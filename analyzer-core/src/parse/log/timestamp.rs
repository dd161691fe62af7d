//! Times as logs print them.
//!
//! Accepted: RFC 3339 and ISO 8601 with `T` or a blank, fraction after a point or a comma, zone
//! `Z`, `+08:00`, `+0800` or none (then UTC is taken and the stamp says so); epoch numbers in
//! seconds, milliseconds, microseconds or nanoseconds, told apart by size, also with an exponent
//! as Go's `%v` prints floats; klog's `0304 05:06:07.123456` and syslog's `Mar  4 05:06:07`, both
//! without a year (then 1970 is taken and the stamp says so).

use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::model::Stamp;

/// Reads bytes from the left.
struct Cursor<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, accepted: &[u8]) -> Option<()> {
        self.peek().filter(|byte| accepted.contains(byte))?;
        self.at += 1;
        Some(())
    }

    /// A number of exactly `digits` digits.
    fn number(&mut self, digits: usize) -> Option<i16> {
        let part = self.bytes.get(self.at..self.at + digits)?;
        let mut number = 0i16;
        for byte in part {
            if !byte.is_ascii_digit() {
                return None;
            }
            number = number
                .checked_mul(10)?
                .checked_add(i16::from(byte - b'0'))?;
        }
        self.at += digits;
        Some(number)
    }

    fn small(&mut self) -> Option<i8> {
        self.number(2)?.try_into().ok()
    }

    /// `05:06:07` with an optional fraction: hour, minute, second, nanoseconds, digits.
    fn clock(&mut self) -> Option<(i8, i8, i8, i32, u8)> {
        let hour = self.small()?;
        self.skip(b":")?;
        let minute = self.small()?;
        self.skip(b":")?;
        let second = self.small()?;
        let (mut nanos, mut digits) = (0i32, 0u8);
        let has_fraction = matches!(self.peek(), Some(b'.' | b','))
            && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit);
        if has_fraction {
            self.at += 1;
            while let Some(byte) = self.peek().filter(u8::is_ascii_digit) {
                if digits < 9 {
                    nanos = nanos * 10 + i32::from(byte - b'0');
                    digits += 1;
                }
                self.at += 1;
            }
            nanos *= 10i32.pow(u32::from(9 - digits));
        }
        Some((hour, minute, second, nanos, digits))
    }

    /// Seconds east of UTC.
    fn zone(&mut self) -> Option<i32> {
        if self.skip(b"Zz").is_some() {
            return Some(0);
        }
        let before = self.at;
        let sign = match self.peek()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.at += 1;
        let mut read = || {
            let hours = self.small()?;
            let _ = self.skip(b":");
            let minutes = self.small()?;
            Some(sign * (i32::from(hours) * 3600 + i32::from(minutes) * 60))
        };
        let seconds = read();
        if seconds.is_none() {
            self.at = before;
        }
        seconds
    }
}

fn stamp(time: DateTime, zone: Option<i32>, digits: u8, year_stated: bool) -> Option<Stamp> {
    let offset = Offset::from_seconds(zone.unwrap_or(0)).ok()?;
    Some(Stamp {
        nanos: offset.to_timestamp(time).ok()?.as_nanosecond(),
        digits,
        zone_stated: zone.is_some(),
        year_stated,
    })
}

/// Reads a full date and time at the start of a text, and how long it is.
pub(super) fn leading_date_time(text: &str) -> Option<(Stamp, usize)> {
    let bytes = text.as_bytes();
    if bytes.get(4).is_none_or(|byte| !matches!(byte, b'-' | b'/')) {
        return None;
    }
    let mut cursor = Cursor { bytes, at: 0 };
    let year = cursor.number(4)?;
    cursor.skip(b"-/")?;
    let month = cursor.small()?;
    cursor.skip(b"-/")?;
    let day = cursor.small()?;
    cursor.skip(b"Tt ")?;
    let (hour, minute, second, nanos, digits) = cursor.clock()?;
    let mut zone = cursor.zone();
    if zone.is_none() && cursor.peek() == Some(b' ') {
        // Go's time.String: `2024-03-04 05:06:07.1 +0000 UTC`
        let before = cursor.at;
        cursor.at += 1;
        zone = cursor.zone();
        if zone.is_none() {
            cursor.at = before;
        }
    }
    // a leap second is read as the second before it
    let time = DateTime::new(year, month, day, hour, minute, second.min(59), nanos).ok()?;
    Some((stamp(time, zone, digits, true)?, cursor.at))
}

/// Reads klog's header time at the start of a text: `0304 05:06:07.123456`, or with the year in
/// front as C++ glog 0.5 writes it.
pub(super) fn leading_klog_time(text: &str) -> Option<(Stamp, usize)> {
    let mut cursor = Cursor {
        bytes: text.as_bytes(),
        at: 0,
    };
    let with_year = cursor.bytes.get(8) == Some(&b' ');
    let year = if with_year { cursor.number(4)? } else { 1970 };
    let month = cursor.small()?;
    let day = cursor.small()?;
    cursor.skip(b" ")?;
    let (hour, minute, second, nanos, digits) = cursor.clock()?;
    let time = DateTime::new(year, month, day, hour, minute, second.min(59), nanos).ok()?;
    Some((stamp(time, None, digits, with_year)?, cursor.at))
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Reads syslog's time at the start of a text: `Mar 04 05:06:07`, the day padded with 0 or a
/// blank, the fraction optional.
pub(super) fn leading_syslog_time(text: &str) -> Option<(Stamp, usize)> {
    let name = text.get(..3)?;
    let month = MONTHS.iter().position(|month| *month == name)?;
    let mut cursor = Cursor {
        bytes: text.as_bytes(),
        at: 3,
    };
    cursor.skip(b" ")?;
    let day = if cursor.skip(b" ").is_some() {
        cursor.number(1)?.try_into().ok()?
    } else {
        cursor.small()?
    };
    cursor.skip(b" ")?;
    let (hour, minute, second, nanos, digits) = cursor.clock()?;
    let month = i8::try_from(month).ok()? + 1;
    let time = DateTime::new(1970, month, day, hour, minute, second.min(59), nanos).ok()?;
    Some((stamp(time, None, digits, false)?, cursor.at))
}

/// Reads a number of seconds, milliseconds, microseconds or nanoseconds since 1970: below 1e11
/// it is seconds, below 1e14 milliseconds, below 1e17 microseconds.
pub(super) fn epoch(text: &str) -> Option<Stamp> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole.len() + fraction.len();
    if whole.is_empty() || digits > 30 || !(-30..=30).contains(&exponent) {
        return None;
    }
    let mut number = 0i128;
    for byte in whole.bytes().chain(fraction.bytes()) {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i128::from(byte - b'0');
    }
    // the value is number * 10^scale
    let scale = exponent - i32::try_from(fraction.len()).ok()?;
    let magnitude = |limit: u32| scaled(number, scale).is_some_and(|n| n < 10i128.pow(limit));
    let unit = match () {
        () if magnitude(11) => 9,
        () if magnitude(14) => 6,
        () if magnitude(17) => 3,
        () => 0,
    };
    // fraction digits of seconds: those of the unit itself and those printed behind its point
    let digits = (9 - unit - scale.min(0)).clamp(0, 9);
    let nanos = scaled(number, scale + unit)?;
    jiff::Timestamp::from_nanosecond(nanos).ok()?;
    Some(Stamp {
        nanos,
        digits: u8::try_from(digits).ok()?,
        zone_stated: true,
        year_stated: true,
    })
}

/// `number * 10^scale`, cut towards zero.
fn scaled(number: i128, scale: i32) -> Option<i128> {
    let power = 10i128.checked_pow(scale.unsigned_abs())?;
    if scale >= 0 {
        number.checked_mul(power)
    } else {
        Some(number / power)
    }
}

/// Reads a value that is a time in any of the forms with a year.
pub(super) fn parse(text: &str) -> Option<Stamp> {
    let text = text.trim();
    match leading_date_time(text) {
        Some((stamp, _)) => Some(stamp),
        None => epoch(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        parse(text).map_or_else(|| "none".to_owned(), |stamp| stamp.to_string())
    }

    #[test]
    fn dates() {
        assert_eq!(shown("2024-03-04T05:06:07Z"), "2024-03-04T05:06:07Z");
        assert_eq!(
            shown("2024-03-04T05:06:07.120+0800"),
            "2024-03-03T21:06:07.120Z"
        );
        assert_eq!(
            shown("2024-03-04 05:06:07,5 +0000 UTC"),
            "2024-03-04T05:06:07.5Z"
        );
        assert!(!parse("2024-03-04T05:06:07").unwrap().zone_stated);
        for wrong in [
            "2024-13-04T05:06:07Z",
            "2024-03-04",
            "",
            "x",
            "2024-03-04T0",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn epochs() {
        assert_eq!(
            shown("1.7095287671234567e+09"),
            "2024-03-04T05:06:07.1234567Z"
        );
        assert_eq!(shown("1709528767"), "2024-03-04T05:06:07Z");
        assert_eq!(shown("1709528767123"), "2024-03-04T05:06:07.123Z");
        assert_eq!(shown("1709528767123.4567"), "2024-03-04T05:06:07.1234567Z");
        assert_eq!(
            shown("1709528767123456789"),
            "2024-03-04T05:06:07.123456789Z"
        );
        assert_eq!(epoch("1e99999999999"), None);
        assert_eq!(epoch("-1"), None);
    }

    #[test]
    fn without_year() {
        let (stamp, length) = leading_klog_time("0304 05:06:07.123456  1 x.go:1] y").unwrap();
        assert_eq!(
            (stamp.to_string().as_str(), length),
            ("03-04T05:06:07.123456", 20)
        );
        assert!(!stamp.year_stated);
        let (stamp, _) = leading_klog_time("20240304 05:06:07.123456 1 x.cc:1] y").unwrap();
        assert!(stamp.year_stated);
        let (stamp, length) = leading_syslog_time("Mar  4 05:06:07 node kubelet").unwrap();
        assert_eq!((stamp.to_string().as_str(), length), ("03-04T05:06:07", 15));
    }
}
