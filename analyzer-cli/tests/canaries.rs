//! Secrets of each kind, in every kind of input, must not occur in any output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A part of each secret, in upper or lower case as its kind demands.
const CANARY: &str = "qx7hunter2";

/// Kinds of secrets, one a line. `@` is a secret, `^` one in capital letters.
const KINDS: &[&str] = &[
    // variables, fields, options
    "DB_PASSWORD=@",
    "password: @",
    "dbPassword=@ retry=3",
    "passphrase=@",
    "api_key=@",
    "apiKey: \"@\"",
    "X-Api-Key: @",
    "clientSecret=@",
    "client_secret: '@'",
    "AWS_SECRET_ACCESS_KEY=@",
    "aws_access_key_id = ^",
    "AZURE_CLIENT_SECRET=@",
    "GITHUB_TOKEN=@",
    "authToken=@",
    "token: @",
    "SESSION_SECRET=@",
    "ENCRYPTION_KEY=@",
    "signingKey=@",
    "exec: helm login --password @ --username crane",
    "exec: tool --token=@ --verbose",
    "exec: tool --api-key '@'",
    "args: map[password:@ user:crane]",
    "got {\"password\":\"@\",\"user\":\"crane\"}",
    "got {'secret_key': '@', 'user': 'crane'}",
    // addresses and connection strings
    "dial postgres://crane:@@db.dock.svc:5432/app: timeout",
    "redis://:@@cache:6379/0 is down",
    "amqp://crane:@@queue.dock/x",
    "mongodb+srv://crane:@@cluster.example/app?retryWrites=true",
    "https://crane:@@git.example/x.git not found",
    "https://@@git.example/x.git not found",
    "crane:@@tcp(db.dock:3306)/app",
    "jdbc:postgresql://db/app?user=crane&password=@",
    "Server=dock;User Id=crane;Password=@;Timeout=3",
    "DefaultEndpointsProtocol=https;AccountName=quay;AccountKey=@==;EndpointSuffix=core.example",
    "Endpoint=sb://quay.example/;SharedAccessKeyName=x;SharedAccessKey=@=",
    "GET /quay?access_token=@&page=2",
    "GET /quay?x=1&sig=@%3D&se=2031",
    // headers
    "Authorization: Bearer @",
    "Authorization: Basic @==",
    "headers: map[Authorization:[Bearer @] Accept:[text/html]]",
    "curl -H 'Authorization: token @' https://quay.example",
    "curl -u crane:@ https://quay.example",
    "curl -H 'Cookie: sid=@' https://quay.example",
    "Set-Cookie: @",
    "X-Vault-Token: @",
    "unauthorized: bearer @",
    // tokens with a known prefix
    "eyJhbGciOiJIUzI1NiJ9.@.@",
    "key AKIA^ is refused",
    "key ASIA^ is refused",
    "key AIzaSyA@@ is refused",
    "ghp_@ is refused",
    "github_pat_@ is refused",
    "glpat-@ is refused",
    "xoxb-@ is refused",
    "post to https://hooks.slack.com/services/@/@ failed",
    "sk_live_@ is refused",
    "npm_@@ is refused",
    "hvs.@ is refused",
    "AGE-SECRET-KEY-1^^ is refused",
    "crane:$2y$05$@",
    "sk-ant-@ is refused",
    "glrt-@ is refused",
    "whsec_@ is refused",
    "post to https://discord.com/api/webhooks/123456789012345678/@ failed",
    "crane:$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$@",
    // one-letter options
    "exec: sshpass -p @ ssh dock",
    "exec: mysql -ucrane -p@ app",
    "exec: redis-cli -a @ ping",
    "exec: docker login -u crane -p @ quay.example",
    "exec: ldapsearch -w @ -b dc=dock",
    "exec: openssl rsa -passin pass:@",
    "command: [app, --token, @]",
    // other separators between a name and its value
    "password => '@'",
    "password := \"@\"",
    "got &{User:crane Password:@ Retry:3}",
    "got Token(@)",
    "env: [{name: DB_PASSWORD, value: @}]",
    "<password>@</password>",
    "<add key=\"Password\" value=\"@\"/>",
    "the body was user%3Dcrane%26password%3D@%26x%3D1",
    "\u{1b}[31mpassword\u{1b}[0m=@",
    "CREATE USER crane IDENTIFIED BY '@'",
    "invalid password \"@\" for user crane",
    "GET /back?code=@&state=1",
    "https://quay.example/x?X-Amz-Signature=@",
    "AUTH @",
    "requirepass @",
    // names with other meanings, names of two words, sentences
    "hashed with salt=@",
    "opened with pin=@",
    "snmp community=@",
    "the API key: @ is refused",
    "the password was changed to @",
    "Password……: @",
    "PASSWORD\t@",
    "password&quot;:&quot;@&quot;",
    "user crane identified by '@'",
    // other languages
    "Пароль: @",
    "contraseña=@",
    "mot de passe: @",
    "Passwort: @",
    "senha=@",
    "密码：@",
    // tokens with a short prefix
    "vault token s.@ is refused",
    "key-@ is refused",
    "EAA@ is refused",
    "code=@&state=x&redirect_uri=y",
    // files
    "PuTTY-User-Key-File-2: ssh-rsa Private-Lines: @",
    "machine quay.example login crane password @",
    "client-key-data: @",
    ".dockerconfigjson: @",
    "-----BEGIN PRIVATE KEY-----\\n@\\n-----END PRIVATE KEY-----",
];

fn quoted(line: &str) -> String {
    serde_json::to_string(line).unwrap()
}

/// The name of a file, and how it contains a line.
type Setting = (&'static str, fn(usize, &str) -> String);

const SETTINGS: &[Setting] = &[
    ("plain.txt", |_, line| format!("{line}\n")),
    ("kubelet.log", |n, line| {
        format!(
            "E0304 05:06:{:02}.123456       1 sync.go:88] \"Failed\" err={}\n",
            n % 60,
            quoted(line)
        )
    }),
    ("klog-message.log", |n, line| {
        format!(
            "E0304 05:06:{:02}.123456       1 sync.go:88] Failed: {line}\n",
            n % 60
        )
    }),
    ("app.log", |n, line| {
        format!(
            "{{\"level\":\"error\",\"ts\":\"2031-03-04T05:06:{:02}Z\",\"msg\":{}}}\n",
            n % 60,
            quoted(line)
        )
    }),
    ("logfmt.log", |n, line| {
        format!(
            "time=\"2031-03-04T05:06:{:02}Z\" level=error msg={}\n",
            n % 60,
            quoted(line)
        )
    }),
    ("events.txt", |n, line| {
        let head = if n == 0 {
            "LAST SEEN   TYPE      REASON   OBJECT        MESSAGE\n"
        } else {
            ""
        };
        format!("{head}2m          Warning   Failed   pod/crane-{n}   {line}\n")
    }),
    ("describe.txt", |n, line| {
        format!(
            "Name:         crane-{n}\nNamespace:    dock\nStatus:       Running\nContainers:\n  arm:\n    State:      Waiting\n      Reason:   CrashLoopBackOff\n    Last State: Terminated\n      Reason:   Error\n      Message:  {line}\n    Ready:      False\nEvents:\n  Type     Reason  Age  From     Message\n  ----     ------  ---- ----     -------\n  Warning  Failed  2s   kubelet  {line}\n\n"
        )
    }),
    ("configmaps.yaml", |n, line| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: crane-{n}\n  namespace: dock\ndata:\n  app.conf: |\n    {line}\n    mode=fast\n---\n"
        )
    }),
    ("secrets.yaml", |n, line| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: crane-{n}\n  namespace: dock\nstringData:\n  app.conf: |\n    {line}\n---\n"
        )
    }),
    ("pods.json", |n, line| {
        format!(
            "{{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{{\"name\":\"crane-{n}\",\"namespace\":\"dock\"}},\"status\":{{\"phase\":\"Failed\",\"message\":{}}}}}\n",
            quoted(line)
        )
    }),
];

/// The outputs: arguments before the input.
const OUTPUTS: &[&[&str]] = &[
    &[],
    &["-v"],
    &["-q"],
    &["-o", "json", "--timeline"],
    &["-o", "ndjson"],
    &["-o", "markdown"],
    &["-o", "html"],
    &["-o", "sarif"],
    &["-o", "junit"],
    &["-o", "html", "--limit", "line-length=120"],
    &["events"],
    &["events", "-o", "ndjson"],
    &["patterns"],
    &["patterns", "-o", "ndjson"],
    &["objects"],
    &["objects", "-o", "ndjson"],
    &["records"],
    &["bundle", "ls"],
    &["scan"],
];

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Returns a kind with its secret filled in. In an address, the last `@` before the host stays.
fn filled(kind: &str) -> String {
    let secret = "Qx7hUnter2aB3dE6gH9kL4mN";
    let is_address = kind.contains("//") && kind.contains("@@") || kind.contains("@@tcp");
    let kind = match is_address {
        true => kind
            .replacen("@@", "\u{1}", 1)
            .replace('\u{1}', &format!("{secret}@")),
        false => kind.replace('@', secret),
    };
    kind.replace('^', "QX7HUNTER2AB3DE6")
}

#[test]
fn no_output_contains_a_canary() {
    assert!(KINDS.len() >= 60, "{}", KINDS.len());
    let root = folder("canaries");
    for (name, carry) in SETTINGS {
        let texts: String = KINDS
            .iter()
            .enumerate()
            .map(|(n, kind)| carry(n, &filled(kind)))
            .collect();
        assert!(texts.to_ascii_lowercase().matches(CANARY).count() >= KINDS.len());
        fs::write(root.join(name), texts).unwrap();
    }
    let mut leaks = Vec::new();
    for args in OUTPUTS {
        let output = Command::new(env!("CARGO_BIN_EXE_kwhy"))
            .args(*args)
            .arg(&root)
            .output()
            .unwrap();
        assert!(!output.stdout.is_empty(), "{args:?}: {output:?}");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        for line in text.lines() {
            let lower = line.to_ascii_lowercase();
            for (at, _) in lower.match_indices(CANARY) {
                let near = lower.get(at.saturating_sub(70)..at + 20);
                leaks.push(format!("{args:?}: {}", near.unwrap_or(line)));
            }
        }
    }
    leaks.sort();
    leaks.dedup();
    assert!(
        leaks.is_empty(),
        "{} leaks: {:#?}",
        leaks.len(),
        &leaks[..leaks.len().min(60)]
    );
}

#[test]
fn a_proposed_signature_contains_no_canary() {
    let root = folder("canaries-of-signatures");
    // a short paste becomes an example as a whole
    for (number, kinds) in KINDS.chunks(20).enumerate() {
        let lines = kinds.iter().map(|kind| format!("ERROR {}\n", filled(kind)));
        let path = root.join(format!("{number}.log"));
        fs::write(&path, lines.collect::<String>()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_kwhy"));
        let output = command
            .args(["signatures", "new"])
            .arg(&path)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let text =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(!text.to_lowercase().contains(CANARY), "{text}");
    }
}

#[test]
fn names_of_files_contain_no_canary() {
    let root = folder("canaries-of-names").join("in");
    let secret = "Qx7hUnter2aB3dE6gH9kL4mN";
    let inside = root.join(format!("token={secret}"));
    fs::create_dir_all(&inside).unwrap();
    let log = "E0304 05:06:07.123456       1 sync.go:88] dial tcp 192.0.2.1:80: connect: connection refused\n";
    for name in [format!("password={secret}.log"), "app.log".to_owned()] {
        fs::write(inside.join(name), log).unwrap();
    }
    let mut shown = 0;
    for args in OUTPUTS {
        let output = Command::new(env!("CARGO_BIN_EXE_kwhy"))
            .args(*args)
            .arg(&root)
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap().to_ascii_lowercase();
        assert!(!text.contains(CANARY), "{args:?}: {text}");
        shown += usize::from(text.contains("token=***"));
    }
    assert!(shown > OUTPUTS.len() / 3, "{shown}");
    // nor does a copy
    let copy = root.with_file_name("copy");
    let output = Command::new(env!("CARGO_BIN_EXE_kwhy"))
        .arg("redact")
        .arg(&root)
        .arg("-o")
        .arg(&copy)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let masked = copy.join("token=masked/password=masked");
    assert!(masked.is_file(), "{output:?}");
}
