//! `kwhy`: names the root cause in pasted kubectl output, logs and events.

use std::process::ExitCode;

/// Parsers allocate many small values, which takes a fifth of the time with the allocators of most systems, and far
/// more with musl's.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(kwhy_cli::main(std::env::args_os()))
}
