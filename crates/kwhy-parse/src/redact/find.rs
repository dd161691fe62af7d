//! Finds the places of secrets in a text.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};
use memchr::{memchr, memmem, memrchr};

use super::names::{self, Kind};
use super::objects;
use super::quote::Quote;
use super::shapes;
use kwhy_model::Span;

/// The length of a name.
pub(super) const MAX_NAME: usize = 128;

/// The number of spaces between a name and its value: describes align values.
const MAX_BLANKS: usize = 120;

/// The number of bytes in which the end of a key is looked for.
pub(super) const MAX_KEY: usize = 16 * 1024;

/// The number of bytes of a line that are examined around a name.
pub(super) const MAX_LINE: usize = 4096;

/// Texts near which secrets occur; the first ones are no parts of names.
const TRIGGERS: &[&str] = &[
    "://",
    "private key-----",
    "@tcp(",
    "@unix(",
    "bearer ",
    "eyj",
    "pass:",
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "cred",
    "auth",
    "dockercfg",
    "dockerconfig",
    "jwt",
    "opaque",
    "kubernetes.io/tls",
    "helm.sh/release",
    "cookie",
    "bearer=",
    "bearer:",
    "otp",
    "psk",
    "client_assertion",
    "snmp",
    " -u ",
    "--user ",
    "--proxy-user ",
    "@//",
    "identified by ",
    // what a query or a signed request says of who asks
    "?key=",
    "&key=",
    "?code=",
    "&code=",
    "?pass=",
    "&pass=",
    "?sig=",
    "?auth=",
    "amz-signature=",
    ", signature=",
    // programs to which a short option gives a password
    "sshpass",
    " login ",
    "mysql",
    "mariadb",
    "mongo",
    "redis-cli",
    "ldap",
    "openssl",
];

/// Those that occur in every Secret, alone or in a list.
const OBJECTS: &[&str] = &[
    "secret",
    "opaque",
    "dockercfg",
    "dockerconfig",
    "kubernetes.io/tls",
    "helm.sh/release",
    "auth",
    "token",
];

const ADDRESS: usize = 0;
const PEM: usize = 1;
const DSN: [usize; 2] = [2, 3];
const BEARER: usize = 4;
/// Those of the command line of curl.
const USER: &[&str] = &[" -u ", "--user ", "--proxy-user "];
/// What stands right before a secret in a query or in a signed request.
const QUERY: &[&str] = &[
    "?key=",
    "&key=",
    "?code=",
    "&code=",
    "?pass=",
    "&pass=",
    "?sig=",
    "?auth=",
    "amz-signature=",
    ", signature=",
];

/// The size of a text from which the automaton is made a DFA: that takes longer than to read most pastes, and then
/// reads several times as fast.
const LARGE: usize = 64 * 1024;

/// Finds all texts beside which secrets occur, in any case; of those that start at one byte the first one.
static TRIGGER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| automaton(AhoCorasickKind::ContiguousNFA));

/// The same for large texts.
static TRIGGER_OF_LARGE: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| automaton(AhoCorasickKind::DFA));

fn automaton(kind: AhoCorasickKind) -> Option<AhoCorasick> {
    let mut builder = AhoCorasickBuilder::new();
    builder
        .ascii_case_insensitive(true)
        .kind(Some(kind))
        .match_kind(MatchKind::LeftmostFirst);
    let prefixes = shapes::PREFIXES.iter().map(|(prefix, _)| *prefix);
    builder.build(TRIGGERS.iter().copied().chain(prefixes)).ok()
}

/// The places of secrets in a text, in order.
pub(super) fn secrets(text: &str) -> Vec<Span> {
    let mut finding = Finding {
        text,
        bytes: text.as_bytes(),
        found: Vec::new(),
    };
    let mut done = 0;
    let mut may_be_object = false;
    // without it nothing would be masked: the texts are constants, and it is always there
    let triggers = match text.len() >= LARGE {
        true => &TRIGGER_OF_LARGE,
        false => &TRIGGER,
    };
    let Some(triggers) = triggers.as_ref() else {
        return std::iter::once(0..text.len()).collect();
    };
    for trigger in triggers.find_iter(text) {
        let (number, place) = (trigger.pattern().as_usize(), trigger.range());
        let at = place.start;
        let is_done = |known: &Span| known.contains(&at);
        if finding.found.last().is_some_and(is_done) {
            may_be_object |= is_of_object(number);
            continue;
        }
        match number {
            ADDRESS => finding.address(place.end),
            PEM => finding.pem(at, place.end),
            number if DSN.contains(&number) => finding.source_name(at),
            BEARER => finding.bearer(place.end),
            number if number >= TRIGGERS.len() => finding.prefixed(at, number - TRIGGERS.len()),
            number if USER.contains(&TRIGGERS[number]) => finding.user(at, place.end),
            number if QUERY.contains(&TRIGGERS[number]) => finding.query(place.end),
            number => {
                let trigger = TRIGGERS[number];
                match trigger {
                    "eyj" => finding.web_token(at),
                    "@//" => finding.login(at),
                    "identified by " => finding.quoted(place.end),
                    "pass:" => finding.pass_phrase(at),
                    _ => finding.short_option(trigger, place.end),
                }
                if at < done {
                    continue;
                }
                may_be_object |= is_of_object(number);
                done = finding.name(at).max(place.end);
            }
        }
    }
    if may_be_object {
        objects::data(text, &mut finding.found);
    }
    merged(finding.found)
}

/// Returns true if a Secret may occur around this trigger.
fn is_of_object(trigger: usize) -> bool {
    let word = TRIGGERS.get(trigger);
    word.is_some_and(|word| OBJECTS.contains(word))
}

fn merged(mut found: Vec<Span>) -> Vec<Span> {
    found.retain(|span| !span.is_empty());
    found.sort_unstable_by_key(|span| (span.start, span.end));
    let mut all: Vec<Span> = Vec::with_capacity(found.len());
    for span in found {
        match all.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => all.push(span),
        }
    }
    all
}

pub(super) fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

pub(super) fn is_of_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// A search for the secrets of a text.
pub(super) struct Finding<'t> {
    pub text: &'t str,
    pub bytes: &'t [u8],
    pub found: Vec<Span>,
}

impl Finding<'_> {
    pub fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The byte after the spaces at one.
    pub fn skip_blanks(&self, at: usize, and_lines: bool) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let is_blank = |byte: &&u8| {
            matches!(byte, b' ' | b'\t') || (and_lines && matches!(byte, b'\n' | b'\r'))
        };
        at + rest.iter().take(MAX_BLANKS).take_while(is_blank).count()
    }

    pub fn end_of_line(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + memchr(b'\n', rest).unwrap_or(rest.len())
    }

    pub fn start_of_line(&self, at: usize) -> usize {
        let before = self.bytes.get(..at).unwrap_or_default();
        memrchr(b'\n', before).map_or(0, |end| end + 1)
    }

    pub fn take(&mut self, span: Span, kind: Kind) {
        let value = self.text.get(span.clone()).unwrap_or("x");
        if !names::is_readable(value, kind) {
            let start = span.start + value.len() - value.trim_start().len();
            self.found.push(start..start + value.trim().len());
        }
    }

    /// Looks at the name around a byte, and says where it ends.
    fn name(&mut self, at: usize) -> usize {
        let before = self.bytes[..at].iter().rev().take(MAX_NAME);
        let start = at - before.take_while(|byte| is_of_name(**byte)).count();
        let behind = self.bytes[at..].iter().take(MAX_NAME);
        let end = at + behind.take_while(|byte| is_of_name(**byte)).count();
        let name = self.text.get(start..end).unwrap_or("");
        if let Some(kind) = names::kind(name) {
            let is_header = name.to_ascii_lowercase().ends_with("authorization");
            let is_cookie = name.to_ascii_lowercase().ends_with("cookie");
            if is_header && self.header(end) || is_cookie && self.cookie(start, end) {
                return end;
            }
            self.value(start, end, kind);
        }
        end
    }

    /// Looks for the value of the name that is at `start..end`.
    fn value(&mut self, start: usize, end: usize, kind: Kind) {
        let quote = Quote::at(self.bytes, end)
            .filter(|quote| Quote::before(self.bytes, start) == Some(*quote));
        let outer = start - quote.map_or(0, Quote::length);
        let behind = end + quote.map_or(0, Quote::length);
        if self.is_value_of_name(outer) {
            return self.pair(outer, behind, quote, kind);
        }
        let behind = self.skip_colors(behind);
        let at = self.skip_colors(self.skip_blanks(behind, false));
        if self.encoded(at, kind) || self.of_markup(start, end, kind) {
            return;
        }
        match self.byte(at) {
            // a statement of a program says it with a value that is no word
            Some(b'=' | b':') if self.byte(at + 1) == Some(b'=') => {
                let value = self.skip_blanks(at + 2, false);
                let quote = Quote::at(self.bytes, value);
                self.said_from(value + quote.map_or(0, Quote::length), kind);
            }
            // as Ruby has it
            Some(b'=') if self.byte(at + 1) == Some(b'>') => self.assigned(start, at + 2, kind),
            Some(b'=') if self.byte(at + 1) != Some(b'~') => self.assigned(start, at + 1, kind),
            Some(b':') if quote.is_some() => {
                let value = self.skip_blanks(at + 1, true);
                if at == behind && self.begins_line(outer) && Quote::at(self.bytes, value).is_none()
                {
                    let indent = outer - self.start_of_line(outer);
                    self.rest_of_line(at + 1, indent, kind);
                } else if at == behind || Quote::at(self.bytes, value).is_some() {
                    self.json(at + 1, kind);
                }
            }
            Some(b':') if self.begins_line(start) => {
                let indent = start - self.start_of_line(start);
                self.rest_of_line(at + 1, indent, kind);
            }
            // a map or a struct as Go prints it
            Some(b':') if at == end && (self.is_in_map(start) || self.is_in_struct(start, end)) => {
                let rest = self.bytes.get(at + 1..).unwrap_or_default();
                let length = rest
                    .iter()
                    .take_while(|byte| !b" ]}\n".contains(byte))
                    .count();
                self.take(at + 1..at + 1 + length, kind);
            }
            Some(b':') if Quote::at(self.bytes, self.skip_blanks(at + 1, false)).is_some() => {
                self.json(at + 1, kind);
            }
            Some(b':') => self.said(at + 1, kind),
            Some(byte)
                if self
                    .text
                    .get(start..end)
                    .is_some_and(|name| name.starts_with("--")) =>
            {
                self.behind_option((behind, at), byte, quote, kind);
            }
            Some(_) if at > end && self.is_of_netrc(start) => self.bare(at, kind),
            // the debug form of Rust
            Some(b'(') if at == end && kind == Kind::Secret => {
                let quote = Quote::at(self.bytes, at + 1);
                self.said_from(at + 1 + quote.map_or(0, Quote::length), kind);
            }
            Some(_) if at > end => self.next_word(start, end, at, kind),
            _ => {}
        }
    }

    /// Takes the word after a name without a mark between them, as in a sentence or a configuration.
    fn next_word(&mut self, start: usize, end: usize, at: usize, kind: Kind) {
        let name = self.text.get(start..end).unwrap_or("");
        // a command of Redis
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
            Some(quote) => self.said_from(at + quote.length(), Kind::Secret),
            None if is_password || is_command => self.said_from(at, Kind::Secret),
            None => {}
        }
    }

    /// Takes the value that follows an option: as the next word, or as the next item of a list.
    fn behind_option(
        &mut self,
        (end, at): (usize, usize),
        byte: u8,
        quote: Option<Quote>,
        kind: Kind,
    ) {
        match byte {
            b',' if quote.is_some() => self.json(at + 1, kind),
            b',' => self.bare(self.skip_blanks(at + 1, false), kind),
            b'\n' | b'\r' => {
                let next = self.skip_blanks(at, true);
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
                None => self.bare(at, kind),
            },
            _ => {}
        }
    }

    /// Returns true if nothing but marks precedes a byte in its line.
    fn begins_line(&self, at: usize) -> bool {
        let before = self.bytes[..at].iter().rev().take(MAX_BLANKS);
        let mut before = before.skip_while(|byte| b" \t->|\"'".contains(byte));
        before.next().is_none_or(|byte| *byte == b'\n')
    }

    pub fn is_in_map(&self, at: usize) -> bool {
        let line = &self.bytes[at.saturating_sub(MAX_LINE)..at];
        let start = memrchr(b'\n', line).map_or(0, |end| end + 1);
        let line = &line[start..];
        line.last().is_some_and(|byte| b"[ ".contains(byte))
            && memmem::rfind(line, b"map[").is_some()
    }

    /// Returns true if a byte is inside of braces that its line opens: in a struct as Go prints it.
    fn is_in_struct(&self, at: usize, end: usize) -> bool {
        if matches!(self.byte(end + 1), Some(b' ' | b'"' | b'\'' | b'\\')) {
            return false;
        }
        let line = &self.bytes[at.saturating_sub(MAX_LINE)..at];
        let start = memrchr(b'\n', line).map_or(0, |end| end + 1);
        let line = &line[start..];
        let opens = memrchr(b'{', line);
        line.last().is_some_and(|byte| b"{ ".contains(byte)) && opens > memrchr(b'}', line)
    }

    /// The byte after the colours of a terminal at one, also escaped as in JSON.
    fn skip_colors(&self, mut at: usize) -> usize {
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            // as deep as JSON is in JSON
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

    /// Returns true if what is at a byte is the value of a key `name`, as an environment variable's is.
    fn is_value_of_name(&self, at: usize) -> bool {
        let before = self.bytes.get(..at).unwrap_or_default().trim_ascii_end();
        // in YAML and JSON, in an attribute of XML
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

    /// Looks for the value of a variable whose name ends before `behind`.
    fn pair(&mut self, start: usize, behind: usize, quote: Option<Quote>, kind: Kind) {
        let at = self.skip_blanks(behind, true);
        let value = match self.byte(at) {
            Some(b',') => self.skip_blanks(at + 1, true),
            _ => at,
        };
        let key = Quote::at(self.bytes, value).filter(|_| quote.is_some());
        let inner = value + key.map_or(0, Quote::length);
        let rest = self.bytes.get(inner..).unwrap_or_default();
        if !(rest.starts_with(b"value") || rest.starts_with(b"Value")) {
            return;
        }
        let end = self.skip_blanks(inner + "value".len() + key.map_or(0, Quote::length), false);
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
            // in braces
            self.bare(self.skip_blanks(end + 1, false), kind);
        }
    }

    /// Takes a value of JSON that follows a colon.
    fn json(&mut self, at: usize, kind: Kind) {
        let at = self.skip_blanks(at, true);
        if let Some(quote) = Quote::at(self.bytes, at) {
            let from = at + quote.length();
            return self.take(from..quote.end(self.bytes, from), kind);
        }
        // what occurs without quotes is a number, or no JSON
        if matches!(self.byte(at), Some(b'-' | b'0'..=b'9')) {
            self.bare(at, kind);
        }
    }

    /// Takes what follows an equals sign.
    fn assigned(&mut self, start: usize, at: usize, kind: Kind) {
        let at = self.skip_blanks(at, false);
        if let Some(quote) = Quote::at(self.bytes, at) {
            let mut from = at + quote.length();
            // three quotes open a text too
            let second = from + quote.length();
            if [from, second].map(|at| Quote::at(self.bytes, at)) == [Some(quote); 2] {
                from = second + quote.length();
            }
            return self.take(from..quote.end(self.bytes, from), kind);
        }
        // a variable alone on its line
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

    /// Takes a value without quotes among others.
    pub fn bare(&mut self, at: usize, kind: Kind) {
        let rest = self.bytes.get(at..).unwrap_or_default();
        // what is filled in elsewhere
        let is_filled_in = |start: &&[u8]| rest.starts_with(start);
        if [&b"<"[..], b"$(", b"${", b"%("].iter().any(is_filled_in) {
            return;
        }
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b",;&\"'`)}]\\".contains(byte);
        let length = rest.iter().take_while(|byte| !ends(byte)).count();
        self.take(at..at + length, kind);
    }

    /// Takes the word that a sentence gives after a colon, unless it is a word of the sentence.
    fn said(&mut self, at: usize, kind: Kind) {
        let from = self.skip_blanks(at, false);
        if from > at {
            self.said_from(from, kind);
        }
    }

    /// Takes a word that looks like nothing that people say.
    fn said_from(&mut self, from: usize, kind: Kind) {
        const SHORTEST: usize = 6;
        let rest = self.bytes.get(from..).unwrap_or_default();
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b",;&\"'`)}]\\".contains(byte);
        let word = &rest[..rest.iter().take_while(|byte| !ends(byte)).count()];
        let has = |wanted: fn(&u8) -> bool| word.iter().any(wanted);
        let is_mixed =
            has(u8::is_ascii_lowercase) && word.iter().skip(1).any(u8::is_ascii_uppercase);
        let is_random = is_mixed || has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
        // an address or a place in a file ends the name's part of the sentence
        let is_of_sentence = word.ends_with(b":") || memmem::find(word, b"://").is_some();
        if word.len() >= SHORTEST && is_random && !is_of_sentence {
            self.take(from..from + word.len(), kind);
        }
    }

    /// Takes the value that the rest of a line is, as in YAML and describes, or the block after it.
    pub fn rest_of_line(&mut self, at: usize, indent: usize, kind: Kind) {
        let from = self.skip_blanks(at, false);
        // a colon inside a word is not one of YAML's
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
