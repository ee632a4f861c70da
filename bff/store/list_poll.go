package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"coinslot/bff/payment"
)

const (
	touchListed = `UPDATE sessions SET checked_at = $1, due_at = $2
		WHERE id = $3 AND version = $4 AND due_at = $5
		AND (lease_until IS NULL OR lease_until <= $6)`
	countSessions = `SELECT count(*) FROM sessions WHERE status = $1 AND deleted = 0`
	// The clock is the %[1]s. $2 is how long the lease lasts, $3 when the last one of this
	// instance ends: no other instance has written just that.
	acquireLease = `INSERT INTO buckets (name, next_at) VALUES ($1, %[1]s + $2)
		ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at
		WHERE buckets.next_at <= %[1]s OR buckets.next_at = $3 RETURNING next_at`
)

// TouchAll implements checkout.Store. All instances lock the rows in the same order.
func (db *DB) TouchAll(ctx context.Context, now time.Time, list []payment.Touched) error {
	list = slices.SortedFunc(slices.Values(list),
		func(a, b payment.Touched) int { return cmp.Compare(a.ID, b.ID) })
	err := db.Write(ctx, func(tx *sql.Tx) error {
		touch, err := tx.PrepareContext(ctx, touchListed)
		if err != nil {
			return err
		}
		defer touch.Close()
		for _, t := range list {
			if _, err := touch.ExecContext(
				ctx, microsOf(t.At), microsOf(t.Due), keyOf(t.ID), t.Version,
				microsOf(t.DueAt), now.UnixMicro(),
			); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap(err, "touching %d sessions", len(list))
}

// Tracked implements checkout.Store.
func (db *DB) Tracked(ctx context.Context, trackingCodes []string) ([]payment.Session, error) {
	var found []payment.Session
	for batch := range slices.Chunk(distinct(trackingCodes), batchSize) {
		query, args := trackedQuery(batch)
		rows, err := listRows(ctx, db, scanRow, query, args...)
		if err != nil {
			return nil, fmt.Errorf("finding sessions by tracking code: %w", err)
		}
		found = append(found, db.readable(ctx, rows)...)
	}
	// One can be found by two codes.
	slices.SortFunc(found, func(a, b payment.Session) int { return cmp.Compare(a.ID, b.ID) })
	same := func(a, b payment.Session) bool { return a.ID == b.ID }
	return slices.CompactFunc(found, same), nil
}

func trackedQuery(codes []string) (query string, args []any) {
	in, args := inList(1, codes)
	// CROSS keeps SQLite from reading all sessions to look for their attempts.
	return `SELECT ` + sessionColumns + ` FROM attempts CROSS JOIN sessions
		WHERE sessions.id = attempts.session AND tracking_code IN ` + in, args
}

// Count implements checkout.Store.
func (db *DB) Count(ctx context.Context, status string) (int, error) {
	n, err := readOne[int](ctx, db, countSessions, keyOf(status))
	return n, wrap(err, "counting sessions")
}

// Lease lets one instance at a time do something, most of the time: nothing may depend
// on it. All instances use the same name.
type Lease struct {
	db   *DB
	name string

	mu    sync.Mutex // guards the field below
	until int64      // as this instance has written it last; 0 = never
}

// Lease returns the lease of that name. No instance holds it before Acquire.
func (db *DB) Lease(name string) *Lease { return &Lease{db: db, name: name} }

// Acquire takes or extends the lease until d from now, by the database's clock. It reports
// false if another instance holds it. Errors: the database's; who holds it is unknown then.
func (t *Lease) Acquire(ctx context.Context, d time.Duration) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var until int64
	err := t.db.Write(ctx, func(tx *sql.Tx) error {
		query := fmt.Sprintf(acquireLease, t.db.dialect.Clock)
		return tx.QueryRowContext(ctx, query, t.name, d.Microseconds(), t.until).Scan(&until)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("acquiring lease %q: %w", t.name, err)
	}
	t.until = until
	return true, nil
}
