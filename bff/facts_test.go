package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// TestFactsAreStatedFirst: who decides about Coinslot, or starts with it, reads before the first
// command what it needs and costs, and what is not there yet.
func TestFactsAreStatedFirst(t *testing.T) {
	module := fortest.Must(os.ReadFile("../go.mod"))(t)
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)
	if version == nil {
		t.Fatal("go.mod names no version of Go")
	}
	for _, page := range []string{"README.md", "docs/quickstart.md"} {
		text := string(fortest.Must(os.ReadFile("../" + page))(t))
		before, _, _ := strings.Cut(text, "```sh")
		fortest.Has(t, page+" begins without a fact", text[:min(len(text), len(before)+1200)],
			"(https://go.dev/dl/) "+string(version[1])+" or newer")
		fortest.Has(t, page+" begins without a fact", before,
			"gateway.md", "until it pays", "takes a share of each payment", "#license",
			"npm packages are not published")
	}
}
