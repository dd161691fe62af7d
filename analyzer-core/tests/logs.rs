//! Logs generated from a seed: the messages of the signatures' examples in every envelope.

use std::fmt::Write as _;
use std::sync::LazyLock;

use kwhy_core::Catalogue;
use proptest::prelude::*;

/// Error messages: the first lines of the signatures' examples without their envelopes. Records with parts separated by
/// tabs are excluded: they state a time, and embedded in another record they do not match.
static MESSAGES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let catalogue = Catalogue::builtin();
    let mut messages = Vec::new();
    for signature in catalogue.signatures() {
        for example in &signature.examples().matching {
            let line = example.text.lines().next().unwrap_or("").trim();
            if line.len() > 20 && !line.starts_with(['{', '"']) && !line.contains('\t') {
                messages.push(line.to_owned());
            }
        }
    }
    messages
});

const GOOD: [&str; 6] = [
    "synced the cache of namespaces",
    "listening on 10.1.2.3:8080",
    "lease renewed, next in 10s",
    "GET /api/v1/namespaces/shop/pods 200 in 3ms",
    "the configuration was not found to have changed",
    "waiting for the next event",
];

const OUTPUTS: [&str; 5] = [
    "$ kubectl -n shop get pods\nNAME    READY   STATUS             RESTARTS   AGE\nweb-0   0/1     CrashLoopBackOff   7          21m\n",
    "Name:             cart-0\nNamespace:        shop\nNode:             worker-1/10.0.0.4\nStatus:           Pending\nEvents:\n  Type     Reason       Age   From     Message\n  ----     ------       ----  ----     -------\n  Warning  FailedMount  5s    kubelet  MountVolume.SetUp failed for volume \"conf\" : configmap \"cart-conf\" not found\n",
    "panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 1 [running]:\nmain.run(0x1)\n\t/src/main.go:12 +0x1d\n",
    "Killed\n",
    "the installer said \"cannot\ngo on\" and stopped\n",
];

/// A generator of log lines.
pub struct Logs(u64);

impl Logs {
    pub fn seeded(seed: u64) -> Logs {
        Logs(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Generates `records` records, about one in eight with a failure.
    pub fn lines(&mut self, records: usize) -> String {
        let mut out = String::new();
        for number in 0..records {
            let fails = self.below(8) == 0;
            let message = if fails {
                MESSAGES[self.below(MESSAGES.len())].clone()
            } else {
                GOOD[self.below(GOOD.len())].to_owned()
            };
            self.record(&mut out, number, &message, fails);
            if self.below(60) == 0 {
                out.push_str(OUTPUTS[self.below(OUTPUTS.len())]);
            }
            if self.below(90) == 0 {
                out.push('\n');
            }
        }
        out
    }

    fn record(&mut self, out: &mut String, number: usize, message: &str, fails: bool) {
        let second = number / 20;
        let clock = format!(
            "{:02}:{:02}:{:02}",
            second / 3600 % 24,
            second / 60 % 60,
            second % 60
        );
        let level = if fails { "error" } else { "info" };
        let letter = if fails { 'E' } else { 'I' };
        let escaped = message.replace('\\', "\\\\").replace('"', "\\\"");
        // writing to a String cannot fail
        let _ = match self.below(14) {
            0 => writeln!(
                out,
                "{letter}0304 {clock}.123456       1 sync.go:88] {message}"
            ),
            1 => writeln!(
                out,
                "{letter}0304 {clock}.123456       1 sync.go:88] \"Sync\" pod=\"shop/web-0\" err=\"{escaped}\""
            ),
            2 => writeln!(
                out,
                "time=\"2024-03-04T{clock}Z\" level={level} msg=\"{escaped}\""
            ),
            3 => writeln!(
                out,
                "{{\"level\":\"{level}\",\"ts\":\"2024-03-04T{clock}.5Z\",\"msg\":\"{escaped}\"}}"
            ),
            4 => writeln!(
                out,
                "2024-03-04T{clock}.123Z\t{}\tsync\t{message}\nmain.run\n\t/src/main.go:12",
                level.to_uppercase()
            ),
            5 => writeln!(
                out,
                "Mar 04 {clock} worker-1 kubelet[812]: {letter}0304 {clock}.123456     812 sync.go:88] \"Sync\" err=\"{escaped}\""
            ),
            6 => writeln!(out, "2024-03-04T{clock}.123456789Z stdout F {message}"),
            7 => self.cut(out, &clock, message),
            8 => writeln!(
                out,
                "crane-1   | time=\"2024-03-04T{clock}Z\" level={level} msg=\"{escaped}\""
            ),
            9 => writeln!(
                out,
                "crane-0 arm {letter}0304 {clock}.123456       1 sync.go:88] {message}"
            ),
            10 => {
                let line = format!("{letter}0304 {clock}.123456     812 sync.go:88] {message}");
                let message = if self.below(2) == 0 {
                    serde_json::to_string(&line).unwrap_or_default()
                } else {
                    serde_json::to_string(line.as_bytes()).unwrap_or_default()
                };
                writeln!(
                    out,
                    "{{\"_HOSTNAME\":\"worker-1\",\"SYSLOG_IDENTIFIER\":\"kubelet\",\"MESSAGE\":{message},\"__REALTIME_TIMESTAMP\":\"1709510400000000\"}}"
                )
            }
            11 => writeln!(
                out,
                "[pod/crane-{}/arm] 2024-03-04T{clock}.123456789Z {message}",
                self.below(2)
            ),
            12 => writeln!(
                out,
                "__CURSOR=s=1;i={number}\n__REALTIME_TIMESTAMP=1709510400000000\n_HOSTNAME=worker-1\nMESSAGE={letter}0304 {clock}.123456     812 sync.go:88] {message}\n_PID=812\n"
            ),
            _ => {
                let twice = escaped.replace('\\', "\\\\").replace('"', "\\\"");
                writeln!(
                    out,
                    "{{\"log\":\"time=\\\"2024-03-04T{clock}Z\\\" level={level} msg=\\\"{twice}\\\"\\n\",\"stream\":\"stderr\",\"time\":\"2024-03-04T{clock}.5Z\"}}"
                )
            }
        };
    }

    /// Writes a CRI line in several parts, with lines of another stream between them.
    fn cut(&mut self, out: &mut String, clock: &str, message: &str) -> std::fmt::Result {
        let mut rest = message;
        while let Some((at, _)) = rest.char_indices().nth(3 + self.below(40)) {
            writeln!(out, "2024-03-04T{clock}.1Z stderr P {}", &rest[..at])?;
            if self.below(3) == 0 {
                writeln!(out, "2024-03-04T{clock}.2Z stdout F other text")?;
            }
            rest = &rest[at..];
        }
        writeln!(out, "2024-03-04T{clock}.1Z stderr F {rest}")
    }
}

/// Generates logs of up to a few hundred records.
pub fn logs() -> impl Strategy<Value = String> {
    (any::<u64>(), 1..300usize).prop_map(|(seed, records)| Logs::seeded(seed).lines(records))
}
