// Package originals checks that the sources which the browser program's patches change are
// exactly those that the patches were made for. With others, a patch could silently not apply.
package originals

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"coinslot/tools/compile"
)

const (
	// GoApp is the module that is patched, by tools/assets/slim.
	GoApp = "github.com/maxence-charriere/go-app/v10"
	// Godebug is the one file of the standard library that is replaced, by its path in GOROOT.
	Godebug = "src/internal/godebug/godebug.go"
)

// list has the files and their SHA-256, as sha256sum prints them: go-app's by their path in the
// module, and Godebug.
//
//go:embed originals.sum
var list []byte

// Check compares go-app and the standard library with the list, for the module in root. It reads
// all Go files of go-app, because any may come to use what is left out. It downloads go-app if it
// is missing.
//
// Errors: each file that differs, is missing or is new, and what to do; go-app cannot be
// downloaded.
func Check(root string) error {
	module, err := ModuleFolder(root, GoApp)
	if err != nil {
		return err
	}
	goroot, err := GOROOT()
	if err != nil {
		return err
	}
	found, err := sums(module, goroot)
	if err != nil {
		return err
	}
	return compare(found, list, module, goroot)
}

// ModuleFolder downloads a module that root's go.mod requires if it is missing, and returns where
// its sources are. Errors: it cannot be downloaded, or does not have the hash that go.sum has.
func ModuleFolder(root, path string) (string, error) {
	command := exec.Command("go", "mod", "download", "-json", path)
	command.Dir, command.Env = root, compile.Env("", "")
	text, err := command.Output()
	var module struct{ Dir, Error string }
	if decoding := json.Unmarshal(text, &module); decoding == nil && module.Error != "" {
		return "", fmt.Errorf("downloading %s: %s", path, module.Error)
	}
	if err != nil {
		return "", fmt.Errorf("downloading %s: %w", path, err)
	}
	if module.Dir == "" {
		return "", fmt.Errorf("downloading %s: the Go command does not say where it is", path)
	}
	return module.Dir, nil
}

// GOROOT returns where the toolchain is that compiles the program.
func GOROOT() (string, error) {
	text, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("finding the Go toolchain: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// sums returns what the list should be for a copy of go-app and a GOROOT.
func sums(module, goroot string) ([]byte, error) {
	files := []string{filepath.Join(module, "go.mod")}
	collect := func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	}
	if err := filepath.WalkDir(filepath.Join(module, "pkg"), collect); err != nil {
		return nil, fmt.Errorf("listing the files of go-app: %w", err)
	}
	var text bytes.Buffer
	for _, file := range append(files, filepath.Join(goroot, filepath.FromSlash(Godebug))) {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading a file that is patched: %w", err)
		}
		name, err := filepath.Rel(module, file)
		if err != nil || strings.HasPrefix(name, "..") {
			name = Godebug
		}
		sum := sha256.Sum256(content)
		fmt.Fprintf(&text, "%s  %s\n", hex.EncodeToString(sum[:]), filepath.ToSlash(name))
	}
	return text.Bytes(), nil
}

// compare returns an error that has each difference between two lists.
func compare(found, expected []byte, module, goroot string) error {
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
		if name == Godebug {
			file = filepath.Join(goroot, filepath.FromSlash(name))
		}
		errs = append(errs,
			fmt.Errorf("%s: SHA-256 is %s, but tools/assets/slim patches a file with %s",
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
    go test ./tools/originals -update`, errors.Join(errs...))
}

// shown is a hash for people; a file that is in one list only has none.
func shown(sum string) string {
	if sum == "" {
		return "none (there is no such file)"
	}
	return sum
}

// sumsByName reads lines of "hash  name".
func sumsByName(text []byte) map[string]string {
	byName := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if sum, name, found := strings.Cut(strings.TrimSpace(line), "  "); found {
			byName[name] = sum
		}
	}
	return byName
}
