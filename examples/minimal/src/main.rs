//! Prints the root causes of files, folders and bundles, or of standard input: `minimal [PATH]...`.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use kwhy_bundle::{Options, read, read_path};
use kwhy_core::{Analyzer, Role};

fn main() -> Result<(), Box<dyn Error>> {
    let mut incident = Analyzer::new().incident();
    let options = Options::default();
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let mut read_of = Vec::new();
    for path in &paths {
        read_of.push(read_path(Path::new(path), &options, &mut incident));
    }
    if paths.is_empty() {
        read_of.push(read("stdin", io::stdin(), &options, &mut incident));
    }
    let mut report = incident.finish();
    read_of.iter().for_each(|inputs| inputs.add_to(&mut report));

    let mut out = io::stdout().lock();
    for finding in report
        .findings
        .iter()
        .filter(|finding| finding.role == Role::Cause)
    {
        writeln!(out, "{}: {}", finding.cause, finding.title)?;
        for line in &finding.evidence {
            writeln!(out, "  {}:{}: {}", line.source, line.line, line.text)?;
        }
    }
    match read_of
        .into_iter()
        .find_map(|inputs| inputs.failures.into_iter().next())
    {
        Some(failure) => Err(failure.into()),
        None => Ok(()),
    }
}
