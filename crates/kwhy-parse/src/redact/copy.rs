//! Copies of a text that can be passed on: without secrets, and with tokens in place of names.

use super::{Identities, Secrets};

/// The replacement of a secret in a copy: an ordinary word in every format, unlike a mark of asterisks.
const MARK: &str = "redacted";

impl Identities {
    /// Returns a text without its secrets and with tokens, line by line as before. `before` and `after` surround it in
    /// the input, as a secret may start or end there.
    ///
    /// ```
    /// use kwhy_parse::redact::Identities;
    /// let text = "password: Qx7hUnter2\nhost: db.acme.example\n";
    /// let copied = Identities::new(None).copied("", text, "");
    /// assert_eq!(copied, "password: redacted\nhost: host-1\n");
    /// ```
    pub fn copied(&mut self, before: &str, text: &str, after: &str) -> String {
        let whole = [before, text, after].concat();
        let own = before.len()..before.len() + text.len();
        let secrets = Secrets::of(&whole);
        let mut out = String::with_capacity(text.len());
        let mut kept = own.start;
        for secret in secrets.within(&own) {
            let (from, to) = (secret.start.max(own.start), secret.end.min(own.end));
            let plain = whole.get(kept..from).unwrap_or("");
            out.push_str(&self.redact_aligned(plain));
            let mut lines = whole.get(from..to).unwrap_or("").split('\n').peekable();
            while let Some(line) = lines.next() {
                let indent = line.len() - line.trim_start().len();
                out.push_str(&line[..indent]);
                if indent < line.len() {
                    out.push_str(MARK);
                }
                if lines.peek().is_some() {
                    out.push('\n');
                }
            }
            kept = to;
        }
        let plain = whole.get(kept..own.end).unwrap_or("");
        out.push_str(&self.redact_aligned(plain));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay() {
        let key = "-----BEGIN PRIVATE KEY-----\nQx7hUnter2Qx7h\nQx7hUnter2Qx7h\n-----END PRIVATE KEY-----\nnext\n";
        let mut identities = Identities::new(None);
        let copied = identities.copied("", key, "");
        assert!(!copied.contains("Qx7h"), "{copied}");
        assert_eq!(copied.lines().count(), key.lines().count());
        // in two parts
        let (first, second) = key.split_at(key.find("\nQx7h").unwrap() + 16);
        let parts = [
            identities.copied("", first, second),
            identities.copied(first, second, ""),
        ];
        assert!(!parts.concat().contains("Qx7h"), "{parts:?}");
        assert_eq!(parts.concat().lines().count(), key.lines().count());
    }

    #[test]
    fn a_secret_stays_an_object() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: tide\ndata:\n  a.txt: UXg3aFVudGVyMg==\n  b: |\n    Qx7hUnter2\n";
        let copied = Identities::new(None).copied("", text, "");
        assert!(
            copied.contains("  a.txt: redacted\n  b: |\n    redacted\n"),
            "{copied}"
        );
    }
}
