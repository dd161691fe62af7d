//! JSON written member by member: each line of a log is written as a record, for which a general serializer takes
//! twice the time.

use std::fmt::Display;
use std::io::Write as _;

use kwhy_core::events::Text;
use kwhy_render::escape::is_hostile;

/// A JSON object being written.
pub struct Object<'t> {
    text: &'t mut Vec<u8>,
    empty: bool,
}

impl<'t> Object<'t> {
    /// Opens an object at the end of a text.
    pub fn open(text: &'t mut Vec<u8>) -> Object<'t> {
        text.push(b'{');
        Object { text, empty: true }
    }

    /// Closes the object.
    pub fn close(self) {
        self.text.push(b'}');
    }

    fn comma(&mut self) {
        if !std::mem::replace(&mut self.empty, false) {
            self.text.push(b',');
        }
    }

    /// Writes a name in which nothing needs escaping.
    fn name(&mut self, name: &str) {
        self.comma();
        self.text.push(b'"');
        self.text.extend_from_slice(name.as_bytes());
        self.text.extend_from_slice(b"\":");
    }

    /// Adds a string.
    pub fn string(&mut self, name: &str, value: &str) {
        self.name(name);
        string(self.text, value);
    }

    /// Adds a string, if there is one.
    pub fn some(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.string(name, value);
        }
    }

    /// Adds a piece of the input as a string, if there is one.
    pub fn piece(&mut self, name: &str, value: &Option<Text<'_>>) {
        self.some(name, value.as_ref().map(Text::as_str));
    }

    /// Adds the displayed value as a string in which nothing needs escaping, if there is one.
    pub fn displayed(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.name(name);
            // writing to memory does not fail
            let _ = write!(self.text, "\"{value}\"");
        }
    }

    /// Adds a number or a literal such as `true`, if there is one.
    pub fn plain(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.name(name);
            let _ = write!(self.text, "{value}");
        }
    }

    /// Adds a value that `write` appends as JSON.
    pub fn json(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.name(name);
        write(self.text);
    }

    /// Adds a value that `write` appends as JSON; the name is escaped.
    pub fn member(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.comma();
        string(self.text, name);
        self.text.push(b':');
        write(self.text);
    }
}

/// The number of bytes tested together, without a branch for each.
const CHUNK: usize = 16;

/// Returns true if a byte must be escaped in a JSON string.
fn is_escaped(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// Appends a JSON string. Characters that control a terminal are written as `\u` escapes.
pub fn string(text: &mut Vec<u8>, value: &str) {
    text.push(b'"');
    let is_plain = value.is_ascii() && !value.contains('\u{7f}');
    let steers = |c: &char| *c >= '\u{7f}' && is_hostile(*c);
    let mut rest = value;
    while let Some((at, c)) = rest.char_indices().find(|(_, c)| !is_plain && steers(c)) {
        fragment(text, &rest[..at]);
        for unit in c.encode_utf16(&mut [0; 2]) {
            // writing to memory does not fail
            let _ = write!(text, "\\u{unit:04x}");
        }
        rest = &rest[at + c.len_utf8()..];
    }
    fragment(text, rest);
    text.push(b'"');
}

fn fragment(text: &mut Vec<u8>, value: &str) {
    let mut rest = value.as_bytes();
    while !rest.is_empty() {
        let chunks = rest.chunks_exact(CHUNK);
        let clean = chunks
            .take_while(|chunk| {
                !chunk
                    .iter()
                    .fold(false, |any, byte| any | is_escaped(*byte))
            })
            .count();
        let from = clean * CHUNK;
        let after = rest.get(from..).unwrap_or(&[]);
        let found = after.iter().position(|byte| is_escaped(*byte));
        let end = from + found.unwrap_or(after.len());
        text.extend_from_slice(rest.get(..end).unwrap_or(rest));
        if let Some(byte) = rest.get(end) {
            escape(text, *byte);
        }
        rest = rest.get(end + 1..).unwrap_or(&[]);
    }
}

fn escape(text: &mut Vec<u8>, byte: u8) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            let _ = write!(text, "\\u{byte:04x}");
            return;
        }
    };
    text.extend_from_slice(&[b'\\', letter]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_as_reports_are() {
        let long = "é".repeat(9);
        let mut all: Vec<String> = (0..0x80u8)
            .map(|byte| char::from(byte).to_string())
            .collect();
        for length in 0..40 {
            let text: String = "a\"b\\c\nd\u{1}é日😀\u{9b}31m\u{202e}\u{e0041}x"
                .chars()
                .cycle()
                .skip(length)
                .take(length)
                .collect();
            all.push(format!("{}{text}{long}\t", "x".repeat(length)));
        }
        for text in all {
            let mut out = Vec::new();
            string(&mut out, &text);
            let wanted = kwhy_render::json::text(&text).unwrap();
            assert_eq!(out, wanted.as_bytes(), "{text:?}");
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }

    #[test]
    fn members() {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.some("none", None);
        object.string("text", "a\"");
        object.plain("number", Some(7));
        object.member("odd\n", |text| string(text, "x"));
        object.json("inner", |text| Object::open(text).close());
        object.close();
        assert_eq!(out, br#"{"text":"a\"","number":7,"odd\n":"x","inner":{}}"#);
    }
}
