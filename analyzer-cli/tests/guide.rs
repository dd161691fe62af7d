//! The author's guide is correct: its commands are run as written, and print what it shows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const GUIDE: &str = include_str!("../../docs/signatures.md");

/// A fenced block of a page.
struct Block<'g> {
    /// The text after the fence: a language, and for a file its name.
    info: &'g str,
    text: &'g str,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let fenced = page.split("\n```").skip(1).step_by(2);
    fenced
        .map(|block| {
            let (info, text) = block.split_once('\n').unwrap();
            Block { info, text }
        })
        .collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs `kwhy ARGUMENTS` in a folder. Returns its output, and true if it succeeded.
fn run(command: &str, folder: &Path) -> (String, bool) {
    let mut words = command.split_whitespace();
    assert_eq!(words.next(), Some("kwhy"), "{command}");
    let output = Command::new(env!("CARGO_BIN_EXE_kwhy"))
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap();
    let output_text = [output.stdout, output.stderr].concat();
    (
        String::from_utf8(output_text).unwrap(),
        output.status.success(),
    )
}

/// Returns true if an output is as shown, where a line of three dots stands for any lines.
fn is_as_shown(shown: &str, output: &str) -> bool {
    let mut rest = output;
    let parts: Vec<&str> = shown.split("...\n").collect();
    for (number, part) in parts.iter().enumerate() {
        let found = match number {
            0 => rest.starts_with(part).then_some(0),
            _ if number + 1 == parts.len() => rest.ends_with(part).then(|| rest.len() - part.len()),
            _ => rest.find(part),
        };
        let Some(at) = found else { return false };
        rest = &rest[at + part.len()..];
    }
    parts.len() > 1 || rest.is_empty()
}

#[test]
fn the_worked_example() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide");
    fs::create_dir_all(&folder).unwrap();
    let mut files = 0;
    let mut commands = 0;
    for block in blocks(GUIDE) {
        if let Some((_, name)) = block.info.split_once(' ') {
            fs::write(folder.join(name), format!("{}\n", block.text)).unwrap();
            files += 1;
        }
        if block.info != "console" {
            continue;
        }
        for call in format!("\n{}\n", block.text).split("\n$ ").skip(1) {
            let (command, shown) = call.split_once('\n').unwrap();
            let (output, went_well) = run(command, &folder);
            assert!(went_well, "{command}\n{output}");
            let output = format!("{}\n", output.trim_end());
            let shown = format!("{}\n", shown.trim_end());
            assert!(
                is_as_shown(&shown, &output),
                "docs/signatures.md shows for `{command}`:\n{shown}\nand it is:\n{output}"
            );
            commands += 1;
        }
    }
    assert!(
        files == 2 && commands > 4,
        "{files} files, {commands} commands"
    );
}

#[test]
fn the_commands_of_a_checkout() {
    let checks = blocks(GUIDE)
        .into_iter()
        .find(|block| block.info == "sh")
        .unwrap();
    let mut commands = 0;
    for line in checks.text.lines().filter(|line| line.starts_with("kwhy ")) {
        let (command, target) = match line.split_once(" > ") {
            Some((command, target)) => (command, Some(target)),
            None => (line, None),
        };
        // one family stands for all, which the engine's tests run and lint
        let all = "crates/kwhy-catalogue/signatures";
        let (output, went_well) = run(&command.replacen(all, &format!("{all}/config"), 1), &root());
        assert!(went_well, "{command}\n{output}");
        if let Some(target) = target {
            let written = fs::read_to_string(root().join(target)).unwrap();
            assert!(
                written == output,
                "{target} is stale; write it anew with `{line}`"
            );
        }
        commands += 1;
    }
    assert_eq!(commands, 3);
}
