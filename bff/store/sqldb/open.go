// Package sqldb opens a database, SQLite or PostgreSQL, with the tables of this release, and
// runs transactions on it. It knows the differences of the two ([Dialect]), what a failed
// commit may mean, and the database's clock. Package
// store knows what the tables hold.
package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"coinslot/bff/internal/background"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Config says which database to open.
type Config struct {
	// DSN is the path of an SQLite file on a local disk, which is made if it is not there, readable
	// by its owner only ("<path>.lock" is made next to it), or the address of a PostgreSQL
	// database, "postgres://…", of which pool_max_conns is at most 50 and 10 if it is not given. It may lead
	// to a pooler that gives each transaction any connection.
	DSN string
	// Now is the clock of tests; nil = the database's. See [DB.Now].
	Now func() time.Time
	// Began is called at the start of each operation. Nil = not called.
	Began Began
	Log   *slog.Logger // nil = silent
}

// DB is an open database. Its methods may be called by many goroutines.
type DB struct {
	Reader   *sql.DB       // sees what was committed; on SQLite, cannot write
	Writer   *sql.DB       // nil = opened for reading only
	pool     *pgxpool.Pool // behind reader and writer; nil = SQLite
	Dialect  Dialect
	path     string // of the file of SQLite; "" = there is none, or it is not ours
	began    Began  // may be nil
	Log      *slog.Logger
	clock    clock
	guest    bool          // opened beside a server: nothing runs in the background
	Patience time.Duration // of one operation
	browsing chan struct{} // one for each read of browse
	unlock   func() error
	// writeFailing is set by a write that failed for want of a working disk; see checkWrite.
	writeFailing atomic.Bool
	// synchronous is set if commits wait for a standby, as of the last connection.
	synchronous atomic.Bool

	// See Failed.
	failOnce sync.Once
	failed   chan struct{}
	failure  error // set before failed is closed

	stop      context.CancelFunc // of the background work; nil = there is none
	running   sync.WaitGroup
	clockBeat background.Heartbeat
}

// Open opens the database. An SQLite file is opened alone: a second process is refused until
// Close. An empty database gets the tables; one of an older release is migrated, by one of
// the instances that are starting.
//
// Errors: the DSN is not valid (the error never repeats it); the database cannot be used, is
// in use, belongs to another program, does not keep what it has committed, or was written by
// a newer release. Then it has not been changed.
func Open(ctx context.Context, c Config) (*DB, error) {
	return open(ctx, c, (*DB).openSQLite, (*DB).openPostgres)
}

func open(
	ctx context.Context, c Config, sqlite func(*DB, context.Context, string) error,
	postgres func(*DB, context.Context, Config) error,
) (*DB, error) {
	db := &DB{
		began: c.Began, Log: c.Log, clock: clock{fixed: c.Now}, Patience: defaultPatience,
		browsing: make(chan struct{}, browsers), failed: make(chan struct{}),
	}
	db.Log = cmp.Or(db.Log, slog.New(slog.DiscardHandler))
	if isPostgres(c.DSN) {
		db.Dialect = postgresDialect()
		if err := postgres(db, ctx, c); err != nil {
			return nil, fmt.Errorf("opening the PostgreSQL database: %w",
				errors.Join(err, db.Close()))
		}
		return db.startBackground(ctx), nil
	}
	path, err := sqlitePath(c.DSN)
	if err != nil {
		return nil, err
	}
	db.Dialect = sqliteDialect()
	if err := sqlite(db, ctx, path); err != nil {
		return nil, fmt.Errorf("opening database %q: %w", c.DSN, errors.Join(err, db.Close()))
	}
	return db.startBackground(ctx), nil
}

func (db *DB) startBackground(ctx context.Context) *DB {
	if db.Writer == nil || db.guest || !db.Shared() {
		return db
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	db.stop = stop
	db.running.Go(func() { db.keepClock(background) })
	return db
}

// Close waits for what is under way and closes the database.
func (db *DB) Close() error {
	if db.stop != nil {
		db.stop()
		db.running.Wait()
	}
	var errs []error
	for _, pool := range []*sql.DB{db.Reader, db.Writer} {
		if pool != nil {
			errs = append(errs, pool.Close()) // twice the same is closed once
		}
	}
	if db.pool != nil {
		db.pool.Close()
	}
	if db.unlock != nil {
		errs = append(errs, db.unlock())
	}
	return Wrap(errors.Join(errs...), "closing database")
}

// Shared reports whether other processes may be using the database too.
func (db *DB) Shared() bool { return db.pool != nil }

// LastBeats returns the last heartbeats of the background loops, by name; zero = it does not
// run.
func (db *DB) LastBeats() map[string]time.Time {
	return map[string]time.Time{"clock": db.clockBeat.Last()}
}
