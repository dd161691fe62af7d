//! What is read in several ways says the same.

use std::sync::LazyLock;

use kwhy_bundle::{Members, Options, read, testing};
use kwhy_core::{Analyzer, Incident, Report};

/// Parses everything and tests every condition.
static NAIVE: LazyLock<Analyzer> =
    LazyLock::new(|| Analyzer::new().with_naive_matching().without_joined_lines());
static FAST: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new().without_joined_lines());
static BLOCKS: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new().with_blocks_of(300));
static POOLS: LazyLock<Vec<rayon::ThreadPool>> = LazyLock::new(|| {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    [1, 2]
        .into_iter()
        .filter_map(|threads| pool(threads).ok())
        .collect()
});

/// The fast engine against the naive one, one block against many, one thread against two, an archive against its members one by one.
pub fn differential(data: &[u8]) {
    let data = &data[..data.len().min(8 << 10)];
    let naive = found(&NAIVE.analyze_text("input", data));
    let fast = found(&FAST.analyze_text("input", data));
    assert_eq!(fast, naive, "fast and naive");
    let of_threads: Vec<Report> = POOLS
        .iter()
        .map(|pool| pool.install(|| BLOCKS.analyze_text("input", data)))
        .collect();
    assert_eq!(found(&of_threads[0]), naive, "many blocks and one");
    let [one, two] = [0, 1].map(|at| said(&of_threads[at]));
    assert_eq!(one, two, "one thread and two");
    archive_and_members(data);
}

fn archive_and_members(data: &[u8]) {
    let third = data.len() / 3;
    let (logs, rest) = data.split_at(third);
    let (events, objects) = rest.split_at(third);
    let members = [
        (
            "top/namespaces/shop/pods/web-0/web/web/logs/current.log",
            logs,
        ),
        ("top/namespaces/shop/core/events.yaml", events),
        ("top/notes.txt", objects),
    ];
    let together = |fill: &dyn Fn(&mut Incident) -> kwhy_bundle::Inputs| {
        let mut incident = FAST.incident();
        let inputs = fill(&mut incident);
        let mut report = incident.finish();
        inputs.add_to(&mut report);
        said(&report)
    };
    let tar = testing::tar_of(&members);
    let archive =
        together(&|incident| read("b.tar", tar.as_slice(), &Options::default(), incident));
    let one_by_one = together(&|incident| {
        let options = Options::default();
        let mut all = Members::new(&options, incident);
        for (path, content) in members {
            all.member("b.tar", path, content);
        }
        all.finish()
    });
    assert_eq!(archive, one_by_one, "an archive and its members");
}

/// What must not depend on how a text is read. What nothing explains, and so the verdict, does: of large inputs only lines
/// that may match are read, and those that state an error in one of the usual ways.
fn found(report: &Report) -> String {
    let findings = serde_json::to_string_pretty(&report.findings).unwrap_or_default();
    format!("{findings}\n{}", report.stats.lines)
}

/// All that is reported.
fn said(report: &Report) -> String {
    serde_json::to_string_pretty(report).unwrap_or_default()
}
