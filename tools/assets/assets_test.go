package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

var update = flag.Bool("update", false, "write slim/originals.sum anew, after the patches were checked")

// TestOriginals fails when go-app or Go was upgraded: then each patch has to be checked.
func TestOriginals(t *testing.T) {
	b := &build{root: "../.."}
	if *update {
		module, root := folders(t, b)
		list, err := originals(module, root)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(originalsFile, list, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.checkOriginals(); err != nil && !*update { // what is embedded is the list before
		t.Error(err)
	}
}

// folders are go-app's and Go's.
func folders(t *testing.T, b *build) (module, root string) {
	t.Helper()
	module, err := b.moduleFolder(goApp)
	if err != nil {
		t.Fatal(err)
	}
	if root, err = goroot(); err != nil {
		t.Fatal(err)
	}
	return module, root
}

// TestChangedOriginals: the build stops at one changed byte, a file too many and one too few,
// with the file's name and what to do. Before, it silently built a program twice as large.
func TestChangedOriginals(t *testing.T) {
	module, root := folders(t, &build{root: "../.."})
	expected, err := os.ReadFile(originalsFile)
	if err != nil {
		t.Fatal(err)
	}
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
		found, err := originals(folder, root)
		if err != nil {
			t.Fatal(err)
		}
		err = compareOriginals(found, expected, folder, root)
		if err == nil || !strings.Contains(err.Error(), filepath.Join(folder, name)) || !strings.Contains(err.Error(), "go clean -modcache") {
			t.Errorf("%s has changed: error %v; want one that names it and says what to do", name, err)
		}
		if n := strings.Count(err.Error(), "its SHA-256"); n != 1 {
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

// TestEditsMustApply: an edit whose text go-app no longer has is an error.
func TestEditsMustApply(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.go"), []byte("package app\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := editImports(folder); err == nil || !strings.Contains(err.Error(), "slimEdits") {
		t.Errorf("error %v; want one that names slimEdits", err)
	}
}

// TestFrameFirst holds the order that a page depends on: the storage shim runs
// before anything else, and Go's loader, which is imported, after it.
func TestFrameFirst(t *testing.T) {
	b := &build{root: "../..", out: t.TempDir(), quality: 1, manifest: manifest{Files: map[string]entry{}}}
	if err := b.scripts(); err != nil {
		t.Fatal(err)
	}
	frame, loader := b.built(t, "frame.js"), b.built(t, loaderName)
	shim, boot := strings.Index(frame, "localStorage"), strings.Index(frame, "import(")
	if shim < 0 || shim > 80 || boot < shim || strings.Contains(frame, "importObject=") {
		t.Errorf("the shim is at %d, the import of Go's loader at %d, or the loader is in the file", shim, boot)
	}
	if !strings.Contains(loader, "importObject=") || !strings.Contains(loader, "globalThis.Go=") {
		t.Error("Go's loader is another one: frame.js needs it to define Go")
	}
	for _, evil := range []string{"eval(", "new Function", "innerHTML", "document.write"} {
		if strings.Contains(frame+loader, evil) {
			t.Errorf("the page's scripts contain %s, which the page's policy blocks", evil)
		}
	}
}

// built returns what was written for a name.
func (b *build) built(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(b.out, b.manifest.Files[name].File))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestMinifyReportsErrors(t *testing.T) {
	if _, err := new(build).minify("let = ;", "broken.js", api.LoaderJS); err == nil || !strings.Contains(err.Error(), "broken.js") {
		t.Errorf("error %v; want one that names the file", err)
	}
}

func TestHashed(t *testing.T) {
	if got, want := hashed("checkout.d.ts", nil), "checkout.e3b0c44298fc.d.ts"; got != want {
		t.Errorf("hashed = %s; want %s", got, want)
	}
}

// TestFinishRemovesOldFiles: files of earlier builds once stayed and were
// embedded for ever.
func TestFinishRemovesOldFiles(t *testing.T) {
	b := &build{out: t.TempDir(), quality: 1, manifest: manifest{Files: map[string]entry{}}}
	for _, name := range []string{"old.000000000000.js", ".gitkeep"} {
		if err := b.write(name, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.add("a.js", []byte("1"), true); err != nil {
		t.Fatal(err)
	}
	if err := b.finish(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(b.out)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 5 { // .gitkeep, manifest.json, a.….js, .br, .gz
		t.Errorf("%d files are left: %v", len(files), files)
	}
}
