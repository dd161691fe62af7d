//! Writes a generated log to standard output: `generate FORMAT MEGABYTES [SEED]`.

use std::io::Write as _;
use std::process::ExitCode;

use benches::{FORMATS, LogFormat, log};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut err = std::io::stderr();
    let Some((format, megabytes, seed)) = read(&arguments) else {
        let names = FORMATS.map(LogFormat::name).join("|");
        let _ = writeln!(err, "usage: generate {names} MEGABYTES [SEED]");
        return ExitCode::from(2);
    };
    let log = log(format, megabytes * 1_000_000, seed);
    let _ = writeln!(err, "{} records, {} faults", log.records, log.faults);
    match std::io::stdout().write_all(log.text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn read(arguments: &[String]) -> Option<(LogFormat, usize, u64)> {
    let (format, megabytes, seed) = match arguments {
        [format, megabytes] => (format, megabytes, "1"),
        [format, megabytes, seed] => (format, megabytes, seed.as_str()),
        _ => return None,
    };
    Some((
        LogFormat::from_name(format)?,
        megabytes.parse().ok()?,
        seed.parse().ok()?,
    ))
}
