package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"coinslot/bff/gatewaylist"
)

const (
	touchListed = `UPDATE sessions SET checked_at = $1, due_at = $2
		WHERE id = $3 AND version = $4 AND due_at = $5
		AND (lease_until IS NULL OR lease_until <= $6)`
	countSessions = `SELECT count(*) FROM sessions WHERE status = $1 AND deleted = 0`
)

// TouchAll implements gatewaylist.ListStore. All instances lock the rows in the same order.
func (db *DB) TouchAll(ctx context.Context, now time.Time, list []gatewaylist.Touched) error {
	list = slices.SortedFunc(slices.Values(list),
		func(a, b gatewaylist.Touched) int { return cmp.Compare(a.ID, b.ID) })
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

// Tracked implements gatewaylist.ListStore.
func (db *DB) Tracked(
	ctx context.Context, trackingCodes []string,
) ([]gatewaylist.TrackedSession, error) {
	var found []gatewaylist.TrackedSession
	for batch := range slices.Chunk(distinct(trackingCodes), batchSize) {
		query, args := trackedQuery(batch)
		rows, err := listRows(ctx, db, scanRow, query, args...)
		if err != nil {
			return nil, fmt.Errorf("finding sessions by tracking code: %w", err)
		}
		found = append(found, readable(ctx, db, rows, (*row).tracked)...)
	}

	// One can be found by two codes.
	slices.SortFunc(found, func(a, b gatewaylist.TrackedSession) int {
		return cmp.Compare(a.ID, b.ID)
	})
	same := func(a, b gatewaylist.TrackedSession) bool { return a.ID == b.ID }
	return slices.CompactFunc(found, same), nil
}

func trackedQuery(codes []string) (query string, args []any) {
	in, args := inList(1, codes)
	// CROSS keeps SQLite from reading all sessions to look for their attempts.
	return `SELECT ` + sessionColumns + ` FROM attempts CROSS JOIN sessions
		WHERE sessions.id = attempts.session AND tracking_code IN ` + in, args
}

// Count returns how many sessions have a status, without deleted ones. Errors: the database's.
func (db *DB) Count(ctx context.Context, status string) (int, error) {
	n, err := readOne[int](ctx, db, countSessions, keyOf(status))
	return n, wrap(err, "counting sessions")
}
