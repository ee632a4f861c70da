// Package store keeps sessions and the outbox of events in a database: it is
// the checkout.Store and checkout.Outbox of the server. storetest.Run is the
// contract as tests.
//
// A session is one row: its JSON, and beside it the few columns that are
// searched for or must be unique. Queries are written by hand for database/sql
// with $1, $2 …; dialect.go and the migrations are where databases differ.
// Only SQLite is there today. Start at [Open].
package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"coinslot/bff/checkout"
)

// Config says which database to open and what to write to it.
type Config struct {
	// DSN is the path of an SQLite file on a local disk, which is made if it is not
	// there, readable by its owner only. "<path>.lock" is made next to it.
	DSN string
	// Endpoints are the webhook URLs: every new event gets one delivery for
	// each, in the transaction that stores it. Nil = no deliveries.
	Endpoints []string
	Now       func() time.Time // nil = time.Now
}

// DB is an open database. Its methods may be called by many goroutines.
type DB struct {
	reader    *sql.DB // sees what was committed; cannot write
	writer    *sql.DB
	dialect   dialect
	endpoints []string
	now       func() time.Time
	unlock    func() error
	// doubt is set by a commit that failed and may yet appear after a restart,
	// until another one has taken its place.
	doubt atomic.Bool
}

var (
	_ checkout.Store  = (*DB)(nil)
	_ checkout.Outbox = (*DB)(nil)
)

// Open opens the database, alone: a second process is refused until Close.
// An empty one gets the tables; one of an older release is brought up to date.
//
// Errors: the DSN is not understood, which never repeats the DSN itself; the
// file cannot be used, is in use, belongs to another program or was written by a
// newer release. Then it has not been changed.
func Open(ctx context.Context, c Config) (*DB, error) {
	path, err := sqlitePath(c.DSN)
	if err != nil {
		return nil, err
	}
	db := &DB{dialect: sqliteDialect(), endpoints: slices.Clone(c.Endpoints), now: c.Now}
	if db.now == nil {
		db.now = time.Now
	}
	if err := db.openSQLite(ctx, path); err != nil {
		return nil, fmt.Errorf("opening database %q: %w", c.DSN, errors.Join(err, db.Close()))
	}
	return db, nil
}

// Close waits for what is under way and closes the database.
func (db *DB) Close() error {
	var errs []error
	for _, pool := range []*sql.DB{db.reader, db.writer} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	if db.unlock != nil {
		errs = append(errs, db.unlock())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing database: %w", err)
	}
	return nil
}

// Ping reports whether the database can be read, and its content relied upon.
func (db *DB) Ping(ctx context.Context) error {
	if err := db.certain(ctx); err != nil {
		return err
	}
	var one int
	err := db.reader.QueryRowContext(ctx, `SELECT 1 FROM sessions LIMIT 1`).Scan(&one)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("reading database: %w", err)
	}
	return nil
}

// write runs fn in a write transaction and commits, or rolls back if fn fails
// or panics. It returns fn's error as it is; an error of the commit itself says
// nothing about what is in the file.
func (db *DB) write(ctx context.Context, fn func(tx *sql.Tx) error) error {
	conn, err := db.writer.Conn(ctx)
	if err != nil {
		return fmt.Errorf("waiting for the writer: %w", err)
	}
	defer conn.Close() // gives it back to the pool
	if db.doubt.Load() {
		if err := db.transact(ctx, conn, func(tx *sql.Tx) error { return db.dialect.supersede(ctx, tx) }); err != nil {
			return fmt.Errorf("undoing a commit of unknown outcome: %w", err)
		}
		db.doubt.Store(false)
	}
	return db.transact(ctx, conn, fn)
}

// transact is write without its care for an earlier commit. A connection
// whose commit or rollback failed is not used again.
func (db *DB) transact(ctx context.Context, conn *sql.Conn, fn func(tx *sql.Tx) error) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning a transaction: %w", err)
	}
	defer func() {
		if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
			discard(conn)
		}
	}()
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		if db.dialect.ambiguous(err) {
			db.doubt.Store(true)
		}
		discard(conn)
		return fmt.Errorf("committing, with unknown outcome: %w", err)
	}
	return nil
}

// certain comes before every read: it makes sure that what is read is what a
// restart would find.
func (db *DB) certain(ctx context.Context) error {
	if !db.doubt.Load() {
		return nil
	}
	return db.write(ctx, func(*sql.Tx) error { return nil }) // does what is needed first
}

// discard makes the pool close conn instead of using it again.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // returns what it is given
}

// micros is a time as its column keeps it; the zero time is NULL.
func micros(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
}

// at is the time that a column keeps; NULL is the zero time.
func at(column sql.NullInt64) time.Time {
	if !column.Valid {
		return time.Time{}
	}
	return time.UnixMicro(column.Int64).UTC()
}

// text is a string as its column keeps it; "" is NULL.
func text(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }
