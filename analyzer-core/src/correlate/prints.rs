//! The same object printed more than once: the last print says how it is now.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::graph::plain;
use super::group::Group;
use crate::matcher::Hit;
use crate::report::{Level, Role};
use kwhy_catalogue::Catalogue;
use kwhy_model::{Format, Object, Span, Subject, Value};
use kwhy_parse::input::{Place, Stretch, floor_char};

/// How many prints are remembered: some 6 MB.
const MAX_PRINTS: usize = 20_000;

/// How much is kept of a print's first line.
const MAX_TEXT: usize = 120;

/// Lists of a pod's containers.
const CONTAINERS: [&str; 2] = ["containers", "init_containers"];

/// An object as one output shows it.
#[derive(Clone, Debug)]
pub(crate) struct Print {
    /// Stands for the object and what shows it.
    key: u64,
    name: String,
    shape: Shape,
    document: usize,
    /// The document's bytes.
    span: Span,
    version: Version,
    /// How often its containers were started again.
    restarts: i64,
    pub place: Place,
}

/// What shows the same of an object each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shape {
    Describe,
    Row,
    Object,
}

impl Shape {
    fn of(format: Format) -> Option<Shape> {
        match format {
            Format::Describe => Some(Shape::Describe),
            Format::Table => Some(Shape::Row),
            Format::ObjectYaml | Format::ObjectJson => Some(Shape::Object),
            _ => None,
        }
    }
}

/// What tells which of two prints is the later one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Version {
    /// Numbers of one cluster grow with each change.
    resource: Option<u64>,
    generation: Option<u64>,
    /// The latest time in its conditions, in nanoseconds since 1970.
    time: Option<i128>,
}

impl Print {
    /// Of an object that has a name.
    pub fn of(stretch: &Stretch, object: &Object<'_>) -> Option<Print> {
        let subject = plain(&object.subject);
        let name = subject.kind.as_ref().and(subject.name.clone())?;
        let shape = Shape::of(object.format)?;
        let mut place = stretch.place(&object.span);
        place.text.truncate(floor_char(&place.text, MAX_TEXT));
        place.text.shrink_to_fit();
        let end = place.text.len();
        place.mark = place.mark.start.min(end)..place.mark.end.min(end);
        let number = |key: &str| object.fields.text(key)?.parse().ok();
        Some(Print {
            key: key(&subject, shape),
            name,
            shape,
            document: stretch.document,
            span: stretch.whole(&object.span),
            version: Version {
                resource: number("resource_version"),
                generation: number("generation"),
                time: latest(object),
            },
            restarts: restarts(object),
            place,
        })
    }

    fn place_in_input(&self) -> (usize, usize) {
        (self.document, self.span.start)
    }

    /// Whether it was made later than another one; unknown of two files without versions and times.
    fn is_after(&self, other: &Print) -> Option<bool> {
        let (mine, theirs) = (&self.version, &other.version);
        let differ = |ordering: Ordering| (ordering != Ordering::Equal).then_some(ordering);
        let by = |a: Option<u64>, b: Option<u64>| differ(a?.cmp(&b?));
        let by_time = || differ(mine.time?.cmp(&theirs.time?));
        let by_place = || {
            (self.document == other.document)
                .then(|| self.span.start.cmp(&other.span.start))
                .and_then(differ)
        };
        let order = by(mine.resource, theirs.resource)
            .or_else(|| by(mine.generation, theirs.generation))
            .or_else(by_time)
            .or_else(by_place)?;
        Some(order == Ordering::Greater)
    }
}

fn key(subject: &Subject, shape: Shape) -> u64 {
    let mut hasher = DefaultHasher::new();
    (subject, shape).hash(&mut hasher);
    hasher.finish()
}

/// The latest time of an object's conditions.
fn latest(object: &Object<'_>) -> Option<i128> {
    let conditions = object.fields.items("conditions").iter();
    let times = conditions.flat_map(|condition| {
        let Value::Map(condition) = condition else {
            return Vec::new();
        };
        let times = condition.iter().filter(|(key, _)| key.ends_with("_time"));
        let texts = times.filter_map(|(_, value)| value.to_text());
        let stamps = texts.filter_map(|text| text.parse::<jiff::Timestamp>().ok());
        stamps.map(|stamp| stamp.as_nanosecond()).collect()
    });
    times.max()
}

fn restarts(object: &Object<'_>) -> i64 {
    let of_containers = CONTAINERS.iter().flat_map(|list| object.fields.items(list));
    let counts = of_containers.filter_map(|container| match container.get("restart_count") {
        Some(Value::Integer(count, _)) => Some(*count),
        _ => None,
    });
    let of_row = object.fields.integer("restarts").unwrap_or(0);
    counts.fold(of_row, i64::saturating_add)
}

/// The prints of an input, in its order.
#[derive(Debug, Default)]
pub(crate) struct Prints {
    all: Vec<Print>,
    of_object: HashMap<u64, Vec<usize>>,
    /// By document and first byte.
    by_place: BTreeMap<(usize, usize), usize>,
    /// How many were not kept.
    pub left_out: u64,
}

impl Prints {
    /// Takes the next print.
    pub fn add(&mut self, print: Print) {
        let number = self.all.len();
        if number >= MAX_PRINTS {
            self.left_out += 1;
            return;
        }
        self.of_object.entry(print.key).or_default().push(number);
        let place = (print.document, print.span.start);
        self.by_place.insert(place, number);
        self.all.push(print);
    }

    /// Gives documents their numbers in order, by those which they had.
    pub fn renumber(&mut self, numbers: &[usize]) {
        let mut all = std::mem::take(&mut self.all);
        for print in &mut all {
            super::renumber(&mut print.document, numbers);
        }
        all.sort_by_key(Print::place_in_input);
        self.of_object.clear();
        self.by_place.clear();
        all.into_iter().for_each(|print| self.add(print));
    }

    /// The print in which a hit stands.
    fn own(&self, hit: &Hit) -> Option<&Print> {
        let (document, at) = hit.record_at();
        let mut before = self.by_place.range((document, 0)..=(document, at));
        let print = self.all.get(*before.next_back()?.1)?;
        let is_event = hit.format == Format::DescribeEvents
            && print.shape == Shape::Describe
            && hit.subject.name.as_ref() == Some(&print.name);
        (is_event || print.span.contains(&at)).then_some(print)
    }

    /// The last print of an object, if that is a later one.
    fn later<'p>(&'p self, own: &'p Print) -> Option<&'p Print> {
        let of_object = self.of_object.get(&own.key)?;
        // most objects are printed once
        if of_object.len() < 2 {
            return None;
        }
        let all = of_object.iter().filter_map(|number| self.all.get(*number));
        // one of which the order is not known is no later one
        let last = all.fold(own, |last, print| {
            if print.is_after(last) == Some(true) {
                print
            } else {
                last
            }
        });
        (last.place_in_input() != own.place_in_input()).then_some(last)
    }

    /// Whether a hit stands in a print of which the input has a later one.
    pub fn is_outdated(&self, hit: &Hit) -> bool {
        let own = self.own(hit);
        own.is_some_and(|own| self.later(own).is_some())
    }

    /// For each group the print that shows it to be over, as a hit: of all objects of the group the last print is a
    /// later one, and nothing is wrong in it.
    pub fn superseded(&self, catalogue: &Catalogue, groups: &[Group]) -> Vec<Option<Hit>> {
        let is_trouble = |group: &&Group| {
            let signature = catalogue.at(group.signature);
            signature.role != Role::Benign && signature.severity >= Level::Warning
        };
        let hits = groups
            .iter()
            .filter(is_trouble)
            .flat_map(|group| &group.hits);
        let in_trouble: HashSet<(usize, usize)> = hits
            .filter_map(|hit| Some(self.own(hit)?.place_in_input()))
            .collect();
        let over = |group: &Group| {
            let mut shown: Option<&Print> = None;
            for hit in &group.hits {
                let own = self.own(hit)?;
                let last = self.later(own)?;
                // what is started again and again is well in between
                let is_sound =
                    !in_trouble.contains(&last.place_in_input()) && last.restarts <= own.restarts;
                shown = Some(last).filter(|_| is_sound);
                shown?;
            }
            let (print, hit) = (shown?, group.hits.last()?);
            // what was only counted is not known to be over
            (group.more == 0).then(|| Hit {
                document: print.document,
                place: print.place.clone(),
                ..hit.clone()
            })
        };
        groups.iter().map(over).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(document: usize, start: usize, version: Version) -> Print {
        Print {
            key: 7,
            name: "quay-4".to_owned(),
            shape: Shape::Describe,
            document,
            span: start..start + 10,
            version,
            restarts: 0,
            place: Place::default(),
        }
    }

    #[test]
    fn which_print_is_the_later_one() {
        let none = Version::default();
        let resource = |number| Version {
            resource: Some(number),
            ..none
        };
        let time = |time| Version {
            time: Some(time),
            ..none
        };
        for (a, b, wanted) in [
            (print(0, 50, none), print(0, 10, none), Some(true)),
            (print(0, 10, none), print(0, 50, none), Some(false)),
            (print(1, 50, none), print(0, 10, none), None),
            (
                print(0, 10, resource(7)),
                print(0, 50, resource(6)),
                Some(true),
            ),
            (print(0, 10, resource(7)), print(1, 50, resource(7)), None),
            (print(1, 10, time(3)), print(0, 50, time(5)), Some(false)),
        ] {
            assert_eq!(a.is_after(&b), wanted, "{a:?} {b:?}");
        }
    }

    #[test]
    fn the_last_one_counts() {
        let mut prints = Prints::default();
        for start in [10, 50, 90] {
            prints.add(print(0, start, Version::default()));
        }
        let later = |at: usize| prints.later(&prints.all[at]).map(|print| print.span.start);
        assert_eq!(later(0), Some(90));
        assert_eq!(later(2), None);
        for number in 0..MAX_PRINTS {
            prints.add(print(1, number, Version::default()));
        }
        assert_eq!(prints.left_out, 3);
    }
}
