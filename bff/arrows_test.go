package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows are the imports inside this module that are allowed, by package; the
// picture is in docs/design.md. Test files are free.
var arrows = map[string][]string{
	"deploy":                    {},
	"static":                    {},
	"static/stylesheet":         {},
	"app":                       {"app/browser", "app/feed", "app/json", "app/screen", "app/widget", "app/wire"},
	"app/json":                  {},
	"app/wire":                  {"app/json"},
	"app/feed":                  {"app/wire"},
	"app/browser":               {},
	"app/widget":                {"app/address", "app/feed", "app/json", "app/widget/node", "app/wire"},
	"app/address":               {"app/wire"},
	"app/screen":                {"app/address", "app/feed", "app/json", "app/widget", "app/widget/node", "app/wire"},
	"app/screen/screentest":     {"app/widget", "app/wire"},
	"app/widget/node":           {},
	"bff":                       {"bff/check", "bff/config", "bff/console/auth/password", "bff/demo", "bff/diagnose", "bff/gatewaylist", "bff/licenses", "bff/logs", "bff/order", "bff/payment", "bff/sandbox", "bff/server", "bff/webhook", "client"},
	"client":                    {"app/wire", "bff/payment", "bff/webhook"},
	"bff/gateway/buckettest":    {"bff/fortest", "bff/gateway"},
	"bff/check":                 {"bff/config", "bff/diagnose", "bff/gateway", "bff/order", "bff/payment", "bff/receipt", "bff/store", "bff/token", "bff/webhook"},
	"bff/checkout":              {"app/wire", "bff/gatewaylist", "bff/internal/background", "bff/payment", "bff/token"},
	"bff/config":                {"bff/console/auth/password", "bff/webhook"},
	"bff/demo":                  {"bff/config", "bff/console/auth/password", "bff/livereload", "bff/sandbox", "bff/server", "bff/webhook", "client", "static"},
	"bff/diagnose":              {},
	"bff/console":               {"app/wire", "bff/checkout", "bff/console/auth", "bff/gatewaylist", "bff/payment", "bff/token", "bff/web", "bff/webhook"},
	"bff/console/auth":          {"bff/console/auth/password", "bff/web"},
	"bff/console/auth/password": {},
	"bff/checkout/checkouttest": {"app/wire", "bff/checkout", "bff/fortest", "bff/payment", "bff/store", "bff/store/storetest", "bff/webhook"},
	"torture/failpoint":         {"app/wire", "bff/checkout", "bff/gateway", "bff/payment", "bff/webhook"},
	"bff/fortest":               {},
	"bff/gateway":               {"bff/checkout", "bff/gatewaylist", "bff/payment"},
	"bff/licenses":              {},
	"bff/livereload":            {},
	"bff/logs":                  {},
	"bff/metrics":               {"app/wire", "bff/payment"},
	"bff/order":                 {"app/wire", "bff/internal/yamlfile", "bff/payment"},
	"bff/payment":               {"app/wire"},
	"bff/internal/background":   {},
	"bff/internal/yamlfile":     {},
	"bff/gatewaylist":           {"app/wire", "bff/internal/background", "bff/payment"},
	"bff/realtime":              {},
	"bff/receipt":               {"app/wire", "bff/payment"},
	"bff/reference":             {"docs"},
	"bff/sandbox":               {},
	"bff/sandbox/sandboxtest":   {"bff/sandbox"},
	"bff/server":                {"app/wire", "bff/api", "bff/checkout", "bff/config", "bff/console", "bff/console/auth", "bff/gateway", "bff/gatewaylist", "bff/internal/background", "bff/logs", "bff/metrics", "bff/order", "bff/payment", "bff/realtime", "bff/receipt", "bff/shop", "bff/store", "bff/token", "bff/trace", "bff/web", "bff/webhook", "static"},
	"bff/server/servertest":     {"bff/checkout/checkouttest", "bff/config", "bff/fortest", "bff/sandbox", "bff/sandbox/sandboxtest", "bff/server", "bff/store/storetest", "bff/web"},
	"bff/store":                 {"app/wire", "bff/checkout", "bff/console", "bff/gateway", "bff/gatewaylist", "bff/internal/background", "bff/payment", "bff/webhook"},
	"bff/store/pgtest":          {"bff/fortest", "e2e/child", "e2e/need"},
	"bff/store/storetest":       {"app/wire", "bff/checkout", "bff/console", "bff/fortest", "bff/gatewaylist", "bff/payment", "bff/webhook"},
	"bff/token":                 {"app/address", "app/wire", "bff/internal/yamlfile"},
	"bff/trace":                 {},
	"bff/web":                   {"app/wire", "bff/gateway", "bff/logs", "bff/order", "bff/payment", "static/stylesheet"},
	"bff/api":                   {"app/wire", "bff/checkout", "bff/gatewaylist", "bff/logs", "bff/order", "bff/payment", "bff/reference", "bff/web", "bff/webhook"},
	"bff/shop":                  {"app/screen", "app/widget", "app/widget/node", "app/wire", "bff/checkout", "bff/config", "bff/diagnose", "bff/logs", "bff/order", "bff/payment", "bff/realtime", "bff/web"},
	"bff/webhook":               {"app/wire", "bff/internal/background", "bff/payment"},
	"static/checkouttest":       {},
	"docs":                      {},
	"integrations":              {},
	"docs/examples/exampletest": {"bff/fortest", "e2e/need"},
	"docs/examples/go":          {"client"},
	"docs/examples/verify":      {},
	"docs/examples/webhook":     {},
	"e2e":                       {},
	"e2e/browser":               {"e2e/child", "e2e/need"},
	"e2e/built":                 {},
	"e2e/child":                 {},
	"e2e/firefox":               {"bff/fortest", "e2e/child", "e2e/need", "e2e/view"},
	"e2e/view":                  {},
	"e2e/webkit":                {"bff/fortest", "e2e/child", "e2e/need", "e2e/view"},
	"e2e/gallery":               {"app/screen", "app/screen/screentest", "app/widget", "app/widget/node", "static/stylesheet", "tools/bundle"},
	"e2e/gallery/serve":         {"bff/livereload", "e2e/gallery"},
	"e2e/load":                  {},
	"e2e/goapp":                 {},
	"e2e/link":                  {},
	"e2e/need":                  {},
	"tools/assets":              {"static/stylesheet", "tools/bundle", "tools/compile"},
	"tools/bench":               {"tools/report"},
	"tools/bundle":              {"static/stylesheet"},
	"tools/build":               {"tools/compile", "tools/progress"},
	"tools/compile":             {},
	"tools/dev":                 {"tools/compile", "tools/progress"},
	"tools/install":             {},
	"tools/progress":            {},
	"tools/licenses":            {"tools/compile", "tools/licenses/spdx"},
	"tools/licenses/spdx":       {},
	"tools/release":             {"tools/compile", "tools/licenses/spdx"},
	"tools/report":              {},
	"tools/test":                {},
	"tools/torture":             {"tools/progress", "tools/report", "torture/goal"},
	"torture":                   {},
	"torture/rules":             {},
	"torture/simulation":        {},
	"torture/goal":              {"bff/fortest"},

	"docs/examples/order-token/mint": {},
}

// onlyIn names packages that may import what others must not, and why.
var onlyIn = []struct {
	path, why string
	packages  []string
}{
	{"database/sql", "storage is behind checkout.Store", []string{"bff/store"}},
	{"github.com/VictoriaMetrics/metrics", "names of metrics are one table", []string{"bff/metrics"}},
	{"go.opentelemetry.io/otel/sdk/trace", "what a span may hold is decided in one place", []string{"bff/trace"}},
	{"github.com/maxence-charriere/go-app/v10/pkg/app", "what the server draws is app/widget/node's",
		[]string{"app", "app/screen", "app/widget", "app/widget/node", "e2e/goapp"}},
	{"syscall/js", "JavaScript lives in app/browser", []string{"app/browser"}},
	{"github.com/gorilla/websocket", "sockets are bff/realtime's, bff/shop's, a test driver's and one of the check's; a browser cannot use it", []string{"bff/check", "bff/realtime", "bff/shop", "e2e/firefox"}},
}

// notIn says what the packages of a folder must not import, and why; "/..." stands for what
// is below, too. What app imports matters where it is built for the browser.
var notIn = map[string]map[string]string{
	// For app, what each would cost a shopper or why it cannot work; numbers are kB of brotli.
	"app": {
		"net/http/...":  "+848; requests go through browser.Fetch",
		"encoding/json": "+117; coinslot/app/json does",
		"fmt":           "go-app brings it; +20 once it does not. strconv does",
		"net/url":       "+58; widget/link.go does",
		"html/template": "+455",
		"text/template": "+401",
		"regexp":        "+75; go-app's router has it, and is patched out",
		"log/slog":      "+29; app.Log does",
		"crypto/...":    "nothing is encrypted or signed in the browser",
		"database/sql":  "ships a database layer",
		"os/exec":       "cannot work",
		"image/png":     "+63",
		"time/tzdata":   "+65; times travel as durations",
		"testing/...":   "ships the test framework",
	},
	"bff/payment": {
		"context": rules, "database/sql": rules, "log/...": rules, "net": rules,
		"net/http/...": rules, "os/...": rules,
	},
}

const rules = "it holds pure rules"

// modules are all that a folder's packages may import of other modules. In app, in kB of
// brotli: gorilla/websocket would cost 695, x/text and go-qr 112 each, decimal 10.
var modules = map[string][]string{
	"app":         {"github.com/maxence-charriere/go-app/v10/pkg/app"},
	"bff/payment": {"github.com/shopspring/decimal"},
}

type listed struct {
	ImportPath string
	Imports    []string
}

// packages asks go list for a pattern, as built with the given environment.
func packages(t *testing.T, pattern string, env ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", pattern)
	cmd.Env = append(cmd.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		p.ImportPath = strings.TrimPrefix(p.ImportPath, "coinslot/")
		all = append(all, p)
	}
}

func TestArrows(t *testing.T) {
	for browser, built := range map[bool][]listed{
		false: packages(t, "coinslot/..."), true: packages(t, "coinslot/app/...", "GOOS=js", "GOARCH=wasm"),
	} {
		for _, p := range built {
			allowed, known := arrows[p.ImportPath]
			if !known {
				t.Errorf("%s is not in the table of arrows: add it there and to docs/design.md", p.ImportPath)
			}
			for _, path := range p.Imports {
				if to, ours := strings.CutPrefix(path, "coinslot/"); ours && !slices.Contains(allowed, to) {
					t.Errorf("%s imports %s, which is no arrow of docs/design.md", p.ImportPath, to)
				}
				checkElsewhere(t, browser, p.ImportPath, path)
			}
		}
	}
}

// checkElsewhere checks what is not in the table of arrows.
func checkElsewhere(t *testing.T, browser bool, from, path string) {
	t.Helper()
	for _, rule := range onlyIn {
		if path == rule.path && !slices.Contains(rule.packages, from) {
			t.Errorf("%s imports %s: %s", from, path, rule.why)
		}
	}
	for folder, banned := range notIn {
		for ban, why := range banned {
			name, all := strings.CutSuffix(ban, "/...")
			if below(from, folder) && (path == name || all && below(path, name)) && (folder != "app" || browser) {
				t.Errorf("%s imports %s: %s", from, path, why)
			}
		}
	}
	host, _, _ := strings.Cut(path, "/")
	for folder, allowed := range modules {
		if below(from, folder) && strings.Contains(host, ".") && !slices.Contains(allowed, path) {
			t.Errorf("%s imports %s, which is not one of its modules", from, path)
		}
	}
}

// below reports whether a package is the one of a path, or in a folder below it.
func below(name, path string) bool { return name == path || strings.HasPrefix(name, path+"/") }
