package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"coinslot/bff/attention"
	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

// Rows are decoded one by one. A session whose document cannot be decoded is set aside: it is not
// claimed, no list has it, and reading it is an error, until it can be decoded again. The same is done
// with events, in unreadable_events.go.

const (
	setSessionAside = `UPDATE sessions SET unreadable_at = $2
		WHERE id = $1 AND unreadable_at IS NULL`
	restoreSession = `UPDATE sessions SET unreadable_at = NULL WHERE id = $1`
	// Sessions that are set aside, after $1 in the order of their ids.
	sessionsSetAside = `SELECT ` + sessionColumns + `, unreadable_at FROM sessions
		WHERE unreadable_at IS NOT NULL AND id > $1 ORDER BY id LIMIT $2`
	countSetAside = `SELECT count(*) FROM sessions WHERE unreadable_at IS NOT NULL AND id > ''`
)

const (
	// restoreEvery is how soon a row is used again after an operator has repaired it.
	restoreEvery = time.Minute
	// restoreScan is how many rows one read of a restore looks at.
	restoreScan = 100
)

// unreadableError is the error of a session that cannot be decoded.
type unreadableError struct {
	row   row
	cause error
}

func (e *unreadableError) Error() string {
	return fmt.Sprintf("decoding session %q: %v", fromKey(e.row.id), e.cause)
}

func (e *unreadableError) Unwrap() []error { return []error{payment.ErrUnreadable, e.cause} }

// readable returns rows decoded, and sets aside those that cannot be decoded. It must not be called
// in a transaction.
func readable[T any](
	ctx context.Context, db *DB, rows []row, decode func(*row) (T, error),
) []T {
	var list []T
	for i := range rows {
		s, err := decode(&rows[i])
		if err != nil {
			_ = db.noteUnreadable(ctx, err)
			continue
		}
		list = append(list, s)
	}
	return list
}

// noteUnreadable returns err. If it is of a session that cannot be decoded, it sets the session
// aside, and logs that once. It must not be called in a transaction.
func (db *DB) noteUnreadable(ctx context.Context, err error) error {
	unreadable, ok := errors.AsType[*unreadableError](err)
	if !ok || unreadable.row.setAside || db.Writer == nil {
		return err
	}

	n := 0
	failed := db.Write(ctx, func(tx *sql.Tx) (err error) {
		n, err = affected(ctx, tx, setSessionAside, unreadable.row.id, db.Now().UnixMicro())
		return err
	})
	if failed == nil && n > 0 {
		db.log.ErrorContext(ctx, "session is unreadable and was set aside",
			"session", fromKey(unreadable.row.id), "error", unreadable.cause)
	}

	return err
}

// runRestores restores once a minute until ctx ends.
func (db *DB) runRestores(ctx context.Context) {
	failing := false
	for background.Sleep(ctx, restoreEvery) {
		err := db.restore(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			db.log.WarnContext(ctx, "restoring unreadable rows failed; retrying", "error", err)
		}
		failing = err != nil
	}
}

// restore uses again what was set aside and can be decoded by now.
func (db *DB) restore(ctx context.Context) error {
	for last := ""; ; {
		list, err := db.setAside(ctx, last, restoreScan)
		if err != nil {
			return err
		}

		for _, r := range list {
			last = r.id
			s, err := r.session()
			if err != nil {
				continue
			}
			if err := db.Execute(ctx, restoreSession, r.id); err != nil {
				return fmt.Errorf("restoring session %q: %w", s.ID, err)
			}
			db.log.InfoContext(ctx, "session is readable again", "session", s.ID)
		}
		if len(list) < restoreScan {
			return db.RestoreEvents(ctx)
		}
	}
}

type rowSetAside struct {
	row
	since int64
}

// setAside returns sessions that are set aside, after one.
func (db *DB) setAside(ctx context.Context, after string, limit int) ([]rowSetAside, error) {
	list, err := listRows(ctx, db, func(rows *sql.Rows) (r rowSetAside, err error) {
		err = rows.Scan(append(r.fields(), &r.since)...)
		return r, err
	}, sessionsSetAside, after, limit)
	return list, wrap(err, "finding unreadable sessions")
}

// Unreadable implements attention.Stored.
func (db *DB) Unreadable(ctx context.Context, limit int) ([]attention.UnreadableRow, error) {
	list, err := db.setAside(ctx, "", limit)
	if err != nil {
		return nil, err
	}

	var all []attention.UnreadableRow
	for _, r := range list {
		u := attention.UnreadableRow{
			Kind:    attention.UnreadableSession,
			ID:      fromKey(r.id),
			Session: fromKey(r.id),
			Since:   time.UnixMicro(r.since).UTC(),
		}
		_, err := r.session()
		if unreadable, ok := errors.AsType[*unreadableError](err); ok {
			u.Error = unreadable.cause.Error()
		}
		all = append(all, u)
	}

	events, err := db.UnreadableEvents(ctx, limit-len(all))
	return append(all, events...), err
}
