//! One analysis, on a thread that may block.

use std::io;

use axum::body::Bytes;
use kwhy_bundle::{Limits, Options, PieceReader, read};
use kwhy_core::{Analyzer, Cancel};
use kwhy_render::{Html, Json, Render, View};
use tokio::sync::mpsc::Receiver;

use crate::answer::Form;
use crate::settings::Settings;

/// An analysis to run.
pub struct Job {
    /// The name of the upload in the report.
    pub name: String,
    /// The pieces of the body; an error if it ended early.
    pub pieces: Receiver<io::Result<Bytes>>,
    /// Cancels the analysis.
    pub cancel: Cancel,
    /// The format of the report.
    pub form: Form,
}

/// Analyses a body, and returns the report.
pub fn run(analyzer: &Analyzer, settings: &Settings, mut job: Job) -> Vec<u8> {
    let mut limits = Limits::default();
    limits.total_size = settings.max_unpacked;
    limits.member_size = settings.max_unpacked;
    limits.time = settings.time.as_secs();
    let options = Options::default().with_limits(limits);
    let mut incident = analyzer.incident().with_cancel(&job.cancel);
    let pieces = std::iter::from_fn(|| job.pieces.blocking_recv());
    let inputs = read(&job.name, PieceReader::new(pieces), &options, &mut incident);
    let mut report = incident.finish();
    inputs.add_to(&mut report);
    let view = View {
        report: &report,
        left_out: 0,
    };
    let mut out = Vec::new();
    // writing to memory cannot fail
    let _ = match job.form {
        Form::Json => Json { pretty: false }.render(&view, &mut out),
        Form::Html => Html.render(&view, &mut out),
    };
    out
}
