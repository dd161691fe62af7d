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
//! Exit status: 0 it ran; 1 it ran and found something at or above `--fail-on`; 2 wrong usage, or a given path or all of
//! the input could not be read; 130 interrupted. A closed standard output is not a failure.

mod args;
mod catalogue;
mod commands;
mod config;
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
mod signatures;
mod stdin;
mod suggest;
mod word;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::FromArgMatches;
use clap::error::ErrorKind;

use args::{Args, When};
use config::Config;
use kwhy_render::Layout;
use plan::{Environment, plan};
use run::{Status, run, show};

/// The parsers make many small values, for which the allocators of most systems take a fifth of the time, and musl's
/// far more.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let program = program();
    let mut command = Args::command_of(program);
    let matches = command.get_matches_mut();
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
            return ExitCode::from(Status::Failed as u8);
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
    ExitCode::from(status as u8)
}

/// The name by which the program is called, as it is typed: kubectl runs `kubectl-kwhy` for `kubectl kwhy`.
fn program() -> &'static str {
    let path = std::env::args_os().next().map(std::path::PathBuf::from);
    match path.as_deref().and_then(std::path::Path::file_stem) {
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
