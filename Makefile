# Coinslot. `make` prints the targets.
SHELL := /bin/bash
GO ?= go
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Tools are compiled with the flags of the program, so that they share its build cache.
RUN_TOOL = $(FIRST_BUILD) env GOFLAGS= CGO_ENABLED=0 $(GO) run -trimpath
FIRST_BUILD = if ! [ -d .cache ]; then echo "  tools     compiling the build tool"; fi;

.PHONY: build
build: ## everything, leaving the one file bin/coinslot
	@$(RUN_TOOL) ./tools/build -version '$(VERSION)'

.PHONY: release
release: assets ## archives for all platforms in dist/, with checksums and lists of parts: make release VERSION=v1.2.3
	@$(RUN_TOOL) ./tools/release -version '$(VERSION)'

.PHONY: assets
assets: ## the browser's files: WebAssembly, scripts and styles, minified and compressed
	@$(RUN_TOOL) ./tools/build -assets

.PHONY: run
run: ## build, then the checkout with a sandbox gateway and a demo shop
	@$(RUN_TOOL) ./tools/build -fast
	@./bin/coinslot demo

.PHONY: dev
dev: ## the demo and every screen with live reload: edit app, bff or static, and open pages follow; PORT=9000 if 8080 is taken
	@$(RUN_TOOL) ./tools/dev -port $(or $(PORT),8080)

.PHONY: gallery-serve
gallery-serve: ## every screen, with live reload, at http://127.0.0.1:8083
	@$(RUN_TOOL) ./tools/dev -gallery -port $(or $(PORT),8080)

# The npm package: scripts by esbuild, types by TypeScript. Types of frameworks are needed to compile it, and are no part
# of it. npm installs nothing newer than NPM_DATE, here and in the package's tests, and keeps it in .cache/npm-registry.
NPM_DATE := 2026-11-20
NPM = env npm_config_before=$(NPM_DATE) npm_config_cache='$(CURDIR)/.cache/npm-registry' npm_config_loglevel=error \
  npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false npm
NPM_TYPES := @types/react@19.3.0 vue@3.5.45 svelte@5.57.3 solid-js@1.9.19
NPM_VERSION = $(patsubst v%,%,$(or $(VERSION),$(shell git tag --points-at HEAD --sort=-version:refname 'v*' 2>/dev/null | head -n 1),v0.0.0-dev))
NPM_OUT := dist

.PHONY: npm
npm: install-npm ## the npm packages, leaving one dist/coinslot-checkout-*.tgz and one dist/coinslot-server-*.tgz: make npm VERSION=v1.2.3
	@mkdir -p '$(NPM_OUT)' && rm -f '$(NPM_OUT)'/coinslot-checkout-*.tgz '$(NPM_OUT)'/coinslot-server-*.tgz
	@set -e; packages=$$(mktemp -d); trap 'rm -r "$$packages"' EXIT; for from in npm npm/server; do \
	  to="$$packages/$${from##*/}"; \
	  node .cache/npm/typescript/lib/tsc.js -p $$from --outDir "$$to/dist"; \
	  $(RUN_TOOL) github.com/evanw/esbuild/cmd/esbuild $$from/src/*.ts \
	    --format=esm --target=es2022 --charset=utf8 --log-level=warning --outdir="$$to/dist"; \
	  sed 's/0\.0\.0-dev/$(NPM_VERSION)/' $$from/package.json >"$$to/package.json"; cp $$from/README.md "$$to"; \
	done; \
	rm -f "$$packages"/npm/dist/*.svelte.d.js; cp static/checkout.d.ts npm/src/*.svelte npm/src/*.svelte.d.ts "$$packages/npm/dist"; \
	$(NPM) pack "$$packages/npm" "$$packages/server" --silent --pack-destination '$(NPM_OUT)'

.PHONY: install-npm
install-npm:
	@$(call install,node,nodejs)
	@$(call install,npm,npm)
	@$(call typescript)
	@[ -f '.cache/npm-types/$(NPM_TYPES:@types/%=%)' ] || { rm -rf .cache/npm-types && mkdir -p .cache/npm-types && \
	  $(NPM) install --silent --ignore-scripts --no-package-lock --no-save --prefix .cache/npm-types $(NPM_TYPES) >/dev/null && touch '.cache/npm-types/$(NPM_TYPES:@types/%=%)'; }

.PHONY: test-frameworks
test-frameworks: export TEST_TOOLS = required
test-frameworks: install-chromium install-npm build ## the npm package in Next.js, Vue, Svelte, Solid, Astro and a plain page, and shops in Next.js and SvelteKit; needs the npm registry
	$(GO) test ./e2e -count=1 -timeout 30m -v -run TestFramework -args -frameworks

.PHONY: test-medusa
test-medusa: export TEST_TOOLS = required
test-medusa: install-test-tools build ## the payment provider with Medusa and PostgreSQL; needs the npm registry: 5 minutes, 720 MB
	$(GO) test ./e2e -count=1 -timeout 30m -v -run TestMedusa -args -medusa

# What docs/npm.md creates, so that its test needs no network.
define shop
[ -f .cache/npm-registry/shop-$(NPM_DATE) ] || { dir=$$(mktemp -d) && ( cd $$dir && $(NPM) create -y vite@9.3.0 shop -- --template react-ts --no-interactive >/dev/null && \
  cd shop && $(NPM) install >/dev/null ) && rm -r $$dir && rm -f .cache/npm-registry/shop* && touch .cache/npm-registry/shop .cache/npm-registry/shop-$(NPM_DATE); }
endef

# What docs/examples/express installs, likewise.
define express
[ -f .cache/npm-registry/express-$(NPM_DATE) ] || { dir=$$(mktemp -d) && cp docs/examples/express/package.json $$dir && \
  $(NPM) install --prefix $$dir >/dev/null && rm -r $$dir && touch .cache/npm-registry/express-$(NPM_DATE); }
endef

# Commands from Go modules, by exact version: compiled once, then kept in .cache/tools.
define go_tool
.cache/tools/$(1)-$(3):
	@echo "  tools     compiling $(1) $(3), once: this can take some minutes"
	@mkdir -p $$@.tmp && { env GOFLAGS= CGO_ENABLED=0 GOBIN="$$(CURDIR)/$$@.tmp" $$(GO) install -trimpath \
	  $(2)@$(3) >$$@.log 2>&1 || \
	  { tail -n 5 $$@.log; echo "make: $(1) could not be downloaded or compiled, so nothing was checked" >&2; exit 1; }; }
	@mv $$@.tmp/$(1) $$@ && rm -r $$@.tmp $$@.log
endef
$(eval $(call go_tool,gotestsum,gotest.tools/gotestsum,v1.13.0))
$(eval $(call go_tool,litestream,github.com/benbjohnson/litestream/cmd/litestream,v0.5.18))
$(eval $(call go_tool,golangci-lint,github.com/golangci/golangci-lint/v2/cmd/golangci-lint,v2.15.0))

# Prints what failed as soon as it has failed. go test alone prints packages in their order, so that
# a failure waits for all packages that began before its own.
GOTESTSUM := .cache/tools/gotestsum-v1.13.0
GOLANGCI_LINT := .cache/tools/golangci-lint-v2.15.0
LITESTREAM := .cache/tools/litestream-v0.5.18

.PHONY: quick
quick: format ## what needs nothing but Go, in about a minute: formatting, vet, unit and contract tests
	$(GO) vet ./...
	GOOS=js GOARCH=wasm $(GO) vet ./app/...
	@$(RUN_TOOL) ./tools/build -assets -fast
	$(GO) test -short -vet=off -p $(TOGETHER) -parallel 4 ./bff/server ./bff/checkout ./...
	@echo "Not run: tests that need a browser, PostgreSQL or another server, and the long torture tests. make test runs them."

# With these a test whose tool is missing fails; see e2e/need. Without, it is skipped.
test bench torture gallery screenshots film: export TEST_TOOLS = required

.PHONY: test
test: install-test-tools build $(GOTESTSUM) ## the whole test suite: unit, contract, race, WebAssembly, browser
	GOOS=js GOARCH=wasm $(GO) vet ./app/...
	GORACE=atexit_sleep_ms=0 $(GOTESTSUM) --format pkgname-and-test-fails --format-hide-empty-pkg -- \
	  -race $(UNRACED:%=-gcflags=%=-race=false) -shuffle=on -timeout=30m -p $(TOGETHER) $(LONGEST) ./...
	$(GO) test -timeout=30m ./torture/simulation # ten thousand seeds; the race detector has run fewer

# What the race detector does not look into, with all callers watched: C turned into Go, whose memory it does not see,
# with its driver, and what only computes: numbers and patterns, compression, a slow hash, the checks of JSON against a schema.
UNRACED := modernc.org/sqlite modernc.org/sqlite/lib modernc.org/libc/... modernc.org/memory golang.org/x/crypto/argon2 \
  strconv math/big regexp/... compress/flate github.com/andybalholm/brotli/... github.com/santhosh-tekuri/jsonschema/... \
  github.com/evanw/esbuild/...

# What takes longest begins first, and one package more than there are processors runs at a time: browsers are waited for.
LONGEST := ./e2e ./bff/server ./e2e/gallery ./static/checkouttest ./bff/store ./torture ./bff/checkout ./tools/release
TOGETHER = $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))

.PHONY: check
check: format vet tidy measures lint fresh test ## what CI runs: formatting, vet, tidy modules, size and shape, lint, a fresh machine's build, and all tests

.PHONY: format
format:
	@bad=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "gofmt these:"; echo "$$bad"; exit 1; fi

.PHONY: vet
vet:
	$(GO) vet ./...
	$(GO) mod verify >/dev/null

.PHONY: fresh
fresh: ## build with empty caches, compare with a build with warm ones, and with a changed go-app: 3 minutes
	$(GO) test ./tools/build -count=1 -run TestFreshMachine -timeout 30m -v -fresh

.PHONY: tidy
tidy: ## fail unless go.mod and go.sum are as go mod tidy leaves them
	@env GOFLAGS= $(GO) mod tidy -diff || { echo "make tidy: run go mod tidy and commit what it changes" >&2; exit 1; }

.PHONY: measures
measures: ## how large and how tangled the code is; fails if a measure is beyond its bound
	@env GOFLAGS= $(GO) run ./tools/measures

.PHONY: bench
bench: install-chromium build ## docs/performance.md's table, measured here and now; ONLY=sockets measures those rows
	$(GO) run ./tools/bench -only '$(ONLY)'

.PHONY: microbench
microbench: build ## all other benchmarks, of single functions
	$(GO) test -run '^$$' -bench . -benchmem $$($(GO) list ./... | grep -v '/e2e')

.PHONY: fuzz
fuzz: ## each fuzz target for half a minute
	@set -e; for package in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    echo "$$package $$target"; $(GO) test -toolexec $(CURDIR)/tools/torture/fuzzed.sh -run '^$$' -fuzz "^$$target$$" -fuzztime 30s -fuzzminimizetime 300x $$package; \
	  done; \
	done

.PHONY: torture
torture: build install-test-tools ## the long form of the torture tests, for hours; CUT=0.01 makes a hundredth of it
	$(GO) run ./tools/torture -cut $(or $(CUT),1)

.PHONY: lint
lint: $(GOLANGCI_LINT) ## golangci-lint, with the few linters of .golangci.yml
	$(GOLANGCI_LINT) run ./...

.PHONY: vulncheck
vulncheck: ## known vulnerabilities in what is linked, by govulncheck and the database at vuln.go.dev
	@out=$$(env GOFLAGS= $(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./... 2>&1); code=$$?; printf '%s\n' "$$out"; \
	if [ $$code != 0 ] && grep -q 'fetching vulnerabilities' <<<"$$out"; then \
	  echo "make vulncheck: the vulnerability database at https://vuln.go.dev cannot be reached, so nothing was checked" >&2; \
	fi; exit $$code

# What tests need beyond Go, by command and Debian package: what the commands of docs use, three browsers, a C compiler
# for the race detector, runtimes for the JavaScript sample of docs/webhooks.md and for docs/examples, a package of
# Python's for one of these (which is no command, so it is looked for by its name in Python), two proxies, what reads
# systemd's units, a way to make fsync fail, Prometheus' tool, and PostgreSQL's server programs, which Debian keeps out
# of the PATH, its pooler, what lets it fail over, and the previous release.
.PHONY: install-test-tools
install-test-tools: install-npm $(LITESTREAM) ## what the tests need on a Debian machine: three browsers, runtimes, PostgreSQL, axe-core, TypeScript, React, OpenAPI's schema
	@$(call install,curl,curl)
	@$(call install,openssl,openssl)
	@$(call install,chromium,chromium)
	@$(call install,firefox-esr,firefox-esr)
	@$(call install,WebKitWebDriver,webkit2gtk-driver)
	@$(call install,Xvfb,xvfb)
	@$(call install,gcc,gcc libc6-dev)
	@$(call install,node,nodejs)
	@$(call install,npm,npm)
	@$(call install,nginx,nginx-light)
	@$(call install,php,php-cli)
	@$(call install,python3,python3)
	@$(call install,ruby,ruby)
	@/usr/bin/python3 -c 'import cryptography' 2>/dev/null || { $(call install,python3-cryptography,python3-cryptography) }
	@/usr/bin/python3 -c 'import flask, requests' 2>/dev/null || { $(call install,python3-flask,python3-flask python3-requests) }
	@/usr/bin/ruby -rsinatra/base -rwebrick -e '' 2>/dev/null || { $(call install,ruby-sinatra,ruby-sinatra ruby-webrick) }
	@php -r 'require "Illuminate/autoload.php"; require "GuzzleHttp/autoload.php"; new PDO("sqlite::memory:");' >/dev/null 2>&1 || \
	  { $(call install,php-laravel-framework,php-laravel-framework php-guzzlehttp-guzzle php-sqlite3) }
	@$(call axe)
	@$(call typescript)
	@$(call npm,react,19.2.0,4de5ae8fd4773b2356f95a22e58cb154a161c35376aef7c006490fb964556d66)
	@$(call npm,react-dom,19.2.0,6c47e801364162210540ccee8bc5d813e032ae361ba4e2be72102e76093ecf5b)
	@$(call npm,scheduler,0.27.0,ab26ce35ce4032f04b78cfc5bbb4cfe13358e9fe7a5433a8aa6315c3debc5095)
	@$(call shop)
	@$(call express)
	@$(call playwright)
	@$(call openapi)
	@$(call install,caddy,caddy)
	@$(call install,systemd-analyze,systemd)
	@$(call install,strace,strace)
	@$(call install,sqlite3,sqlite3)
	@$(call install,pgbouncer,pgbouncer)
	@$(call install,etcd,etcd-server)
	@$(call install,patroni,patroni python3-etcd)
	@$(call install,haproxy,haproxy)
	@$(call promtool)
	@$(call previous)
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { $(call install,initdb,postgresql) }

# The accessibility checker, by exact version and content.
AXE := axe-core-4.10.3
AXE_SHA256 := 0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292
define axe
[ -f .cache/axe/$(AXE) ] || { mkdir -p .cache/axe && cd .cache/axe && npm pack --silent $(subst axe-core-,axe-core@,$(AXE)) >/dev/null && \
  echo "$(AXE_SHA256)  $(AXE).tgz" | sha256sum --check --quiet && tar xzf $(AXE).tgz && touch $(AXE); }
endef

# The specification's own schema of OpenAPI 3.1, as a package of npm carries it; nothing of the package is run.
OPENAPI := seriousme-openapi-schema-validator-2.11.0
OPENAPI_SHA256 := 70f69d93ee8a9fd7ac0dbbef98288a49c3120ce7076006e5ff336e131266cd2e
define openapi
[ -f .cache/openapi/$(OPENAPI) ] || { mkdir -p .cache/openapi && cd .cache/openapi && npm pack --silent @seriousme/openapi-schema-validator@2.11.0 >/dev/null && \
  echo "$(OPENAPI_SHA256)  $(OPENAPI).tgz" | sha256sum --check --quiet && tar xzf $(OPENAPI).tgz && touch $(OPENAPI); }
endef

# What the tests of checkout.js bundle and compile with, by name, exact version and content; in .cache/npm/NAME.
define npm
[ -f .cache/npm/$(1)-$(2) ] || { mkdir -p .cache/npm/$(1) && cd .cache/npm && npm pack --silent $(1)@$(2) >/dev/null && \
  echo "$(3)  $(1)-$(2).tgz" | sha256sum --check --quiet && tar xzf $(1)-$(2).tgz -C $(1) --strip-components=1 && touch $(1)-$(2); }
endef

define typescript
$(call npm,typescript,5.9.3,10e108c9cf7d5f2879053dff18515fb405abf2ccef63eaaf017d9c571687a1d3)
endef

# What docs/examples/playwright is run with; its browser is Debian's. Three packages, by exact version and content, in a
# node_modules of their own.
PLAYWRIGHT := 1.65.1
define playwright
[ -f .cache/playwright/$(PLAYWRIGHT) ] || { rm -rf .cache/playwright && mkdir -p .cache/playwright/node_modules/@playwright/test .cache/playwright/node_modules/playwright .cache/playwright/node_modules/playwright-core && \
  cd .cache/playwright && npm pack --silent @playwright/test@$(PLAYWRIGHT) playwright@$(PLAYWRIGHT) playwright-core@$(PLAYWRIGHT) >/dev/null && \
  printf '%s\n' "025a0b1ab36fd4e5f4ede6c9397020b9c3805d8f19c75a16989a02d70a88f37b  playwright-test-$(PLAYWRIGHT).tgz" \
    "e2ebec5abb40f511c7a4442e83042fd8a4e654c3367e120b76e94a61a8f91e01  playwright-$(PLAYWRIGHT).tgz" \
    "6f5a60be62a4fddfbe7d10c448d8fbd54547da3358f2f8a04211440471ee863e  playwright-core-$(PLAYWRIGHT).tgz" | sha256sum --check --quiet && \
  tar xzf playwright-test-$(PLAYWRIGHT).tgz -C node_modules/@playwright/test --strip-components=1 && \
  tar xzf playwright-$(PLAYWRIGHT).tgz -C node_modules/playwright --strip-components=1 && \
  tar xzf playwright-core-$(PLAYWRIGHT).tgz -C node_modules/playwright-core --strip-components=1 && touch $(PLAYWRIGHT); }
endef

# Prometheus' tool, which reads metrics, queries and alert rules as Prometheus does: out of Debian's package, which apt
# checks, and without the server in it.
define promtool
[ -x .cache/prometheus/promtool ] || { mkdir -p .cache/prometheus && cd .cache/prometheus && \
  { apt-get download -qq prometheus 2>/dev/null || { $(SUDO) apt-get update -q && apt-get download -qq prometheus; }; } && \
  dpkg-deb --fsys-tarfile prometheus_*.deb | tar x --strip-components=3 ./usr/bin/promtool && rm prometheus_*.deb; }
endef

# The release that upgrades are tested from: the newest commit whose tables are older than this one's. It is compiled from
# the history of this repository with its crash points, which let tests accelerate its clock.
PREVIOUS := b752c7b9dd3f8570130e08b5ab484f0bc9e0ddc4
define previous
[ -f .cache/previous/$(PREVIOUS) ] || if ! git cat-file -e $(PREVIOUS) 2>/dev/null; then \
  echo "make: this clone has no commit $(PREVIOUS), so the tests of upgrades will fail: git fetch --unshallow" >&2; \
else echo "  tools     compiling the previous release, once: this can take some minutes"; \
  rm -rf .cache/previous && mkdir -p .cache/previous/source && git archive $(PREVIOUS) | tar x -C .cache/previous/source && \
  ( cd .cache/previous/source && export GOFLAGS=-buildvcs=false CGO_ENABLED=0 && $(GO) run -trimpath ./tools/build -assets -fast && \
    $(GO) build -trimpath -tags crashpoints -o ../coinslot ./bff ) >.cache/previous/log 2>&1 || { tail -n 5 .cache/previous/log; exit 1; }; \
  rm -r .cache/previous/source && touch .cache/previous/$(PREVIOUS); fi
endef

.PHONY: install-chromium
install-chromium:
	@$(call install,chromium,chromium)

define install
command -v $(1) >/dev/null || { $(SUDO) apt-get update -q && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $(2); }
endef

.PHONY: clean
clean: ## remove what was built
	rm -rf bin dist static/dist/* .cache

.PHONY: gallery
gallery: install-chromium assets ## contact sheets of every screen, theme, direction and width, in docs/images/gallery
	$(GO) test ./e2e/gallery -count=1 -run TestSheets -args -sheets "$(CURDIR)/docs/images/gallery"

.PHONY: film
film: install-chromium build ## a payment on a phone, from the press on buy to the receipt, as a moving picture in docs/images
	@$(call install,img2webp,webp)
	$(GO) test ./e2e -count=1 -run TestFilm -args -film "$(CURDIR)/docs/images/payment.webp"

# The pictures that README.md shows.
PICTURES := checkout chosen-light pay-light partial-light confirmed-light console-overview console-payment console-payments console-phone

.PHONY: screenshots
screenshots: install-chromium build ## a picture of every screen in e2e/out; those of the README in docs/images
	mkdir -p e2e/out docs/images
	$(GO) test ./e2e -count=1 -run 'TestScreens|TestShopPicture|TestConsole' -args -screens "$(CURDIR)/e2e/out"
	cp $(PICTURES:%=e2e/out/%.png) docs/images/
