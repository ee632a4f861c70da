package sqldb

import (
	"database/sql"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// opened is a database that is closed when t ends.
func opened(t *testing.T, dsn string) *DB {
	t.Helper()
	db := fortest.Must(Open(t.Context(), Config{DSN: dsn}))(t)
	t.Cleanup(func() { fortest.OK(t, db.Close()) })
	return db
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !met(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

func run(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	fortest.Must(db.ExecContext(t.Context(), query))(t)
}
