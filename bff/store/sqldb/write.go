package sqldb

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
	// MaxTries bounds how often a transaction is run that the database has undone.
	MaxTries = 5
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

// IsUnknown reports whether err is of a commit that may have been written.
func IsUnknown(err error) bool {
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
	if err != nil && db.Dialect.cannotWrite(err) && !db.writeFailing.Swap(true) {
		db.Log.ErrorContext(ctx, "writing to the database fails; not ready until it works again",
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
	for _, query := range []string{deleteWriteCheck, db.Dialect.insertWriteCheck, deleteWriteCheck} {
		if err := db.Execute(ctx, query); err != nil {
			return fmt.Errorf("writing to the database: %w", err)
		}
	}
	if db.writeFailing.Swap(false) {
		db.Log.InfoContext(ctx, "writing to the database works again")
	}
	return nil
}

func (db *DB) runWrite(ctx context.Context, run func(context.Context, *sql.Tx) error) error {
	fn := func(tx *sql.Tx) error { return run(ctx, tx) }
	ctx, cancel := context.WithTimeout(ctx, db.Patience)
	defer cancel()
	if !db.Shared() {
		return db.writeBatched(ctx, fn)
	}
	return retry(ctx, func() (passing bool, err error) {
		conn, err := db.Writer.Conn(ctx)
		if err != nil {
			return true, fmt.Errorf("waiting for the writer: %w", err)
		}
		defer conn.Close() // gives it back to the pool
		err = db.transact(ctx, conn, fn)
		if sqlState(err) == readOnlyTransaction {
			db.pool.Reset() // what the pooler leads to has become a standby
			return true, err
		}
		return err != nil && !IsUnknown(err) && (db.Dialect.retryable(err) || isLost(conn)), err
	})
}

// retry calls do until it succeeds, fails for good, or has failed MaxTries times.
func retry(ctx context.Context, do func() (passing bool, err error)) error {
	for try := 1; ; try++ {
		passing, err := do()
		if err == nil || !passing || try == MaxTries {
			return err
		}
		if !background.Sleep(ctx, rand.N(time.Duration(1<<try)*10*time.Millisecond)) {
			return err
		}
	}
}

// transact is Write without earlier and further tries.
func (db *DB) transact(ctx context.Context, conn *sql.Conn, fn func(tx *sql.Tx) error) error {
	t, err := db.begin(ctx, conn)
	if err != nil {
		return err
	}
	defer t.end()
	if err := fn(t.tx); err != nil {
		return err
	}
	return t.commit()
}

// transaction is one that writes. A connection whose commit or rollback failed is not used again.
type transaction struct {
	db     *DB
	conn   *sql.Conn
	tx     *sql.Tx
	cancel context.CancelFunc
}

// begin begins a transaction, which the caller has to end.
//
// The end of the caller's context ends fn's statements, but not the commit: else what fn
// claimed could be written without the caller knowing.
func (db *DB) begin(ctx context.Context, conn *sql.Conn) (*transaction, error) {
	whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), db.Patience)
	var options *sql.TxOptions
	if db.pooled {
		options = &sql.TxOptions{Isolation: sql.LevelReadCommitted}
	}
	tx, err := conn.BeginTx(whole, options)
	if err == nil && db.pooled {
		_, err = tx.ExecContext(whole, setTransaction)
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("beginning a transaction: %w", err)
	}
	return &transaction{db, conn, tx, cancel}, nil
}

func (t *transaction) commit() error {
	commit := t.tx.Commit
	if t.db.Shared() {
		commit = t.commitPostgres
	}
	if err := commit(); err != nil {
		if t.db.Dialect.ambiguous(err) {
			t.db.unknown.Store(true)
		}
		discard(t.conn)
		return t.db.Dialect.commitError(err)
	}
	return nil
}

func (t *transaction) end() {
	if err := t.tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		discard(t.conn)
	}
	t.cancel()
}

// View runs fn, which reads what a restart would find; again if the connection is lost
// meanwhile. It returns fn's error unchanged.
func (db *DB) View(ctx context.Context, fn func(ctx context.Context, q Queryer) error) error {
	return observed(db, ctx, "read", fn, db.runView)
}

// clearUnknown makes known what a restart would find: a failed commit may still appear.
func (db *DB) clearUnknown(ctx context.Context) error {
	if !db.unknown.Load() {
		return nil
	}
	return db.Write(ctx, func(*sql.Tx) error { return nil }) // does what is needed first
}

// ViewRow is View for one query, whose text is constant: SQLite parses it once, which takes longer
// than to read a row. PostgreSQL's driver does so anyway. On SQLite, such a read is not canceled:
// the goroutines that could do that take longer than the read.
func (db *DB) ViewRow(
	ctx context.Context, scan func(*sql.Row) error, query string, args ...any,
) error {
	if db.Shared() {
		return db.View(ctx, func(ctx context.Context, q Queryer) error {
			return scan(q.QueryRowContext(ctx, query, args...))
		})
	}
	read := func(ctx context.Context, s *sql.Stmt) error {
		return scan(s.QueryRowContext(ctx, args...))
	}
	return observed(db, ctx, "read", read, func(
		ctx context.Context, fn func(context.Context, *sql.Stmt) error,
	) error {
		if err := db.clearUnknown(ctx); err != nil {
			return err
		}
		s, err := db.statement(ctx, query)
		if err != nil {
			return err
		}
		return fn(context.WithoutCancel(ctx), s)
	})
}

// statement returns the prepared statement of a query, which ends with the database.
func (db *DB) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if known, ok := db.statements.Load(query); ok {
		return known.(*sql.Stmt), nil
	}
	s, err := db.Reader.PrepareContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("preparing a query: %w", err)
	}
	known, loaded := db.statements.LoadOrStore(query, s)
	if loaded {
		defer s.Close()
	}
	return known.(*sql.Stmt), nil
}

func (db *DB) runView(ctx context.Context, fn func(ctx context.Context, q Queryer) error) error {
	if err := db.clearUnknown(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, db.Patience)
	defer cancel()
	return retry(ctx, func() (passing bool, err error) {
		conn, err := db.Reader.Conn(ctx)
		if err != nil {
			return db.Shared(), fmt.Errorf("waiting for a connection: %w", err)
		}
		defer conn.Close() // gives it back to the pool
		err = fn(ctx, conn)
		return err != nil && db.Shared() && isLost(conn), err
	})
}

// browsers is how many calls of Browse run at the same time: half of SQLite's readers.
const browsers = readers / 2

// Browse is View for searches by operators: they may take seconds, and shoppers' reads must
// find a connection meanwhile.
func (db *DB) Browse(ctx context.Context, fn func(ctx context.Context, q Queryer) error) error {
	wait := time.NewTimer(db.Patience)
	defer wait.Stop()
	select {
	case db.browsing <- struct{}{}:
		defer func() { <-db.browsing }()
		return db.View(ctx, fn)
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
		return errors.New("too many concurrent searches")
	}
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
