//! `kwhy`: names the root cause in pasted kubectl output, logs and events.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(kwhy_cli::main(std::env::args_os()))
}
