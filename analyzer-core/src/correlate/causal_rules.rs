//! The effects of a cause by its mechanism, whichever signature proves it.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use kwhy_catalogue::Distance;
use kwhy_signature::{Scope, Signature};

/// The distance from a cause within which an effect appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    pub on: Scope,
    /// True if it affects everything within `on`.
    pub near: bool,
    /// True if it affects other objects, those that depend on the object at fault.
    pub called: bool,
    /// True if it affects every caller of the same host.
    pub at_host: bool,
}

impl Reach {
    /// Returns how far the effect of an effect reaches, or `None` if that depends on where in the cluster the first
    /// effect is, so that the first effect must itself be in the input.
    fn then(self, next: Reach) -> Option<Reach> {
        let on = match (self.on, next.on) {
            _ if !self.near => return None,
            (Scope::Node, Scope::Owner) => Scope::Node,
            (way, next) if next >= way => next,
            _ => return None,
        };
        Some(Reach { on, ..next })
    }

    /// Returns what either of two paths reaches.
    fn or(self, other: Reach) -> Reach {
        Reach {
            on: self.on.max(other.on),
            near: self.near || other.near,
            called: self.called || other.called,
            at_host: self.at_host || other.at_host,
        }
    }
}

/// The effects of one cause: causes, families and signatures, with how far they reach.
pub(crate) type Effects = BTreeMap<&'static str, Reach>;

/// Returns true if log records of a cause state themselves what went wrong, so that another record of the same log
/// explains them only if they quote it.
pub(crate) fn is_quoting(cause: &str) -> bool {
    kwhy_catalogue::mechanisms().quoting.contains(&cause)
}

/// Returns the effects of a cause, over any number of steps.
pub(crate) fn effects(cause: &str) -> Effects {
    let mut effects = Effects::new();
    let here = Reach {
        on: Scope::Subject,
        near: true,
        called: false,
        at_host: false,
    };
    let mut open: VecDeque<(&str, Reach)> = VecDeque::from([(cause, here)]);
    while let Some((cause, way)) = open.pop_front() {
        let rules = kwhy_catalogue::mechanisms().rules.iter();
        let rules = rules.filter(|rule| {
            let mut causes = rule.causes.iter();
            causes.any(|known| is_of(cause, known))
        });
        for rule in rules {
            let Some(way) = way.then(rule.distance.into()) else {
                continue;
            };
            for effect in rule.effects {
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

/// The names under which a signature may be an effect: its cause, its id, its cause's family.
pub(crate) fn names(signature: &Signature) -> [Cow<'_, str>; 3] {
    let family = format!("{}/*", signature.family());
    [
        signature.cause.as_str().into(),
        signature.id.as_str().into(),
        family.into(),
    ]
}

/// Returns how far from the cause with these effects a finding with any of these names may be; `None` if it is not an
/// effect.
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

impl From<Distance> for Reach {
    fn from(distance: Distance) -> Reach {
        let on = match distance {
            Distance::Owner | Distance::Callers | Distance::Host => Scope::Owner,
            Distance::Node => Scope::Node,
            Distance::Source => Scope::Source,
            Distance::Input => Scope::Input,
        };
        Reach {
            on,
            near: !matches!(distance, Distance::Callers | Distance::Host),
            called: distance == Distance::Callers,
            at_host: distance == Distance::Host,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consequences_of_consequences() {
        let effects = super::effects("node/inodes-exhausted");
        let reach = |effects: &Effects, name: &str| effects.get(name).map(|to| (to.on, !to.near));
        for (effect, on) in [
            ("node/disk-full", Scope::Node),
            ("workload/evicted", Scope::Node),
            ("scheduling/untolerated-taint", Scope::Input),
        ] {
            assert_eq!(reach(&effects, effect), Some((on, false)), "{effect}");
        }
        assert_eq!(reach(&effects, "api/etcd-slow"), None);
        let effects = super::effects("image/not-found");
        let called = reach(&effects, "network/no-endpoints");
        assert_eq!(called, Some((Scope::Owner, true)));
        // the calls of the Service must themselves be seen to fail
        assert_eq!(reach(&effects, "workload/operator-error"), None);
        // a faulty registry affects everything that pulls from it, and the pod in question
        let effects = super::effects("image/registry-tls");
        let pulls = effects["image-pull-backoff"];
        assert!(pulls.at_host && pulls.near);
        let effects = super::effects("network/dns-failure");
        let registry = effects["image/registry-dns"];
        assert!(registry.at_host && !registry.near && !registry.called);
        // callers of other hosts are not affected
        let refused = super::effects("api/unreachable")["network/connection-refused"];
        assert!(refused.at_host && refused.called && !refused.near);
        assert_eq!(reach(&effects, "image/rate-limited"), None);
    }
}
