//! A diagnosis: from the inputs to a report, narrowed to what was asked for.

use std::io::Read;

use kwhy_bundle::sources::{self, InputSet, Inputs};
use kwhy_bundle::{Document, DocumentSink, Source};
use kwhy_core::report::Identities;
use kwhy_core::{Analyzer, Incident, Report};
use kwhy_render::select;
use kwhy_render::{Detail, Html, Human, Json, Junit, Layout, Markdown, Ndjson, Render, Sarif};

use crate::catalogue;
use crate::failure::Failure;
use crate::kept::Kept;
use crate::notes::Notes;
use crate::plan::{CataloguePlan, Diagnose, Form, Plan, Privacy};
use crate::redact;
use crate::stdin::Stdin;
use crate::word::Word;

/// Builds the analyzer of a plan. A note lists the built-in signatures that are replaced.
///
/// # Errors
/// The signatures cannot be read.
pub fn analyzer(
    plan: &Plan,
    diagnose: &Diagnose,
    notes: &mut Notes<'_>,
) -> Result<Analyzer, Failure> {
    let catalogue = catalogue::load(&plan.catalogue)?;
    if let Some(replacements) = catalogue::replaced(&catalogue).filter(|_| !plan.quiet) {
        notes.note(&replacements)?;
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

/// Collects the names in the inputs if they are to be replaced by tokens. Also returns the content of standard input,
/// which cannot be read a second time. Both are `None` if names stay.
pub fn names(
    (privacy, signatures): (&Privacy, &CataloguePlan),
    reading: &InputSet,
    stdin: &mut Stdin<impl Read + Send>,
) -> Result<(Option<Identities>, Option<Vec<u8>>), Failure> {
    let Some(identities) = redact::wanted(privacy, signatures)? else {
        return Ok((None, None));
    };
    let kept = match reading.sources.contains(&Source::Stdin) {
        true => redact::kept(stdin, redact::MAX_KEPT).map_err(Failure::Stdin)?,
        false => Vec::new(),
    };
    let feed =
        |reading: &InputSet, sink: &mut dyn DocumentSink| sources::read(reading, &kept[..], sink);
    let identities = redact::names(identities, reading, feed);
    Ok((Some(identities), Some(kept)))
}

/// Returns the renderer of a format. Layout and detail only apply to text for people.
pub fn renderer(form: Form, layout: Layout, detail: Detail) -> Box<dyn Render> {
    match form {
        Form::Human => Box::new(Human { layout, detail }),
        Form::Json { pretty } => Box::new(Json { pretty }),
        Form::Ndjson => Box::new(Ndjson::default()),
        Form::Markdown => Box::new(Markdown),
        Form::Html => Box::new(Html),
        Form::Sarif => Box::new(Sarif),
        Form::Junit => Box::new(Junit),
    }
}

/// Removes the findings of other namespaces if one was asked for.
pub fn narrow(diagnose: &Diagnose, report: &mut Report, is_there: bool) {
    if let Some(namespace) = &diagnose.bundle.namespace {
        select::keep_namespace(report, namespace, is_there);
    }
}

/// Returns a function that hands out the documents of an input set, with `stdin` as standard input.
pub fn sources(
    stdin: impl Read + Send,
) -> impl FnOnce(&InputSet, &mut (dyn DocumentSink + Send)) -> Inputs {
    |reading, sink| match rayon::current_num_threads() > 1 {
        true => sources::read_ahead(reading, stdin, sink),
        false => sources::read(reading, stdin, sink),
    }
}

/// Analyses all documents that `feed` hands out as one incident. The last value is true if the namespace that was
/// asked for occurs in them. With `keep`, the report contains the lines around the evidence.
pub fn read(
    analyzer: &Analyzer,
    reading: &InputSet,
    keep: bool,
    feed: impl FnOnce(&InputSet, &mut (dyn DocumentSink + Send)) -> Inputs,
) -> (Inputs, Report, bool) {
    let mut taking = IncidentSink {
        incident: analyzer.incident(),
        namespace: reading.wanted.namespace.as_deref().map(Word::new),
        kept: keep.then(Kept::default),
    };
    let inputs = feed(reading, &mut taking);
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

/// A sink that adds documents to an incident.
struct IncidentSink {
    incident: Incident,
    /// The search for the namespace that was asked for.
    namespace: Option<Word>,
    /// Copies of the documents, if lines around the evidence are wanted.
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
        // read errors are ignored here: whatever feeds the sink reports them
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

/// Runs the work on a pool of `threads` threads, one for each processor by default. The calling thread only waits, so
/// that it needs no heap of its own; if no thread can be started, it does the work itself.
pub fn on_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or_default())
        .build();
    match pool {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// Removes the findings that are not wanted. Returns true if one is at or above the level of `--fail-on`, and the
/// number of findings removed.
pub fn select_findings(diagnose: &Diagnose, report: &mut Report) -> (bool, usize) {
    let unsure = select::keep_sure(report, diagnose.min_confidence);
    let found = select::holds(report, diagnose.fail_on);
    let minor = select::keep(report, diagnose.min_severity);
    let further = select::keep_first(report, diagnose.top);
    (found, unsure + minor + further)
}
