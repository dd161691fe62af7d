//! Finds secrets that are the value of a name: after a mark, in a pair, in quotes, in the rest of a line or in the
//! block after it.

use memchr::{memmem, memrchr};

use super::find::{Finding, MAX_BLANKS, MAX_KEY, MAX_NAME, is_of_name};
use super::names::{self, Kind};
use super::objects;
use super::quote::Quote;
use super::sentence;

impl Finding<'_> {
    /// Examines the name around an offset; returns the end of the name.
    pub fn name(&mut self, at: usize) -> usize {
        let before = self.bytes[..at].iter().rev().take(MAX_NAME);
        let start = at - before.take_while(|byte| is_of_name(**byte)).count();
        let after = self.bytes[at..].iter().take(MAX_NAME);
        let end = at + after.take_while(|byte| is_of_name(**byte)).count();
        let name = self.text.get(start..end).unwrap_or("");
        if let Some((first, kind)) = self.phrase(start, end) {
            self.value(first, end, kind);
        } else if let Some(kind) = names::kind(name) {
            let is_header = name.to_ascii_lowercase().ends_with("authorization");
            let is_cookie = name.to_ascii_lowercase().ends_with("cookie");
            if is_header && self.header(end) || is_cookie && self.cookie(start, end) {
                return end;
            }
            self.value(start, end, kind);
        }
        end
    }

    /// Examines the text after the name at `start..end` for its value.
    pub fn value(&mut self, start: usize, end: usize, kind: Kind) {
        let quote = Quote::at(self.bytes, end)
            .filter(|quote| Quote::before(self.bytes, start) == Some(*quote));
        // the opening quote of the name was cut off
        if let Some(lost) = Quote::at(self.bytes, end).filter(|_| quote.is_none()) {
            let colon = end + lost.length();
            let value = self.skip_spaces(colon + 1, false);
            if self.byte(colon) == Some(b':') && Quote::at(self.bytes, value) == Some(lost) {
                return self.json(colon + 1, kind);
            }
        }
        let outer = start - quote.map_or(0, Quote::length);
        let after = end + quote.map_or(0, Quote::length);
        // a name with a value of its own is not a value: it may be on the line after an empty `Name:`
        let mark = self.byte(self.skip_spaces(after, false));
        let is_statement = match mark {
            Some(b':' | b'=') => true,
            None | Some(b'\r' | b'\n' | b',' | b'}') => false,
            Some(_) => quote.is_none() && self.line_before(outer).trim_ascii().is_empty(),
        };
        if !is_statement && self.is_value_of_name(outer) {
            return self.pair(outer, after, quote, kind);
        }
        let after = self.skip_colors(after);
        let at = self.skip_colors(self.skip_spaces(after, false));
        let at = self.skip_escaped_tabs(start, self.skip_leaders(at));
        if self.encoded(at, kind)
            || self.of_markup(start, end, kind)
            || self.after_wide_mark(start, at, kind)
        {
            return;
        }
        match self.byte(at) {
            // an assignment or comparison in code counts only if the value is not a word
            Some(b'=' | b':') if self.byte(at + 1) == Some(b'=') => {
                let value = self.skip_spaces(at + 2, false);
                let quote = Quote::at(self.bytes, value);
                self.said_from(value + quote.map_or(0, Quote::length), kind);
            }
            // a Ruby hash; without quotes it may be an arrow in a sentence
            Some(b'=') if self.byte(at + 1) == Some(b'>') => {
                let value = self.skip_spaces(at + 2, false);
                match Quote::at(self.bytes, value) {
                    Some(_) => self.quoted(value),
                    None => self.said_from(value, kind),
                }
            }
            Some(b'=') if self.byte(at + 1) != Some(b'~') => self.assigned(start, at + 1, kind),
            Some(b':') if quote.is_some() => {
                let value = self.skip_spaces(at + 1, true);
                if at == after && self.begins_line(outer) && Quote::at(self.bytes, value).is_none()
                {
                    let indent = outer - self.start_of_line(outer);
                    self.rest_of_line(at + 1, indent, kind);
                } else if at == after || Quote::at(self.bytes, value).is_some() {
                    self.json(at + 1, kind);
                }
            }
            Some(b':') if self.begins_line(start) && !self.is_end_of_sentence(at + 1) => {
                let indent = start - self.start_of_line(start);
                self.rest_of_line(at + 1, indent, kind);
            }
            // a map or struct printed by Go
            Some(b':') if at == end && (self.is_in_map(start) || self.is_in_struct(start, end)) => {
                self.in_struct(at + 1, kind);
            }
            Some(b':') if Quote::at(self.bytes, self.skip_spaces(at + 1, false)).is_some() => {
                self.json(at + 1, kind);
            }
            Some(b':') => self.said(at + 1, kind),
            Some(byte)
                if self
                    .text
                    .get(start..end)
                    .is_some_and(|name| name.starts_with("--")) =>
            {
                self.after_option((after, at), byte, quote, kind);
            }
            Some(_) if at > end && self.is_of_netrc(start) => self.bare(at, kind),
            // Rust's debug format, but not a function in a stack trace
            Some(b'(') if at == end && kind == Kind::Secret && self.is_type(start, end) => {
                let quote = Quote::at(self.bytes, at + 1);
                self.said_from(at + 1 + quote.map_or(0, Quote::length), kind);
            }
            Some(_) if at > end => self.next_word(start, end, at, kind),
            _ => {}
        }
    }

    /// Records the word after a name without a mark between them, as in a sentence or a configuration file.
    fn next_word(&mut self, start: usize, end: usize, at: usize, kind: Kind) {
        let name = self.text.get(start..end).unwrap_or("");
        // a Redis command
        let is_command = name == "AUTH";
        if kind != Kind::Secret && !is_command {
            return;
        }
        let name = name.to_ascii_lowercase();
        let is_one_of = |names: &[&str]| names.iter().any(|word| name.ends_with(word));
        if is_one_of(&["requirepass", "masterauth"]) {
            return self.bare(at, Kind::Secret);
        }
        let is_password = is_one_of(&["password", "passwd", "passphrase"]);
        match Quote::at(self.bytes, at) {
            Some(quote) if is_password => {
                let from = at + quote.length();
                self.take(from..quote.end(self.bytes, from), Kind::Secret);
            }
            // a parser's unexpected token
            Some(_) if self.line_before(start).ends_with(b"xpected ") => {}
            Some(quote) => {
                let from = at + quote.length();
                let word = from..self.end_of_word(from);
                if !names::is_generated(self.text.get(word).unwrap_or("")) {
                    self.said_from(from, Kind::Secret);
                }
            }
            None if is_command => self.said_from(at, Kind::Secret),
            None => match self.skip_links(at) {
                value if value == at && is_password => self.said_from(at, Kind::Secret),
                value if value == at => {}
                value if is_password && self.is_plain(value) => self.said_from(value, Kind::Secret),
                value => self.said_from(value, Kind::Random),
            },
        }
    }

    /// Returns true if only marks precede an offset on its line.
    pub fn begins_line(&self, at: usize) -> bool {
        let before = self.bytes[..at].iter().rev().take(MAX_BLANKS);
        let mut before = before.skip_while(|byte| b" \t->|\"'".contains(byte));
        before.next().is_none_or(|byte| *byte == b'\n')
    }

    /// Returns true if a key of a map printed by Go starts at an offset.
    pub fn is_in_map(&self, at: usize) -> bool {
        let line = self.line_before(at);
        line.last().is_some_and(|byte| b"[ ".contains(byte))
            && memmem::rfind(line, b"map[").is_some()
    }

    /// Returns true if the name at `at..end` is a field of a struct printed by Go: in braces opened on the same line.
    fn is_in_struct(&self, at: usize, end: usize) -> bool {
        let is_value = !matches!(self.byte(end + 1), Some(b' ' | b'"' | b'\'' | b'\\'));
        let line = self.line_before(at);
        is_value
            && line.last().is_some_and(|byte| b"{ ".contains(byte))
            && memrchr(b'{', line) > memrchr(b'}', line)
    }

    /// Records a value in a map or struct, unless it is a struct itself.
    fn in_struct(&mut self, at: usize, kind: Kind) {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let is_of_value = |byte: &&u8| !b" ]}\n".contains(byte);
        let length = rest.iter().take(MAX_KEY).take_while(is_of_value).count();
        let value = &rest[..length];
        let is_of_type = |byte: &u8| byte.is_ascii_alphanumeric() || b"&*.[]".contains(byte);
        // `Secret:nil,ConfigMap:nil,Path:&Path{`
        let comma = memmem::find_iter(value, b",").find(|comma| {
            let next = &value[comma + 1..];
            let name = next.iter().take_while(|byte| is_of_name(**byte)).count();
            next.is_empty() || name > 0 && next.get(name) == Some(&b':')
        });
        let value = &value[..comma.unwrap_or(length)];
        let is_nested =
            memrchr(b'{', value).is_some_and(|brace| value[..brace].iter().all(is_of_type));
        if !is_nested {
            self.take(at..at + value.len(), kind);
        }
    }

    /// Returns true if a name is that of a Rust type: `Token`, but not `parse.Token` or `parseToken`.
    fn is_type(&self, start: usize, end: usize) -> bool {
        let name = self.text.get(start..end).unwrap_or("");
        name.starts_with(|c: char| c.is_ascii_uppercase()) && !name.contains('.')
    }

    /// Returns the offset after terminal colour sequences, plain or escaped as in JSON.
    fn skip_colors(&self, mut at: usize) -> usize {
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            // one more for each level of JSON within JSON
            let escapes = rest.iter().take_while(|byte| **byte == b'\\').count();
            let skipped = escapes.saturating_sub(1);
            let rest = &rest[skipped..];
            let starts = [
                &b"\x1b["[..],
                b"\\u001b[",
                b"\\x1b[",
                b"\\033[",
                b"\xe2\x90\x9b[",
            ];
            let Some(start) = starts.into_iter().find(|start| rest.starts_with(start)) else {
                return at;
            };
            let codes = rest[start.len()..].iter().take(MAX_NAME);
            let codes = codes.take_while(|byte| byte.is_ascii_digit() || **byte == b';');
            let end = start.len() + codes.count();
            if rest.get(end) != Some(&b'm') {
                return at;
            }
            at += skipped + end + 1;
        }
    }

    /// Returns true if the value of a key `name` starts at an offset, as in an environment variable.
    fn is_value_of_name(&self, at: usize) -> bool {
        let before = self.bytes.get(..at).unwrap_or_default().trim_ascii_end();
        // YAML and JSON, or an XML attribute
        let before = before.strip_suffix(b":");
        let Some(before) = before.or_else(|| self.bytes[..at].strip_suffix(b"=")) else {
            return false;
        };
        let before = before.trim_ascii_end();
        let key = match Quote::before(self.bytes, before.len()) {
            Some(quote) => before.get(..before.len().saturating_sub(quote.length())),
            None => Some(before),
        };
        key.is_some_and(|key| {
            [&b"name"[..], b"Name", b"key"].into_iter().any(|word| {
                let rest = key.strip_suffix(word);
                rest.is_some_and(|rest| !rest.last().is_some_and(|byte| is_of_name(*byte)))
            })
        })
    }

    /// Examines the value of an environment variable whose name ends before `after`.
    fn pair(&mut self, start: usize, after: usize, quote: Option<Quote>, kind: Kind) {
        let at = self.skip_spaces(after, true);
        let value = match self.byte(at) {
            Some(b',') => self.skip_spaces(at + 1, true),
            _ => at,
        };
        let key = Quote::at(self.bytes, value).filter(|_| quote.is_some());
        let inner = value + key.map_or(0, Quote::length);
        let rest = self.bytes.get(inner..).unwrap_or_default();
        if !(rest.starts_with(b"value") || rest.starts_with(b"Value")) {
            return;
        }
        let end = self.skip_spaces(inner + "value".len() + key.map_or(0, Quote::length), false);
        match self.byte(end) {
            Some(b'=') => return self.assigned(end, end + 1, kind),
            Some(b':') => {}
            _ => return,
        }
        if key.is_some() {
            self.json(end + 1, kind);
        } else if self.start_of_line(value) > start {
            let indent = value - self.start_of_line(value);
            self.rest_of_line(end + 1, indent, kind);
        } else {
            // within braces
            self.bare(self.skip_spaces(end + 1, false), kind);
        }
    }

    /// Records a JSON value after a colon.
    pub fn json(&mut self, at: usize, kind: Kind) {
        let at = self.skip_spaces(at, true);
        if let Some(quote) = Quote::at(self.bytes, at) {
            let from = at + quote.length();
            return self.take(from..quote.end(self.bytes, from), kind);
        }
        // without quotes it is a number, or not JSON
        if matches!(self.byte(at), Some(b'-' | b'0'..=b'9')) {
            self.bare(at, kind);
        }
    }

    /// Records the value after an equals sign.
    fn assigned(&mut self, start: usize, at: usize, kind: Kind) {
        let at = self.skip_spaces(at, false);
        if let Some(quote) = Quote::at(self.bytes, at) {
            let mut from = at + quote.length();
            // triple quotes
            let second = from + quote.length();
            if [from, second].map(|at| Quote::at(self.bytes, at)) == [Some(quote); 2] {
                from = second + quote.length();
            }
            return self.take(from..quote.end(self.bytes, from), kind);
        }
        // a variable on a line of its own
        let is_loud =
            |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
        let is_variable = self.begins_line(start)
            && self.bytes[start..at]
                .iter()
                .all(|byte| is_loud(byte) || *byte == b'=');
        if is_variable {
            self.take(at..self.end_of_line(at), kind);
        } else {
            self.bare(at, kind);
        }
    }

    /// Records an unquoted value among others.
    pub fn bare(&mut self, at: usize, kind: Kind) {
        let rest = self.bytes.get(at..).unwrap_or_default();
        // a placeholder
        let is_filled_in = |start: &&[u8]| rest.starts_with(start);
        if [&b"<"[..], b"$(", b"${", b"%("].iter().any(is_filled_in) {
            return;
        }
        let end = self.end_of_word(at);
        self.take(at..end, kind);
    }

    /// Records the word after a colon in a sentence, unless it is an ordinary word.
    fn said(&mut self, at: usize, kind: Kind) {
        let from = self.skip_spaces(at, false);
        if from > at {
            self.said_from(from, kind);
        }
    }

    /// Returns true if an unquoted word consists of letters and digits.
    fn is_plain(&mut self, at: usize) -> bool {
        let end = self.end_of_word(at);
        self.bytes[at..end].iter().all(u8::is_ascii_alphanumeric)
    }

    /// Records a word unless it looks like an ordinary one.
    pub fn said_from(&mut self, from: usize, kind: Kind) {
        const SHORTEST: usize = 6;
        let end = self.end_of_word(from);
        let word = self.text.get(from..end).unwrap_or("");
        // a word with a colon is an address or a place in a file, unless it looks random
        let value = word.trim_end_matches(':');
        let is_place = value.len() < word.len() && !names::is_random_text(value);
        let is_said = is_place || word.contains("://") || sentence::is_term(value.as_bytes());
        if value.len() >= SHORTEST && is_random(value.as_bytes()) && !is_said {
            self.take(from..from + value.len(), kind);
        }
    }

    /// Records the rest of a line as a value, as in YAML and describes, or the block after it.
    pub fn rest_of_line(&mut self, at: usize, indent: usize, kind: Kind) {
        let from = self.skip_spaces(at, false);
        // in YAML, a space follows the colon
        if from == at && from < self.end_of_line(at) {
            return;
        }
        if let Some(quote) = Quote::at(self.bytes, from).filter(|quote| quote.backslashes == 0) {
            let inner = from + quote.length();
            return self.take(inner..quote.end(self.bytes, inner), kind);
        }
        let end = self.end_of_line(from);
        let line = self.text.get(from..end).unwrap_or("").trim_end();
        if objects::begins_block(line) {
            return objects::block(self.text, end, indent, &mut self.found);
        }
        if !line.starts_with(['{', '[']) && !line.starts_with("map[") {
            self.take(from..from + line.len(), kind);
        }
    }
}

/// Returns true if a word does not look like an ordinary one: it mixes letters and digits, or has a capital inside.
pub(super) fn is_random(word: &[u8]) -> bool {
    let has = |wanted: fn(&u8) -> bool| word.iter().any(wanted);
    let is_mixed = has(u8::is_ascii_lowercase) && word.iter().skip(1).any(u8::is_ascii_uppercase);
    is_mixed || has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}
