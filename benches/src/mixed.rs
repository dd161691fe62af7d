//! A log that mixes formats and envelopes and contains planted failures of many signatures.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::{FAULT, FAULT_SIGNATURE, MESSAGES, Random};

/// A generated log of many formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mixed {
    /// The text.
    pub text: String,
    /// The number of lines.
    pub lines: u64,
    /// The number of records that report a failure, by the id of the signature that finds it.
    pub plan: BTreeMap<&'static str, u64>,
}

/// The format of a record, including its envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordFormat {
    /// klog with key-value pairs.
    Klog,
    /// logrus text.
    Logrus,
    /// One JSON object per line.
    Json,
    /// zap's console encoder.
    ZapConsole,
    /// klog output of a kubelet in the systemd journal.
    Journald,
    /// Plain text in a CRI log file.
    Cri,
}

/// All record formats.
pub const RECORD_FORMATS: [RecordFormat; 6] = [
    RecordFormat::Klog,
    RecordFormat::Logrus,
    RecordFormat::Json,
    RecordFormat::ZapConsole,
    RecordFormat::Journald,
    RecordFormat::Cri,
];

/// One in this many records reports a failure.
const FAILS: u64 = 50;

/// One in this many CRI records is split into two lines.
const CUT: u64 = 8;

/// One in this many split CRI records has a line of the other stream between its parts.
const BETWEEN: u64 = 2;

/// The failures: the id of a signature and a message that it matches. `#` stands for a number.
const FAILURES: [(&str, &str); 11] = [
    (FAULT_SIGNATURE, FAULT),
    (
        "update-conflict",
        r#"Operation cannot be fulfilled on deployments.apps "cart-#": the object has been modified; please apply your changes to the latest version and try again"#,
    ),
    ("etcd-no-space", "etcdserver: mvcc: database space exceeded"),
    (
        "coredns-loop",
        r#"plugin/loop: Loop (127.0.0.1:50# -> :53) detected for zone ".""#,
    ),
    (
        "kubelet-pull-qps",
        r#"image "registry.example/cart:1.#": pull QPS exceeded"#,
    ),
    (
        "quota-exceeded",
        r#"pods "cart-#" is forbidden: exceeded quota: shop-small, requested: limits.memory=2Gi, used: limits.memory=7Gi, limited: limits.memory=8Gi"#,
    ),
    (
        "namespace-terminating",
        "unable to create new content in namespace shop because it is being terminated",
    ),
    (
        "service-account-missing",
        r#"error looking up service account shop/cart-#: serviceaccount "cart-#" not found"#,
    ),
    (
        "conntrack-full",
        "nf_conntrack: table full, dropping packet",
    ),
    ("request-too-large", "etcdserver: request is too large"),
    (
        "clock-jump-seen-by-prometheus",
        "Error on ingesting samples that are too old or are too far into the future",
    ),
];

/// Generates a log of at least `bytes` bytes in which one record in fifty fails.
pub fn mixed(bytes: usize, seed: u64) -> Mixed {
    let mut random = Random(seed);
    let mut text = String::with_capacity(bytes + 1024);
    let mut plan: BTreeMap<&str, u64> = FAILURES.iter().map(|(id, _)| (*id, 0)).collect();
    let mut number = 0;
    while text.len() < bytes {
        number += 1;
        let format = RECORD_FORMATS[random.below(6) as usize];
        let fails = random.below(FAILS) == 0;
        let message = if fails {
            let (id, failure) = FAILURES[random.below(FAILURES.len() as u64) as usize];
            *plan.entry(id).or_default() += 1;
            failure.replace('#', &random.below(40).to_string())
        } else {
            usual(&mut random)
        };
        let cut = format == RecordFormat::Cri && random.below(CUT) == 0;
        let cut = cut.then(|| (random.next(), random.below(BETWEEN) == 0));
        record(&mut text, format, number, &message, fails, cut);
    }
    let lines = text.lines().count() as u64;
    Mixed { text, lines, plan }
}

/// Generates lines of one format, each a record without a failure.
pub fn healthy(format: RecordFormat, lines: u64, seed: u64) -> String {
    let mut random = Random(seed);
    let mut text = String::new();
    for number in 1..=lines {
        let message = usual(&mut random);
        record(&mut text, format, number, &message, false, None);
    }
    text
}

fn usual(random: &mut Random) -> String {
    let message = MESSAGES[random.below(8) as usize];
    let (object, took) = (random.below(100_000), random.below(10_000));
    format!("{message} of shop/web-{object} in {took}ms")
}

/// Writes one record. `cut` splits a CRI record into two lines: at an offset derived from the number, and with a line
/// of the other stream between them if true.
fn record(
    out: &mut String,
    format: RecordFormat,
    number: u64,
    message: &str,
    fails: bool,
    cut: Option<(u64, bool)>,
) {
    let seconds = number / 50;
    let clock = format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60
    );
    let milli = number % 50 * 20;
    let level = if fails { "error" } else { "info" };
    let letter = if fails { 'E' } else { 'I' };
    let escaped = message.replace('"', "\\\"");
    // writing to a String cannot fail
    let _ = match format {
        RecordFormat::Klog => writeln!(
            out,
            "{letter}0304 {clock}.{milli:03}000    1234 sync.go:88] \"Sync\" pod=\"shop/web-{}\" err=\"{escaped}\"",
            number % 40
        ),
        RecordFormat::Logrus => writeln!(
            out,
            "time=\"2024-03-04T{clock}Z\" level={level} msg=\"{escaped}\" worker={}",
            number % 8
        ),
        RecordFormat::Json => writeln!(
            out,
            "{{\"level\":\"{level}\",\"ts\":\"2024-03-04T{clock}.{milli:03}Z\",\"msg\":\"{escaped}\",\"worker\":{}}}",
            number % 8
        ),
        RecordFormat::ZapConsole => writeln!(
            out,
            "2024-03-04T{clock}.{milli:03}Z\t{}\tsync\tsync/loop.go:88\t{message}\t{{\"worker\": {}}}",
            level.to_uppercase(),
            number % 8
        ),
        RecordFormat::Journald => writeln!(
            out,
            "Mar 04 {clock} worker-1 kubelet[812]: {letter}0304 {clock}.{milli:03}000     812 sync.go:88] \"Sync\" err=\"{escaped}\""
        ),
        RecordFormat::Cri => match cut {
            None => writeln!(
                out,
                "2024-03-04T{clock}.{milli:03}456789Z stderr F {message}"
            ),
            Some((place, between)) => {
                // all messages are ASCII
                let (first, rest) = message.split_at(place as usize % message.len());
                let other = format!("2024-03-04T{clock}.{milli:03}567890Z stdout F served\n");
                writeln!(
                    out,
                    "2024-03-04T{clock}.{milli:03}456789Z stderr P {first}\n{}2024-03-04T{clock}.{milli:03}678901Z stderr F {rest}",
                    if between { other.as_str() } else { "" },
                )
            }
        },
    };
}

#[cfg(test)]
mod tests {
    use kwhy_core::Analyzer;

    use super::*;

    #[test]
    fn the_plan_is_what_is_found() {
        let log = mixed(1_000_000, 1);
        assert!(log.text.is_ascii() && log.text.contains(" stderr P "));
        let analyzer = Analyzer::new();
        let report = analyzer.analyze_text("log", log.text.as_str());
        assert_eq!(report.stats.lines, log.lines);
        for (id, planned) in &log.plan {
            assert!(*planned > 0, "{id}");
            assert_eq!(report.matched.get(*id), Some(planned), "{id}");
        }
    }

    #[test]
    fn the_healthy_are_healthy() {
        for format in RECORD_FORMATS {
            let text = healthy(format, 5000, 1);
            assert_eq!(text.lines().count(), 5000);
            let report = Analyzer::new().analyze_text("log", text);
            assert_eq!(report.stats.events, 5000, "{format:?}");
            assert!(report.matched.is_empty(), "{format:?}");
        }
    }
}
