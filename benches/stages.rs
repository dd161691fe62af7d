//! Benchmarks of the engine's stages one by one, in the order in which a document passes through them. Every run checks
//! its result against known counts.

use benches::{
    FAULT_CAUSE, FAULT_SIGNATURE, FORMATS, LogFormat, Mixed, RECORD_FORMATS, healthy, log, mixed,
    signatures,
};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use kwhy_core::{Analyzer, Catalogue, internals};

/// The size of a block in the engine, in bytes.
const BLOCK: usize = 256 * 1024;

fn main() {
    divan::main();
}

/// Splits a document of 10 MB into blocks.
#[divan::bench(args = FORMATS, sample_count = 20, sample_size = 1)]
fn cut(bencher: Bencher<'_, '_>, format: LogFormat) {
    let log = log(format, 10_000_000, 1);
    let most = (log.text.len() / BLOCK + 1) as u64;
    bencher.counter(BytesCount::of_str(&log.text)).bench(|| {
        let (blocks, lines) = internals::cut(black_box(log.text.as_bytes()), BLOCK);
        assert_eq!(lines, log.records);
        assert!((most - 3..=most).contains(&blocks), "{blocks}");
    });
}

/// Indexes the lines of a block: which ones start a record, and which must be parsed.
#[divan::bench(args = FORMATS)]
fn index_lines(bencher: Bencher<'_, '_>, format: LogFormat) {
    let log = log(format, BLOCK, 1);
    bencher.counter(BytesCount::of_str(&log.text)).bench(|| {
        let (lines, records) = internals::index_lines(black_box(log.text.as_bytes()));
        assert_eq!((lines, records), (log.records, log.records));
    });
}

/// Searches a block of a healthy log for the literals of all built-in signatures.
#[divan::bench]
fn sweep_healthy(bencher: Bencher<'_, '_>) {
    swept(
        bencher,
        healthy(RECORD_FORMATS[0], (BLOCK / 120) as u64, 1),
        0,
    );
}

/// Searches a block in which one record in fifty fails.
#[divan::bench]
fn sweep_mixed(bencher: Bencher<'_, '_>) {
    let Mixed { text, plan, .. } = mixed(BLOCK, 1);
    swept(bencher, text, plan.values().sum());
}

/// Measures the search of `text`. It must find the same literals as a search line by line, whatever their offset from
/// the probed positions, and at least `least` of them.
fn swept(bencher: Bencher<'_, '_>, text: String, least: u64) {
    let catalogue = Catalogue::builtin();
    let lines = text.lines();
    let standing = lines.map(|line| internals::sweep(&catalogue, line.as_bytes()));
    let standing: u64 = standing.sum();
    assert!(standing >= least, "{standing}");
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let found = internals::sweep(&catalogue, black_box(text.as_bytes()));
        assert_eq!(found, standing);
    });
}

/// Parses one faulty record, matches it and reports the finding.
#[divan::bench(args = FORMATS)]
fn verify(bencher: Bencher<'_, '_>, format: LogFormat) {
    let log = log(format, 1_000_000, 1);
    let record = log.text.lines().find(|line| line.contains("cart-settings"));
    let record = record.unwrap_or_default();
    let analyzer = Analyzer::new();
    bencher.counter(BytesCount::of_str(record)).bench(|| {
        let report = analyzer.analyze_text("log", black_box(record));
        assert_eq!(report.findings.len(), 1);
        assert_eq!(report.findings[0].cause, FAULT_CAUSE);
    });
}

/// Analyses a log of this many megabytes in all formats and envelopes in which one record in fifty fails.
///
/// The larger log has more matches of each signature than the engine keeps; all of them must be counted.
#[divan::bench(name = "mixed", args = [10, 64], sample_count = 10, sample_size = 1)]
fn mixed_log(bencher: Bencher<'_, '_>, megabytes: usize) {
    let log = mixed(megabytes * 1_000_000, 1);
    let analyzer = Analyzer::new();
    bencher.counter(BytesCount::of_str(&log.text)).bench(|| {
        let report = analyzer.analyze_text("log", log.text.as_str());
        assert_eq!(report.stats.lines, log.lines);
        for (id, planned) in &log.plan {
            let found = report.matched.get(*id).copied().unwrap_or(0);
            assert_eq!(found, *planned, "{id}");
        }
    });
}

/// Analyses a log with the built-in signatures and this many more that match nothing.
#[divan::bench(name = "signatures", args = [0, 300, 1000], sample_count = 20, sample_size = 1)]
fn signatures_added(bencher: Bencher<'_, '_>, more: usize) {
    let log = log(LogFormat::Klog, 10_000_000, 1);
    let mut catalogue = Catalogue::builtin();
    if more > 0 {
        let added = catalogue.add_str("more.yaml", &signatures(more, 1));
        assert!(added.is_ok(), "{added:?}");
    }
    let analyzer = Analyzer::with_catalogue(catalogue);
    bencher.counter(BytesCount::of_str(&log.text)).bench(|| {
        let report = analyzer.analyze_text("log", log.text.as_str());
        assert_eq!(report.stats.events, log.records);
        assert_eq!(report.matched.get(FAULT_SIGNATURE), Some(&log.faults));
    });
}
