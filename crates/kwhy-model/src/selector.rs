//! Label selectors in kubectl's notation.
//!
//! Source: kubernetes/apimachinery `pkg/labels/selector.go`, to 1.36.

/// Selects objects by their labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    /// Alternative lists of requirements; all requirements of one alternative must be met.
    alternatives: Vec<Vec<Requirement>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Missing,
}

impl Selector {
    /// Parses `a=b,c in (d,e),!f`, or several alternatives separated by `;`. `None` if a requirement is malformed.
    pub fn parse(text: &str) -> Option<Selector> {
        let alternative = |text| requirements(text).into_iter().map(Requirement::parse);
        let alternatives = text.split(';').map(|text| alternative(text).collect());
        Some(Selector {
            alternatives: alternatives.collect::<Option<_>>()?,
        })
    }

    /// Returns true if an alternative has no requirements, so that every object matches.
    pub fn is_empty(&self) -> bool {
        self.alternatives.iter().any(Vec::is_empty)
    }

    /// Returns true if an object with these labels matches.
    pub fn picks<'l>(&self, label: impl Fn(&str) -> Option<&'l str>) -> bool {
        let mut alternatives = self.alternatives.iter();
        alternatives.any(|all| all.iter().all(|one| one.is_met(label(&one.key))))
    }
}

impl Requirement {
    fn parse(text: &str) -> Option<Requirement> {
        if let Some((key, rest)) = text.split_once(char::is_whitespace) {
            let rest = rest.trim_start();
            let (operator, values) = rest.split_once(['(', '[', ' ']).unwrap_or((rest, ""));
            let values = || {
                let inner = values.trim_matches(|c: char| "()[] ".contains(c));
                inner.split(',').map(|value| value.trim().to_owned())
            };
            let test = match operator.trim().to_ascii_lowercase().as_str() {
                "in" => Test::In(values().collect()),
                "notin" => Test::NotIn(values().collect()),
                "exists" => Test::Exists,
                "doesnotexist" => Test::Missing,
                // `a = b`
                "=" | "==" | "!=" => {
                    let plain: String = text.split_whitespace().collect();
                    return Requirement::parse(&plain);
                }
                _ => return None,
            };
            return Some(Requirement::new(key, test));
        }
        if let Some(key) = text.strip_prefix('!') {
            return Some(Requirement::new(key, Test::Missing));
        }
        if let Some((key, value)) = text.split_once("!=") {
            return Some(Requirement::new(key, Test::NotIn(vec![value.to_owned()])));
        }
        Some(match text.split_once('=') {
            Some((key, value)) => {
                let value = value.strip_prefix('=').unwrap_or(value);
                Requirement::new(key, Test::In(vec![value.to_owned()]))
            }
            None => Requirement::new(text, Test::Exists),
        })
    }

    fn new(key: &str, test: Test) -> Requirement {
        Requirement {
            key: key.to_owned(),
            test,
        }
    }

    fn is_met(&self, own: Option<&str>) -> bool {
        let is_among = |values: &[String]| own.is_some_and(|own| values.iter().any(|v| v == own));
        match &self.test {
            Test::In(values) => is_among(values),
            Test::NotIn(values) => !is_among(values),
            Test::Exists => own.is_some(),
            Test::Missing => own.is_none(),
        }
    }
}

/// Returns true if kubectl prints this text in place of nothing.
pub fn is_nothing(text: &str) -> bool {
    matches!(text, "" | "<none>" | "<unset>")
}

/// Splits a selector into its requirements at commas outside brackets.
fn requirements(selector: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let parts = selector.split(|c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts
        .map(str::trim)
        .filter(|part| !is_nothing(part))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors() {
        let labels = [
            ("app", "web"),
            ("tier", "front"),
            ("zone", "b"),
            ("bare", ""),
        ];
        let label = |key: &str| {
            let found = labels.iter().find(|(known, _)| *known == key);
            found.map(|(_, value)| *value)
        };
        for (selector, wanted) in [
            ("app=web", true),
            ("app=web,tier=back", false),
            ("app == web", true),
            ("bare=", true),
            ("tier in (front,back),!canary", true),
            ("tier notin (front,back)", false),
            ("zone in [a, b]", true),
            ("zone in [a, c]; zone in [b]", true),
            ("canary", false),
            ("canary!=yes", true),
            ("app!=web", false),
            ("zone exists", true),
            ("zone doesnotexist", false),
            ("<none>", true),
            ("", true),
        ] {
            let read = Selector::parse(selector).unwrap();
            assert_eq!(read.picks(label), wanted, "{selector}");
            assert!(!Selector::parse("app=web").unwrap().picks(|_| None));
        }
        assert_eq!(Selector::parse("app is web"), None);
    }

    #[test]
    fn what_requires_nothing() {
        for (selector, wanted) in [("", true), ("<none>", true), ("a=b", false), ("a", false)] {
            assert_eq!(
                Selector::parse(selector).unwrap().is_empty(),
                wanted,
                "{selector}"
            );
        }
    }
}
