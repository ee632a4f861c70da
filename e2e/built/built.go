// Package built gives tests what they drive or measure: bin/coinslot and the browser's files,
// built from the sources as they are now, whatever was there before.
package built

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Program returns the path of bin/coinslot, which it builds first unless it is up to date. It ends
// t if that fails. A TestMain calls [Build] before, so that no test is charged with the time.
func Program(t testing.TB) (path string) {
	t.Helper()
	TrackSources(t)
	root, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "bin", "coinslot")
}

// Build builds bin/coinslot unless it is up to date, at most once in a process. It waits while
// another process builds, and prints nothing unless it takes more than a few seconds.
//
// Errors: this is no folder of the module; the build failed, with what it printed.
func Build() error {
	_, err := program()
	return err
}

var program = sync.OnceValues(func() (root string, err error) { return build() })

// Assets returns the path of static/dist, with the files in it that are not up to date built. It
// ends t if that fails.
func Assets(t testing.TB) (path string) {
	t.Helper()
	TrackSources(t)
	root, err := build("-assets")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "static", "dist")
}

// build runs tools/build as make build does, so that both share a build cache, and returns the
// folder of the module.
func build(flags ...string) (root string, err error) {
	if root, err = moduleRoot(); err != nil {
		return "", err
	}
	cmd := exec.Command("go", append([]string{"run", "-trimpath", "./tools/build"}, flags...)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0")
	slow := time.AfterFunc(3*time.Second, func() {
		fmt.Fprintln(os.Stderr, "building what the tests drive: the sources have changed")
	})
	defer slow.Stop()
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building what the tests drive: %w\n%s", err, bytes.TrimSpace(out))
	}
	return root, nil
}

// moduleRoot is the folder of go.mod, from that of the package under test upwards.
func moduleRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for folder := start; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", errors.New("no go.mod in " + start + " or above it")
		}
	}
}

// TrackSources makes go test run the tests of the calling package again after any change of the
// module. The go command keeps the result of a package's tests until a folder or file that they
// opened has changed, and knows nothing of a program that they run: it would answer
// "ok (cached)" and run neither TestMain nor t. So this reads all folders of the sources. It
// needs a running test, because what TestMain opens before is not noticed.
func TrackSources(t testing.TB) {
	t.Helper()
	if err := track(); err != nil {
		t.Fatalf("listing the sources: %v", err)
	}
}

var track = sync.OnceValue(func() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	written := []string{"bin", "dist", "static/dist", "e2e/out"} // by builds and tests
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || path == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if strings.HasPrefix(entry.Name(), ".") || slices.Contains(written, name) {
			return filepath.SkipDir
		}
		return err
	})
})
