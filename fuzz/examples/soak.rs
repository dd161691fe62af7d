//! Runs mixed inputs through the library in one process for some minutes and watches its memory. Every ten seconds it
//! prints a line with the seconds elapsed, runs, bytes read, and resident KiB (Linux only).
//! `cargo run --release --no-default-features --example soak -- MINUTES FOLDER...`
#![forbid(unsafe_code)]

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kwhy_bundle::{Options, read, testing};
use kwhy_core::Analyzer;

/// A pseudo-random number generator (xorshift) that yields the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (end.max(1) as u64)).unwrap_or(0)
    }
}

fn files(folder: &Path, all: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => files(&path, all)?,
            false => all.push(path),
        }
    }
    all.sort();
    Ok(())
}

fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let minutes: u64 = arguments.next().ok_or("soak MINUTES FOLDER...")?.parse()?;
    let mut paths = Vec::new();
    for folder in arguments {
        files(Path::new(&folder), &mut paths)?;
    }
    let contents: Vec<Vec<u8>> = paths.iter().map(fs::read).collect::<Result<_, _>>()?;
    let analyzer = Analyzer::new().with_timeline();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (start, mut reported) = (Instant::now(), Duration::ZERO);
    let (mut runs, mut bytes) = (0_u64, 0_u64);
    let mut out = std::io::stdout().lock();
    while start.elapsed() < Duration::from_secs(60 * minutes) {
        let chosen: Vec<usize> = (0..=numbers.below(20))
            .map(|_| numbers.below(contents.len()))
            .collect();
        let mut input = match numbers.below(4) {
            0 => contents[chosen[0]].clone(),
            1 => chosen
                .iter()
                .flat_map(|it| &contents[*it])
                .copied()
                .collect(),
            kind => {
                let names: Vec<String> = chosen
                    .iter()
                    .map(|it| format!("run-{runs}/{it}.log"))
                    .collect();
                let members: Vec<(&str, &[u8])> = names
                    .iter()
                    .zip(&chosen)
                    .map(|(name, it)| (name.as_str(), contents[*it].as_slice()))
                    .collect();
                if kind == 2 {
                    testing::tar_of(&members)
                } else {
                    testing::zip_of(&members, true)
                }
            }
        };
        // one in three inputs is damaged
        if numbers.below(3) == 0 && !input.is_empty() {
            for _ in 0..=numbers.below(20) {
                let at = numbers.below(input.len());
                input[at] = numbers.0 as u8;
            }
        }
        bytes += input.len() as u64;
        let mut incident = analyzer.incident();
        let inputs = read(
            &format!("input-{runs}"),
            input.as_slice(),
            &Options::default(),
            &mut incident,
        );
        let mut report = incident.finish();
        inputs.add_to(&mut report);
        kwhy_fuzz::drawn(&report);
        runs += 1;
        let now = start.elapsed();
        if now.saturating_sub(reported) >= Duration::from_secs(10) || runs == 1 {
            reported = now;
            writeln!(out, "{} {runs} {bytes} {}", now.as_secs(), resident())?;
            out.flush()?;
        }
    }
    Ok(())
}
