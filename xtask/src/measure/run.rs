//! Measures the share of messages in catalogues that are diagnosed correctly, by role and form.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{Entry, FORMS, Forms, Role, VALUES, Values, Verdict, judge};
use kwhy_core::{Analyzer, Catalogue};
use rayon::prelude::*;

struct Arguments {
    signatures: Option<PathBuf>,
    seed: u64,
    misses: Option<PathBuf>,
    catalogues: Vec<PathBuf>,
}

/// The result for one message in one form.
struct Outcome {
    entry: usize,
    format: usize,
    form: String,
    usual: bool,
    verdict: Verdict,
    got: String,
    text: String,
}

/// Measures the catalogues named by the arguments.
pub fn main(arguments: Vec<String>) -> Result<(), String> {
    run(&read_arguments(arguments).ok_or("measure: wrong arguments")?)
}

fn read_arguments(words: Vec<String>) -> Option<Arguments> {
    let mut found = Arguments {
        signatures: None,
        seed: 1,
        misses: None,
        catalogues: Vec::new(),
    };
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--signatures" => found.signatures = Some(words.next()?.into()),
            "--seed" => found.seed = words.next()?.parse().ok()?,
            "--misses" => found.misses = Some(words.next()?.into()),
            option if option.starts_with('-') => return None,
            path => found.catalogues.push(path.into()),
        }
    }
    (!found.catalogues.is_empty()).then_some(found)
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let values = Values::parse(VALUES).map_err(|e| format!("values: {e}"))?;
    let forms = Forms::parse(FORMS).map_err(|e| format!("forms: {e}"))?;
    let catalogue = match &arguments.signatures {
        Some(folder) => signatures(folder)?,
        None => Catalogue::builtin(),
    };
    let analyzer = Analyzer::with_catalogue(catalogue);
    let mut all = Vec::new();
    for path in &arguments.catalogues {
        let yaml = read(path)?;
        let entries: Vec<Entry> =
            serde_yaml::from_str(&yaml).map_err(|e| format!("{}: {e}", path.display()))?;
        let outcomes = outcomes(&analyzer, &entries, &forms, &values, arguments.seed);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        print(&name, &entries, &outcomes).map_err(|e| e.to_string())?;
        all.push((entries, outcomes));
    }
    if let Some(path) = &arguments.misses {
        let lines = misses(&all);
        std::fs::write(path, lines).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn signatures(folder: &Path) -> Result<Catalogue, String> {
    let mut catalogue = Catalogue::empty();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let inside =
            std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut paths: Vec<PathBuf> = inside.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "yaml")
            {
                let name = path.display().to_string();
                catalogue
                    .add_str(&name, &read(&path)?)
                    .map_err(|e| format!("{name}: {e}"))?;
            }
        }
    }
    Ok(catalogue)
}

fn outcomes(
    analyzer: &Analyzer,
    entries: &[Entry],
    forms: &Forms,
    values: &Values,
    seed: u64,
) -> Vec<Outcome> {
    let measured = entries.par_iter().enumerate();
    let measured = measured.filter(|(_, entry)| entry.role != Role::Context);
    let of_entry = |(number, entry): (usize, &Entry)| {
        let mut found = Vec::new();
        for (format, message) in entry.messages().into_iter().enumerate() {
            let seed = seed.wrapping_mul(1_000_003) + (number * 97 + format) as u64;
            let cases = forms.cases(entry, message, values, seed);
            for (place, case) in cases.into_iter().enumerate() {
                let report = analyzer.analyze_text("case", case.text.as_str());
                let got = report.findings.first();
                found.push(Outcome {
                    entry: number,
                    format,
                    form: case.form,
                    usual: place == 0,
                    verdict: judge(entry, &report),
                    got: got.map_or_else(
                        || "silent".to_owned(),
                        |finding| format!("{} ({})", finding.cause, finding.signature),
                    ),
                    text: case.text,
                });
            }
        }
        found
    };
    measured.flat_map_iter(of_entry).collect()
}

fn print(name: &str, entries: &[Entry], outcomes: &[Outcome]) -> std::io::Result<()> {
    let mut rows: BTreeMap<(Role, String), (usize, usize, usize)> = BTreeMap::new();
    for outcome in outcomes {
        let role = entries[outcome.entry].role;
        let kind = entries[outcome.entry]
            .kind
            .as_deref()
            .or(entries[outcome.entry].system.as_deref());
        let mut keys = vec![format!("  form {}", outcome.form)];
        if outcome.usual {
            keys.push("all, usual form".to_owned());
            keys.push(format!(" {}", kind.unwrap_or_default()));
        }
        for key in keys {
            let row = rows.entry((role, key)).or_default();
            row.0 += 1;
            row.1 += usize::from(outcome.verdict == Verdict::Right);
            row.2 += usize::from(outcome.verdict == Verdict::Wrong);
        }
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{name}")?;
    for ((role, key), (cases, right, wrong)) in rows {
        let share = 100.0 * right as f64 / cases as f64;
        let role = format!("{role:?}").to_lowercase();
        writeln!(
            out,
            "{role:8} {key:28} {cases:5} cases  {share:5.1} % right  {wrong:4} wrong"
        )?;
    }
    Ok(())
}

/// Returns one JSON object per line for each case that is not right.
fn misses(all: &[(Vec<Entry>, Vec<Outcome>)]) -> String {
    let mut lines = String::new();
    for (entries, outcomes) in all {
        for outcome in outcomes
            .iter()
            .filter(|outcome| outcome.verdict != Verdict::Right)
        {
            let entry = &entries[outcome.entry];
            let line = serde_json::json!({
                "entry": entry.name(),
                "by": entry.system.as_deref().or(entry.component.as_deref()),
                "role": format!("{:?}", entry.role).to_lowercase(),
                "format": entry.messages().get(outcome.format),
                "form": outcome.form,
                "usual": outcome.usual,
                "expected": entry.causes,
                "got": outcome.got,
                "text": outcome.text,
            });
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
    }
    lines
}
