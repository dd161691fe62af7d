//! The behaviour of the program in a shell: exit statuses, hints, names, configuration.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/files")
}

/// Runs a program with empty standard input, and without the user's configuration.
fn run(program: &Path, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(files()).stdin(Stdio::null());
    command.env("XDG_CONFIG_HOME", "/nowhere");
    command.envs(variables.iter().copied());
    command.output().unwrap()
}

fn kwhy(args: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let output = run(Path::new(env!("CARGO_BIN_EXE_kwhy")), args, variables);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Creates an empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn an_empty_standard_input_is_an_error() {
    for args in [
        &[][..],
        &["-"],
        &["-o", "json"],
        &["events"],
        &["bundle", "ls"],
    ] {
        let (code, out, err) = kwhy(args, &[]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}");
        assert!(err.contains("standard input is empty"), "{err}");
    }
    // a file may be empty
    let empty = folder("empty").join("empty.log");
    fs::write(&empty, "").unwrap();
    assert_eq!(kwhy(&[empty.to_str().unwrap()], &[]).0, Some(0));
}

#[test]
fn a_given_path_that_cannot_be_read() {
    for args in [
        &["absent.txt", "events.txt"][..],
        &["--fail-on", "error", "absent.txt", "events.txt"],
        &["events", "absent.txt", "events.txt"],
        &["bundle", "ls", "absent", "mixed"],
        &["scan", "absent.txt", "events.txt"],
    ] {
        let (code, out, _) = kwhy(args, &[]);
        assert_eq!(code, Some(2), "{args:?}");
        assert!(!out.is_empty(), "{args:?}");
    }
}

#[test]
fn options_that_cannot_work_say_why() {
    for (args, why) in [
        (&["--since", "1m", "events.txt"][..], "--now TIME"),
        (&["scan", "--until", "1h", "."], "--now TIME"),
        (
            &[
                "--since",
                "2024-01-02T00:00:00Z",
                "--until",
                "2024-01-01T00:00:00Z",
                "events.txt",
            ],
            "--since is later than --until",
        ),
        (
            &["events", "--since", "1m", "--until", "2m"],
            "--since is later",
        ),
        (
            &["--top", "1", "events", "events.txt"],
            "--top before a command",
        ),
        (&["--min-confidence", "7", "events.txt"], "from 0 to 1"),
        (&["-q", "-v", "events.txt"], "cannot be used with"),
    ] {
        let (code, out, err) = kwhy(args, &[]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}");
        assert!(err.contains(why), "{args:?}: {err}");
    }
    for (args, note) in [
        (&["--no-builtin", "events.txt"][..], "leaves no signatures"),
        (&["--timeline", "events.txt"], "--timeline counts"),
        (&["events", "--since", "1m", "logs"], "5 events kept"),
    ] {
        let (code, _, err) = kwhy(args, &[]);
        assert_eq!(code, Some(0), "{args:?}");
        assert!(err.contains(note), "{args:?}: {err}");
        let quiet = kwhy(&[args, &["-q"]].concat(), &[]);
        assert_eq!((quiet.0, quiet.2.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn what_is_configured() {
    let home = folder("configured");
    let place = home.join("kwhy");
    fs::create_dir_all(&place).unwrap();
    let file = place.join("kwhy.toml");
    let xdg = [("XDG_CONFIG_HOME", home.to_str().unwrap())];
    fs::write(&file, "output = 'json'\n").unwrap();
    assert!(kwhy(&["events.txt"], &xdg).1.starts_with("{\"schema\""));
    assert!(
        kwhy(&["-o", "human", "events.txt"], &xdg)
            .1
            .starts_with("error ")
    );
    assert!(
        kwhy(&["--no-config", "events.txt"], &xdg)
            .1
            .starts_with("error ")
    );

    let own = files().join("own/cart-full.yaml");
    let causes = files().join("own/causes.txt");
    let listed =
        |variables: &[(&str, &str)]| kwhy(&["signatures", "list", "--no-builtin"], variables).1;
    fs::write(&file, "signatures = ['own']\n").unwrap();
    fs::create_dir_all(place.join("own")).unwrap();
    fs::copy(&own, place.join("own/cart-full.yaml")).unwrap();
    fs::copy(&causes, place.join("own/causes.txt")).unwrap();
    assert!(listed(&xdg).starts_with("cart-full"));
    let both = std::env::join_paths([&own, &causes]).unwrap();
    assert!(listed(&[("KWHY_SIGNATURES", both.to_str().unwrap())]).starts_with("cart-full"));

    fs::write(&file, "output = 'json'\ncolour = 'never'\n").unwrap();
    let (code, out, err) = kwhy(&["events.txt"], &xdg);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(
        err.contains("kwhy.toml:2:1") && err.contains("colour"),
        "{err}"
    );
}

#[cfg(unix)]
#[test]
fn as_a_plugin_of_kubectl() {
    let plugin = folder("plugin").join("kubectl-kwhy");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kwhy"), &plugin).unwrap();
    let help = run(&plugin, &["--help"], &[]);
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(
        help.contains("Usage: kubectl kwhy [OPTIONS] [PATH]..."),
        "{help}"
    );
    assert!(
        help.contains("kubectl describe pod web-0 | kubectl kwhy"),
        "{help}"
    );
    let wrong = run(&plugin, &["events", "--nothing-like-it"], &[]);
    let wrong = String::from_utf8(wrong.stderr).unwrap();
    assert!(wrong.contains("Usage: kubectl kwhy events"), "{wrong}");
    let typo = run(&plugin, &["evnts"], &[]);
    let typo = String::from_utf8(typo.stderr).unwrap();
    assert!(
        typo.contains("did you mean `kubectl kwhy events`?"),
        "{typo}"
    );
}

#[test]
fn completions_of_each_shell() {
    for shell in ["bash", "elvish", "fish", "nushell", "powershell", "zsh"] {
        let (code, out, _) = kwhy(&["completions", shell], &[]);
        assert_eq!(code, Some(0), "{shell}");
        for word in ["min-confidence", "patterns", "must-not"] {
            assert_eq!(out.contains(word), word != "must-not", "{shell}: {word}");
        }
        // the shell can parse them, if it is installed
        let file = folder(&format!("completions-{shell}")).join("kwhy");
        fs::write(&file, out).unwrap();
        if let Ok(read) = Command::new(shell).arg("-n").arg(&file).output()
            && ["bash", "fish", "zsh"].contains(&shell)
        {
            assert!(read.status.success(), "{shell}: {read:?}");
        }
    }
}

#[test]
fn manual_pages_of_all_commands() {
    let (_, page, _) = kwhy(&["man", "signatures", "test"], &[]);
    assert!(page.contains("kwhy\\-signatures\\-test"), "{page}");
    let pages = folder("man");
    let (code, out, _) = kwhy(&["man", "--dir", pages.to_str().unwrap()], &[]);
    assert_eq!((code, out.as_str()), (Some(0), ""));
    for name in [
        "kwhy.1",
        "kwhy-events.1",
        "kwhy-bundle-ls.1",
        "kwhy-signatures-fmt.1",
    ] {
        let page = fs::read_to_string(pages.join(name)).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
    let (code, _, err) = kwhy(&["man", "evnts"], &[]);
    assert_eq!(code, Some(2));
    assert!(err.contains("there is no command `evnts`"), "{err}");
}

/// Reads lines until one contains a text; panics after two minutes.
fn wait_for(lines: &std::sync::mpsc::Receiver<String>, text: &str) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(120);
    let mut seen = Vec::new();
    while let Some(left) = end.checked_duration_since(std::time::Instant::now()) {
        let Ok(line) = lines.recv_timeout(left) else {
            break;
        };
        if line.contains(text) {
            return;
        }
        seen.push(line);
    }
    panic!("{text}: {seen:#?}");
}

#[test]
fn watched_signatures_are_tested_again() {
    use std::io::BufRead as _;
    let file = std::env::temp_dir().join(format!("kwhy-watch-{}.yaml", std::process::id()));
    let yaml = |text: &str| {
        format!(
            "id: cold-oven\ncause: container/app-error\nseverity: error\ntitle: x\nwhy: x\nmatch: {{event: {{message: the oven is cold}}}}\n\
             examples: {{match: [{{text: 'E0304 05:06:07.123456       1 a.go:8] {text}'}}]}}\n"
        )
    };
    std::fs::write(&file, yaml("the oven is cold")).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_kwhy"))
        .args([
            "--no-builtin",
            "--no-config",
            "signatures",
            "test",
            "--watch",
        ])
        .arg(&file)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let out = child.stdout.take().unwrap();
    let (send, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::BufReader::new(out).lines().map_while(Result::ok) {
            let _ = send.send(line);
        }
    });
    wait_for(&lines, "0 failed");
    std::fs::write(&file, yaml("the oven is warm now")).unwrap();
    wait_for(&lines, "1 failed");
    std::fs::write(&file, "id: cold-oven\ntile: x\n").unwrap();
    wait_for(&lines, "did you mean `title`?");
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::remove_file(&file).unwrap();
}

/// Runs the program with a limit on the size of files, as on a full disk.
#[cfg(unix)]
fn on_a_full_disk(args: &[&str]) -> (Option<i32>, String) {
    let script = "ulimit -f 8; trap '' XFSZ; exec \"$@\"";
    let program = env!("CARGO_BIN_EXE_kwhy");
    let full = ["-c", script, "sh", program]
        .into_iter()
        .chain(args.iter().copied());
    let full: Vec<&str> = full.collect();
    let output = run(Path::new("sh"), &full, &[]);
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// Returns the names in a folder.
#[cfg(unix)]
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[cfg(unix)]
#[test]
fn a_copy_is_whole_or_absent() {
    let from = folder("copied-from");
    let mut text = String::new();
    for number in 0..2_000 {
        text += &format!(
            "E0304 05:06:07.123456       1 sync.go:88] \"Failed\" loaf={number} oven=\"{}\"\n",
            number * 7919
        );
    }
    fs::write(from.join("oven.log"), &text).unwrap();
    fs::write(from.join("counter.log"), "no bread left\n").unwrap();
    for name in ["copy", "copy.tar", "copy.tar.gz"] {
        let to = folder("copied-to");
        let target = to.join(name);
        let args = [
            "redact",
            from.to_str().unwrap(),
            "-o",
            target.to_str().unwrap(),
        ];
        let (code, err) = on_a_full_disk(&args);
        assert_eq!(code, Some(2), "{name}: {err}");
        assert!(err.contains("cannot write"), "{err}");
        assert!(names(&to).is_empty(), "{name}: {:?}", names(&to));
        assert_eq!(kwhy(&args, &[]).0, Some(0));
        assert_eq!(names(&to), [name]);
    }
}

#[cfg(unix)]
#[test]
fn a_copy_that_is_ended_leaves_nothing() {
    use std::os::unix::process::ExitStatusExt;

    let from = folder("ended-from");
    let line =
        "E0304 05:06:07.123456       1 sync.go:88] \"Failed\" oven=\"crane-7.dock.example\"\n";
    fs::write(from.join("oven.log"), line.repeat(200_000)).unwrap();
    for name in ["copy", "copy.tar.gz"] {
        let to = folder("ended-to");
        let mut child = Command::new(env!("CARGO_BIN_EXE_kwhy"))
            .args([Path::new("redact"), &from, Path::new("-o"), &to.join(name)])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while names(&to).is_empty() {
            assert_eq!(child.try_wait().unwrap(), None, "{name}: it was too quick");
            std::thread::yield_now();
        }
        let pid = child.id().to_string();
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
        assert_eq!(child.wait().unwrap().signal(), Some(15), "{name}");
        assert!(names(&to).is_empty(), "{name}: {:?}", names(&to));
    }
}

#[cfg(unix)]
#[test]
fn a_signature_stays_whole_if_it_cannot_be_written() {
    let to = folder("formatted");
    let path = to.join("oven.yaml");
    let unformatted = fs::read_dir(files().join("unformatted")).unwrap();
    let unformatted = unformatted
        .map(|entry| entry.unwrap().path())
        .next()
        .unwrap();
    let padding = "# a long remark that fills the file\n".repeat(400);
    let text = fs::read_to_string(unformatted).unwrap() + &padding;
    fs::write(&path, &text).unwrap();
    let (code, err) = on_a_full_disk(&["signatures", "fmt", path.to_str().unwrap()]);
    assert_eq!(code, Some(2), "{err}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert_eq!(names(&to), ["oven.yaml"]);
}

#[test]
fn errors_show_no_secrets() {
    for args in [
        &["postgres://crane:Qx7hUnter2@db/app"][..],
        &["explain", "token=Qx7hUnter2"],
        &["redact", "https://crane:Qx7hUnter2@quay/x", "-o", "y"],
        &["--signatures", "https://crane:Qx7hUnter2@quay/x", "pod.txt"],
    ] {
        let (code, out, err) = kwhy(args, &[]);
        assert_eq!(code, Some(2), "{err}");
        assert!(!(out + &err).contains("Qx7hUnter2"), "{args:?}: {err}");
        assert!(err.contains("***"), "{args:?}: {err}");
    }
    let home = folder("configured-with-a-key");
    fs::create_dir_all(home.join("kwhy")).unwrap();
    fs::write(home.join("kwhy/kwhy.toml"), "redact_key = \"Qx7hUnter2\nx").unwrap();
    let home = home.to_str().unwrap();
    let (code, _, err) = kwhy(&["pod.txt"], &[("XDG_CONFIG_HOME", home)]);
    assert_eq!(code, Some(2), "{err}");
    assert!(!err.contains("Qx7hUnter2"), "{err}");
}
