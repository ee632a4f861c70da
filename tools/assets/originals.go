package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// originalsFile lists the files that slim/ was written for with their SHA-256, as
// sha256sum prints them: those of go-app by their path in its module, the one of the
// standard library by its path in GOROOT.
const originalsFile = "slim/originals.sum"

// checkOriginals compares go-app and the standard library with originalsFile. It reads
// all Go files of go-app, because any may come to use more of what is left out.
//
// Errors: one for each file that differs, is missing or is new, and what to do.
func (b *build) checkOriginals() error {
	module, err := b.moduleFolder(goApp)
	if err != nil {
		return err
	}
	root, err := goroot()
	if err != nil {
		return err
	}
	expected, err := slimFiles.ReadFile(originalsFile)
	if err != nil {
		return fmt.Errorf("reading the list of patched files: %w", err)
	}
	found, err := originals(module, root)
	if err != nil {
		return err
	}
	return compareOriginals(found, expected, module, root)
}

// originals returns what originalsFile should hold for a copy of go-app and a GOROOT.
func originals(module, root string) ([]byte, error) {
	files := []string{filepath.Join(module, "go.mod")}
	err := filepath.WalkDir(filepath.Join(module, "pkg"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing the files of go-app: %w", err)
	}
	var list bytes.Buffer
	for _, file := range append(files, filepath.Join(root, filepath.FromSlash(godebug))) {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading a file that is patched: %w", err)
		}
		name, err := filepath.Rel(module, file)
		if err != nil || strings.HasPrefix(name, "..") {
			name = godebug
		}
		sum := sha256.Sum256(content)
		fmt.Fprintf(&list, "%s  %s\n", hex.EncodeToString(sum[:]), filepath.ToSlash(name))
	}
	return list.Bytes(), nil
}

// compareOriginals returns an error for each difference between two lists.
func compareOriginals(found, expected []byte, module, root string) error {
	have, want := sumsByName(found), sumsByName(expected)
	names := make([]string, 0, len(want))
	for name := range want {
		names = append(names, name)
	}
	for name := range have {
		if want[name] == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var errs []error
	for _, name := range names {
		if have[name] == want[name] {
			continue
		}
		file := filepath.Join(module, filepath.FromSlash(name))
		if name == godebug {
			file = filepath.Join(root, filepath.FromSlash(name))
		}
		errs = append(errs, fmt.Errorf("%s: its SHA-256 is %s, and the patches in tools/assets/slim were made for %s",
			file, shown(have[name]), shown(want[name])))
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf(`checking the sources that are patched: %w
What to do:
  - if you have changed none of them, the copy is damaged: go clean -modcache, and build again
  - if Go was upgraded, build with the release that CI uses: GOTOOLCHAIN=go1.26.8 make build
  - if go-app or Go is to be upgraded in this project, check each patch, then renew the list:
    go test ./tools/assets -run TestOriginals -update`, errors.Join(errs...))
}

// shown is a hash for people; a file that is in one list only has none.
func shown(sum string) string {
	if sum == "" {
		return "none (there is no such file)"
	}
	return sum
}

// sumsByName reads lines of "hash  name".
func sumsByName(list []byte) map[string]string {
	sums := map[string]string{}
	for line := range strings.Lines(string(list)) {
		if sum, name, found := strings.Cut(strings.TrimSpace(line), "  "); found {
			sums[name] = sum
		}
	}
	return sums
}
