package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"coinslot/bff/fortest"
)

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
