//! Secrets stay masked, whatever surrounds their lines.

use std::sync::LazyLock;

use kwhy_core::Analyzer;
use kwhy_core::events::masked;

use crate::reports::drawn;

/// The text searched for in the outputs, and the secret that contains it.
const CANARY: &str = "Zk4tIdewater9";
const SECRET: &str = "Zk4tIdewater9aB3dE6gH9kL4mNpQ7rS2tV5wX8";

/// Kinds of secrets. `@` stands for the secret.
const KINDS: &[&str] = &[
    "DB_PASSWORD=@",
    "password: @",
    "\"password\": \"@\"",
    "clientSecret=@ retry=3",
    "X-Api-Key: @",
    "AWS_SECRET_ACCESS_KEY=@",
    "exec: helm login --password @ --username crane",
    "args: map[password:@ user:crane]",
    "dial postgres://crane:@@db.dock.svc:5432/app: timeout",
    "redis://:@@cache:6379/0 is down",
    "jdbc:postgresql://db/app?user=crane&password=@",
    "Server=dock;User Id=crane;Password=@;Timeout=3",
    "GET /quay?access_token=@&page=2",
    "Authorization: Bearer @",
    "Authorization: Basic @==",
    "curl -u crane:@ https://quay.example",
    "Set-Cookie: @",
    "X-Vault-Token: @",
    "eyJhbGciOiJIUzI1NiJ9.@.@",
    "ghp_@ is refused",
    "glpat-@ is refused",
    "xoxb-@ is refused",
    "hvs.@ is refused",
    "exec: redis-cli -a @ ping",
    "exec: docker login -u crane -p @ quay.example",
    "command: [app, --token, @]",
    "got &{User:crane Password:@ Retry:3}",
    "env: [{name: DB_PASSWORD, value: @}]",
    "<password>@</password>",
    "CREATE USER crane IDENTIFIED BY '@'",
    "requirepass @",
    "client-key-data: @",
];

/// The text before and after a line in different kinds of input.
const ENVELOPES: &[(&str, &str)] = &[
    ("", ""),
    ("E0304 05:06:07.123456       1 sync.go:88] Failed: ", ""),
    ("2024-03-04T05:06:07.123456789Z stderr F ", ""),
    ("2m          Warning   Failed   pod/crane-7   ", ""),
    ("      Message:  ", ""),
    ("  Warning  Failed  2s   kubelet  ", ""),
    ("time=\"2031-03-04T05:06:07Z\" level=error msg=failed ", ""),
    (
        "panic: ",
        "\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:7 +0x1",
    ),
];

static ANALYZER: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new().with_timeline());
static BLOCKS: LazyLock<Analyzer> = LazyLock::new(|| Analyzer::new().with_blocks_of(300));

/// Tests a line with a secret between two halves of the input. The first byte chooses the kind of secret, the second
/// the envelope, the third where the input is split.
pub fn redaction(data: &[u8]) {
    let [kind, envelope, cut, rest @ ..] = data else {
        return;
    };
    let rest = String::from_utf8_lossy(rest).replace(CANARY, "");
    let cuts = (0..=usize::from(*cut)).rev();
    let cut = cuts
        .into_iter()
        .find(|at| rest.is_char_boundary(*at))
        .unwrap_or(0);
    let (before, after) = rest.split_at(cut);
    let (open, close) = ENVELOPES[usize::from(*envelope) % ENVELOPES.len()];
    // in `@@`, the second `@` separates the credentials of a URL from its host
    let kind = KINDS[usize::from(*kind) % KINDS.len()];
    let line = kind
        .replace("@@", &format!("{SECRET}\0"))
        .replace('@', SECRET)
        .replace('\0', "@");
    let text = format!("{before}\n{open}{line}{close}\n{after}");
    let leaks = |out: &str| out.contains(CANARY);
    let out = masked(&text);
    assert!(!leaks(&out), "masked: {line:?} in {text:?}\n{out:?}");
    for analyzer in [&*ANALYZER, &*BLOCKS] {
        let mut report = analyzer.analyze_text("input", text.as_str());
        report.add_lines_around("input", text.as_bytes(), 2);
        for (form, out) in drawn(&report) {
            assert!(!leaks(&out), "{form}: {line:?} in {text:?}\n{out}");
        }
    }
}
