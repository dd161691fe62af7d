//! `--redact`: no output contains private names, and the causes stay the same.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Names that must not occur in any output; the input contains each in several places.
const OWN: &[&str] = &[
    "zanzibar",
    "quayside",
    "craneyard",
    "dockhand",
    "tidebook",
    "harbormaster",
    "acmeport",
    "198.51.100",
    "2001:db8:77",
    "ip-198-51",
    "0f8e7d6c-1a2b",
];

const DESCRIBE: &str = "\
Name:             craneyard-6d5f9c7b8-kq2xz
Namespace:        zanzibar
Node:             quayside-2/198.51.100.12
Status:           Pending
IP:               198.51.100.77
Containers:
  dockhand:
    Image:          registry.acmeport.example/craneyard:2.1
    State:          Waiting
      Reason:       ContainerCreating
    Environment:
      OPERATOR:     harbormaster@acmeport.example
Events:
  Type     Reason       Age                From     Message
  ----     ------       ----               ----     -------
  Warning  FailedMount  105s (x16 over 18m)  kubelet  MountVolume.SetUp failed for volume \"conf\" : configmap \"tidebook\" not found
  Warning  Failed       90s (x4 over 18m)  kubelet  Failed to pull image \"registry.acmeport.example/craneyard:2.1\": dial tcp: lookup registry.acmeport.example on 198.51.100.53:53: no such host
";

const KLOG: &str = "\
E0304 05:06:07.123456       1 pod_workers.go:1300] \"Error syncing pod, skipping\" err=\"failed to pull image\" pod=\"zanzibar/craneyard-6d5f9c7b8-kq2xz\" podUID=\"0f8e7d6c-1a2b-4c3d-9e8f-001122334455\"
E0304 05:06:08.123456       1 reflector.go:205] Failed to watch *v1.Secret: Get \"https://api.acmeport.example:6443/api/v1/namespaces/zanzibar/secrets\": dial tcp 198.51.100.9:6443: connect: connection refused
E0304 05:06:09.123456       1 dial.go:1] dial tcp [2001:db8:77::9]:443: i/o timeout
E0304 05:06:10.123456       1 node.go:1] \"Node not ready\" node=\"ip-198-51-100-4.ec2.internal\"
E0304 05:06:11.123456       1 auth.go:1] configmaps \"tidebook\" is forbidden: User \"harbormaster\" cannot get resource \"configmaps\" in API group \"\" in the namespace \"zanzibar\"
";

const JSON_LOG: &str = r#"{"level":"error","ts":"2031-03-04T05:06:07Z","msg":"Reconciler error","namespace":"zanzibar","name":"craneyard","error":"Get \"https://craneyard.zanzibar.svc:8443/x\": dial tcp 198.51.100.9:8443: connect: connection refused"}
{"level":"error","ts":"2031-03-04T05:06:08Z","msg":"mail to harbormaster@acmeport.example failed","user":"harbormaster"}
"#;

const TABLE: &str = "\
NAMESPACE   NAME                        READY   STATUS             RESTARTS   AGE   IP              NODE
zanzibar    craneyard-6d5f9c7b8-kq2xz   0/1     CrashLoopBackOff   12         40m   198.51.100.77   quayside-2
zanzibar    tidebook-0                  1/1     Running            0          40m   198.51.100.78   quayside-2
";

const YAML: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: craneyard-6d5f9c7b8-kq2xz
  namespace: zanzibar
  uid: 0f8e7d6c-1a2b-4c3d-9e8f-001122334455
spec:
  nodeName: quayside-2
  containers:
  - name: dockhand
    image: registry.acmeport.example/craneyard:2.1
status:
  phase: Pending
  podIP: 198.51.100.77
  containerStatuses:
  - name: dockhand
    image: registry.acmeport.example/craneyard:2.1
    state:
      waiting:
        reason: ImagePullBackOff
        message: Back-off pulling image \"registry.acmeport.example/craneyard:2.1\"
";

const TEXTS: &[(&str, &str)] = &[
    ("describe.txt", DESCRIBE),
    ("kubelet.log", KLOG),
    ("app.log", JSON_LOG),
    ("pods.txt", TABLE),
    ("pod.yaml", YAML),
];

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Runs the program on a folder of texts, or on one text from standard input.
fn run(args: &[&str], root: Option<&Path>, stdin: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kwhy"));
    command.args(args).args(root);
    command.env_remove("KWHY_REDACT_KEY");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

fn causes(output: &Output) -> Vec<String> {
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let cause = |finding: &Value| finding["cause"].as_str().unwrap().to_owned();
    findings.iter().map(cause).collect()
}

/// Asserts that the program ran and printed none of the private names. `root` is the folder of the texts.
fn names_nothing(output: &Output, root: &Path, call: &str) {
    assert_eq!(output.status.code(), Some(0), "{call}: {output:?}");
    let shown = [output.stdout.as_slice(), &output.stderr].concat();
    // the path of the folder is the caller's own, and may be shown
    let shown = String::from_utf8(shown)
        .unwrap()
        .replace(root.to_str().unwrap(), "");
    for own in OWN {
        let at = shown.find(own);
        let near = at.and_then(|at| shown.get(at.saturating_sub(90)..at + 30));
        assert!(at.is_none(), "{call}: {own}: {near:?}");
    }
}

#[test]
fn no_output_names_what_is_own() {
    let root = folder("own");
    for (name, text) in TEXTS {
        fs::write(root.join(name), text).unwrap();
    }
    let forms = [
        "human", "json", "ndjson", "markdown", "html", "sarif", "junit",
    ];
    let runs = forms.iter().map(|form| vec!["-o", form, "--redact"]);
    let runs = runs.chain([
        vec!["-v", "--redact"],
        vec!["-q", "--redact"],
        vec!["--redact-key", "k"],
    ]);
    for args in runs {
        for (name, text) in [("", "")].iter().chain(TEXTS) {
            let is_all = name.is_empty();
            let output = run(&args, is_all.then_some(&root), text);
            names_nothing(&output, &root, &format!("{args:?} {name}"));
        }
    }
}

#[test]
fn no_conversion_names_what_is_own() {
    let root = folder("converted");
    for (name, text) in TEXTS {
        fs::write(root.join(name), text).unwrap();
    }
    for args in [
        &["events", "--redact"][..],
        &["events", "-o", "ndjson", "--redact"],
        &["patterns", "--redact"],
        &["patterns", "-o", "ndjson", "--redact"],
        &["objects", "--redact"],
        &["objects", "-o", "ndjson", "--redact-key", "k"],
        &["records", "--redact"],
        &["scan", "--redact"],
    ] {
        let output = run(args, Some(&root), "");
        names_nothing(&output, &root, &format!("{args:?}"));
    }
    // a value has the same token throughout an output
    let output = run(&["events", "-o", "ndjson", "--redact"], None, KLOG);
    let stdout_text = String::from_utf8(output.stdout).unwrap();
    let namespaces = stdout_text.matches("namespace-1").count();
    assert!(
        namespaces > 2 && !stdout_text.contains("namespace-2"),
        "{stdout_text}"
    );
    for refused in [
        &["bundle", "ls", "--redact"][..],
        &["explain", "--redact", "api/forbidden"],
        &["redact", "--show-secrets", "-o", "x"],
        &["events", "--redact", "--show-secrets"],
    ] {
        let output = run(refused, Some(&root), "");
        assert_eq!(output.status.code(), Some(2), "{refused:?}: {output:?}");
    }
}

/// Copies the inputs of a folder of fixtures without the expected results, and returns their names.
fn inputs_of(kind: &str, to: &Path) -> Vec<String> {
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures")
        .join(kind);
    let mut names = Vec::new();
    let mut open = vec![(from, to.to_owned())];
    while let Some((from, to)) = open.pop() {
        for entry in fs::read_dir(&from).unwrap().map(|it| it.unwrap()) {
            let name = entry.file_name();
            let target = to.join(&name);
            if from.ends_with(kind) {
                names.push(name.to_string_lossy().into_owned());
            }
            match entry.path().is_dir() {
                true => {
                    fs::create_dir_all(&target).unwrap();
                    open.push((entry.path(), target));
                }
                false if name == "expected.yaml" => {}
                false => drop(fs::copy(entry.path(), target).unwrap()),
            }
        }
    }
    names.sort();
    names
}

/// Returns the causes in each bundle of a folder, in order.
fn causes_of_each(folder: &Path) -> Vec<Vec<String>> {
    let output = run(&["scan"], Some(folder), "");
    let stdout_text = String::from_utf8(output.stdout).unwrap();
    let reports = stdout_text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let reports = reports.filter(|line| line["summary"].is_null());
    let causes = reports.map(|line| {
        let findings = line["report"]["findings"].as_array().unwrap();
        let causes = findings.iter().filter(|finding| finding["role"] == "cause");
        causes
            .map(|it| it["cause"].as_str().unwrap().to_owned())
            .collect()
    });
    causes.collect()
}

/// Fixtures whose copies may have other causes: the product is recognised by words that two of its names share, one of
/// which no signature contains.
const OTHER_CAUSES: &[&str] = &["csi-node-plugin-without-secret"];

#[test]
fn copies_of_all_fixtures_have_the_causes() {
    let root = folder("copies");
    for kind in ["cases", "incidents", "healthy"] {
        let (from, to) = (root.join("from").join(kind), root.join("to").join(kind));
        fs::create_dir_all(&from).unwrap();
        fs::create_dir_all(&to).unwrap();
        let names = inputs_of(kind, &from);
        assert!(names.len() > 40, "{kind}: {}", names.len());
        for name in &names {
            let copy = to.join(name);
            let output = run(
                &["redact", "-o", copy.to_str().unwrap()],
                Some(&from.join(name)),
                "",
            );
            assert_eq!(output.status.code(), Some(0), "{output:?}");
        }
        let (plain, copied) = (causes_of_each(&from), causes_of_each(&to));
        assert_eq!(plain.len(), names.len());
        for ((name, mut plain), mut copied) in names.iter().zip(plain).zip(copied) {
            assert_eq!(copied.first(), plain.first(), "{name}");
            plain.sort();
            copied.sort();
            assert!(
                copied == plain || OTHER_CAUSES.contains(&name.as_str()),
                "{name}: {plain:?}, {copied:?}"
            );
        }
    }
}

#[test]
fn the_causes_stay() {
    for (name, text) in TEXTS {
        let plain = run(&["-o", "json"], None, text);
        let redacted = run(&["-o", "json", "--redact"], None, text);
        assert_eq!(causes(&redacted), causes(&plain), "{name}");
    }
}

#[test]
fn commands_name_tokens() {
    let output = run(&["-q", "--redact", "-o", "json"], None, DESCRIBE);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let finding = &report["findings"][0];
    assert_eq!(finding["subject"]["namespace"], "namespace-1", "{finding}");
    let run = finding["check"][0]["run"].as_str().unwrap();
    let name = finding["subject"]["name"].as_str().unwrap();
    assert_eq!(run, format!("kubectl -n namespace-1 get configmap {name}"));
    assert!(output.stderr.is_empty());
}

#[test]
fn what_was_replaced_is_counted() {
    let output = run(&["--redact"], None, DESCRIBE);
    let note = String::from_utf8(output.stderr).unwrap();
    assert!(
        note.starts_with("kwhy: redacted: ") && note.contains("1 namespace ("),
        "{note}"
    );
}

#[test]
fn a_key_makes_the_same_tokens_of_other_inputs() {
    let token = |key: &str, text: &str| {
        let output = run(&["-o", "json", "--redact-key", key], None, text);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let findings = report["findings"].as_array().unwrap();
        let namespace = findings
            .iter()
            .find_map(|finding| finding["subject"]["namespace"].as_str());
        namespace.unwrap().to_owned()
    };
    let first = token("quay", DESCRIBE);
    assert_eq!(token("quay", TABLE), first);
    assert_ne!(token("crane", TABLE), first);
}

/// Creates a folder of the texts, with a secret and a binary file among them.
fn original(name: &str) -> PathBuf {
    let root = folder(name);
    let inside = root.join("case/pods/logs/zanzibar");
    fs::create_dir_all(&inside).unwrap();
    for (name, text) in TEXTS {
        fs::write(root.join("case").join(name), text).unwrap();
    }
    fs::write(inside.join("craneyard-6d5f9c7b8-kq2xz.log"), KLOG).unwrap();
    fs::write(
        root.join("case/env.txt"),
        "MODE=fast\nDB_PASSWORD=Qx7hUnter2aB\n",
    )
    .unwrap();
    fs::write(root.join("case/core.bin"), [0, 1, 2, 3]).unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    fs::File::open(root.join("case/env.txt"))
        .unwrap()
        .set_modified(old)
        .unwrap();
    root
}

fn all_below(root: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all_below(&path, all),
            false => all.push(path),
        }
    }
}

#[test]
fn a_copy_has_the_structure_and_no_names() {
    let root = original("copy");
    let copy = root.join("copy");
    let output = run(
        &["redact", "-o", copy.to_str().unwrap()],
        Some(&root.join("case")),
        "",
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.starts_with("7 files in ") && said.contains("redacted: "),
        "{said}"
    );
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("core.bin: not text")
    );
    let mut files = Vec::new();
    all_below(&copy, &mut files);
    assert_eq!(files.len(), 7);
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let shown = format!("{}\n{text}", file.strip_prefix(&root).unwrap().display());
        for own in OWN.iter().chain(&["Qx7hUnter2"]) {
            assert!(!shown.contains(own), "{own}: {shown}");
        }
    }
    let env = copy.join("env.txt");
    assert_eq!(
        fs::read_to_string(&env).unwrap(),
        "MODE=fast\nDB_PASSWORD=redacted\n"
    );
    let time = fs::metadata(&env).unwrap().modified().unwrap();
    let since = time.duration_since(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(since.as_secs(), 1_700_000_000);
    for (name, text) in TEXTS {
        let copied = fs::read_to_string(copy.join(name)).unwrap();
        assert_eq!(copied.lines().count(), text.lines().count(), "{name}");
        let (plain, redacted) = (
            run(&["-o", "json"], None, text),
            run(&["-o", "json"], None, &copied),
        );
        assert_eq!(causes(&redacted), causes(&plain), "{name}");
    }
    // an existing copy is never overwritten
    let again = run(
        &["redact", "-o", copy.to_str().unwrap()],
        Some(&root.join("case")),
        "",
    );
    assert_eq!(again.status.code(), Some(2));
}

#[test]
fn an_archive_is_copied_into_an_archive() {
    let root = original("archive");
    let (first, second) = (root.join("first.tar.gz"), root.join("second.tar"));
    let made = run(
        &["redact", "-o", first.to_str().unwrap()],
        Some(&root.join("case")),
        "",
    );
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let made = run(
        &["redact", "-o", second.to_str().unwrap()],
        Some(&first),
        "",
    );
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let all = |path: &Path| {
        let output = run(&["-o", "json"], Some(path), "");
        let mut causes = causes(&output);
        causes.sort();
        causes
    };
    let expected = all(&root.join("case"));
    assert!(expected.len() > 3, "{expected:?}");
    assert_eq!(all(&first), expected);
    assert_eq!(all(&second), expected);
    let bytes = fs::read(&second).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(OWN.iter().all(|own| !text.contains(own)));
}

#[test]
fn a_file_of_many_blocks() {
    let root = folder("blocks");
    let line = "E0304 05:06:08.123456       1 x.go:1] dial tcp 198.51.100.9:6443: password=Qx7hUnter2aB refused\n";
    let text = line.repeat((9 << 20) / line.len());
    let (from, to) = (root.join("large.log"), root.join("copy.log"));
    fs::write(&from, &text).unwrap();
    let output = run(&["redact", "-o", to.to_str().unwrap()], Some(&from), "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let copied = fs::read_to_string(&to).unwrap();
    let expected = line
        .replace("198.51.100.9", "198.18.0.3")
        .replace("Qx7hUnter2aB", "redacted");
    assert!(copied == expected.repeat(text.lines().count()));
}

#[test]
fn texts_of_wide_characters() {
    let root = folder("wide");
    let text = format!("\u{feff}{KLOG}password=Qx7hUnter2aB\n");
    let units = || text.encode_utf16();
    for (name, bytes) in [
        (
            "le16",
            units().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
        ),
        ("be16", units().flat_map(u16::to_be_bytes).collect()),
        (
            "le32",
            text.chars()
                .flat_map(|c| u32::from(c).to_le_bytes())
                .collect(),
        ),
        (
            "be32",
            text.chars()
                .flat_map(|c| u32::from(c).to_be_bytes())
                .collect(),
        ),
    ] {
        let (from, to) = (root.join(name), root.join(format!("{name}.copy")));
        fs::write(&from, bytes).unwrap();
        let output = run(&["redact", "-o", to.to_str().unwrap()], Some(&from), "");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let copied = fs::read_to_string(&to).unwrap();
        assert_eq!(copied.lines().count(), text.lines().count(), "{name}");
        let secret = copied.contains("Qx7hUnter2aB");
        assert!(
            !secret && OWN.iter().all(|own| !copied.contains(own)),
            "{name}"
        );
    }
}

#[test]
fn more_addresses_than_there_are_tokens() {
    let root = folder("addresses");
    let line = |n: u32| format!("dial tcp 203.{}.{}.1:443: connect\n", n / 200, n % 200);
    let text: String = (0..1200).map(line).collect();
    fs::write(root.join("app.log"), &text).unwrap();
    let to = root.join("copy.log");
    let args = ["redact", "-o", to.to_str().unwrap()];
    let output = run(&args, Some(&root.join("app.log")), "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let copied = fs::read_to_string(&to).unwrap();
    let lines: std::collections::HashSet<&str> = copied.lines().collect();
    assert_eq!(lines.len(), 1200);
    for n in 0..1200 {
        let address = format!(" 203.{}.{}.1:", n / 200, n % 200);
        assert!(!copied.contains(&address), "{address}");
    }
}
