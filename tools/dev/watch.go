package main

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// watched are the sources of the demo and the gallery. They are polled, because the systems'
// notifications differ and lose changes.
var watched = []string{
	"app", "bff", "docs", "e2e/gallery", "static", "tools/assets", "tools/bundle", "go.mod",
	"go.sum",
}

// file is what changes when a file is written.
type file struct {
	changed time.Time
	size    int64
}

// snapshot returns the watched files by name. It skips unreadable files, which an editor may be
// replacing.
func snapshot(root string) map[string]file {
	files := map[string]file{}
	for _, name := range watched {
		visit := func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			name, err := filepath.Rel(root, path)
			name = filepath.ToSlash(name)
			switch {
			case err != nil:
				return nil
			case entry.IsDir() && (entry.Name() == "testdata" || name == "static/dist"):
				return filepath.SkipDir
			case entry.IsDir() || ignored(name):
				return nil
			}
			if info, err := entry.Info(); err == nil {
				files[name] = file{info.ModTime(), info.Size()}
			}
			return nil
		}
		_ = filepath.WalkDir(filepath.Join(root, name), visit) // returns no errors
	}
	return files
}

// ignored reports whether a file is a test, documentation, or an editor's temporary file.
func ignored(name string) bool {
	base := filepath.Base(name)
	return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "#") ||
		strings.HasSuffix(base, "~") || strings.HasSuffix(base, ".md") ||
		strings.HasSuffix(base, ".png") || strings.HasSuffix(base, "_test.go")
}

// differences returns the sorted names of new, changed and deleted files.
func differences(before, now map[string]file) []string {
	changed := map[string]bool{}
	for name, f := range now {
		if before[name] != f {
			changed[name] = true
		}
	}
	for name := range before {
		if _, there := now[name]; !there {
			changed[name] = true
		}
	}
	return slices.Sorted(maps.Keys(changed))
}
