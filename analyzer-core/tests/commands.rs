//! Commands proposed by a report can be typed: each is one program with arguments, whatever names
//! the input gives its objects, and no text has an unfilled slot.

mod kubectl;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use kwhy_core::report::CommandLine;
use kwhy_core::signature::{Signature, ValueType};
use kwhy_core::{Analyzer, Catalogue, Report};

static ANALYZER: LazyLock<Analyzer> = LazyLock::new(Analyzer::new);

/// Names that no object can have, but that an attacker might write into an input.
const HOSTILE: &[&str] = &[
    "--all",
    "--kubeconfig=x",
    "-n",
    "-A",
    "--",
    "--now=true",
    "$(reboot)",
    "`reboot`",
    "a;reboot",
    "a&&reboot",
    "a|sh",
    "a>b",
    "'",
    "\"",
    "a'b",
    "a b",
    "a\nb",
    "a\\",
    "*",
    "~",
    "#a",
    "!a",
    "..",
    "a/../../b",
    "-\u{202e}a",
    "a\u{202e}b",
    "a\u{200b}b",
    "\u{1b}[31ma",
    "\u{2014}all",
    "",
];

/// Placeholders for values that the reader would have to know.
const PLACEHOLDERS: &[&str] = &[
    "NAME",
    "NAMESPACE",
    "NODE",
    "POD",
    "ID",
    "PATH",
    "FILE",
    "DEVICE",
    "VALUE",
];

/// Returns the first fault of a command as displayed, or `None` if it has none.
fn fault(command: &CommandLine) -> Option<String> {
    let argv = command.argv();
    if shlex::split(command.run()).as_deref() != Some(argv) {
        return Some("its text splits into other words".into());
    }
    let is_odd = |c: char| c.is_control() || !c.is_ascii();
    if command.run().contains(is_odd) {
        return Some("it contains characters that cannot be typed".into());
    }
    // outside quotes there are only plain words
    let plain = outside_quotes(command.run());
    if let Some(c) = plain.chars().find(|c| "|;&<>()`$*?[]~#".contains(*c)) {
        return Some(format!("{c} outside quotes"));
    }
    if command.run().contains(['<', '>']) {
        return Some("a value is missing".into());
    }
    if argv
        .iter()
        .any(|word| PLACEHOLDERS.contains(&word.as_str()))
    {
        return Some("a word is a placeholder".into());
    }
    match argv.first().map(String::as_str) {
        Some("kubectl" | "oc") => kubectl::fault(argv),
        _ => None,
    }
}

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

/// Returns all commands proposed in a report.
fn commands(report: &Report) -> impl Iterator<Item = &CommandLine> {
    let checks = report.findings.iter().flat_map(|finding| &finding.check);
    let checks = checks
        .chain(&report.next)
        .filter_map(|it| it.command.as_ref());
    let fixes = report.findings.iter().flat_map(|finding| &finding.fix);
    checks.chain(fixes.filter_map(|fix| fix.command.as_ref()))
}

fn faults(report: &Report) -> Vec<String> {
    let wrong = commands(report).filter_map(|command| {
        let fault = fault(command)?;
        Some(format!("{:?}: {fault}", command.run()))
    });
    wrong.collect()
}

/// Returns the unfilled slots in the texts of a report.
fn unfilled_slots(report: &Report) -> Vec<String> {
    let catalogue = ANALYZER.catalogue();
    let mut found = Vec::new();
    for finding in &report.findings {
        let signature = catalogue.get(&finding.signature).unwrap();
        let slots: Vec<String> = signature
            .title
            .slots()
            .map(|slot| format!("<{slot}>"))
            .collect();
        let title = finding.title.as_str();
        let is_open = slots.iter().any(|slot| title.contains(slot));
        // the input itself may contain two spaces
        let from_input = finding.captures.values().any(|value| value.contains("  "));
        let is_gap =
            (title.contains("  ") && !from_input) || title.contains(" ,") || title != title.trim();
        if is_open || is_gap || title.is_empty() {
            found.push(format!("{}: {title:?}", finding.signature));
        }
        let proposed = finding.fix.iter().map(|fix| &fix.text);
        let proposed = proposed.chain(finding.check.iter().filter_map(|check| check.text.as_ref()));
        found.extend(proposed.filter(|text| text.is_empty()).cloned());
        let first = finding.fix.first();
        if first.is_some_and(|fix| fix.destructive) {
            found.push(format!("{}: the first repair destroys", finding.signature));
        }
    }
    found
}

fn fixtures(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            fixtures(&path, files);
        } else if path.file_name().is_none_or(|name| name != "expected.yaml") {
            files.push(path);
        }
    }
}

/// Calls `work` for each item, on all processors.
fn for_each<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}

#[test]
fn every_command_of_the_fixtures_can_be_typed() {
    let mut files = Vec::new();
    fixtures(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures"),
        &mut files,
    );
    let wrong = Mutex::new(Vec::new());
    let count = AtomicUsize::new(0);
    for_each(&files, |path| {
        let bytes = std::fs::read(path).unwrap();
        let report = ANALYZER.analyze_text("input", bytes);
        count.fetch_add(commands(&report).count(), Ordering::Relaxed);
        let found = faults(&report).into_iter().chain(unfilled_slots(&report));
        let found = found.map(|fault| format!("{}: {fault}", path.display()));
        wrong.lock().unwrap().extend(found);
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count.into_inner() > 500);
}

/// Returns the values of an example that its report uses in commands or in names of objects.
fn values(report: &Report, signature: &Signature) -> BTreeSet<String> {
    let own = report.findings.iter().find(|f| f.signature == signature.id);
    let Some(own) = own else {
        return BTreeSet::new();
    };
    let subject = &own.subject;
    let named = [
        &subject.name,
        &subject.namespace,
        &subject.container,
        &subject.node,
    ];
    let named = named.into_iter().flatten();
    let values = own.captures.values().chain(named);
    values.filter(|value| value.len() > 1).cloned().collect()
}

#[test]
fn names_cannot_inject_commands() {
    let signatures: Vec<&Signature> = ANALYZER.catalogue().signatures().collect();
    let wrong = Mutex::new(Vec::new());
    let (fired, shown) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let numbered: Vec<(usize, &Signature)> = signatures.into_iter().enumerate().collect();
    for_each(&numbered, |(number, signature)| {
        for (turn, example) in signature.examples().matching.iter().enumerate() {
            let report = ANALYZER.analyze_text("input", example.text.as_str());
            let values = values(&report, signature);
            let hostile = |at: usize| HOSTILE[(number * 7 + turn * 3 + at) % HOSTILE.len()];
            let each = values.iter().enumerate();
            let one = each.map(|(at, value)| example.text.replace(value.as_str(), hostile(at)));
            let mut all = example.text.clone();
            for value in &values {
                all = all.replace(value.as_str(), hostile(values.len()));
            }
            for text in one.chain([all]) {
                let report = ANALYZER.analyze_text("input", text.as_str());
                let holds =
                    |value: &String| HOSTILE.iter().any(|bad| !bad.is_empty() && value == bad);
                let mut captured = report.findings.iter().flat_map(|f| f.captures.values());
                fired.fetch_add(usize::from(captured.any(holds)), Ordering::Relaxed);
                shown.fetch_add(commands(&report).count(), Ordering::Relaxed);
                let found = faults(&report);
                let found = found
                    .iter()
                    .map(|fault| format!("{}: {fault}\n{text}", signature.id));
                wrong.lock().unwrap().extend(found);
            }
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // rejected names suppress the commands that contain them, and no others
    assert!(fired.into_inner() > 1000);
    assert!(shown.into_inner() > 1000);
}

/// Returns a sample value of a type.
fn sample(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Label => "shop",
        ValueType::Name => "web-0",
        ValueType::Segment => "system:node:quay-1",
        ValueType::Kind => "pods",
        ValueType::Image => "quay.tides.example/berth/web:1.2",
        ValueType::Host => "quay.tides.example:443",
        ValueType::Number => "443",
        ValueType::Path => "/var/lib/web",
        ValueType::Device => "sdb",
        ValueType::Uid => "0f9b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d",
        ValueType::Unit => "kubelet.service",
        ValueType::ContainerId => "0f9b1c2d3e4f",
        ValueType::Url => "https://quay.tides.example/charts",
        ValueType::Key => "tides.example/berth",
        ValueType::Selector => "app=web",
        ValueType::Word => "web",
    }
}

#[test]
fn every_command_of_the_signatures_can_be_typed() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for signature in Catalogue::builtin().signatures() {
        let checks = signature.check.iter().chain(&signature.collect);
        let checks = checks.filter_map(|check| check.run());
        for run in checks.chain(signature.fix.iter().filter_map(|fix| fix.run.as_ref())) {
            let value_type =
                |slot: &str, default| signature.values.get(slot).copied().unwrap_or(default);
            let command = run.fill(|slot, of| Some(sample(value_type(slot, of)).to_owned()));
            let command = command.and_then(CommandLine::new);
            let Some(command) = command else {
                wrong.push(format!("{}: {run}: never shown", signature.file));
                continue;
            };
            count += 1;
            if let Some(fault) = fault(&command) {
                wrong.push(format!("{}: {}: {fault}", signature.file, command.run()));
            }
            // fill all slots with the same hostile value, whatever their type
            for bad in HOSTILE {
                let filled = run.fill(|_, _| Some((*bad).to_owned()));
                if run.slots().next().is_some() && filled.is_some() {
                    wrong.push(format!("{}: {run} accepts {bad:?}", signature.file));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} commands:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count > 1500);
}

#[test]
fn long_names_are_rejected() {
    let signature = Catalogue::builtin();
    let signature = signature.get("configmap-mount-missing").unwrap();
    let run = signature
        .check
        .iter()
        .find_map(|check| check.run())
        .unwrap();
    let fill = |length: usize| run.fill(|_, _| Some("a".repeat(length)));
    assert!(fill(60).is_some());
    assert!(fill(300).is_none());
}
