//! A diagnosis, from its inputs to a report of what was asked for.

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

/// The analyzer of a plan. What its signatures replace is a note.
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

/// The names in the inputs if they become tokens, and all of standard input if it was read for that.
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

/// The renderer of a form. The layout and the detail are of text for people.
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

/// Omits what is of another namespace.
pub fn narrow(diagnose: &Diagnose, report: &mut Report, is_there: bool) {
    if let Some(namespace) = &diagnose.bundle.namespace {
        select::keep_namespace(report, namespace, is_there);
    }
}

/// Hands out the sources of a set, standard input being this reader.
pub fn sources(
    stdin: impl Read + Send,
) -> impl FnOnce(&InputSet, &mut (dyn DocumentSink + Send)) -> Inputs {
    |reading, sink| match rayon::current_num_threads() > 1 {
        true => sources::read_ahead(reading, stdin, sink),
        false => sources::read(reading, stdin, sink),
    }
}

/// Reads all that `feed` hands out as one incident, and says whether the namespace that is asked for occurs anywhere in
/// it. The lines around the evidence are kept if that is asked for.
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

/// Runs the work on a pool of so many threads, or of one for each processor. The calling thread only waits, so that there is no
/// further heap of its own; it does the work itself if no thread can be had.
pub fn on_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or_default())
        .build();
    match pool {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// Omits the findings that are not wanted. Returns true if one is at or above the level of `--fail-on`, and the number
/// of those omitted.
pub fn select_findings(diagnose: &Diagnose, report: &mut Report) -> (bool, usize) {
    let unsure = select::keep_sure(report, diagnose.min_confidence);
    let found = select::holds(report, diagnose.fail_on);
    let minor = select::keep(report, diagnose.min_severity);
    let further = select::keep_first(report, diagnose.top);
    (found, unsure + minor + further)
}
