package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"

	"github.com/evanw/esbuild/pkg/api"
)

// TestStorageShimComesFirst holds the order that a page depends on: the storage shim runs
// before anything else, and Go's loader, which is imported, after it.
func TestStorageShimComesFirst(t *testing.T) {
	b := &build{root: "../..", out: t.TempDir(), quality: 1, manifest: manifest{Files: map[string]entry{}}}
	fortest.OK(t, b.scripts())
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
	content := fortest.Must(os.ReadFile(filepath.Join(b.out, b.manifest.Files[name].File)))(t)
	return string(content)
}

func TestMinifyReportsErrors(t *testing.T) {
	if _, err := new(build).minify("let = ;", "broken.js", api.LoaderJS); err == nil || !strings.Contains(err.Error(), "broken.js") {
		t.Errorf("error %v; want one that names the file", err)
	}
}

func TestHashedName(t *testing.T) {
	if got, want := hashedName("checkout.d.ts", nil), "checkout.e3b0c44298fc.d.ts"; got != want {
		t.Errorf("hashed = %s; want %s", got, want)
	}
}

// TestFinishRemovesOldFiles: files of earlier builds once stayed and were embedded forever.
func TestFinishRemovesOldFiles(t *testing.T) {
	b := &build{out: t.TempDir(), quality: 1, manifest: manifest{Files: map[string]entry{}}}
	for _, name := range []string{"old.000000000000.js", ".gitkeep"} {
		fortest.OK(t, b.write(name, nil))
	}
	fortest.OK(t, b.add("a.js", []byte("1"), true))
	fortest.OK(t, b.finish())
	files := fortest.Must(os.ReadDir(b.out))(t)
	if len(files) != 5 { // .gitkeep, manifest.json, a.….js, .br, .gz
		t.Errorf("%d files are left: %v", len(files), files)
	}
}
