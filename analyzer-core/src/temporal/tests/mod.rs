mod automaton;
mod nested;
mod reference;
mod schema;
mod signatures;
mod stream;

use super::automaton::{Automaton, Entry, Lasting, Shape, Time};
use kwhy_signature::Reach;

/// Matches as the numbers of their entries, by slot.
type Matches = Vec<Vec<usize>>;

/// Parses a shape: `a b*2` is two slots, the second of which needs a count of two.
fn shape(ordered: bool, slots: &str, window: i64, refutations: &[Reach]) -> Shape {
    let need = |slot: &str| {
        let need = slot.split_once('*').map_or("1", |(_, need)| need);
        need.parse().unwrap()
    };
    Shape {
        ordered,
        needs: slots.split(' ').map(need).collect(),
        window: Time::from(window),
        refutations: refutations.to_vec(),
        lasting: Lasting::default(),
    }
}

/// Parses entries from `time:letters`: `a` to `h` fill the slots in order, `N` to `Q` are the
/// refutations, a digit is the count.
fn entries(text: &str) -> Vec<Entry<usize>> {
    let words = text.split_whitespace().enumerate();
    let entry = |(item, word): (usize, &str)| {
        let (time, letters) = word.split_once(':').unwrap();
        let mut entry = Entry {
            time: time.parse().unwrap(),
            span: None,
            count: 1,
            slots: 0,
            refutations: 0,
            item,
        };
        for letter in letters.bytes() {
            match letter {
                b'a'..=b'h' => entry.slots |= 1 << (letter - b'a'),
                b'N'..=b'Q' => entry.refutations |= 1 << (letter - b'N'),
                digit => entry.count = u64::from(digit - b'0'),
            }
        }
        entry
    };
    words.map(entry).collect()
}

fn run(shape: &Shape, entries: &[Entry<usize>]) -> Matches {
    let mut automaton = Automaton::new(shape);
    let mut fired = Vec::new();
    for entry in entries {
        automaton.take(shape, entry.clone(), &mut fired);
    }
    automaton.finish(shape, &mut fired);
    let items = |full: Vec<(usize, usize)>| full.into_iter().map(|(_, item)| item).collect();
    fired.into_iter().map(items).collect()
}
