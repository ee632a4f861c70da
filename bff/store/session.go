package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"coinslot/bff/checkout"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
)

// The queries for one session, by $1.
const (
	sessionColumns = `sessions.id, created_at, doc, checked_at, due_at, watched_until, epoch,
		unreadable_at IS NOT NULL`
	sessionForUpdate = sessionByID + ` FOR UPDATE`
	sessionByID      = `SELECT ` + sessionColumns + ` FROM sessions WHERE id = $1`
	sessionByRef     = `SELECT ` + sessionColumns + ` FROM sessions WHERE order_ref = $1`
	sessionByKey     = `SELECT ` + sessionColumns + ` FROM sessions WHERE idempotency_key = $1`
)

// row is a session as it was read. The columns win over doc, since Touch, Watch
// and Claim write nothing else.
type row struct {
	id                             string // a key
	createdAt                      int64
	doc                            []byte
	checkedAt, dueAt, watchedUntil sql.NullInt64
	epoch                          int64
	setAside                       bool
}

func (r *row) fields() []any {
	return []any{
		&r.id, &r.createdAt, &r.doc, &r.checkedAt, &r.dueAt, &r.watchedUntil, &r.epoch, &r.setAside,
	}
}

func scanRow(rows *sql.Rows) (r row, err error) {
	err = rows.Scan(r.fields()...)
	return r, err
}

func (r *row) place() cursor { return cursor{r.createdAt, fromKey(r.id)} }

func (r *row) scan(from *sql.Row) error {
	err := from.Scan(r.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return payment.ErrNotFound
	}
	return err
}

// session decodes r. Each call returns a value that shares nothing with others. Errors:
// *unreadableError.
func (r *row) session() (payment.Session, error) {
	var s payment.Session
	err := json.Unmarshal(r.doc, &s)
	if err == nil && keyOf(s.ID) != r.id {
		err = fmt.Errorf("its document is that of session %q", s.ID)
	}
	if err != nil {
		return payment.Session{}, &unreadableError{*r, err}
	}

	s.CheckedAt = timeOf(r.checkedAt)
	s.DueAt = timeOf(r.dueAt)
	return s, nil
}

// unclaimed is session for the checkout, which only reads it.
func (r *row) unclaimed() (checkout.StoredSession, error) {
	s, err := r.session()
	return checkout.StoredSession{Session: s, WatchedUntil: timeOf(r.watchedUntil)}, err
}

// claimed is session for the checkout, with the claim that r was read for.
func (r *row) claimed() (checkout.StoredSession, error) {
	s, err := r.unclaimed()
	s.Epoch = r.epoch
	return s, err
}

// tracked is session for list polls.
func (r *row) tracked() (gatewaylist.TrackedSession, error) {
	s, err := r.session()
	return gatewaylist.TrackedSession{Session: s, WatchedUntil: timeOf(r.watchedUntil)}, err
}

// with returns the session with err, unless it is unreadable.
func (r *row) with(err error) (payment.Session, error) {
	s, unreadable := r.session()
	if unreadable != nil {
		return s, unreadable
	}
	return s, err
}

func readRow(ctx context.Context, q queryer, query, of string) (row, error) {
	var r row
	err := r.scan(q.QueryRowContext(ctx, query, keyOf(of)))
	return r, err
}

// Load implements checkout.Store.
func (db *DB) Load(ctx context.Context, id string) (checkout.StoredSession, error) {
	var r row
	err := db.View(ctx, func(ctx context.Context, q queryer) (err error) {
		r, err = readRow(ctx, q, sessionByID, id)
		return err
	})
	if errors.Is(err, payment.ErrNotFound) {
		return checkout.StoredSession{}, err
	}
	if err != nil {
		return checkout.StoredSession{}, fmt.Errorf("reading a session: %w", err)
	}

	s, err := r.unclaimed()
	return s, db.noteUnreadable(ctx, err)
}

// Session is Load for those who need only the session itself.
func (db *DB) Session(ctx context.Context, id string) (payment.Session, error) {
	s, err := db.Load(ctx, id)
	return s.Session, err
}
