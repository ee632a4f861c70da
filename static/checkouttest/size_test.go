// Package checkouttest holds the tests of static/checkout.js: its size, what it must not contain, and, in a real
// Chromium, how it behaves in a host page with a strict Content-Security-Policy.
package checkouttest_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"coinslot/app/wire"

	"github.com/andybalholm/brotli"
	"github.com/evanw/esbuild/pkg/api"
)

// budget is the promise to merchants: bytes of checkout.js on the wire, minified, brotli quality 11.
const budget = 3100

// source returns checkout.js as it is written.
func source(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../checkout.js")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// minified returns checkout.js as merchants get it (tools/assets), before compression.
func minified(t *testing.T) []byte {
	t.Helper()
	result := api.Transform(string(source(t)), api.TransformOptions{
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone,
	})
	for _, problem := range append(result.Errors, result.Warnings...) {
		t.Errorf("minifying checkout.js: %s", problem.Text)
	}
	return bytes.TrimSpace(result.Code)
}

func compressed(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := brotli.NewWriterLevel(&out, brotli.BestCompression)
	if _, err := writer.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestSizeOnTheWire(t *testing.T) {
	text := minified(t)
	got := len(compressed(t, text))
	t.Logf("checkout.js: %d bytes written, %d minified, %d brotli (budget %d)", len(source(t)), len(text), got, budget)
	if got > budget {
		t.Errorf("brotli size = %d; want at most %d", got, budget)
	}
}

// words is the one import there may be: the loader's words, from its own server.
var words = regexp.MustCompile(`import\(\w+ ?\+ ?["']/checkout/embed\.js\?["'] ?\+ ?\w+\)`)

// TestBannedConstructs keeps out what a strict policy refuses, and what would talk to strangers.
func TestBannedConstructs(t *testing.T) {
	banned := map[string]string{
		"HTML from text":         `innerHTML|outerHTML|insertAdjacentHTML|srcdoc|document\.write`,
		"code from text":         `\beval\b|new Function|Function\(|set(Timeout|Interval)\(\s*["'` + "`" + `]`,
		"inline style attribute": `setAttribute\(\s*["'` + "`" + `]style|cssText`,
		"style element":          `createElement\(\s*["'` + "`" + `]style|<style`,
		"second script":          `\w\(\s*["'` + "`" + `]script["'` + "`" + `],|createElement\(\s*["'` + "`" + `]script|import\(`,
		"message to anyone":      `postMessage\([^)]*["'` + "`" + `]\*`,
		"cookies or storage":     `document\.cookie|localStorage|sessionStorage|indexedDB`,
		"network by itself":      `\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon`,
		"unload handlers":        `beforeunload|["'` + "`" + `]unload|onunload`,
	}
	for what, pattern := range banned {
		for form, text := range map[string][]byte{"written": source(t), "minified": minified(t)} {
			text = words.ReplaceAll(text, nil)
			if found := regexp.MustCompile(pattern).Find(text); found != nil {
				t.Errorf("%s: %q in the %s script; want none", what, found, form)
			}
		}
	}
}

// TestStatusesByName: the loader recognizes the statuses of the protocol, and
// nothing else. A status that is added to the protocol has to be added there.
func TestStatusesByName(t *testing.T) {
	found := regexp.MustCompile(`\? \(([a-z|]+)\)\$/\.test\(session`).FindSubmatch(source(t))
	if found == nil {
		t.Fatal("checkout.js has no list of statuses")
	}
	var want []string
	for _, s := range wire.Statuses() {
		want = append(want, string(s))
	}
	if got := string(found[1]); got != strings.Join(want, "|") {
		t.Errorf("checkout.js recognizes %s; want %s", got, strings.Join(want, "|"))
	}
}
