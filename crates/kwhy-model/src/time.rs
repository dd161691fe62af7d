//! Times, ages and durations as the input states them.

use std::fmt;

/// A moment as stated by an input: an instant, its printed precision, and which parts were missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    pub nanos: i128,
    /// The number of fraction digits printed.
    pub digits: u8,
    /// True if the time zone was stated; otherwise UTC is assumed.
    pub zone_stated: bool,
    /// True if the year was stated; otherwise 1970 is assumed until other evidence determines it.
    pub year_stated: bool,
}

impl Stamp {
    /// Returns the instant, if it is in the years -9999 to 9999.
    pub fn timestamp(&self) -> Option<jiff::Timestamp> {
        jiff::Timestamp::from_nanosecond(self.nanos).ok()
    }

    /// Returns the time in RFC 3339, with as many digits as were printed; in 1970 if the year is unknown. A time
    /// outside the years -9999 to 9999 is clamped to them.
    ///
    /// ```
    /// use kwhy_model::Stamp;
    /// let stamp = Stamp { nanos: 250_000_000, digits: 2, zone_stated: true, year_stated: false };
    /// assert_eq!(stamp.rfc3339().to_string(), "1970-01-01T00:00:00.25Z");
    /// ```
    pub fn rfc3339(&self) -> impl fmt::Display + use<> {
        Rfc3339(*self)
    }

    /// Returns the seconds from `earlier` to this moment; negative if `earlier` is later.
    pub fn seconds_since(&self, earlier: &Stamp) -> f64 {
        (self.nanos - earlier.nanos) as f64 / 1e9
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let printed = self.rfc3339();
        if self.year_stated {
            return printed.fmt(f);
        }
        let printed = printed.to_string();
        f.write_str(printed.get(5..).unwrap_or(&printed).trim_end_matches('Z'))
    }
}

/// Displays a time for [`Stamp::rfc3339`].
struct Rfc3339(Stamp);

impl fmt::Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use jiff::Timestamp;
        let nearest = match self.0.nanos < 0 {
            true => Timestamp::MIN,
            false => Timestamp::MAX,
        };
        let time = self.0.timestamp().unwrap_or(nearest);
        write!(f, "{time:.*}", usize::from(self.0.digits))
    }
}

/// An age as printed by kubectl, such as `5m30s`, with the size of its last unit.
///
/// ```
/// use kwhy_model::Age;
/// let age = Age::parse("3d6h").unwrap();
/// assert_eq!((age.seconds, age.resolution), (280_800, 3_600));
/// assert_eq!(age.to_string(), "3d6h");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Age {
    /// Whole seconds.
    pub seconds: u64,
    /// The last printed unit in seconds: the actual age may be up to this much older.
    pub resolution: u64,
}

const UNITS: &[(char, u64)] = &[
    ('y', 31_536_000),
    ('d', 86_400),
    ('h', 3_600),
    ('m', 60),
    ('s', 1),
];

impl Age {
    /// Parses an age in kubectl's format; `None` if the text is anything else.
    pub fn parse(text: &str) -> Option<Age> {
        let mut seconds = 0u64;
        let mut resolution = 0;
        let mut largest = u64::MAX;
        let mut digits = 0usize;
        let mut number = 0u64;
        for c in text.chars() {
            if let Some(digit) = c.to_digit(10) {
                number = number.checked_mul(10)?.checked_add(u64::from(digit))?;
                digits += 1;
                continue;
            }
            let &(_, unit) = UNITS.iter().find(|(letter, _)| *letter == c)?;
            if digits == 0 || unit >= largest {
                return None;
            }
            seconds = seconds.checked_add(number.checked_mul(unit)?)?;
            (largest, resolution, digits, number) = (unit, unit, 0, 0);
        }
        (digits == 0 && resolution > 0).then_some(Age {
            seconds,
            resolution,
        })
    }
}

impl fmt::Display for Age {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.seconds;
        let mut wrote = 0;
        for &(letter, unit) in UNITS {
            if unit < self.resolution {
                break;
            }
            if rest >= unit && wrote < 2 {
                write!(f, "{}{letter}", rest / unit)?;
                rest %= unit;
                wrote += 1;
            }
        }
        if wrote == 0 {
            f.write_str("0s")
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages() {
        assert_eq!(Age::parse("105s").unwrap().seconds, 105);
        assert_eq!(Age::parse("2y45d").unwrap().resolution, 86_400);
        for wrong in [
            "",
            "5",
            "m5",
            "5m5m",
            "5s3m",
            "<invalid>",
            "99999999999999999999y",
        ] {
            assert_eq!(Age::parse(wrong), None, "{wrong}");
        }
    }
}
