//! The texts of an event that patterns are matched against, computed once and only on demand.

use std::cell::{Cell, OnceCell};

use memchr::{memchr, memchr2, memmem};

use kwhy_errors::ErrorChain;
use kwhy_model::{Event, Format, Text, TextBuilder};
use kwhy_parse::log::unwrapped;
use kwhy_prefilter::{Bloom, Token};
use kwhy_signature::Haystack;

/// An event with its texts prepared for patterns.
pub(crate) struct EventView<'e, 'a> {
    pub event: &'e Event<'a>,
    /// The raw record.
    record: &'e [u8],
    texts: OnceCell<Vec<Text<'a>>>,
    /// The texts in lower case.
    lower: OnceCell<Vec<String>>,
    /// A Bloom filter of the lower-case texts.
    marks: OnceCell<Bloom>,
    /// A Bloom filter of the raw record.
    record_marks: OnceCell<Bloom>,
    chain: OnceCell<ErrorChain<'a>>,
    /// The record without its envelopes, if it has any.
    unwrapped: OnceCell<Option<Text<'e>>>,
    /// The number of tests that stopped at a limit.
    stopped: Cell<u64>,
}

impl<'e, 'a> EventView<'e, 'a> {
    pub fn new(event: &'e Event<'a>, record: &'e [u8]) -> Self {
        EventView {
            event,
            record,
            texts: OnceCell::new(),
            lower: OnceCell::new(),
            marks: OnceCell::new(),
            record_marks: OnceCell::new(),
            chain: OnceCell::new(),
            unwrapped: OnceCell::new(),
            stopped: Cell::new(0),
        }
    }

    /// Returns the raw record.
    pub fn record_text(&self) -> &'e str {
        std::str::from_utf8(self.record).unwrap_or_default()
    }

    /// Returns the record without its envelopes; `None` if it has none.
    pub fn unwrapped(&self) -> Option<&Text<'e>> {
        let unwrapped = || {
            self.event.envelope.as_ref()?;
            unwrapped(self.record_text())
        };
        self.unwrapped.get_or_init(unwrapped).as_ref()
    }

    /// Counts a test that stopped at a limit.
    pub fn count_stopped(&self) {
        self.stopped.set(self.stopped.get() + 1);
    }

    /// The number of tests that stopped at a limit.
    pub fn stopped(&self) -> u64 {
        self.stopped.get()
    }

    /// Returns the texts that may state the fault, with quotes unescaped (`\"` and the doubled quotes of CSV), so that
    /// an error reads the same at every depth of quoting.
    pub fn texts(&self) -> &[Text<'a>] {
        self.texts.get_or_init(|| {
            let own = self.event.texts().map(unquoted);
            let sentence = self.event.sentence().as_ref().map(unquoted);
            (self.whole_line().into_iter().chain(own))
                .chain(sentence)
                .collect()
        })
    }

    /// Returns the record without its stack trace, if its layout belongs to no known program: what was parsed as a
    /// logger, source location or pair may be part of the message.
    fn whole_line(&self) -> Option<Text<'a>> {
        let event = self.event;
        let is_taken_apart =
            !event.fields.is_empty() || event.caller.is_some() || event.component.is_some();
        if event.format != Format::TextLog || !is_taken_apart {
            return None;
        }
        let end = (event.stack.as_ref()).map_or(event.span.end, |stack| stack.start);
        let length = end.checked_sub(event.span.start)?;
        let text = std::str::from_utf8(self.record.get(..length)?).ok()?;
        let mut builder = TextBuilder::new();
        builder.push(text.trim_end(), event.span.start);
        Some(unquoted(&builder.finish()))
    }

    fn lower(&self) -> &[String] {
        self.lower.get_or_init(|| {
            let texts = self.texts().iter();
            texts
                .map(|text| text.as_str().to_ascii_lowercase())
                .collect()
        })
    }

    /// The texts in the form that patterns are matched against.
    pub fn haystacks(&self) -> impl Iterator<Item = Haystack<'_>> {
        let texts = self.texts().iter().zip(self.lower());
        texts.map(|(text, lower)| Haystack::new(text.as_str(), lower))
    }

    /// Returns a Bloom filter that rules out most words that occur in none of the texts. Words must be in lower case.
    pub fn marks(&self) -> &Bloom {
        self.marks
            .get_or_init(|| Bloom::of(self.lower().iter().map(String::as_bytes)))
    }

    /// Returns true if one of these lower-case words occurs in one of the texts.
    pub fn hold_one_of(&self, words: &[Token]) -> bool {
        let occurs = |word: &Token| {
            let mut texts = self.lower().iter();
            word.may_occur(self.marks()) && texts.any(|text| word.occurs(text.as_bytes()))
        };
        words.iter().any(occurs)
    }

    /// Returns true if one of these texts occurs in the raw record.
    pub fn is_written(&self, texts: &[Token]) -> bool {
        let marks = self.record_marks();
        let occurs = |text: &Token| text.may_occur(marks) && text.occurs(self.record);
        texts.iter().any(occurs)
    }

    /// Returns false only if none of these texts, of which there is at least one, occurs in the raw record.
    pub fn may_be_written(&self, texts: &[Token]) -> bool {
        texts.is_empty() || texts.iter().any(|text| text.may_occur(self.record_marks()))
    }

    fn record_marks(&self) -> &Bloom {
        self.record_marks.get_or_init(|| Bloom::of([self.record]))
    }

    pub fn chain(&self) -> &ErrorChain<'a> {
        self.chain.get_or_init(|| ErrorChain::of(self.event))
    }
}

/// Returns the text with escaped quotes unescaped and the doubled quotes of CSV reduced to one.
pub(crate) fn unquoted<'a>(text: &Text<'a>) -> Text<'a> {
    let value = text.as_str();
    let bytes = value.as_bytes();
    if memchr(b'\\', bytes).is_none() && memmem::find(bytes, b"\"\"").is_none() {
        return text.clone();
    }
    let mut builder = TextBuilder::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(offset) = memchr2(b'\\', b'"', &bytes[at..]) {
        let start = at + offset;
        let run = bytes[start..].iter().take_while(|b| **b == b'\\').count();
        at = start + run;
        match bytes.get(at) {
            Some(quote @ (b'"' | b'\'')) if run > 0 => {
                builder.push_text(&text.slice(kept..start));
                let quote = if *quote == b'"' { "\"" } else { "'" };
                builder.push_decoded(quote, text.source_span(start..at + 1));
                at += 1;
                kept = at;
            }
            Some(b'"') if is_doubled(bytes, at) => {
                builder.push_text(&text.slice(kept..at + 1));
                at += 2;
                kept = at;
            }
            Some(b'"') => at += 1,
            _ => {}
        }
    }
    if kept == 0 {
        return text.clone();
    }
    builder.push_text(&text.slice(kept..value.len()));
    builder.finish()
}

/// Returns true if two quotes at a place are one that CSV doubled: a word starts or ends there.
fn is_doubled(bytes: &[u8], at: usize) -> bool {
    let is_of_word = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"/._".contains(byte))
    };
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let after = bytes.get(at + 2);
    bytes.get(at + 1) == Some(&b'"') && is_of_word(before) != is_of_word(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backslashes_before_quotes_go() {
        let text = Text::borrowed(r#"caused \"a \\\"b\\\" C:\x\""#, 5);
        let flat = unquoted(&text);
        assert_eq!(flat.as_str(), r#"caused "a "b" C:\x""#);
        assert_eq!(flat.source_span(11..12), 20..21);
        assert_eq!(flat.source_span(10..11), 16..20);
    }

    #[test]
    fn doubled_quotes_around_a_word_are_one() {
        let flat = |text: &str| unquoted(&Text::borrowed(text, 0)).as_str().to_owned();
        assert_eq!(
            flat(r#"pods ""oven-0"" not found"#),
            r#"pods "oven-0" not found"#
        );
        assert_eq!(
            flat(r#"open ""/srv/oven"": denied"#),
            r#"open "/srv/oven": denied"#
        );
        for text in [
            r#"image "" is empty"#,
            r#"a="", b="x""#,
            r#"{"a":"","b":""}"#,
            "C:\\\\x",
        ] {
            assert_eq!(flat(text), text);
        }
        let text = Text::borrowed(r#"a ""b"" c"#, 5);
        assert_eq!(unquoted(&text).source_span(6..7), 13..14);
    }
}
