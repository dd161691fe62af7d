//! Generates logs, with the number of matches that each signature must have in them.

use std::collections::BTreeMap;
use std::io::Write as _;

use benches::{FAULT_SIGNATURE, LogFormat, Structured, log, mixed, structured};

/// The name of the log that mixes all formats.
pub const MIXED: &str = "mixed";

/// An input that can be generated.
enum What {
    Log(LogFormat),
    /// Logs of all formats.
    Mixed,
    Structured(Structured),
}

struct Wanted {
    what: What,
    bytes: usize,
    seed: u64,
    plan: Option<String>,
}

/// Writes a generated input to standard output, and the expected counts to the file given with `--plan`.
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
    match wanted.what {
        What::Log(format) => {
            let log = log(format, wanted.bytes, wanted.seed);
            (log.text, BTreeMap::from([(FAULT_SIGNATURE, log.faults)]))
        }
        What::Structured(form) => {
            let output = structured(form, wanted.bytes, wanted.seed);
            (output.text, BTreeMap::from([("items", output.items)]))
        }
        What::Mixed => {
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
    let what = match format.as_str() {
        MIXED => What::Mixed,
        name => match Structured::from_name(name) {
            Some(form) => What::Structured(form),
            None => What::Log(LogFormat::from_name(name)?),
        },
    };
    Some(Wanted {
        what,
        bytes: megabytes.parse::<usize>().ok()?.checked_mul(1_000_000)?,
        seed: seed.parse().ok()?,
        plan,
    })
}
