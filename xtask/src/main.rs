//! Development tasks of this repository: `cargo xtask COMMAND`.

#[cfg(test)]
mod book;
mod generate;
mod licences;
mod measure;
mod objects;
#[cfg(test)]
#[cfg(unix)]
mod packaging;
mod patterns;
mod picture;
#[cfg(test)]
mod rust_version;
mod web;
mod words;

use std::io::Write as _;
use std::process::ExitCode;

use kwhy_core::Catalogue;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  generate FORMAT MEGABYTES [SEED] [--plan FILE]
      writes a generated log to standard output (klog, logrus, zap-console, json-log or mixed), and how often
      each signature must match to FILE; or tables, objects, describes or logs of a healthy cluster (pods-table,
      events-table, pods-json, pods-json-line, pods-yaml, describes, audit or cri-parts), and the number of
      their items
  licences [--python] [TARGET]
      prints the licences of the libraries that the program contains, or the Python package, with their texts
  literals
      prints the literals that the built-in signatures are prefiltered by, one a line
  measure [--signatures DIR] [--seed N] [--misses FILE] CATALOGUE...
      measures how much of catalogues of messages is diagnosed rightly
  objects json|yaml NUMBER
      writes a dump of a cluster of so many objects; of every 1000 Services one, the first, selects no pod
  patterns LITERALS REGEXES
      writes signatures for benchmarks, one for each line of the two files
  picture [--check]
      writes the picture of a report that the README shows, or says whether it is current
  web
      builds the page that runs kwhy in a browser, target/page/kwhy.html
  words
      refuses words that the field has better terms for, in comments and documents
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let arguments: Vec<String> = arguments.collect();
    let done = match command.as_str() {
        "generate" => generate::main(arguments),
        "licences" => licences::main(&arguments),
        "literals" => literals(),
        "measure" => measure::main(arguments),
        "objects" => objects::main(&arguments),
        "patterns" => patterns::main(&arguments),
        "picture" => picture::main(&arguments),
        "web" => web::main(),
        "words" => words::main(),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "{}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn literals() -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    for literal in kwhy_core::internals::literals(&Catalogue::builtin()) {
        writeln!(out, "{literal}").map_err(|e| e.to_string())?;
    }
    Ok(())
}
