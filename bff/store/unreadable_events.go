package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"coinslot/bff/attention"
	"coinslot/bff/payment"
)

const (
	setEventAside = `UPDATE events SET unreadable_at = $2 WHERE id = $1 AND unreadable_at IS NULL`
	restoreEvent  = `UPDATE events SET unreadable_at = NULL WHERE id = $1`
	// Events that are set aside, after $1 in the order of their ids.
	eventsSetAside = `SELECT id, type, session, at, body, unreadable_at FROM events
		WHERE unreadable_at IS NOT NULL AND id > $1 ORDER BY id LIMIT $2`
	countEventsAside = `SELECT count(*) FROM events WHERE unreadable_at IS NOT NULL AND id > ''`
)

// setEventAside sets aside an event that cannot be decoded, and logs that once. It must not be
// called in a transaction.
func (db *DB) setEventAside(ctx context.Context, e payment.Event) {
	if db.Writer == nil {
		return
	}

	n := 0
	err := db.Write(ctx, func(tx *sql.Tx) (err error) {
		n, err = affected(ctx, tx, setEventAside, keyOf(e.ID), db.Now().UnixMicro())
		return err
	})
	if err == nil && n > 0 {
		db.log.ErrorContext(ctx, "event is unreadable and was set aside",
			"event", e.ID, "session", e.Session, "error", db.checkEvent(e))
	}
}

// RestoreEvents uses again what was set aside and can be decoded by now.
func (db *DB) RestoreEvents(ctx context.Context) error {
	for last := ""; ; {
		list, err := db.eventsSetAside(ctx, last, restoreScan)
		if err != nil {
			return err
		}

		for _, e := range list {
			last = keyOf(e.ID)
			if db.checkEvent(e.Event) != nil {
				continue
			}
			if err := db.Execute(ctx, restoreEvent, last); err != nil {
				return fmt.Errorf("restoring event %q: %w", e.ID, err)
			}
			db.log.InfoContext(ctx, "event is readable again", "event", e.ID)
		}
		if len(list) < restoreScan {
			return nil
		}
	}
}

// CountUnreadableEvents is how many are set aside.
func (db *DB) CountUnreadableEvents(
	ctx context.Context, q queryer,
) (n int, err error) {
	err = q.QueryRowContext(ctx, countEventsAside).Scan(&n)
	return n, wrap(err, "counting unreadable events")
}

// UnreadableEvents returns events that are set aside, at most limit.
func (db *DB) UnreadableEvents(
	ctx context.Context, limit int,
) (all []attention.UnreadableRow, err error) {
	list, err := db.eventsSetAside(ctx, "", limit)
	for _, e := range list {
		u := attention.UnreadableRow{
			Kind:    attention.UnreadableEvent,
			ID:      e.ID,
			Session: e.Session,
			Since:   time.UnixMicro(e.since).UTC(),
		}
		if err := db.checkEvent(e.Event); err != nil {
			u.Error = err.Error()
		}
		all = append(all, u)
	}

	return all, err
}

type eventSetAside struct {
	payment.Event
	since int64
}

func (db *DB) eventsSetAside(
	ctx context.Context, after string, limit int,
) ([]eventSetAside, error) {
	list, err := listRows(ctx, db, func(rows *sql.Rows) (e eventSetAside, err error) {
		var at int64
		err = rows.Scan(&e.ID, &e.Type, &e.Session, &at, &e.Body, &e.since)
		e.ID = fromKey(e.ID)
		e.Session = fromKey(e.Session)
		e.At = time.UnixMicro(at).UTC()
		return e, err
	}, eventsSetAside, after, limit)
	return list, wrap(err, "finding unreadable events")
}
