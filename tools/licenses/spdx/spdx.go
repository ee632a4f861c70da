// Package spdx finds the license files of a Go module and names the licenses by their SPDX
// identifiers, like MIT (spdx.org/licenses).
package spdx

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// Files lists the license and notice files in folder, those of the whole (LICENSE.txt) before those
// of parts (LICENSE-SQLITE).
//
// Errors: folder cannot be read.
func Files(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() && isLicense(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return strings.Count(a, "-") - strings.Count(b, "-")
	})
	return names, nil
}

func isLicense(name string) bool {
	name = strings.ToUpper(name)
	if filepath.Ext(name) == ".GO" { // source code, like notice_response.go
		return false
	}
	prefixes := []string{"LICENSE", "LICENCE", "UNLICENSE", "COPYING", "NOTICE"}
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Module returns the SPDX identifier of the license of the module in folder, as Identify does.
//
// Errors: there is no license file, or it cannot be read.
func Module(folder string) (string, error) {
	names, err := Files(folder)
	if err != nil {
		return "", err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return strings.HasPrefix(strings.ToUpper(name), "NOTICE")
	})
	if len(names) == 0 {
		return "", fmt.Errorf("%s: no license file", folder)
	}
	text, err := os.ReadFile(filepath.Join(folder, names[0]))
	return Identify(text), err
}

// leastCovered is how much of a file the license's words have to be, in percent. The rest is who
// holds the copyright, and the texts of parts.
const leastCovered = 75

// Identify returns the SPDX identifier of the first license in text; empty = unknown.
func Identify(text []byte) string {
	coverage := licensecheck.Scan(text)
	if coverage.Percent < leastCovered {
		return ""
	}
	return coverage.Match[0].ID
}
