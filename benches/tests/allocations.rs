//! Nothing is allocated for a line, and memory does not grow with the input. A binary of its own,
//! with one test: the allocator counts what all threads do.

use benches::{RECORD_FORMATS, healthy, mixed};
use kwhy_core::Analyzer;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// The most that may be allocated for more lines: one time in so many. A block of some thousand
/// lines needs a few allocations.
const LINES: u64 = 150;

/// The memory of the blocks in flight grows with the threads.
const THREADS: usize = 2;

/// Allocations and the most bytes that were held at once.
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
    // what is made when it is first needed
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
    // failures are still filling what is kept of each signature
    let failing = |bytes: usize| mixed(bytes, 1).text;
    same(&analyzer, &failing(8_000_000), &failing(16_000_000), 40);
}

/// Asserts that a text of twice the size takes the same memory, within so many percent.
fn same(analyzer: &Analyzer, text: &str, larger: &str, percent: usize) {
    let (_, once) = measured(analyzer, text);
    let (_, twice) = measured(analyzer, larger);
    assert!(
        twice.abs_diff(once) * 100 < once * percent,
        "{once}, {twice}"
    );
}
