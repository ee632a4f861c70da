//go:build linux

package torture

import (
	"os"
	"path/filepath"
	"testing"

	"coinslot/bff/fortest"
)

// database is where the process under test keeps what it knows.
type database interface {
	dsn() string // for COINSLOT_DATABASE
	// scan shows everything that is stored to look. No process may run.
	scan(t testing.TB, search func(place string, text []byte))
}

// sqlite is a file in a directory of its own.
type sqlite struct{ dir string }

func newSQLite(t testing.TB) database { return sqlite{t.TempDir()} }

func (s sqlite) dsn() string { return filepath.Join(s.dir, "torture.db") }

// scan reads the file, its log and whatever else lies beside them.
func (s sqlite) scan(t testing.TB, search func(place string, text []byte)) {
	t.Helper()
	list := fortest.Must(os.ReadDir(s.dir))(t)
	for _, entry := range list {
		text := fortest.Must(os.ReadFile(filepath.Join(s.dir, entry.Name())))(t)
		search("the file "+entry.Name(), text)
	}
}
