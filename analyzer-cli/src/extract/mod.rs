//! The commands that convert: typed events, objects and log records of any input, without a
//! diagnosis.

mod event;
mod filter;
mod object;
mod record;
mod table;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use analyzer_core::{Extract, extract};

use crate::input::{self, InputError};
use crate::plan::{Page, Source};
use crate::run::{Failure, Status};

pub use filter::{EventFilter, Moment};

/// What to convert to.
#[derive(Debug, PartialEq)]
pub struct Convert {
    /// What to read, in order.
    pub sources: Vec<Source>,
    /// What is printed of it.
    pub what: What,
    /// Threads; `None` for as many as there are processors.
    pub threads: Option<usize>,
}

/// What is printed.
#[derive(Debug, PartialEq)]
pub enum What {
    /// Events that pass the filter, as a table or as NDJSON.
    Events {
        /// Which ones.
        filter: EventFilter,
        /// Whether as a table.
        table: bool,
    },
    /// Objects, as one JSON object or as NDJSON.
    Objects {
        /// Whether one a line.
        lines: bool,
    },
    /// Log records as NDJSON.
    Records,
}

/// Converts all sources. Inputs that cannot be read are given back.
pub fn run(
    convert: &Convert,
    page: &Page,
    stdin: impl Read + Send,
    out: &mut (dyn Write + Send),
) -> Result<(Status, Vec<InputError>), Failure> {
    let mut output = Output {
        out,
        failed: None,
        objects: object::Collected::default(),
    };
    let mut failures = Vec::new();
    let mut read = 0;
    let mut stdin = Some(stdin);
    if let What::Events { table: true, .. } = convert.what {
        output.write(table::header(page).as_bytes());
    }
    for source in &convert.sources {
        let done = match source {
            Source::Stdin => match stdin.take() {
                Some(stdin) => one(convert, page, "stdin", stdin, &mut output)
                    .map_err(|error| (Path::new("stdin").to_owned(), error)),
                None => continue,
            },
            Source::Path(path) => {
                let files = if path.is_dir() {
                    let (files, failed) = input::files_below(path);
                    failures.extend(failed);
                    files
                } else {
                    vec![path.clone()]
                };
                for path in files {
                    let name = path.display().to_string();
                    let done = File::open(&path)
                        .and_then(|file| one(convert, page, &name, file, &mut output));
                    match done {
                        Ok(()) => read += 1,
                        Err(source) => failures.push(InputError { path, source }),
                    }
                }
                continue;
            }
        };
        match done {
            Ok(()) => read += 1,
            Err((path, source)) => failures.push(InputError { path, source }),
        }
    }
    if let What::Objects { lines: false } = convert.what {
        let text = std::mem::take(&mut output.objects).finish();
        output.write(&text);
    }
    if let Some(error) = output.failed.take() {
        return Err(Failure::Output(error));
    }
    output.out.flush()?;
    let status = if read == 0 {
        Status::Failed
    } else {
        Status::Ran
    };
    Ok((status, failures))
}

/// Where the text goes, in the order of the input.
struct Output<'o> {
    out: &'o mut (dyn Write + Send),
    failed: Option<io::Error>,
    objects: object::Collected,
}

impl Output<'_> {
    fn write(&mut self, text: &[u8]) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(text).err();
        }
    }
}

/// Converts one document.
fn one(
    convert: &Convert,
    page: &Page,
    name: &str,
    reader: impl Read + Send,
    output: &mut Output<'_>,
) -> io::Result<()> {
    match &convert.what {
        What::Objects { lines } => {
            let map = |part: &Extract<'_>| object::of(part);
            extract(name, reader, map, |more| {
                if *lines {
                    let text = more.lines();
                    output.write(&text);
                } else {
                    output.objects.append(more);
                }
            })?;
        }
        What::Events { filter, table } => {
            let map = |part: &Extract<'_>| {
                let events = part.parsed.events.iter();
                let wanted = events.filter(|event| filter.passes(event));
                if *table {
                    table::rows(page, wanted)
                } else {
                    event::lines(part, wanted)
                }
            };
            extract(name, reader, map, |text| output.write(&text))?;
        }
        What::Records => {
            extract(name, reader, record::lines, |text| output.write(&text))?;
        }
    }
    Ok(())
}
