#!/bin/sh
# Fills in the package manifests of a release: packaging/manifests.sh VERSION SHA256SUMS FOLDER
# Fails if a checksum is missing.
set -eu
version=$1
sums=$2
to=$3
here=$(dirname "$0")
mkdir -p "$to"

sum() {
    found=$(awk -v name="$1" '$2 == name { print $1 }' "$sums")
    [ -n "$found" ] || { echo "manifests: $sums does not name $1" >&2; exit 1; }
    echo "$found"
}

linux_amd64=$(sum kwhy-x86_64-unknown-linux-musl.tar.gz)
linux_arm64=$(sum kwhy-aarch64-unknown-linux-musl.tar.gz)
macos_amd64=$(sum kwhy-x86_64-apple-darwin.tar.gz)
macos_arm64=$(sum kwhy-aarch64-apple-darwin.tar.gz)
windows_amd64=$(sum kwhy-x86_64-pc-windows-msvc.zip)
for name in krew.yaml kwhy.rb; do
    sed -e "s/@VERSION@/$version/g" \
        -e "s/@LINUX_AMD64@/$linux_amd64/" -e "s/@LINUX_ARM64@/$linux_arm64/" \
        -e "s/@MACOS_AMD64@/$macos_amd64/" -e "s/@MACOS_ARM64@/$macos_arm64/" \
        -e "s/@WINDOWS_AMD64@/$windows_amd64/" \
        "$here/$name.in" >"$to/$name"
done
