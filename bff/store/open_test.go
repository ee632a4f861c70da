package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store/pgtest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestURI(t *testing.T) {
	for path, want := range map[string]string{
		"/var/lib/coinslot/coinslot.db":   "file:///var/lib/coinslot/coinslot.db?mode=ro",
		"/srv/my shop/50%?#.db":           "file:///srv/my%20shop/50%25%3F%23.db?mode=ro",
		"C:/Users/me/AppData/coinslot.db": "file:///C:/Users/me/AppData/coinslot.db?mode=ro",
		"//server/share/coinslot.db":      "file:////server/share/coinslot.db?mode=ro",
	} {
		fortest.Equal(t, uri(path, url.Values{"mode": {"ro"}}), want, "%s", path)
	}
}

func TestSQLStates(t *testing.T) {
	for state, want := range map[string]struct{ passing, unknown bool }{
		"40001": {passing: true},
		"40P01": {passing: true},
		"23505": {},
		"57014": {},
		"55P03": {},
		"53100": {},
		"25006": {},
		"57P01": {unknown: true}, "57P02": {unknown: true}, "08006": {unknown: true},
	} {
		err := error(&pgconn.PgError{Code: state})
		fortest.Equal(t, postgresRetryable(err), want.passing, "passing %s", state)
		fortest.Equal(t, isUnknown(postgresCommitError(err)), want.unknown, "unknown %s", state)
	}
	for _, err := range []error{context.DeadlineExceeded, errors.New("unexpected EOF")} {
		if !isUnknown(postgresCommitError(err)) {
			t.Errorf("%v says what came of a commit", err)
		}
	}
	if isUnknown(postgresCommitError(fmt.Errorf("wrapped: %w", pgx.ErrTxCommitRollback))) {
		t.Error("a rollback is unknown")
	}
}

// The settings that durability and bounded waits rest on, whatever the address,
// the user and the database say.
func TestPostgresSettings(t *testing.T) {
	dsn := pgtest.DSN(t)
	name := dsn[strings.Index(dsn, "test_"):strings.Index(dsn, "?")]
	admin := opened(t, pgtest.DSN(t))
	for _, setting := range []string{
		"synchronous_commit = off", "statement_timeout = 0", "lock_timeout = 0",
		"default_transaction_isolation = 'serializable'",
	} {
		run(t, admin.Writer, "ALTER DATABASE "+name+" SET "+setting)
	}
	db := opened(t,
		dsn+"&synchronous_commit=off&options=-c%20synchronous_commit%3Doff&pool_max_conns=3")
	if n := db.Writer.Stats().MaxOpenConnections; n != 3 || db.pool.Config().MaxConns != 3 {
		t.Errorf("%d and %d connections; want 3", n, db.pool.Config().MaxConns)
	}
	fortest.OK(t, db.Write(t.Context(), func(tx *sql.Tx) error {
		for setting, want := range map[string]string{
			"synchronous_commit": "on",
			"fsync":              "on",
			"full_page_writes":   "on",
			"statement_timeout":  "5s",
			"lock_timeout":       "4s", "idle_in_transaction_session_timeout": "8s",
			"transaction_isolation": "read committed", "client_encoding": "UTF8",
			"application_name": "coinslot",
		} {
			var got string
			err := tx.QueryRowContext(t.Context(), "SHOW "+setting).Scan(&got)
			if err != nil || got != want {
				t.Errorf("%s = %q, %v; want %q", setting, got, err, want)
			}
		}
		return nil
	}))
	if c, err := postgresConfig(dsn); err != nil || c.MaxConns != defaultConnections ||
		c.ConnConfig.ConnectTimeout != connectTimeout {
		t.Errorf("a plain address has %d connections, %v to connect, %v", c.MaxConns,
			c.ConnConfig.ConnectTimeout, err)
	}
	if c, err := postgresConfig(dsn +
		"&pool_max_conns=1000"); err != nil || c.MaxConns != maxConnections {
		t.Errorf("connections = %d, %v; want %d", c.MaxConns, err, maxConnections)
	}
}

func TestNow(t *testing.T) {
	db := opened(t, pgtest.DSN(t))
	if !db.Shared() || opened(t, t.TempDir()+"/x.db").Shared() {
		t.Error("only PostgreSQL is shared")
	}
	if off := time.Since(db.Now()).Abs(); off > 100*time.Millisecond { // is the same machine
		t.Errorf("Now is off by %v", off)
	}
	before := db.Now()
	db.clock.set(time.Now(), time.Now().Add(-500*time.Millisecond))
	if now := db.Now(); now.Before(before) {
		t.Errorf("Now went back by %v", before.Sub(now))
	}
	db.clock.set(time.Now(), time.Now().Add(-time.Hour))
	if off := time.Since(db.Now()); off < 59*time.Minute {
		t.Errorf("Now is %v behind; want what the server says", off)
	}
	err := db.readClock(t.Context())
	if err != nil || time.Since(db.Now()).Abs() > 100*time.Millisecond {
		t.Errorf("Now is off by %v after asking, %v", time.Since(db.Now()), err)
	}
	fixed := time.Unix(1, 0)
	fixedDB := fortest.Must(Open(t.Context(),
		Config{DSN: pgtest.DSN(t), Now: func() time.Time { return fixed }}))(t)
	defer fixedDB.Close()
	if !fixedDB.Now().Equal(fixed) {
		t.Errorf("Now = %v; want the clock that was given", fixedDB.Now())
	}
}

// After a commit that may be found by the next start, nothing is read or written.
func TestFailed(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"))
	fortest.OK(t, db.Err())
	cause := errors.New("the disk is gone")
	fortest.Is(t, db.fail(&unknownError{cause}), cause, "fail")
	<-db.Failed()
	one := func(ctx context.Context, q queryer) error {
		var n int
		return q.QueryRowContext(ctx, `SELECT count(*) FROM sessions`).Scan(&n)
	}
	for name, use := range map[string]func() error{
		"Execute": func() error { return db.Execute(t.Context(), `DELETE FROM sessions`) },
		"View":    func() error { return db.View(t.Context(), one) },
		"Browse":  func() error { return db.Browse(t.Context(), one) },
		"Ping":    func() error { return db.Ping(t.Context()) },
		"Err":     db.Err,
	} {
		fortest.Is(t, use(), cause, "%s", name)
	}
}

// A write that waits for the writer while a commit fails is refused: it would be acknowledged on a
// disk that loses what it has acknowledged.
func TestWriteBehindAFailure(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"))
	cause := errors.New("the disk is gone")
	waits := db.Writer.Stats().WaitCount
	written := make(chan error, 1)
	_ = db.Write(t.Context(), func(*sql.Tx) error {
		go func() { written <- db.Execute(t.Context(), `DELETE FROM sessions`) }()
		fortest.Until(t, "it waits", func() bool { return db.Writer.Stats().WaitCount > waits })
		return db.fail(cause)
	})
	fortest.Is(t, <-written, cause, "the write that waited")
}
