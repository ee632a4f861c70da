package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

const (
	minTargets = 10     // of the whole repository
	minInputs  = 5      // kept for each target
	maxInputs  = 40     // a corpus is read by people too
	maxBytes   = 16_384 // of one input
)

// TestFuzzCorpora holds that every fuzz target has hostile inputs of its own in testdata/fuzz,
// which every go test runs, and that no inputs are left of a target that is gone.
func TestFuzzCorpora(t *testing.T) {
	targets := fuzzTargets(t)
	if len(targets) < minTargets {
		t.Errorf("%d fuzz targets; want at least %d", len(targets), minTargets)
	}
	for target := range targets {
		folder, name, _ := strings.Cut(target, " ")
		n := countInputs(t, filepath.Join("..", folder, "testdata", "fuzz", name))
		if n < minInputs || n > maxInputs {
			t.Errorf("%s has %d inputs in testdata/fuzz; want %d to %d", target, n, minInputs,
				maxInputs)
		}
	}
	kept := fortest.Must(filepath.Glob("../*/*/testdata/fuzz/*"))(t)
	for _, folder := range kept {
		of := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(filepath.Dir(filepath.Dir(folder))),
			".."+string(filepath.Separator)))
		if target := of + " " + filepath.Base(folder); !targets[target] {
			t.Errorf("inputs of %s are kept, but there is no such target", target)
		}
	}
}

// fuzzTargets finds every target as "folder FuzzName", folders relative to the repository's root.
func fuzzTargets(t *testing.T) map[string]bool {
	t.Helper()
	targets := map[string]bool{}
	fortest.OK(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() &&
			(strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel("..", filepath.Dir(path))
		for _, declared := range file.Decls {
			f, ok := declared.(*ast.FuncDecl)
			if ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
				targets[filepath.ToSlash(folder)+" "+f.Name.Name] = true
			}
		}
		return err
	}))
	return targets
}

// countInputs counts the inputs in a folder; none if it is not there.
func countInputs(t *testing.T, folder string) int {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, f := range files {
		info := fortest.Must(f.Info())(t)
		if info.Size() > maxBytes {
			t.Errorf("%s is %d bytes; at most %d are kept", filepath.Join(folder, f.Name()),
				info.Size(), maxBytes)
		}
	}
	return len(files)
}
