//! `kwhy`: names the root cause in pasted kubectl output, logs and events.
//!
//! All that touches the world is in this crate; the analysis is `analyzer-core`'s. A command line
//! goes through [`args`] (what was typed) and [`plan`](mod@plan) (what it means) to
//! [`run`](mod@run), which reads the sources (`input`), opens archives among them (`archive`), shows what the
//! members of bundles are (`bundle`), analyses them, omits what was not
//! asked for (`filter`) and hands the report to a renderer (`render`). [`extract`](mod@extract) prints
//! events, objects and records in other forms; [`signatures`] contains the
//! sub-commands on signatures and causes, [`catalogue`] loads them.
//!
//! Exit status: 0 it ran; 1 it ran and found something at or above `--fail-on`; 2 wrong usage, or
//! nothing could be read. A closed standard output is not a failure.

mod args;
mod catalogue;
mod commands;
mod diagnostics;
mod extract;
#[cfg(test)]
mod order_tests;
mod plan;
mod progress;
mod run;
mod scan;
mod signatures;
mod word;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;

use args::Args;
use plan::{Environment, plan};
use run::{Status, run, show};

fn main() -> ExitCode {
    let args = Args::parse();
    let plan = plan(args, &world());
    let stdin = io::stdin();
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout());
    // unlocked, as the progress is drawn by a thread of its own
    let mut err = io::stderr();
    let status = match run(&plan, stdin, &mut out, &mut err) {
        Ok(status) => status,
        Err(failure) if failure.is_broken_pipe() => Status::Ran,
        Err(failure) => {
            // where standard error is gone too, the status still shows
            let _ = err.write_all(show(&failure, &plan.layout).as_bytes());
            Status::Failed
        }
    };
    ExitCode::from(status as u8)
}

/// The environment that the program was started in.
fn world() -> Environment {
    let stdout = io::stdout();
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    Environment {
        stdin_is_terminal: io::stdin().is_terminal(),
        stdout_is_terminal: stdout.is_terminal(),
        stderr_is_terminal: io::stderr().is_terminal(),
        columns: terminal_size::terminal_size_of(&stdout).map(|(width, _)| usize::from(width.0)),
        no_color: set("NO_COLOR").is_some() || set("TERM").is_some_and(|term| term == "dumb"),
    }
}
