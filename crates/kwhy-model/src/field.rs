//! The named values of a record, and what the log reveals of their types.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::value::RawValue;

use super::duration::nanoseconds;
use super::text::Text;

/// A named value of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// The name as written.
    pub key: Cow<'a, str>,
    /// The value, decoded.
    pub value: Text<'a>,
    /// The form of the value in the log.
    pub written: Written,
}

/// The notation of a value in a log, which shows whether it can be anything but text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Written {
    /// As text: in quotes, or as part of a sentence.
    Text,
    /// Without quotes, in a format that does not require them for text (logfmt).
    Bare,
    /// Without quotes, in a format that requires them for text (JSON, klog).
    Unquoted,
}

impl<'a> Field<'a> {
    /// Returns a field whose value is text.
    pub fn text(key: impl Into<Cow<'a, str>>, value: Text<'a>) -> Self {
        Field::new(key, value, Written::Text)
    }

    /// Returns a field.
    pub fn new(key: impl Into<Cow<'a, str>>, value: Text<'a>, written: Written) -> Self {
        Field {
            key: key.into(),
            value,
            written,
        }
    }

    /// Returns the value as JSON unless it is text: a number, `true`, `false`, `null`, an object, a list.
    /// If text may be bare, only canonical numbers count as such: `1.50` and
    /// `0012` are text then, as they may be a version or a code.
    ///
    /// ```
    /// use kwhy_model::{Field, Text, Written};
    /// let json = |value, written| {
    ///     let field = Field::new("key", Text::borrowed(value, 0), written);
    ///     field.json().map(|json| json.get().to_owned())
    /// };
    /// assert_eq!(json("1.50", Written::Unquoted).as_deref(), Some("1.50"));
    /// assert_eq!(json("1.50", Written::Bare), None);
    /// assert_eq!(json("-12", Written::Bare).as_deref(), Some("-12"));
    /// assert_eq!(json("-12", Written::Text), None);
    /// assert_eq!(json("{\"a\":[1]}", Written::Bare).as_deref(), Some("{\"a\":[1]}"));
    /// ```
    pub fn json(&self) -> Option<&RawValue> {
        let value = self.value.as_str();
        let may_be = match (self.written, value.as_bytes().first()?) {
            (Written::Text, _) => false,
            (_, b'{' | b'[') => true,
            (Written::Bare, b'-' | b'0'..=b'9') => is_plain_number(value),
            (Written::Bare, _) => matches!(value, "true" | "false"),
            (Written::Unquoted, b'-' | b'0'..=b'9') => true,
            (Written::Unquoted, _) => matches!(value, "true" | "false" | "null"),
        };
        may_be.then(|| serde_json::from_str(value).ok()).flatten()
    }
}

impl Field<'_> {
    /// Returns the value as a duration if it has a unit, as printed by Go: `1.5s`, `12ms`, `3m2s`,
    /// `250µs`. No other text looks like this; a bare number has no unit and is not a duration. The text of the
    /// value is unchanged.
    ///
    /// ```
    /// use std::time::Duration;
    /// use kwhy_model::{Field, Text};
    /// let took = |value| Field::text("took", Text::borrowed(value, 0)).duration();
    /// assert_eq!(took("3m2s"), Some(Duration::from_secs(182)));
    /// assert_eq!(took("1.5ms"), Some(Duration::from_micros(1500)));
    /// assert_eq!(took("12"), None);
    /// assert_eq!(took("-8s"), None);
    /// ```
    pub fn duration(&self) -> Option<Duration> {
        const LONGEST: usize = 40;
        let value = self.value.as_str();
        let (first, last) = (value.as_bytes().first()?, value.as_bytes().last()?);
        let may_be = value.len() <= LONGEST
            && (first.is_ascii_digit() || *first == b'.')
            && matches!(last, b's' | b'm' | b'h' | b'd');
        let nanos = may_be.then(|| nanoseconds(value)).flatten()?;
        u64::try_from(nanos).ok().map(Duration::from_nanos)
    }
}

/// Returns true if a text is a canonical decimal number that survives a conversion to floating point and
/// back.
fn is_plain_number(text: &str) -> bool {
    /// The number of decimal digits that a double preserves.
    const EXACT: usize = 15;
    let number = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(|fraction| digits(fraction) && !fraction.ends_with('0'))
        && text != "-0"
        && number.len() <= EXACT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(written: Written) -> impl Fn(&&str) -> bool {
        move |value| {
            Field::new("k", Text::borrowed(value, 0), written)
                .json()
                .is_some()
        }
    }

    #[test]
    fn bare_values_are_numbers_only_where_nothing_is_lost() {
        let numbers = [
            "0",
            "7",
            "-7",
            "0.5",
            "12.25",
            "123456789012345",
            "true",
            "false",
        ];
        assert!(numbers.iter().all(typed(Written::Bare)));
        let texts = [
            "",
            "007",
            "1.50",
            "1e5",
            "-0",
            "+1",
            ".5",
            "5.",
            "1.2.3",
            "0x1f",
            "null",
            "NaN",
            "1234567890123456",
            "[1 2]",
            "{a}",
            "١",
        ];
        assert!(!texts.iter().any(typed(Written::Bare)));
    }

    #[test]
    fn durations_have_a_unit() {
        let duration = |value| Field::text("k", Text::borrowed(value, 0)).duration();
        for (value, nanos) in [
            ("1.5s", 1_500_000_000),
            ("12ms", 12_000_000),
            ("3m2s", 182_000_000_000),
            ("1h0m0.25s", 3_600_250_000_000),
            ("250µs", 250_000),
            ("100us", 100_000),
            ("7ns", 7),
            ("0s", 0),
        ] {
            assert_eq!(
                duration(value),
                Some(Duration::from_nanos(nanos)),
                "{value}"
            );
        }
        for value in [
            "", "s", "12", "0", "5 s", "-1s", "1.2.3s", "10m-b", "v1.2s", "12items",
        ] {
            assert_eq!(duration(value), None, "{value}");
        }
    }

    #[test]
    fn of_json_all_stays() {
        let values = [
            "1e5",
            "1.50",
            "null",
            "-0",
            "18446744073709551616",
            "[]",
            "{\"a\":null}",
        ];
        assert!(values.iter().all(typed(Written::Unquoted)));
        let broken = ["007", "NaN", "{cut", "[1 2]", "1..2", "tru"];
        assert!(!broken.iter().any(typed(Written::Unquoted)));
        assert!(!values.iter().any(typed(Written::Text)));
    }
}
