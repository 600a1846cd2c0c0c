#!/bin/sh
# Builds Rancher's real eks-operator and aks-operator for the tests and prints the
# folder that holds them. Progress goes to standard error.
#
# The folder lies outside the source tree and is named after the content of this
# folder, so a changed version is a new folder and a second run does nothing:
#   ${HOSTEDSYNC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-hostedsync}/operators-<hash>
# The first run takes minutes. Several runs at once are safe: one builds and the
# others wait where flock exists, and everywhere the finished folder appears by a
# rename. Beside each operator lies its resource definition, as its chart has it.
set -eu
cd "$(dirname "$0")"

hash() {
	if command -v sha256sum >/dev/null 2>&1; then sha256sum; else shasum -a 256; fi | cut -c1-16
}

root=${HOSTEDSYNC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-hostedsync}
out=$root/operators-$(cat go.mod go.sum build.sh read*/*.go | hash)

complete() {
	for f in eks-operator aks-operator; do
		[ -x "$out/$f" ] && [ -f "$out/$f-crd.yaml" ] || return 1
	done
	for f in read*; do
		[ -x "$out/$f" ] || return 1
	done
}

if complete; then
	echo "$out"
	exit 0
fi

mkdir -p "$root"
if command -v flock >/dev/null 2>&1; then
	exec 9>"$out.lock"
	flock 9
	if complete; then
		echo "$out"
		exit 0
	fi
fi

tmp=$(mktemp -d "$root/building.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

export CGO_ENABLED=0 GOWORK=off GOFLAGS=
for name in eks-operator aks-operator; do
	pkg=github.com/rancher/$name
	echo "operators: building $name ($(go list -m -f '{{.Version}}' "$pkg"))" >&2
	go build -trimpath -ldflags '-s -w' -o "$tmp/$name" "$pkg" >&2
	cp "$(go list -m -f '{{.Dir}}' "$pkg")/charts/$name-crd/templates/crds.yaml" "$tmp/$name-crd.yaml"
	chmod 644 "$tmp/$name-crd.yaml"
done
for name in read*; do # the operators' readers, as programs that answer line by line
	echo "operators: building $name" >&2
	go build -trimpath -ldflags '-s -w' -o "$tmp/$name" "./$name" >&2
done

if ! complete; then
	rm -rf "$out"
	mv "$tmp" "$out"
	chmod 755 "$out"
fi
echo "$out"
