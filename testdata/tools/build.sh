#!/bin/sh
# Builds the programs that check the project, golangci-lint and krew with its
# validator, and prints the folder that holds them. Progress goes to standard error.
#
# The folder lies outside the source tree and is named after what it is built from,
# so a changed version is a new folder and a second run does nothing:
#   ${HOSTEDSYNC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-hostedsync}/tools-<hash>
# The first run takes a few minutes.
set -eu
cd "$(dirname "$0")"

hash() {
	if command -v sha256sum >/dev/null 2>&1; then sha256sum; else shasum -a 256; fi | cut -c1-16
}

root=${HOSTEDSYNC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-hostedsync}
# A linter built by an older Go refuses newer sources, so Go's version counts.
out=$root/tools-$({ cat go.mod go.sum build.sh && go env GOVERSION; } | hash)

if [ -d "$out" ]; then
	echo "$out"
	exit 0
fi

mkdir -p "$root"
tmp=$(mktemp -d "$root/building.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

export CGO_ENABLED=0 GOWORK=off GOFLAGS=
for pkg in $(go list tool); do
	echo "tools: building ${pkg##*/}" >&2
	go build -trimpath -ldflags '-s -w' -o "$tmp/${pkg##*/}" "$pkg" >&2
done

# Of several runs at once the first one to finish wins.
chmod 755 "$tmp"
mv -T "$tmp" "$out" 2>/dev/null || [ -d "$out" ] || mv "$tmp" "$out"
echo "$out"
