package originals

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write originals.sum anew, after the patches were checked")

// TestOriginals fails when go-app or Go was upgraded: then each patch has to be checked.
func TestOriginals(t *testing.T) {
	if *update {
		list, err := sums(folders(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("originals.sum", list, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Check("../.."); err != nil && !*update { // what is embedded is the list before
		t.Error(err)
	}
}

// folders are go-app's and Go's.
func folders(t *testing.T) (module, goroot string) {
	t.Helper()
	module, err := ModuleFolder("../..", GoApp)
	if err != nil {
		t.Fatal(err)
	}
	if goroot, err = GOROOT(); err != nil {
		t.Fatal(err)
	}
	return module, goroot
}

// TestChangedOriginals: the build stops at one changed byte, a file too many and one too few,
// with the file's name and what to do. Before, it silently built a program twice as large.
func TestChangedOriginals(t *testing.T) {
	module, goroot := folders(t)
	for name, change := range map[string]func(folder string) error{
		"pkg/app/engine.go": func(folder string) error { return flip(filepath.Join(folder, "pkg/app/engine.go")) },
		"go.mod":            func(folder string) error { return flip(filepath.Join(folder, "go.mod")) },
		"pkg/app/node.go":   func(folder string) error { return os.Remove(filepath.Join(folder, "pkg/app/node.go")) },
		"pkg/app/new.go": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "pkg/app/new.go"), []byte("package app\n"), 0o644)
		},
	} {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS(module)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(exec.Command("chmod", "-R", "u+w", folder).Run(), change(folder)); err != nil {
			t.Fatal(err)
		}
		found, err := sums(folder, goroot)
		if err != nil {
			t.Fatal(err)
		}
		err = compare(found, list, folder, goroot)
		if err == nil || !strings.Contains(err.Error(), filepath.Join(folder, name)) || !strings.Contains(err.Error(), "go clean -modcache") {
			t.Errorf("%s has changed: error %v; want one that names it and says what to do", name, err)
		}
		if n := strings.Count(err.Error(), "SHA-256 is"); n != 1 {
			t.Errorf("%s has changed: %d files are named; want 1", name, n)
		}
	}
}

// flip changes one byte.
func flip(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	content[len(content)/2] ^= 1
	return os.WriteFile(path, content, 0o644)
}
