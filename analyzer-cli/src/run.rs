//! Runs a plan.

use kwhy_render::Layout;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use kwhy_core::Report;
use kwhy_core::events::masked;
use kwhy_core::report::Limit;

use crate::commands;
use crate::diagnose::{self, analyzer, names, narrow, on_threads, read, renderer, select_findings};
use crate::diagnostics;
use crate::extract;
use crate::failure::Failure;
use crate::notes::{self, Notes};
use crate::plan::{CataloguePlan, Diagnose, Form, Plan, RedactPlan, ScanPlan, Task};
use crate::progress::{self, Progress};
use crate::redact;
use crate::scan;
use crate::schema;
use crate::signatures;
use crate::stdin::Stdin;
use crate::suggest;
use kwhy_bundle::sources::{self, InputError, InputSet};
use kwhy_bundle::{DocumentSink, Source};
use kwhy_render::counted;
use kwhy_render::escape::visible;
use kwhy_render::style::Style;
use kwhy_render::{Detail, View};

/// The exit status of a run. Scripts depend on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The program ran.
    Ran = 0,
    /// The program ran and found something at or above the level of `--fail-on`.
    Found = 1,
    /// Wrong usage, or nothing could be read.
    Failed = 2,
    /// The program was interrupted; the report covers what had been read.
    Interrupted = 130,
}

/// Runs a plan. Results are written to `out`, errors and warnings to `err`.
pub fn run(
    plan: &Plan,
    stdin: impl Read + Send,
    out: &mut (dyn Write + Send),
    err: &mut dyn Write,
) -> Result<Status, Failure> {
    let layout = &plan.layout;
    let mut stdin = Stdin::new(stdin);
    let notes = &mut Notes::new(err, plan.err_columns);
    if !plan.quiet {
        for note in &plan.notes {
            notes.note(note)?;
        }
        if plan.is_typed {
            notes.note(&format!(
                "paste or type the text, then end it with {END_OF_INPUT} on a line of its own"
            ))?;
        }
    }
    match &plan.task {
        Task::Hint => {
            notes.text(&hint(plan.program))?;
            Ok(Status::Failed)
        }
        Task::Diagnose(diagnose) => {
            refuse_empty(&diagnose.sources, &mut stdin)?;
            let analyzer = analyzer(plan, diagnose, notes)?;
            let reading = diagnose.bundle.inputs(&diagnose.sources);
            if plan.interruptible {
                progress::on_interrupt(&reading.shared.stop);
            }
            let keep = diagnose.form == Form::Html;
            let privacy = (&diagnose.privacy, &plan.catalogue);
            let named = || names(privacy, &reading, &mut stdin);
            let (mut identities, kept) = on_threads(diagnose.threads, named)?;
            let (inputs, mut report, is_there) = on_threads(diagnose.threads, || {
                let size = sources::size(&diagnose.sources);
                let _shown = Progress::start(&reading.shared, size, plan.progress);
                match &kept {
                    Some(kept) => read(&analyzer, &reading, keep, diagnose::sources(&kept[..])),
                    None => read(&analyzer, &reading, keep, diagnose::sources(stdin)),
                }
            });
            warn(plan, &inputs.failures, notes)?;
            if inputs.read == 0 {
                return Err(Failure::NothingRead);
            }
            inputs.add_to(&mut report);
            narrow(diagnose, &mut report, is_there);
            if let Some(identities) = &mut identities {
                report.redact(identities);
                if !plan.quiet {
                    notes.note(&redact::summary(identities))?;
                }
            }
            let status = diagnosed(diagnose, layout, report, out)?;
            Ok(match reading.shared.is_stopped() {
                true => Status::Interrupted,
                false if is_given(&diagnose.sources, &inputs.failures) => Status::Failed,
                false => status,
            })
        }
        Task::ListMembers(list) => {
            refuse_empty(&list.sources, &mut stdin)?;
            let reading = list.bundle.inputs(&list.sources);
            let how = (list.json, plan.columns);
            let inputs = commands::bundle_ls::list(&reading, stdin, how, out)?;
            out.flush()?;
            warn(plan, &inputs.failures, notes)?;
            match inputs.read {
                0 => Err(Failure::NothingRead),
                _ if is_given(&list.sources, &inputs.failures) => Ok(Status::Failed),
                _ => Ok(Status::Ran),
            }
        }
        Task::Scan(scan) => scan_all(plan, scan, (out, notes)),
        Task::Convert(convert) => {
            refuse_empty(&convert.sources, &mut stdin)?;
            let reading = convert.bundle.inputs(&convert.sources);
            let privacy = (&convert.privacy, &plan.catalogue);
            let named = || names(privacy, &reading, &mut stdin);
            let (identities, kept) = on_threads(convert.threads, named)?;
            let identities = identities.map(Mutex::new);
            // tokens are numbered in the order of the input, which one thread keeps
            let threads = match identities {
                Some(_) => Some(1),
                None => convert.threads,
            };
            let page = (layout, plan.columns);
            let names = identities.as_ref();
            let (inputs, mut summaries) = on_threads(threads, || match &kept {
                Some(kept) => {
                    let feed = diagnose::sources(&kept[..]);
                    extract::run(convert, page, &reading, feed, names, out)
                }
                None => {
                    let feed = diagnose::sources(stdin);
                    extract::run(convert, page, &reading, feed, None, out)
                }
            })?;
            if let Some(identities) = identities {
                let identities = identities.into_inner();
                let identities = identities.unwrap_or_else(PoisonError::into_inner);
                summaries.push(redact::summary(&identities));
            }
            warn(plan, &inputs.failures, notes)?;
            let limits = inputs.limits.iter();
            let limits = limits.filter(|limit| limit.limit != Limit::Binary);
            let limits = limits.map(|limit| format!("{}: {}", limit.source, limit.message));
            for note in limits.chain(summaries).filter(|_| !plan.quiet) {
                notes.note(&note)?;
            }
            match inputs.read {
                0 => Err(Failure::NothingRead),
                _ if is_given(&convert.sources, &inputs.failures) => Ok(Status::Failed),
                _ => Ok(Status::Ran),
            }
        }
        Task::Redact(plan_of) => {
            let reading = plan_of.bundle.inputs(&[Source::Path(plan_of.from.clone())]);
            progress::on_interrupt(&reading.shared.stop);
            let Some(summary) = redact_copy(plan_of, &reading, &plan.catalogue, notes)? else {
                return Ok(Status::Interrupted);
            };
            notes::fitted(out, plan.columns, Style::Plain, &summary, 0)?;
            out.flush()?;
            Ok(Status::Ran)
        }
        Task::Demo { name, input } => {
            commands::demo::demo(*name, *input, (layout, plan.program), out)?;
            out.flush()?;
            Ok(Status::Ran)
        }
        Task::NewSignature(new) => {
            if new.path.is_none() {
                refuse_empty(&[Source::Stdin], &mut stdin)?;
            }
            signatures::new(new, &plan.catalogue, stdin, (out, notes))
        }
        Task::Schema(name) => {
            schema::write(*name, (layout, plan.columns), out)?;
            out.flush()?;
            Ok(Status::Ran)
        }
        Task::Completions(shell) => {
            commands::shell::completions(*shell, plan.program, out)?;
            out.flush()?;
            Ok(Status::Ran)
        }
        Task::ManualPage(words) => {
            commands::shell::page(words, plan.program, out)?;
            out.flush()?;
            Ok(Status::Ran)
        }
        Task::ManualPages(folder) => {
            commands::shell::pages(folder, plan.program)?;
            Ok(Status::Ran)
        }
        task => signatures::run(task, &plan.catalogue, (layout, plan.columns), out),
    }
}

/// Writes a redacted copy, and notes what is not in it. Returns a summary, or `None` if reading was interrupted.
fn redact_copy(
    plan: &RedactPlan,
    reading: &InputSet,
    signatures: &CataloguePlan,
    notes: &mut Notes<'_>,
) -> Result<Option<String>, Failure> {
    let identities = redact::identities(&plan.redaction, signatures)?.shaped();
    let (copied, identities) = on_threads(plan.threads, || {
        let feed = |reading: &InputSet, sink: &mut dyn DocumentSink| {
            sources::read(reading, io::empty(), sink)
        };
        let mut identities = redact::names(identities, reading, feed);
        let copied = commands::redact::copy(&plan.from, &plan.to, reading, &mut identities);
        copied.map(|copied| (copied, identities))
    })?;
    let Some(copied) = copied else {
        return Ok(None);
    };
    for omitted in &copied.omitted {
        notes.note(&format!("{omitted}: not text, so it is not in the copy"))?;
    }
    if copied.files == 0 {
        return Err(Failure::NothingRead);
    }
    let files = counted(copied.files, "file");
    let to = plan.to.display().to_string();
    let summary = redact::summary(&identities);
    Ok(Some(format!("{files} in {}; {summary}", visible(&to))))
}

/// The keys that end typed input.
const END_OF_INPUT: &str = if cfg!(windows) {
    "Ctrl-Z and Enter"
} else {
    "Ctrl-D"
};

/// Returns an error if standard input is the only source and is empty.
fn refuse_empty(sources: &[Source], stdin: &mut Stdin<impl Read>) -> Result<(), Failure> {
    if sources == [Source::Stdin] && stdin.is_empty() {
        return Err(Failure::EmptyInput);
    }
    Ok(())
}

/// Returns true if a source that was given could not be read.
fn is_given(sources: &[Source], failures: &[InputError]) -> bool {
    failures.iter().any(|failure| {
        sources.iter().any(|source| match source {
            Source::Stdin => failure.path() == Path::new("stdin"),
            Source::Path(path) => failure.path() == path,
        })
    })
}

/// Diagnoses each bundle separately.
fn scan_all(
    plan: &Plan,
    scanned: &ScanPlan,
    (out, notes): (&mut (dyn Write + Send), &mut Notes<'_>),
) -> Result<Status, Failure> {
    let diagnose = &scanned.diagnose;
    let by_finding = diagnose.form == Form::Ndjson;
    // a file that cannot be continued is reported before anything is read
    let (mut results, known) = scan::Results::open(scanned.resume.as_deref(), by_finding, out)?;
    let analyzer = analyzer(plan, diagnose, notes)?;
    let identities = redact::wanted(&diagnose.privacy, &plan.catalogue)?;
    let (bundles, failures) = scan::bundles(&scanned.paths);
    let is_missing = AtomicBool::new(!failures.is_empty());
    let reading = diagnose.bundle.inputs(&[]);
    progress::on_interrupt(&reading.shared.stop);
    let found = AtomicBool::new(false);
    let one = |reading: &InputSet, threads: usize| {
        let (identities, (inputs, mut report, is_there)) = on_threads(Some(threads), || {
            let feed = |reading: &InputSet, sink: &mut dyn DocumentSink| {
                sources::read(reading, io::empty(), sink)
            };
            let identities = identities.clone();
            let identities = identities.map(|it| redact::names(it, reading, feed));
            let feed = diagnose::sources(io::empty());
            (identities, read(&analyzer, reading, false, feed))
        });
        inputs.add_to(&mut report);
        narrow(diagnose, &mut report, is_there);
        let mut paths = scanned.paths.iter();
        let given = |failure: &InputError| paths.any(|path| path == failure.path());
        if inputs.failures.iter().any(given) {
            is_missing.store(true, Ordering::Relaxed);
        }
        if let Some(mut identities) = identities {
            report.redact(&mut identities);
        }
        let (holds, left_out) = select_findings(diagnose, &mut report);
        if holds {
            found.store(true, Ordering::Relaxed);
        }
        (inputs.failures, inputs.read, (report, left_out))
    };
    let work = scan::Work {
        reading: &reading,
        bundles: &bundles,
        failures: &failures,
        by_finding,
        threads: diagnose.threads.unwrap_or_else(rayon::current_num_threads),
        memory: scanned.memory,
        drawn: plan.progress,
    };
    let (summary, pace) = scan::scan(&work, known, one, &mut results)?;
    if let Some(pace) = pace.filter(|_| !plan.quiet) {
        notes.note(&pace)?;
    }
    let is_missing = is_missing.into_inner();
    Ok(
        match (summary.interrupted, summary.read, found.into_inner()) {
            (true, ..) => Status::Interrupted,
            (_, 0, _) => Status::Failed,
            _ if is_missing => Status::Failed,
            (_, _, true) => Status::Found,
            _ => Status::Ran,
        },
    )
}

fn hint(program: &str) -> String {
    format!(
        "\
kwhy names the root cause in pasted kubectl output, logs and events. Give it something to read:
  kubectl describe pod NAME | {program}
  {program} describe.txt kubelet.log
{program} --help shows all options; {program} - reads what you type or paste, up to {END_OF_INPUT}."
    )
}

/// Notes each input that cannot be read, with advice; the others are analysed.
fn warn(plan: &Plan, failures: &[InputError], notes: &mut Notes<'_>) -> io::Result<()> {
    for failure in failures {
        let meant = Some(failure).filter(|failure| failure.is_not_found());
        let meant = meant.and_then(|failure| suggest::command(failure.path()));
        let advice = match meant {
            Some(command) => format!("did you mean `{} {command}`?", plan.program),
            None => failure.advice().to_owned(),
        };
        notes.note(&format!("{failure}: {}; {advice}", failure.io_error()))?;
    }
    Ok(())
}

fn diagnosed(
    diagnose: &Diagnose,
    layout: &Layout,
    mut report: Report,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let (found, left_out) = select_findings(diagnose, &mut report);
    let detail = match (diagnose.verbose, diagnose.quiet) {
        (true, _) => Detail::All,
        (_, true) => Detail::Titles,
        _ => Detail::Usual,
    };
    let render = renderer(diagnose.form, *layout, detail);
    let view = View {
        report: &report,
        left_out,
    };
    let status = if found { Status::Found } else { Status::Ran };
    match render.render(&view, out).and_then(|()| out.flush()) {
        // a reader that stops early has seen enough
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(status),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(status),
    }
}

/// Returns a failure as text for standard error.
pub fn show(failure: &Failure, layout: &Layout) -> String {
    // a quoted file or argument may contain a secret
    masked(&diagnostics::draw(layout, failure)).into_owned()
}
