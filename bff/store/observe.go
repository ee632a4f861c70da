package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
)

// Began is called when an operation, "read" or "write", begins. It returns the context to
// run it with and a function to call at its end: err is nil unless the database itself
// failed. A change that the caller refused, or a conflict, is no failure.
type Began func(ctx context.Context, operation string) (_ context.Context, ended func(err error))

// observed runs do, which runs fn, and reports the result to db.began.
func observed[T any](
	db *DB, ctx context.Context, operation string, fn func(context.Context, T) error,
	do func(context.Context, func(context.Context, T) error) error,
) error {
	if db.began == nil {
		return do(ctx, fn)
	}

	var own error // what the last run of fn returned
	ctx, ended := db.began(ctx, operation)
	err := do(ctx, func(ctx context.Context, t T) error {
		own = fn(ctx, t)
		return own
	})
	if own != nil && errors.Is(err, own) && !db.isTrouble(own) || errors.Is(err, context.Canceled) {
		ended(nil)
	} else {
		ended(err)
	}

	return err
}

// isTrouble reports whether err, of a statement, is the database's fault.
func (db *DB) isTrouble(err error) bool {
	if db.dialect.Violated(err) != "" {
		return false
	}
	var (
		ofSQLite   *sqlite.Error
		ofPostgres *pgconn.PgError
		ofNetwork  net.Error
	)
	return errors.As(err, &ofSQLite) || errors.As(err, &ofPostgres) || errors.As(err, &ofNetwork) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrBadConn)
}
