#!/bin/sh
# Builds etcd, kube-apiserver and kubectl for the tests and prints the folder that
# holds them, fit for KUBEBUILDER_ASSETS. Progress goes to standard error.
#
# The folder lies outside the source tree and is named after the content of this
# folder, so a changed version is a new folder and a second run does nothing:
#   ${HOSTEDSYNC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-hostedsync}/controlplane-<hash>
# The first run takes minutes and about 4 GB of Go caches. Several runs at once
# are safe: one builds and the others wait where flock exists, and everywhere the
# finished folder appears by a rename.
set -eu
cd "$(dirname "$0")"

hash() {
	if command -v sha256sum >/dev/null 2>&1; then sha256sum; else shasum -a 256; fi | cut -c1-16
}

root=${HOSTEDSYNC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-hostedsync}
out=$root/controlplane-$(cat go.mod go.sum build.sh | hash)

complete() {
	for f in etcd kube-apiserver kubectl; do [ -x "$out/$f" ] || return 1; done
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
version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${version#v1.}
minor=${minor%%.*}
pkg=k8s.io/component-base/version
flags="-s -w -X $pkg.gitVersion=$version -X $pkg.gitMajor=1 -X $pkg.gitMinor=$minor"

build() {
	echo "controlplane: building $1 ($version)" >&2
	go build -trimpath -ldflags "$flags" -o "$tmp/$1" "$2" >&2
}
build etcd go.etcd.io/etcd/server/v3
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
build kubectl k8s.io/kubernetes/cmd/kubectl

if ! complete; then
	rm -rf "$out"
	mv "$tmp" "$out"
	chmod 755 "$out"
fi
echo "$out"
