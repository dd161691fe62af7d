//! No allocation per line, and memory that does not grow with the input. This is a test binary of its own with a single
//! test, as the allocator counts the allocations of all threads.

use benches::{RECORD_FORMATS, healthy, mixed};
use kwhy_core::Analyzer;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// At most one allocation for this many additional lines. A block of some thousand lines needs a few.
const LINES: u64 = 150;

/// The number of threads. The memory of blocks in flight is proportional to it.
const THREADS: usize = 2;

/// Returns the number of allocations and the peak memory in bytes.
fn measured(analyzer: &Analyzer, text: &str) -> (u64, usize) {
    let profiler = dhat::Profiler::builder().testing().build();
    let mut incident = analyzer.incident();
    assert!(incident.read("log", text.as_bytes()).is_ok());
    let report = incident.finish();
    let stats = dhat::HeapStats::get();
    drop(profiler);
    assert_eq!(report.stats.lines, text.lines().count() as u64);
    (stats.total_blocks, stats.max_bytes)
}

#[test]
fn memory_is_bounded() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(THREADS);
    threads.build_global().unwrap();
    let analyzer = Analyzer::new();
    // warm up everything that is created on first use
    let _ = analyzer.analyze_text("log", mixed(2_000_000, 1).text);
    for format in RECORD_FORMATS {
        let lines = 60_000;
        let (once, _) = measured(&analyzer, &healthy(format, lines, 1));
        let (twice, _) = measured(&analyzer, &healthy(format, 2 * lines, 1));
        let more = twice.saturating_sub(once);
        assert!(more * LINES < lines, "{format:?}: {once}, {twice}");
    }
    let quiet = |bytes: usize| healthy(RECORD_FORMATS[0], bytes as u64 / 120, 1);
    same(&analyzer, &quiet(8_000_000), &quiet(16_000_000), 20);
    // with failures, the stores of kept hits are still filling up
    let failing = |bytes: usize| mixed(bytes, 1).text;
    same(&analyzer, &failing(8_000_000), &failing(16_000_000), 40);
}

/// Asserts that a text of twice the size needs the same memory, within `percent` percent.
fn same(analyzer: &Analyzer, text: &str, larger: &str, percent: usize) {
    let (_, once) = measured(analyzer, text);
    let (_, twice) = measured(analyzer, larger);
    assert!(
        twice.abs_diff(once) * 100 < once * percent,
        "{once}, {twice}"
    );
}
