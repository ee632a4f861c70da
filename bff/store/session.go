package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"coinslot/bff/checkout"
)

// The queries for one session. $1 is what is looked for.
const (
	sessionColumns   = `doc, checked_at, due_at`
	sessionByID      = `SELECT ` + sessionColumns + ` FROM sessions WHERE id = $1`
	sessionByRef     = `SELECT ` + sessionColumns + ` FROM sessions WHERE order_ref = $1`
	sessionByKey     = `SELECT ` + sessionColumns + ` FROM sessions WHERE idempotency_key = $1`
	sessionByAttempt = `SELECT ` + sessionColumns + ` FROM sessions WHERE id =
		(SELECT session FROM attempts WHERE tracking_code = $1 OR marker = $1 LIMIT 1)`
	insertSession = `INSERT INTO sessions (id, version, status, order_ref, idempotency_key, created_at, checked_at, due_at, doc)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`
	updateSession = `UPDATE sessions SET version = $2, status = $3, order_ref = $4, idempotency_key = $5,
		created_at = $6, checked_at = $7, due_at = $8, doc = $9 WHERE id = $1`
)

// queryer is a pool or a transaction.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// row is a session as it was read. The columns win over doc, since Touch and
// Claim write nothing else.
type row struct {
	doc              []byte
	checkedAt, dueAt sql.NullInt64
}

// fields are where a scan of sessionColumns puts them.
func (r *row) fields() []any { return []any{&r.doc, &r.checkedAt, &r.dueAt} }

// session decodes r; each call returns a value that shares nothing with others.
func (r *row) session() (checkout.Session, error) {
	var s checkout.Session
	if err := json.Unmarshal(r.doc, &s); err != nil {
		return checkout.Session{}, fmt.Errorf("decoding a session: %w", err)
	}
	s.CheckedAt, s.DueAt = at(r.checkedAt), at(r.dueAt)
	return s, nil
}

// with returns the session of r and err.
func (r *row) with(err error) (checkout.Session, error) {
	s, decodeErr := r.session()
	if decodeErr != nil {
		return s, errors.Join(err, decodeErr)
	}
	return s, err
}

// readRow reads the one row that query finds. Errors: ErrNotFound.
func readRow(ctx context.Context, q queryer, query, key string) (row, error) {
	var r row
	err := q.QueryRowContext(ctx, query, key).Scan(r.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return r, checkout.ErrNotFound
	}
	return r, err
}

// read returns the session that query finds.
func (db *DB) read(ctx context.Context, query, key string) (checkout.Session, error) {
	if err := db.certain(ctx); err != nil {
		return checkout.Session{}, err
	}
	r, err := readRow(ctx, db.reader, query, key)
	if errors.Is(err, checkout.ErrNotFound) {
		return checkout.Session{}, err
	}
	if err != nil {
		return checkout.Session{}, fmt.Errorf("reading a session: %w", err)
	}
	return r.session()
}

// Session implements checkout.Store.
func (db *DB) Session(ctx context.Context, id string) (checkout.Session, error) {
	return db.read(ctx, sessionByID, id)
}

// Lookup implements checkout.Store.
func (db *DB) Lookup(ctx context.Context, trackingCodeOrMarker string) (checkout.Session, error) {
	return db.read(ctx, sessionByAttempt, trackingCodeOrMarker)
}

// Insert implements checkout.Store. If Order.Ref and IdempotencyKey are taken
// by two sessions, the holder of Order.Ref is returned.
func (db *DB) Insert(ctx context.Context, s checkout.Session) (checkout.Session, error) {
	s.Version = 1
	var result row
	err := db.write(ctx, func(tx *sql.Tx) (err error) {
		var written bool
		result, written, err = put(ctx, tx, insertSession, s)
		if err != nil {
			return err
		}
		if !written {
			result, err = holder(ctx, tx, s)
			return err
		}
		return db.index(ctx, tx, s.ID, nil, holds(s))
	})
	if err != nil && !errors.Is(err, checkout.ErrExists) {
		return checkout.Session{}, fmt.Errorf("inserting session %q: %w", s.ID, err)
	}
	return result.with(err)
}

// holder returns the session that has s's Order.Ref or IdempotencyKey, with
// ErrExists.
func holder(ctx context.Context, tx *sql.Tx, s checkout.Session) (row, error) {
	r, err := readRow(ctx, tx, sessionByRef, s.Order.Ref)
	if errors.Is(err, checkout.ErrNotFound) {
		r, err = readRow(ctx, tx, sessionByKey, s.IdempotencyKey)
	}
	switch {
	case errors.Is(err, checkout.ErrNotFound):
		return r, errors.New("the id is taken")
	case err != nil:
		return r, fmt.Errorf("reading the session that is there: %w", err)
	}
	return r, checkout.ErrExists
}

// Update implements checkout.Store. With one of its sentinels, or change's
// error, the session as it is comes too.
func (db *DB) Update(ctx context.Context, id string, change func(*checkout.Session) ([]checkout.Event, error)) (checkout.Session, error) {
	var before, after row
	var refusal error // of change
	err := db.write(ctx, func(tx *sql.Tx) (err error) {
		if before, err = readRow(ctx, tx, sessionByID, id); err != nil {
			return err
		}
		s, err := before.session()
		if err != nil {
			return err
		}
		version, held := s.Version, holds(s)
		events, err := change(&s)
		if err != nil {
			refusal = err
			return err
		}
		s.ID, s.Version = id, version+1
		if after, _, err = put(ctx, tx, updateSession, s); err != nil {
			return err
		}
		if err := db.index(ctx, tx, id, held, holds(s)); err != nil {
			return err
		}
		return db.tell(ctx, tx, events)
	})
	switch {
	case err == nil:
		return after.session()
	case errors.Is(refusal, checkout.ErrUnchanged):
		return before.session()
	case refusal != nil || isConflict(err):
		return before.with(err)
	case errors.Is(err, checkout.ErrNotFound):
		return checkout.Session{}, err
	}
	return checkout.Session{}, fmt.Errorf("updating session %q: %w", id, err)
}

// put writes s and returns what will be read; written is false if the query
// wrote nothing.
func put(ctx context.Context, tx *sql.Tx, query string, s checkout.Session) (r row, written bool, err error) {
	doc, err := json.Marshal(s)
	if err != nil {
		return r, false, fmt.Errorf("encoding: %w", err)
	}
	r = row{doc: doc, checkedAt: micros(s.CheckedAt), dueAt: micros(s.DueAt)}
	result, err := tx.ExecContext(ctx, query, s.ID, s.Version, string(s.Status),
		text(s.Order.Ref), text(s.IdempotencyKey), s.CreatedAt.UnixMicro(), r.checkedAt, r.dueAt, string(doc))
	if err != nil {
		return r, false, err
	}
	n, err := result.RowsAffected()
	return r, n > 0, err
}
