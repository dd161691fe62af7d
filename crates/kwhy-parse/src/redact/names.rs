//! Names of secrets: environment variables, keys, fields and options.

/// The kind of value that a name announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A secret.
    Secret,
    /// A secret, or the name of an object that contains one.
    MayBeName,
    /// A secret unless the value looks like a word, a name or a number, as the name has other meanings.
    Random,
    /// Like `Random`, or a number as long as a personal identification number: `pin=17` is a pin of a connector.
    Pin,
}

/// Words that mark a name as a secret's if they end it.
const ENDS: &[&str] = &[
    "password",
    "passwd",
    "passwort",
    "passphrase",
    "passcode",
    "pwd",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "accountkey",
    "authkey",
    "masterkey",
    "dockerconfigjson",
    "dockercfg",
    "requirepass",
    "masterauth",
    "bearer",
    "otp",
    "psk",
    "jwt",
    "authorization",
    "cookie",
    "cookies",
    // other languages; names with non-ASCII letters are in `sentence.rs`
    "kennwort",
    "senha",
    "wachtwoord",
    "heslo",
    "haslo",
    "salasana",
    "adgangskode",
    "passord",
    "lozinka",
    "contrasena",
    "motdepasse",
];

/// Words that do so even if other words precede them without a separator.
const GLUED: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "keypass",
    "storepass",
];

/// Words that do so before `key`.
const KEYS: &[&str] = &[
    "api",
    "access",
    "private",
    "secret",
    "encryption",
    "signing",
    "account",
    "master",
    "shared",
    "auth",
    "ssh",
    "storage",
    "consumer",
    "subscription",
    "service",
    "deploy",
    "license",
    "hmac",
    "session",
    "app",
    "certificate",
    "encrypt",
    "decryption",
    "cipher",
    "webhook",
    "redact",
];

/// Words before `secret` that rule out the name of an object.
const SECRETS: &[&str] = &[
    "client",
    "app",
    "shared",
    "api",
    "oauth",
    "oauth2",
    "jwt",
    "cookie",
    "session",
    "webhook",
    "hmac",
    "signing",
    "encryption",
    "aws",
    "key",
    "token",
    "consumer",
    "access",
];

/// Words before `pass` that rule out a password: one of several passes, or a bypass.
const PASSES: &[&str] = &[
    "first", "second", "last", "next", "single", "multi", "one", "two", "by",
];

/// Splits a name into lower-case words.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before: Option<char> = None;
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let is_new = match before {
            None => true,
            Some(last) if !last.is_ascii_alphanumeric() => true,
            Some(last) if last.is_ascii_uppercase() => {
                c.is_ascii_uppercase() && chars.peek().is_some_and(char::is_ascii_lowercase)
            }
            Some(_) => c.is_ascii_uppercase(),
        };
        before = Some(c);
        if !c.is_ascii_alphanumeric() {
            continue;
        }
        if is_new {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(c.to_ascii_lowercase());
        }
    }
    words
}

/// Returns the kind of value that a name announces; `None` if it cannot be a secret.
pub(super) fn kind(name: &str) -> Option<Kind> {
    let mut words = words(name);
    while words.len() > 1
        && words
            .last()
            .is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()))
    {
        words.pop();
    }
    let mut last = words.iter().rev().map(String::as_str);
    let (end, before, first) = (last.next()?, last.next(), last.next());
    let is_loud = !name.bytes().any(|byte| byte.is_ascii_lowercase());
    match end {
        // the working directory
        "pwd" | "oldpwd" if before.is_none() && is_loud => None,
        "pass" => before
            .filter(|word| !PASSES.contains(word))
            .map(|_| Kind::Secret),
        // an environment variable of sshpass; in lower case it is the program's name
        "sshpass" => is_loud.then_some(Kind::Secret),
        "assertion" => (before == Some("client")).then_some(Kind::Secret),
        "community" if before == Some("snmp") => Some(Kind::Secret),
        // a BGP or product community; a number that salts a hash
        "community" | "salt" => Some(Kind::Random),
        "pin" => Some(Kind::Pin),
        "secret" if is_loud || before.is_some_and(|word| SECRETS.contains(&word)) => {
            Some(Kind::Secret)
        }
        "secret" | "credential" | "credentials" | "creds" | "auth" => Some(Kind::MayBeName),
        "key" => before
            .filter(|word| KEYS.contains(word))
            .map(|_| Kind::Secret),
        // `client-key-data` of a kubeconfig
        "data" => (before == Some("key") && first == Some("client")).then_some(Kind::Secret),
        "id" => (before == Some("key") && first == Some("access")).then_some(Kind::Secret),
        _ if ENDS.contains(&end) || GLUED.iter().any(|word| end.ends_with(word)) => {
            Some(Kind::Secret)
        }
        _ => None,
    }
}

/// Returns true if a value is a placeholder or a reference to a secret, not a secret.
pub(super) fn is_readable(value: &str, kind: Kind) -> bool {
    const NOTHING: &[&str] = &[
        "true", "false", "null", "none", "nil", "~", "yes", "no", "{}", "[]",
    ];
    const OPENINGS: &[&str] = &[
        "<",
        "$(",
        "${",
        "{{",
        "%(",
        "***",
        "[REDACTED",
        "@Microsoft.KeyVault",
    ];
    let value = value.trim();
    // a sentence may end after it: `ALLOW_EMPTY_PASSWORD=yes.`
    let bare = value.trim_end_matches(['.', ',', ';']);
    value.is_empty()
        || NOTHING.iter().any(|word| bare.eq_ignore_ascii_case(word))
        || OPENINGS.iter().any(|start| value.starts_with(start))
        || is_size(value)
        || is_path(value)
        || (kind == Kind::MayBeName && is_name(value))
}

/// Returns true if a word looks like a personal identification number.
pub(super) fn is_pin(word: &str) -> bool {
    (4..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the number of changes between letters and digits.
pub(super) fn changes(word: &[u8]) -> usize {
    let is_change = |pair: &&[u8]| {
        pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit()
            || pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic()
    };
    word.windows(2).filter(is_change).count()
}

/// Returns true if a word does not look like a word, name, number or path: it mixes upper case, lower case and digits,
/// or alternates between digits and letters.
pub(super) fn is_random_text(word: &str) -> bool {
    const SHORTEST: usize = 8;
    const CHANGES: usize = 3;
    let bytes = word.trim_end_matches('=').as_bytes();
    let has = |wanted: fn(&u8) -> bool| bytes.iter().any(wanted);
    let is_letter = u8::is_ascii_alphabetic;
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let changes = changes(bytes);
    let is_plain = bytes.iter().all(u8::is_ascii_alphanumeric);
    let is_of_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/_-".contains(byte);
    bytes.len() >= SHORTEST
        && bytes.iter().all(is_of_token)
        && has(u8::is_ascii_digit)
        && has(is_letter)
        && (is_mixed && (is_plain || changes >= CHANGES) || is_plain && changes >= CHANGES)
        && !word.starts_with('/')
        && !is_generated(word)
}

/// Returns true if a value looks like the generated name of an object, such as `web-token-x7k2p`: short words separated
/// by hyphens, the first of which has no digits, unlike that of most UUIDs.
pub(super) fn is_generated(value: &str) -> bool {
    const LONGEST: usize = 16;
    let is_letter = |byte: u8| byte.is_ascii_lowercase();
    let is_word = |part: &str| (1..=LONGEST).contains(&part.len());
    is_name(value)
        && value.contains('-')
        && value.split('-').all(is_word)
        && value
            .split('-')
            .take(1)
            .all(|first| first.bytes().all(is_letter))
}

/// Returns true for a size, which a describe prints in place of a Secret's value.
fn is_size(value: &str) -> bool {
    let number = value.strip_suffix(" bytes");
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns true for a path below a usual folder for secrets, or the name of a key file.
fn is_path(value: &str) -> bool {
    const ROOTS: &[&str] = &[
        "/etc/",
        "/var/",
        "/run/",
        "/home/",
        "/tmp/",
        "/opt/",
        "/usr/",
        "/root/",
        "/mnt/",
        "/secrets/",
        "/app/",
        "/srv/",
        "/data/",
        "/certs/",
        "./",
        "../",
    ];
    // files that contain keys
    const FILES: &[&str] = &[".pem", ".key", ".crt", ".jks", ".p12", ".pfx"];
    let is_rooted = ROOTS.iter().any(|root| value.starts_with(root));
    let is_file = !value.starts_with('/') && FILES.iter().any(|end| value.ends_with(end));
    (is_rooted || is_file)
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte))
}

/// Returns true if a value may be an object's name, with or without its namespace.
fn is_name(value: &str) -> bool {
    value.len() <= 253
        && value.bytes().filter(|byte| *byte == b'/').count() <= 1
        && value.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-./".contains(&byte)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets() {
        for name in [
            "password",
            "DB_PASSWORD",
            "PGPASSWORD",
            "dbPassword",
            "spring.datasource.password",
            "MYSQL_PWD",
            "DB_PASS",
            "API_KEY",
            "APIKey",
            "apikey",
            "X-Api-Key",
            "aws_secret_access_key",
            "AWS_ACCESS_KEY_ID",
            "privateKey",
            "GITHUB_TOKEN",
            "authtoken",
            "token",
            "clientSecret",
            "JWT_SECRET",
            "SECRET",
            "PASSWORD_2",
            ".dockerconfigjson",
            "AccountKey",
            "SharedAccessKey",
            "Authorization",
            "Set-Cookie",
            "client-key-data",
            "client_assertion",
            "DATADOG_APP_KEY",
            "--certificate-key",
            "requirepass",
        ] {
            assert_eq!(kind(name), Some(Kind::Secret), "{name}");
        }
        for name in ["secret", "auth-secret", "tlsSecret", "credentials", "auth"] {
            assert_eq!(kind(name), Some(Kind::MayBeName), "{name}");
        }
    }

    #[test]
    fn other_names() {
        for name in [
            "secretName",
            "secretKeyRef",
            "token-file",
            "tokenExpirationSeconds",
            "imagePullSecrets",
            "secrets",
            "PWD",
            "pass",
            "key",
            "cacheKey",
            "keys",
            "authority",
            "author",
            "tokenizer",
            "max_tokens",
            "passive",
            "auth-url",
            "private-key-file",
            "compass",
            "client-certificate-data",
            "session-cookie-name",
            "",
        ] {
            assert_eq!(kind(name), None, "{name}");
        }
    }

    #[test]
    fn names_with_other_meanings() {
        for name in ["salt", "passwordSalt", "community", "PASSWORD_SALT"] {
            assert_eq!(kind(name), Some(Kind::Random), "{name}");
        }
        for name in ["pin", "PIN", "userPin", "sim_pin"] {
            assert_eq!(kind(name), Some(Kind::Pin), "{name}");
        }
        for name in ["spin", "pinned", "salted", "saltstack", "communities"] {
            assert_eq!(kind(name), None, "{name}");
        }
        for value in ["1234", "87654321"] {
            assert!(is_pin(value), "{value}");
        }
        for value in ["17", "GPIO", "123456789", "4.17", ""] {
            assert!(!is_pin(value), "{value}");
        }
        for value in ["dGlkZQ8Zz1x5", "9f86d081884c", "aB3/xY9+zQ1==", "Tide4Quay"] {
            assert!(is_random_text(value), "{value}");
        }
        for value in [
            "public",
            "minion-0",
            "GPIO17",
            "65000:100",
            "SaltStack",
            "v1beta1",
            "container01",
            "web-7d9f8b6c5-x2k4q",
            "/registry/pods/dock/Web7x",
            "2031-03-04",
            "13",
        ] {
            assert!(!is_random_text(value), "{value}");
        }
    }

    #[test]
    fn values_that_are_none() {
        for value in [
            "",
            "true",
            "yes.",
            "<set to the key 'x' in secret 'y'>",
            "$(OTHER)",
            "8 bytes",
            "/etc/tls/key.pem",
        ] {
            assert!(is_readable(value, Kind::Secret), "{value}");
        }
        assert!(is_readable("shop/web-tls", Kind::MayBeName));
        assert!(!is_readable("shop/web-tls", Kind::Secret));
        assert!(!is_readable("dXNlcjpw", Kind::MayBeName));
        assert!(!is_readable("/x8Kq+/a", Kind::Secret));
    }
}
