//! Calls of the program: each file in `tests/cmd` is one call with its expected output.
#![allow(clippy::unwrap_used)]

mod bad_input;
mod canaries;
mod guide;
mod manners;
mod redaction;
mod scan;
mod schemas;
mod secrets;

#[test]
fn calls() {
    trycmd::TestCases::new()
        .register_bin("kwhy", std::path::Path::new(env!("CARGO_BIN_EXE_kwhy")))
        .case("tests/cmd/*.toml");
}
