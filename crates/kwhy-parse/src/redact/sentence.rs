//! Secrets that sentences say, names of two words, and names in other languages than English.

use super::find::{Finding, MAX_KEY, is_of_base64, is_of_name};
use super::names::{self, Kind};

/// What people call a password in other languages, as it is written in small letters, at the start of a sentence, and in capitals
/// where these are not those of ASCII. Names of ASCII letters alone are triggers, or in `names.rs`: they have parts, as `DB_SENHA` has.
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

/// Words between a password and what it is in a sentence.
const LINKS: &[&str] = &[
    "is", "was", "be", "been", "has", "will", "set", "reset", "changed", "to", "now",
];

/// Words of letters and digits that sentences about passwords say.
const TERMS: &[&str] = &[
    "argon2", "argon2id", "base32", "base64", "ed25519", "oauth2", "pbkdf2", "sha256", "sha384",
    "sha512",
];

/// A text with its letters beyond ASCII escaped as in JSON, so often as `depth` says that JSON is in JSON.
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

/// Returns true if a word of a sentence is a term, no value.
pub(super) fn is_term(word: &[u8]) -> bool {
    TERMS
        .iter()
        .any(|term| word.eq_ignore_ascii_case(term.as_bytes()))
}

impl Finding<'_> {
    /// Takes the value of a name in another language, which is at `at..end`, unless it is a part of another word.
    pub fn foreign(&mut self, at: usize, end: usize) {
        // these write no spaces between words
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

    /// The kind of a name of two words, such as `API key` or `snmp community`, of which the second is at `start..end`, and where
    /// the first starts.
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

    /// Returns true if a line continues from a byte on as an error does whose first words were cut off: with words, then
    /// an address or a reason.
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

    /// The byte after the words that a sentence has before a password: `is`, `was set to`.
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

    /// The byte after the dots that lead to a mark, as in `Password……: x`.
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

    /// The byte after tabs that are escaped, after the name that starts at `start`; not in a path of Windows.
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

    /// Takes what follows a colon or an equals sign as wide as East Asian letters; `false` if none is at a byte.
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

    /// Takes the code of an authorization, which other parameters follow, if it looks like no word or number.
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
