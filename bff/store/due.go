package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
)

const (
	touchSession = `UPDATE sessions SET checked_at = $3, due_at = $4 WHERE id = $1 AND version = $2`
	touchClaimed = `UPDATE sessions SET checked_at = $3, due_at = $4, lease_until = NULL
		WHERE id = $1 AND version = $2 AND epoch = $5`
	// lane is 2 for a session that is set aside, which is never claimed, 1 for one that is due for
	// a late check, else 0: an index begins with it, so that no kind is searched for among others.
	lane = `CASE WHEN unreadable_at IS NOT NULL THEN 2 WHEN late_from <= due_at THEN 1
		ELSE 0 END`
	claimSessions = `WITH due AS MATERIALIZED (SELECT id FROM sessions
			WHERE ` + lane + ` = $4 AND due_at <= $1 AND (lease_until IS NULL OR lease_until <= $1)
			ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
		UPDATE sessions SET lease_until = $3, epoch = epoch + 1 FROM due WHERE sessions.id = due.id
		RETURNING ` + sessionColumns
	claimThese = `WITH due AS MATERIALIZED (SELECT id FROM sessions
			WHERE id IN %s AND due_at <= $1 AND (lease_until IS NULL OR lease_until <= $1)
			AND unreadable_at IS NULL LIMIT $2
			FOR UPDATE SKIP LOCKED)
		UPDATE sessions SET lease_until = $3, epoch = epoch + 1 FROM due WHERE sessions.id = due.id
		RETURNING ` + sessionColumns
	holdSession = `UPDATE sessions SET lease_until = $2, epoch = epoch + 1 WHERE id = $1
		RETURNING ` + sessionColumns
	releaseSession = `UPDATE sessions SET lease_until = NULL, due_at = CASE WHEN due_at IS NOT
		DISTINCT FROM $3 THEN $4 ELSE due_at END
		WHERE id = $1 AND epoch = $2 AND lease_until IS NOT NULL`
)

var (
	// Only those that a poll or a search keeps alive, and those that were checked in
	// the future: the others wait for a time of their own, days ahead. A row with a lease
	// gets its due time from its holder.
	capDue = `UPDATE sessions SET due_at = $1,
			lease_until = CASE WHEN lease_until > $3 THEN NULL ELSE lease_until END
		WHERE due_at > $1 AND (` + inStatus(wire.Status.Waiting) + ` OR checked_at > $1)
		AND (lease_until IS NULL OR lease_until <= $2 OR lease_until > $3)`
	// The rows are locked in one order by all instances.
	watchSessions = `WITH seen AS MATERIALIZED (SELECT id FROM sessions
		WHERE ` + inStatus(watchable) + ` AND id IN %s ORDER BY id FOR UPDATE)
		UPDATE sessions SET watched_until = CASE WHEN watched_until > $1 THEN watched_until ELSE $1
		END,
		due_at = CASE WHEN due_at < $2 THEN due_at ELSE $2 END FROM seen WHERE sessions.id =
		seen.id`
)

// watchable reports whether sessions in s are checked more often while a page is open.
func watchable(s wire.Status) bool { return s.Waiting() && s.Outcome() == wire.Payable }

// Touch implements checkout.Store.
func (db *DB) Touch(
	ctx context.Context, s checkout.StoredSession, checkedAt, dueAt time.Time,
) error {
	query := touchSession
	args := []any{
		keyOf(s.ID), s.Version, microsOf(checkedAt), microsOf(dueAt),
	}
	if s.Epoch != 0 {
		query = touchClaimed
		args = append(args, s.Epoch)
	}
	return wrap(db.Execute(ctx, query, args...), "touching session %q", s.ID)
}

// Release implements checkout.Store.
func (db *DB) Release(ctx context.Context, s checkout.StoredSession, dueAt time.Time) error {
	err := db.Execute(ctx, releaseSession, keyOf(s.ID), s.Epoch, microsOf(s.DueAt),
		microsOf(dueAt))
	return wrap(err, "releasing session %q", s.ID)
}

// Claim implements checkout.DueStore. No session is claimed if limit is below 1.
func (db *DB) Claim(
	ctx context.Context, now time.Time, lease time.Duration, limit int, late bool,
) ([]checkout.StoredSession, error) {
	if limit < 1 { // which SQLite takes for "no limit"
		return nil, nil
	}
	lane := 0
	if late {
		lane = 1
	}
	return db.claim(ctx, claimSessions, now.UnixMicro(), limit, now.Add(lease).UnixMicro(), lane)
}

// ClaimOf implements checkout.DueStore.
func (db *DB) ClaimOf(
	ctx context.Context, ids []string, now time.Time, lease time.Duration, limit int,
) (claimed []checkout.StoredSession, err error) {
	for batch := range slices.Chunk(distinct(ids), batchSize) {
		if limit <= len(claimed) {
			break
		}
		query, args := claimQuery(batch, now, lease, limit-len(claimed))
		list, err := db.claim(ctx, query, args...)
		claimed = append(claimed, list...)
		if err != nil {
			return claimed, err
		}
	}

	return claimed, nil
}

func claimQuery(
	ids []string, now time.Time, lease time.Duration, limit int,
) (query string, args []any) {
	in, list := inList(4, ids)
	args = []any{now.UnixMicro(), limit, now.Add(lease).UnixMicro()}
	return fmt.Sprintf(claimThese, in), append(args, list...)
}

// claim returns what query claims, and claims again if none of that is readable: a caller that
// gets nothing takes it that nothing is due.
func (db *DB) claim(
	ctx context.Context, query string, args ...any,
) ([]checkout.StoredSession, error) {
	var claimed []checkout.StoredSession
	for len(claimed) == 0 {
		var rows []row
		err := db.Write(ctx, func(tx *sql.Tx) (err error) {
			rows, err = collect(ctx, tx, scanRow, db.dialect.Locked(query), args...)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("claiming due sessions: %w", err)
		}
		if len(rows) == 0 {
			return nil, nil
		}

		claimed = readable(ctx, db, rows, (*row).claimed)
	}

	slices.SortFunc(claimed, func(a, b checkout.StoredSession) int {
		return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID))
	})
	return claimed, nil
}

// Hold implements checkout.Store.
func (db *DB) Hold(
	ctx context.Context, id string, now time.Time, lease time.Duration,
) (checkout.StoredSession, error) {
	var r row
	err := db.Write(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, holdSession, keyOf(id), now.Add(lease).UnixMicro()).
			Scan(r.fields()...)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return checkout.StoredSession{}, payment.ErrNotFound
	}
	if err != nil {
		return checkout.StoredSession{}, fmt.Errorf("holding session %q: %w", id, err)
	}

	s, err := r.claimed()
	return s, db.noteUnreadable(ctx, err)
}

// longestLease is longer than any lease is taken for.
const longestLease = 5 * time.Minute

// CapDue makes sessions that wait, or were checked later than now+most, due at now+most, if they
// are due later, and returns how many there were. A clock that was ahead has written such due
// times; until it had caught up, no instance would check them. Leases of such a clock end.
func (db *DB) CapDue(
	ctx context.Context, now time.Time, most time.Duration,
) (capped int, err error) {
	err = db.Write(ctx, func(tx *sql.Tx) (err error) {
		capped, err = affected(ctx, tx, capDue, now.Add(most).UnixMicro(),
			now.UnixMicro(), now.Add(longestLease).UnixMicro())
		return err
	})
	return capped, wrap(err, "limiting due times")
}

// Watch marks the pages of sessions as open until a time, and makes those that wait for money due no
// later than dueBy. Errors: the database's.
func (db *DB) Watch(ctx context.Context, ids []string, until, dueBy time.Time) error {
	for batch := range slices.Chunk(distinct(ids), batchSize) {
		query, args := watchQuery(batch, until, dueBy)
		if err := db.Execute(ctx, db.dialect.Locked(query), args...); err != nil {
			return fmt.Errorf("marking sessions as watched: %w", err)
		}
	}
	return nil
}

func watchQuery(ids []string, until, dueBy time.Time) (query string, args []any) {
	in, list := inList(3, ids)
	args = []any{until.UnixMicro(), dueBy.UnixMicro()}
	return fmt.Sprintf(watchSessions, in), append(args, list...)
}

// inStatus is the condition, in SQL, that is holds for a session's status.
func inStatus(is func(wire.Status) bool) string {
	var names []string
	for _, s := range wire.StatusesWhere(is) {
		names = append(names, "'"+string(s)+"'")
	}
	return "status IN (" + strings.Join(names, ", ") + ")"
}
