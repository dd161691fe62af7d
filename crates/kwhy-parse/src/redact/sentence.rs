//! Finds secrets in sentences, after names of two words, and after names in other languages than English.

use super::find::{Finding, MAX_KEY, is_of_base64, is_of_name};
use super::names::{self, Kind};

/// Words for a password in other languages: in lower case, capitalised, and in upper case where that has non-ASCII
/// letters. ASCII names are among the triggers or in `names.rs`, as they occur in compound names like `DB_SENHA`.
pub(super) const FOREIGN: &[&str] = &[
    // Russian, Ukrainian, Bulgarian
    "пароль",
    "Пароль",
    "ПАРОЛЬ",
    "парола",
    "Парола",
    // Spanish
    "contraseña",
    "CONTRASEÑA",
    // Swedish, Polish, Turkish, Hungarian, Vietnamese, Greek
    "lösenord",
    "hasło",
    "HASŁO",
    "şifre",
    "Şifre",
    "jelszó",
    "mật khẩu",
    "κωδικός πρόσβασης",
    "Κωδικός πρόσβασης",
    // Hebrew, Arabic, Hindi, Thai
    "סיסמה",
    "كلمة المرور",
    "كلمة السر",
    "पासवर्ड",
    "รหัสผ่าน",
    // Chinese, Japanese, Korean
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "암호",
];

/// Words of a sentence between the name and the password.
const LINKS: &[&str] = &[
    "is", "was", "be", "been", "has", "will", "set", "reset", "changed", "to", "now",
];

/// Technical terms of letters and digits in sentences about passwords.
const TERMS: &[&str] = &[
    "argon2", "argon2id", "base32", "base64", "ed25519", "oauth2", "pbkdf2", "sha256", "sha384",
    "sha512",
];

/// Escapes non-ASCII letters as in JSON that is nested `depth` levels deep in JSON strings.
pub(super) fn escaped(name: &str, depth: usize) -> String {
    let mut written = String::new();
    for c in name.chars() {
        if c.is_ascii() {
            written.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            written.push_str(&"\\".repeat(1 << (depth - 1)));
            written.push_str(&format!("u{unit:04x}"));
        }
    }
    written
}

/// Returns true if a word is a technical term rather than a password.
pub(super) fn is_term(word: &[u8]) -> bool {
    TERMS
        .iter()
        .any(|term| word.eq_ignore_ascii_case(term.as_bytes()))
}

impl Finding<'_> {
    /// Records the value of the foreign name at `at..end`, unless it is part of another word.
    pub fn foreign(&mut self, at: usize, end: usize) {
        // these languages do not separate words by spaces
        let is_east_asian = self.bytes[at] >= 0xe3;
        let before = self.text[..at].chars().next_back();
        let after = self.text[end..].chars().next();
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        if is_east_asian || !is_letter(before) && !is_letter(after) {
            let start = self.bytes[..at].iter().rev();
            let start = at - start.take_while(|byte| is_of_name(**byte)).count();
            self.value(start, end, Kind::Secret);
        }
    }

    /// Returns the start and the kind of a two-word name such as `API key` or `snmp community`, whose second word is at
    /// `start..end`.
    pub fn phrase(&self, start: usize, end: usize) -> Option<(usize, Kind)> {
        let name = &self.bytes[start..end];
        let is_community = name.eq_ignore_ascii_case(b"community");
        if !is_community && !name.eq_ignore_ascii_case(b"key")
            || start.checked_sub(1).and_then(|at| self.byte(at)) != Some(b' ')
        {
            return None;
        }
        let before = self.bytes[..start - 1].iter().rev().take(16);
        let first = start - 1 - before.take_while(|b| b.is_ascii_alphabetic()).count();
        let both = self.text.get(first..end)?.replace(' ', "_");
        match names::kind(&both)? {
            Kind::Secret if is_community => Some((first, Kind::Secret)),
            Kind::Secret => Some((first, Kind::Random)),
            _ => None,
        }
    }

    /// Returns true if the rest of a line looks like an error whose first words were cut off: four words, later an
    /// address or a colon.
    pub fn is_end_of_sentence(&self, at: usize) -> bool {
        const WORDS: usize = 4;
        let line = self.text.get(at..self.end_of_line(at)).unwrap_or("");
        let mut words = line.split_ascii_whitespace();
        let said = words.by_ref().take(WORDS).filter(|word| {
            let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'\'';
            word.bytes().all(is_letter)
        });
        said.count() == WORDS && words.any(|word| word.ends_with(':') || word.contains("://"))
    }

    /// Returns the offset after words that precede a password in a sentence: `is`, `was set to`.
    pub fn skip_links(&self, mut at: usize) -> usize {
        const MOST: usize = 4;
        for _ in 0..MOST {
            let rest = &self.bytes[at..];
            let is_letter = |byte: &&u8| byte.is_ascii_lowercase();
            let length = rest.iter().take(10).take_while(is_letter).count();
            let is_link = self
                .text
                .get(at..at + length)
                .is_some_and(|word| LINKS.contains(&word));
            let colon = usize::from(rest.get(length) == Some(&b':'));
            if !is_link || rest.get(length + colon) != Some(&b' ') {
                break;
            }
            at = self.skip_spaces(at + length + colon, false);
        }
        at
    }

    /// Returns the offset of the mark after leader dots, as in `Password……: x`; unchanged if there are none.
    pub fn skip_leaders(&self, at: usize) -> usize {
        let mut to = at;
        loop {
            let rest = self.bytes.get(to..).unwrap_or_default();
            let escapes = rest.iter().take_while(|byte| **byte == b'\\').count();
            let dots = ["…", "·", "‥"]
                .into_iter()
                .find(|dots| rest.starts_with(dots.as_bytes()));
            to += match dots {
                Some(dots) => dots.len(),
                None if escapes > 0 && rest[escapes..].starts_with(b"u2026") => escapes + 5,
                None => break,
            };
        }
        let mark = self.skip_spaces(to, false);
        match self.byte(mark) {
            Some(b':' | b'=') if to > at => mark,
            _ => at,
        }
    }

    /// Returns the offset after escaped tabs; unchanged if a backslash before the name at `start` shows a Windows path.
    pub fn skip_escaped_tabs(&self, start: usize, mut at: usize) -> usize {
        if start > 0 && self.bytes[start - 1] == b'\\' {
            return at;
        }
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let escapes = rest.iter().take(8).take_while(|b| **b == b'\\').count();
            if escapes == 0 || rest.get(escapes) != Some(&b't') {
                return at;
            }
            at = self.skip_spaces(at + escapes + 1, false);
        }
    }

    /// Records the value after a full-width colon or equals sign; returns false if there is none at this offset.
    pub fn after_wide_mark(&mut self, start: usize, at: usize, kind: Kind) -> bool {
        const MARKS: [&str; 2] = ["：", "＝"];
        let rest = self.bytes.get(at..).unwrap_or_default();
        let mark = MARKS
            .into_iter()
            .find(|mark| rest.starts_with(mark.as_bytes()));
        let Some(mark) = mark else {
            return false;
        };
        let from = self.skip_spaces(at + mark.len(), false);
        if self.begins_line(start) {
            self.take(from..self.end_of_line(from), kind);
        } else {
            self.said_from(from, kind);
        }
        true
    }

    /// Records an authorization code before another parameter, unless it looks like a word or a number.
    pub fn code(&mut self, at: usize, end: usize) {
        let before = at.checked_sub(1).and_then(|at| self.byte(at));
        let rest = &self.bytes[end..];
        let length = rest.iter().take(MAX_KEY);
        let length = length
            .take_while(|byte| is_of_base64(**byte) || b"._-%~".contains(byte))
            .count();
        let next = rest.get(length..).and_then(|rest| rest.strip_prefix(b"&"));
        let is_parameter = next.is_some_and(|next| {
            let name = next.iter().take_while(|byte| is_of_name(**byte)).count();
            name > 0 && next.get(name) == Some(&b'=')
        });
        if is_parameter && !before.is_some_and(is_of_name) {
            self.random_query(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn letters_are_escaped_as_deep_as_json_is_in_json() {
        assert_eq!(escaped("señ", 1), r"se\u00f1");
        assert_eq!(escaped("señ", 2), r"se\\u00f1");
        assert_eq!(escaped("💥", 1), r"\ud83d\udca5");
    }
}
