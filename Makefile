# Everything that a change goes through. On a new machine with Go, git and access
# to Go's modules each target sets up what it needs by itself; what it builds for
# that is kept outside the tree, in ${HOSTEDSYNC_CACHE}, by default
# ~/.cache/kubectl-hostedsync.

SHELL  := /bin/sh
PKG    := github.com/hostedsync/kubectl-hostedsync
COMMIT := $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
# What git calls this version; before the first tag, something that krew takes for
# one. Inside an unpacked source archive there is no git, and VERSION is given.
VERSION ?= $(shell git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null || \
	echo "v0.0.0-g$$(git describe --always --exclude '*' --dirty 2>/dev/null || echo unknown)")
# The archives' files are as old as the commit.
TIME   ?= $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || echo 0))

# These build a control plane and the checking programs if they must, and print
# the folder that holds them.
ASSETS = $$(sh testdata/controlplane/build.sh)
TOOLS  = $$(sh testdata/tools/build.sh)
OPERATORS = $$(sh testdata/operators/build.sh)

# What make lab plays.
LAB_RUNS ?= 1000000
KILLS    ?= 200

# All packages: below testdata a wildcard finds none.
ALL    := ./... ./testdata/slowest
# Those with files that a test rewrites on demand.
GOLDEN  = $$(grep -rl --include='*_test.go' 'flag.Bool("update"' cmd pkg krew | xargs -n1 dirname | sort -u | sed 's|^|./|')

.PHONY: help build test lint golden docs bench e2e lab dist krew

help: ## list the targets
	@sed -n 's/^\([a-z0-9]*\):[^#]*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-8s %s\n", $$1, $$2 }'

build: ## the plugin for this machine, as bin/kubectl-hostedsync
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X $(PKG)/pkg/app.version=$(VERSION) -X $(PKG)/pkg/app.commit=$(COMMIT)' \
		-o bin/kubectl-hostedsync ./cmd/kubectl-hostedsync

test: ## all tests but the slow ends of e2e and krew, some against a real API server
	@assets=$(ASSETS) && KUBEBUILDER_ASSETS="$$assets" go run ./testdata/slowest -timeout 20m $(ALL)

lint: ## formatting, vet, linters, modules and generated documents
	@found=$$(gofmt -l cmd pkg krew testdata) && [ -z "$$found" ] || { echo "not formatted, run gofmt -w on:"; echo "$$found"; exit 1; }
	go vet $(ALL)
	go vet -tags 'e2e bench' ./cmd/... ./krew/... ./pkg/loopback ./pkg/testbed ./plugins/...
	go mod verify
	@tools=$(TOOLS) && echo golangci-lint run && "$$tools/golangci-lint" run $(ALL)
	go test -run Docs $(GOLDEN)

golden: ## rewrite the golden files, after a change that is meant; look at the difference
	go test -count 1 $(GOLDEN) -update

docs: ## rewrite the generated documents, and the linter's rules on imports
	go test -count 1 -run Docs $(GOLDEN) -update

bench: ## benchmarks, beside the tools that people use today
	go test -run '^$$' -bench . -benchmem ./pkg/...
	cd testdata/peers && go test -run '^$$' -bench . -benchmem ./...
	@assets=$(ASSETS) && KUBEBUILDER_ASSETS="$$assets" go test -tags 'e2e bench' -run '^TestBench' -v -count 1 -timeout 30m ./cmd/...

e2e: ## the plugin and Rancher's real operators, on a real API server
	@assets=$(ASSETS) && operators=$(OPERATORS) && KUBEBUILDER_ASSETS="$$assets" HOSTEDSYNC_OPERATORS="$$operators" \
		go test -tags e2e -count 1 -timeout 45m ./cmd/... ./pkg/loopback ./pkg/testbed ./plugins/...

lab: ## a million interleavings around a change, and kills by the hundred (LAB_RUNS, KILLS)
	go test ./pkg/lab/sim -run TestGuardedChangesLoseNothing -v -count 1 -timeout 6h -lab.runs $(LAB_RUNS) -lab.compare 10
	@assets=$(ASSETS) && KUBEBUILDER_ASSETS="$$assets" HOSTEDSYNC_KILLS=$(KILLS) \
		go test -tags e2e -run TestKill -v -count 1 -timeout 2h ./cmd/...

dist: ## a release in dist/: archives, checksums and the krew manifest
	go run ./krew/dist -out dist -version '$(VERSION)' -commit '$(COMMIT)' -time '$(TIME)'

krew: dist ## install that release with krew, run it and remove it
	@assets=$(ASSETS) && tools=$(TOOLS) && KUBEBUILDER_ASSETS="$$assets" HOSTEDSYNC_TOOLS="$$tools" HOSTEDSYNC_DIST=$(CURDIR)/dist \
		go test -tags e2e -count 1 -timeout 30m ./krew/...
