package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/tools/compile"
	"coinslot/tools/progress"
)

// TestSourceFolders: what the program is compiled from lies in sourceFolders. Otherwise a change
// would leave an old program, and everything would say that it is up to date.
func TestSourceFolders(t *testing.T) {
	const own = "{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}"
	for _, part := range new(build).parts() {
		cmd := exec.Command("go", "list", "-deps", "-f", own, part.pkg)
		cmd.Dir, cmd.Env = filepath.Join("..", ".."), compile.Env(part.system, part.arch)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list %s: %v", part.pkg, err)
		}
		for name := range strings.FieldsSeq(string(out)) {
			if !inSourceFolders(strings.TrimPrefix(name, "coinslot/") + "/") {
				t.Errorf("%s is compiled for %s, and is in no folder of sourceFolders", name, part.pkg)
			}
		}
	}
}

func inSourceFolders(folder string) bool {
	for _, source := range sourceFolders {
		if strings.HasPrefix(folder, source+"/") {
			return true
		}
	}
	return false
}

// module is a folder that looks like this module.
func module(t *testing.T) *build {
	t.Helper()
	b := &build{root: t.TempDir(), out: "bin/coinslot", progress: progress.New(&bytes.Buffer{})}
	for _, folder := range append([]string{"bin", ".cache", "static/dist", "go-app/pkg"}, sourceFolders...) {
		fortest.OK(t, os.MkdirAll(filepath.Join(b.root, folder), 0o755))
	}
	for _, name := range []string{"go.mod", "go.sum", "app/main.go", "bin/coinslot", "static/dist/manifest.json"} {
		b.write(t, name, name)
	}
	return b
}

func (b *build) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(b.root, name)
	fortest.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	fortest.OK(t, os.WriteFile(path, []byte(text), 0o644))
}

func (b *build) hash(t *testing.T) string {
	t.Helper()
	return fortest.Must(b.inputs(b.path("go-app")))(t)
}

// TestUpToDate: a program counts as up to date only while nothing that it is made of has changed,
// and while it is the one that was built.
func TestUpToDate(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, b *build){
		"a source":                 func(t *testing.T, b *build) { b.write(t, "app/main.go", "other") },
		"a new source":             func(t *testing.T, b *build) { b.write(t, "static/new.css", "") },
		"go-app":                   func(t *testing.T, b *build) { b.write(t, "go-app/pkg/engine.go", "other") },
		"the versions of modules":  func(t *testing.T, b *build) { b.write(t, "go.sum", "other") },
		"the program":              func(t *testing.T, b *build) { b.write(t, "bin/coinslot", "an older one") },
		"the browser's files":      func(t *testing.T, b *build) { b.write(t, "static/dist/manifest.json", "{}") },
		"the version":              func(_ *testing.T, b *build) { b.version.Name = "v1.2.3" },
		"the platform":             func(_ *testing.T, b *build) { b.system = "plan9" },
		"asked for: no fast build": func(_ *testing.T, b *build) { b.fast = false },
	} {
		t.Run(name, func(t *testing.T) {
			b := module(t)
			b.fast = true
			fortest.OK(t, b.writeRecord(b.hash(t)))
			if !b.upToDate(b.hash(t)) {
				t.Fatal("not up to date right after it was built")
			}
			change(t, b)
			if b.upToDate(b.hash(t)) {
				t.Error("still up to date")
			}
		})
	}
}

// TestBetterCompressionIsUpToDate: what was compressed as far as it goes serves for a fast build
// too, and tests are not part of the program.
func TestBetterCompressionIsUpToDate(t *testing.T) {
	b := module(t)
	fortest.OK(t, b.writeRecord(b.hash(t)))
	b.fast = true
	b.write(t, "app/main_test.go", "package main")
	if !b.upToDate(b.hash(t)) {
		t.Error("not up to date")
	}
}

// A library is compiled while the browser's files, which others embed, are written. An error of the
// compiler is part of the build's.
func TestLibraries(t *testing.T) {
	b := &build{root: t.TempDir()}
	for path, text := range map[string]string{
		"go.mod": "module coinslot\n", "static/static.go": "package static\n\nimport _ \"embed\"\n\n" +
			"//go:embed page.html\nvar Page string\n",
		"page/page.go": "package page\n\nimport _ \"coinslot/static\"\n", "good/good.go": "package good\n",
		"bff/main.go": "package main\n\nimport (\n\t_ \"coinslot/good\"\n\t_ \"coinslot/page\"\n)\n\n" +
			"func main() {}\n",
	} {
		b.write(t, path, text)
	}
	done, err := b.compileLibraries(func(string) {})
	fortest.OK(t, err)
	fortest.Has(t, "what is compiled", done, " packages compiled")
	b.write(t, "good/good.go", "package good\n\nvar x = y\n")
	_, err = b.compileLibraries(func(string) {})
	fortest.Has(t, "the error", fmt.Sprint(err), "undefined: y")
}
