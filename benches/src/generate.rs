//! Writes a generated log to standard output, and how often each signature must match to a file:
//! `generate FORMAT MEGABYTES [SEED] [--plan FILE]`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::ExitCode;

use benches::{FAULT_SIGNATURE, FORMATS, LogFormat, log, mixed};

/// The name of the log in which all formats mix.
const MIXED: &str = "mixed";

struct Wanted {
    /// None for all of them mixed.
    format: Option<LogFormat>,
    bytes: usize,
    seed: u64,
    plan: Option<String>,
}

fn main() -> ExitCode {
    let arguments = std::env::args().skip(1).collect();
    let mut err = std::io::stderr();
    let Some(wanted) = read(arguments) else {
        let names = FORMATS.map(LogFormat::name).join("|");
        let _ = writeln!(
            err,
            "usage: generate {names}|{MIXED} MEGABYTES [SEED] [--plan FILE]"
        );
        return ExitCode::from(2);
    };
    let (text, plan) = make(&wanted);
    let plan = serde_json::json!(plan).to_string();
    let _ = writeln!(err, "{plan}");
    let written = match wanted.plan {
        Some(file) => std::fs::write(file, plan + "\n"),
        None => Ok(()),
    };
    match written.and_then(|()| std::io::stdout().write_all(text.as_bytes())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(err, "{error}");
            ExitCode::FAILURE
        }
    }
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
