//! A prefilter for the conditions on objects of one kind.
//!
//! Most objects lack what most conditions require: a value is missing, or is a different word. One such test of each
//! condition is its gate, and all gates on one value are decided together by looking up its word; conditions that pass
//! their gate undergo the remaining tests. Each value that any condition tests is looked up once.

use std::sync::Arc;

use kwhy_model::{Format, Object, Value};
use kwhy_signature::{ConditionId, Haystack, ObjectPattern, Pattern, ValueTest, in_lower_case};

use super::computed;
use super::leaf::{self, TestedFields, is_one_of};
use crate::hash::HashMap;

use super::memo::{LastRow, Memo, OfKind, RangeTest, Results};

/// The formats of objects, which conditions may restrict.
const FORMATS: [Format; 5] = [
    Format::Describe,
    Format::Table,
    Format::ObjectYaml,
    Format::ObjectJson,
    Format::UnitStatus,
];

/// The conditions on objects of one kind.
#[derive(Debug)]
pub(super) struct ObjectPrefilter {
    /// The paths of the values of an object itself that are tested.
    paths: Vec<Box<str>>,
    /// The indices of the paths that equal a key or start with it.
    by_key: HashMap<Box<str>, Vec<usize>>,
    /// The lists whose items are tested, each with the paths of the items' values.
    lists: Vec<(Box<str>, Vec<Box<str>>)>,
    conditions: Vec<PrefilteredCondition>,
    /// The number of tests of all conditions.
    tests: usize,
    /// The conditions that an object of each format may fulfil, and those for any other format.
    by_format: [Gates; FORMATS.len()],
    of_others: Gates,
}

/// The part of a condition that is decided before anything is captured.
#[derive(Debug)]
struct PrefilteredCondition {
    leaf: ConditionId,
    pattern: Arc<ObjectPattern>,
    fields: Vec<RequiredTexts>,
    /// The tests of fields that need more than a comparison of words.
    tests: Vec<Tested>,
    /// The requirements on an item, by list index; one item of one list must fulfil all of them.
    lists: Vec<(usize, Vec<RequiredTexts>)>,
    /// For each list, the tests of items that need more than a comparison of words.
    item_tests: Vec<Vec<Tested>>,
    name: RequiredName,
    namespace: RequiredName,
}

/// The patterns of which a name must match one.
#[derive(Debug)]
struct RequiredName(Vec<NamePattern>);

#[derive(Debug)]
enum NamePattern {
    Word(Box<str>),
    /// The index of any other pattern.
    Other(usize),
}

impl RequiredName {
    fn new(patterns: &[Pattern]) -> RequiredName {
        let of = |(number, pattern): (usize, &Pattern)| match pattern.as_word() {
            Some(word) => NamePattern::Word(word.into()),
            None => NamePattern::Other(number),
        };
        RequiredName(patterns.iter().enumerate().map(of).collect())
    }

    /// Returns false only if a name matches none of the patterns that this was made of. A missing name may: it may have
    /// been cut off.
    fn may_be(&self, name: Option<Haystack<'_>>, patterns: &[Pattern]) -> bool {
        let Some(name) = name.filter(|_| !self.0.is_empty()) else {
            return true;
        };
        self.0.iter().any(|pattern| match pattern {
            NamePattern::Word(word) => **word == *name.text(),
            NamePattern::Other(number) => patterns
                .get(*number)
                .is_none_or(|pattern| pattern.may_be_whole(name)),
        })
    }
}

/// A test of one value against texts, patterns and numbers.
#[derive(Debug)]
pub(super) struct Tested {
    /// The index of its path.
    path: usize,
    /// Its key in the pattern.
    pub key: Box<str>,
    /// Its number among all tests of the kind.
    pub number: usize,
}

/// A word test of one value.
#[derive(Debug)]
struct RequiredTexts {
    /// The index of its path.
    path: usize,
    /// True if the value must be present.
    needed: bool,
    /// The words that a text must be one of; any text passes if empty.
    words: Vec<Box<str>>,
}

impl RequiredTexts {
    fn new(path: &str, test: &ValueTest, paths: &mut Vec<Box<str>>) -> Option<RequiredTexts> {
        let words = test.words();
        let needed = test.refuses_none();
        (needed || !words.is_empty()).then(|| RequiredTexts {
            path: number(paths, path.into(), |known| **known == *path),
            needed,
            words: words.into_iter().map(Box::from).collect(),
        })
    }

    fn refuses(&self, value: Option<&Value<'_>>) -> bool {
        match value {
            None => self.needed,
            Some(Value::Text(text)) => {
                let mut words = self.words.iter();
                !self.words.is_empty() && !words.any(|word| **word == *text.as_str())
            }
            Some(_) => false,
        }
    }
}

/// The gates of conditions, which are referred to by number.
#[derive(Debug, Default)]
struct Gates {
    /// Gates on values of an object itself.
    fields: Vec<Gate>,
    /// Gates on values of a list's items, with the list's index.
    items: Vec<(usize, Vec<Gate>)>,
    /// The conditions without a gate.
    open: Vec<usize>,
}

/// The gates on one value.
#[derive(Debug, Default)]
struct Gate {
    /// The index of its path.
    path: usize,
    /// The conditions that a text passes if it is the given word.
    by_word: HashMap<Box<str>, Vec<usize>>,
    /// The conditions that any value but a text passes.
    not_text: Vec<usize>,
    /// The conditions that any value passes.
    any: Vec<usize>,
    /// The conditions that a missing value passes.
    missing: Vec<usize>,
}

impl Gate {
    fn add(gates: &mut Vec<Gate>, asked: &RequiredTexts, condition: usize) {
        let new = || Gate {
            path: asked.path,
            ..Gate::default()
        };
        let at = number(gates, new(), |gate| gate.path == asked.path);
        let Some(gate) = gates.get_mut(at) else {
            return;
        };
        for word in &asked.words {
            gate.by_word
                .entry(word.clone())
                .or_default()
                .push(condition);
        }
        let of_value = match asked.words.is_empty() {
            true => &mut gate.any,
            false => &mut gate.not_text,
        };
        of_value.push(condition);
        if !asked.needed {
            gate.missing.push(condition);
        }
    }

    /// Adds the conditions that a value passes.
    fn pass(&self, value: Option<&Value<'_>>, into: &mut Vec<usize>) {
        match value {
            None => return into.extend(&self.missing),
            Some(Value::Text(text)) => {
                into.extend(self.by_word.get(text.as_str()).into_iter().flatten());
            }
            Some(_) => into.extend(&self.not_text),
        }
        into.extend(&self.any);
    }
}

impl Gates {
    /// Adds a condition with its most selective test as its gate.
    fn add(&mut self, condition: &PrefilteredCondition, number_of: usize) {
        let with_words = |asked: &&RequiredTexts| !asked.words.is_empty();
        let lists = condition.lists.iter();
        let of_items = |pick: &dyn Fn(&&RequiredTexts) -> bool| {
            let gates = lists
                .clone()
                .map(|(list, asked)| Some((*list, asked.iter().find(pick)?)));
            gates
                .collect::<Option<Vec<_>>>()
                .filter(|gates| !gates.is_empty())
        };
        let mut fields = condition.fields.iter();
        if let Some(gates) = of_items(&with_words) {
            self.add_to_items(&gates, number_of);
        } else if let Some(asked) = fields.clone().find(with_words).or_else(|| fields.next()) {
            Gate::add(&mut self.fields, asked, number_of);
        } else if let Some(gates) = of_items(&|_| true) {
            self.add_to_items(&gates, number_of);
        } else {
            self.open.push(number_of);
        }
    }

    fn add_to_items(&mut self, gates: &[(usize, &RequiredTexts)], condition: usize) {
        for (list, asked) in gates {
            let at = number(&mut self.items, (*list, Vec::new()), |(known, _)| {
                known == list
            });
            if let Some((_, of_list)) = self.items.get_mut(at) {
                Gate::add(of_list, asked, condition);
            }
        }
    }
}

fn haystack<'t>(text: Option<&'t str>, lower: Option<&'t str>) -> Option<Haystack<'t>> {
    Some(Haystack::new(text?, lower?))
}

/// Returns the index of an item in a list, adding it if it is new.
fn number<T>(all: &mut Vec<T>, new: T, is_same: impl Fn(&T) -> bool) -> usize {
    all.iter().position(is_same).unwrap_or_else(|| {
        all.push(new);
        all.len() - 1
    })
}

impl ObjectPrefilter {
    /// Creates a prefilter of these conditions, keeping their order.
    pub fn new(
        conditions: impl Iterator<Item = (ConditionId, Arc<ObjectPattern>)>,
    ) -> ObjectPrefilter {
        let mut prefilter = ObjectPrefilter {
            paths: Vec::new(),
            by_key: HashMap::default(),
            lists: Vec::new(),
            conditions: Vec::new(),
            tests: 0,
            by_format: Default::default(),
            of_others: Gates::default(),
        };
        for (leaf, pattern) in conditions {
            let of_object = |(path, _): &(&String, _)| !computed::is_computed(path);
            let fields = pattern.fields.iter().filter(of_object);
            let fields = fields
                .filter_map(|(path, test)| RequiredTexts::new(path, test, &mut prefilter.paths))
                .collect();
            let tested =
                |path: &str, test: &ValueTest, paths: &mut Vec<Box<str>>, all: &mut usize| {
                    (!test.is_plain()).then(|| {
                        *all += 1;
                        Tested {
                            path: number(paths, path.into(), |known| **known == *path),
                            key: path.into(),
                            number: *all - 1,
                        }
                    })
                };
            let all = &mut prefilter.tests;
            let tests = pattern.fields.iter().filter(of_object);
            let tests = tests
                .filter_map(|(path, test)| tested(path, test, &mut prefilter.paths, all))
                .collect();
            let mut lists = Vec::new();
            let mut item_tests = Vec::new();
            for list in &pattern.each.0 {
                let at = number(
                    &mut prefilter.lists,
                    (list.as_str().into(), Vec::new()),
                    |(known, _)| **known == **list,
                );
                if let Some((_, paths)) = prefilter.lists.get_mut(at) {
                    let asked = pattern.item.iter();
                    let asked =
                        asked.filter_map(|(path, test)| RequiredTexts::new(path, test, paths));
                    lists.push((at, asked.collect()));
                    let tests = pattern.item.iter();
                    let tests = tests.filter_map(|(path, test)| tested(path, test, paths, all));
                    item_tests.push(tests.collect());
                }
            }
            let condition = PrefilteredCondition {
                leaf,
                name: RequiredName::new(&pattern.name.0),
                namespace: RequiredName::new(&pattern.namespace.0),
                pattern,
                fields,
                tests,
                lists,
                item_tests,
            };
            let number = prefilter.conditions.len();
            for (format, gates) in FORMATS.iter().zip(&mut prefilter.by_format) {
                if is_one_of(&condition.pattern.format.0, Some(format.name())) {
                    gates.add(&condition, number);
                }
            }
            prefilter.of_others.add(&condition, number);
            prefilter.conditions.push(condition);
        }
        for (number, path) in prefilter.paths.iter().enumerate() {
            let ends = path.match_indices('.').map(|(dot, _)| dot);
            for end in ends.chain(std::iter::once(path.len())) {
                let key = path.get(..end).unwrap_or_default();
                prefilter.by_key.entry(key.into()).or_default().push(number);
            }
        }
        prefilter
    }

    /// Returns the values known to be missing, judging by the object's keys; the others are `None` until looked up.
    fn lacking<'o, 'a>(&self, object: &'o Object<'a>) -> Vec<Option<Option<&'o Value<'a>>>> {
        let mut known = vec![Some(None); self.paths.len()];
        let keys = object.fields.iter().map(|(key, _)| self.by_key.get(key));
        for number in keys.flatten().flatten() {
            if let Some(slot) = known.get_mut(*number) {
                *slot = None;
            }
        }
        known
    }

    /// Calls `may` with each condition that an object may fulfil and the field tests that it has passed. `may` returns
    /// false if the captured values rule the condition out.
    pub fn pass(
        &self,
        object: &Object<'_>,
        memo: &mut Memo,
        mut may: impl FnMut(ConditionId, &ObjectPattern, TestedFields<'_>) -> bool,
    ) {
        // prefilters are created once and never move
        let OfKind { results, last } = memo.of(std::ptr::from_ref(self).addr(), self.tests);
        let (name, namespace) = (&object.subject.name, &object.subject.namespace);
        let lower_name = name.as_deref().map(in_lower_case);
        let lower_namespace = namespace.as_deref().map(in_lower_case);
        let name = haystack(name.as_deref(), lower_name.as_deref());
        let namespace = haystack(namespace.as_deref(), lower_namespace.as_deref());
        let mut ask = |known: &PrefilteredCondition, results: &mut Results| {
            let (tests, pattern) = (&known.tests, &*known.pattern);
            // another row that is like this one may have the name
            if !known.name.may_be(name, &pattern.name.0)
                || !known.namespace.may_be(namespace, &pattern.namespace.0)
            {
                return true;
            }
            may(known.leaf, pattern, TestedFields { results, tests })
        };
        let is_row = !object.fields.is_nested();
        let holds = |range: &RangeTest| self.holds(range, object);
        if is_row && let Some(last) = last.as_ref().filter(|last| last.is_like(object, holds)) {
            for known in last.passed.iter().filter_map(|at| self.conditions.get(*at)) {
                ask(known, results);
            }
            return;
        }
        let known = self.lacking(object);
        let present: Vec<usize> = match is_row {
            true => (0..known.len()).filter(|at| known[*at].is_none()).collect(),
            false => Vec::new(),
        };
        let mut values = Values {
            prefilter: self,
            object,
            places: vec![None; self.lists.len()],
            known,
            results,
            exact: Vec::new(),
            ranges: Vec::new(),
            has_lists: !is_row,
        };
        let format = FORMATS.iter().position(|format| *format == object.format);
        let gates = format.and_then(|format| self.by_format.get(format));
        let mut passed = values.pass(gates.unwrap_or(&self.of_others));
        passed.retain(|number| {
            let known = self.conditions.get(*number);
            known.is_some_and(|known| {
                let mut tests = known.tests.iter().enumerate();
                (!known.pattern.listed || object.listed)
                    && !known.fields.iter().any(|asked| values.refuse(asked))
                    && tests.all(|(test, tested)| values.hold((*number, test), known, tested))
                    && (known.lists.is_empty() || values.have_item(known))
                    && ask(known, values.results)
            })
        });
        if is_row {
            let is_exact = |at: &&usize| match values.known.get(**at) {
                Some(Some(Some(Value::Integer(..)))) => values.exact.contains(*at),
                Some(looked_at) => looked_at.is_some(),
                None => false,
            };
            let paths = present.iter().filter(is_exact);
            let paths = paths.filter_map(|at| self.paths.get(*at).map(AsRef::as_ref));
            *last = LastRow::new(object, paths, std::mem::take(&mut values.ranges), passed);
        }
    }

    /// Evaluates a range test on an object.
    fn holds(&self, range: &RangeTest, object: &Object<'_>) -> bool {
        let test = || {
            let condition = self.conditions.get(range.condition)?;
            let key = &condition.tests.get(range.test)?.key;
            Some((condition.pattern.fields.get(&**key)?, key))
        };
        test().is_none_or(|(test, key)| leaf::holds(test, object.fields.get(key)))
    }
}

/// The values of an object that have been looked up.
struct Values<'s, 'o, 'a> {
    prefilter: &'s ObjectPrefilter,
    object: &'o Object<'a>,
    /// For each list, its items and the index of its first item's values in `known`.
    places: Vec<Option<(Vec<&'o Value<'a>>, usize)>>,
    /// The values by path index: first those of the object, then those of each item.
    known: Vec<Option<Option<&'o Value<'a>>>>,
    /// The last results, by test number.
    results: &'s mut Results,
    /// The paths of numbers that were tested for more than their range.
    exact: Vec<usize>,
    /// The range tests that were evaluated.
    ranges: Vec<RangeTest>,
    /// False if all values are scalars, as in a table row.
    has_lists: bool,
}

impl<'o, 'a> Values<'_, 'o, 'a> {
    /// Returns the numbers of the conditions that pass their gates, in order.
    fn pass(&mut self, gates: &Gates) -> Vec<usize> {
        let mut passed = gates.open.clone();
        for gate in &gates.fields {
            gate.pass(self.field(gate.path), &mut passed);
        }
        for (list, gates) in &gates.items {
            for item in 0..self.items(*list) {
                for gate in gates {
                    gate.pass(self.of_item(*list, item, gate.path), &mut passed);
                }
            }
        }
        passed.sort_unstable();
        passed.dedup();
        passed
    }

    /// Returns the value of the object at a path.
    fn field(&mut self, path: usize) -> Option<&'o Value<'a>> {
        let find = || self.object.fields.get(self.prefilter.paths.get(path)?);
        let slot = self.known.get_mut(path)?;
        *slot.get_or_insert_with(find)
    }

    /// Returns true if a value of the object fails a word test.
    fn refuse(&mut self, asked: &RequiredTexts) -> bool {
        asked.refuses(self.field(asked.path))
    }

    /// Returns the number of a list's items.
    fn items(&mut self, list: usize) -> usize {
        if !self.has_lists {
            return 0;
        }
        let (Some((name, paths)), Some(place)) =
            (self.prefilter.lists.get(list), self.places.get_mut(list))
        else {
            return 0;
        };
        let (items, _) = place.get_or_insert_with(|| {
            let items: Vec<_> = self.object.fields.all_items(name).collect();
            let begin = self.known.len();
            self.known.resize(begin + items.len() * paths.len(), None);
            (items, begin)
        });
        items.len()
    }

    /// Returns the value of a list's item at a path.
    fn of_item(&mut self, list: usize, number: usize, path: usize) -> Option<&'o Value<'a>> {
        let (_, paths) = self.prefilter.lists.get(list)?;
        let (items, begin) = self.places.get(list)?.as_ref()?;
        let item = *items.get(number)?;
        let slot = self.known.get_mut(*begin + number * paths.len() + path)?;
        *slot.get_or_insert_with(|| item.get(paths.get(path)?))
    }

    /// Returns true if a value of the object passes a test, given the indices of its condition and of the test.
    fn hold(
        &mut self,
        (condition, number): (usize, usize),
        known: &PrefilteredCondition,
        tested: &Tested,
    ) -> bool {
        let value = self.field(tested.path);
        let Some(test) = known.pattern.fields.get(&*tested.key) else {
            return true;
        };
        let holds = self.results.holds(tested.number, test, value);
        if let Some(Value::Integer(..)) = value {
            match test.is_of_number() {
                true => self.ranges.push(RangeTest {
                    condition,
                    test: number,
                    holds,
                }),
                false => self.exact.push(tested.path),
            }
        }
        holds
    }

    /// Returns true if an item of one of a condition's lists may fulfil all of its tests.
    fn have_item(&mut self, condition: &PrefilteredCondition) -> bool {
        let mut lists = condition.lists.iter().zip(&condition.item_tests);
        lists.any(|((list, asked), tests)| {
            (0..self.items(*list)).any(|item| {
                let refused = asked
                    .iter()
                    .any(|asked| asked.refuses(self.of_item(*list, item, asked.path)));
                !refused
                    && tests.iter().all(|tested| {
                        let value = self.of_item(*list, item, tested.path);
                        let test = condition.pattern.item.get(&*tested.key);
                        test.is_none_or(|test| self.results.holds(tested.number, test, value))
                    })
            })
        })
    }
}

#[cfg(test)]
mod tests;
