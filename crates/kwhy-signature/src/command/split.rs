//! Splits a command line into words as a POSIX shell does, keeping slots separate.

use std::iter::Peekable;
use std::str::CharIndices;

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Literal text.
    Literal(String),
    /// A value, with its default.
    Slot {
        name: String,
        otherwise: Option<String>,
    },
}

/// A word: its concatenated parts.
pub(crate) type Word = Vec<Part>;

/// Characters that have a special meaning to a shell outside quotes.
const OPERATORS: &[char] = &['|', ';', '&', '<', '>', '(', ')', '`', '$'];
const EXPANDED: &[char] = &['*', '?', '[', ']', '~', '#'];

/// Splits a command line into words.
///
/// # Errors
/// Refuses what an argument list cannot express: an operator, an expansion, an open quote or brace.
pub(crate) fn words(source: &str) -> Result<Vec<Word>, String> {
    if let Some(c) = source.chars().find(|c| c.is_control()) {
        return Err(format!("a command must be a single line without {c:?}"));
    }
    let mut reader = Reader {
        source,
        chars: source.char_indices().peekable(),
        words: Vec::new(),
        word: Vec::new(),
        is_open: false,
    };
    reader.read()?;
    Ok(reader.words)
}

struct Reader<'s> {
    source: &'s str,
    chars: Peekable<CharIndices<'s>>,
    words: Vec<Word>,
    word: Word,
    /// True if a word has started: `''` is one too.
    is_open: bool,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), String> {
        while let Some((_, c)) = self.chars.next() {
            match c {
                ' ' => self.end_word(),
                '\'' => self.quoted('\'')?,
                '"' => self.quoted('"')?,
                '\\' => match self.chars.next() {
                    Some((_, c)) => self.push(c),
                    None => return Err("a backslash at the end".into()),
                },
                '{' | '}' => self.brace(c)?,
                c if OPERATORS.contains(&c) => {
                    return Err(format!(
                        "an unquoted `{c}`: a command is one program with its arguments"
                    ));
                }
                c if EXPANDED.contains(&c) => {
                    return Err(format!(
                        "an unquoted `{c}`, which a shell expands: quote it"
                    ));
                }
                c => self.push(c),
            }
        }
        self.end_word();
        Ok(())
    }

    /// Reads up to the closing quote.
    fn quoted(&mut self, quote: char) -> Result<(), String> {
        self.is_open = true;
        while let Some((_, c)) = self.chars.next() {
            match c {
                c if c == quote => return Ok(()),
                '{' | '}' => self.brace(c)?,
                '$' | '`' if quote == '"' => {
                    return Err(format!(
                        "`{c}` between double quotes is expanded by a shell"
                    ));
                }
                '\\' if quote == '"' => {
                    let escaped = |(_, c): &(usize, char)| matches!(c, '$' | '`' | '"' | '\\');
                    let c = self.chars.next_if(escaped).map_or('\\', |(_, c)| c);
                    self.push(c);
                }
                c => self.push(c),
            }
        }
        Err(format!("a {quote} that is not closed"))
    }

    /// Reads a doubled brace or a slot.
    fn brace(&mut self, brace: char) -> Result<(), String> {
        if self.chars.next_if(|(_, c)| *c == brace).is_some() {
            self.push(brace);
            return Ok(());
        }
        const OPEN: &str = "a brace that has no partner; write {{ or }} for a brace";
        if brace == '}' {
            return Err(OPEN.into());
        }
        let (start, _) = self.chars.peek().copied().ok_or(OPEN)?;
        let end = self.chars.find(|(_, c)| *c == '}');
        let (end, _) = end.ok_or(OPEN)?;
        let slot = &self.source[start..end];
        let (name, otherwise) = match slot.split_once('|') {
            Some((name, words)) => (name, Some(words.to_owned())),
            None => (slot, None),
        };
        let proper = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        if name.is_empty() || !name.bytes().all(proper) {
            return Err(format!("invalid slot name {name:?}"));
        }
        self.is_open = true;
        self.word.push(Part::Slot {
            name: name.to_owned(),
            otherwise,
        });
        Ok(())
    }

    fn push(&mut self, c: char) {
        self.is_open = true;
        if let Some(Part::Literal(text)) = self.word.last_mut() {
            text.push(c);
        } else {
            self.word.push(Part::Literal(c.into()));
        }
    }

    fn end_word(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.words.push(std::mem::take(&mut self.word));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn literal(word: &Word) -> String {
        let text = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::Slot { name, .. } => format!("<{name}>"),
        };
        word.iter().map(text).collect()
    }

    #[test]
    fn slots_are_parts_of_words() {
        let source = r#"kubectl get pods --field-selector=spec.nodeName={node} -o jsonpath='{{.items[*].x}}' "a\"{b|c d}" \{ ''"#;
        let words = words(source).unwrap();
        let texts: Vec<String> = words.iter().map(literal).collect();
        assert_eq!(
            texts,
            [
                "kubectl",
                "get",
                "pods",
                "--field-selector=spec.nodeName=<node>",
                "-o",
                "jsonpath={.items[*].x}",
                "a\"<b>",
                "{",
                ""
            ]
        );
        let otherwise = Part::Slot {
            name: "b".into(),
            otherwise: Some("c d".into()),
        };
        assert_eq!(words[6][1], otherwise);
    }

    #[test]
    fn what_is_no_list_of_arguments_is_refused() {
        for wrong in [
            "a | b",
            "a; b",
            "a & b",
            "a > b",
            "a < b",
            "$(a)",
            "a $b",
            "a `b`",
            "a \"$b\"",
            "a \"`b`\"",
            "ls *",
            "ls ~",
            "ls a?",
            "ls [a]",
            "a # b",
            "a\nb",
            "a\tb",
            "a 'b",
            "a \"b",
            "a \\",
            "a {b",
            "a b}",
            "a {}",
            "a {B}",
            "a {b c}",
        ] {
            assert!(words(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_shell_parser_reads_the_same(source in r#"[a-c '"\\=.-]{0,24}"#) {
            // shlex ignores a trailing backslash between words
            if let Ok(words) = words(&source) {
                let own: Vec<String> = words.iter().map(literal).collect();
                prop_assert_eq!(Some(own), shlex::split(&source));
            }
        }
    }
}
