package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// TestSnapshot: what is built from is seen, and what is built or only tested is not.
func TestSnapshot(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		fortest.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		fortest.OK(t, os.WriteFile(path, []byte(text), 0o644))
		later := time.Now().Add(time.Duration(len(text)) * time.Second)
		fortest.OK(t, os.Chtimes(path, later, later))
	}
	for _, name := range []string{"app/a.go", "static/b.css", "bff/gone.go"} {
		write(name, "1")
	}
	before := snapshot(root)
	write("app/a.go", "22")
	write("static/new.css", "1")
	for _, name := range []string{"static/dist/c.css", "app/a_test.go", "app/testdata/x", "docs/a.md", "bff/.a.go.swp", "other/a.go"} {
		write(name, "1")
	}
	fortest.OK(t, os.Remove(filepath.Join(root, "bff/gone.go")))
	got, want := differences(before, snapshot(root)), []string{"app/a.go", "bff/gone.go", "static/new.css"}
	fortest.Diff(t, got, want, "changed")
}
