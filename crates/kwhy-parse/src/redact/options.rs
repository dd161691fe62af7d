//! Finds secrets in options of command lines.

use memchr::{memchr, memmem, memrchr};

use super::find::{Finding, MAX_NAME, is_of_name};
use super::names::Kind;
use super::quote::Quote;

/// The number of bytes of a command that are examined after the program's name.
const MAX_COMMAND: usize = 1024;

/// A one-letter option for a password.
#[derive(Clone, Copy)]
pub(super) struct Short {
    letter: u8,
    /// True if the password may directly follow the letter: `-pX`.
    is_glued: bool,
    /// True if the password may be the next word: `-p X`.
    is_next: bool,
}

impl Short {
    pub const fn glued(letter: u8) -> Short {
        Short {
            letter,
            is_glued: true,
            is_next: false,
        }
    }

    pub const fn next(letter: u8) -> Short {
        Short {
            letter,
            is_glued: false,
            is_next: true,
        }
    }

    pub const fn both(letter: u8) -> Short {
        Short {
            letter,
            is_glued: true,
            is_next: true,
        }
    }
}

/// Returns true if a byte separates the words of a command, also one given as a list.
fn separates(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || b"\"'`,[]\\".contains(byte)
}

impl Finding<'_> {
    /// Records the password after the user in an option of curl.
    pub fn user(&mut self, at: usize, end: usize) {
        if memmem::find(self.line_before(at), b"curl").is_none() {
            return;
        }
        let rest = self.bytes.get(end..).unwrap_or_default();
        let ends = |byte: &&u8| byte.is_ascii_whitespace() || b"\"'`\\".contains(byte);
        let quotes = rest.iter().take(2).take_while(ends).count();
        let word = rest[quotes..].iter().take_while(|byte| !ends(byte)).count();
        let word = &rest[quotes..quotes + word];
        if let Some(colon) = memchr(b':', word) {
            let from = end + quotes;
            self.take(from + colon + 1..from + word.len(), Kind::Secret);
        }
    }

    /// Records the passphrase after `pass:` in an option of openssl.
    pub fn pass_phrase(&mut self, at: usize) {
        let before = self.bytes[..at].trim_ascii_end();
        let is_option = [&b"-passin"[..], b"-passout", b"-pass"]
            .into_iter()
            .any(|option| before.ends_with(option));
        if is_option {
            self.bare(at + "pass:".len(), Kind::Secret);
        }
    }

    /// Records the password given by an option to a program whose name starts with `at..end`.
    pub fn program(&mut self, at: usize, end: usize, option: Short) {
        let before = at.checked_sub(1).and_then(|before| self.byte(before));
        let name = &self.bytes[at..end];
        let rest = &self.bytes[end..];
        // `mysqldump`
        let more = rest
            .iter()
            .take(MAX_NAME)
            .take_while(|byte| byte.is_ascii_lowercase())
            .count();
        let is_command = !before.is_some_and(is_of_name)
            && !name.iter().any(u8::is_ascii_uppercase)
            && rest.get(more).is_some_and(separates);
        if is_command {
            self.short(end + more, option);
        }
    }

    /// Records the password given by an option to the `login` command at `at..end`.
    pub fn login(&mut self, at: usize, end: usize, option: Short) {
        const CLIENTS: &[&[u8]] = &[
            b"docker",
            b"podman",
            b"nerdctl",
            b"buildah",
            b"skopeo",
            b"crane",
            b"oras",
            b"regctl",
            b"registry",
            b"az",
            b"oc",
            b"cf",
        ];
        let line = self.line_before(at);
        let is_of_client = CLIENTS.iter().any(|client| {
            let before = line.strip_suffix(*client);
            before.is_some_and(|before| !before.last().is_some_and(|byte| is_of_name(*byte)))
        });
        if is_of_client {
            self.short(end, option);
        }
    }

    /// Records the password given by a one-letter option in the rest of a command, which starts at `at`.
    fn short(&mut self, mut at: usize, option: Short) {
        let rest = &self.bytes[at..self.bytes.len().min(at + MAX_COMMAND)];
        let line = at + memchr(b'\n', rest).unwrap_or(rest.len());
        let mut is_value = false;
        while at < line {
            let rest = &self.bytes[at..line];
            at += rest.iter().take_while(|byte| separates(byte)).count();
            let rest = &self.bytes[at..line];
            let word = &rest[..rest.iter().take_while(|byte| !separates(byte)).count()];
            // the end of the command
            if matches!(word, b"" | b"|" | b";" | b"&" | b"&&" | b"||") {
                return;
            }
            let is_option = word.starts_with(b"-");
            if std::mem::take(&mut is_value) && !is_option {
                return self.password(at, word);
            }
            if let [b'-', letter, value @ ..] = word
                && *letter == option.letter
            {
                is_value = option.is_next && value.is_empty();
                if option.is_glued && !value.is_empty() && !value.contains(&b'=') {
                    return self.password(at + 2, value);
                }
            }
            if word.ends_with(b";") {
                return;
            }
            at += word.len();
        }
    }

    /// Records a word as a password, unless it maps ports, for which container clients use the same option.
    fn password(&mut self, at: usize, word: &[u8]) {
        let ports = word
            .strip_suffix(b"/tcp")
            .or(word.strip_suffix(b"/udp"))
            .unwrap_or(word);
        let is_of_ports = |byte: &u8| byte.is_ascii_digit() || b".:".contains(byte);
        if !(ports.contains(&b':') && ports.iter().all(is_of_ports)) {
            self.take(at..at + word.len(), Kind::Secret);
        }
    }

    /// Records the value after an option: the next word, or the next item of a list.
    pub fn after_option(
        &mut self,
        (end, at): (usize, usize),
        byte: u8,
        quote: Option<Quote>,
        kind: Kind,
    ) {
        match byte {
            b',' if quote.is_some() => self.json(at + 1, kind),
            // a list without quotes
            b',' => {
                let line = self.line_before(at);
                let value = self.skip_spaces(at + 1, false);
                let is_list = memrchr(b'[', line) > memrchr(b']', line);
                if is_list && self.byte(value) != Some(b'-') {
                    self.bare(value, kind);
                }
            }
            b'\n' | b'\r' => {
                let next = self.skip_spaces(at, true);
                let rest = self.bytes.get(next..).unwrap_or_default();
                if rest.starts_with(b"- ") && !rest.starts_with(b"- -") {
                    let line = self.end_of_line(next);
                    self.take(next + 2..line, kind);
                }
            }
            b'-' => {}
            _ if at > end && quote.is_none() => match Quote::at(self.bytes, at) {
                Some(quote) => {
                    let from = at + quote.length();
                    self.take(from..quote.end(self.bytes, from), kind);
                }
                None if self.is_of_sentence(at) => {}
                None => self.bare(at, kind),
            },
            _ => {}
        }
    }

    /// Returns true if the word after an option belongs to a sentence, or is the value's type in a help text.
    fn is_of_sentence(&mut self, at: usize) -> bool {
        const WORDS: &[&str] = &[
            "and",
            "are",
            "argument",
            "as",
            "at",
            "but",
            "by",
            "can",
            "cannot",
            "flag",
            "for",
            "from",
            "has",
            "if",
            "in",
            "is",
            "it",
            "may",
            "must",
            "needs",
            "not",
            "on",
            "option",
            "or",
            "requires",
            "should",
            "string",
            "stringArray",
            "strings",
            "to",
            "value",
            "via",
            "was",
            "were",
            "when",
            "will",
            "with",
        ];
        let end = self.end_of_word(at);
        let word = self
            .text
            .get(at..end)
            .unwrap_or("")
            .trim_end_matches([':', '.']);
        WORDS.contains(&word)
    }
}
