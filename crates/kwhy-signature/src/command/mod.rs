//! Commands that a signature proposes: argument lists with typed slots.

pub(crate) mod effect;
mod split;
pub(crate) mod value;

use std::fmt;
use std::sync::OnceLock;

use serde::de::{Deserialize, Deserializer};

pub use value::ValueType;

use split::{Part, Word};

/// A command line with slots for captured values.
///
/// It is written as it would be typed: words with single quotes, double quotes and backslashes, without operators or
/// anything that a shell expands. `{name}` stands for a value as a whole word or part of one, `{name|text}` for the
/// text if the value is unknown, `{{` and `}}` for braces. Filling it yields an argument list, or `None` if a value is
/// missing or does not have its [`ValueType`].
///
/// ```
/// use kwhy_signature::CommandTemplate;
/// let command = CommandTemplate::parse("kubectl -n {namespace} get pod {pod}")?;
/// let fill = |pod: &str| {
///     command.fill(|slot, _| Some(if slot == "pod" { pod.to_owned() } else { "shop".to_owned() }))
/// };
/// assert_eq!(fill("web-0").unwrap().last().unwrap(), "web-0");
/// assert_eq!(fill("--all"), None);
/// assert!(CommandTemplate::parse("kubectl get pods | grep web").is_err());
/// # Ok::<(), String>(())
/// ```
pub struct CommandTemplate {
    source: String,
    /// Empty if the command is invalid.
    words: OnceLock<Vec<Word>>,
}

impl CommandTemplate {
    /// Parses a command line.
    ///
    /// # Errors
    /// Returns a description of the problem.
    pub fn parse(source: &str) -> Result<CommandTemplate, String> {
        let command = CommandTemplate::unread(source.to_owned());
        command.check()?;
        Ok(command)
    }

    /// Creates a command that is parsed on first use; an invalid one is never shown.
    fn unread(source: String) -> CommandTemplate {
        CommandTemplate {
            source,
            words: OnceLock::new(),
        }
    }

    /// Parses it.
    ///
    /// # Errors
    /// Returns a description of the problem.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.words.get().is_none_or(Vec::is_empty) {
            let _ = self.words.set(read(&self.source)?);
        }
        Ok(())
    }

    fn words(&self) -> &[Word] {
        self.words
            .get_or_init(|| read(&self.source).unwrap_or_default())
    }

    /// The command as written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The names of its slots, with their default values.
    pub fn slots(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let parts = self.words().iter().flatten();
        parts.filter_map(|part| match part {
            Part::Slot { name, otherwise } => Some((name.as_str(), otherwise.as_deref())),
            Part::Literal(_) => None,
        })
    }

    /// Its words, with `fill` called for each slot.
    pub(crate) fn words_with(&self, mut fill: impl FnMut(&str) -> String) -> Vec<String> {
        let mut part = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::Slot { name, .. } => fill(name),
        };
        let words = self.words().iter();
        words
            .map(|word| word.iter().map(&mut part).collect())
            .collect()
    }

    /// Returns the argument list with values filled in; `value` returns the known value of a slot,
    /// given its name and type. Returns `None` if a value is missing or does not have that type.
    pub fn fill(&self, value: impl Fn(&str, ValueType) -> Option<String>) -> Option<Vec<String>> {
        self.fill_as(|slot| {
            let form = ValueType::of_slot(slot);
            (value(slot, form), form)
        })
    }

    /// Fills the slots with explicit types.
    pub fn fill_as(
        &self,
        value: impl Fn(&str) -> (Option<String>, ValueType),
    ) -> Option<Vec<String>> {
        let words = self.words();
        if words.is_empty() {
            return None;
        }
        let filled = words.iter().map(|word| {
            let mut out = String::new();
            for part in word {
                match part {
                    Part::Literal(text) => out.push_str(text),
                    Part::Slot { name, otherwise } => match (value(name), otherwise) {
                        ((Some(text), form), _) if form.admits(&text) => out.push_str(&text),
                        ((None, form), Some(text)) if form.admits(text) => out.push_str(text),
                        _ => return None,
                    },
                }
            }
            Some(out)
        });
        filled.collect()
    }
}

/// Parses the words of a command that starts with a program.
fn read(source: &str) -> Result<Vec<Word>, String> {
    let words = split::words(source)?;
    let program = match words.first().map(Vec::as_slice) {
        Some([Part::Literal(program)]) => program,
        Some(_) => return Err("a command must start with a literal program name".into()),
        None => return Err("an empty command".into()),
    };
    let proper = |b: u8| b.is_ascii_alphanumeric() || b"._+-".contains(&b);
    let begins = program.as_bytes().first();
    if !begins.is_some_and(u8::is_ascii_alphanumeric) || !program.bytes().all(proper) {
        return Err(format!("invalid program name {program:?}"));
    }
    Ok(words)
}

impl fmt::Display for CommandTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl fmt::Debug for CommandTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CommandTemplate")
            .field(&self.source)
            .finish()
    }
}

impl<'de> Deserialize<'de> for CommandTemplate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(CommandTemplate::unread)
    }
}

#[cfg(test)]
mod tests;
