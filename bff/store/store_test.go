package store

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store/storetest"
)

// opened is a database at path that is closed when t ends. Nothing runs in it any
// more that begins with the start.
func opened(t testing.TB, path string, endpoints ...string) *DB {
	t.Helper()
	db := fortest.Must(Open(t.Context(), Config{DSN: path, Endpoints: endpoints}))(t)
	t.Cleanup(func() { fortest.OK(t, db.Close()) })
	<-db.backfilled
	<-db.rerouted
	return db
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); !met(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// count runs a query for one number.
func count(t *testing.T, db *sql.DB, query string) int {
	t.Helper()
	var n int
	fortest.OK(t, db.QueryRowContext(t.Context(), query).Scan(&n))
	return n
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T, endpoints []string) storetest.Backend {
		return opened(t, storetest.Migrated(t, created), endpoints...)
	})
}

// created makes the tables of a database that is empty.
func created(dsn string) error {
	db, err := Open(context.Background(), Config{DSN: dsn})
	if err != nil {
		return err
	}
	<-db.backfilled
	<-db.rerouted
	return db.Close()
}
