//! Texts with slots that a match fills: titles, checks, fixes.

use serde::de::{Deserialize, Deserializer, Error as _};

/// A text with slots for captured values.
///
/// `{name}` stands for a value, `{name|words}` for the words where there is no value. In a command
/// a value that a shell would not take as it is gets quoted, and a missing one reads `<name>`.
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
    /// Reads a template.
    ///
    /// # Errors
    /// Says which brace is not closed or opened.
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
                return Err(format!("{name:?} is no name of a value"));
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

    /// The names of its slots that say nothing for a missing value.
    pub(crate) fn bare_slots(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Slot {
                name,
                otherwise: None,
            } => Some(name.as_str()),
            Part::Slot { .. } | Part::Literal(_) => None,
        })
    }

    /// The text with values filled in; a missing one reads as its other words, or `<name>`.
    ///
    /// ```
    /// use analyzer_core::Template;
    /// let title = Template::parse("{kind|object} {name} is gone").unwrap();
    /// let value = |name: &str| (name == "name").then(|| "web-0".to_owned());
    /// assert_eq!(title.fill(value), "object web-0 is gone");
    /// ```
    pub fn fill(&self, value: impl Fn(&str) -> Option<String>) -> String {
        self.fill_with(value, |text| text)
    }

    /// The same for a command line: values are quoted for a POSIX shell where they need it.
    pub fn fill_command(&self, value: impl Fn(&str) -> Option<String>) -> String {
        self.fill_with(value, |text| match shlex::try_quote(&text) {
            Ok(quoted) => quoted.into_owned(),
            Err(_) => "<unprintable>".to_owned(),
        })
    }

    fn fill_with(
        &self,
        value: impl Fn(&str) -> Option<String>,
        quote: impl Fn(String) -> String,
    ) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Slot { name, otherwise } => match (value(name), otherwise) {
                    (Some(text), _) => out.push_str(&quote(text)),
                    (None, Some(words)) => out.push_str(words),
                    (None, None) => out.push_str(&format!("<{name}>")),
                },
            }
        }
        out
    }
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
    fn commands_are_quoted() {
        let template =
            Template::parse("kubectl -n {namespace} get cm {name} -o jsonpath='{{.data}}'")
                .unwrap();
        let filled =
            template.fill_command(|name| (name == "name").then(|| "x; rm -rf /".to_owned()));
        assert_eq!(
            filled,
            "kubectl -n <namespace> get cm 'x; rm -rf /' -o jsonpath='{.data}'"
        );
    }

    #[test]
    fn mistakes_are_named() {
        for wrong in ["{a", "a}", "{a b}"] {
            assert!(Template::parse(wrong).is_err(), "{wrong}");
        }
    }
}
