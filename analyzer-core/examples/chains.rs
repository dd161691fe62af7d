//! Splits the errors on standard input, one per line, and writes their links as JSON lines.
#![allow(clippy::print_stdout)]

use std::io::{BufRead, Result, Write};

use kwhy_core::events::{ErrorChain, Text};

fn main() -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let chain = ErrorChain::parse(&Text::borrowed(&line, 0));
        serde_json::to_writer(&mut out, &chain)?;
        writeln!(out)?;
    }
    out.flush()
}
