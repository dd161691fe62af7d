//! Readers that fail: a failure at any byte is reported, and everything before and after it is analysed.

use std::io::{self, Read, Write};
use std::sync::LazyLock;

use kwhy_core::{Analyzer, Report};

use crate::testing::{tar_of, zip_of};
use crate::{Inputs, Members, Options, read};

static ANALYZER: LazyLock<Analyzer> = LazyLock::new(Analyzer::new);

const LOG: &str = "2024-03-04T05:06:07Z listening on :8080\npanic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/quay.go:7 +0x1d\n";
const EVENTS: &str = "LAST SEEN   TYPE      REASON        OBJECT       MESSAGE\n2m          Warning   FailedMount   pod/quay-0   MountVolume.SetUp failed for volume \"conf\" : configmap \"tides\" not found\n";

/// A reader that returns bytes in pieces and fails at `at`, if that is within the bytes. Every other call is
/// interrupted.
struct Faulty<'b> {
    bytes: &'b [u8],
    given: usize,
    at: usize,
    piece: usize,
    interrupted: bool,
}

impl<'b> Faulty<'b> {
    fn new(bytes: &'b [u8], at: usize, piece: usize) -> Faulty<'b> {
        Faulty {
            bytes,
            given: 0,
            at,
            piece,
            interrupted: false,
        }
    }
}

impl Read for Faulty<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.given >= self.at {
            return Err(io::Error::other("the medium is gone"));
        }
        let end = self.bytes.len().min(self.at);
        let length = into.len().min(self.piece).min(end - self.given);
        into[..length].copy_from_slice(&self.bytes[self.given..self.given + length]);
        self.given += length;
        Ok(length)
    }
}

/// Returns the content of a report without how reading ended.
fn said(report: &Report) -> String {
    let sources: Vec<&str> = report.inputs.iter().map(|input| &*input.source).collect();
    let findings: Vec<String> = report.findings.iter().map(|it| format!("{it:?}")).collect();
    format!("{sources:?} {} {findings:#?}", report.stats.lines)
}

fn analysed(reader: impl Read + Send) -> (Inputs, Report) {
    let mut incident = ANALYZER.incident();
    let inputs = read("b", reader, &Options::default(), &mut incident);
    let mut report = incident.finish();
    inputs.add_to(&mut report);
    (inputs, report)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn forms() -> Vec<(&'static str, Vec<u8>)> {
    let members: [(&str, &[u8]); 3] = [
        ("top/app.log", LOG.as_bytes()),
        ("top/events.txt", EVENTS.as_bytes()),
        ("top/old.log.gz", &gzip(LOG.as_bytes())),
    ];
    let tar = tar_of(&members);
    let mut bz2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bz2.write_all(&tar).unwrap();
    let zstd = ruzstd::encoding::compress_to_vec(
        tar.as_slice(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    vec![
        ("text", [LOG, EVENTS].concat().into_bytes()),
        ("tar.gz", gzip(&tar)),
        ("tar.bz2", bz2.finish().unwrap()),
        ("tar.zst", zstd),
        ("zip", zip_of(&members, true)),
        ("zip that is streamed", zip_of(&members, false)),
        ("tar", tar),
    ]
}

#[test]
fn a_failure_at_each_byte() {
    for (form, bytes) in forms() {
        let (inputs, whole) = analysed(bytes.as_slice());
        assert!(
            inputs.failures.is_empty() && inputs.limits.len() < 2,
            "{form}"
        );
        assert!(whole.findings.len() >= 2, "{form}");
        // blocks of a tar are alike but for their edges
        let step = match form {
            "text" => 1,
            "tar" => 61,
            _ => 5,
        };
        for at in (0..bytes.len()).step_by(step) {
            let (inputs, report) = analysed(Faulty::new(&bytes, at, 1 << 16));
            let reported: Vec<String> = inputs
                .failures
                .iter()
                .map(|failure| failure.io_error().to_string())
                .collect();
            assert_eq!(reported, ["the medium is gone"], "{form} at {at}");
            let (_, before) = analysed(&bytes[..at]);
            assert_eq!(said(&report), said(&before), "{form} at {at}");
        }
    }
}

#[test]
fn pieces_and_interruptions_change_nothing() {
    for (form, bytes) in forms() {
        let (_, whole) = analysed(bytes.as_slice());
        for piece in [1, 7, 511] {
            let (inputs, report) = analysed(Faulty::new(&bytes, usize::MAX, piece));
            assert!(inputs.failures.is_empty(), "{form} in {piece}");
            assert_eq!(said(&report), said(&whole), "{form} in {piece}");
        }
    }
}

#[test]
fn what_comes_after_a_failure_is_read() {
    for at in 0..LOG.len() {
        let mut incident = ANALYZER.incident();
        let options = Options::default();
        let mut members = Members::new(&options, &mut incident);
        members.member("b", "top/app.log", Faulty::new(LOG.as_bytes(), at, 10));
        members.member("b", "top/events.txt", EVENTS.as_bytes());
        let inputs = members.finish();
        assert_eq!((inputs.read, inputs.failures.len()), (1, 1), "{at}");
        let report = incident.finish();
        let causes: Vec<&str> = report.findings.iter().map(|it| it.cause.as_str()).collect();
        assert!(
            causes.contains(&"storage/configmap-missing"),
            "{at}: {causes:?}"
        );
    }
}

#[test]
fn an_incident_continues_after_a_failure() {
    let text = [LOG, EVENTS].concat();
    for at in 0..text.len() {
        let mut incident = ANALYZER.incident();
        assert!(
            incident
                .read("a", Faulty::new(text.as_bytes(), at, 64))
                .is_err()
        );
        assert!(incident.read("b", EVENTS.as_bytes()).is_ok());
        let report = incident.finish();
        let mut before = ANALYZER.incident();
        assert!(before.read("a", &text.as_bytes()[..at]).is_ok());
        assert!(before.read("b", EVENTS.as_bytes()).is_ok());
        assert_eq!(said(&report), said(&before.finish()), "{at}");
    }
}
