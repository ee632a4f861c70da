package sqldb

import (
	"database/sql"
	"testing"

	"coinslot/bff/fortest"
)

// opened is a database that is closed when t ends.
func opened(t *testing.T, dsn string) *DB {
	t.Helper()
	db := fortest.Must(Open(t.Context(), Config{DSN: dsn}))(t)
	t.Cleanup(func() { fortest.OK(t, db.Close()) })
	return db
}

func run(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	fortest.Must(db.ExecContext(t.Context(), query))(t)
}
