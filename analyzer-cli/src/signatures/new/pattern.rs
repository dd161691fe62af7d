//! Proposes a pattern for a message: what varies from case to case becomes a slot.

use kwhy_core::Subject;
use kwhy_core::signature::GIVEN;

/// The maximum number of named slots; further ones are `{_}`.
const MOST: usize = 6;

/// The maximum number of characters of a message that a pattern is made of.
const LONGEST: usize = 300;

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Fixed words.
    Words(String),
    /// A value that varies.
    Slot {
        /// Its name; `None` for `{_}`.
        name: Option<String>,
        /// Its type, such as `int`; empty if it has none.
        kind: &'static str,
        /// The value in the message.
        value: String,
    },
}

/// A pattern with the message it was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The parts, in order; words and slots do not always alternate.
    pub parts: Vec<Part>,
}

impl Proposal {
    /// Proposes a pattern for the first line of a message.
    pub fn of(message: &str) -> Proposal {
        let line = message.lines().next().unwrap_or("").trim();
        let line = match line.char_indices().nth(LONGEST) {
            Some((at, _)) => line.get(..at).and_then(|cut| cut.rsplit_once(' ')),
            None => None,
        }
        .map_or(line, |(cut, _)| cut);
        let mut reader = Reader::default();
        let mut rest = line;
        while !rest.is_empty() {
            rest = reader.next(rest);
        }
        Proposal {
            parts: reader.parts,
        }
    }

    /// Returns the pattern in the language of signatures.
    pub fn pattern(&self) -> String {
        self.written(|name, kind| match (name, kind) {
            (None, _) => "{_}".to_owned(),
            (Some(name), "") => format!("{{{name}}}"),
            (Some(name), kind) => format!("{{{name}:{kind}}}"),
        })
    }

    /// Returns a title with the same words and slots.
    pub fn title(&self) -> String {
        self.written(|name, _| name.map_or("…".to_owned(), |name| format!("{{{name}}}")))
    }

    fn written(&self, slot: impl Fn(Option<&str>, &str) -> String) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Words(words) => words.replace('{', "{{").replace('}', "}}"),
            Part::Slot { name, kind, .. } => slot(name.as_deref(), kind),
        });
        parts.collect()
    }

    /// Returns the names and values of the named slots.
    pub fn captures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Slot {
                name: Some(name),
                value,
                ..
            } => Some((name.as_str(), value.as_str())),
            _ => None,
        })
    }

    /// Returns the same message with other values.
    pub fn of_others(&self) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Words(words) => words.clone(),
            Part::Slot { value, .. } => other(value),
        });
        parts.collect()
    }

    /// Returns the message without its last words, which the pattern needs; `None` if nothing is left.
    pub fn cut(&self) -> Option<String> {
        let is_words =
            |part: &Part| matches!(part, Part::Words(words) if words.contains(char::is_alphabetic));
        let last = self.parts.iter().rposition(is_words)?;
        let before = self.parts.get(..last)?.iter().map(|part| match part {
            Part::Words(words) => words.as_str(),
            Part::Slot { value, .. } => value,
        });
        let mut text: String = before.collect();
        if let Some(Part::Words(words)) = self.parts.get(last) {
            // these are the only words: keep half of them
            let half = words.split_inclusive(' ').count() / 2;
            let kept = match last {
                0 => half,
                _ => 0,
            };
            words
                .split_inclusive(' ')
                .take(kept)
                .for_each(|word| text += word);
        }
        let text = text.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}

/// Returns another value of the same shape.
fn other(value: &str) -> String {
    let digit = value.rfind(|c: char| c.is_ascii_digit());
    match digit {
        Some(at) => {
            let next = match value.as_bytes().get(at) {
                Some(b'9') | None => '1',
                Some(digit) => char::from(digit + 1),
            };
            let (before, after) = (
                value.get(..at).unwrap_or(""),
                value.get(at + 1..).unwrap_or(""),
            );
            format!("{before}{next}{after}")
        }
        None => match value.rfind(char::is_alphabetic) {
            Some(at) => {
                let after = value.get(at..).and_then(|rest| rest.chars().next());
                let end = at + after.map_or(0, char::len_utf8);
                let (before, after) = value.split_at(end);
                format!("{before}x{after}")
            }
            None => value.to_owned(),
        },
    }
}

#[derive(Default)]
struct Reader {
    parts: Vec<Part>,
    /// The word before, from which the next slot is named.
    before: String,
    names: Vec<String>,
}

impl Reader {
    /// Consumes the next part, and returns the rest.
    fn next<'t>(&mut self, text: &'t str) -> &'t str {
        let mut chars = text.chars();
        let Some(first) = chars.next() else {
            return "";
        };
        if let Some((value, after)) = quoted(text, first) {
            self.words(&first.to_string());
            self.slot("", value);
            self.words(&first.to_string());
            return after;
        }
        if !is_of_word(first) {
            self.words(&first.to_string());
            return chars.as_str();
        }
        let end = text.find(|c: char| !is_of_word(c)).unwrap_or(text.len());
        let (word, after) = text.split_at(end);
        let trimmed = word.trim_end_matches(['.', ':', ',']);
        let (word, after) = match trimmed.is_empty() {
            true => (word, after),
            false => (trimmed, &text[trimmed.len()..]),
        };
        if let Some((key, value)) = word
            .split_once('=')
            .filter(|(key, value)| is_key(key) && !value.is_empty())
        {
            self.words(&format!("{key}="));
            self.before = key.to_owned();
            self.slot(kind_of(value), value);
        } else if let Some((key, "")) = word.split_once('=') {
            self.words(&format!("{key}="));
            self.before = key.to_owned();
        } else if self.changes(word) {
            self.slot(kind_of(word), word);
        } else {
            self.words(word);
            self.before = word.to_owned();
        }
        after
    }

    /// Returns true if a word varies from case to case: a number, a path, a name after the word for its kind.
    fn changes(&self, word: &str) -> bool {
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        let is_named = (Subject::is_kind_word(&self.before) || self.before == "namespace")
            && self
                .parts
                .last()
                .is_some_and(|part| matches!(part, Part::Words(words) if words.ends_with(' ')))
            && word.contains(['-', '.'])
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || b"-.".contains(&byte));
        let is_path = word.contains('/') && word.len() > 3;
        // `v1`, `x509` and `http2` are words
        let is_term = word.len() < 6 && word.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_masked = word.contains("***");
        is_path || is_named || is_masked || has_digit && !is_term
    }

    fn words(&mut self, words: &str) {
        match self.parts.last_mut() {
            Some(Part::Words(last)) => last.push_str(words),
            _ => self.parts.push(Part::Words(words.to_owned())),
        }
    }

    fn slot(&mut self, kind: &'static str, value: &str) {
        let name = (self.names.len() < MOST).then(|| self.name());
        self.names.extend(name.clone());
        self.parts.push(Part::Slot {
            name,
            kind,
            value: value.to_owned(),
        });
        self.before.clear();
    }

    /// Returns an unused name for a slot, made of the word before it.
    fn name(&self) -> String {
        let word: String = self.before.to_ascii_lowercase();
        let word: String = word
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let word = word.trim_matches('_');
        let is_word = word.len() > 1 && word.starts_with(|c: char| c.is_ascii_lowercase());
        let mut base = match is_word {
            true => word.to_owned(),
            false => "value".to_owned(),
        };
        if GIVEN.contains(&base.as_str()) {
            base += "_name";
        }
        let mut name = base.clone();
        let mut number = 2;
        while self.names.contains(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || "-_./:@=%+*~".contains(c)
}

fn is_key(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the quoted text at the start, and what follows it; `None` if the quote is not closed.
fn quoted(text: &str, quote: char) -> Option<(&str, &str)> {
    if !matches!(quote, '"' | '\'' | '`') {
        return None;
    }
    let inside = text.get(1..)?;
    let end = inside.find(quote).filter(|end| (1..=120).contains(end))?;
    let (value, after) = (inside.get(..end)?, inside.get(end + 1..)?);
    // an apostrophe is not a quote
    let is_closed = after.chars().next().is_none_or(|c| !c.is_alphanumeric());
    (is_closed && !value.starts_with(' ')).then_some((value, after))
}

/// Returns the type of a value on its own.
fn kind_of(value: &str) -> &'static str {
    match value.bytes().all(|byte| byte.is_ascii_digit()) {
        true => "int",
        false => "word",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (message, pattern) in [
            (
                "batch rye-0412 not baked: recipe \"rye\" in namespace bakery names flour \"dark-rye\", which no pantry holds",
                "batch {batch:word} not baked: recipe \"{recipe}\" in namespace bakery names flour \"{flour}\", which no pantry holds",
            ),
            (
                "oven 7 of pod shop/oven-0 is cold: 17 degrees, want temp=180 {x}",
                "oven {oven:int} of pod {pod_name:word} is cold: {value:int} degrees, want temp={temp:int} {{x}}",
            ),
            (
                "x509: the oven's door isn't shut",
                "x509: the oven's door isn't shut",
            ),
            (
                "a 1 a 2 a 3",
                "a {value:int} a {value_2:int} a {value_3:int}",
            ),
        ] {
            assert_eq!(Proposal::of(message).pattern(), pattern);
        }
    }

    #[test]
    fn neighbours() {
        let proposal = Proposal::of("oven 7 is cold: recipe \"rye\" waits");
        assert_eq!(
            proposal.of_others(),
            "oven 8 is cold: recipe \"ryex\" waits"
        );
        assert_eq!(
            proposal.cut().as_deref(),
            Some("oven 7 is cold: recipe \"rye")
        );
        assert_eq!(
            proposal.captures().collect::<Vec<_>>(),
            [("oven", "7"), ("recipe", "rye")]
        );
        assert_eq!(
            Proposal::of("the oven is cold").cut().as_deref(),
            Some("the oven")
        );
    }

    proptest::proptest! {
        #[test]
        fn any_message(message in "[a-zA-Z0-9 =\"'{}/:.é-]{0,80}") {
            let proposal = Proposal::of(&message);
            let parts = proposal.parts.iter().map(|part| match part {
                Part::Words(words) => words.as_str(),
                Part::Slot { value, .. } => value,
            });
            let whole: String = parts.collect();
            proptest::prop_assert_eq!(whole, message.trim());
        }
    }
}
