package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/store/sqldb"
)

// The table has at most one row for each kind of comparison; see comparisonRow. Its
// lease and its epoch are as those of sessions.
const (
	beginComparison = `INSERT INTO comparisons (one, epoch, lease_until, run) VALUES ($1, 1, $2, $3)
		ON CONFLICT (one) DO UPDATE SET epoch = comparisons.epoch + 1, lease_until =
		excluded.lease_until, run = excluded.run
		WHERE (comparisons.lease_until IS NULL OR comparisons.lease_until <= $4)
			AND (comparisons.next_at IS NULL OR comparisons.next_at <= $4
				OR comparisons.next_at > $5)
		RETURNING epoch`
	keepComparison = `UPDATE comparisons SET lease_until = $3, run = $4
		WHERE one = $1 AND epoch = $2 AND lease_until IS NOT NULL`
	endComparison = `UPDATE comparisons
		SET lease_until = NULL, next_at = $3, run = $4, report = COALESCE($5, report)
		WHERE one = $1 AND epoch = $2 AND lease_until IS NOT NULL`
	forgetComparison = `UPDATE comparisons SET next_at = NULL, run = $3, report = NULL
		WHERE one = $1 AND epoch = $2`
	readComparison = `SELECT epoch, lease_until, next_at, run, report
		FROM comparisons WHERE one = $1`
	oldestSession = `SELECT created_at FROM sessions
		WHERE created_at > 0 ORDER BY created_at LIMIT 1`
)

// comparisonRow is the row of a kind of comparison; that of those asked for is 1.
func comparisonRow(kind gatewaylist.RunKind) int { return int(kind) + 1 }

// BeginRun implements gatewaylist.Runs.
func (db *DB) BeginRun(
	ctx context.Context, c gatewaylist.Run, now time.Time, lease time.Duration,
) (epoch int64, err error) {
	run, err := document(c)
	if err != nil {
		return 0, err
	}
	args := []any{
		comparisonRow(c.Kind), now.Add(lease).UnixMicro(), run,
		now.UnixMicro(), now.Add(gatewaylist.MaxPause).UnixMicro(),
	}
	err = db.Write(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, beginComparison, args...).Scan(&epoch)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return 0, gatewaylist.ErrRunning
	}
	return epoch, sqldb.Wrap(err, "storing a reconciliation run")
}

// ExtendRun implements gatewaylist.Runs.
func (db *DB) ExtendRun(ctx context.Context, epoch int64, c gatewaylist.Run, until time.Time) error {
	run, err := document(c)
	if err != nil {
		return err
	}
	one := comparisonRow(c.Kind)
	return db.atComparison(ctx, keepComparison, one, epoch, until.UnixMicro(), run)
}

// EndRun implements gatewaylist.Runs.
func (db *DB) EndRun(
	ctx context.Context, epoch int64, c gatewaylist.Run, r *gatewaylist.Report, next time.Time,
) error {
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
	one := comparisonRow(c.Kind)
	return db.atComparison(ctx, endComparison, one, epoch, sqldb.Micros(next), run, report)
}

func document(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), sqldb.Wrap(err, "encoding a reconciliation run")
}

// atComparison changes the comparison of an epoch. Errors: ErrFenced if it is not
// under way any more.
func (db *DB) atComparison(ctx context.Context, query string, args ...any) error {
	err := db.Write(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, query, args...)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err == nil && n == 0 {
			err = payment.ErrFenced
		}
		return err
	})
	return sqldb.Wrap(err, "storing a reconciliation run")
}

// LastRun implements gatewaylist.Runs.
func (db *DB) LastRun(ctx context.Context, kind gatewaylist.RunKind) (c gatewaylist.RunStatus, err error) {
	var until, next sql.NullInt64
	var run string
	var report sql.NullString
	err = db.View(ctx, func(ctx context.Context, q sqldb.Queryer) error {
		row := q.QueryRowContext(ctx, readComparison, comparisonRow(kind))
		return row.Scan(&c.Epoch, &until, &next, &run, &report)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return gatewaylist.RunStatus{}, nil
	}
	if err != nil {
		return gatewaylist.RunStatus{}, fmt.Errorf("reading the last reconciliation run: %w", err)
	}
	c.Until, c.Next = sqldb.Time(until), sqldb.Time(next)
	err = json.Unmarshal([]byte(run), &c.Last)
	if err == nil && report.Valid {
		err = json.Unmarshal([]byte(report.String), &c.Report)
	}
	if err != nil {
		c.Last, c.Report, c.Next = gatewaylist.Run{Kind: kind}, nil, time.Time{}
		err = db.forgetRun(ctx, kind, c.Epoch, err)
	}
	return c, err
}

// forgetRun forgets a run that cannot be decoded: the next one takes its place.
func (db *DB) forgetRun(
	ctx context.Context, kind gatewaylist.RunKind, epoch int64, cause error,
) error {
	if db.Writer == nil {
		return nil
	}
	empty, err := document(gatewaylist.Run{Kind: kind})
	if err != nil {
		return err
	}
	err = db.Execute(ctx, forgetComparison, comparisonRow(kind), epoch, empty)
	if err != nil {
		return fmt.Errorf("forgetting an unreadable reconciliation run: %w", err)
	}
	db.Log.ErrorContext(ctx, "the last reconciliation run is unreadable and was forgotten",
		"kind", kind, "error", cause)
	return nil
}

// OldestSession implements gatewaylist.Runs.
func (db *DB) OldestSession(ctx context.Context) (time.Time, error) {
	created, err := sqldb.One[sql.NullInt64](ctx, db.DB, oldestSession)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, fmt.Errorf("finding the oldest session: %w", err)
	}
	return sqldb.Time(created), nil
}
