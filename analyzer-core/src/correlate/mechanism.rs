//! What follows from a cause by its mechanism, whichever signature proves it.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use kwhy_signature::{Scope, Signature};

/// The rules in words: what is at the margin brings about what is below it.
const RULES: &str = kwhy_catalogue::MECHANISMS;

/// Which consequences a cause has, and how far from it.
#[derive(Debug)]
pub(crate) struct Mechanisms {
    rules: Vec<Rule>,
    quoting: Vec<&'static str>,
}

#[derive(Debug)]
struct Rule {
    causes: Vec<&'static str>,
    reach: Reach,
    effects: Vec<&'static str>,
}

/// How far a consequence reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    pub on: Scope,
    /// Whether it shows on whatever is as near as that.
    pub near: bool,
    /// Whether it shows on other objects, which depend on the one at fault.
    pub called: bool,
    /// Whether it shows wherever the same host is called.
    pub at_host: bool,
}

impl Reach {
    /// How far the consequence of a consequence reaches; `None` if that depends on where in the cluster the
    /// first one is, so that it must be seen.
    fn then(self, next: Reach) -> Option<Reach> {
        let on = match (self.on, next.on) {
            _ if !self.near => return None,
            (Scope::Node, Scope::Owner) => Scope::Node,
            (way, next) if next >= way => next,
            _ => return None,
        };
        Some(Reach { on, ..next })
    }

    /// What two ways reach together.
    fn or(self, other: Reach) -> Reach {
        Reach {
            on: self.on.max(other.on),
            near: self.near || other.near,
            called: self.called || other.called,
            at_host: self.at_host || other.at_host,
        }
    }
}

/// The consequences of one cause: causes, families and signatures, with how far they reach.
pub(crate) type Effects = BTreeMap<&'static str, Reach>;

impl Mechanisms {
    /// The rules of all causes.
    pub fn new() -> Mechanisms {
        let mut rules = Vec::new();
        let mut causes: Vec<&str> = Vec::new();
        let mut quoting: Vec<&str> = Vec::new();
        for line in RULES.lines().filter(|line| !line.starts_with('#')) {
            match line.strip_prefix("    ") {
                None if let Some(all) = line.strip_prefix("quoting: ") => quoting = list(all),
                None => causes = list(line),
                Some(effect) => {
                    if let Some((reach, effects)) = effect.split_once(": ")
                        && let Some(reach) = word(reach)
                    {
                        rules.push(Rule {
                            causes: causes.clone(),
                            reach,
                            effects: list(effects),
                        });
                    }
                }
            }
        }
        Mechanisms { rules, quoting }
    }

    /// Returns true if log records of a cause say themselves what went wrong: the contents of the same log explains
    /// them only where they quote it.
    pub fn is_quoting(&self, cause: &str) -> bool {
        self.quoting.contains(&cause)
    }

    /// All that follows from a cause, over any number of steps.
    pub fn effects(&self, cause: &str) -> Effects {
        let mut effects = Effects::new();
        let here = Reach {
            on: Scope::Subject,
            near: true,
            called: false,
            at_host: false,
        };
        let mut open: VecDeque<(&str, Reach)> = VecDeque::from([(cause, here)]);
        while let Some((cause, way)) = open.pop_front() {
            let rules = self.rules.iter().filter(|rule| {
                let mut causes = rule.causes.iter();
                causes.any(|known| is_of(cause, known))
            });
            for rule in rules {
                let Some(way) = way.then(rule.reach) else {
                    continue;
                };
                for effect in &rule.effects {
                    let known = effects.get(effect).copied();
                    let wider = known.map_or(way, |known| known.or(way));
                    if known != Some(wider) {
                        effects.insert(effect, wider);
                        open.push_back((effect, way));
                    }
                }
            }
        }
        effects
    }
}

/// The names under which a signature may be a consequence: its cause, its id, its cause's family.
pub(crate) fn names(signature: &Signature) -> [Cow<'_, str>; 3] {
    let family = format!("{}/*", signature.family());
    [
        signature.cause.as_str().into(),
        signature.id.as_str().into(),
        family.into(),
    ]
}

/// How far findings with these names may lie from the cause with these effects, if they follow from it.
pub(crate) fn reach(effects: &Effects, names: &[Cow<'_, str>]) -> Option<Reach> {
    let known = names.iter().filter_map(|name| effects.get(&**name));
    known.copied().reduce(Reach::or)
}

fn is_of(cause: &str, known: &str) -> bool {
    match known.strip_suffix('*') {
        Some(family) => cause.starts_with(family),
        None => cause == known,
    }
}

fn list(line: &'static str) -> Vec<&'static str> {
    let names = line.split(',').map(str::trim);
    names.filter(|name| !name.is_empty()).collect()
}

fn word(word: &str) -> Option<Reach> {
    let on = match word {
        "owner" | "callers" | "host" => Scope::Owner,
        "node" => Scope::Node,
        "source" => Scope::Source,
        "input" => Scope::Input,
        _ => return None,
    };
    Some(Reach {
        on,
        near: !matches!(word, "callers" | "host"),
        called: word == "callers",
        at_host: word == "host",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kwhy_catalogue::Catalogue;

    #[test]
    fn all_names_are_known() {
        let catalogue = Catalogue::builtin();
        let causes: Vec<&str> = catalogue.causes().map(|(id, _)| id).collect();
        let known = |name: &&str| match name.strip_suffix('*') {
            Some(family) => causes.iter().any(|cause| cause.starts_with(family)),
            None if name.contains('/') => causes.contains(name),
            None => catalogue.get(name).is_some(),
        };
        let rules = Mechanisms::new().rules;
        assert!(rules.len() > 50);
        for rule in &rules {
            let mut names = rule.causes.iter().chain(&rule.effects);
            assert_eq!(names.find(|name| !known(name)), None);
            assert!(!rule.causes.is_empty() && !rule.effects.is_empty());
        }
        let quoting = Mechanisms::new().quoting;
        assert!(!quoting.is_empty());
        assert_eq!(quoting.iter().find(|name| !causes.contains(name)), None);
        // each indented line is a rule
        let lines = RULES.lines().filter(|line| line.starts_with(' ')).count();
        assert_eq!(rules.len(), lines);
    }

    #[test]
    fn consequences_of_consequences() {
        let effects = Mechanisms::new().effects("node/inodes-exhausted");
        let reach = |effects: &Effects, name: &str| effects.get(name).map(|to| (to.on, !to.near));
        for (effect, on) in [
            ("node/disk-full", Scope::Node),
            ("workload/evicted", Scope::Node),
            ("scheduling/untolerated-taint", Scope::Input),
        ] {
            assert_eq!(reach(&effects, effect), Some((on, false)), "{effect}");
        }
        assert_eq!(reach(&effects, "api/etcd-slow"), None);
        let effects = Mechanisms::new().effects("image/not-found");
        let called = reach(&effects, "network/no-endpoints");
        assert_eq!(called, Some((Scope::Owner, true)));
        // who calls the Service must be seen to be in problem
        assert_eq!(reach(&effects, "workload/operator-error"), None);
        // of a registry all that pull from it, and the pod at hand
        let effects = Mechanisms::new().effects("image/registry-tls");
        let pulls = effects["image-pull-backoff"];
        assert!(pulls.at_host && pulls.near);
        let effects = Mechanisms::new().effects("network/dns-failure");
        let registry = effects["image/registry-dns"];
        assert!(registry.at_host && !registry.near && !registry.called);
        // who calls something else is not concerned
        let refused = Mechanisms::new().effects("api/unreachable")["network/connection-refused"];
        assert!(refused.at_host && refused.called && !refused.near);
        assert_eq!(reach(&effects, "image/rate-limited"), None);
    }
}
