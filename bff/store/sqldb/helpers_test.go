package sqldb

import (
	"database/sql"
	"testing"
	"time"
)

// opened is a database that is closed when t ends.
func opened(t *testing.T, dsn string) *DB {
	t.Helper()
	db := must(Open(t.Context(), Config{DSN: dsn}))
	t.Cleanup(func() {
		ok(t, db.Close())
	})
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
	must(db.ExecContext(t.Context(), query))
}

// must returns v, or panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
