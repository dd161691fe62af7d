//! Nothing is allocated for a line, and memory does not grow with the input. A binary of its own,
//! with one test: the allocator counts what all threads do.

use analyzer_core::Analyzer;
use benches::{CARRIERS, healthy, mixed};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// The most that may be allocated for more lines: one time in so many. A block of some thousand
/// lines needs a few allocations.
const LINES: u64 = 150;

/// What the blocks in flight take grows with the threads.
const THREADS: usize = 2;

/// Allocations and the most bytes that were held at once.
fn measured(analyzer: &Analyzer, text: &str) -> (u64, usize) {
    let profiler = dhat::Profiler::builder().testing().build();
    let mut incident = analyzer.incident();
    incident.read("log", text.as_bytes()).unwrap();
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
    for carrier in CARRIERS {
        let lines = 20_000;
        let (once, _) = measured(&analyzer, &healthy(carrier, lines, 1));
        let (twice, _) = measured(&analyzer, &healthy(carrier, 2 * lines, 1));
        let more = twice.saturating_sub(once);
        println!(
            "{carrier:?}: {once}, {twice}: one in {} lines",
            lines / more.max(1)
        );
        assert!(more * LINES < lines, "{carrier:?}: {once}, {twice}");
    }
    let quiet = |bytes: usize| healthy(CARRIERS[0], bytes as u64 / 120, 1);
    equal(&analyzer, &quiet(8_000_000), &quiet(16_000_000));
    // where failures fill what is kept of each signature
    let failing = |bytes: usize| mixed(bytes, 1).text;
    equal(&analyzer, &failing(16_000_000), &failing(32_000_000));
}

/// Asserts that a text of twice the size takes about the same memory.
fn equal(analyzer: &Analyzer, text: &str, larger: &str) {
    let (_, once) = measured(analyzer, text);
    let (_, twice) = measured(analyzer, larger);
    println!("{once} and {twice} bytes at once");
    assert!(twice.abs_diff(once) * 5 < once, "{once}, {twice}");
}
