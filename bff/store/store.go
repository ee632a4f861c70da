// Package store keeps sessions and the outbox of events in a database: it is the checkout.Store,
// outbox.Outbox and outbox.Log of the server. storetest.Run is the contract as tests.
//
// There are two databases: SQLite for one process, PostgreSQL for several. Both
// get the same queries, written by hand for database/sql with $1, $2 …; package sqldb
// is where they differ. A session is one row: its JSON, and beside it the few columns that
// are searched for or must be unique.
//
// Correctness rests on unique constraints and conditional updates. Row locks, leases and
// notifications only keep instances out of each other's way. Start at [Backlogs].
package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/outbox"
	"coinslot/bff/payment"
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
	// Direct is the address of the same PostgreSQL database without the pooler that DSN leads
	// to; empty = there is no pooler.
	Direct string
	// Endpoints are the webhook URLs: every new event gets one delivery for
	// each, in the transaction that stores it. Nil = no deliveries.
	Endpoints []string
	// CheckEvent fails if an event cannot be decoded: such an event is set aside, and neither sent
	// nor in the log until it can be. Nil = any body will do.
	CheckEvent func(payment.Event) error
	// Now is the clock of tests; nil = the database's. See [sqldb.DB.Now].
	Now   func() time.Time
	Began Began        // is called at the start of each operation; nil = not called
	Log   *slog.Logger // nil = silent
}

// Began is called at the start of an operation; see [sqldb.Began].
type Began = sqldb.Began

// DB is an open database. The interfaces below document its methods, which may be called by many
// goroutines.
type DB struct {
	*sqldb.DB
	*outboxdb.Outbox
	stop       context.CancelFunc // of the background work; nil = there is none
	running    sync.WaitGroup
	backfilled chan struct{} // closed when the first backfill has ended
	rerouted   chan struct{} // closed when the first pass of rerouting has ended
}

var (
	_ checkout.Store   = (*DB)(nil)
	_ outbox.Outbox    = (*DB)(nil)
	_ outbox.Log       = (*DB)(nil)
	_ outbox.Rerouting = (*DB)(nil)
	_ records.Records  = (*DB)(nil)
	_ gatewaylist.Runs = (*DB)(nil)
	_ retention.Eraser = (*DB)(nil)
	_ retention.Items  = (*DB)(nil)
	_ records.Damage   = (*DB)(nil)
)

// Open opens the database, as [sqldb.Open] does, and begins to bring older sessions and
// deliveries up to date in the background, until Close.
func Open(ctx context.Context, c Config) (*DB, error) {
	db, err := open(ctx, c, sqldb.Open)
	if err != nil {
		return nil, err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	db.stop = stop
	db.running.Go(func() { db.runBackfill(background) })
	db.running.Go(func() { db.runReroutes(background) })
	db.running.Go(func() { db.runRestores(background) })
	return db, nil
}

func open(
	ctx context.Context, c Config, how func(context.Context, sqldb.Config) (*sqldb.DB, error),
) (*DB, error) {
	opened, err := how(ctx, sqldb.Config{
		DSN: c.DSN, Direct: c.Direct, Now: c.Now, Began: c.Began, Log: c.Log,
	})
	if err != nil {
		return nil, err
	}
	events := outboxdb.New(opened, c.Endpoints)
	if c.CheckEvent != nil {
		events.Check = c.CheckEvent
	}
	return &DB{
		DB: opened, Outbox: events, backfilled: make(chan struct{}), rerouted: make(chan struct{}),
	}, nil
}

// OpenReader opens the database for reading only, also beside a running server; see
// [sqldb.OpenReader].
func OpenReader(ctx context.Context, c Config) (*DB, error) {
	return open(ctx, c, sqldb.OpenReader)
}

// OpenBeside opens the database to write to it beside a server that may be running; see
// [sqldb.OpenBeside].
func OpenBeside(ctx context.Context, c Config) (*DB, error) {
	return open(ctx, c, sqldb.OpenBeside)
}

// Close waits for what is under way and closes the database.
func (db *DB) Close() error {
	if db.stop != nil {
		db.stop()
		db.running.Wait()
	}
	return db.DB.Close()
}

// Versions returns the versions of those of the sessions that exist: a reader that may have
// missed a change compares them. Errors: the database's.
func (db *DB) Versions(ctx context.Context, ids []string) (map[string]int64, error) {
	type version struct {
		id     string
		number int64
	}
	found := make(map[string]int64, len(ids))
	for batch := range slices.Chunk(ids, sqldb.BatchSize) {
		in, args := sqldb.InList(1, batch)
		list, err := sqldb.List(ctx, db.DB, func(rows *sql.Rows) (v version, err error) {
			err = rows.Scan(&v.id, &v.number)
			return v, err
		}, `SELECT id, version FROM sessions WHERE id IN `+in, args...)
		if err != nil {
			return nil, fmt.Errorf("reading versions: %w", err)
		}
		for _, v := range list {
			found[v.id] = v.number
		}
	}
	return found, nil
}
