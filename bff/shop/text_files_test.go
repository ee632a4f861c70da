package shop

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"coinslot/app/widget"
	"coinslot/bff/fortest"
)

// TestTextFiles reads the file of each language in each coding.
func TestTextFiles(t *testing.T) {
	site, d := builtPages(t, builtFiles(t))
	h := site.Handler(nil)
	w, err := allWords()
	fortest.OK(t, err)
	seen := map[string]bool{}
	for _, tag := range w.tags {
		url := d.texts.URL(tag)
		if seen[url] || !strings.HasPrefix(url, "/assets/text-"+tag+".") {
			t.Errorf("%s: %s", tag, url)
		}
		seen[url] = true
	}
	for i, tag := range w.tags { // after all have been made
		url, coding := d.texts.URL(tag), []string{"br", "gzip", ""}[i%3]
		answer := ask(h, "GET", url, "Accept-Encoding", coding)
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK ||
			answer.Header.Get("Content-Encoding") != coding ||
			answer.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			answer.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%s in %q: %d, %v, %v", url, coding, answer.StatusCode, answer.Header, err)
		}
		var got widget.Page
		fortest.OK(t, json.Unmarshal(unpack(t, coding, body), &got))
		if len(got.Text) != len(w.texts[tag]()) || got.Text["lang.name"] != w.names[tag] ||
			len(got.Languages) != len(w.tags) {
			t.Errorf("%s: %d sentences and %d languages", tag, len(got.Text), len(got.Languages))
		}
	}
}

func TestNoTextFiles(t *testing.T) {
	site, d := builtPages(t, builtFiles(t))
	h := site.Handler(nil)
	known := d.texts.URL("en")
	for _, url := range []string{
		"/assets/text-xx.000000000000.json", "/assets/text-en.000000000000.json",
		"/assets/text-en.json", "/assets/text-.json",
		strings.Replace(known, "text-en", "text-de", 1), strings.Replace(known, "text-", "", 1),
		known + "x",
	} {
		fortest.Equal(t, ask(h, "GET", url+"?tried=4").StatusCode, http.StatusNotFound, "%s", url)
	}
	fortest.Equal(t, d.texts.URL("xx"), "", "a language that is not there has")
}
