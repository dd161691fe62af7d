//! Arithmetic comparisons of captured quantities: `2 * {requested} > {limited} - {used}`.

use serde::de::{Deserialize, Deserializer, Error as _};

use crate::model::{Age, Quantity};

/// A comparison of two sums of captured values and constants. Values are Kubernetes quantities,
/// or ages such as `5m30s` in seconds where they are no quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    source: String,
    left: Sum,
    order: Order,
    right: Sum,
}

type Sum = Vec<(f64, Vec<Factor>)>;

#[derive(Clone, Debug, PartialEq)]
enum Factor {
    Constant(f64),
    Capture(String),
}

/// The order that a comparison demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

impl Order {
    const SIGNS: [(&'static str, Order); 6] = [
        ("<=", Order::LessOrEqual),
        (">=", Order::GreaterOrEqual),
        ("!=", Order::NotEqual),
        ("==", Order::Equal),
        ("<", Order::Less),
        (">", Order::Greater),
    ];

    pub(crate) fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Order::Less => left < right,
            Order::LessOrEqual => left <= right,
            Order::Greater => left > right,
            Order::GreaterOrEqual => left >= right,
            Order::Equal => left == right,
            Order::NotEqual => left != right,
        }
    }
}

/// Reads a quantity, a number or an age as a number.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    Quantity::parse(text)
        .map(Quantity::value)
        .or_else(|| Age::parse(text).map(|age| age.seconds as f64))
}

impl Comparison {
    /// Reads a comparison.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(source: &str) -> Result<Comparison, String> {
        let (at, sign, order) = Order::SIGNS
            .iter()
            .filter_map(|(sign, order)| source.find(sign).map(|at| (at, *sign, *order)))
            .min_by_key(|(at, sign, _)| (*at, usize::MAX - sign.len()))
            .ok_or("a comparison needs one of < <= > >= == !=")?;
        Ok(Comparison {
            source: source.to_owned(),
            left: sum(&source[..at])?,
            order,
            right: sum(&source[at + sign.len()..])?,
        })
    }

    /// The names that it compares.
    pub fn captures(&self) -> impl Iterator<Item = &str> {
        self.left
            .iter()
            .chain(&self.right)
            .flat_map(|(_, factors)| factors)
            .filter_map(|factor| match factor {
                Factor::Capture(name) => Some(name.as_str()),
                Factor::Constant(_) => None,
            })
    }

    /// Whether it holds; not if a value is missing or no quantity.
    pub(crate) fn holds<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> bool {
        let evaluate = |sum: &Sum| {
            sum.iter().try_fold(0.0, |total, (sign, factors)| {
                let product = factors
                    .iter()
                    .try_fold(1.0, |product, factor| match factor {
                        Factor::Constant(constant) => Some(product * constant),
                        Factor::Capture(name) => Some(product * number(value(name)?)?),
                    })?;
                Some(total + sign * product)
            })
        };
        match (evaluate(&self.left), evaluate(&self.right)) {
            (Some(left), Some(right)) => self.order.holds(left, right),
            _ => false,
        }
    }
}

fn sum(source: &str) -> Result<Sum, String> {
    let mut terms = Vec::new();
    let mut sign = 1.0;
    let mut rest = source.trim();
    loop {
        let end = rest.find(" + ").into_iter().chain(rest.find(" - ")).min();
        let term = end.map_or(rest, |end| &rest[..end]);
        let factors = term
            .split(" * ")
            .map(factor)
            .collect::<Result<Vec<_>, _>>()?;
        terms.push((sign, factors));
        let Some(end) = end else { return Ok(terms) };
        sign = if rest[end..].starts_with(" - ") {
            -1.0
        } else {
            1.0
        };
        rest = rest[end + 3..].trim_start();
    }
}

fn factor(source: &str) -> Result<Factor, String> {
    let source = source.trim();
    if let Some(name) = source
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
    {
        return Ok(Factor::Capture(name.to_owned()));
    }
    number(source).map(Factor::Constant).ok_or_else(|| {
        format!("{source:?} is neither {{a captured value}} nor a quantity nor an age")
    })
}

impl<'de> Deserialize<'de> for Comparison {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let source = String::deserialize(deserializer)?;
        Comparison::parse(&source).map_err(|error| D::Error::custom(format!("{source:?}: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(comparison: &str) -> bool {
        Comparison::parse(comparison)
            .unwrap()
            .holds(|name| match name {
                "requested" => Some("30Gi"),
                "used" => Some("60Gi"),
                "limited" => Some("100Gi"),
                "memory" => Some("1024m"),
                "age" => Some("3d6h"),
                _ => None,
            })
    }

    #[test]
    fn arithmetic() {
        assert!(holds("{requested} <= {limited} - {used}"));
        assert!(holds("2 * {requested} > {limited} - {used}"));
        assert!(holds("{memory} < 4Mi"));
        assert!(holds("{age} >= 10m"));
        assert!(!holds("{unknown} < 1"));
    }

    #[test]
    fn mistakes_are_named() {
        assert!(Comparison::parse("{a}").is_err());
        assert!(Comparison::parse("{a} < many").is_err());
    }
}
