//! Generated logs, with the number of matches that each signature must have.

use std::collections::BTreeMap;
use std::io::Write as _;

use benches::{FAULT_SIGNATURE, LogFormat, log, mixed};

/// The name of the log that mixes all formats.
pub const MIXED: &str = "mixed";

struct Wanted {
    /// None for all of them mixed.
    format: Option<LogFormat>,
    bytes: usize,
    seed: u64,
    plan: Option<String>,
}

/// Writes a log to standard output.
pub fn main(arguments: Vec<String>) -> Result<(), String> {
    let wanted = read(arguments).ok_or("generate: wrong arguments")?;
    let (text, plan) = make(&wanted);
    let plan = serde_json::json!(plan).to_string();
    if let Some(file) = &wanted.plan {
        std::fs::write(file, plan + "\n").map_err(|e| format!("{file}: {e}"))?;
    }
    let mut out = std::io::stdout();
    out.write_all(text.as_bytes()).map_err(|e| e.to_string())
}

fn make(wanted: &Wanted) -> (String, BTreeMap<&'static str, u64>) {
    match wanted.format {
        Some(format) => {
            let log = log(format, wanted.bytes, wanted.seed);
            (log.text, BTreeMap::from([(FAULT_SIGNATURE, log.faults)]))
        }
        None => {
            let log = mixed(wanted.bytes, wanted.seed);
            (log.text, log.plan)
        }
    }
}

fn read(mut arguments: Vec<String>) -> Option<Wanted> {
    let plan = match arguments.iter().position(|argument| argument == "--plan") {
        Some(at) if at + 1 < arguments.len() => arguments.drain(at..at + 2).nth(1),
        Some(_) => return None,
        None => None,
    };
    let (format, megabytes, seed) = match arguments.as_slice() {
        [format, megabytes] => (format, megabytes, "1"),
        [format, megabytes, seed] => (format, megabytes, seed.as_str()),
        _ => return None,
    };
    let format = match format.as_str() {
        MIXED => None,
        name => Some(LogFormat::from_name(name)?),
    };
    Some(Wanted {
        format,
        bytes: megabytes.parse::<usize>().ok()?.checked_mul(1_000_000)?,
        seed: seed.parse().ok()?,
        plan,
    })
}
