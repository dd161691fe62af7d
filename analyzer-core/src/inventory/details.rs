//! What a report shows of facts: their lines, each in a few bytes, as most facts of healthy objects are never shown.

use std::num::NonZeroU32;

use super::chunks::Chunks;
use super::symbols::{Symbol, Symbols};
use kwhy_parse::input::Place;

/// What a report shows of a fact.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Detail {
    /// The length of the proof.
    pub length: usize,
    /// Its line.
    pub place: Place,
    /// The lines beside it.
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

/// Details one after the other, in numbers of 7 bits a byte.
#[derive(Clone, Debug, Default)]
pub(super) struct Details {
    all: Chunks<u8>,
    /// The one that is written.
    written: Vec<u8>,
}

impl Details {
    /// Adds a detail and says where it starts, counted from 1; none if there is no more room.
    pub fn add(&mut self, detail: Detail, symbols: &mut Symbols) -> Option<NonZeroU32> {
        self.written.clear();
        let flag = |holds: bool, flag: u64| if holds { flag } else { 0 };
        self.push(
            flag(detail.of_list, OF_LIST)
                | flag(detail.refined, REFINED)
                | flag(detail.container.is_some(), CONTAINER)
                | flag(detail.ended.is_some(), ENDED),
        );
        if let Some(container) = detail.container {
            self.push(container.number().into());
        }
        if let Some(ended) = detail.ended {
            self.written.extend(ended.to_le_bytes());
        }
        self.push(detail.length as u64);
        self.place(&detail.place, symbols);
        self.push(detail.around.len() as u64);
        for place in &detail.around {
            self.place(place, symbols);
        }
        let start = self.all.add(&self.written)?;
        NonZeroU32::new(start.checked_add(1)?)
    }

    fn place(&mut self, place: &Place, symbols: &mut Symbols) {
        let text = symbols.add(&place.text);
        self.push(place.line);
        self.push(place.column);
        self.push(text.number().into());
        self.push(place.mark.start as u64);
        self.push(place.mark.len() as u64);
    }

    fn push(&mut self, mut number: u64) {
        while number > 0x7f {
            self.written.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.written.push(number as u8);
    }

    /// Returns the detail that starts at a place.
    pub fn get(&self, start: NonZeroU32, symbols: &Symbols) -> Option<Detail> {
        let mut reading = Reading(self.all.since(start.get() - 1));
        let flags = reading.number()?;
        let container = match flags & CONTAINER {
            0 => None,
            _ => Some(reading.symbol()?),
        };
        let ended = match flags & ENDED {
            0 => None,
            _ => Some(reading.wide()?),
        };
        Some(Detail {
            length: reading.number()? as usize,
            place: reading.place(symbols)?,
            around: {
                let lines = reading.number()?;
                let lines = (0..lines).map(|_| reading.place(symbols));
                lines.collect::<Option<_>>()?
            },
            container,
            ended,
            of_list: flags & OF_LIST != 0,
            refined: flags & REFINED != 0,
        })
    }

    /// The bytes that they take.
    pub fn bytes(&self) -> usize {
        self.all.bytes()
    }
}

/// The bytes from a detail on.
struct Reading<'d>(&'d [u8]);

impl Reading<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn symbol(&mut self) -> Option<Symbol> {
        self.number()
            .map(|number| Symbol::from_number(number as u32))
    }

    fn wide(&mut self) -> Option<i128> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(i128::from_le_bytes(*bytes))
    }

    fn place(&mut self, symbols: &Symbols) -> Option<Place> {
        let (line, column) = (self.number()?, self.number()?);
        let text = symbols.text(self.symbol()?).to_owned();
        let start = self.number()? as usize;
        Some(Place {
            line,
            column,
            text,
            mark: start..start + self.number()? as usize,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_come_back_as_they_were() {
        let mut symbols = Symbols::default();
        let mut details = Details::default();
        let place = |line: u64| Place {
            line,
            column: line * 300,
            text: format!("\"image\": \"quay-{line}\""),
            mark: 3..140,
        };
        let all = [
            Detail::default(),
            Detail {
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
        let starts: Vec<_> = (all.iter())
            .map(|detail| details.add(detail.clone(), &mut symbols).unwrap())
            .collect();
        for (start, detail) in starts.into_iter().zip(all) {
            assert_eq!(details.get(start, &symbols), Some(detail));
        }
    }
}
