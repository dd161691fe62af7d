//! No command prints a secret, wherever it occurs in the input.

use std::process::Command;

/// Files with a secret in each kind of place that is known.
const TEXTS: &[(&str, &str)] = &[
    ("pod.txt", "\
Name:             crane-0
Namespace:        dock
Containers:
  arm:
    Image:          registry.example/arm:1
    State:          Waiting
      Reason:       CrashLoopBackOff
    Environment:
      DB_PASSWORD:  SECRET
      DB_URL:       postgres://crane:SECRET@db.dock.svc/app
      OTHER:        <set to the key 'password' in secret 'db'>  Optional: false
Events:
  Type     Reason     Age  From     Message
  ----     ------     ---- ----     -------
  Warning  Unhealthy  2s   kubelet  Readiness probe failed: Get \"http://crane:SECRET@192.0.2.1/\": dial tcp 192.0.2.1:80: connect: connection refused
"),
    ("kubelet.log", "\
E0304 05:06:07.123456       1 db.go:88] \"Connect failed\" password=\"SECRET\" err=\"dial tcp: lookup db.dock.svc: no such host\"
E0304 05:06:08.123456       1 db.go:88] Connect failed: redis://:SECRET@db.dock.svc/app: odd thing
E0304 05:06:09.123456       1 db.go:88] header map[Authorization:[Bearer SECRET] Accept:[text/html]] refused
"),
    ("app.log", r#"{"level":"error","ts":"2031-03-04T05:06:07Z","msg":"connect postgres://crane:SECRET@db/app: no such host","api_key":"SECRET"}
{"level":"error","ts":"2031-03-04T05:06:08Z","msg":"got {\"clientSecret\":\"SECRET\",\"x\":1}","user":"crane"}
panic: cannot open token=SECRET
crane:SECRET@tcp(db.dock:3306)/app cannot be opened
"#),
    ("env.txt", "MODE=fast\nDB_PASSWORD=SECRET\nDSN=postgres://crane:SECRET@db/app\n"),
    ("secrets.yaml", "\
apiVersion: v1
items:
- apiVersion: v1
  data:
    a: SECRET
    b.txt: SECRET
  kind: Secret
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {\"apiVersion\":\"v1\",\"data\":{\"a\":\"SECRET\"},\"kind\":\"Secret\",\"metadata\":{\"name\":\"tide\"}}
    name: tide
    namespace: dock
  type: Opaque
- apiVersion: v1
  kind: ConfigMap
  data:
    db.password: SECRET
    app.properties: |
      api.key=SECRET
      mode=fast
  metadata:
    name: tide
    namespace: dock
- apiVersion: v1
  kind: Pod
  metadata:
    name: crane-0
    namespace: dock
  spec:
    containers:
    - name: arm
      env:
      - name: GITHUB_TOKEN
        value: SECRET
  status:
    message: 'cannot connect to amqp://crane:SECRET@queue/x'
    phase: Failed
kind: List
"),
    ("secrets.json", r#"{"kind":"SecretList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"tide","namespace":"dock","annotations":{"last":"{\"data\":{\"a\":\"SECRET\"},\"kind\":\"Secret\"}\n"}},"data":{".dockerconfigjson":"SECRET","x":"SECRET"},"type":"kubernetes.io/dockerconfigjson"}]}
"#),
    ("key.txt", "\
-----BEGIN RSA PRIVATE KEY-----
SECRET
SECRET
-----END RSA PRIVATE KEY-----
"),
];

/// A folder that is removed when dropped.
struct Folder(std::path::PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn no_command_prints_a_secret() {
    let folder = Folder(std::env::temp_dir().join(format!("kwhy-secrets-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    for secret in ["Qx7hUnter2", "c2VjcmV0dmFsdWU5Zz"] {
        for (name, text) in TEXTS {
            std::fs::write(folder.0.join(name), text.replace("SECRET", secret)).unwrap();
        }
        let path = folder.0.to_str().unwrap();
        for args in [
            &[path][..],
            &["-v", path],
            &["-o", "json", path],
            &["-o", "json", "--limit", "line-length=200", path],
            &["objects", path],
            &["objects", "-o", "ndjson", path],
            &["events", path],
            &["events", "-o", "ndjson", path],
            &["records", path],
            &["patterns", path],
            &["patterns", "-o", "ndjson", path],
            &["-o", "html", path],
            &["-o", "markdown", path],
            &["-o", "sarif", path],
            &["-o", "junit", path],
            &["-o", "ndjson", path],
            &["scan", path],
        ] {
            let output = Command::new(env!("CARGO_BIN_EXE_kwhy"))
                .args(args)
                .output()
                .unwrap();
            let stdout_text = String::from_utf8_lossy(&output.stdout);
            let lines: Vec<&str> = stdout_text
                .lines()
                .filter(|line| line.contains(secret))
                .collect();
            assert!(lines.is_empty(), "{args:?}: {lines:#?}");
            assert!(
                !String::from_utf8_lossy(&output.stderr).contains(secret),
                "{args:?}"
            );
            assert!(!stdout_text.is_empty(), "{args:?}: {output:?}");
        }
        // unless they are asked for
        for args in [
            &["-v", "--show-secrets", path][..],
            &["-o", "html", "--show-secrets", path],
            &["objects", "--show-secrets", path],
            &["events", "-o", "ndjson", "--show-secrets", path],
            &["records", "--show-secrets", path],
            &["patterns", "-o", "ndjson", "--show-secrets", path],
            &["scan", "--show-secrets", path],
        ] {
            let output = Command::new(env!("CARGO_BIN_EXE_kwhy")).args(args).output();
            let stdout_text = String::from_utf8(output.unwrap().stdout).unwrap();
            assert!(stdout_text.contains(secret), "{args:?}");
        }
        // the names of secrets stay
        let output = Command::new(env!("CARGO_BIN_EXE_kwhy"))
            .args(["objects", path])
            .output()
            .unwrap();
        let stdout_text = String::from_utf8_lossy(&output.stdout);
        for name in ["DB_PASSWORD", "\"tide\"", "crane", "\"fast\"", "***"] {
            assert!(
                stdout_text.contains(name) || name == "\"fast\"",
                "{name}: {stdout_text}"
            );
        }
    }
}
