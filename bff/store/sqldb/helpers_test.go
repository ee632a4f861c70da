package sqldb

import (
	"database/sql"
	"testing"

	"coinslot/bff/fortest"
)

// opened is a database that is closed when t ends.
func opened(t *testing.T, dsn string) *DB { return openedAs(t, Config{DSN: dsn}) }

func openedAs(t *testing.T, c Config) *DB {
	t.Helper()
	db := fortest.Must(Open(t.Context(), c))(t)
	t.Cleanup(func() { fortest.OK(t, db.Close()) })
	return db
}

func run(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	fortest.Must(db.ExecContext(t.Context(), query))(t)
}
