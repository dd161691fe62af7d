//! Does what was planned.

use kwhy_render::Layout;
use std::cell::Cell;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use kwhy_core::events::masked;
use kwhy_core::report::{Identities, Limit};
use kwhy_core::{Analyzer, Incident, Report};

use crate::catalogue;
use crate::commands;
use crate::diagnostics;
use crate::extract;
use crate::failure::Failure;
use crate::kept::Kept;
use crate::notes::{self, Notes};
use crate::plan::{CataloguePlan, Diagnose, Form, Plan, Privacy, RedactPlan, Task};
use crate::progress::{self, Progress};
use crate::redact;
use crate::scan;
use crate::schema;
use crate::signatures;
use crate::stdin::Stdin;
use crate::suggest;
use crate::word::Word;
use kwhy_bundle::sources::{self, InputError, InputSet, Inputs};
use kwhy_bundle::{Document, DocumentSink, Source};
use kwhy_render::counted;
use kwhy_render::escape::visible;
use kwhy_render::select;
use kwhy_render::style::Style;
use kwhy_render::{Detail, Html, Human, Json, Junit, Markdown, Ndjson, Render, Sarif, View};

/// The outcome of a run. The numbers are a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It ran.
    Ran = 0,
    /// It ran and found something at or above the level of `--fail-on`.
    Found = 1,
    /// Wrong usage, or nothing could be read.
    Failed = 2,
    /// It was interrupted; the report covers what had been read.
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
            let (mut identities, kept) =
                names((&diagnose.privacy, &plan.catalogue), &reading, &mut stdin)?;
            let (inputs, mut report, is_there) = on_threads(diagnose.threads, || {
                let size = sources::size(&diagnose.sources);
                let _shown = Progress::start(&reading.shared, size, plan.progress);
                match &kept {
                    Some(kept) => read(&analyzer, &reading, &kept[..], keep),
                    None => read(&analyzer, &reading, stdin, keep),
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
        Task::Scan { paths, diagnose } => scan_all(plan, paths, diagnose, (out, notes)),
        Task::Convert(convert) => {
            refuse_empty(&convert.sources, &mut stdin)?;
            let reading = convert.bundle.inputs(&convert.sources);
            let (identities, kept) =
                names((&convert.privacy, &plan.catalogue), &reading, &mut stdin)?;
            let identities = identities.map(Mutex::new);
            // tokens are numbered in the order of the input
            let threads = match identities {
                Some(_) => Some(1),
                None => convert.threads,
            };
            let page = (layout, plan.columns);
            let (inputs, mut told) = on_threads(threads, || match &kept {
                Some(kept) => extract::run(convert, page, &kept[..], identities.as_ref(), out),
                None => extract::run(convert, page, stdin, None, out),
            })?;
            if let Some(identities) = identities {
                let identities = identities.into_inner();
                let identities = identities.unwrap_or_else(PoisonError::into_inner);
                told.push(redact::summary(&identities));
            }
            warn(plan, &inputs.failures, notes)?;
            let limits = inputs.limits.iter();
            let limits = limits.filter(|limit| limit.limit != Limit::Binary);
            let limits = limits.map(|limit| format!("{}: {}", limit.source, limit.message));
            for note in limits.chain(told).filter(|_| !plan.quiet) {
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
            let Some(told) = redact_copy(plan_of, &reading, &plan.catalogue, notes)? else {
                return Ok(Status::Interrupted);
            };
            notes::fitted(out, plan.columns, Style::Plain, &told, 0)?;
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

/// Writes a redacted copy, and says what was replaced and what is not in it. Nothing if it was interrupted.
fn redact_copy(
    plan: &RedactPlan,
    reading: &InputSet,
    signatures: &CataloguePlan,
    notes: &mut Notes<'_>,
) -> Result<Option<String>, Failure> {
    let identities = redact::identities(&plan.redaction, signatures)?.shaped();
    let limits = plan.bundle.limits.read;
    let (copied, identities) = on_threads(plan.threads, || {
        let mut identities = redact::names(identities, reading, limits, io::empty());
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

/// The keys that end what is typed.
const END_OF_INPUT: &str = if cfg!(windows) {
    "Ctrl-Z and Enter"
} else {
    "Ctrl-D"
};

/// Nothing to read is an error where standard input is all there is.
fn refuse_empty(sources: &[Source], stdin: &mut Stdin<impl Read>) -> Result<(), Failure> {
    if sources == [Source::Stdin] && stdin.is_empty() {
        return Err(Failure::EmptyInput);
    }
    Ok(())
}

/// Returns true if one of the sources as given could not be read.
fn is_given(sources: &[Source], failures: &[InputError]) -> bool {
    failures.iter().any(|failure| {
        sources.iter().any(|source| match source {
            Source::Stdin => failure.path() == Path::new("stdin"),
            Source::Path(path) => failure.path() == path,
        })
    })
}

fn analyzer(plan: &Plan, diagnose: &Diagnose, notes: &mut Notes<'_>) -> Result<Analyzer, Failure> {
    let catalogue = catalogue::load(&plan.catalogue)?;
    if let Some(told) = catalogue::replaced(&catalogue).filter(|_| !plan.quiet) {
        notes.note(&told)?;
    }
    let mut analyzer =
        Analyzer::with_catalogue(catalogue).with_period(diagnose.since, diagnose.until);
    analyzer = analyzer.with_limits(diagnose.bundle.limits.read);
    analyzer = analyzer.with_secrets(diagnose.privacy.secrets);
    if let Some(now) = diagnose.now {
        analyzer = analyzer.with_reference_time(now);
    }
    if diagnose.timeline {
        analyzer = analyzer.with_timeline();
    }
    if diagnose.audit {
        analyzer = analyzer.with_audit();
    }
    Ok(analyzer)
}

/// Diagnoses each bundle separately.
fn scan_all(
    plan: &Plan,
    paths: &[PathBuf],
    diagnose: &Diagnose,
    (out, notes): (&mut dyn Write, &mut Notes<'_>),
) -> Result<Status, Failure> {
    let analyzer = analyzer(plan, diagnose, notes)?;
    let (bundles, failures) = scan::bundles(paths);
    let is_missing = Cell::new(!failures.is_empty());
    let reading = diagnose.bundle.inputs(&[]);
    progress::on_interrupt(&reading.shared.stop);
    let found = Cell::new(false);
    let one = |reading: &InputSet| {
        let privacy = (&diagnose.privacy, &plan.catalogue);
        let of_names = names(privacy, reading, &mut Stdin::new(io::empty()));
        let (inputs, mut report, is_there) = on_threads(diagnose.threads, || {
            let size = sources::size(&reading.sources);
            let _shown = Progress::start(&reading.shared, size, plan.progress);
            read(&analyzer, reading, io::empty(), false)
        });
        inputs.add_to(&mut report);
        narrow(diagnose, &mut report, is_there);
        let given = inputs
            .failures
            .iter()
            .any(|failure| paths.iter().any(|path| path == failure.path()));
        is_missing.set(is_missing.get() || given);
        if let Ok((Some(mut identities), _)) = of_names {
            report.redact(&mut identities);
        }
        let (holds, left_out) = select_findings(diagnose, &mut report);
        found.set(found.get() || holds);
        (inputs.failures, inputs.read, (report, left_out))
    };
    let by_finding = diagnose.form == Form::Ndjson;
    let summary = scan::scan(&reading, &bundles, &failures, by_finding, one, out)?;
    Ok(match (summary.interrupted, summary.read, found.get()) {
        (true, ..) => Status::Interrupted,
        (_, 0, _) => Status::Failed,
        _ if is_missing.get() => Status::Failed,
        (_, _, true) => Status::Found,
        _ => Status::Ran,
    })
}

/// The names in the inputs if they become tokens, and all of standard input if it was read for that.
fn names(
    (privacy, signatures): (&Privacy, &CataloguePlan),
    reading: &InputSet,
    stdin: &mut Stdin<impl Read + Send>,
) -> Result<(Option<Identities>, Option<Vec<u8>>), Failure> {
    let Some(redaction) = &privacy.redact else {
        return Ok((None, None));
    };
    let limits = reading.limits.read;
    let kept = match reading.sources.contains(&Source::Stdin) {
        true => redact::kept(stdin).map_err(Failure::Stdin)?,
        false => Vec::new(),
    };
    let identities = redact::identities(redaction, signatures)?;
    let identities = redact::names(identities, reading, limits, &kept[..]);
    Ok((Some(identities), Some(kept)))
}

/// Omits what is of another namespace.
fn narrow(diagnose: &Diagnose, report: &mut Report, is_there: bool) {
    if let Some(namespace) = &diagnose.bundle.namespace {
        select::keep_namespace(report, namespace, is_there);
    }
}

/// Reads all sources as one incident, and says whether the namespace that is asked for occurs anywhere in them. The lines
/// around the evidence are kept if that is asked for.
fn read(
    analyzer: &Analyzer,
    reading: &InputSet,
    stdin: impl Read + Send,
    keep: bool,
) -> (Inputs, Report, bool) {
    let mut taking = IncidentSink {
        incident: analyzer.incident(),
        namespace: reading.wanted.namespace.as_deref().map(Word::new),
        kept: keep.then(Kept::default),
    };
    let inputs = if rayon::current_num_threads() > 1 {
        sources::read_ahead(reading, stdin, &mut taking)
    } else {
        sources::read(reading, stdin, &mut taking)
    };
    let is_there = taking.namespace.is_some_and(|word| word.is_there);
    let mut incident = taking.incident;
    if let Some(time) = inputs.collected {
        incident.collected_at(time);
    }
    if !inputs.bundles.is_empty() {
        incident.collected_at_newest();
    }
    let mut report = incident.finish();
    if let Some(kept) = taking.kept {
        kept.fill(&mut report);
    }
    (inputs, report, is_there)
}

/// Takes documents into an incident.
struct IncidentSink {
    incident: Incident,
    /// The namespace that is asked for.
    namespace: Option<Word>,
    /// Copies of the documents, if they are wanted.
    kept: Option<Kept>,
}

impl DocumentSink for IncidentSink {
    fn document(&mut self, document: Document, content: &mut (dyn Read + Send)) {
        let Document { name, about, .. } = document;
        let mut copying;
        let content: &mut (dyn Read + Send) = match &mut self.kept {
            Some(kept) => {
                copying = kept.copying(&name, content);
                &mut copying
            }
            None => content,
        };
        // the reader reports why a stream ends
        let _ = match &mut self.namespace {
            Some(word) if !word.is_there => {
                self.incident.read_about(name, about, word.within(content))
            }
            _ => self.incident.read_about(name, about, content),
        };
    }

    fn again(&mut self, number: usize, name: &str) {
        self.incident.also_called(number, name);
    }
}

/// Runs the work on a pool of so many threads; on the common one, of all processors, if none is
/// asked for or none can be had.
fn on_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    let pool = threads.map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
    match pool {
        Some(Ok(pool)) => pool.install(work),
        _ => work(),
    }
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

/// An input that cannot be read is reported; the rest is analysed.
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

/// Omits the findings that are not wanted. Returns true if one is at or above the level of `--fail-on`, and the number
/// of those omitted.
fn select_findings(diagnose: &Diagnose, report: &mut Report) -> (bool, usize) {
    let unsure = select::keep_sure(report, diagnose.min_confidence);
    let found = select::holds(report, diagnose.fail_on);
    let minor = select::keep(report, diagnose.min_severity);
    let further = select::keep_first(report, diagnose.top);
    (found, unsure + minor + further)
}

fn diagnosed(
    diagnose: &Diagnose,
    layout: &Layout,
    mut report: Report,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let (found, left_out) = select_findings(diagnose, &mut report);
    let render: Box<dyn Render> = match diagnose.form {
        Form::Human => Box::new(Human {
            layout: *layout,
            detail: match (diagnose.verbose, diagnose.quiet) {
                (true, _) => Detail::All,
                (_, true) => Detail::Titles,
                _ => Detail::Usual,
            },
        }),
        Form::Json { pretty } => Box::new(Json { pretty }),
        Form::Ndjson => Box::new(Ndjson::default()),
        Form::Markdown => Box::new(Markdown),
        Form::Html => Box::new(Html),
        Form::Sarif => Box::new(Sarif),
        Form::Junit => Box::new(Junit),
    };
    let view = View {
        report: &report,
        left_out,
    };
    let status = if found { Status::Found } else { Status::Ran };
    match render.render(&view, out).and_then(|()| out.flush()) {
        // who reads no further has seen enough
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(status),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(status),
    }
}

/// Shows a failure.
pub fn show(failure: &Failure, layout: &Layout) -> String {
    // what is shown of a file or of an argument may be a secret
    masked(&diagnostics::draw(layout, failure)).into_owned()
}
