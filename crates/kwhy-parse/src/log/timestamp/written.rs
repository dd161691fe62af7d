//! Times with their parts in any order, for heads whose layout is unknown.
//!
//! Besides those of `leading_date_time`: `04-Mar-2024 05:06:07.123`, `04/Mar/2024 05:06:07`, `04 Mar 2024 05:06:07`,
//! `04 Mar 05:06:07`,
//! `04 03 2024 05:06:07.123`, `03/04/2024 05:06:07` (the month first, unless it is above 12), `2024.03.04 05:06:07`,
//! `24/03/04 05:06:07`, `Mon, 04 Mar 2024 05:06:07 +0000`, `Mar 04 2024 05:06:07`, `Mar 04 05:06:07.123`,
//! `Mon Mar 04 05:06:07 2024`, `Mar 4, 2024 5:06:07 AM`, seconds since 1970 with a fraction, `03-04 05:06:07.123`,
//! `03.04 05:06:07`, and a time of day alone.

use super::{
    Clock, NANOS, NO_NUMBER, clock, date_time, days, epoch, leading_ctime, leading_java_time,
    month, one_or_two, pair, stamp, year_of, zone,
};
use kwhy_model::Stamp;

/// A time at the start of a text.
pub(crate) struct Written {
    /// The time; `None` if no date is stated.
    pub(crate) stamp: Option<Stamp>,
    /// Its length in bytes.
    pub(crate) length: usize,
}

/// Parses a time at the start of a text.
pub(crate) fn leading(text: &str) -> Option<Written> {
    let bytes = text.as_bytes();
    let (stamp, length) = match bytes.first()? {
        b'0'..=b'9' => numeric(text)?,
        b'A'..=b'Z' => named(text)?,
        _ => return None,
    };
    // no word or number may directly follow
    let ends = !bytes.get(length).is_some_and(u8::is_ascii_alphanumeric);
    ends.then_some(Written { stamp, length })
}

type Found = (Option<Stamp>, usize);

/// Parses `0.037211000s`: seconds since the start, as printed by tracing.
fn since_start(bytes: &[u8]) -> Option<Found> {
    let whole = bytes
        .iter()
        .take(12)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let fraction = bytes.get(whole..)?.strip_prefix(b".")?;
    let digits = fraction
        .iter()
        .take(10)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    (digits == 9 && fraction.get(9) == Some(&b's')).then_some((None, whole + 11))
}

fn numeric(text: &str) -> Option<Found> {
    let bytes = text.as_bytes();
    if let Some((stamp, length)) = date_time(bytes) {
        return Some((Some(stamp), length));
    }
    if bytes.get(2) == Some(&b':') {
        let end = clock(bytes, 0)?.end;
        // a twelve-hour clock: `05:06:07 AM`
        let half = bytes.get(end..end + 3);
        return Some((
            None,
            end + if matches!(half, Some(b" AM" | b" PM")) {
                3
            } else {
                0
            },
        ));
    }
    day_first(bytes)
        .or_else(|| dotted(bytes))
        .or_else(|| short_year(bytes))
        .or_else(|| month_and_day(bytes))
        .or_else(|| seconds(text))
        .or_else(|| since_start(bytes))
}

/// A date: its days since 1970, the offset after it, and whether it states a year.
type Date = (i64, usize, bool);

fn with_clock(bytes: &[u8], (days, at, stated): Date) -> Option<Found> {
    let at = match bytes.get(at)? {
        b' ' | b'T' | b':' | b'-' => at + 1,
        b',' if bytes.get(at + 1) == Some(&b' ') => at + 2,
        _ => return None,
    };
    let mut clock = clock(bytes, at)?;
    // milliseconds after a colon: `22:15:29:606`
    if let Some(&[b':', a, b, c]) = bytes.get(clock.end..).and_then(<[u8]>::first_chunk)
        && clock.digits == 0
    {
        let millis = pair(a, b) * 10 + pair(b'0', c);
        if millis < 1000 {
            clock.nanos = millis * 1_000_000;
            clock.digits = 3;
            clock.end += 4;
        }
    }
    let zone = match bytes.get(clock.end) {
        Some(b' ') => zone(bytes, clock.end + 1),
        _ => zone(bytes, clock.end),
    };
    let end = zone.map_or(clock.end, |(_, end)| end);
    let zone = zone.map(|(seconds, _)| seconds);
    Some((Some(stamp(days, &clock, zone, stated)?), end))
}

/// Parses `04-Mar-2024`, `04/Mar/2024`, `4 Mar 2024`, `4 Mar`, `04 03 2024`, `04.03.2024`, `03/04/2024`.
fn day_first(bytes: &[u8]) -> Option<Found> {
    let (first, at) = one_or_two(bytes, 0)?;
    let mark = *bytes
        .get(at)
        .filter(|mark| matches!(mark, b'-' | b'/' | b' ' | b'.'))?;
    let at = at + 1;
    let is_named = bytes.get(at)?.is_ascii_alphabetic();
    let (day, month, at) = if bytes.get(at)?.is_ascii_digit() {
        let (second, end) = one_or_two(bytes, at)?;
        // with slashes, the first number is the month if it can be one
        if mark == b'/' && first <= 12 {
            (second, first, end)
        } else {
            (first, second, end)
        }
    } else {
        (first, month(bytes.get(at..)?.first_chunk()?)?, at + 3)
    };
    let &[next, y, x, w, v] = bytes.get(at..)?.first_chunk::<5>()?;
    if next != mark {
        return None;
    }
    if is_named && mark == b' ' && w == b':' {
        return with_clock(bytes, (days(1970, month, day)?, at, false));
    }
    with_clock(
        bytes,
        (days(year_of([y, x, w, v]), month, day)?, at + 5, true),
    )
}

/// Parses `2024.03.04 05:06:07`, `20240304-05:06:07`, `20240304-5:6:7:89`.
fn dotted(bytes: &[u8]) -> Option<Found> {
    if let &[y, x, w, v, b'.', a, b, b'.', c, d] = bytes.first_chunk::<10>()? {
        let days = days(year_of([y, x, w, v]), pair(a, b), pair(c, d))?;
        return with_clock(bytes, (days, 10, true));
    }
    let &[y, x, w, v, a, b, c, d, b'-'] = bytes.first_chunk::<9>()? else {
        return None;
    };
    let days = days(year_of([y, x, w, v]), pair(a, b), pair(c, d))?;
    let clock = unpadded_clock(bytes, 9)?;
    Some((Some(stamp(days, &clock, None, true)?), clock.end))
}

/// Parses `5:06:7`, or with milliseconds after another colon `5:06:7:89`.
fn unpadded_clock(bytes: &[u8], at: usize) -> Option<Clock> {
    let colon = |at: usize| (bytes.get(at) == Some(&b':')).then_some(at + 1);
    let (hour, at) = one_or_two(bytes, at)?;
    let (minute, at) = one_or_two(bytes, colon(at)?)?;
    let (second, at) = one_or_two(bytes, colon(at)?)?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let rest = colon(at).and_then(|from| bytes.get(from..));
    let digits = rest.unwrap_or_default().iter().take(4);
    let digits: Vec<u8> = digits.copied().take_while(u8::is_ascii_digit).collect();
    let is_stated = (1..=3).contains(&digits.len());
    let digits = if is_stated { digits } else { Vec::new() };
    let millis = digits
        .iter()
        .fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
    Some(Clock {
        seconds: hour * 3600 + minute * 60 + second.min(59),
        nanos: millis * 1_000_000,
        digits: if is_stated { 3 } else { 0 },
        end: at + usize::from(is_stated) + digits.len(),
    })
}

/// Parses `24/03/04 05:06:07`, `240304 05:06:07` and `240304 050607`.
fn short_year(bytes: &[u8]) -> Option<Found> {
    let (year, at, rest) = match *bytes.first_chunk::<9>()? {
        [x, w, b'/', a, b, b'/', c, d, b' '] => (pair(x, w), 8, [a, b, c, d]),
        [x, w, a, b, c, d, b' ', _, _] => (pair(x, w), 6, [a, b, c, d]),
        _ => return None,
    };
    let [a, b, c, d] = rest;
    if year >= NO_NUMBER {
        return None;
    }
    let days = days(2000 + year, pair(a, b), pair(c, d))?;
    if let Some(found) = with_clock(bytes, (days, at, true)) {
        return Some(found);
    }
    let &[h, i, m, n, s, t] = bytes.get(7..)?.first_chunk::<6>()?;
    let (hour, minute, second) = (pair(h, i), pair(m, n), pair(s, t));
    if at != 6 || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let clock = Clock {
        seconds: hour * 3600 + minute * 60 + second.min(59),
        nanos: 0,
        digits: 0,
        end: 13,
    };
    Some((Some(stamp(days, &clock, None, true)?), clock.end))
}

/// Parses `03-04 05:06:07.123` (Android), or with a point `03.04 05:06:07`.
fn month_and_day(bytes: &[u8]) -> Option<Found> {
    let &[a, b, b'-' | b'.', c, d, b' '] = bytes.first_chunk::<6>()? else {
        return None;
    };
    with_clock(bytes, (days(1970, pair(a, b), pair(c, d))?, 5, false))
}

/// Parses seconds since 1970 with a fraction, or milliseconds; only from 2001 on, to exclude other numbers.
fn seconds(text: &str) -> Option<Found> {
    let length = text
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
        .count();
    let number = text.get(..length)?.trim_end_matches('.');
    let whole = number.find('.').unwrap_or(number.len());
    let is_time = (whole == 10 && number.len() > 12) || (whole == 13 && number.len() == 13);
    let stamp = epoch(number).filter(|stamp| is_time && stamp.nanos > 1_000_000_000 * NANOS)?;
    Some((Some(stamp), number.len()))
}

/// Parses times that start with the name of a month or a day of the week.
fn named(text: &str) -> Option<Found> {
    let bytes = text.as_bytes();
    if let Some((stamp, length)) = leading_ctime(text).or_else(|| leading_java_time(text)) {
        return Some((Some(stamp), length));
    }
    const DAYS: [&[u8]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];
    if DAYS.contains(&bytes.get(..3)?) {
        let rest = bytes.get(3..)?;
        let rest = rest
            .strip_prefix(b", ")
            .or_else(|| rest.strip_prefix(b" "))?;
        let (stamp, length) = day_first(rest)?;
        return Some((stamp, bytes.len() - rest.len() + length));
    }
    let month = month(bytes.first_chunk()?)?;
    let rest = bytes.get(3..)?.strip_prefix(b" ")?;
    let pad = usize::from(rest.first() == Some(&b' '));
    let (day, at) = one_or_two(rest, pad)?;
    let at = at + 4;
    // the year precedes the time of day
    if let Some(&[b' ', y, x, w, v, b' ']) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let year = year_of([y, x, w, v]);
        if year < NO_NUMBER {
            return with_clock(bytes, (days(year, month, day)?, at + 5, true));
        }
    }
    with_clock(bytes, (days(1970, month, day)?, at, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_any_order() {
        for (text, expected) in [
            ("2024-03-04 05:06:07,123 x", "2024-03-04T05:06:07.123Z"),
            ("04-Mar-2024 05:06:07.123", "2024-03-04T05:06:07.123Z"),
            ("04/Mar/2024 05:06:07", "2024-03-04T05:06:07Z"),
            ("4 Mar 2024 05:06:07", "2024-03-04T05:06:07Z"),
            ("04 Mar 05:06:07.123", "03-04T05:06:07.123"),
            ("04 03 2024 05:06:07.123", "2024-03-04T05:06:07.123Z"),
            ("03/04/2024 05:06:07", "2024-03-04T05:06:07Z"),
            ("14/03/2024 05:06:07", "2024-03-14T05:06:07Z"),
            ("2024.03.04 05:06:07", "2024-03-04T05:06:07Z"),
            ("20240304-05:06:07", "2024-03-04T05:06:07Z"),
            ("20240304-05:06:07:123", "2024-03-04T05:06:07.123Z"),
            ("20240304-5:06:7:89|x", "2024-03-04T05:06:07.089Z"),
            ("20240304-5:6:7 x", "2024-03-04T05:06:07Z"),
            ("24/03/04 05:06:07", "2024-03-04T05:06:07Z"),
            ("240304 050607 x", "2024-03-04T05:06:07Z"),
            ("Mon, 04 Mar 2024 05:06:07 +0000", "2024-03-04T05:06:07Z"),
            ("Mon Mar  4 05:06:07 2024", "2024-03-04T05:06:07Z"),
            ("Mar 04 05:06:07.123", "03-04T05:06:07.123"),
            ("Mar  4 2024 05:06:07", "2024-03-04T05:06:07Z"),
            ("03-04 05:06:07.123", "03-04T05:06:07.123"),
            ("1709528767.125 x", "2024-03-04T05:06:07.125Z"),
        ] {
            let stamp = leading(text).and_then(|found| found.stamp);
            assert_eq!(
                stamp.map(|stamp| stamp.to_string()).as_deref(),
                Some(expected),
                "{text}"
            );
        }
        let clock = leading("05:06:07.123 x").unwrap();
        assert_eq!((clock.stamp.is_none(), clock.length), (true, 12));
        for text in [
            "",
            "1709528767",
            "12.5",
            "04/Mrz/2024 05:06:07",
            "99/99/2024 05:06:07",
            "10.0.0.1 x",
            "12:30",
        ] {
            assert!(leading(text).is_none(), "{text}");
        }
    }
}
