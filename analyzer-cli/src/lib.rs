//! `kwhy`: names the root cause in pasted kubectl output, logs and events.
//!
//! All interaction with the outside world is in this crate; the analysis is in `analyzer-core`. A command line goes
//! through `args` (what was typed) and `plan` (what it means) to `run`, which reads the sources, has them analysed
//! (`diagnose`) and hands the report to a renderer. `extract` prints events, objects and records in other formats, and
//! `scan` reads many bundles; `signatures` contains the sub-commands about signatures and causes, and `catalogue`
//! loads them.
//!
//! The library exists for the Python package in `python/`: it runs the program inside another one ([`main`]), or does
//! the same work and returns the results ([`session`]). Other programs should use `kwhy-core` and `kwhy-bundle`.
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
mod notes;
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
mod whole;
mod word;

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use clap::FromArgMatches;
use clap::builder::StyledStr;
use clap::error::ErrorKind;
use kwhy_core::events::masked;
use unicode_width::UnicodeWidthStr;

use args::{Args, When};
use config::Config;
use kwhy_render::Layout;
use kwhy_render::style::Style;
use plan::{Environment, LEAST_COLUMNS, UNKNOWN_COLUMNS, plan};
use run::{Status, run, show};

/// Runs the program with these arguments, the first of which is its name, and returns its exit status.
pub fn main(typed: impl IntoIterator<Item = OsString>) -> u8 {
    let typed: Vec<OsString> = typed.into_iter().collect();
    let program = program(typed.first().map(Path::new));
    let mut command = Args::command_of(program);
    let matches = command.try_get_matches_from_mut(typed);
    let args = match matches.and_then(|matches| Args::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(error) => return refuse(&error),
    };
    let config = Config::load(!args.no_config, |name| std::env::var_os(name));
    let config = match config {
        Ok(config) => config,
        Err(failure) => {
            let layout = Layout {
                width: columns_of_errors().unwrap_or(UNKNOWN_COLUMNS),
                color: matches!(args.color, Some(When::Always)),
            };
            let _ = io::stderr().write_all(show(&failure, &layout).as_bytes());
            return Status::Failed as u8;
        }
    };
    let plan = match plan(args, &world(program, config)) {
        Ok(plan) => plan,
        Err(why) => return refuse(&command.error(ErrorKind::ArgumentConflict, why)),
    };
    let stdin = io::stdin();
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout());
    // not locked, as another thread draws the progress
    let mut err = io::stderr();
    let status = match run(&plan, stdin, &mut out, &mut err) {
        Ok(status) => status,
        Err(failure) if failure.is_broken_pipe() => Status::Ran,
        Err(failure) => {
            // if standard error is closed too, the status still shows the failure
            let width = plan.err_columns.unwrap_or(plan.layout.width);
            let layout = Layout {
                width,
                ..plan.layout
            };
            let _ = err.write_all(show(&failure, &layout).as_bytes());
            Status::Failed
        }
    };
    status as u8
}

/// Prints what is wrong with the arguments, or the help that they ask for.
fn refuse(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        // help is wrapped by clap; a closed standard output is not a failure
        let _ = error.print();
        return Status::Ran as u8;
    }
    let text = error.render();
    let mut err = io::stderr();
    let columns = columns_of_errors();
    let (plain, colored) = without_secrets(&text);
    for (line, colored) in plain.lines().zip(colored.lines()) {
        let indent = line.len() - line.trim_start().len();
        let _ = match columns {
            Some(columns) if line.width() <= columns && !no_color() => writeln!(err, "{colored}"),
            _ => {
                let text = line.trim_start();
                write!(err, "{:indent$}", "")
                    .and_then(|()| notes::fitted(&mut err, columns, Style::Plain, text, indent))
            }
        };
    }
    Status::Failed as u8
}

/// Returns the text of an error without secrets, plain and with colours.
fn without_secrets(text: &StyledStr) -> (String, String) {
    let typed = text.to_string();
    let plain = masked(&typed).into_owned();
    // escapes of colours would separate a secret from the name that reveals it
    let colored = match plain == typed {
        true => text.ansi().to_string(),
        false => plain.clone(),
    };
    (plain, colored)
}

/// Returns the columns of the terminal on standard error; `None` if it is not a terminal.
fn columns_of_errors() -> Option<usize> {
    let err = io::stderr();
    let size = terminal_size::terminal_size_of(&err);
    let columns = size.map(|(width, _)| usize::from(width.0).max(LEAST_COLUMNS));
    err.is_terminal()
        .then(|| columns.unwrap_or(UNKNOWN_COLUMNS))
}

/// Returns true if `NO_COLOR` is set, or the terminal is a dumb one.
fn no_color() -> bool {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    set("NO_COLOR").is_some() || set("TERM").is_some_and(|term| term == "dumb")
}

/// Returns the name of the program as it is typed: kubectl runs `kubectl-kwhy` for `kubectl kwhy`.
fn program(called: Option<&Path>) -> &'static str {
    match called.and_then(Path::file_stem) {
        Some(name) if name == "kubectl-kwhy" => "kubectl kwhy",
        _ => "kwhy",
    }
}

/// Returns the environment that the program was started in.
fn world(program: &'static str, config: Config) -> Environment {
    let stdout = io::stdout();
    Environment {
        program,
        config,
        stdin_is_terminal: io::stdin().is_terminal(),
        stdout_is_terminal: stdout.is_terminal(),
        stderr_is_terminal: io::stderr().is_terminal(),
        columns: terminal_size::terminal_size_of(&stdout).map(|(width, _)| usize::from(width.0)),
        err_columns: columns_of_errors(),
        no_color: no_color(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: &str) -> (String, String) {
        let mut command = Args::command_of("kwhy");
        let typed = ["kwhy", "--limit", value, "pod.txt"];
        let error = command.try_get_matches_from_mut(typed).unwrap_err();
        without_secrets(&error.render())
    }

    #[test]
    fn errors_with_colours_show_no_secrets() {
        for secret in [
            "AKIAIOSFODNN7EXBREAD",
            "ghp_7Kq2Xv9Bz4Lw8Jm3Tn6Rp1Yd5Gs0Hc2Fk7Wb",
        ] {
            let (plain, colored) = shown(secret);
            assert!(plain.contains("***"), "{plain}");
            assert!(
                !plain.contains(secret) && !colored.contains(secret),
                "{colored}"
            );
        }
        let (plain, colored) = shown("bread");
        assert!(
            plain.contains("'bread'") && colored.contains("\x1b["),
            "{colored}"
        );
    }
}
