//! What patterns look at in one event, computed once and only when asked for.

use std::cell::OnceCell;

use memchr::{memchr, memmem};

use crate::chain::ErrorChain;
use crate::model::{Event, Text, TextBuilder};

/// An event with its texts ready for patterns.
pub(crate) struct EventFacts<'e, 'a> {
    pub event: &'e Event<'a>,
    /// The record as it is written.
    record: &'e [u8],
    texts: OnceCell<Vec<Text<'a>>>,
    chain: OnceCell<ErrorChain<'a>>,
}

impl<'e, 'a> EventFacts<'e, 'a> {
    pub fn new(event: &'e Event<'a>, record: &'e [u8]) -> Self {
        EventFacts {
            event,
            record,
            texts: OnceCell::new(),
            chain: OnceCell::new(),
        }
    }

    /// The texts that may say what went wrong, without the backslashes before quotes: the same
    /// error reads alike at every depth of quoting.
    pub fn texts(&self) -> &[Text<'a>] {
        self.texts
            .get_or_init(|| self.event.texts().map(unquoted).collect())
    }

    /// Whether one of these words stands in one of the texts as it is.
    pub fn hold_one_of(&self, words: &[String]) -> bool {
        self.texts().iter().any(|text| {
            words
                .iter()
                .any(|word| memmem::find(text.as_str().as_bytes(), word.as_bytes()).is_some())
        })
    }

    /// Whether one of these texts stands in the record as it is written.
    pub fn is_written(&self, texts: &[String]) -> bool {
        let stands = |text: &String| memmem::find(self.record, text.as_bytes()).is_some();
        texts.iter().any(stands)
    }

    pub fn chain(&self) -> &ErrorChain<'a> {
        self.chain.get_or_init(|| self.event.chain())
    }
}

/// The text without the backslashes that stand before quotes.
pub(crate) fn unquoted<'a>(text: &Text<'a>) -> Text<'a> {
    let value = text.as_str();
    let bytes = value.as_bytes();
    let Some(first) = memchr(b'\\', bytes) else {
        return text.clone();
    };
    let mut builder = TextBuilder::new();
    let mut kept = 0;
    let mut at = first;
    while let Some(offset) = memchr(b'\\', &bytes[at..]) {
        let start = at + offset;
        let run = bytes[start..].iter().take_while(|b| **b == b'\\').count();
        at = start + run;
        if matches!(bytes.get(at), Some(b'"' | b'\'')) {
            builder.push_text(&text.slice(kept..start));
            let quote = if bytes[at] == b'"' { "\"" } else { "'" };
            builder.push_decoded(quote, text.source_span(start..at + 1));
            at += 1;
            kept = at;
        }
    }
    builder.push_text(&text.slice(kept..value.len()));
    builder.finish()
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
}
