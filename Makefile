# Coinslot. `make` prints the targets. What takes more than a line is in tools/.
SHELL := /bin/bash
GO ?= go

# Tools are compiled with the flags of the program, so that they share its build cache. The first
# one takes a while, and says why.
RUN = $(FIRST) env GOFLAGS= CGO_ENABLED=0 $(GO) run -trimpath
FIRST = [ -d .cache ] || echo "  tools     compiling the build tools";

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##
## Build and run
##

.PHONY: build
build: ## everything, leaving the one file bin/coinslot
	@$(RUN) ./tools/build -version '$(VERSION)'

.PHONY: run
run: ## build, then the checkout with a sandbox gateway and a demo shop
	@$(RUN) ./tools/build -fast
	@./bin/coinslot demo

.PHONY: dev
dev: ## the demo and every screen with live reload; PORT=9000 if 8080 is taken
	@$(RUN) ./tools/dev -port $(or $(PORT),8080)

.PHONY: gallery-serve
gallery-serve: ## every screen, with live reload, at http://127.0.0.1:8083
	@$(RUN) ./tools/dev -gallery -port $(or $(PORT),8080)

.PHONY: assets
assets: ## the browser's files: WebAssembly, scripts and styles, minified and compressed
	@$(RUN) ./tools/build -assets

.PHONY: release
release: assets ## archives for all platforms in dist/: make release VERSION=v1.2.3
	@$(RUN) ./tools/release -version '$(VERSION)'

.PHONY: npm
npm: install-all ## the npm packages in dist/: make npm VERSION=v1.2.3
	@tools/npm/pack.sh '$(or $(VERSION),v0.0.0-dev)' dist

.PHONY: clean
clean: ## remove what was built
	rm -rf bin dist static/dist/* .cache

##
## Test
##

.PHONY: quick
quick: format ## what needs nothing but Go, in about a minute
	$(GO) vet ./...
	@$(RUN) ./tools/build -assets -fast
	$(GO) test -short -vet=off ./...
	@echo "Not run: tests that need a browser, PostgreSQL or another server. make test runs them."

.PHONY: test
test: install build ## what a change must pass before a push: unit, contract, race, main flows
	@$(RUN) ./tools/test
	@$(RUN) ./tools/install -report

.PHONY: test-all
test-all: test test-rest ## all tests, also with more browsers, proxies, shops and failovers

# What test-all has beyond test.
.PHONY: test-rest
test-rest: install-all build
	@$(RUN) ./tools/test -rest
	@$(RUN) ./tools/install -all -report

.PHONY: check
check: format vet tidy lint test test-rest ## what CI runs

.PHONY: torture
torture: install-all build ## the long torture tests, for hours: see torture/README.md; CUT=0.01
	$(GO) run ./tools/torture -cut $(or $(CUT),1)

.PHONY: fuzz
fuzz: ## each fuzz target, some 100,000 times
	$(GO) run ./tools/torture -cut 0.01 -only ' Fuzz'

.PHONY: install
install:
	@$(RUN) ./tools/install

.PHONY: install-all
install-all:
	@$(RUN) ./tools/install -all

##
## Check the sources
##

.PHONY: format
format: ## fail unless gofmt has nothing to change, and git finds no conflict marker or space at the end of a line
	@files=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$files" ]; then echo "run gofmt -w on:"; echo "$$files"; exit 1; fi
	@git diff --check "$$(git hash-object -t tree /dev/null)" # of all files: beside an empty tree

.PHONY: vet
vet: ## go vet, for the server and for the browser
	$(GO) vet ./...
	GOOS=js GOARCH=wasm $(GO) vet ./app/...
	$(GO) mod verify >/dev/null

.PHONY: tidy
tidy: ## fail unless go.mod and go.sum are as go mod tidy leaves them
	@env GOFLAGS= $(GO) mod tidy -diff || { echo "run go mod tidy and commit the changes"; exit 1; }

.PHONY: lint
lint: ## golangci-lint, for the server and for the browser
	env GOFLAGS= CGO_ENABLED=0 $(GO) run $(LINTER) run ./...
	env GOFLAGS= CGO_ENABLED=0 $(GO) run -exec 'env GOOS=js GOARCH=wasm' $(LINTER) run ./app/...

LINTER = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: vulncheck
vulncheck: ## known vulnerabilities in what is linked; needs https://vuln.go.dev
	@env GOFLAGS= $(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...

##
## Measure and show
##

.PHONY: bench
bench: install build ## the table of docs/performance.md, measured now; ONLY=sockets for some rows
	$(GO) run ./tools/bench -only '$(ONLY)'

.PHONY: microbench
microbench: build ## all other benchmarks, of single functions
	$(GO) test -run '^$$' -bench . -benchmem $$($(GO) list ./... | grep -v '/e2e')

.PHONY: gallery
gallery: install assets ## contact sheets of every screen in docs/images/gallery
	$(GO) test ./e2e/gallery -count=1 -run TestSheets -args -sheets '$(CURDIR)/docs/images/gallery'

.PHONY: film
film: install build ## a payment on a phone as a moving picture in docs/images; needs img2webp
	$(GO) test ./e2e -count=1 -run TestFilm -args -film '$(CURDIR)/docs/images/payment.webp'

# The pictures that README.md shows.
PICTURES := checkout chosen-light pay-light partial-light confirmed-light \
  console-overview console-payment console-payments console-phone

.PHONY: screenshots
screenshots: install build ## a picture of every screen in e2e/out; those of the README in docs/images
	mkdir -p e2e/out docs/images
	$(GO) test ./e2e -count=1 -run 'TestFullScreens|TestFullShopPicture|TestFullConsoleLooks' -args -screens '$(CURDIR)/e2e/out'
	cp $(PICTURES:%=e2e/out/%.png) docs/images/
