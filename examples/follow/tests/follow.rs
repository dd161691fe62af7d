//! The program as a user runs it: on a log that grows, is rotated, and ends.
#![allow(clippy::unwrap_used)]

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

const QUIET: &str = "2024-03-04T05:06:07Z level=info msg=\"cart served\"\n";
const FAULT: &str = "2024-03-04T05:06:08Z level=error msg=\"cannot start\" err=\"MountVolume.SetUp failed for volume \\\"conf\\\" : configmap \\\"cart\\\" not found\"\n";
const PANIC: &str = "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:7 +0x1d\n";

/// The maximum time of a report, longer than the slowest on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Follow {
    program: Child,
    lines: Receiver<String>,
    seen: String,
}

impl Follow {
    fn start(arguments: &[&Path]) -> Follow {
        let mut program = Command::new(env!("CARGO_BIN_EXE_follow"))
            .args(["--every", "0"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(program.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in out.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Follow {
            program,
            lines,
            seen: String::new(),
        }
    }

    /// Waits for a text in the output after the last text that was waited for.
    fn wait_for(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.seen.contains(text) {
            let left = until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left);
            let line = line.unwrap_or_else(|_| panic!("no {text:?} in\n{}", self.seen));
            self.seen += &line;
            self.seen.push('\n');
        }
        let end = self.seen.find(text).unwrap() + text.len();
        self.seen.drain(..end);
    }

    fn stdin(&mut self) -> ChildStdin {
        self.program.stdin.take().unwrap()
    }

    fn wait(mut self) -> (ExitStatus, String) {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.program.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < until, "it does not end");
            thread::sleep(Duration::from_millis(20));
        };
        let rest: Vec<String> = self.lines.iter().collect();
        (status, self.seen.clone() + &rest.join("\n"))
    }
}

fn log(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}

fn append(path: &Path, text: &str) {
    let mut options = OpenOptions::new();
    let mut file = options.create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[cfg(unix)]
#[test]
fn a_file_is_followed_through_rotation_and_truncation_until_interrupted() {
    let path = log("app.log");
    append(&path, QUIET);
    let mut follow = Follow::start(&[&path]);
    append(&path, FAULT);
    follow.wait_for("cart");
    // rotated by renaming
    fs::rename(&path, path.with_extension("log.1")).unwrap();
    append(&path, PANIC);
    follow.wait_for("panic");
    // truncated in place, after it was read
    let other = "level=error msg=\"cannot start\" err=\"MountVolume.SetUp failed for volume \\\"conf\\\" : secret \\\"till\\\" not found\"\n";
    fs::write(&path, other).unwrap();
    follow.wait_for("till");
    let interrupted = Command::new("kill")
        .args(["-INT", &follow.program.id().to_string()])
        .status();
    assert!(interrupted.unwrap().success());
    let (status, _) = follow.wait();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn nothing_is_reported_again_while_the_causes_stay() {
    let mut follow = Follow::start(&[]);
    let mut stdin = follow.stdin();
    stdin.write_all(FAULT.as_bytes()).unwrap();
    follow.wait_for("cart");
    for _ in 0..20 {
        stdin.write_all(FAULT.as_bytes()).unwrap();
        stdin.write_all(QUIET.as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(50));
    }
    // the last line has no line end
    stdin.write_all(PANIC.trim_end().as_bytes()).unwrap();
    drop(stdin);
    let (status, rest) = follow.wait();
    assert_eq!(status.code(), Some(0));
    assert_eq!(rest.matches("--- ").count(), 1, "{rest}");
    assert!(rest.contains("panic"), "{rest}");
}

#[test]
fn wrong_usage_is_refused() {
    let ran = Command::new(env!("CARGO_BIN_EXE_follow"))
        .args(["--every", "soon"])
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8(ran.stderr).unwrap().starts_with("usage"));
}
