//! Benchmarks of start-up, the parsers and whole analyses. Every run checks its result against known counts, so a fast
//! but wrong answer fails.

use benches::{
    FAULT_CAUSE, FORMATS, LogFormat, STRUCTURED, Structured, describe, log, paste, structured,
};
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use kwhy_core::Analyzer;
use kwhy_core::events::{Line, lines, parse};
use kwhy_core::report::Timeline;

fn main() {
    divan::main();
}

/// Loads the built-in signatures.
#[divan::bench]
fn start() -> Analyzer {
    Analyzer::new()
}

/// The cost of one call at the prompt: loading the signatures and analysing 5 KB.
#[divan::bench]
fn start_and_paste(bencher: Bencher<'_, '_>) {
    let paste = paste();
    bencher.bench(|| {
        let report = Analyzer::new().analyze_text("stdin", paste.as_str());
        assert_eq!(report.findings[0].cause, FAULT_CAUSE);
    });
}

#[divan::bench]
fn paste_alone(bencher: Bencher<'_, '_>) {
    let (analyzer, paste) = (Analyzer::new(), paste());
    bencher.counter(BytesCount::of_str(&paste)).bench(|| {
        let report = analyzer.analyze_text("stdin", paste.as_str());
        assert_eq!(report.findings[0].cause, FAULT_CAUSE);
    });
}

#[divan::bench(args = [1, 10, 100])]
fn parse_describe(bencher: Bencher<'_, '_>, containers: usize) {
    let text = describe(containers);
    let all: Vec<Line<'_>> = lines(&text).collect();
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let parsed = parse::describe::parse(black_box(&all));
        assert_eq!((parsed.objects.len(), parsed.events.len()), (1, 2));
    });
}

#[divan::bench(args = FORMATS)]
fn parse_log(bencher: Bencher<'_, '_>, format: LogFormat) {
    let log = log(format, 1_000_000, 1);
    let all: Vec<Line<'_>> = lines(&log.text).collect();
    bencher.counter(BytesCount::of_str(&log.text)).bench(|| {
        let parsed = parse::log::parse(black_box(&all));
        assert_eq!(parsed.events.len() as u64, log.records);
    });
}

/// Extracts time and severity from each line without parsing the record.
#[divan::bench(args = FORMATS)]
fn log_header(bencher: Bencher<'_, '_>, format: LogFormat) {
    let log = log(format, 1_000_000, 1);
    let all: Vec<&str> = log.text.lines().collect();
    bencher.counter(BytesCount::of_str(&log.text)).bench(|| {
        let heads = black_box(&all)
            .iter()
            .filter_map(|line| parse::log::header(line));
        let complete = heads.filter(|head| head.time.is_some() && head.severity.is_some());
        assert_eq!(complete.count() as u64, log.records);
    });
}

/// Classifies each line by its first bytes.
#[divan::bench(args = FORMATS)]
fn classify_line(bencher: Bencher<'_, '_>, format: LogFormat) {
    let log = log(format, 1_000_000, 1);
    let all: Vec<&str> = log.text.lines().collect();
    bencher.counter(BytesCount::of_str(&log.text)).bench(|| {
        let lines = black_box(&all).iter();
        let classes = lines.map(|line| parse::framing::classify(line.as_bytes()));
        let known = classes.filter(|class| *class != parse::framing::Class::Unknown);
        assert_eq!(known.count() as u64, log.records);
    });
}

/// Counts log headers over time.
#[divan::bench]
fn timeline(bencher: Bencher<'_, '_>) {
    let log = log(LogFormat::Klog, 1_000_000, 1);
    let heads: Vec<_> = log.text.lines().filter_map(parse::log::header).collect();
    bencher.counter(ItemsCount::new(heads.len())).bench(|| {
        let mut timeline = Timeline::new();
        for head in black_box(&heads) {
            timeline.add(head.time, head.severity);
        }
        let buckets = timeline.report().buckets;
        let counted: u64 = buckets.iter().map(|bucket| bucket.counts.total()).sum();
        assert_eq!(counted, log.records);
    });
}

/// Analyses 10 MB of a log.
#[divan::bench(args = FORMATS, sample_count = 10, sample_size = 1)]
fn analyze_log(bencher: Bencher<'_, '_>, format: LogFormat) {
    let log = log(format, 10_000_000, 1);
    let analyzer = Analyzer::new();
    bencher.counter(BytesCount::of_str(&log.text)).bench(|| {
        let report = analyzer.analyze_text("log", log.text.as_str());
        assert_eq!(report.stats.events, log.records);
        assert_eq!(report.findings[0].count, log.faults);
    });
}

/// Analyses 4 MB of tables, objects or describe output of a healthy cluster.
#[divan::bench(args = STRUCTURED, sample_count = 10, sample_size = 1)]
fn analyze_structured(bencher: Bencher<'_, '_>, form: Structured) {
    let output = structured(form, 4_000_000, 1);
    let analyzer = Analyzer::new();
    let items = ItemsCount::new(output.items as usize);
    let bytes = BytesCount::of_str(&output.text);
    bencher.counter(bytes).counter(items).bench(|| {
        let report = analyzer.analyze_text("output", output.text.as_str());
        assert_eq!(report.stats.records, output.items);
        assert!(report.findings.is_empty());
    });
}
