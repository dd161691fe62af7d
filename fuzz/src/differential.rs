//! Different ways of reading the same input must give the same result.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{LazyLock, OnceLock};

use kwhy_bundle::{Members, Options, read, testing};
use kwhy_core::{Analyzer, Catalogue, Incident, Report};

/// A part of the signatures, as a fast and a naive engine. The naive engine parses everything and tests every
/// condition, which with all signatures takes a fraction of a second per input.
struct Part {
    fast: Analyzer,
    naive: Analyzer,
}

static PARTS: [OnceLock<Part>; 64] = [const { OnceLock::new() }; 64];

impl Part {
    /// Returns the part to test an input with, always the same one for the same input.
    fn of(data: &[u8]) -> &'static Part {
        let mut hasher = DefaultHasher::new();
        data.hash(&mut hasher);
        let number = (hasher.finish() % PARTS.len() as u64) as usize;
        PARTS[number].get_or_init(|| {
            let mut catalogue = Catalogue::empty();
            let all = FAST.catalogue().signatures().skip(number);
            for signature in all.step_by(PARTS.len()) {
                let added = catalogue.add_str(&signature.file, &signature.source);
                assert!(added.is_ok(), "{added:?}");
            }
            let fast = Analyzer::with_catalogue(catalogue).without_joined_lines();
            let naive = fast.clone().with_naive_matching();
            Part { fast, naive }
        })
    }
}

static FAST: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new().without_joined_lines());
static BLOCKS: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new().with_blocks_of(BLOCK));
static SMALL_BLOCKS: LazyLock<Analyzer> =
    LazyLock::new(|| Analyzer::new().with_blocks_of(BLOCK / 3));

/// The size of a block in bytes, so small that block boundaries are exercised.
const BLOCK: usize = 300;

/// The number of copies of an input with which verdicts are compared.
const COPIES: usize = 6;

static POOLS: LazyLock<Vec<rayon::ThreadPool>> = LazyLock::new(|| {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    [1, 2]
        .into_iter()
        .filter_map(|threads| pool(threads).ok())
        .collect()
});

/// Compares the fast engine with the naive one, one block with many, small blocks with large ones, one thread with two,
/// and an archive with its members read one by one.
pub fn differential(data: &[u8]) {
    let data = &data[..data.len().min(8 << 10)];
    let part = Part::of(data);
    let [fast, naive] =
        [&part.fast, &part.naive].map(|analyzer| found(&analyzer.analyze_text("input", data)));
    assert_eq!(fast, naive, "fast and naive");
    let whole = found(&FAST.analyze_text("input", data));
    let of_threads: Vec<Report> = POOLS
        .iter()
        .map(|pool| pool.install(|| BLOCKS.analyze_text("input", data)))
        .collect();
    assert_eq!(found(&of_threads[0]), whole, "many blocks and one");
    let [one, two] = [0, 1].map(|at| said(&of_threads[at]));
    assert_eq!(one, two, "one thread and two");
    // repeated, so that every block size yields many blocks, and one record more or less cannot make a log too short
    // for a verdict
    let copies = [data, b"\n"].concat().repeat(COPIES);
    let [small, large] =
        [&SMALL_BLOCKS, &BLOCKS].map(|analyzer| analyzer.analyze_text("input", copies.as_slice()));
    assert_eq!(found(&small), found(&large), "small blocks and large");
    assert_eq!(
        small.verdict, large.verdict,
        "SMALL {small:#?} LARGE {large:#?}"
    );
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

/// Returns the parts of a report that must not depend on how a text is read. Unexplained events, and with them the
/// verdict, do depend on it: in large inputs only lines that may match, or that state an error in one of the usual
/// formats, are parsed.
fn found(report: &Report) -> String {
    let findings = serde_json::to_string_pretty(&report.findings).unwrap_or_default();
    format!("{findings}\n{}", report.stats.lines)
}

/// Renders the whole report.
fn said(report: &Report) -> String {
    serde_json::to_string_pretty(report).unwrap_or_default()
}
