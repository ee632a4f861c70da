package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"coinslot/bff/internal/background"
)

const (
	// maxTries bounds how often a transaction is run that the database has undone.
	maxTries = 5
	// defaultPatience bounds an operation on a database that does not answer. It is
	// longer than the database's own limits, which say more about what was in the way.
	defaultPatience = 10 * time.Second
)

const deleteWriteCheck = `DELETE FROM buckets WHERE name >= 'write_check' AND name < 'write_checl'`

// readOnlyTransaction is PostgreSQL's code for a write to a standby. Connections to a server end
// when it becomes one, those to a pooler in front of it do not.
const readOnlyTransaction = "25006"

// unknownError is a failed commit that may have been written.
type unknownError struct{ err error }

func (e *unknownError) Error() string {
	return "committing, with unknown outcome: " + e.err.Error()
}
func (e *unknownError) Unwrap() error { return e.err }

// isUnknown reports whether err is of a commit that may have been written.
func isUnknown(err error) bool {
	_, ok := errors.AsType[*unknownError](err)
	return ok
}

// ErrReadOnly is the refusal of a write to what was opened for reading only.
var ErrReadOnly = errors.New("the database was opened for reading only")

// Write runs fn in a write transaction and commits; it rolls back if fn fails or panics. It
// returns fn's error unchanged; an error of the commit itself does not show what is in the
// database. fn runs again if the database has rolled it back for a reason that passes.
func (db *DB) Write(ctx context.Context, fn func(tx *sql.Tx) error) error {
	if db.Writer == nil {
		return ErrReadOnly
	}
	err := observed(db, ctx, "write", func(_ context.Context, tx *sql.Tx) error { return fn(tx) },
		db.runWrite)
	if err != nil && db.dialect.cannotWrite(err) && !db.writeFailing.Swap(true) {
		db.log.ErrorContext(ctx, "writing to the database fails; not ready until it works again",
			"error", err)
	}
	return err
}

// checkWrite writes if an earlier write has failed for want of a working disk, and fails unless
// that works again. Other writes do not show it: one that changes nothing needs no disk.
func (db *DB) checkWrite(ctx context.Context) error {
	if !db.writeFailing.Load() {
		return nil
	}

	// The row is gone in the end, and while it is there needs space that no other one has left.
	for _, query := range []string{deleteWriteCheck, db.dialect.insertWriteCheck, deleteWriteCheck} {
		if err := db.Execute(ctx, query); err != nil {
			return fmt.Errorf("writing to the database: %w", err)
		}
	}
	if db.writeFailing.Swap(false) {
		db.log.InfoContext(ctx, "writing to the database works again")
	}

	return nil
}

func (db *DB) runWrite(ctx context.Context, fn func(context.Context, *sql.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, db.patience)
	defer cancel()
	return retry(ctx, func() (passing bool, err error) {
		if err := db.Err(); err != nil {
			return false, err
		}
		conn, err := db.Writer.Conn(ctx)
		if err != nil {
			return true, fmt.Errorf("waiting for the writer: %w", err)
		}
		defer conn.Close()               // gives it back to the pool
		if err := db.Err(); err != nil { // of one that was waited for
			return false, err
		}

		err = db.transact(ctx, conn, fn)
		if sqlState(err) == readOnlyTransaction {
			db.pool.Reset() // what the pooler leads to has become a standby
			return true, err
		}
		passing = db.Shared() && (db.dialect.retryable(err) || isLost(conn))
		return err != nil && !isUnknown(err) && passing, err
	})
}

// retry calls do until it succeeds, fails for good, or has failed maxTries times.
func retry(ctx context.Context, do func() (passing bool, err error)) error {
	longestPause := 20 * time.Millisecond
	for try := 1; ; try++ {
		passing, err := do()
		if err == nil || !passing || try == maxTries {
			return err
		}

		if !background.Sleep(ctx, rand.N(longestPause)) {
			return err
		}
		longestPause *= 2
	}
}

// transact is Write without earlier and further tries. A connection whose commit or rollback failed
// is not used again.
//
// The end of the caller's context ends fn's statements, but not the commit: else what fn claimed
// could be written without the caller knowing.
func (db *DB) transact(
	ctx context.Context, conn *sql.Conn, fn func(context.Context, *sql.Tx) error,
) error {
	whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), db.patience)
	defer cancel()
	tx, err := db.begin(whole, conn)
	if err != nil {
		return fmt.Errorf("beginning a transaction: %w", err)
	}

	defer func() {
		err := tx.Rollback()
		if err != nil && !errors.Is(err, sql.ErrTxDone) {
			discard(conn)
		}
	}()

	if err := fn(ctx, tx); err != nil {
		return err
	}
	if err := db.commit(conn, tx); err != nil {
		discard(conn)
		return err
	}
	return nil
}

// begin begins a transaction, with settings of its own where a pooler has given it any connection.
func (db *DB) begin(ctx context.Context, conn *sql.Conn) (*sql.Tx, error) {
	if !db.Shared() {
		return conn.BeginTx(ctx, nil)
	}

	tx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return nil, err
	}

	_, err = tx.ExecContext(ctx, setTransaction)
	if err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}

	return tx, nil
}

// commit commits tx. Errors: *unknownError if what tx has written may be there.
func (db *DB) commit(conn *sql.Conn, tx *sql.Tx) error {
	if db.Shared() {
		return postgresCommitError(db.commitPostgres(conn, tx))
	}
	err := tx.Commit()
	if err != nil && sqliteAmbiguous(err) {
		return db.fail(&unknownError{err})
	}
	return wrap(err, "committing")
}

// fail ends the use of the database: what a failed commit has written may be read after the next
// start, and not before. It returns err.
func (db *DB) fail(err error) error {
	db.failOnce.Do(func() {
		db.failure = err
		close(db.failed)
	})
	return err
}

// Failed is closed when the process has to end and to be started again, because a commit failed and
// only a start shows whether it is in the database. Err says why.
func (db *DB) Failed() <-chan struct{} { return db.failed }

// Err returns why Failed is closed; nil = it is not. Every operation fails with it then.
func (db *DB) Err() error {
	select {
	case <-db.failed:
		return fmt.Errorf("the database cannot be used before the next start: %w", db.failure)
	default:
		return nil
	}
}

// View runs fn, which reads; again if the connection is lost meanwhile. It returns fn's error
// unchanged.
func (db *DB) View(ctx context.Context, fn func(ctx context.Context, q queryer) error) error {
	return observed(db, ctx, "read", fn, db.runView)
}

func (db *DB) runView(ctx context.Context, fn func(ctx context.Context, q queryer) error) error {
	ctx, cancel := context.WithTimeout(ctx, db.patience)
	defer cancel()
	return retry(ctx, func() (passing bool, err error) {
		if err := db.Err(); err != nil {
			return false, err
		}

		conn, err := db.Reader.Conn(ctx)
		if err != nil {
			return db.Shared(), fmt.Errorf("waiting for a connection: %w", err)
		}

		defer conn.Close()               // gives it back to the pool
		if err := db.Err(); err != nil { // of a write that was waited for
			return false, err
		}

		err = fn(ctx, conn)
		return err != nil && db.Shared() && isLost(conn), err
	})
}

// browsers is how many calls of Browse run at the same time: half of SQLite's readers.
const browsers = readers / 2

// Browse is View for searches by operators: they may take seconds, and shoppers' reads must
// find a connection meanwhile.
func (db *DB) Browse(ctx context.Context, fn func(ctx context.Context, q queryer) error) error {
	wait := time.NewTimer(db.patience)
	defer wait.Stop()
	select {
	case db.browsing <- struct{}{}:
		defer func() { <-db.browsing }()
		return db.View(ctx, func(ctx context.Context, q queryer) error {
			return db.bounded(ctx, q, fn)
		})
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
		return errors.New("too many concurrent searches")
	}
}

// bounded runs fn so that PostgreSQL ends its statements, too, if the caller gives up: the driver
// does not cancel them.
func (db *DB) bounded(
	ctx context.Context, q queryer, fn func(ctx context.Context, q queryer) error,
) error {
	conn, ok := q.(*sql.Conn)
	if !db.Shared() || !ok {
		return fn(ctx, q)
	}

	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("beginning a search: %w", err)
	}

	defer func() { _ = tx.Rollback() }() // has only read
	timeout := fmt.Sprintf(`SET LOCAL statement_timeout = %d`, db.patience.Milliseconds())
	if _, err := tx.ExecContext(ctx, timeout); err != nil {
		return fmt.Errorf("bounding a search: %w", err)
	}

	return fn(ctx, tx)
}

func isLost(conn *sql.Conn) bool {
	return conn.Raw(func(driverConn any) error {
		if closedPostgres(driverConn) {
			return driver.ErrBadConn
		}
		return nil
	}) != nil
}

// discard makes the pool close conn instead of using it again.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // returns what it is given
}
