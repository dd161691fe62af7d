//! Incidents that are asked before their end, moved to other threads, and cancelled.

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

/// The documents of an incident in `fixtures/`, in the order of their paths.
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
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/incidents");
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

/// Conditions over time hold back their first hits, and evict records once there are many.
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

/// Cancels once it has given so many bytes of a log without end. It cannot be sent to another thread.
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
    // all was read before
    whole.cancel_handle().cancel();
    assert!(!whole.finish().is_partial());
}
