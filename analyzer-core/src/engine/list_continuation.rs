//! Lists of objects that are larger than a block: they are cut between items, and whether a list is complete, as
//! `listed: true` requires, is known only at its end.

use std::collections::BTreeMap;
use std::ops::Range;

use super::listed::Listed;
use crate::matcher::Hit;
use kwhy_model::{Parsed, Subject};
use kwhy_signature::ConditionId;

/// The maximum number of a list's hits that wait for its end.
const MAX_HITS: usize = 8192;

/// The ends of the block that a segment reaches, where the block may cut a list's items or a table's rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    /// True if the block starts with an item.
    pub start: bool,
    pub end: bool,
    /// True if the segment is a table.
    pub of_table: bool,
    /// True if the command above the table lists all objects, so that even a single row may be complete.
    pub of_all: bool,
}

/// The objects of a list in one block, as indices into the parsed objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    /// The items of a list that started before the block.
    pub head: Range<usize>,
    /// The items of a list that may continue after it; `None` if the block ends before its first item.
    pub tail: Option<Range<usize>>,
    /// True if `head` and `tail` are the same list.
    unbroken: bool,
    of_kind: bool,
    is_whole: bool,
}

impl Items {
    pub fn of(parsed: &Parsed<'_>, reach: Reach) -> Items {
        let all = parsed.objects.len();
        let first = parsed.lists.first().map(|list| list.objects.start);
        let last = parsed.lists.last();
        let mut items = Items {
            is_whole: !parsed.has_gaps,
            ..Items::default()
        };
        if reach.of_table {
            items.unbroken = reach.start && reach.end;
            items.head = if reach.start { 0..all } else { 0..0 };
            items.tail = (reach.end && !reach.start).then_some(0..all);
            items.of_kind = reach.of_all;
            return items;
        }
        if reach.start {
            items.head = 0..first.unwrap_or(all);
            items.unbroken = reach.end && last.is_none();
        }
        if let Some(list) = last.filter(|list| reach.end && list.objects.end == all) {
            items.tail = Some(list.objects.clone());
            items.of_kind = list.of_kind;
        }
        items
    }
}

/// The contribution of one block to a list.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// The number of objects of each kind.
    kinds: BTreeMap<String, u64>,
    listed: Listed,
    /// True if its kind or its command shows that it is the list of all objects.
    of_kind: bool,
    is_broken: bool,
    /// Hits that hold only if the list is complete.
    hits: Vec<(ConditionId, Box<Hit>)>,
    left_out: BTreeMap<ConditionId, u64>,
}

impl Part {
    pub fn object(
        &mut self,
        subject: &Subject,
        hits: impl Iterator<Item = (ConditionId, Box<Hit>)>,
    ) {
        if let Some(kind) = subject.kind.as_deref() {
            match self.kinds.get_mut(kind) {
                Some(count) => *count += 1,
                None => {
                    self.kinds.insert(kind.to_owned(), 1);
                }
            }
            self.listed.add_object(subject);
        }
        for (leaf, hit) in hits {
            self.wait(leaf, hit);
        }
    }

    fn wait(&mut self, leaf: ConditionId, hit: Box<Hit>) {
        if self.hits.len() < MAX_HITS {
            self.hits.push((leaf, hit));
        } else {
            self.leave_out(leaf, 1);
        }
    }

    /// Adds a number of a condition's hits that are not kept.
    pub fn leave_out(&mut self, leaf: ConditionId, hits: u64) {
        *self.left_out.entry(leaf).or_default() += hits;
    }

    fn join(&mut self, next: Part) {
        for (kind, count) in next.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        self.listed.add(next.listed);
        self.is_broken |= next.is_broken;
        for (leaf, hit) in next.hits {
            self.wait(leaf, hit);
        }
        for (leaf, count) in next.left_out {
            self.leave_out(leaf, count);
        }
    }

    /// Ends the list: returns what holds, and how many hits of which conditions were not kept. A single object of a
    /// kind does not make a complete list unless the list is of that kind.
    fn close(self) -> Ended {
        if self.is_broken {
            return Ended::default();
        }
        let is_listed = |kind: Option<&str>| {
            self.of_kind || kind.and_then(|kind| self.kinds.get(kind)) > Some(&1)
        };
        let mut listed = self.listed.close();
        listed.retain(|kind| is_listed(Some(kind)));
        Ended {
            listed,
            hits: self
                .hits
                .into_iter()
                .filter(|(_, hit)| is_listed(hit.subject.kind.as_deref()))
                .collect(),
            left_out: self.left_out,
        }
    }
}

/// The result of a list that has ended.
#[derive(Debug, Default)]
pub(super) struct Ended {
    pub hits: Vec<(ConditionId, Box<Hit>)>,
    pub left_out: BTreeMap<ConditionId, u64>,
    pub listed: Listed,
}

impl Ended {
    fn and(mut self, other: Ended) -> Ended {
        self.listed.add(other.listed);
        self.hits.extend(other.hits);
        for (leaf, count) in other.left_out {
            *self.left_out.entry(leaf).or_default() += count;
        }
        self
    }
}

/// The lists that a block contains in part.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    head: Option<Part>,
    tail: Option<Part>,
    unbroken: bool,
}

impl Edges {
    /// Starts the parts of a segment's items.
    pub fn begin(&mut self, items: &Items, reach: Reach) {
        let part = |of_kind| Part {
            of_kind,
            is_broken: !items.is_whole,
            ..Part::default()
        };
        if reach.start {
            self.head = Some(part(false));
            self.unbroken = items.unbroken;
        }
        if items.tail.is_some() {
            self.tail = Some(part(items.of_kind));
        }
    }

    /// Returns the part that an object belongs to.
    pub fn part(&mut self, items: &Items, number: usize) -> Option<&mut Part> {
        if items.head.contains(&number) {
            self.head.as_mut()
        } else {
            let tail = items.tail.as_ref();
            self.tail
                .as_mut()
                .filter(|_| tail.is_some_and(|tail| tail.contains(&number)))
        }
    }

    /// Returns the hits that wait for the end of a list.
    pub fn hits(&mut self) -> impl Iterator<Item = &mut Hit> {
        let parts = [&mut self.head, &mut self.tail];
        let hits = parts.into_iter().flatten().flat_map(|part| &mut part.hits);
        hits.map(|(_, hit)| &mut **hit)
    }
}

/// The list that is open at the end of what was read of a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Open(Option<Part>);

impl Open {
    /// Adds the next block. Returns the result of a list that ends in it.
    pub fn take(&mut self, next: Edges) -> Ended {
        let mut ended = Ended::default();
        match (&mut self.0, next.head) {
            (Some(open), Some(head)) => open.join(head),
            // items whose list did not start in this document
            (None, Some(_)) => {}
            (_, None) => ended = self.close(),
        }
        if next.unbroken {
            return ended;
        }
        ended = ended.and(self.close());
        self.0 = next.tail;
        ended
    }

    /// Ends the open list at the document's end.
    pub fn close(&mut self) -> Ended {
        self.0.take().map(Part::close).unwrap_or_default()
    }
}
