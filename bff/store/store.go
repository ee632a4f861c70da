// Package store keeps sessions and the outbox of events in a database: it is
// the checkout.Store, outbox.Outbox and outbox.Log of the server.
// storetest.Run is the contract as tests.
//
// There are two databases: SQLite for one process, PostgreSQL for several. Both
// get the same queries, written by hand for database/sql with $1, $2 …; dialect.go
// and the migrations are where they differ. A session is one row: its JSON, and
// beside it the few columns that are searched for or must be unique.
//
// What is right rests on unique constraints and conditional updates. Row locks,
// leases and notifications only keep instances out of each other's way.
// Start at [Open].
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/internal/background"
	"coinslot/bff/outbox"
	"coinslot/bff/reconcile"
	"coinslot/bff/records"
	"coinslot/bff/retention"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Config says which database to open and what to write to it.
type Config struct {
	// DSN is the path of an SQLite file on a local disk, which is made if it is not
	// there, readable by its owner only ("<path>.lock" is made next to it), or the
	// address of a PostgreSQL database, "postgres://…", of which pool_max_conns is
	// at most 50 and 10 if it is not given.
	DSN string
	// Endpoints are the webhook URLs: every new event gets one delivery for
	// each, in the transaction that stores it. Nil = no deliveries.
	Endpoints []string
	// Now is the clock of tests; nil = the database's. See [DB.Now].
	Now func() time.Time
	// Began is told of each operation. Nil = nobody watches.
	Began Began
	Log   *slog.Logger // nil = silent
}

// DB is an open database. Its methods may be called by many goroutines.
type DB struct {
	reader    *sql.DB       // sees what was committed; on SQLite, cannot write
	writer    *sql.DB       // nil = opened for reading only
	pool      *pgxpool.Pool // behind reader and writer; nil = SQLite
	dialect   dialect
	endpoints []string
	path      string // of the file of SQLite; "" = there is none, or it is not ours
	began     Began  // nil = nobody watches
	log       *slog.Logger
	clock     clock
	guest     bool          // opened beside a server: nothing runs in the background
	hints     *hints        // nil = nobody else to tell
	patience  time.Duration // of one operation
	browsing  chan struct{} // one for each read of browse
	unlock    func() error
	// doubt is set by a commit that failed and may yet appear after a restart,
	// until another one has taken its place. Only SQLite does that.
	doubt atomic.Bool

	// Of the writer of SQLite; see batch.go.
	batching sync.Once       // begins runBatches
	parts    chan *part      // in the order in which they came
	waiting  atomic.Int64    // callers in the queue
	open     context.Context // ends with close
	close    context.CancelFunc

	stop       context.CancelFunc // of what runs besides; nil = nothing does
	running    sync.WaitGroup
	heartbeats heartbeats
	mended     chan struct{} // closed when the mending of the start has ended
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

// Open opens the database. An SQLite file is opened alone: a second process is
// refused until Close. An empty database gets the tables; one of an older release
// is brought up to date, by one of the instances that are starting.
//
// Errors: the DSN is not understood, which never repeats the DSN itself; the
// database cannot be used, is in use, belongs to another program, does not keep
// what it has committed or was written by a newer release. Then it has not been
// changed.
func Open(ctx context.Context, c Config) (*DB, error) {
	return open(ctx, c, (*DB).openSQLite, (*DB).openPostgres)
}

func open(
	ctx context.Context, c Config, sqlite, postgres func(*DB, context.Context, string) error,
) (*DB, error) {
	db := &DB{
		endpoints: slices.Clone(c.Endpoints), began: c.Began, log: c.Log,
		clock:    clock{fixed: c.Now},
		patience: defaultPatience, browsing: make(chan struct{}, browsers),
		mended:   make(chan struct{}),
		rerouted: make(chan struct{}), parts: make(chan *part),
	}
	db.open, db.close = context.WithCancel(context.WithoutCancel(ctx))
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	if isPostgres(c.DSN) {
		db.dialect = postgresDialect()
		if err := postgres(db, ctx, c.DSN); err != nil {
			return nil, fmt.Errorf(
				"opening the PostgreSQL database: %w", errors.Join(err, db.Close()),
			)
		}
		return db.started(ctx), nil
	}
	path, err := sqlitePath(c.DSN)
	if err != nil {
		return nil, err
	}
	db.dialect = sqliteDialect()
	if err := sqlite(db, ctx, path); err != nil {
		return nil, fmt.Errorf("opening database %q: %w", c.DSN, errors.Join(err, db.Close()))
	}
	return db.started(ctx), nil
}

// started begins what runs besides, until Close.
func (db *DB) started(ctx context.Context) *DB {
	if db.writer == nil || db.guest {
		return db
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	db.stop = stop
	if db.Shared() {
		db.running.Go(func() { db.keepTime(background) })
		db.running.Go(func() { db.send(background) })
	}
	db.running.Go(func() { db.mending(background) })
	db.running.Go(func() { db.rerouting(background) })
	return db
}

// Close waits for what is under way and closes the database.
func (db *DB) Close() error {
	if db.stop != nil {
		db.stop()
		db.running.Wait()
	}
	db.close()
	var errs []error
	for _, pool := range []*sql.DB{db.reader, db.writer} {
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
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing database: %w", err)
	}
	return nil
}

// Shared reports whether other processes may be using the database too.
func (db *DB) Shared() bool { return db.pool != nil }

// heartbeats are those of the loops that instances need of one another.
type heartbeats struct{ clock, announcer, listener background.Heartbeat }

// LastBeats returns the last heartbeats of the loops that run besides, by name;
// zero = it does not run. What mends old sessions is none: it comes to an end.
func (db *DB) LastBeats() map[string]time.Time {
	p := &db.heartbeats
	return map[string]time.Time{
		"clock": p.clock.Last(), "announcer": p.announcer.Last(),
		"listener": p.listener.Last(),
	}
}

// Ping reports whether the database can be read, and its content relied upon.
func (db *DB) Ping(ctx context.Context) error {
	err := db.view(ctx, func(ctx context.Context, q queryer) error {
		var one int
		err := q.QueryRowContext(ctx, `SELECT 1 FROM sessions LIMIT 1`).Scan(&one)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading database: %w", err)
	}
	return nil
}

// Versions returns the versions of those of the sessions that are there: what a
// reader compares who may have missed that something has changed. Errors: the
// database's.
func (db *DB) Versions(ctx context.Context, ids []string) (map[string]int64, error) {
	found := make(map[string]int64, len(ids))
	for batch := range slices.Chunk(ids, batchSize) {
		if err := db.versions(ctx, batch, found); err != nil {
			return nil, fmt.Errorf("reading versions: %w", err)
		}
	}
	return found, nil
}

func (db *DB) versions(ctx context.Context, ids []string, found map[string]int64) error {
	return db.view(ctx, func(ctx context.Context, q queryer) error {
		in, args := among(1, ids)
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
