package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store/sqldb"
)

// template is a SQLite database as the first caller of [Migrated] has made it.
var template struct {
	sync.Mutex
	content []byte // nil = not made
}

// Migrated returns the path of a new SQLite database that has all its tables: a copy, which costs a
// tenth of a first start. What a test proves of the first start itself, it proves at a path where
// nothing is.
func Migrated(t testing.TB) (path string) {
	t.Helper()
	template.Lock()
	defer template.Unlock()
	if template.content == nil {
		first := filepath.Join(t.TempDir(), "template.db")
		fortest.OK(t, fortest.Must(sqldb.Open(t.Context(), sqldb.Config{DSN: first}))(t).Close())
		content, err := os.ReadFile(first)
		if _, open := os.Stat(first + "-wal"); err != nil || open == nil {
			t.Fatalf("making a database for tests: it is not closed, or %v", err)
		}
		template.content = content
	}
	path = filepath.Join(t.TempDir(), "coinslot.db")
	fortest.OK(t, os.WriteFile(path, template.content, 0o600))
	return path
}

// NextDue returns when the next session is due, claimed or not, and whether one is.
func NextDue(t testing.TB, db *sqldb.DB) (at time.Time, found bool) {
	t.Helper()
	var due int64
	err := db.View(context.Background(), func(ctx context.Context, q sqldb.Queryer) error {
		const query = `SELECT COALESCE(min(due_at), 0) FROM sessions WHERE unreadable_at IS NULL`
		return q.QueryRowContext(ctx, query).Scan(&due)
	})
	fortest.OK(t, err)
	return time.UnixMicro(due).UTC(), due != 0
}
