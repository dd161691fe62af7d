//! Relations between captured maps and lists: a selector and labels, tolerations and taints, a list
//! and its items.
//!
//! Source: kubernetes/api `core/v1/toleration.go` and `core/v1/types.go` (`ToleratesTaint`), to 1.36.

use kwhy_model::{Selector, is_nothing};

/// A relation between two captured values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Relation {
    left: String,
    verb: Verb,
    /// True if it must hold, false if it must not.
    holds: bool,
    right: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    /// A label selector selects an object with these labels.
    Selects,
    /// These tolerations allow a pod onto a node with these taints.
    Tolerates,
    /// A list of scalars contains this one.
    Lists,
}

impl Relation {
    /// Parses `{a} selects {b}`, `{a} does not select {b}`, `{a} tolerates {b}`, `{a} does not
    /// tolerate {b}`, `{a} lists {b}`, `{a} does not list {b}`; `None` for anything else.
    pub fn parse(source: &str) -> Option<Relation> {
        let words: Vec<&str> = source.split_whitespace().collect();
        let (left, verb, holds, right) = match words.as_slice() {
            [left, "selects", right] => (left, Verb::Selects, true, right),
            [left, "does", "not", "select", right] => (left, Verb::Selects, false, right),
            [left, "tolerates", right] => (left, Verb::Tolerates, true, right),
            [left, "does", "not", "tolerate", right] => (left, Verb::Tolerates, false, right),
            [left, "lists", right] => (left, Verb::Lists, true, right),
            [left, "does", "not", "list", right] => (left, Verb::Lists, false, right),
            _ => return None,
        };
        let name = |word: &str| Some(word.strip_prefix('{')?.strip_suffix('}')?.to_owned());
        Some(Relation {
            left: name(left)?,
            verb,
            holds,
            right: name(right)?,
        })
    }

    /// Returns the names of the selector and of the labels, if it requires the one to select the other.
    pub fn selection(&self) -> Option<[&str; 2]> {
        (self.verb == Verb::Selects && self.holds).then(|| self.captures())
    }

    /// The two names.
    pub fn captures(&self) -> [&str; 2] {
        [&self.left, &self.right]
    }

    /// Returns true if the relation is as required; false if a value is missing or unreadable.
    pub fn holds<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> bool {
        let (Some(left), Some(right)) = (value(&self.left), value(&self.right)) else {
            return false;
        };
        let related = match self.verb {
            Verb::Selects => selects(left, right),
            Verb::Tolerates => Some(tolerates(left, right)),
            Verb::Lists => Some(left.split(',').any(|item| item.trim() == right)),
        };
        related == Some(self.holds)
    }
}

/// Parses the entries of `a=b,c=d`.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let entries = text.split(',').map(str::trim);
    let entries = entries.filter(|entry| !is_nothing(entry));
    entries
        .map(|entry| entry.split_once('=').unwrap_or((entry, "")))
        .collect()
}

fn value_of<'t>(pairs: &[(&'t str, &'t str)], key: &str) -> Option<&'t str> {
    let found = pairs.iter().find(|(known, _)| *known == key);
    found.map(|(_, value)| *value)
}

/// Returns true if a selector selects these labels; `None` if it cannot be parsed.
fn selects(selector: &str, labels: &str) -> Option<bool> {
    let labels = pairs(labels);
    Some(Selector::parse(selector)?.picks(|key| value_of(&labels, key)))
}

/// Returns true if every taint that keeps pods away is tolerated. Both are lists of maps, separated
/// by `;`.
fn tolerates(tolerations: &str, taints: &str) -> bool {
    let tolerations: Vec<_> = tolerations
        .split(';')
        .map(pairs)
        .filter(|toleration| !toleration.is_empty())
        .collect();
    let mut taints = taints.split(';').map(pairs);
    taints.all(|taint| {
        let part = |name| value_of(&taint, name).unwrap_or_default();
        let keeps_away = matches!(part("effect"), "NoSchedule" | "NoExecute");
        let mut tolerations = tolerations.iter();
        !keeps_away
            || tolerations.any(|toleration| {
                let own = |name| value_of(toleration, name).unwrap_or_default();
                let effect = own("effect");
                let key = own("key");
                let exists = own("op") == "Exists";
                (effect.is_empty() || effect == part("effect"))
                    && (key == part("key") || (key.is_empty() && exists))
                    && (exists || own("value") == part("value"))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors() {
        let labels = "app=web,tier=front";
        assert_eq!(selects("app=web,tier in (front,back)", labels), Some(true));
        assert_eq!(selects("app=web,!tier", labels), Some(false));
        assert_eq!(selects("app=web", ""), Some(false));
        assert_eq!(selects("app is web", labels), None);
    }

    #[test]
    fn taints() {
        let gpu = "key=dedicated,value=gpu,effect=NoSchedule";
        for (tolerations, wanted) in [
            ("", false),
            ("key=dedicated,value=gpu,effect=NoSchedule", true),
            ("key=dedicated,value=web,effect=NoSchedule", false),
            ("key=dedicated,value=gpu,effect=NoExecute", false),
            ("key=dedicated,op=Exists", true),
            ("op=Exists", true),
            ("key=other,op=Exists;key=dedicated,value=gpu", true),
        ] {
            assert_eq!(tolerates(tolerations, gpu), wanted, "{tolerations}");
        }
        assert!(tolerates("", "key=busy,effect=PreferNoSchedule"));
        assert!(tolerates("", ""));
    }

    #[test]
    fn what_is_written() {
        let relation = Relation::parse("{s} does not select {l}").unwrap();
        assert_eq!(relation.captures(), ["s", "l"]);
        let value = |name: &str| match name {
            "s" => Some("app=web"),
            "l" => Some("app=api"),
            _ => None,
        };
        assert!(relation.holds(value));
        // a missing value satisfies neither
        assert!(!relation.holds(|_| None));
        assert!(!Relation::parse("{s} selects {l}").unwrap().holds(|_| None));
        let lists = |source: &str| {
            let value = |name: &str| {
                Some(if name == "all" {
                    "metrics,http"
                } else {
                    "http"
                })
            };
            Relation::parse(source).unwrap().holds(value)
        };
        assert!(lists("{all} lists {one}") && !lists("{all} does not list {one}"));
        assert!(!lists("{one} lists {all}"));
        assert!(Relation::parse("{s} > {l}").is_none());
        assert!(Relation::parse("s selects {l}").is_none());
    }
}
