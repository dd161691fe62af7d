//! Finds secrets by their own shape: headers, tokens, addresses with a password, keys.

use memchr::{memchr, memmem, memrchr};

use super::find::{Finding, MAX_KEY, MAX_LINE, MAX_NAME, is_of_base64, is_of_name};
use super::names::{self, Kind};
use super::quote::Quote;
use super::value::is_random;

/// Prefixes of tokens that identify the issuer, with the minimum length of the rest.
pub(super) const PREFIXES: &[(&str, usize)] = &[
    // AWS
    ("AKIA", 16),
    ("ASIA", 16),
    // Google
    ("AIza", 30),
    ("ya29.", 20),
    ("1//0", 20),
    ("GOCSPX-", 20),
    // GitHub, GitLab
    ("github_pat_", 20),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("glpat-", 16),
    ("glptt-", 16),
    ("gldt-", 16),
    ("glrt-", 16),
    ("ATATT3x", 20),
    ("ATCTT3x", 20),
    ("ATBB", 24),
    // chat services
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xapp-", 10),
    ("xoxa-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("hooks.slack.com/services/", 20),
    ("discord.com/api/webhooks/", 20),
    ("api.telegram.org/bot", 20),
    ("outlook.office.com/webhook/", 20),
    ("webhook.office.com/webhookb2/", 20),
    // payment services
    ("sk_live_", 16),
    ("rk_live_", 16),
    ("sk_test_", 16),
    ("whsec_", 20),
    ("shpat_", 20),
    ("shpss_", 20),
    // AI services
    ("sk-proj-", 20),
    ("sk-ant-", 20),
    ("nvapi-", 20),
    // monitoring, issue trackers, mail, networks
    ("NRAK-", 20),
    ("sntrys_", 20),
    ("lin_api_", 20),
    ("figd_", 20),
    ("SG.", 40),
    ("tskey-", 16),
    ("PMAK-", 20),
    // registries, clouds, secret stores
    ("npm_", 30),
    ("pypi-AgE", 30),
    ("dckr_pat_", 16),
    ("dop_v1_", 20),
    ("hf_", 24),
    ("hvs.", 20),
    ("hvb.", 20),
    ("AGE-SECRET-KEY-1", 20),
    // the signature in an Azure URL
    ("&sig=", 16),
    // password hashes
    ("$apr1$", 16),
    ("$2a$", 16),
    ("$2b$", 16),
    ("$2y$", 16),
    ("$5$", 16),
    ("$6$", 16),
    ("$argon2", 24),
    ("{SSHA}", 20),
];

/// A token whose prefix also occurs in other texts, so that the letters and digits after it decide.
#[derive(Clone, Copy)]
pub(super) struct Token {
    /// The prefix, case-sensitive.
    pub start: &'static str,
    /// The minimum and maximum length of upper case, lower case and digits mixed.
    pub mixed: (usize, usize),
    /// The exact length of lower case and digits, if such tokens exist.
    pub plain: Option<usize>,
}

impl Finding<'_> {
    /// Records a token after its prefix at `at..end`.
    pub fn token(&mut self, at: usize, end: usize, token: Token) {
        let before = at.checked_sub(1).and_then(|before| self.byte(before));
        if before.is_some_and(is_of_name) || &self.bytes[at..end] != token.start.as_bytes() {
            return;
        }
        let rest = self.bytes[end..].iter().take(MAX_KEY);
        let length = rest.take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let word = &self.bytes[end..end + length];
        let has = |wanted: fn(&u8) -> bool| word.iter().any(wanted);
        let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
        // a compound name that includes a number has only two changes
        let is_long = is_mixed
            && names::changes(word) > 2
            && (token.mixed.0..=token.mixed.1).contains(&length);
        // a method call: `s.getPodOf2Nodes(`
        let is_call = self.byte(end + length) == Some(b'(');
        if (is_long || token.plain == Some(length))
            && !is_call
            && has(u8::is_ascii_digit)
            && has(u8::is_ascii_alphabetic)
        {
            self.found.push(end..end + length);
        }
    }

    /// Records the private lines of a PuTTY key, whose count is at `at`. Line breaks may be escaped.
    pub fn private_lines(&mut self, at: usize) {
        let rest = &self.bytes[at..self.bytes.len().min(at + MAX_KEY)];
        let is_end = |byte: &u8| b"\\\r\n".contains(byte);
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = self.text.get(at..at + digits).unwrap_or("").parse();
        // the line breaks were lost, or the lines were cut off
        if !rest.get(digits).is_some_and(is_end) {
            let length = rest.iter().take_while(|byte| is_of_base64(**byte)).count();
            self.take(at..at + length, Kind::Secret);
            return;
        }
        let mut end = digits;
        for _ in 0..number.unwrap_or(0) {
            let line = &rest[end..];
            let mut start = 0;
            while let Some(byte) = line.get(start) {
                // the letter of an escaped line break
                let is_letter =
                    matches!(byte, b'r' | b'n') && start > 0 && line[start - 1] == b'\\';
                if !is_end(byte) && !is_letter {
                    break;
                }
                start += 1;
            }
            let line = &line[start..];
            let length = line.iter().take_while(|byte| is_of_base64(**byte)).count();
            if length == 0 || line.get(length).is_some_and(|byte| !is_end(byte)) {
                break;
            }
            end += start + length;
        }
        self.found.push(at + digits..at + end);
    }

    /// Records a token after its prefix, which is kept, as it identifies the issuer.
    pub fn prefixed(&mut self, at: usize, number: usize) {
        let Some(&(prefix, least)) = PREFIXES.get(number) else {
            return;
        };
        let rest = self.bytes.get(at..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| self.byte(before));
        let is_inside = prefix.as_bytes()[0].is_ascii_alphanumeric()
            && before.is_some_and(|byte| byte.is_ascii_alphanumeric());
        if is_inside || !rest.starts_with(prefix.as_bytes()) {
            return;
        }
        let rest = &rest[prefix.len()..];
        // the prefix of an ordinary name: `npm_config_registry=`
        let is_plain = |byte: &u8| !byte.is_ascii_digit() && !byte.is_ascii_uppercase();
        if rest.iter().take(least).all(is_plain) {
            return;
        }
        // the parameters of a hash
        let has_lists = prefix.starts_with('$');
        let is_of_token = |byte: &&u8| {
            is_of_base64(**byte) || b"._-%$:@".contains(byte) || has_lists && **byte == b','
        };
        let length = rest.iter().take(MAX_KEY).take_while(is_of_token).count();
        if length >= least {
            let from = at + prefix.len();
            self.found.push(from..from + length);
        }
    }

    /// Records the value of a query parameter.
    pub fn query(&mut self, at: usize) {
        self.take(at..self.end_of_parameter(at), Kind::Secret);
    }

    /// Records the value of a query parameter with an ambiguous name, unless it looks like a word or a number.
    pub fn random_query(&mut self, at: usize) {
        const SHORTEST: usize = 8;
        let end = self.end_of_parameter(at);
        let value = self.bytes.get(at..end).unwrap_or_default();
        if value.len() >= SHORTEST && is_random(value) {
            self.take(at..end, Kind::Secret);
        }
    }

    fn end_of_parameter(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let is_of_value = |byte: &&u8| is_of_base64(**byte) || b"._-%~".contains(byte);
        at + rest.iter().take(MAX_KEY).take_while(is_of_value).count()
    }

    /// Records the quoted text that starts at an offset.
    pub fn quoted(&mut self, at: usize) {
        if let Some(quote) = Quote::at(self.bytes, at) {
            let from = at + quote.length();
            self.take(from..quote.end(self.bytes, from), Kind::Secret);
        }
    }

    /// Records the password in `CREATE USER crane IDENTIFIED BY 'password'`; `IDENTIFIED BY` is at `at..end`.
    pub fn statement(&mut self, at: usize, end: usize) {
        // lower case also occurs in sentences: a sandbox identified by "4f1c"
        let is_loud = !self.bytes[at..end].iter().any(u8::is_ascii_lowercase);
        // an SQL string literal
        let is_literal = self.byte(end) == Some(b'\'');
        let line = self.line_before(at).to_ascii_lowercase();
        let verbs = [&b"create "[..], b"alter ", b"grant "];
        if is_loud || verbs.iter().any(|verb| memmem::find(&line, verb).is_some()) {
            self.quoted(end);
        } else if is_literal && self.end_of_word(end + 1) > end + 1 {
            let word = end + 1..self.end_of_word(end + 1);
            let has = |wanted: fn(&u8) -> bool| self.bytes[word.clone()].iter().any(wanted);
            // a container id has no upper case
            if has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) {
                self.take(word, Kind::Random);
            }
        }
    }

    /// Records the password in `user/password@//host`.
    pub fn oracle_login(&mut self, at: usize) {
        let before = self.bytes[..at].iter().rev().take(MAX_NAME);
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`=(".contains(byte);
        let start = at - before.take_while(|byte| !ends(byte)).count();
        let login = &self.bytes[start..at];
        // neither a path nor an address
        if let Some(slash) = memchr(b'/', login).filter(|slash| *slash > 0)
            && login[..slash].iter().all(|byte| is_of_name(*byte))
        {
            self.take(start + slash + 1..at, Kind::Secret);
        }
    }

    /// Records a value after an encoded mark, as in URLs or markup; returns false if there is none.
    pub fn encoded(&mut self, at: usize, kind: Kind) -> bool {
        const MARKS: &[(&[u8], &[u8])] = &[
            (b"%22%3A%22", b"%22"),
            (b"%22%3a%22", b"%22"),
            (b"%3D", b"%26"),
            (b"%3d", b"%26"),
            (b"&quot;:&quot;", b"&quot;"),
            (b"&quot;: &quot;", b"&quot;"),
            (b"&#34;:&#34;", b"&#34;"),
            (b"=&quot;", b"&quot;"),
        ];
        let rest = self.bytes.get(at..).unwrap_or_default();
        let Some((mark, close)) = MARKS.iter().find(|(mark, _)| rest.starts_with(mark)) else {
            return false;
        };
        let rest = &rest[mark.len()..];
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`<>".contains(byte);
        let word = rest.iter().take(MAX_KEY).take_while(|byte| !ends(byte));
        let word = &rest[..word.count()];
        let length = memmem::find(word, close).unwrap_or(word.len());
        self.take(at + mark.len()..at + mark.len() + length, kind);
        true
    }

    /// Records the text of an XML element, or its attribute `value`; returns false if the name is not an element's.
    pub fn of_markup(&mut self, start: usize, end: usize, kind: Kind) -> bool {
        if start.checked_sub(1).and_then(|before| self.byte(before)) != Some(b'<') {
            return false;
        }
        let rest = &self.bytes[end..self.bytes.len().min(end + MAX_KEY)];
        let Some(text) = rest.strip_prefix(b">") else {
            let tag = &rest[..rest
                .iter()
                .take_while(|byte| !b">\n".contains(byte))
                .count()];
            let value = memmem::find(tag, b" value=");
            value
                .iter()
                .for_each(|at| self.quoted(end + at + " value=".len()));
            return value.is_some();
        };
        let length = text
            .iter()
            .take_while(|byte| !b"<\n".contains(byte))
            .count();
        let close = text[length..].strip_prefix(b"</");
        let is_closed = close.is_some_and(|close| close.starts_with(&self.bytes[start..end]));
        // unlike a placeholder: `--token <token> --name <name>`
        let is_text = text.first().is_some_and(u8::is_ascii_alphanumeric);
        if is_closed || is_text {
            self.take(end + 1..end + 1 + length, kind);
        }
        is_closed || is_text
    }

    /// Records the cookies of a header quoted as a whole, or in a map printed by Go; returns false for anything else.
    pub fn cookie(&mut self, start: usize, end: usize) -> bool {
        let before = start.checked_sub(1).and_then(|before| self.byte(before));
        let close = match before {
            Some(quote @ (b'"' | b'\'')) if self.byte(end) == Some(b':') => quote,
            _ if self.bytes[end..].starts_with(b":[") && self.is_in_map(start) => b']',
            _ => return false,
        };
        let from = self.skip_spaces(end + 1, false);
        let line = &self.bytes[from..self.end_of_line(from)];
        let length = memchr(close, line).unwrap_or(line.len());
        self.take(from..from + length, Kind::Secret);
        true
    }

    /// Returns true if a user precedes the offset on its line, as in a `.netrc`.
    pub fn is_of_netrc(&self, at: usize) -> bool {
        let line = self.line_before(at);
        memmem::find(line, b"login ").is_some() && memmem::find(line, b"machine ").is_some()
    }

    /// Records the credentials of an HTTP header after their scheme; returns false if there is no scheme.
    pub fn header(&mut self, end: usize) -> bool {
        let rest = self.bytes.get(end..).unwrap_or_default();
        let marks = rest
            .iter()
            .take_while(|byte| b" \t:=[\"'\\".contains(byte))
            .count();
        let is_field = rest[..marks].iter().any(|byte| b":=".contains(byte));
        let from = end + marks;
        let rest = self.text.get(from..).unwrap_or("");
        let schemes = [
            "bearer ",
            "basic ",
            "token ",
            "digest ",
            "negotiate ",
            "apikey ",
        ];
        let scheme = schemes.into_iter().find(|scheme| {
            let start = rest.get(..scheme.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        let Some(scheme) = scheme.filter(|_| is_field) else {
            return false;
        };
        let at = from + scheme.len();
        let line = &self.bytes[at..self.bytes.len().min(at + MAX_LINE)];
        let is_digest = scheme.starts_with("digest");
        let length = line.iter().take_while(|byte| match byte {
            b'\n' => false,
            byte => is_digest || !b" \t\"'\\],}".contains(byte),
        });
        self.found.push(at..at + length.count());
        true
    }

    /// Records the token after `Bearer`, if it looks like one.
    pub fn bearer(&mut self, at: usize) {
        const SHORTEST: usize = 16;
        let rest = self.bytes.get(at..).unwrap_or_default();
        let is_of_token = |byte: &u8| is_of_base64(*byte) || b"._~-".contains(byte);
        let length = rest.iter().take_while(|byte| is_of_token(byte)).count();
        if length >= SHORTEST && rest[..length].iter().any(u8::is_ascii_digit) {
            self.found.push(at..at + length);
        }
    }

    /// Records a JSON web token.
    pub fn web_token(&mut self, at: usize) {
        const SHORTEST: usize = 40;
        if at
            .checked_sub(1)
            .and_then(|before| self.byte(before))
            .is_some_and(is_of_name)
        {
            return;
        }
        let rest = &self.bytes[at..];
        let is_of_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
        let length = rest.iter().take_while(|byte| is_of_token(byte)).count();
        let dots = rest[..length].iter().filter(|byte| **byte == b'.').count();
        if rest.starts_with(b"eyJ") && length >= SHORTEST && dots >= 2 {
            self.found.push(at..at + length);
        }
    }

    /// Records the password in an address, after its scheme.
    pub fn address(&mut self, at: usize) {
        const TOKEN: usize = 20;
        let rest = self.bytes.get(at..).unwrap_or_default();
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/\"'`<>?#\\|".contains(byte);
        let host = &rest[..rest.iter().take_while(|byte| !ends(byte)).count()];
        let Some(user) = memrchr(b'@', host) else {
            return;
        };
        match memchr(b':', &host[..user]) {
            // an image digest
            _ if host[user + 1..].starts_with(b"sha256:") => {}
            // a key as the user, with an empty or unimportant password
            Some(colon) if colon >= TOKEN => self.take(at..at + user, Kind::Secret),
            Some(colon) => self.take(at + colon + 1..at + user, Kind::Secret),
            None if user >= TOKEN => self.take(at..at + user, Kind::Secret),
            None => {}
        }
    }

    /// Records the password in `user:password@tcp(host)`.
    pub fn source_name(&mut self, at: usize) {
        let before = self.bytes[..at].iter().rev().take(MAX_NAME);
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`/=(".contains(byte);
        let start = at - before.take_while(|byte| !ends(byte)).count();
        if let Some(colon) = memchr(b':', &self.bytes[start..at]) {
            self.take(start + colon + 1..at, Kind::Secret);
        }
    }

    /// Records a private key; `PRIVATE KEY-----` is at `at..end`.
    pub fn pem(&mut self, at: usize, end: usize) {
        let from = at.saturating_sub(48);
        let before = self.bytes.get(from..at).unwrap_or_default();
        let begins = memmem::rfind(before, b"-----BEGIN");
        if begins.is_none() {
            // the start of the key may be missing from the text
            let is_known = self
                .found
                .iter()
                .rev()
                .take(8)
                .any(|span| span.end >= from && span.start < at);
            let mut line = self.start_of_line(at);
            while !is_known && line > 0 {
                let start = self.start_of_line(line - 1);
                if !is_line_of_key(&self.bytes[start..line - 1]) {
                    break;
                }
                self.found.push(start..line - 1);
                line = start;
            }
            return;
        }
        let rest = &self.bytes[end..];
        let rest = &rest[..rest.len().min(MAX_KEY)];
        if let Some(length) = memmem::find(rest, b"-----END") {
            self.found.push(end..end + length);
            return;
        }
        let mut to = self.end_of_line(end);
        while to < self.bytes.len() {
            let next = self.end_of_line(to + 1);
            if !is_line_of_key(&self.bytes[to + 1..next]) {
                break;
            }
            to = next;
        }
        self.found.push(end..to);
    }
}

/// Returns true if a line consists of base64.
fn is_line_of_key(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.is_empty() && line.iter().all(|byte| is_of_base64(*byte))
}
