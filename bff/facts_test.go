package main

import (
	"fmt"
	"os"
	"path/filepath"
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

// TestLanguagesAreCounted: README.md says how many languages the checkout has.
func TestLanguagesAreCounted(t *testing.T) {
	readme := fortest.Must(os.ReadFile("../README.md"))(t)
	files := fortest.Must(filepath.Glob("../static/text/*.json"))(t)
	fortest.Has(t, "README.md counts other languages than static/text has", string(readme),
		fmt.Sprintf("speaks %d languages", len(files)))
}

// TestLicenseIsStated: as long as the owner has chosen no license, README.md says that there is
// none. Once there is a LICENSE file, README.md, docs/deploy.md and tools/release/sbom.go have to
// change with it.
func TestLicenseIsStated(t *testing.T) {
	readme := fortest.Must(os.ReadFile("../README.md"))(t)
	files := fortest.Must(filepath.Glob("../LICENSE*"))(t)
	none := regexp.MustCompile(`(?m)^## License\n\n.*has not chosen a license yet`).Match(readme)
	if none != (len(files) == 0) {
		t.Errorf("README.md says that there is no license: %t; license files: %v", none, files)
	}
}
