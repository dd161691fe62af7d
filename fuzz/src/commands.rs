//! No name in the input may become an option, another argument or another command.

use std::collections::{BTreeSet, HashMap};
use std::sync::{LazyLock, Mutex, PoisonError};

use kwhy_core::report::CommandLine;
use kwhy_core::{Analyzer, Report};

static ANALYZER: LazyLock<Analyzer> = LazyLock::new(Analyzer::new);

/// The text of an example, and the values in it that its report uses.
type Used = (String, Vec<String>);

/// The first example of each signature. The values that its report uses are determined once, on demand.
static EXAMPLES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let all = ANALYZER.catalogue().signatures();
    all.filter_map(|signature| {
        signature
            .examples()
            .matching
            .first()
            .map(|example| example.text.clone())
    })
    .collect()
});
static USED: LazyLock<Mutex<HashMap<usize, Used>>> = LazyLock::new(Mutex::default);

/// Replaces each value that the report of an example uses by the input, and checks the proposed commands; then does the
/// same with the input alone. The first two bytes choose the example.
pub fn commands(data: &[u8]) {
    let [a, b, rest @ ..] = data else {
        return;
    };
    let bad = String::from_utf8_lossy(rest);
    let number = usize::from(u16::from_le_bytes([*a, *b])) % EXAMPLES.len();
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    let (text, values) = used
        .entry(number)
        .or_insert_with(|| used_of(&EXAMPLES[number]));
    let mut all = text.clone();
    for value in values.iter() {
        all = all.replace(value, &bad);
    }
    for text in [all.as_str(), bad.as_ref()] {
        let report = ANALYZER.analyze_text("input", text);
        for command in proposed(&report) {
            check(command, text);
        }
    }
}

fn used_of(text: &str) -> Used {
    let report = ANALYZER.analyze_text("input", text);
    let values: BTreeSet<String> = report
        .findings
        .iter()
        .flat_map(|finding| {
            let subject = &finding.subject;
            let named = [
                &subject.name,
                &subject.namespace,
                &subject.container,
                &subject.node,
            ];
            finding.captures.values().chain(named.into_iter().flatten())
        })
        .filter(|value| value.len() > 1)
        .cloned()
        .collect();
    (text.to_owned(), values.into_iter().collect())
}

fn proposed(report: &Report) -> impl Iterator<Item = &CommandLine> {
    let checks = report.findings.iter().flat_map(|finding| &finding.check);
    let checks = checks
        .chain(&report.next)
        .filter_map(|it| it.command.as_ref());
    let fixes = report.findings.iter().flat_map(|finding| &finding.fix);
    checks.chain(fixes.filter_map(|fix| fix.command.as_ref()))
}

/// Checks that a command is one line of words that can be typed, none of which the shell interprets, and that it starts
/// a known program.
fn check(command: &CommandLine, text: &str) {
    let (run, argv) = (command.run(), command.argv());
    assert_eq!(
        shlex::split(run).as_deref(),
        Some(argv),
        "{run:?} of {text:?}"
    );
    let odd = run.chars().find(|c| c.is_control() || !c.is_ascii());
    assert_eq!(odd, None, "{run:?} of {text:?}");
    let shell = outside_quotes(run)
        .chars()
        .find(|c| "|;&<>()`$*?[]~#!{}".contains(*c));
    assert_eq!(shell, None, "{run:?} of {text:?}");
    let programs = ANALYZER_PROGRAMS.contains(argv.first().map_or("", String::as_str));
    assert!(programs, "{run:?} of {text:?}");
}

/// The programs that the signatures' commands start.
static ANALYZER_PROGRAMS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let mut programs: BTreeSet<String> = ["kubectl", "oc"].map(str::to_owned).into();
    for signature in ANALYZER.catalogue().signatures() {
        let checks = signature
            .check
            .iter()
            .chain(&signature.collect)
            .filter_map(|check| check.run());
        for run in checks.chain(signature.fix.iter().filter_map(|fix| fix.run.as_ref())) {
            programs.extend(run.to_string().split_whitespace().next().map(str::to_owned));
        }
    }
    programs
});

fn outside_quotes(text: &str) -> String {
    let mut quote = None;
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match quote {
            None if c == '\\' => drop(chars.next()),
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None => plain.push(c),
            Some('"') if c == '\\' => drop(chars.next()),
            Some(open) if c == open => quote = None,
            Some(_) => {}
        }
    }
    plain
}
