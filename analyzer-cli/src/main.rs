//! `kwhy`: names the root cause in pasted kubectl output, logs and events.

use std::process::ExitCode;

/// The parsers make many small values, for which the allocators of most systems take a fifth of the time, and musl's
/// far more.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(kwhy_cli::main(std::env::args_os()))
}
