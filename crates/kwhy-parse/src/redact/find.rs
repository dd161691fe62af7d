//! Finds the secrets in a text.

use std::sync::LazyLock;

use memchr::{memchr, memmem, memrchr};

use super::names::{self, Kind};
use super::objects;
use super::options::Short;
use super::sentence;
use super::shapes::{self, Token};
use super::triggers::Triggers;
use kwhy_model::Span;

/// The maximum length of a name.
pub(super) const MAX_NAME: usize = 128;

/// The maximum number of spaces between a name and its value, which describes align.
pub(super) const MAX_BLANKS: usize = 120;

/// The number of bytes within which a key must end.
pub(super) const MAX_KEY: usize = 16 * 1024;

/// The number of bytes of a line that are examined before a name.
pub(super) const MAX_LINE: usize = 4096;

/// Where the secret is in relation to a trigger.
#[derive(Clone, Copy)]
enum Near {
    /// The value of the name that contains the trigger.
    Name,
    /// Like `Name`, or the data of a Secret: the trigger occurs in every Secret, alone or in a list.
    NameOrData,
    /// Between the scheme and the host of an address.
    Address,
    /// In the lines of a private key.
    PrivateKey,
    /// Before the protocol of a data source name.
    SourceName,
    /// Before the host of a login to Oracle.
    OracleLogin,
    /// After the scheme of a header.
    Bearer,
    /// The trigger starts a JSON web token.
    WebToken,
    /// In quotes after the trigger, in an SQL statement.
    Statement,
    /// After the trigger, in a query string or a signed request.
    Query,
    /// Like `Query`, if the value does not look like a word or a number.
    RandomQuery,
    /// After the user, in an option of curl.
    CurlUser,
    /// After the colon, in an option of openssl.
    PassPhrase,
    /// In an option of the program whose name starts with the trigger.
    Program(Short),
    /// In an option of the `login` command of a registry or cloud client.
    Login(Short),
    /// After the trigger, if followed by the number of letters and digits that such tokens have.
    Token(Token),
    /// After the trigger, in a form sent by a browser.
    Code,
    /// The value of the trigger, which is a name in another language.
    Foreign,
    /// In the lines after the trigger.
    PrivateLines,
}

/// Texts near which secrets occur, in any case. Of several that start at the same offset, the first one counts.
const TRIGGERS: &[(&str, Near)] = &[
    ("://", Near::Address),
    ("private key-----", Near::PrivateKey),
    ("@tcp(", Near::SourceName),
    ("@unix(", Near::SourceName),
    ("@//", Near::OracleLogin),
    ("bearer ", Near::Bearer),
    ("eyj", Near::WebToken),
    ("identified by ", Near::Statement),
    // names
    ("pass:", Near::PassPhrase),
    ("pass", Near::Name),
    ("pwd", Near::Name),
    ("secret", Near::NameOrData),
    ("token", Near::NameOrData),
    // Mailgun: 32 letters and digits
    (
        "key-",
        Near::Token(Token {
            start: "key-",
            mixed: (20, MAX_KEY),
            plain: Some(32),
        }),
    ),
    ("key", Near::Name),
    ("cred", Near::Name),
    ("auth", Near::NameOrData),
    ("dockercfg", Near::NameOrData),
    ("dockerconfig", Near::NameOrData),
    ("jwt", Near::Name),
    ("opaque", Near::NameOrData),
    ("kubernetes.io/tls", Near::NameOrData),
    ("helm.sh/release", Near::NameOrData),
    ("cookie", Near::Name),
    ("bearer=", Near::Name),
    ("bearer:", Near::Name),
    ("otp", Near::Name),
    ("psk", Near::Name),
    ("client_assertion", Near::Name),
    ("snmp", Near::Name),
    // short words count as names only before a mark: `pin` is part of `mapping`, `salt` of product names
    ("salt", Near::Name),
    ("pin=", Near::Name),
    ("pin:", Near::Name),
    ("pin\"", Near::Name),
    ("pin'", Near::Name),
    ("pin\\", Near::Name),
    ("community", Near::Name),
    // other languages
    ("kennwort", Near::Name),
    ("senha", Near::Name),
    ("wachtwoord", Near::Name),
    ("heslo", Near::Name),
    ("haslo", Near::Name),
    ("salasana", Near::Name),
    ("adgangskode", Near::Name),
    ("lozinka", Near::Name),
    ("contrasena", Near::Name),
    ("mot de passe", Near::Foreign),
    ("kata sandi", Near::Foreign),
    // tokens with a short prefix
    (
        "s.",
        Near::Token(Token {
            start: "s.",
            mixed: (24, 40),
            plain: None,
        }),
    ),
    (
        "eaa",
        Near::Token(Token {
            start: "EAA",
            mixed: (20, MAX_KEY),
            plain: None,
        }),
    ),
    // PuTTY
    ("private-lines: ", Near::PrivateLines),
    // query strings and signed requests
    ("code=", Near::Code),
    ("?key=", Near::RandomQuery),
    ("&key=", Near::RandomQuery),
    ("?code=", Near::RandomQuery),
    ("&code=", Near::RandomQuery),
    ("?pass=", Near::Query),
    ("&pass=", Near::Query),
    ("?sig=", Near::RandomQuery),
    ("?auth=", Near::RandomQuery),
    ("amz-signature=", Near::RandomQuery),
    (", signature=", Near::RandomQuery),
    // command lines
    (" -u ", Near::CurlUser),
    ("--user ", Near::CurlUser),
    ("--proxy-user ", Near::CurlUser),
    (" login ", Near::Login(Short::next(b'p'))),
    ("sshpass", Near::Program(Short::both(b'p'))),
    ("mysql", Near::Program(Short::glued(b'p'))),
    ("mariadb-", Near::Program(Short::glued(b'p'))),
    ("mariadb", Near::Program(Short::glued(b'p'))),
    ("mongo", Near::Program(Short::next(b'p'))),
    ("redis-cli", Near::Program(Short::next(b'a'))),
    ("ldapsearch", Near::Program(Short::next(b'w'))),
    ("ldapadd", Near::Program(Short::next(b'w'))),
    ("ldapmodify", Near::Program(Short::next(b'w'))),
    ("ldapdelete", Near::Program(Short::next(b'w'))),
    ("ldapcompare", Near::Program(Short::next(b'w'))),
    ("ldapwhoami", Near::Program(Short::next(b'w'))),
    ("ldappasswd", Near::Program(Short::next(b'w'))),
    ("openssl", Near::Program(Short::next(b'k'))),
];

/// Finds the triggers and the prefixes of tokens, numbered in this order.
static TEXTS: LazyLock<Triggers> = LazyLock::new(|| Triggers::new(texts()));

/// Like [`TEXTS`], followed by names in other languages; separate, as these are many and most texts contain none.
static TEXTS_OF_ANY: LazyLock<Triggers> = LazyLock::new(|| {
    let names = || sentence::FOREIGN.iter();
    let escaped = (1..=2)
        .flat_map(|depth| names().map(move |name| sentence::escaped(name, depth).into_bytes()));
    let plain = names().map(|name| (*name).into());
    Triggers::new(texts().chain(plain).chain(escaped))
});

fn texts() -> impl Iterator<Item = Vec<u8>> {
    let triggers = TRIGGERS.iter().map(|(trigger, _)| (*trigger).into());
    let prefixes = shapes::PREFIXES.iter().map(|(prefix, _)| (*prefix).into());
    triggers.chain(prefixes)
}

/// Returns true if a text contains non-ASCII letters, plain or escaped.
fn may_be_foreign(text: &str) -> bool {
    !text.is_ascii() || memmem::find(text.as_bytes(), b"\\u").is_some()
}

/// Returns the ranges of secrets in a text, in order.
pub(super) fn secrets(text: &str) -> Vec<Span> {
    let mut finding = Finding {
        text,
        bytes: text.as_bytes(),
        found: Vec::new(),
        word: 0..0,
    };
    // the end of the last name that was examined
    let mut done = 0;
    let mut may_be_object = false;
    const FIRST_FOREIGN: usize = TRIGGERS.len() + shapes::PREFIXES.len();
    let texts = match may_be_foreign(text) {
        true => &TEXTS_OF_ANY,
        false => &TEXTS,
    };
    for (number, place) in texts.find(text.as_bytes()) {
        let at = place.start;
        let near = match number {
            FIRST_FOREIGN.. => Some(Near::Foreign),
            _ => TRIGGERS.get(number).map(|(_, near)| *near),
        };
        may_be_object |= matches!(near, Some(Near::NameOrData));
        if finding
            .found
            .last()
            .is_some_and(|known| known.contains(&at))
        {
            continue;
        }
        let is_of_name = match near {
            None => {
                finding.prefixed(at, number - TRIGGERS.len());
                false
            }
            Some(near) => finding.near(near, &place),
        };
        if is_of_name && at >= done {
            done = finding.name(at).max(place.end);
        }
    }
    if may_be_object {
        objects::data(text, &mut finding.found);
    }
    merged(finding.found)
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

/// The state of a search for secrets in a text.
pub(super) struct Finding<'t> {
    pub text: &'t str,
    pub bytes: &'t [u8],
    pub found: Vec<Span>,
    /// The last unquoted word.
    word: Span,
}

impl Finding<'_> {
    /// Examines the surroundings of a trigger; returns true if the trigger may also be part of a name.
    fn near(&mut self, near: Near, place: &Span) -> bool {
        let (at, end) = (place.start, place.end);
        match near {
            Near::Name | Near::NameOrData => return true,
            Near::Address => self.address(end),
            Near::PrivateKey => self.pem(at, end),
            Near::SourceName => self.source_name(at),
            Near::OracleLogin => self.oracle_login(at),
            Near::Bearer => self.bearer(end),
            Near::WebToken => self.web_token(at),
            Near::Statement => self.statement(at, end),
            Near::Query => self.query(end),
            Near::RandomQuery => self.random_query(end),
            Near::CurlUser => self.user(at, end),
            Near::PassPhrase => {
                self.pass_phrase(at);
                return true;
            }
            Near::Program(option) => {
                self.program(at, end, option);
                return true;
            }
            Near::Login(option) => self.login(at, end, option),
            Near::Token(token) => {
                self.token(at, end, token);
                return true;
            }
            Near::Code => self.code(at, end),
            Near::Foreign => self.foreign(at, end),
            Near::PrivateLines => self.private_lines(end),
        }
        false
    }

    pub fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Returns the offset after the spaces at an offset, and after line breaks if `and_lines`.
    pub fn skip_spaces(&self, at: usize, and_lines: bool) -> usize {
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

    /// Returns the part of the line before an offset, at most [`MAX_LINE`] bytes.
    pub fn line_before(&self, at: usize) -> &[u8] {
        let line = self.bytes.get(at.saturating_sub(MAX_LINE)..at);
        let line = line.unwrap_or_default();
        &line[memrchr(b'\n', line).map_or(0, |end| end + 1)..]
    }

    /// Returns the end of an unquoted word. It is cached, as many names may precede the same word.
    pub fn end_of_word(&mut self, at: usize) -> usize {
        if !self.word.contains(&at) {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let ends = |byte: &u8| byte.is_ascii_whitespace() || b",;&\"'`)}]\\".contains(byte);
            let length = rest.iter().take_while(|byte| !ends(byte)).count();
            self.word = at..at + length;
        }
        self.word.end
    }

    /// Records a value as a secret, unless it is a placeholder or a reference.
    pub fn take(&mut self, span: Span, kind: Kind) {
        let value = self.text.get(span.clone()).unwrap_or("x");
        if matches!(kind, Kind::Random | Kind::Pin) {
            return self.take_random(span.start, value, kind);
        }
        if !names::is_readable(value, kind) {
            let start = span.start + value.len() - value.trim_start().len();
            self.found.push(start..start + value.trim().len());
        }
    }

    /// Records the first word of a value, unless it looks like a word, a name or a number.
    fn take_random(&mut self, at: usize, value: &str, kind: Kind) {
        let start = at + value.len() - value.trim_start().len();
        let word = value.split_ascii_whitespace().next().unwrap_or("");
        let word = word.trim_end_matches([',', ';', '.']);
        let is_pin = kind == Kind::Pin && names::is_pin(word);
        if is_pin || names::is_random_text(word) {
            self.found.push(start..start + word.len());
        }
    }
}
