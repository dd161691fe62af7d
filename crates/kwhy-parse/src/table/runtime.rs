//! Times and states in the wording of container runtimes.
//!
//! Sources: docker/go-units `HumanDuration`, moby/moby `container/state.go` (`String`), and the
//! same wording in crictl and nerdctl.

use kwhy_model::Age;

/// A container's state as `docker ps` prints it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State<'t> {
    /// The first word, in lower case: `up`, `exited`, `created`, ...
    pub word: &'t str,
    /// The exit code in parentheses.
    pub exit_code: Option<i64>,
    /// The number of seconds in this state.
    pub for_seconds: Option<u64>,
    /// The last parentheses: `healthy`, `unhealthy`, `health: starting`.
    pub health: Option<&'t str>,
}

/// Parses `Up 3 hours (healthy)`, `Exited (137) 5 minutes ago`, `Restarting (1) 2 seconds ago`.
pub(super) fn state(text: &str) -> Option<State<'_>> {
    let (word, mut rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut state = State {
        word,
        ..State::default()
    };
    match word {
        "Created" | "Dead" | "Running" | "Paused" if rest.is_empty() => return Some(state),
        "Removal" if rest == "In Progress" => return Some(state),
        "Up" | "Exited" | "Restarting" if !rest.is_empty() => {}
        _ => return None,
    }
    if let Some((code, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        state.exit_code = Some(code.parse().ok()?);
        rest = after.trim_start();
    }
    if let Some((before, health)) = rest
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('))
    {
        state.health = Some(health);
        rest = before.trim_end();
    }
    if !rest.is_empty() {
        let length = rest.strip_suffix(" ago").unwrap_or(rest);
        state.for_seconds = Some(duration(length)?);
    }
    Some(state)
}

/// Parses `3 hours ago`, or an age as kubectl prints it.
pub(super) fn ago(text: &str) -> Option<u64> {
    match text.strip_suffix(" ago") {
        Some(length) => duration(length),
        None => Age::parse(text).map(|age| age.seconds),
    }
}

/// Parses `3 hours`, `About a minute`, `Less than a second`.
fn duration(text: &str) -> Option<u64> {
    match text {
        "Less than a second" | "now" => return Some(0),
        "About a minute" => return Some(60),
        "About an hour" => return Some(3600),
        _ => {}
    }
    let Some((number, unit)) = text.split_once(' ') else {
        return Age::parse(text).map(|age| age.seconds);
    };
    let unit = match unit.strip_suffix('s').unwrap_or(unit) {
        "second" => 1,
        "minute" => 60,
        "hour" => 3600,
        "day" => 86_400,
        "week" => 7 * 86_400,
        "month" => 30 * 86_400,
        "year" => 365 * 86_400,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(ago("3 hours ago"), Some(10_800));
        assert_eq!(ago("About a minute ago"), Some(60));
        assert_eq!(ago("5m"), Some(300));
        for other in ["", "ago", "3 ago", "x hours ago", "long ago", "3 hours"] {
            assert_eq!(ago(other), None, "{other}");
        }
    }

    #[test]
    fn states() {
        let parsed = state("Exited (137) 5 minutes ago").unwrap();
        assert_eq!(
            (parsed.exit_code, parsed.for_seconds),
            (Some(137), Some(300))
        );
        let parsed = state("Up 2 days (health: starting)").unwrap();
        assert_eq!(parsed.health, Some("health: starting"));
        assert_eq!((parsed.word, parsed.for_seconds), ("Up", Some(172_800)));
        assert_eq!(state("Up 3 hours (Paused)").unwrap().health, Some("Paused"));
        assert!(state("Created").is_some());
        for other in ["", "Running away", "Up", "Exited (x) 3 hours ago", "Upper"] {
            assert_eq!(state(other), None, "{other}");
        }
    }
}
