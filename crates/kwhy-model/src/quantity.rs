//! Kubernetes quantities: `500m`, `2Gi`, `1e3`.

use std::cmp::Ordering;

/// A resource quantity as parsed by `k8s.io/apimachinery`, stored exactly in thousandths
/// of a milli-unit, so that `1024m` of memory is recognised as 1.024 bytes.
///
/// ```
/// use kwhy_model::Quantity;
/// assert!(Quantity::parse("1024m").unwrap() < Quantity::parse("4Mi").unwrap());
/// assert_eq!(Quantity::parse("1Gi").unwrap().value(), 1_073_741_824.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quantity {
    micro: i128,
}

impl Quantity {
    /// Parses a quantity; `None` if the text is not one or it is too large.
    pub fn parse(text: &str) -> Option<Quantity> {
        let text = text.trim();
        let number_end = text
            .char_indices()
            .find(|(at, c)| !(c.is_ascii_digit() || *c == '.' || (*at == 0 && "+-".contains(*c))))
            .map_or(text.len(), |(at, _)| at);
        let (number, suffix) = text.split_at(number_end);
        let (negative, number) = match number.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, number.strip_prefix('+').unwrap_or(number)),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') || number.len() > 30
        {
            return None;
        }
        let (multiplier, divisor) = scale(suffix)?;
        let mut value: i128 = 0;
        for digit in whole.bytes().chain(fraction.bytes()) {
            value = value
                .checked_mul(10)?
                .checked_add(i128::from(digit - b'0'))?;
        }
        let places = 10i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let micro = value.checked_mul(1_000_000)?.checked_mul(multiplier)? / divisor / places;
        Some(Quantity {
            micro: if negative { -micro } else { micro },
        })
    }

    /// Returns the value in the base unit (cores, bytes, pieces).
    pub fn value(self) -> f64 {
        self.micro as f64 / 1e6
    }

    /// Returns the value in millionths of the base unit.
    pub fn micro(self) -> i128 {
        self.micro
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.micro.cmp(&other.micro)
    }
}

fn scale(suffix: &str) -> Option<(i128, i128)> {
    let binary = |power: u32| Some((1i128 << (10 * power), 1));
    match suffix {
        "" => Some((1, 1)),
        "n" => Some((1, 1_000_000_000)),
        "u" => Some((1, 1_000_000)),
        "m" => Some((1, 1_000)),
        "k" => Some((1_000, 1)),
        "M" => Some((1_000_000, 1)),
        "G" => Some((1_000_000_000, 1)),
        "T" => Some((1_000_000_000_000, 1)),
        "P" => Some((1_000_000_000_000_000, 1)),
        "E" => Some((1_000_000_000_000_000_000, 1)),
        "Ki" => binary(1),
        "Mi" => binary(2),
        "Gi" => binary(3),
        "Ti" => binary(4),
        "Pi" => binary(5),
        "Ei" => binary(6),
        _ => {
            let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            let power = 10i128.checked_pow(exponent.unsigned_abs())?;
            Some(if exponent < 0 { (1, power) } else { (power, 1) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities() {
        let value = |text: &str| Quantity::parse(text).map(Quantity::value);
        assert_eq!(value("1024m"), Some(1.024));
        assert_eq!(value("1.5Gi"), Some(1_610_612_736.0));
        assert_eq!(value("2e3"), Some(2000.0));
        assert_eq!(value("-1"), Some(-1.0));
        for wrong in [
            "",
            "Gi",
            "1GB",
            "1 Gi",
            "1..2",
            "e3",
            "9999999999999999999999Ei",
        ] {
            assert_eq!(value(wrong), None, "{wrong}");
        }
    }
}
