//! Benchmark inputs generated from a seed: the same seed gives the same bytes. Each input comes with the counts that a
//! correct analysis must report.

mod mixed;
mod print;
mod signatures;
mod structured;

use std::fmt::Write as _;

pub use mixed::{Mixed, RECORD_FORMATS, RecordFormat, healthy, mixed};
pub use print::{json_item, yaml_item};
pub use signatures::{signature, signatures};
pub use structured::{Output, STRUCTURED, Structured, structured};

/// The log formats that can be generated.
pub const FORMATS: [LogFormat; 4] = [
    LogFormat::Klog,
    LogFormat::Logrus,
    LogFormat::ZapConsole,
    LogFormat::Json,
];

/// A log format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// klog with key-value pairs.
    Klog,
    /// logrus text.
    Logrus,
    /// zap's console encoder.
    ZapConsole,
    /// One JSON object per line.
    Json,
}

impl LogFormat {
    /// Returns the name that kwhy uses for the format.
    pub fn name(self) -> &'static str {
        match self {
            LogFormat::Klog => "klog",
            LogFormat::Logrus => "logrus",
            LogFormat::ZapConsole => "zap-console",
            LogFormat::Json => "json-log",
        }
    }

    /// Returns the format with a name, or `None` if there is none.
    pub fn from_name(name: &str) -> Option<LogFormat> {
        FORMATS.into_iter().find(|format| format.name() == name)
    }
}

/// A generated log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// The text.
    pub text: String,
    /// The number of records.
    pub records: u64,
    /// The number of records that report the one fault, [`FAULT_CAUSE`].
    pub faults: u64,
}

/// The cause of the fault in a generated log.
pub const FAULT_CAUSE: &str = "storage/configmap-missing";

/// The signature that finds it.
pub const FAULT_SIGNATURE: &str = "configmap-mount-missing";

/// The period of faulty records: one in this many records reports the fault.
const FAULT_EVERY: u64 = 5000;

pub(crate) const FAULT: &str =
    r#"MountVolume.SetUp failed for volume "settings" : configmap "cart-settings" not found"#;

pub(crate) const MESSAGES: [&str; 8] = [
    "Finished syncing",
    "Updating status",
    "Started watch",
    "Reconciling object",
    "Cache is in step",
    "Probe passed",
    "Observed a new revision",
    "Queue is empty",
];

/// Generates a log of at least `bytes` bytes.
pub fn log(format: LogFormat, bytes: usize, seed: u64) -> Log {
    let mut random = Random(seed);
    let mut log = Log {
        text: String::with_capacity(bytes + 512),
        records: 0,
        faults: 0,
    };
    while log.text.len() < bytes {
        log.records += 1;
        let fault = log.records % FAULT_EVERY == FAULT_EVERY / 2;
        log.faults += u64::from(fault);
        record(&mut log.text, format, log.records, fault, &mut random);
    }
    log
}

fn record(out: &mut String, format: LogFormat, number: u64, fault: bool, random: &mut Random) {
    let message = MESSAGES[random.below(8) as usize];
    let (object, took) = (random.below(100_000), random.below(10_000));
    let seconds = number / 50;
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let milli = number % 50 * 20;
    // writing to a String cannot fail
    let _ = match (format, fault) {
        (LogFormat::Klog, false) => writeln!(
            out,
            "I0304 {hour:02}:{minute:02}:{second:02}.{milli:03}000    1234 sync.go:88] \"{message}\" object=\"shop/web-{object}\" took=\"{took}ms\""
        ),
        (LogFormat::Klog, true) => writeln!(
            out,
            "E0304 {hour:02}:{minute:02}:{second:02}.{milli:03}000    1234 volumes.go:42] {FAULT}"
        ),
        (LogFormat::Logrus, false) => writeln!(
            out,
            "time=\"2024-03-04T{hour:02}:{minute:02}:{second:02}Z\" level=info msg=\"{message}\" object=shop/web-{object} took={took}ms"
        ),
        (LogFormat::Logrus, true) => writeln!(
            out,
            "time=\"2024-03-04T{hour:02}:{minute:02}:{second:02}Z\" level=error msg=\"{}\"",
            FAULT.replace('"', "\\\"")
        ),
        (LogFormat::ZapConsole, false) => writeln!(
            out,
            "2024-03-04T{hour:02}:{minute:02}:{second:02}.{milli:03}Z\tINFO\tsync\tsync/loop.go:88\t{message}\t{{\"object\": \"shop/web-{object}\", \"took\": \"{took}ms\"}}"
        ),
        (LogFormat::ZapConsole, true) => writeln!(
            out,
            "2024-03-04T{hour:02}:{minute:02}:{second:02}.{milli:03}Z\tERROR\tvolumes\tvolumes/mount.go:42\t{FAULT}"
        ),
        (LogFormat::Json, false) => writeln!(
            out,
            "{{\"level\":\"info\",\"ts\":\"2024-03-04T{hour:02}:{minute:02}:{second:02}.{milli:03}Z\",\"msg\":\"{message}\",\"object\":\"shop/web-{object}\",\"took\":\"{took}ms\"}}"
        ),
        (LogFormat::Json, true) => writeln!(
            out,
            "{{\"level\":\"error\",\"ts\":\"2024-03-04T{hour:02}:{minute:02}:{second:02}.{milli:03}Z\",\"msg\":\"{}\"}}",
            FAULT.replace('"', "\\\"")
        ),
    };
}

/// Returns a paste of about 5 KB: a sentence, the describe output of a pod with its events, and part of a log.
pub fn paste() -> String {
    let mut text = String::from(
        "The cart does not start since the last release:\n\n$ kubectl -n shop describe pod cart-0\n",
    );
    text.push_str(&describe(1));
    text.push_str("\nand the kubelet writes\n\n");
    text.push_str(&log(LogFormat::Klog, 2_500, 7).text);
    text
}

/// Returns the describe output of a pod with this many containers whose ConfigMap is missing.
pub fn describe(containers: usize) -> String {
    let mut out = String::from(
        "Name:             cart-0\nNamespace:        shop\nPriority:         0\nService Account:  default\n\
         Node:             worker-1/10.0.0.4\nStart Time:       Mon, 04 Mar 2024 05:06:07 +0000\nLabels:           app=cart\n\
         Annotations:      <none>\nStatus:           Pending\nIP:\nIPs:              <none>\n\
         Controlled By:    StatefulSet/cart\nContainers:\n",
    );
    for number in 0..containers {
        let _ = write!(
            out,
            "  cart-{number}:\n    Container ID:\n    Image:          registry.example/cart:1.{number}\n    Image ID:\n\
             \x20   Port:           8080/TCP\n    Host Port:      0/TCP\n    State:          Waiting\n      Reason:       ContainerCreating\n\
             \x20   Ready:          False\n    Restart Count:  0\n    Limits:\n      cpu:     500m\n      memory:  128Mi\n\
             \x20   Environment:\n      LOG_LEVEL:  info\n    Mounts:\n      /etc/cart from settings (ro)\n",
        );
    }
    out.push_str(
        "Conditions:\n  Type              Status\n  Initialized       True\n  Ready             False\n  ContainersReady   False\n  PodScheduled      True\n\
         Volumes:\n  settings:\n    Type:      ConfigMap (a volume populated by a ConfigMap)\n    Name:      cart-settings\n    Optional:  false\n\
         QoS Class:       Burstable\nNode-Selectors:  <none>\nEvents:\n\
         \x20 Type     Reason       Age                  From               Message\n  ----     ------       ----                 ----               -------\n\
         \x20 Normal   Scheduled    18m                  default-scheduler  Successfully assigned shop/cart-0 to worker-1\n",
    );
    let _ = writeln!(
        out,
        "  Warning  FailedMount  105s (x16 over 18m)  kubelet            {FAULT}"
    );
    out
}

/// The SplitMix64 generator: small, and good enough to make lines differ.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

#[cfg(test)]
mod tests {
    use kwhy_core::Analyzer;

    use super::*;

    #[test]
    fn a_seed_is_an_input() {
        assert_eq!(
            log(LogFormat::Klog, 10_000, 1),
            log(LogFormat::Klog, 10_000, 1)
        );
        assert_ne!(
            log(LogFormat::Klog, 10_000, 1),
            log(LogFormat::Klog, 10_000, 2)
        );
    }

    #[test]
    fn counts_are_right() {
        let analyzer = Analyzer::new();
        for format in FORMATS {
            let log = log(format, 400_000, 1);
            assert!(log.faults > 0);
            let report = analyzer.analyze_text("log", log.text);
            assert_eq!(report.inputs[0].format_names(), [format.name()]);
            assert_eq!(report.stats.events, log.records, "{format:?}");
            assert_eq!(report.findings[0].cause, FAULT_CAUSE, "{format:?}");
            assert_eq!(report.findings[0].count, log.faults, "{format:?}");
        }
    }

    #[test]
    fn the_paste_has_one_cause() {
        assert!((4_000..6_000).contains(&paste().len()), "{}", paste().len());
        let report = Analyzer::new().analyze_text("paste", paste());
        assert_eq!(report.findings[0].cause, FAULT_CAUSE);
    }
}
