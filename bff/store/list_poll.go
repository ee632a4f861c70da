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
	"coinslot/bff/store/sqldb"
)

const (
	touchListed = `UPDATE sessions SET checked_at = $1, due_at = $2
		WHERE id = $3 AND version = $4 AND due_at = $5 AND (lease_until IS NULL OR
		lease_until <= $6)`
	countSessions = `SELECT count(*) FROM sessions WHERE status = $1`
	// The clock is the %[1]s. $2 is how long the turn lasts, $3 when the last one of
	// whoever asks ends: no other has written just that.
	acquireLease = `INSERT INTO buckets (name, next_at) VALUES ($1, %[1]s + $2)
		ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at WHERE buckets.next_at <= %[1]s
		OR buckets.next_at = $3
		RETURNING next_at`
)

// TouchAll implements checkout.Store. The rows are locked in one order by all
// instances.
func (db *DB) TouchAll(ctx context.Context, now time.Time, list []payment.Touched) error {
	list = slices.SortedFunc(
		slices.Values(list), func(a, b payment.Touched) int { return cmp.Compare(a.ID, b.ID) },
	)
	err := db.Write(ctx, func(tx *sql.Tx) error {
		touch, err := tx.PrepareContext(ctx, touchListed)
		if err != nil {
			return err
		}
		defer touch.Close()
		for _, t := range list {
			_, err := touch.ExecContext(
				ctx, sqldb.Micros(t.At), sqldb.Micros(t.Due), sqldb.Key(t.ID), t.Version,
				sqldb.Micros(t.DueAt),
				now.UnixMicro(),
			)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("touching %d sessions: %w", len(list), err)
	}
	return nil
}

// Tracked implements checkout.Store.
func (db *DB) Tracked(ctx context.Context, trackingCodes []string) ([]payment.Session, error) {
	var found []payment.Session
	for batch := range slices.Chunk(distinct(trackingCodes), sqldb.BatchSize) {
		err := db.View(ctx, func(ctx context.Context, q sqldb.Queryer) error {
			query, args := trackedQuery(batch)
			list, err := querySessions(ctx, q, query, args...)
			found = append(found, list...)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("looking for sessions: %w", err)
		}
	}
	return distinctSessions(found), nil
}

func trackedQuery(codes []string) (query string, args []any) {
	in, args := sqldb.InList(1, codes)
	// CROSS keeps SQLite from reading all sessions to look for their attempts.
	return `SELECT ` + sessionColumns + ` FROM attempts CROSS JOIN sessions WHERE sessions.id =
		attempts.session AND tracking_code IN ` + in, args
}

// distinctSessions is list without what was found by two codes.
func distinctSessions(list []payment.Session) []payment.Session {
	slices.SortFunc(list, func(a, b payment.Session) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(list, func(a, b payment.Session) bool { return a.ID == b.ID })
}

// Count implements checkout.Store.
func (db *DB) Count(ctx context.Context, status string) (n int, err error) {
	err = db.View(ctx, func(ctx context.Context, q sqldb.Queryer) error {
		return q.QueryRowContext(ctx, countSessions, sqldb.Key(status)).Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("counting sessions: %w", err)
	}
	return n, nil
}

// Lease is what one instance does at a time, by a name that all use: it keeps
// several from doing the same at once, most of the time. Nothing may depend on it.
type Lease struct {
	db   *DB
	name string

	mu    sync.Mutex // guards the field below
	until int64      // as this instance has written it last; 0 = never
}

// Lease returns the turn of that name, which nobody has before Take.
func (db *DB) Lease(name string) *Lease { return &Lease{db: db, name: name} }

// Acquire takes the turn until d from now, by the database's clock, and reports
// whether no other instance has it. Whoever has it takes it again to keep it.
// Errors: the database's, after which somebody may have it.
func (t *Lease) Acquire(ctx context.Context, d time.Duration) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var until int64
	err := t.db.Write(ctx, func(tx *sql.Tx) error {
		query := fmt.Sprintf(acquireLease, t.db.Dialect.Clock)
		return tx.QueryRowContext(ctx, query, t.name, d.Microseconds(), t.until).Scan(&until)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("taking the turn of %q: %w", t.name, err)
	}
	t.until = until
	return true, nil
}
