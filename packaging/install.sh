#!/bin/sh
# Installs kwhy for Linux or macOS: curl -fsSL https://github.com/kwhy/kwhy/releases/latest/download/install.sh | sh
#
# KWHY_VERSION  the version, such as 0.1.0; the newest if not set
# KWHY_BIN      the folder to install to; ~/.local/bin if not set
# KWHY_URL      the base URL of the releases
set -eu

url=${KWHY_URL:-https://github.com/kwhy/kwhy/releases}
bin=${KWHY_BIN:-$HOME/.local/bin}

fail() {
    echo "install: $*" >&2
    exit 1
}

case $(uname -s) in
    Linux) system=unknown-linux-musl ;;
    Darwin) system=apple-darwin ;;
    *) fail "no binary for $(uname -s): cargo install kwhy" ;;
esac
case $(uname -m) in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "no binary for $(uname -m): cargo install kwhy" ;;
esac

if command -v curl >/dev/null 2>&1; then
    get() { curl -fsSL --proto-redir '=https' --retry 3 -o "$2" "$1"; }
elif command -v wget >/dev/null 2>&1; then
    get() { wget -q -O "$2" "$1"; }
else
    fail "neither curl nor wget is here"
fi
if command -v sha256sum >/dev/null 2>&1; then
    sum() { sha256sum "$1"; }
elif command -v shasum >/dev/null 2>&1; then
    sum() { shasum -a 256 "$1"; }
else
    fail "neither sha256sum nor shasum is here, so nothing can be verified"
fi

# in a function, so that a truncated download of this script does nothing
main() {
    case ${KWHY_VERSION:-latest} in
        latest) from=$url/latest/download ;;
        *) from=$url/download/v$KWHY_VERSION ;;
    esac
    name=kwhy-$machine-$system.tar.gz
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    trap 'exit 1' HUP INT TERM
    get "$from/SHA256SUMS" "$folder/SHA256SUMS" || fail "cannot get $from/SHA256SUMS"
    get "$from/$name" "$folder/$name" || fail "cannot get $from/$name"
    wanted=$(awk -v name="$name" '$2 == name { print $1 }' "$folder/SHA256SUMS")
    got=$(sum "$folder/$name" | cut -d ' ' -f 1)
    [ -n "$wanted" ] || fail "SHA256SUMS does not name $name"
    [ "$wanted" = "$got" ] || fail "the checksum of $name is $got, not $wanted"
    tar -xzf "$folder/$name" -C "$folder"
    mkdir -p "$bin"
    # renamed into place, so that a running kwhy keeps its file
    cp "$folder/kwhy" "$bin/.kwhy.new"
    chmod 755 "$bin/.kwhy.new"
    mv "$bin/.kwhy.new" "$bin/kwhy"
    ln -sf kwhy "$bin/kubectl-kwhy"
    "$bin/kwhy" --version
    case :$PATH: in
        *:"$bin":*) ;;
        *) echo "install: $bin is not in the PATH" >&2 ;;
    esac
}

main
