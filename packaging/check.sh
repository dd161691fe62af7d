#!/usr/bin/env bash
# Builds the .deb, the .rpm and the image's file system for a program, installs each into an empty root, tests and removes it:
# packaging/check.sh KWHY [FOLDER]
#
# KWHY is a static binary for this machine: cargo build --profile dist -p kwhy --target x86_64-unknown-linux-musl
# The packages are written to FOLDER. Needs root, cargo-deb, cargo-generate-rpm and Debian's dpkg, rpm, man-db, bash, util-linux.
set -euo pipefail
[ $# -ge 1 ] || { sed -n 's/^# \(packaging.*\)/usage: \1/p' "$0" >&2; exit 2; }
kwhy=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
to=$(realpath -m "${2:-$work/packages}")
mkdir -p "$to"
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }
fail() { echo "check: $*" >&2; exit 1; }

text=fixtures/cases/01-configmap-missing/input.txt
expected=$work/expected
"$kwhy" -o json - <$text >"$expected"
grep -q '"cause":' "$expected" || fail "the program finds nothing in $text"

# uses ROOT USER COMMAND...: checks that the program in ROOT reports the same on piped input as outside
uses() {
    local root=$1 user=$2
    shift 2
    chroot --userspec="$user" "$root" "$@" -o json - <$text | cmp - "$expected" || fail "$* in $root says something else"
}

mkdir "$work/empty"
cp "$kwhy" "$work/empty/kwhy"
chroot "$work/empty" /kwhy --version || fail "$kwhy is not static"
packaging/files.sh "$kwhy" target/package

# installed ROOT: checks the program and everything else that a package installs
installed() {
    local root=$1 page pages=0
    uses "$root" 65534:65534 /usr/bin/kwhy
    find "$root" -name THIRD-PARTY-LICENSES -size +64k | grep -q . || fail 'the licences of libraries are missing'
    for page in "$root"/usr/share/man/man1/*.gz; do
        [ -z "$(man --warnings=w -l "$page" 2>&1 >/dev/null)" ] || fail "$page has warnings"
        pages=$((pages + 1))
    done
    man -l "$root/usr/share/man/man1/kwhy.1.gz" | grep -q '^SYNOPSIS' || fail "no page of kwhy"
    bash -uc '
        source "$1/usr/share/bash-completion/completions/kwhy"
        COMP_WORDS=(kwhy sig) COMP_CWORD=1
        _kwhy kwhy sig kwhy
        [ "${COMPREPLY[*]}" = signatures ]' - "$root" || fail "bash completes nothing"
    ! command -v zsh >/dev/null || zsh -n "$root"/usr/share/zsh/*/_kwhy
    ! command -v fish >/dev/null || fish -n "$root/usr/share/fish/vendor_completions.d/kwhy.fish"
    echo "used; $pages pages, $(find "$root" -path "$root/var" -prune -o -type f -printf '%s\n' | awk '{ n += $1 } END { print n }') bytes installed"
}

# removed ROOT: checks that no file is left except the package manager's own data
removed() {
    local left
    left=$(find "$1" -path "$1/var" -prune -o ! -type d -print)
    [ -z "$left" ] || fail "left behind: $left"
    echo "removed; empty folders of its own: $(find "$1" -path "$1/var" -prune -o -name '*kwhy*' -printf '%P ')"
}

# a separate target folder, so that no older binary is packaged
mkdir -p "$work/target/release"
cp "$kwhy" "$work/target/release/kwhy"

step deb
CARGO_TARGET_DIR=$work/target cargo deb --quiet --no-build --no-strip -p kwhy --output "$to/"
deb=$(echo "$to"/*.deb)
dpkg-deb --info "$deb"
[ -z "$(dpkg-deb --field "$deb" Depends)" ] || fail 'the program is static, but the package depends on something'
mkdir -p "$work/deb/var/lib/dpkg"
touch "$work/deb/var/lib/dpkg/status"
dpkg --root="$work/deb" --force-script-chrootless --log=/dev/null --install "$deb"
installed "$work/deb"
uses "$work/deb" 65534:65534 /usr/bin/kubectl-kwhy
dpkg --root="$work/deb" --force-script-chrootless --log=/dev/null --purge kwhy
removed "$work/deb"

step rpm
CARGO_TARGET_DIR=$work/target cargo generate-rpm -p analyzer-cli --target-dir "$work/target" --output "$to/"
rpm=$(echo "$to"/*.rpm)
rpm -qip "$rpm"
requires=$(rpm -qp --requires "$rpm" | grep -v '^rpmlib(' || true)
[ -z "$requires" ] || fail "the package requires $requires"
mkdir "$work/rpm"
rpm --root "$work/rpm" --dbpath /var/lib/rpm --install "$rpm"
installed "$work/rpm"
rpm --root "$work/rpm" --dbpath /var/lib/rpm --erase kwhy
removed "$work/rpm"

step image
image=$work/image
sed -n 's/^RUN \(mkdir .*\)/\1/p' Dockerfile | sed "s#target/dist/kwhy#$work/target/release/kwhy#; s#/root-of-image#$image#g" | sh -eu
# last INSTRUCTION: its arguments in the last stage of the Dockerfile
last() { sed -n "s/^$1 //p" Dockerfile | tail -n 1; }
user=$(last USER)
folder=$(last WORKDIR)
find "$image" -printf '%M %s /%P\n'
entry=$(last ENTRYPOINT | tr -d '[]"')
uses "$image" "$user" "$entry"
# a folder mounted as by `docker run -v ./fixtures/cases:/work:ro`, read as the same user
"$kwhy" -o json fixtures/cases >"$expected"
# shellcheck disable=SC2016 # the inner shell expands its own arguments
unshare --mount sh -euc '
    mount --bind fixtures/cases "$1$2"
    mount -o remount,bind,ro "$1$2"
    chroot --userspec="$3" "$1" "$4" -o json "$2"' - "$image" "$folder" "$user" "$entry" >"$work/mounted"
sed 's#"fixtures/cases\b#"'"$folder"'#g' "$expected" | cmp - "$work/mounted" || fail 'a mounted folder reads otherwise'
# several long logs, whose events are sorted in temporary files
for name in a b; do
    awk -v oven=$name 'BEGIN { for (i = 0; i < 250000; i++)
        printf "2026-03-04T%02d:%02d:%02dZ ERROR oven %s: the dough is not there, and nobody knows where it went: %d\n", i / 3600 % 24, i / 60 % 60, i % 60, oven, i }'
done | split --lines 250000 - "$image$folder/"
lines=$(chroot --userspec="$user" "$image" "$entry" events -o ndjson "$folder" | wc -l)
[ "$lines" = 500000 ] || fail "$lines events of 500000"
echo "read a pipe, a mounted folder, $lines events of long logs"

step packages
ls -l "$to"
