//! Durations as printed by Go, such as `1h30m`, `-8s` or `1.5ms`, also with `d` for days.

/// Units in nanoseconds; a unit precedes its prefixes.
const UNITS: &[(&str, i128)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// The maximum number of fraction digits used; further ones are below a nanosecond in any unit.
const MAX_DIGITS: usize = 15;

/// Parses a duration with an optional sign into nanoseconds; `None` if the text is anything else or the
/// duration is longer than 292 years.
pub fn nanoseconds(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => digits(after),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let (unit, nanos) = UNITS.iter().find(|(unit, _)| after.starts_with(unit))?;
        if !whole.is_empty() {
            total = total.checked_add(whole.parse::<i128>().ok()?.checked_mul(*nanos)?)?;
        }
        let fraction = &fraction[..fraction.len().min(MAX_DIGITS)];
        if !fraction.is_empty() {
            total += fraction.parse::<i128>().ok()? * nanos / 10i128.pow(fraction.len() as u32);
        }
        rest = &after[unit.len()..];
    }
    i64::try_from(sign * total).ok()
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_durations_and_days() {
        for (text, nanos) in [
            ("10s", 10_000_000_000),
            ("1h30m", 5_400_000_000_000),
            ("1.5s", 1_500_000_000),
            (".5ms", 500_000),
            ("2us", 2_000),
            ("3µs", 3_000),
            ("7ns", 7),
            ("1m5s10ms", 65_010_000_000),
            ("5s1m", 65_000_000_000),
            ("-8s", -8_000_000_000),
            ("+8s", 8_000_000_000),
            ("2d", 172_800_000_000_000),
            ("0", 0),
            ("0s", 0),
        ] {
            assert_eq!(nanoseconds(text), Some(nanos), "{text}");
        }
        for wrong in [
            "", "-", "+", "10", "s", ".s", "1 s", "1y", "1s-1s", "1.2.3s", "1e3s", "300000d",
            "soon",
        ] {
            assert_eq!(nanoseconds(wrong), None, "{wrong}");
        }
    }
}
