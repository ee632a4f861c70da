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
)

// The table has at most one row for each kind of run; see runRow. Its
// lease and its epoch are as those of sessions.
const (
	beginRun = `INSERT INTO list_runs (kind, epoch, lease_until, run) VALUES ($1, 1, $2, $3)
		ON CONFLICT (kind) DO UPDATE SET epoch = list_runs.epoch + 1, lease_until =
		excluded.lease_until, run = excluded.run
		WHERE (list_runs.lease_until IS NULL OR list_runs.lease_until <= $4)
			AND (list_runs.next_at IS NULL OR list_runs.next_at <= $4
				OR list_runs.next_at > $5)
		RETURNING epoch`
	extendRun = `UPDATE list_runs SET lease_until = $3, run = $4
		WHERE kind = $1 AND epoch = $2 AND lease_until IS NOT NULL`
	endRun = `UPDATE list_runs
		SET lease_until = NULL, next_at = $3, run = $4, report = COALESCE($5, report)
		WHERE kind = $1 AND epoch = $2 AND lease_until IS NOT NULL`
	forgetRunOf = `UPDATE list_runs SET next_at = NULL, run = $3, report = NULL
		WHERE kind = $1 AND epoch = $2`
	readRun = `SELECT epoch, lease_until, next_at, run, report
		FROM list_runs WHERE kind = $1`
	oldestSession = `SELECT created_at FROM sessions
		WHERE created_at > 0 ORDER BY created_at LIMIT 1`
)

// runRow is the row of a kind of run; that of requested ones is 1.
func runRow(kind gatewaylist.RunKind) int { return int(kind) + 1 }

// BeginRun implements gatewaylist.Runs.
func (db *DB) BeginRun(
	ctx context.Context, c gatewaylist.Run, now time.Time, lease time.Duration,
) (epoch int64, err error) {
	run, err := document(c)
	if err != nil {
		return 0, err
	}

	args := []any{
		runRow(c.Kind), now.Add(lease).UnixMicro(), run,
		now.UnixMicro(), now.Add(gatewaylist.MaxPause).UnixMicro(),
	}
	err = db.Write(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, beginRun, args...).Scan(&epoch)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return 0, gatewaylist.ErrRunning
	}

	return epoch, wrap(err, "storing a reconciliation run")
}

// ExtendRun implements gatewaylist.Runs.
func (db *DB) ExtendRun(ctx context.Context, epoch int64, c gatewaylist.Run, until time.Time) error {
	run, err := document(c)
	if err != nil {
		return err
	}
	row := runRow(c.Kind)
	return db.changeRun(ctx, extendRun, row, epoch, until.UnixMicro(), run)
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
		report.String, err = document(r)
		if err != nil {
			return err
		}
		report.Valid = true
	}

	row := runRow(c.Kind)
	return db.changeRun(ctx, endRun, row, epoch, microsOf(next), run, report)
}

func document(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), wrap(err, "encoding a reconciliation run")
}

// changeRun changes the run of an epoch. Errors: ErrFenced if it is not
// under way any more.
func (db *DB) changeRun(ctx context.Context, query string, args ...any) error {
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
	return wrap(err, "storing a reconciliation run")
}

// LastRun implements gatewaylist.Runs.
func (db *DB) LastRun(
	ctx context.Context, kind gatewaylist.RunKind,
) (c gatewaylist.RunStatus, err error) {
	var until, next sql.NullInt64
	var run string
	var report sql.NullString
	err = db.View(ctx, func(ctx context.Context, q queryer) error {
		row := q.QueryRowContext(ctx, readRun, runRow(kind))
		return row.Scan(&c.Epoch, &until, &next, &run, &report)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return gatewaylist.RunStatus{}, nil
	}
	if err != nil {
		return gatewaylist.RunStatus{}, fmt.Errorf("reading the last reconciliation run: %w", err)
	}

	c.Until = timeOf(until)
	c.Next = timeOf(next)
	err = json.Unmarshal([]byte(run), &c.Last)
	if err == nil && report.Valid {
		err = json.Unmarshal([]byte(report.String), &c.Report)
	}
	if err != nil {
		c.Last = gatewaylist.Run{Kind: kind}
		c.Report = nil
		c.Next = time.Time{}
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

	err = db.Execute(ctx, forgetRunOf, runRow(kind), epoch, empty)
	if err != nil {
		return fmt.Errorf("forgetting an unreadable reconciliation run: %w", err)
	}

	db.log.ErrorContext(ctx, "the last reconciliation run is unreadable and was forgotten",
		"kind", kind, "error", cause)
	return nil
}

// OldestSession implements gatewaylist.Runs.
func (db *DB) OldestSession(ctx context.Context) (time.Time, error) {
	created, err := readOne[sql.NullInt64](ctx, db, oldestSession)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, fmt.Errorf("finding the oldest session: %w", err)
	}
	return timeOf(created), nil
}
