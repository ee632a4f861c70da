package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"coinslot/bff/checkout"
)

// The table has one row, or none. Its lease and its epoch are as those of sessions.
const (
	beginComparison = `INSERT INTO comparisons (one, epoch, lease_until, run) VALUES (1, 1, $1, $2)
		ON CONFLICT (one) DO UPDATE SET epoch = comparisons.epoch + 1, lease_until = excluded.lease_until, run = excluded.run
		WHERE comparisons.lease_until IS NULL OR comparisons.lease_until <= $3 RETURNING epoch`
	keepComparison = `UPDATE comparisons SET lease_until = $2, run = $3 WHERE one = 1 AND epoch = $1 AND lease_until IS NOT NULL`
	endComparison  = `UPDATE comparisons SET lease_until = NULL, run = $2, report = COALESCE($3, report)
		WHERE one = 1 AND epoch = $1 AND lease_until IS NOT NULL`
	releaseComparison = `UPDATE comparisons SET lease_until = NULL WHERE one = 1`
	readComparison    = `SELECT epoch, lease_until, run, report FROM comparisons WHERE one = 1`
)

// BeginComparing implements checkout.Comparisons.
func (db *DB) BeginComparing(ctx context.Context, c checkout.Comparing, now time.Time, lease time.Duration) (epoch int64, err error) {
	run, err := document(c)
	if err != nil {
		return 0, err
	}
	err = db.write(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, beginComparison, now.Add(lease).UnixMicro(), run, now.UnixMicro()).Scan(&epoch)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return 0, checkout.ErrComparing
	}
	if err != nil {
		return 0, fmt.Errorf("storing a comparison: %w", err)
	}
	return epoch, nil
}

// KeepComparing implements checkout.Comparisons.
func (db *DB) KeepComparing(ctx context.Context, epoch int64, c checkout.Comparing, until time.Time) error {
	run, err := document(c)
	if err != nil {
		return err
	}
	return db.atComparison(ctx, keepComparison, epoch, until.UnixMicro(), run)
}

// EndComparing implements checkout.Comparisons.
func (db *DB) EndComparing(ctx context.Context, epoch int64, c checkout.Comparing, r *checkout.Report) error {
	run, err := document(c)
	if err != nil {
		return err
	}
	var report sql.NullString
	if r != nil {
		if report.String, err = document(r); err != nil {
			return err
		}
		report.Valid = true
	}
	return db.atComparison(ctx, endComparison, epoch, run, report)
}

func document(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encoding a comparison: %w", err)
	}
	return string(text), nil
}

// atComparison changes the comparison of an epoch. Errors: ErrFenced if it is not
// under way any more.
func (db *DB) atComparison(ctx context.Context, query string, args ...any) error {
	err := db.write(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, query, args...)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err == nil && n == 0 {
			err = checkout.ErrFenced
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("storing a comparison: %w", err)
	}
	return nil
}

// Compared implements checkout.Comparisons.
func (db *DB) Compared(ctx context.Context) (c checkout.Compared, err error) {
	var until sql.NullInt64
	var run string
	var report sql.NullString
	err = db.view(ctx, func(ctx context.Context, q queryer) error {
		return q.QueryRowContext(ctx, readComparison).Scan(&c.Epoch, &until, &run, &report)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return checkout.Compared{}, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(run), &c.Last)
	}
	if err == nil && report.Valid {
		err = json.Unmarshal([]byte(report.String), &c.Report)
	}
	if err != nil {
		return checkout.Compared{}, fmt.Errorf("reading the last comparison: %w", err)
	}
	c.Until = at(until)
	return c, nil
}
