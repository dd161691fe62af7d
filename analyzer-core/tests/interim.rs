//! Incidents with interim reports, moved to other threads, and cancelled.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use kwhy_core::report::Limit;
use kwhy_core::{Analyzer, Cancel, Catalogue, Incident, Report};
use rayon::prelude::*;

fn json(report: &Report) -> String {
    serde_json::to_string(report).unwrap()
}

/// Returns the documents of an incident in `fixtures/`, in the order of their paths.
fn documents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let read = |path: &PathBuf| (path.display().to_string(), fs::read(path).unwrap());
    files.iter().map(read).collect()
}

fn read(incident: &mut Incident, (name, bytes): &(String, Vec<u8>)) {
    incident.read(name.as_str(), bytes.as_slice()).unwrap();
}

#[test]
fn an_interim_report_is_that_of_what_was_read_and_changes_nothing() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/incidents");
    let mut folders: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let analyzers = [Analyzer::new(), Analyzer::new().with_blocks_of(300)];
    folders.par_iter().step_by(8).for_each(|folder| {
        let documents = documents(folder);
        for analyzer in &analyzers {
            let mut asked = analyzer.incident();
            for (number, document) in (1..).zip(&documents) {
                read(&mut asked, document);
                let mut alone = analyzer.incident();
                documents[..number].iter().for_each(|d| read(&mut alone, d));
                let so_far = json(&asked.report_so_far());
                assert_eq!(so_far, json(&alone.finish()), "{}", folder.display());
            }
            let mut plain = analyzer.incident();
            documents.iter().for_each(|d| read(&mut plain, d));
            assert_eq!(json(&asked.finish()), json(&plain.finish()));
        }
    });
}

/// Conditions over time hold back their first hits, and evict records once there are many. An interim report must not
/// affect that.
#[test]
fn an_interim_report_leaves_conditions_over_time_alone() {
    let mut catalogue = Catalogue::empty();
    let yaml = "id: gate\ncause: storage/configmap-missing\nseverity: error\ntitle: gate\nwhy: it is shut\nmatch: {sequence: [{event: {message: the gate is shut}}, {event: {message: the ferry is full}}], within: 10m, per: subject}\n";
    catalogue.add_str("mine.yaml", yaml).unwrap();
    let analyzer = Analyzer::with_catalogue(catalogue);
    let part = |hour: u32| -> String {
        let line = |number: u32| {
            let (minute, second) = (number / 60 % 60, number % 60);
            let says = match number % 50 {
                49 => "the ferry is full",
                _ => "the gate is shut",
            };
            let pod = number % 7;
            format!(
                "2024-03-04T{hour:02}:{minute:02}:{second:02}Z level=error msg=\"{says}\" pod=shop/web-{pod}\n"
            )
        };
        (0..3600).map(line).collect()
    };
    let parts: Vec<(String, Vec<u8>)> = (0..5)
        .map(|hour| (format!("{hour}.log"), part(hour).into_bytes()))
        .collect();
    let (mut asked, mut plain) = (analyzer.incident(), analyzer.incident());
    for (number, document) in (1..).zip(&parts) {
        read(&mut asked, document);
        read(&mut plain, document);
        let mut alone = analyzer.incident();
        parts[..number].iter().for_each(|d| read(&mut alone, d));
        assert_eq!(json(&asked.report_so_far()), json(&alone.finish()));
    }
    let report = plain.finish();
    assert!(!report.findings.is_empty());
    assert_eq!(json(&asked.finish()), json(&report));
}

/// A log that grows: reading it in parts must yield the same findings and lines as reading it at once, wherever it is
/// split.
#[test]
fn a_document_is_read_on_as_if_it_had_been_whole() {
    let pad = "2024-03-04T05:06:07Z level=info msg=\"cart served\" took=12ms\n";
    let fault = "2024-03-04T05:06:08Z level=error msg=\"cannot start\" err=\"MountVolume.SetUp failed for volume \\\"conf\\\" : configmap \\\"cart\\\" not found\"\n";
    let panic = "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:7 +0x1d\n";
    let mut records: Vec<&str> = Vec::new();
    for number in 0..12_000 {
        records.push(match number % 1000 {
            500 => fault,
            999 => panic,
            _ => pad,
        });
    }
    let analyzer = Analyzer::new();
    let mut whole = analyzer.incident();
    whole.read("web.log", records.concat().as_bytes()).unwrap();
    let whole = whole.finish();
    assert!(whole.findings.len() >= 2, "{:?}", whole.findings);
    for piece in [1, 7, 5000] {
        let mut grown = analyzer.incident();
        grown.read("web.log", io::empty()).unwrap();
        // this many calls with small pieces would be slow, so only the end is read in pieces
        let (first, rest) = records.split_at(11_400);
        grown.read_on(first.concat().as_bytes()).unwrap();
        for records in rest.chunks(piece) {
            grown.read_on(records.concat().as_bytes()).unwrap();
        }
        let grown = grown.finish();
        let findings = |report: &Report| serde_json::to_string(&report.findings).unwrap();
        assert_eq!(findings(&grown), findings(&whole), "{piece}");
        assert_eq!(grown.inputs[0].lines, whole.inputs[0].lines);
        assert_eq!(grown.stats.bytes, whole.stats.bytes);
    }
}

#[test]
fn an_incident_without_a_document_reads_on_in_one_without_a_name() {
    let mut incident = Analyzer::new().incident();
    incident.read_on("started\n".as_bytes()).unwrap();
    incident.read_on("stopped\n".as_bytes()).unwrap();
    assert_eq!(incident.finish().inputs[0].lines, 2);
}

#[test]
fn all_that_was_read_of_a_document_counts_where_reading_on_is_cancelled() {
    let mut incident = Analyzer::new().incident();
    incident.read("web.log", "started\n".as_bytes()).unwrap();
    incident.cancel_handle().cancel();
    assert_eq!(incident.read_on("stopped\n".as_bytes()).unwrap(), 0);
    let limits = incident.finish().limits;
    assert!(
        limits[0].message.contains("after 8 bytes"),
        "{}",
        limits[0].message
    );
}

/// An endless log that cancels the incident after this many bytes. It is not `Send`.
struct Endless {
    left: usize,
    cancel: Cancel,
    line: Rc<[u8]>,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.line.len().min(into.len());
        into[..length].copy_from_slice(&self.line[..length]);
        self.left = self.left.saturating_sub(length);
        if self.left == 0 {
            self.cancel.cancel();
        }
        Ok(length)
    }
}

#[test]
fn a_cancelled_incident_says_what_it_read() {
    let line = b"E0304 05:06:07.123456       1 volumes.go:42] configmap \"cart\" not found\n";
    for bytes in [1, 100_000, 3_000_000] {
        let mut incident = Analyzer::new().incident();
        let endless = Endless {
            left: bytes,
            cancel: incident.cancel_handle(),
            line: Rc::from(line.as_slice()),
        };
        let read = incident.read("kubelet.log", endless).unwrap();
        assert!(read >= bytes as u64);
        assert_eq!(incident.read("later.log", line.as_slice()).unwrap(), 0);
        let report = std::thread::spawn(move || incident.finish())
            .join()
            .unwrap();
        assert!(report.is_partial());
        assert_eq!(report.stats.bytes, read);
        assert!(report.inputs[0].lines > 0);
        assert_eq!(report.inputs[1].lines, 0);
        let met: Vec<_> = report.limits.iter().map(|met| &met.limit).collect();
        assert_eq!(met, [&Limit::Interrupted]);
    }
    let mut whole = Analyzer::new().incident();
    whole.read("kubelet.log", line.as_slice()).unwrap();
    // everything was read before the cancellation
    whole.cancel_handle().cancel();
    assert!(!whole.finish().is_partial());
}
