//! Arithmetic comparisons of captured quantities: `2 * {requested} > {limited} - {used}`.

use serde::de::{Deserialize, Deserializer, Error as _};

use super::relation::Relation;
use kwhy_model::{Age, Quantity};

/// A comparison of two sums of captured values and constants, or a relation between two of them.
/// Values are Kubernetes quantities, ages such as `5m30s` in seconds, or times.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Sums(Sum, Order, Sum),
    Relation(Relation),
}

type Sum = Vec<(f64, Vec<Factor>)>;

#[derive(Clone, Debug, PartialEq)]
enum Factor {
    Constant(f64),
    Capture(String),
}

/// The ordering that a comparison requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
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

/// The number of digits of a count that always fits 32 bits.
const MAX_COUNT: usize = 9;

/// Parses a quantity, a number, an age or a time as a number; ages and times are in seconds.
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    // most numbers are counts
    if text.len() <= MAX_COUNT && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse::<u32>().ok().map(f64::from);
    }
    Quantity::parse(text)
        .map(Quantity::value)
        .or_else(|| Age::parse(text).map(|age| age.seconds as f64))
        .or_else(|| {
            // a time has a date and a time of day
            if text.len() < 8 || !text.contains(['T', 't', ' ']) {
                return None;
            }
            let time: jiff::Timestamp = text.parse().ok()?;
            Some(time.as_millisecond() as f64 / 1e3)
        })
}

impl Comparison {
    /// Parses a comparison.
    ///
    /// # Errors
    /// Returns a description of the problem.
    pub fn parse(source: &str) -> Result<Comparison, String> {
        if let Some(relation) = Relation::parse(source) {
            return Ok(Comparison {
                what: What::Relation(relation),
            });
        }
        let (at, sign, order) = Order::SIGNS
            .iter()
            .filter_map(|(sign, order)| source.find(sign).map(|at| (at, *sign, *order)))
            .min_by_key(|(at, sign, _)| (*at, usize::MAX - sign.len()))
            .ok_or("a comparison needs one of < <= > >= == !=, selects, tolerates, lists")?;
        let (left, right) = (sum(&source[..at])?, sum(&source[at + sign.len()..])?);
        Ok(Comparison {
            what: What::Sums(left, order, right),
        })
    }

    /// The names of the captures that it compares.
    pub fn captures(&self) -> impl Iterator<Item = &str> {
        let (sums, names) = match &self.what {
            What::Sums(left, _, right) => ([left.as_slice(), right.as_slice()], None),
            What::Relation(relation) => ([&[][..], &[][..]], Some(relation.captures())),
        };
        let factors = sums.into_iter().flatten().flat_map(|(_, factors)| factors);
        let captured = factors.filter_map(|factor| match factor {
            Factor::Capture(name) => Some(name.as_str()),
            Factor::Constant(_) => None,
        });
        captured.chain(names.into_iter().flatten())
    }

    /// The names of a selector and of the labels that it must select; `None` for any other comparison.
    ///
    /// ```
    /// use kwhy_signature::Comparison;
    /// let comparison = Comparison::parse("{selector} selects {labels}").unwrap();
    /// assert_eq!(comparison.selection(), Some(["selector", "labels"]));
    /// assert_eq!(Comparison::parse("{used} > {hard}").unwrap().selection(), None);
    /// ```
    pub fn selection(&self) -> Option<[&str; 2]> {
        match &self.what {
            What::Relation(relation) => relation.selection(),
            What::Sums(..) => None,
        }
    }

    /// Returns true if it holds; false if a value is missing or not a quantity.
    pub fn holds<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> bool {
        let (left, order, right) = match &self.what {
            What::Sums(left, order, right) => (left, *order, right),
            What::Relation(relation) => return relation.holds(value),
        };
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
        if let (Some(left), Some(right)) = (evaluate(left), evaluate(right)) {
            return order.holds(left, right);
        }
        // names are compared as text
        match (left.as_slice(), order, right.as_slice()) {
            ([(_, left)], Order::Equal | Order::NotEqual, [(_, right)]) => {
                match (left.as_slice(), right.as_slice()) {
                    ([Factor::Capture(left)], [Factor::Capture(right)]) => {
                        match (value(left), value(right)) {
                            (Some(left), Some(right)) => (left == right) == (order == Order::Equal),
                            _ => false,
                        }
                    }
                    _ => false,
                }
            }
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
                "started" => Some("2026-03-01T10:00:00Z"),
                "finished" => Some("2026-03-01T10:00:41Z"),
                "selector" => Some("app=web"),
                "labels" => Some("app=web,tier=front"),
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
        assert!(holds("{finished} - {started} == 41s"));
    }

    #[test]
    fn relations() {
        assert!(holds("{selector} selects {labels}"));
        assert!(!holds("{selector} does not select {labels}"));
        let captures = Comparison::parse("{a} tolerates {b}").unwrap();
        assert!(captures.captures().eq(["a", "b"]));
    }

    #[test]
    fn errors_are_named() {
        assert!(Comparison::parse("{a}").is_err());
        assert!(Comparison::parse("{a} < many").is_err());
    }
}
