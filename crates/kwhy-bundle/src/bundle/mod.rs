//! Classifies the members of a bundle: which tool made the bundle, what each member contains and is about, which
//! members are wanted, which are duplicates, and what was not collected.

mod layout;
mod pattern;
mod time;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::sync::Arc;

use globset::GlobSet;
use kwhy_core::Subject;
use kwhy_core::report::{BundleSummary, Limit};

use crate::archive::limits::Shared;
use crate::archive::{Member, MemberVisitor, Start};

pub use layout::Content;
use layout::{Layout, Place, layouts, place};
use pattern::Field;

/// Selects the members to read.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only members whose path matches one of these; all members if `None`.
    pub include: Option<GlobSet>,
    /// No members whose path matches one of these.
    pub exclude: Option<GlobSet>,
    /// No members whose path names a different namespace.
    pub namespace: Option<String>,
}

impl Wanted {
    /// Returns the reason why a member is not read, or `None` if it is.
    fn refuses(&self, member: &Member, place: &Place) -> Option<&'static str> {
        let path = match member.path.as_str() {
            "" => member.name.as_str(),
            path => path,
        };
        if self
            .include
            .as_ref()
            .is_some_and(|globs| !globs.is_match(path))
        {
            return Some("not included");
        }
        if self
            .exclude
            .as_ref()
            .is_some_and(|globs| globs.is_match(path))
        {
            return Some("excluded");
        }
        match (&self.namespace, &place.namespace) {
            (Some(wanted), Some(known)) if wanted != known => Some("of another namespace"),
            _ => None,
        }
    }
}

/// A document to analyse.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Document {
    /// The name shown in reports.
    pub name: String,
    /// The object that the document is about, according to its path.
    pub about: Subject,
}

/// Receives documents.
pub trait DocumentSink {
    /// Reads a document.
    fn document(&mut self, document: Document, content: &mut (dyn Read + Send));

    /// Called if the document with this number, counted from 0 in the order received, has a duplicate under this name.
    fn again(&mut self, _number: usize, _name: &str) {}

    /// Called for each member with the decision about it.
    fn disposed(&mut self, _member: &Member, _what: Disposition) {}
}

/// The decision about a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// Read as the kind of content that its path shows, if any.
    Read(Option<Content>),
    /// Not read, for this reason.
    Skipped(&'static str),
}

impl<S: DocumentSink + ?Sized> DocumentSink for &mut S {
    fn document(&mut self, document: Document, content: &mut (dyn Read + Send)) {
        (**self).document(document, content);
    }

    fn again(&mut self, number: usize, name: &str) {
        (**self).again(number, name);
    }

    fn disposed(&mut self, member: &Member, what: Disposition) {
        (**self).disposed(member, what);
    }
}

/// Classifies the members that a walk finds and passes those to analyse on to a sink.
pub struct Bundles<S> {
    sink: S,
    wanted: Wanted,
    shared: Arc<Shared>,
    /// The documents read so far, by fingerprint, size and a hash of their object or path.
    seen: HashMap<(u64, u64, u64), Seen>,
    /// The number of documents passed on so far.
    documents: usize,
    open: Option<Bundle>,
    done: Vec<BundleSummary>,
    collected: Option<jiff::Timestamp>,
}

/// A document that was read.
struct Seen {
    number: usize,
    /// The first, in the order of names, of the paths under which it occurs.
    path: Box<str>,
}

/// The state of an open bundle.
struct Bundle {
    root: String,
    marks: LayoutMarks,
    held: BTreeMap<Content, u64>,
    members: u64,
    packed: bool,
}

/// For each layout and each of its lists of marks, which marks were seen.
struct LayoutMarks(Vec<Vec<Vec<bool>>>);

impl LayoutMarks {
    fn new() -> LayoutMarks {
        let of = |layout: &Layout| {
            layout
                .marks
                .iter()
                .map(|all| vec![false; all.len()])
                .collect()
        };
        LayoutMarks(layouts().iter().map(of).collect())
    }

    fn see(&mut self, path: &[&str]) {
        for (layout, marks) in layouts().iter().zip(&mut self.0) {
            for (all, seen) in layout.marks.iter().zip(marks) {
                for (pattern, seen) in all.iter().zip(seen) {
                    *seen = *seen || pattern.fit(path).is_some();
                }
            }
        }
    }

    /// Returns the layouts with a list of marks that were all seen.
    fn known(&self) -> impl Iterator<Item = &'static Layout> {
        let all = layouts().iter().zip(&self.0);
        let known = all.filter(|(_, marks)| marks.iter().any(|all| all.iter().all(|seen| *seen)));
        known.map(|(layout, _)| layout)
    }
}

/// Returns true if these are the paths of a bundle with a known layout.
pub fn is_known(paths: impl Iterator<Item = String>) -> bool {
    let mut marks = LayoutMarks::new();
    for path in paths {
        marks.see(&path.split('/').collect::<Vec<_>>());
    }
    marks.known().next().is_some()
}

/// The number of bytes read from a member that contains the time of collection.
const MAX_LOOKED_AT: u64 = 64 * 1024;

impl<S: DocumentSink> Bundles<S> {
    /// Creates a classifier that passes wanted members on to a sink.
    pub fn new(sink: S, wanted: Wanted, shared: Arc<Shared>) -> Bundles<S> {
        Bundles {
            sink,
            wanted,
            shared,
            seen: HashMap::new(),
            documents: 0,
            open: None,
            done: Vec::new(),
            collected: None,
        }
    }

    /// Closes the open bundle and reports what it lacks.
    fn close(&mut self) {
        let Some(bundle) = self.open.take() else {
            return;
        };
        let known: Vec<_> = bundle.marks.known().collect();
        let mut missing: Vec<Content> = known
            .iter()
            .flat_map(|layout| &layout.holds)
            .copied()
            .collect();
        missing.sort_unstable();
        missing.dedup();
        missing.retain(|content| !bundle.held.contains_key(content));
        let missing: Vec<String> = missing
            .iter()
            .map(|content| content.name().to_owned())
            .collect();
        if !missing.is_empty() {
            let message = format!(
                "it holds no {}: what they would show is not known",
                missing.join(", no ")
            );
            self.shared.tell(&bundle.root, Limit::NotCollected, message);
        }
        if known.is_empty() && !bundle.packed {
            return;
        }
        let mut summary = BundleSummary::new(bundle.root);
        summary.layouts = known.iter().map(|layout| layout.id.clone()).collect();
        summary.titles = known.iter().map(|layout| layout.title.clone()).collect();
        summary.members = bundle.members;
        summary.missing = missing;
        self.done.push(summary);
    }

    /// Returns the bundles that were read, the latest time of collection that they show, if any, and the sink.
    pub fn finish(mut self) -> (Vec<BundleSummary>, Option<jiff::Timestamp>, S) {
        self.close();
        (self.done, self.collected, self.sink)
    }

    fn bundle(&mut self, root: &str) -> &mut Bundle {
        if self.open.as_ref().is_some_and(|bundle| bundle.root != root) {
            self.close();
        }
        self.open.get_or_insert_with(|| Bundle {
            root: root.to_owned(),
            marks: LayoutMarks::new(),
            held: BTreeMap::new(),
            members: 0,
            packed: false,
        })
    }

    /// Records a member's path as evidence of the bundle's layout and time of collection.
    fn mark(&mut self, root: &str, path: &[&str]) {
        self.bundle(root).marks.see(path);
        for layout in layouts() {
            for pattern in &layout.time {
                let kept = pattern.fit(path).unwrap_or_default();
                let named = kept.iter().filter(|(field, _)| *field == Field::Time);
                let named = named.filter_map(|(_, text)| time::in_name(text)).max();
                self.collected = self.collected.max(named);
            }
        }
    }

    fn skip(&mut self, member: &Member, why: &'static str) {
        self.sink.disposed(member, Disposition::Skipped(why));
    }
}

impl<S: DocumentSink> MemberVisitor for Bundles<S> {
    fn document(&mut self, member: &Member, start: Start, content: &mut (dyn Read + Send)) {
        let path: Vec<&str> = member
            .path
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        let place = if path.is_empty() {
            Place::default()
        } else {
            self.mark(&member.root, &path);
            if member.loose {
                Place::default()
            } else {
                place(&path)
            }
        };
        if !path.is_empty() {
            let bundle = self.bundle(&member.root);
            bundle.members += 1;
            bundle.packed |= member.packed;
            if let Some(content) = place.content {
                *bundle.held.entry(content).or_default() += 1;
            }
        }
        if let Some(why) = self.wanted.refuses(member, &place) {
            return self.skip(member, why);
        }
        match place.content {
            Some(Content::Ignore) => return self.skip(member, "adds nothing"),
            Some(Content::Errors) => {
                self.failure(member, content);
                return self.skip(member, "a collector's own failures");
            }
            Some(Content::Time) => {
                let mut text = String::new();
                // a file that is not text has no time
                let _ = content.take(MAX_LOOKED_AT).read_to_string(&mut text);
                self.collected = self.collected.max(time::in_text(&text));
                return self.skip(member, "the time of collection");
            }
            _ => {}
        }
        if !path.is_empty()
            && let Some(again) = self.again(member, start, &place)
        {
            let what =
                "members that say the same as another one about the same object were left out";
            self.shared
                .note(&member.root, Limit::Duplicate, what, &again);
            return self.skip(member, "the same again");
        }
        if start.binary {
            let what = "holds NUL bytes, so it is no text; what reads like text in it was analysed";
            self.shared.tell(&member.name, Limit::Binary, what);
        }
        self.sink.disposed(member, Disposition::Read(place.content));
        let document = Document {
            name: member.name.clone(),
            about: place.about,
        };
        self.documents += 1;
        self.sink.document(document, content);
    }

    fn passed(&mut self, member: &Member, why: &'static str) {
        let path: Vec<&str> = member
            .path
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        if !path.is_empty() {
            self.mark(&member.root, &path);
        }
        self.skip(member, why);
    }
}

impl<S: DocumentSink> Bundles<S> {
    /// Returns the path to report as a duplicate if a member repeats an earlier one: it is about the same object, or
    /// has the same path, and has the same size and first 64 KiB. Logs only grow, so members that start alike and are
    /// equally long are the same. Of the two paths, the later one by name is reported, whatever the order in which they
    /// occur.
    fn again(&mut self, member: &Member, start: Start, place: &Place) -> Option<String> {
        let (fingerprint, size) = (start.fingerprint?, start.size?);
        let mut hasher = DefaultHasher::new();
        match &place.about.name {
            Some(_) => (place.about.to_string(), &place.about.container).hash(&mut hasher),
            None => {
                let parts = member.path.split('/').filter(|part| !part.is_empty());
                parts.for_each(|part| part.hash(&mut hasher));
            }
        }
        let path = member.path.as_str();
        match self.seen.entry((fingerprint, size, hasher.finish())) {
            Entry::Vacant(free) => {
                free.insert(Seen {
                    number: self.documents,
                    path: path.into(),
                });
                None
            }
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                self.sink.again(known.number, &member.name);
                if path.split('/').lt(known.path.split('/')) {
                    let former = std::mem::replace(&mut known.path, path.into());
                    return Some(former.into_string());
                }
                Some(path.to_owned())
            }
        }
    }

    /// Reports the first line of a collector's own error.
    fn failure(&mut self, member: &Member, content: &mut (dyn Read + Send)) {
        let mut bytes = Vec::new();
        let _ = content.take(4096).read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let first = text
            .lines()
            .map(|line| line.trim_matches(|c: char| c.is_whitespace() || "[]{}\",".contains(c)))
            .find(|line| !line.is_empty() && *line != "null");
        let Some(first) = first else { return };
        if !failed(&text) {
            return;
        }
        let mut excerpt: String = first.chars().take(200).collect();
        if excerpt.len() < first.len() {
            excerpt.push('…');
        }
        let message =
            format!("a collector failed, so it may hold less than the cluster had: {excerpt}");
        self.shared
            .tell(&member.name, Limit::CollectorError, message);
    }
}

/// Returns true if a collector's text reports a failure. Some collectors log their progress in the same file.
fn failed(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    [
        "error",
        "fail",
        "forbidden",
        "timeout",
        "timed out",
        "unable",
        "cannot",
        "not found",
        "refused",
        "could not",
    ]
    .iter()
    .any(|word| lower.contains(word))
}
