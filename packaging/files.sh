#!/bin/sh
# Writes the files that a package contains besides the program: packaging/files.sh KWHY FOLDER [TARGET]
# KWHY is a binary that runs on this machine. The licences are those of the libraries in a binary for TARGET, by default the host.
set -eu
kwhy=$1
to=$2
# remove the files of commands that no longer exist
rm -rf "$to/man" "$to/completions"
mkdir -p "$to/man" "$to/completions"
"$kwhy" man --dir "$to/man"
gzip -9nf "$to"/man/*.1
"$kwhy" completions bash >"$to/completions/kwhy.bash"
"$kwhy" completions zsh >"$to/completions/_kwhy"
"$kwhy" completions fish >"$to/completions/kwhy.fish"
"$kwhy" completions nushell >"$to/completions/kwhy.nu"
"$kwhy" completions powershell >"$to/completions/_kwhy.ps1"
cargo run --locked --quiet -p xtask -- licences ${3:+"$3"} >"$to/THIRD-PARTY-LICENSES"
