package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"coinslot/bff/checkout"
)

const (
	touchSession = `UPDATE sessions SET checked_at = $3, due_at = $4 WHERE id = $1 AND version = $2`
	dueSessions  = `SELECT ` + sessionColumns + ` FROM sessions WHERE due_at <= $1 ORDER BY due_at LIMIT $2`
	leaseSession = `UPDATE sessions SET due_at = $2 WHERE id = $1`
)

// Touch implements checkout.Store.
func (db *DB) Touch(ctx context.Context, id string, version int64, checkedAt, dueAt time.Time) error {
	err := db.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, touchSession, id, version, micros(checkedAt), micros(dueAt))
		return err
	})
	if err != nil {
		return fmt.Errorf("touching session %q: %w", id, err)
	}
	return nil
}

// Claim implements checkout.Store. No session is claimed if limit is below 1.
func (db *DB) Claim(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]checkout.Session, error) {
	if limit < 1 { // which SQL would take for "no limit"
		return nil, nil
	}
	var claimed []checkout.Session
	err := db.write(ctx, func(tx *sql.Tx) (err error) {
		if claimed, err = querySessions(ctx, tx, dueSessions, now.UnixMicro(), limit); err != nil {
			return err
		}
		for _, s := range claimed {
			if _, err := tx.ExecContext(ctx, leaseSession, s.ID, now.Add(lease).UnixMicro()); err != nil {
				return fmt.Errorf("leasing session %q: %w", s.ID, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("claiming due sessions: %w", err)
	}
	return claimed, nil
}
