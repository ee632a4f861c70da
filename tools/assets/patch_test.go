package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/tools/compile"
)

// goApp is the module that go.mod requires.
func goApp(t *testing.T) compile.Module {
	t.Helper()
	return fortest.Must(compile.FindModule("../..", compile.GoApp))(t)
}

// TestPatchesStopAtOtherSources: the build stops at one changed byte, a file too many and one too
// few, whether a patch changes it or not, and says where it is and what to do.
func TestPatchesStopAtOtherSources(t *testing.T) {
	module := goApp(t)
	folder := t.TempDir()
	fortest.OK(t, os.CopyFS(folder, os.DirFS(module.Dir)))
	fortest.OK(t, exec.Command("chmod", "-R", "u+w", folder).Run())
	module.Dir = folder
	if _, err := patchedGoApp(module); err != nil {
		t.Fatalf("an exact copy: %v", err)
	}
	for name, test := range map[string]struct {
		change func(file string) error
		named  string // in the error
	}{
		"pkg/app/engine.go":        {flip, "pkg/app/engine.go"},
		"pkg/errors/errors.go":     {os.Remove, "pkg/errors/errors.go"},
		"pkg/app/html.go":          {flip, folder},
		"pkg/app/condition.go":     {os.Remove, folder},
		"pkg/app/new.go":           {create, folder},
		"go.mod":                   {flip, folder},
		"pkg/app/batch_wasm.go":    {create, "pkg/app/batch_wasm.go"},
		"pkg/analytics/other.html": {create, folder},
	} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		before, missing := os.ReadFile(file)
		fortest.OK(t, test.change(file))
		_, err := patchedGoApp(module)
		if err == nil || !strings.Contains(err.Error(), test.named) ||
			!strings.Contains(err.Error(), "go clean -modcache") ||
			!strings.Contains(err.Error(), "docs/patches.md") {
			t.Errorf("%s has changed: error %v; want one that names it and what to do", name, err)
		}
		restore := os.WriteFile(file, before, 0o644)
		if missing != nil {
			restore = os.Remove(file)
		}
		fortest.OK(t, restore)
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

func create(path string) error { return os.WriteFile(path, []byte("package app\n"), 0o644) }

// TestNoPatches: an upgrade of go-app stops the build until the patches are renewed.
func TestNoPatches(t *testing.T) {
	module := goApp(t)
	module.Version = "v10.999.0"
	_, err := patchedGoApp(module)
	if err == nil || !strings.Contains(err.Error(), "go-app-v10.999.0") ||
		!strings.Contains(err.Error(), "docs/patches.md") {
		t.Errorf("another version: error %v; want one that names the folder and the page", err)
	}
}

const (
	oldHash = "1269488f7fb1f4b56a8c0e5eb48cecbfadfa9219" // of "data\n"
	newHash = "0d5cfefd41a7c89b1b2e8f3ad9c8e6f1c6a5f001"
)

// onePatch is a patch of a.go that turns a line into another.
func onePatch(before, after, from, to string) []byte {
	return []byte("Why: a test\n\ndiff --git a/a.go b/a.go\nindex " + before + ".." + after + " 100644\n" +
		"--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-" + from + "\n+" + to + "\n")
}

// TestApply: a patch changes a file only if the file is the expected one before and after.
func TestApply(t *testing.T) {
	right := blobHash([]byte("code\n"))
	whole := onePatch(oldHash, right, "data", "code")
	added := []byte("diff --git a/a.go b/a.go\nnew file mode 100644\nindex " +
		strings.Repeat("0", 40) + ".." + right + "\n--- /dev/null\n+++ b/a.go\n@@ -0,0 +1 @@\n+code\n")
	for name, test := range map[string]struct {
		patch []byte
		want  string // in the error; empty = none
	}{
		"right":                {whole, ""},
		"no patch":             {[]byte("hello\n"), "no changes in it"},
		"broken":               {whole[:len(whole)-8], "reading the patch"},
		"another file":         {onePatch(right, right, "data", "code"), "the patch is for a file with " + right},
		"short hash":           {onePatch(oldHash[:7], right, "data", "code"), "the patch is for a file with"},
		"a file that is there": {added, "but it exists"},
		"another line":         {onePatch(oldHash, right, "datum", "code"), "does not apply"},
		"edited":               {onePatch(oldHash, right, "data", "kode"), "the patch says " + right},
		"edited, without hash": {onePatch(oldHash, newHash[:7], "data", "code"), "the patch says"},
	} {
		files := source{"a.go": []byte("data\n")}
		err := files.apply(test.patch, "module")
		if test.want == "" {
			if err != nil || string(files["a.go"]) != "code\n" {
				t.Errorf("%s: %q, error %v", name, files["a.go"], err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v; want one that has %q", name, err, test.want)
		}
	}
}
