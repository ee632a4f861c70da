// Package store keeps sessions, events and their deliveries in a database: it is the checkout.Store,
// webhook.Outbox and webhook.Log of the server. storetest.Run is the contract as tests.
//
// There are two databases: SQLite for one process, PostgreSQL for several. Both get the same
// queries, written by hand for database/sql with $1, $2 …; a [dialect] is where they differ. A
// session is one row: its JSON, and beside it the columns that are searched for or must be unique.
//
// Correctness rests on unique constraints and conditional updates. Row locks and leases only keep
// instances out of each other's way.
//
// Start to read at DB.Update, which writes a session with its events, and DB.Write, which runs a
// transaction. The tables are in migrations.
package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"coinslot/bff/attention"
	"coinslot/bff/checkout"
	"coinslot/bff/console"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Config says which database to open and what to write to it.
type Config struct {
	// DSN is the path of an SQLite file on a local disk, which is made if it is not there, readable
	// by its owner only ("<path>.lock" is made next to it), or the address of a PostgreSQL
	// database, "postgres://…", of which pool_max_conns is 2 to 50, and 10 if it is not given. It
	// may lead to a pooler that gives each transaction any connection.
	DSN string
	// Endpoints are the webhook URLs: every new event gets one delivery for
	// each, in the transaction that stores it. Nil = no deliveries.
	Endpoints []string
	// CheckEvent fails if an event cannot be decoded: such an event is set aside, and neither sent
	// nor in the log until it can be. Nil = any body will do.
	CheckEvent func(payment.Event) error
	// Now is the clock of tests; nil = the database's. See [DB.Now].
	Now func() time.Time
	// Began is called at the start of each operation. Nil = not called.
	Began Began
	Log   *slog.Logger // nil = silent
}

// DB is an open database. The interfaces below document most of its methods, which may be called by
// many goroutines.
type DB struct {
	Reader   *sql.DB       // sees what was committed; on SQLite, cannot write
	Writer   *sql.DB       // nil = opened for reading only
	pool     *pgxpool.Pool // behind Reader and Writer; nil = SQLite
	dialect  dialect
	path     string // of the file of SQLite; "" = there is none, or it is not ours
	unlock   func() error
	patience time.Duration // how long one operation may take
	browsing chan struct{} // one for each read of browse

	endpoints  []string
	checkEvent func(payment.Event) error
	began      Began // may be nil
	log        *slog.Logger
	clock      clock

	// writeFailing is set by a write that failed for want of a working disk; see checkWrite.
	writeFailing atomic.Bool
	// synchronous is set if commits wait for a standby, as of the last connection.
	synchronous atomic.Bool

	// See Failed.
	failOnce sync.Once
	failed   chan struct{}
	failure  error // set before failed is closed

	stop      context.CancelFunc // ends the background work; nil = there is none
	running   sync.WaitGroup
	clockBeat background.Heartbeat
	rerouted  chan struct{} // closed when the first pass of rerouting has ended
}

var (
	_ checkout.Store        = (*DB)(nil)
	_ checkout.DueStore     = (*DB)(nil)
	_ gatewaylist.ListStore = (*DB)(nil)
	_ webhook.Outbox        = (*DB)(nil)
	_ webhook.Log           = (*DB)(nil)
	_ webhook.Rerouting     = (*DB)(nil)
	_ console.Records       = (*DB)(nil)
	_ gatewaylist.Runs      = (*DB)(nil)
	_ checkout.Eraser       = (*DB)(nil)
	_ checkout.UnpaidItems  = (*DB)(nil)
	_ attention.Stored      = (*DB)(nil)
)

// Open opens the database for a server. An SQLite file is opened alone: a second process is refused
// until Close. An empty database gets the tables; older ones are migrated, by one of the instances
// that are starting. In the background, until Close, it moves open deliveries to the webhook URLs
// that are configured now, and uses unreadable rows again that were repaired.
//
// Errors: the DSN is not valid (the error never repeats it); the database cannot be used, is
// in use, belongs to another program, does not keep what it has committed, or was written by
// a newer release. Then it has not been changed.
func Open(ctx context.Context, c Config) (*DB, error) {
	db, err := open(ctx, c, (*DB).openSQLite, (*DB).openPostgres)
	if err != nil {
		return nil, err
	}

	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	db.stop = stop
	db.running.Go(func() { db.runReroutes(background) })
	db.running.Go(func() { db.runRestores(background) })
	if db.Shared() {
		db.running.Go(func() { db.keepClock(background) })
	}

	return db, nil
}

// open opens the database that c names, by one of the two ways.
func open(
	ctx context.Context, c Config, sqlite func(*DB, context.Context, string) error,
	postgres func(*DB, context.Context, Config) error,
) (*DB, error) {
	db := &DB{
		endpoints:  slices.Clone(c.Endpoints),
		checkEvent: c.CheckEvent,
		began:      c.Began,
		log:        cmp.Or(c.Log, slog.New(slog.DiscardHandler)),
		clock:      clock{fixed: c.Now},
		patience:   defaultPatience,
		browsing:   make(chan struct{}, browsers),
		failed:     make(chan struct{}),
		rerouted:   make(chan struct{}),
	}
	if db.checkEvent == nil {
		db.checkEvent = func(payment.Event) error { return nil }
	}
	if isPostgres(c.DSN) {
		db.dialect = postgresDialect()
		if err := postgres(db, ctx, c); err != nil {
			return nil, fmt.Errorf("opening the PostgreSQL database: %w",
				errors.Join(err, db.Close()))
		}
		return db, nil
	}

	path, err := sqlitePath(c.DSN)
	if err != nil {
		return nil, err
	}
	db.dialect = sqliteDialect()
	if err := sqlite(db, ctx, path); err != nil {
		return nil, fmt.Errorf("opening database %q: %w", c.DSN, errors.Join(err, db.Close()))
	}
	return db, nil
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

	return wrap(errors.Join(errs...), "closing database")
}

// Shared reports whether other processes may be using the database too.
func (db *DB) Shared() bool { return db.pool != nil }

// LastBeats returns the last heartbeats of the background loops, by name; zero = it does not
// run.
func (db *DB) LastBeats() map[string]time.Time {
	return map[string]time.Time{"clock": db.clockBeat.Last()}
}
