package store

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/store/storetest"
)

// opened is a database at path that is closed when t ends. Nothing runs in it any
// more that begins with the start.
func opened(t testing.TB, path string, endpoints ...string) *DB {
	t.Helper()
	return openedAs(t, Config{DSN: path, Endpoints: endpoints})
}

func openedAs(t testing.TB, c Config) *DB {
	t.Helper()
	db := fortest.Must(Open(t.Context(), c))(t)
	t.Cleanup(func() { fortest.OK(t, db.Close()) })
	<-db.rerouted
	return db
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
		return opened(t, migrated(t), endpoints...)
	})
}

// created makes the tables of a database that is empty.
func created(dsn string) error {
	db, err := Open(context.Background(), Config{DSN: dsn})
	if err != nil {
		return err
	}
	return db.Close()
}

// migrated returns the path of a new SQLite database that has its tables.
func migrated(t testing.TB) string { return storetest.Migrated(t, created) }

// The write of a caller that goes away is either written and reported, or not written: a session
// that was claimed and that no caller knows of would wait for its lease.
func TestCallerGoesAway(t *testing.T) {
	for kind, dsn := range databases(t) {
		t.Run(kind, func(t *testing.T) {
			db := opened(t, dsn)
			s := fortest.Must(db.Insert(t.Context(), sample(1)))(t)
			leave := func(fail error) error {
				ctx, cancel := context.WithCancel(t.Context())
				return db.Write(ctx, func(tx *sql.Tx) error {
					_, err := tx.ExecContext(ctx, releaseSession, s.ID, 0, microsOf(s.DueAt),
						microsOf(s.DueAt))
					cancel()
					return errors.Join(err, fail)
				})
			}
			fortest.OK(t, leave(nil))
			fortest.Is(t, leave(payment.ErrUnchanged), payment.ErrUnchanged, "a write that failed")
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := db.Claim(gone, time.Now(), time.Minute, 9,
				false); !errors.Is(err, context.Canceled) {
				t.Errorf("a claim of a canceled caller = %v; want %v", err, context.Canceled)
			}
		})
	}
}
