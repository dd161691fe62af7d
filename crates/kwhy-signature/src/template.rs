//! Texts with slots that a match fills: titles, labels, explanations.

use serde::de::{Deserialize, Deserializer, Error as _};

/// A text with slots for captured values.
///
/// `{name}` stands for a value, `{name|words}` for the words if there is no value. Commands are
/// [`CommandTemplate`](crate::CommandTemplate)s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    source: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Slot {
        name: String,
        otherwise: Option<String>,
    },
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// Returns an error that names the unmatched brace.
    pub fn parse(source: &str) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = source;
        while let Some(at) = rest.find(['{', '}']) {
            literal.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                literal.push_str(brace);
                rest = after;
                continue;
            }
            let end = rest.find('}').filter(|_| brace == "{");
            let end = end.ok_or("a brace that has no partner; write {{ or }} for a brace")?;
            let slot = &rest[..end];
            let (name, otherwise) = match slot.split_once('|') {
                Some((name, words)) => (name, Some(words.to_owned())),
                None => (slot, None),
            };
            if !name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            {
                return Err(format!("invalid slot name {name:?}"));
            }
            if !literal.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut literal)));
            }
            parts.push(Part::Slot {
                name: name.to_owned(),
                otherwise,
            });
            rest = &rest[end + 1..];
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        Ok(Template {
            source: source.to_owned(),
            parts,
        })
    }

    /// The template as written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The names of its slots.
    pub fn slots(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Slot { name, .. } => Some(name.as_str()),
            Part::Literal(_) => None,
        })
    }

    /// The names of its slots that directly follow a word.
    pub fn slots_after_words(&self) -> impl Iterator<Item = &str> {
        self.parts.windows(2).filter_map(|pair| match pair {
            [Part::Literal(text), Part::Slot { name, .. }]
                if text.ends_with(char::is_alphanumeric) =>
            {
                Some(name.as_str())
            }
            _ => None,
        })
    }

    /// The names of its slots without a default.
    pub fn bare_slots(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Slot {
                name,
                otherwise: None,
            } => Some(name.as_str()),
            Part::Slot { .. } | Part::Literal(_) => None,
        })
    }

    /// Returns true if a slot of this name has no default.
    pub fn is_bare(&self, slot: &str) -> bool {
        self.bare_slots().any(|bare| bare == slot)
    }

    /// Returns the text with values or defaults filled in; `None` if a value without a default is
    /// missing.
    ///
    /// ```
    /// use kwhy_signature::Template;
    /// let title = Template::parse("{kind|object} {name} is gone").unwrap();
    /// let value = |name: &str| (name == "name").then(|| "web-0".to_owned());
    /// assert_eq!(title.fill(value).as_deref(), Some("object web-0 is gone"));
    /// assert_eq!(title.fill(|_| None), None);
    /// ```
    pub fn fill(&self, value: impl Fn(&str) -> Option<String>) -> Option<String> {
        self.fill_or(|name, _| value(name))
    }

    /// Fills the text like [`Template::fill`], with values chosen by a slot's name and its default.
    pub fn fill_or(&self, value: impl Fn(&str, Option<&str>) -> Option<String>) -> Option<String> {
        let mut text = filled(&self.parts, &value)?;
        text.truncate(text.trim_end().len());
        Some(text)
    }

    /// Returns the sentences of the text whose values are known.
    ///
    /// ```
    /// use kwhy_signature::Template;
    /// let why = Template::parse("It is {age} old. Nothing else is known.").unwrap();
    /// assert_eq!(why.sentences(|_| None), "Nothing else is known.");
    /// ```
    pub fn sentences(&self, value: impl Fn(&str) -> Option<String>) -> String {
        let value = |name: &str, _: Option<&str>| value(name);
        let mut filled_in = String::new();
        for sentence in self.split() {
            filled_in.push_str(&filled(&sentence, value).unwrap_or_default());
        }
        filled_in.truncate(filled_in.trim_end().len());
        filled_in
    }

    /// Splits its parts into sentences: at a full stop and a space, unless a lower-case letter follows.
    fn split(&self) -> Vec<Vec<Part>> {
        let push = |sentences: &mut Vec<Vec<Part>>, part: Part| {
            if let Some(last) = sentences.last_mut() {
                last.push(part);
            }
        };
        let mut sentences = vec![Vec::new()];
        let mut ended = false;
        for part in &self.parts {
            let Part::Literal(text) = part else {
                if std::mem::take(&mut ended) {
                    sentences.push(Vec::new());
                }
                push(&mut sentences, part.clone());
                continue;
            };
            let mut start = 0;
            for (at, _) in text.match_indices(". ") {
                let next = at + 2;
                let small = text[next..].chars().next().is_some_and(char::is_lowercase);
                if !small && next < text.len() {
                    let literal = Part::Literal(text[start..next].to_owned());
                    push(&mut sentences, literal);
                    sentences.push(Vec::new());
                    start = next;
                }
            }
            ended = text.ends_with(". ");
            let literal = Part::Literal(text[start..].to_owned());
            push(&mut sentences, literal);
        }
        sentences
    }
}

/// Fills the parts; `None` if a value without a default is missing.
fn filled(parts: &[Part], value: impl Fn(&str, Option<&str>) -> Option<String>) -> Option<String> {
    let mut out = String::new();
    // true if the last slot was filled with an empty text
    let mut gap = false;
    for part in parts {
        let slot;
        let mut text = match part {
            Part::Literal(text) => text.as_str(),
            Part::Slot { name, otherwise } => {
                let value = value(name, otherwise.as_deref());
                let value = value.filter(|text| !text.trim().is_empty());
                slot = value.or_else(|| otherwise.clone())?;
                slot.as_str()
            }
        };
        // collapse the spaces and brackets around an empty value, and drop them before a comma and at the ends
        if gap {
            if let Some(after) = text.strip_prefix(')')
                && out.ends_with('(')
            {
                out.pop();
                text = after;
            }
            let needless = out.is_empty() || !text.starts_with(char::is_alphanumeric);
            if needless && out.ends_with(' ') {
                out.pop();
            }
            if out.is_empty() {
                text = text.trim_start();
            }
        }
        if out.ends_with(' ') {
            text = text.trim_start();
        }
        gap = text.is_empty();
        out.push_str(text);
    }
    if gap {
        out.truncate(out.trim_end_matches([' ', ':', ',', ';']).len());
    }
    Some(out)
}

impl std::fmt::Display for Template {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.source)
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let source = String::deserialize(deserializer)?;
        Template::parse(&source).map_err(|error| D::Error::custom(format!("{source:?}: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_without_its_value_is_left_out() {
        let why = "Mount of {volume} failed, e.g. by a name. {pod} waits. It is 1.5 s. {driver|A driver} is asked.";
        let why = Template::parse(why).unwrap();
        let filled_in =
            |known: &'static str| why.sentences(|name| (name == known).then(|| "x".into()));
        assert_eq!(filled_in("none"), "It is 1.5 s. A driver is asked.");
        assert_eq!(filled_in("pod"), "x waits. It is 1.5 s. A driver is asked.");
        assert_eq!(
            filled_in("volume"),
            "Mount of x failed, e.g. by a name. It is 1.5 s. A driver is asked."
        );
        // an empty value counts as missing
        assert_eq!(why.sentences(|_| Some(" ".into())), filled_in("none"));
    }

    #[test]
    fn nothing_leaves_no_blank() {
        for (source, filled) in [
            ("Service {x|} has none", "Service has none"),
            ("the frame of {x|}, or more", "the frame of, or more"),
            ("{x|} frames", "frames"),
            ("frame {x|}", "frame"),
            ("frame {x|}{y|z}", "frame z"),
            ("frame {x|} {y|}: z", "frame: z"),
            ("in time{x|}", "in time"),
            ("in time: {x|}", "in time"),
            ("in time ({x|})", "in time"),
            ("a file ({x|}): {y|none}", "a file: none"),
        ] {
            let template = Template::parse(source).unwrap();
            assert_eq!(template.fill(|_| None).as_deref(), Some(filled), "{source}");
        }
    }

    #[test]
    fn errors_are_named() {
        for wrong in ["{a", "a}", "{a b}"] {
            assert!(Template::parse(wrong).is_err(), "{wrong}");
        }
    }
}
