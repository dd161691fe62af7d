//! `kwhy completions` and `kwhy man`: shell completions and manual pages, generated from the command line.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::generate;
use clap_complete_nushell::Nushell;
use clap_mangen::Man;

use crate::args::{Args, Shell};
use crate::failure::Failure;

/// Writes the completion script of a shell.
///
/// # Errors
/// The output cannot be written.
pub fn completions(shell: Shell, program: &str, out: &mut dyn Write) -> io::Result<()> {
    use clap_complete::Shell as Known;
    // shells complete a plugin by the name of its file
    let name = program.replace(' ', "-");
    let command = &mut Args::command_of(program);
    // the generators panic on write errors, so they write to memory
    let mut text = Vec::new();
    match shell {
        Shell::Bash => generate(Known::Bash, command, name, &mut text),
        Shell::Elvish => generate(Known::Elvish, command, name, &mut text),
        Shell::Fish => generate(Known::Fish, command, name, &mut text),
        Shell::Nushell => generate(Nushell, command, name, &mut text),
        Shell::Powershell => generate(Known::PowerShell, command, name, &mut text),
        Shell::Zsh => generate(Known::Zsh, command, name, &mut text),
    }
    out.write_all(&text)
}

/// Writes the manual page of a command, given as its words: `signatures`, `test`.
///
/// # Errors
/// There is no such command, or the output cannot be written.
pub fn page(words: &[String], program: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let mut command = built(program);
    for word in words {
        let below = command.get_subcommands().find(|it| it.get_name() == word);
        command = below.cloned().ok_or_else(|| Failure::Unknown {
            what: "command",
            id: words.join(" "),
            advice: format!("`{program} help` lists the commands"),
        })?;
    }
    Ok(Man::new(command).render(out)?)
}

/// Writes the manual pages of all commands into a folder, which is created if it does not exist.
///
/// # Errors
/// A file cannot be written.
pub fn pages(folder: &Path, program: &str) -> Result<(), Failure> {
    let written = |path: &Path, result: io::Result<()>| {
        result.map_err(|source| Failure::Write {
            path: path.to_owned(),
            source,
        })
    };
    written(folder, fs::create_dir_all(folder))?;
    let mut open = vec![built(program)];
    while let Some(command) = open.pop() {
        open.extend(command.get_subcommands().cloned());
        let page = Man::new(command);
        let path = folder.join(page.get_filename());
        let mut text = Vec::new();
        written(&path, page.render(&mut text))?;
        written(&path, fs::write(&path, text))?;
    }
    Ok(())
}

/// Returns the command with the full names of its sub-commands, without `help`, which needs no page.
fn built(program: &str) -> Command {
    let mut command = Args::command_of(program).disable_help_subcommand(true);
    command.build();
    command
}
