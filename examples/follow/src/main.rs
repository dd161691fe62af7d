//! Follows a log and reports whenever its causes change: `follow FILE` is like `tail -F FILE | follow`.
//!
//! Each record is analysed once: an [`Incident`](kwhy_core::Incident) continues with what was appended, and reports on
//! everything so far. Ctrl-C and the end of standard input end the program with a last report.

mod causes;
mod session;
mod source;
mod tail;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use session::Session;
use source::{Message, follow, read_stdin};

const USAGE: &str = "\
usage: follow [--every SECONDS] [FILE]

Reads FILE from its start and follows it, also after it was rotated or truncated; standard input without FILE.
Lines are counted on then: line 1 is the first one that was read.
  --every SECONDS   at most one report in so many seconds (2)
";

/// The maximum number of waiting messages: a reader that is faster than the analysis is held back.
const WAITING: usize = 16;

struct Arguments {
    path: Option<PathBuf>,
    every: Duration,
}

fn arguments() -> Option<Arguments> {
    let mut arguments = Arguments {
        path: None,
        every: Duration::from_secs(2),
    };
    let mut given = std::env::args_os().skip(1);
    while let Some(argument) = given.next() {
        if argument == "--every" {
            let seconds = given.next()?.to_str()?.parse().ok()?;
            arguments.every = Duration::try_from_secs_f64(seconds).ok()?;
        } else if argument.to_string_lossy().starts_with('-') || arguments.path.is_some() {
            return None;
        } else {
            arguments.path = Some(argument.into());
        }
    }
    Some(arguments)
}

fn main() -> ExitCode {
    let Some(Arguments { path, every }) = arguments() else {
        let _ = io::stderr().write_all(USAGE.as_bytes());
        return ExitCode::from(2);
    };
    let (sender, messages) = sync_channel(WAITING);
    let interrupt = sender.clone();
    let installed = ctrlc::set_handler(move || {
        let _ = interrupt.send(Message::End);
    });
    if let Err(error) = installed {
        let _ = writeln!(io::stderr(), "follow: Ctrl-C will not be noticed: {error}");
    }
    let name = match &path {
        Some(path) => path.display().to_string(),
        None => "stdin".to_owned(),
    };
    thread::spawn(move || match path {
        Some(path) => follow(&path, &sender),
        None => read_stdin(&sender),
    });
    let mut session = Session::new(&name, every, io::stdout());
    match session.run(&messages) {
        // the reader has gone, as in `follow FILE | head`
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "follow: {error}");
            ExitCode::FAILURE
        }
        Ok(()) => ExitCode::SUCCESS,
    }
}
