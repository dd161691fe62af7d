//! `kwhy`: names the root cause in pasted kubectl output, logs and events.
//!
//! All that touches the world is in this crate; the analysis is `analyzer-core`'s. A command line
//! goes through `args` (what was typed) and `plan` (what it means) to `run`, which reads the sources, has them analysed
//! (`diagnose`) and hands the report to a renderer. `extract` prints events, objects and records in other forms, `scan` reads
//! many bundles; `signatures` contains the sub-commands on signatures and causes, `catalogue` loads them.
//!
//! The library part runs the program inside of another one ([`main`]) and gives that the same work without an output
//! ([`session`]): the Python package in `python/` is made of it. It is no interface for other programs; those use `kwhy-core`
//! and `kwhy-bundle`.
//!
//! Exit status: 0 it ran; 1 it ran and found something at or above `--fail-on`; 2 wrong usage, or a given path or all of
//! the input could not be read; 130 interrupted. A closed standard output is not a failure.

mod args;
mod catalogue;
mod commands;
mod config;
mod diagnose;
mod diagnostics;
mod extract;
mod failure;
mod kept;
#[cfg(test)]
mod order_tests;
mod plan;
mod progress;
mod redact;
mod run;
mod scan;
mod schema;
pub mod session;
mod signatures;
mod stdin;
mod suggest;
mod word;

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use clap::FromArgMatches;
use clap::error::ErrorKind;

use args::{Args, When};
use config::Config;
use kwhy_render::Layout;
use plan::{Environment, plan};
use run::{Status, run, show};

/// Runs the program with these arguments, the first of which is its name, and returns its exit status. Ends the process
/// itself where the arguments are wrong or ask for help.
pub fn main(typed: impl IntoIterator<Item = OsString>) -> u8 {
    let typed: Vec<OsString> = typed.into_iter().collect();
    let program = program(typed.first().map(Path::new));
    let mut command = Args::command_of(program);
    let matches = command
        .try_get_matches_from_mut(typed)
        .unwrap_or_else(|error| error.exit());
    let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let config = Config::load(!args.no_config, |name| std::env::var_os(name));
    let config = match config {
        Ok(config) => config,
        Err(failure) => {
            let layout = Layout {
                width: 80,
                color: matches!(args.color, Some(When::Always)),
            };
            let _ = io::stderr().write_all(show(&failure, &layout).as_bytes());
            return Status::Failed as u8;
        }
    };
    let plan = match plan(args, &world(program, config)) {
        Ok(plan) => plan,
        Err(why) => command.error(ErrorKind::ArgumentConflict, why).exit(),
    };
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
    status as u8
}

/// The name by which the program is called, as it is typed: kubectl runs `kubectl-kwhy` for `kubectl kwhy`.
fn program(called: Option<&Path>) -> &'static str {
    match called.and_then(Path::file_stem) {
        Some(name) if name == "kubectl-kwhy" => "kubectl kwhy",
        _ => "kwhy",
    }
}

/// The environment that the program was started in.
fn world(program: &'static str, config: Config) -> Environment {
    let stdout = io::stdout();
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    Environment {
        program,
        config,
        stdin_is_terminal: io::stdin().is_terminal(),
        stdout_is_terminal: stdout.is_terminal(),
        stderr_is_terminal: io::stderr().is_terminal(),
        columns: terminal_size::terminal_size_of(&stdout).map(|(width, _)| usize::from(width.0)),
        no_color: set("NO_COLOR").is_some() || set("TERM").is_some_and(|term| term == "dumb"),
    }
}
