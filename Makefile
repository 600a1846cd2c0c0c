# Everything a change goes through. On a fresh machine with Go, git and the
# package registries, each target sets up what it needs; what it builds for itself
# is cached outside the tree.

SHELL   := /bin/sh
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT  ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
PKG     := github.com/hostedsync/kubectl-hostedsync
LDFLAGS := -s -w -X $(PKG)/pkg/app.version=$(VERSION) -X $(PKG)/pkg/app.commit=$(COMMIT)
CACHE   := $(or $(HOSTEDSYNC_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/kubectl-hostedsync)
ASSETS   = $$(sh testdata/controlplane/build.sh)
TOOLS   := $(CACHE)/tools

.PHONY: help build test lint golden bench e2e krew dist docs

help: ## list the targets
	@grep -E '^[a-z0-9]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /	/' | expand -t 10

build: ## build the binary into bin/
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/kubectl-hostedsync ./cmd/kubectl-hostedsync

test: ## run the tests, on a real API server built once from source
	assets=$(ASSETS) && KUBEBUILDER_ASSETS=$$assets go run ./testdata/slowest -timeout 20m ./...

lint: ## formatting, vet, the linters, and the generated documents
	@test -z "$$(gofmt -l cmd pkg krew)" || { gofmt -l cmd pkg krew; echo 'not formatted: run gofmt -w'; exit 1; }
	go vet ./...
	go vet -tags e2e ./...
	go mod verify
	$(call tool,golangci-lint,github.com/golangci/golangci-lint/v2/cmd/golangci-lint)
	$(TOOLS)/golangci-lint run ./...

golden: ## rewrite the golden files after a change that is meant
	go test ./pkg/... -run 'Golden|Docs|Markdown|Generated|Rules|Script' -update

docs: golden ## rewrite the generated documents

bench: ## benchmarks, beside the tools that people use today
	go test -run '^$$' -bench . -benchmem ./pkg/...
	cd testdata/peers && go test -run '^$$' -bench . -benchmem ./...
	assets=$(ASSETS) && KUBEBUILDER_ASSETS=$$assets go test -tags e2e -run '^TestBench' -v -count 1 -timeout 30m ./cmd/...

e2e: ## the binary through a real kubectl against a real API server
	assets=$(ASSETS) && KUBEBUILDER_ASSETS=$$assets go test -tags e2e -count 1 -timeout 30m ./cmd/...

dist: ## archives for every platform into dist/
	VERSION=$(VERSION) COMMIT=$(COMMIT) go run ./krew/dist dist

krew: ## build the archives, then install, run and remove the plugin with krew
	$(call tool,krew,sigs.k8s.io/krew/cmd/krew)
	$(call tool,validate-krew-manifest,sigs.k8s.io/krew/cmd/validate-krew-manifest)
	assets=$(ASSETS) && KUBEBUILDER_ASSETS=$$assets KREW_TOOLS=$(TOOLS) go test -tags e2e -count 1 -timeout 30m ./krew/...

# tool builds a pinned program of testdata/tools into the cache.
define tool
cd testdata/tools && mkdir -p $(TOOLS) && go build -o $(TOOLS)/$(1) $(2)
endef
