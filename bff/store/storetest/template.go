package storetest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"coinslot/bff/fortest"
)

// template is a SQLite database as the first caller of [Migrated] has made it.
var template struct {
	sync.Mutex
	content []byte // nil = not made
}

// Migrated returns the path of a new SQLite database that has all its tables: a copy of what the
// first caller's create has made, which costs a tenth of a first start. What a test proves of the
// first start itself, it proves at a path where nothing is.
func Migrated(t testing.TB, create func(path string) error) (path string) {
	t.Helper()
	template.Lock()
	defer template.Unlock()
	if template.content == nil {
		first := filepath.Join(t.TempDir(), "template.db")
		fortest.OK(t, create(first))
		content, err := os.ReadFile(first)
		_, open := os.Stat(first + "-wal")
		if err != nil || open == nil {
			t.Fatalf("making a database for tests: it is not closed, or %v", err)
		}
		template.content = content
	}

	path = filepath.Join(t.TempDir(), "coinslot.db")
	fortest.OK(t, os.WriteFile(path, template.content, 0o600))
	return path
}
