// Package checkouttest holds the tests of static/checkout: its size, what it must not contain, and,
// in a real Chromium, how it behaves in a host page with a strict Content-Security-Policy.
package checkouttest_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/tools/bundle"

	"github.com/andybalholm/brotli"
)

// budgets are the promise to merchants and shoppers: bytes of a script on the wire, minified,
// brotli quality 11.
//
// 500 bytes of checkout.js keep a shopper from a second order and a second payment, and work under
// a page's own dialogs. frame.js is bound by the page that it is in (e2e TestFullPageSize): 300 bytes of
// it keep a shop's colors readable.
var budgets = map[string]int{"checkout": 4600, "frame": 4300}

// modules returns the sources of a script by path.
func modules(t *testing.T, name string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, folder := range []string{name, "shared"} {
		paths, err := filepath.Glob("../" + folder + "/*.js")
		if err != nil || len(paths) == 0 {
			t.Fatalf("no modules in static/%s: %v", folder, err)
		}
		for _, path := range paths {
			text := fortest.Must(os.ReadFile(path))(t)
			files[path] = string(text)
		}
	}
	return files
}

// minified returns checkout.js as merchants get it, before compression.
func minified(t *testing.T) []byte { return bundled(t, "checkout", true) }

func bundled(t *testing.T, name string, minify bool) []byte {
	t.Helper()
	return fortest.Must(bundle.Script("..", name, minify))(t)
}

func compressed(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := brotli.NewWriterLevel(&out, brotli.BestCompression)
	fortest.Must(writer.Write(text))(t)
	fortest.OK(t, writer.Close())
	return out.Bytes()
}

func TestSizeOnTheWire(t *testing.T) {
	for name, budget := range budgets {
		text := bundled(t, name, true)
		got := len(compressed(t, text))
		t.Logf("%s.js: %d bytes minified, %d brotli (budget %d)", name, len(text), got, budget)
		if got > budget {
			t.Errorf("%s.js: brotli size = %d; want at most %d", name, got, budget)
		}
	}
}

// texts is the one import there may be: the loader's texts, from its own server.
var texts = regexp.MustCompile(`import\(\w+ ?\+ ?["']/checkout/embed\.js\?["'] ?\+ ?\w+\)`)

// TestBannedConstructs keeps out what a strict policy refuses, and what would talk to strangers.
func TestBannedConstructs(t *testing.T) {
	banned := map[string]string{
		"HTML from text": `innerHTML|outerHTML|insertAdjacentHTML|srcdoc|document\.write`,
		"code from text": `\beval\b|new Function|Function\(|set(Timeout|Interval)\(\s*["'` +
			"`" + `]`,
		"inline style attribute": `setAttribute\(\s*["'` + "`" + `]style|cssText`,
		"style element":          `createElement\(\s*["'` + "`" + `]style|<style`,
		"second script": `\w\(\s*["'` + "`" + `]script["'` + "`" +
			`],|createElement\(\s*["'` + "`" + `]script|import\(`,
		"message to anyone":  `postMessage\([^)]*["'` + "`" + `]\*`,
		"cookies or storage": `document\.cookie|localStorage|sessionStorage|indexedDB`,
		"network by itself":  `\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon`,
		"unload handlers":    `beforeunload|["'` + "`" + `]unload|onunload`,
	}
	forms := modules(t, "checkout")
	forms["the minified script"] = string(minified(t))
	for what, pattern := range banned {
		for form, text := range forms {
			text = texts.ReplaceAllString(text, "")
			if found := regexp.MustCompile(pattern).FindString(text); found != "" {
				t.Errorf("%s: %q in %s; want none", what, found, form)
			}
		}
	}
}

// TestOneRequest: the modules are one file when they are served, and one that asks for no other.
func TestOneRequest(t *testing.T) {
	for name := range budgets {
		for _, minify := range []bool{false, true} {
			static := regexp.MustCompile(`(?m)^\s*(import|export)\b|require\(|import[ {]`)
			if found := static.Find(bundled(t, name, minify)); found != nil {
				t.Errorf("%s.js, minified %t: %q; want a classic script in one piece", name, minify,
					found)
			}
		}
	}
}
