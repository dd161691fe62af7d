//! One analysis: files in, a report out.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::time::Duration;

use kwhy_bundle::{Clock, Limits, Members, Options, bundle};
use kwhy_core::{Analyzer, Catalogue, Report};
use kwhy_render::{Html, Json, Markdown, Render, View};

use crate::request::Request;

/// The page, which keeps the files.
pub trait Host: Copy + Send {
    /// Reads bytes of a file of the request, starting at an offset, and returns their number; 0 at the end of the
    /// file.
    fn read(self, file: usize, offset: u64, into: &mut [u8]) -> io::Result<usize>;

    /// Returns the clock by which the time limit is measured.
    fn clock(self) -> fn() -> Duration;
}

/// A report and its renderings.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// The report as one page of HTML.
    pub html: Vec<u8>,
    /// The report as JSON.
    pub json: Vec<u8>,
    /// The report as Markdown.
    pub markdown: Vec<u8>,
}

/// Analyses the files of a request as one incident.
///
/// # Errors
/// The first error in the signatures of the request, with file, line and column.
pub fn analyze(request: &Request, host: impl Host) -> Result<Outcome, String> {
    let mut catalogue = Catalogue::builtin();
    for file in &request.signatures {
        let added = catalogue.add_str(&file.name, &file.text);
        added.map_err(|error| error.to_string())?;
    }
    let mut limits = Limits::default();
    limits.time = request.seconds.unwrap_or(limits.time);
    let options = Options::default()
        .with_limits(limits)
        .with_clock(Clock::new(host.clock()));
    let mut incident = Analyzer::with_catalogue(catalogue).incident();
    let mut members = Members::new(&options, &mut incident);
    let known = known_folders(request);
    for (number, file) in request.files.iter().enumerate() {
        let reader = HostFile {
            host,
            number,
            offset: 0,
        };
        match &file.path {
            Some(path) if known.contains(file.name.as_str()) => {
                members.member(&file.name, &format!("{}/{path}", file.name), reader);
            }
            Some(path) => members.source(&format!("{}/{path}", file.name), reader),
            None => members.source(&file.name, reader),
        }
    }
    let inputs = members.finish();
    let mut report = incident.finish();
    inputs.add_to(&mut report);
    let view = View {
        report: &report,
        left_out: 0,
    };
    Ok(Outcome {
        html: rendered(&Html, &view),
        json: rendered(&Json { pretty: false }, &view),
        markdown: rendered(&Markdown, &view),
        report,
    })
}

/// Returns the folders that are bundles of a known tool. In any other folder, the names of files have no meaning.
fn known_folders(request: &Request) -> BTreeSet<&str> {
    let mut folders: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in &request.files {
        if let Some(path) = &file.path {
            let paths = folders.entry(&file.name).or_default();
            paths.push(format!("{}/{path}", file.name));
        }
    }
    folders.retain(|_, paths| bundle::is_known(paths.drain(..)));
    folders.into_keys().collect()
}

fn rendered(form: &dyn Render, view: &View<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    // writing to memory cannot fail
    let _ = form.render(view, &mut out);
    out
}

/// A file that is read through the page.
struct HostFile<H> {
    host: H,
    number: usize,
    offset: u64,
}

impl<H: Host> Read for HostFile<H> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.host.read(self.number, self.offset, into)?;
        // the number comes from the page, so it is not trusted
        let read = read.min(into.len());
        self.offset += read as u64;
        Ok(read)
    }
}
