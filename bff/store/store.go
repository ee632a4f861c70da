// Package store keeps sessions and the outbox of events in a database: it is
// the checkout.Store, outbox.Outbox and outbox.Log of the server.
// storetest.Run is the contract as tests.
//
// There are two databases: SQLite for one process, PostgreSQL for several. Both
// get the same queries, written by hand for database/sql with $1, $2 …; package sqldb
// is where they differ. A session is one row: its JSON, and
// beside it the few columns that are searched for or must be unique.
//
// What is right rests on unique constraints and conditional updates. Row locks,
// leases and notifications only keep instances out of each other's way.
// Start at [Backlogs].
package store

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/outbox"
	"coinslot/bff/reconcile"
	"coinslot/bff/records"
	"coinslot/bff/retention"
	"coinslot/bff/store/outboxdb"
	"coinslot/bff/store/sqldb"
)

// Config says which database to open and what to write to it.
type Config struct {
	// DSN is the path of an SQLite file, or the address of a PostgreSQL database; see
	// [sqldb.Config].
	DSN string
	// Endpoints are the webhook URLs: every new event gets one delivery for
	// each, in the transaction that stores it. Nil = no deliveries.
	Endpoints []string
	// Now is the clock of tests; nil = the database's. See [sqldb.DB.Now].
	Now func() time.Time
	// Began is told of each operation. Nil = nobody watches.
	Began Began
	Log   *slog.Logger // nil = silent
}

// Began is told that an operation begins; see [sqldb.Began].
type Began = sqldb.Began

func (c Config) settings() sqldb.Config {
	return sqldb.Config{DSN: c.DSN, Now: c.Now, Began: c.Began, Log: c.Log}
}

// DB is an open database. Its methods may be called by many goroutines.
type DB struct {
	*sqldb.DB
	*outboxdb.Outbox
	stop       context.CancelFunc // of what runs besides; nil = nothing does
	running    sync.WaitGroup
	backfilled chan struct{} // closed when the mending of the start has ended
	// rerouted is closed when the first look for deliveries to replaced URLs has ended.
	rerouted chan struct{}
}

var (
	_ checkout.Store  = (*DB)(nil)
	_ outbox.Outbox   = (*DB)(nil)
	_ outbox.Log      = (*DB)(nil)
	_ records.Records = (*DB)(nil)

	_ outbox.Rerouting = (*DB)(nil)

	_ reconcile.Runs   = (*DB)(nil)
	_ retention.Eraser = (*DB)(nil)
)

// Open opens the database, as [sqldb.Open] does, and begins to bring older sessions and
// deliveries up to date in the background, until Close.
func Open(ctx context.Context, c Config) (*DB, error) {
	opened, err := sqldb.Open(ctx, c.settings())
	if err != nil {
		return nil, err
	}
	db := newDB(opened, c)
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	db.stop = stop
	db.running.Go(func() { db.runBackfill(background) })
	db.running.Go(func() { db.runReroutes(background) })
	return db, nil
}

// newDB is the store on an open database, in which nothing runs besides.
func newDB(opened *sqldb.DB, c Config) *DB {
	return &DB{
		DB: opened, Outbox: outboxdb.New(opened, c.Endpoints), backfilled: make(chan struct{}),
		rerouted: make(chan struct{}),
	}
}

// OpenReader opens the database for reading only, also beside a server that is
// running: it takes no lock and changes nothing. What writes fails.
//
// Errors: as from [Backlogs]; the database's tables are not of this release.
func OpenReader(ctx context.Context, c Config) (*DB, error) {
	opened, err := sqldb.OpenReader(ctx, c.settings())
	if err != nil {
		return nil, err
	}
	return newDB(opened, c), nil
}

// OpenBeside opens the database to write to it beside a server that may be running: on
// SQLite it takes its turn with that server by SQLite's own locks, for a few short
// transactions. Nothing runs in the background, and no tables are changed.
//
// Errors: as from [Backlogs]; there is no database; its tables are not of this release.
func OpenBeside(ctx context.Context, c Config) (*DB, error) {
	opened, err := sqldb.OpenBeside(ctx, c.settings())
	if err != nil {
		return nil, err
	}
	return newDB(opened, c), nil
}

// Close waits for what is under way and closes the database.
func (db *DB) Close() error {
	if db.stop != nil {
		db.stop()
		db.running.Wait()
	}
	return db.DB.Close()
}

// Versions returns the versions of those of the sessions that are there: what a
// reader compares who may have missed that something has changed. Errors: the
// database's.
func (db *DB) Versions(ctx context.Context, ids []string) (map[string]int64, error) {
	found := make(map[string]int64, len(ids))
	for batch := range slices.Chunk(ids, sqldb.BatchSize) {
		if err := db.versions(ctx, batch, found); err != nil {
			return nil, fmt.Errorf("reading versions: %w", err)
		}
	}
	return found, nil
}

func (db *DB) versions(ctx context.Context, ids []string, found map[string]int64) error {
	return db.View(ctx, func(ctx context.Context, q sqldb.Queryer) error {
		in, args := sqldb.InList(1, ids)
		rows, err := q.QueryContext(
			ctx, `SELECT id, version FROM sessions WHERE id IN `+in, args...,
		)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			var version int64
			if err := rows.Scan(&id, &version); err != nil {
				return err
			}
			found[id] = version
		}
		return rows.Err()
	})
}
