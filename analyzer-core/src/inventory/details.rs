//! The details of facts that a report shows, such as their lines, encoded in a few bytes: most facts of healthy objects
//! are never shown.

use super::numbers::{Numbers, push, push_signed};
use super::symbols::{Symbol, Symbols};
use kwhy_parse::input::Place;

/// The details of a fact that a report shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Detail {
    pub weight: u16,
    /// The length of the proof in bytes.
    pub length: usize,
    /// The line of the proof.
    pub place: Place,
    /// The further lines shown with it.
    pub around: Vec<Place>,
    pub container: Option<Symbol>,
    /// The time at which the previous run of a container ended, in nanoseconds since 1970.
    pub ended: Option<i128>,
    pub of_list: bool,
    pub refined: bool,
}

const OF_LIST: u64 = 1;
const REFINED: u64 = 2;
const CONTAINER: u64 = 4;
const ENDED: u64 = 8;
const AROUND: u64 = 16;
/// Set if the details are complete: facts that only refute have at most a container.
const SHOWN: u64 = 32;

impl Detail {
    /// Encodes the details. `line` is a line number near their own; `is_shown` is false if only the container is
    /// needed.
    pub fn write(&self, bytes: &mut Vec<u8>, is_shown: bool, line: u64, symbols: &mut Symbols) {
        let around = &*self.around;
        let flags = [
            (self.of_list, OF_LIST),
            (self.refined, REFINED),
            (self.container.is_some(), CONTAINER),
            (self.ended.is_some(), ENDED),
            (!around.is_empty(), AROUND),
            (is_shown, SHOWN),
        ];
        let flags = flags.into_iter().filter(|(holds, _)| *holds);
        push(bytes, flags.map(|(_, flag)| flag).sum());
        if let Some(container) = self.container {
            push(bytes, container.number().into());
        }
        if !is_shown {
            return;
        }
        if let Some(ended) = self.ended {
            bytes.extend(ended.to_le_bytes());
        }
        push(bytes, self.weight.into());
        push(bytes, self.length as u64);
        write_place(&self.place, bytes, line, symbols);
        if !around.is_empty() {
            push(bytes, around.len() as u64);
        }
        for place in around {
            write_place(place, bytes, self.place.line, symbols);
        }
    }

    /// Decodes details; `line` must be that passed to `write`. `None` if the bytes are invalid.
    pub fn read(mut numbers: Numbers<'_>, line: u64, symbols: &Symbols) -> Option<Detail> {
        let numbers = &mut numbers;
        let flags = numbers.number()?;
        let has = |flag: u64| flags & flag != 0;
        let container = match has(CONTAINER) {
            true => Some(read_symbol(numbers)?),
            false => None,
        };
        if !has(SHOWN) {
            return Some(Detail {
                container,
                ..Detail::default()
            });
        }
        let ended = match has(ENDED) {
            true => Some(i128::from_le_bytes(numbers.bytes(16)?.try_into().ok()?)),
            false => None,
        };
        let weight = u16::try_from(numbers.number()?).ok()?;
        let length = numbers.number()? as usize;
        let place = read_place(numbers, line, symbols)?;
        let lines = match has(AROUND) {
            true => numbers.number()?,
            false => 0,
        };
        let around = (0..lines).map(|_| read_place(numbers, place.line, symbols));
        Some(Detail {
            weight,
            length,
            around: around.collect::<Option<_>>()?,
            place,
            container,
            ended,
            of_list: has(OF_LIST),
            refined: has(REFINED),
        })
    }
}

fn write_place(place: &Place, bytes: &mut Vec<u8>, line: u64, symbols: &mut Symbols) {
    let text = symbols.add(&place.text);
    push_signed(bytes, place.line.wrapping_sub(line) as i64);
    push(bytes, place.column);
    push(bytes, text.number().into());
    push(bytes, place.mark.start as u64);
    push(bytes, place.mark.len() as u64);
}

fn read_place(numbers: &mut Numbers<'_>, line: u64, symbols: &Symbols) -> Option<Place> {
    let line = line.wrapping_add(numbers.signed()? as u64);
    let column = numbers.number()?;
    let text = symbols.text(read_symbol(numbers)?).to_owned();
    let start = numbers.number()? as usize;
    Some(Place {
        line,
        column,
        text,
        mark: start..start + numbers.number()? as usize,
    })
}

/// Reads a symbol.
pub(super) fn read_symbol(numbers: &mut Numbers<'_>) -> Option<Symbol> {
    let number = u32::try_from(numbers.number()?).ok()?;
    Some(Symbol::from_number(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_come_back_as_they_were() {
        let mut symbols = Symbols::default();
        let place = |line: u64| Place {
            line,
            column: line * 300,
            text: format!("\"image\": \"quay-{line}\""),
            mark: 3..140,
        };
        let all = [
            Detail::default(),
            Detail {
                weight: u16::MAX,
                length: 1 << 33,
                place: place(u64::MAX / 600),
                around: vec![place(1), place(127), place(128)],
                container: Some(symbols.add("arm")),
                ended: Some(-1),
                of_list: true,
                refined: true,
            },
            Detail {
                place: place(70_000),
                refined: true,
                ..Detail::default()
            },
        ];
        for detail in all {
            for line in [0, 70_000, u64::MAX] {
                let mut bytes = Vec::new();
                detail.write(&mut bytes, true, line, &mut symbols);
                let read = Detail::read(Numbers(&bytes), line, &symbols);
                assert_eq!(read.as_ref(), Some(&detail));
            }
        }
    }

    #[test]
    fn what_only_refutes_keeps_its_container() {
        let mut symbols = Symbols::default();
        let detail = Detail {
            container: Some(symbols.add("arm")),
            ..Detail::default()
        };
        let mut bytes = Vec::new();
        detail.write(&mut bytes, false, 7, &mut symbols);
        assert_eq!(bytes.len(), 2);
        assert_eq!(Detail::read(Numbers(&bytes), 7, &symbols), Some(detail));
        assert_eq!(Detail::read(Numbers(&[]), 7, &symbols), None);
    }
}
