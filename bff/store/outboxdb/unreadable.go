package outboxdb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"coinslot/bff/console"
	"coinslot/bff/payment"
	"coinslot/bff/store/sqldb"
)

const (
	setEventAside = `UPDATE events SET unreadable_at = $2 WHERE id = $1 AND unreadable_at IS NULL`
	restoreEvent  = `UPDATE events SET unreadable_at = NULL WHERE id = $1`
	// Events that are set aside, after $1 in the order of their ids.
	eventsSetAside = `SELECT id, type, session, at, body, unreadable_at FROM events
		WHERE unreadable_at IS NOT NULL AND id > $1 ORDER BY id LIMIT $2`
	countSetAside = `SELECT count(*) FROM events WHERE unreadable_at IS NOT NULL AND id > ''`
)

// restoreScan is how many events one read of a restore looks at.
const restoreScan = 100

// setEventAside sets aside an event that cannot be decoded, and logs that once. It must not be
// called in a transaction.
func (db *Outbox) setEventAside(ctx context.Context, e payment.Event) {
	if db.Writer == nil {
		return
	}
	n := 0
	err := db.Write(ctx, func(tx *sql.Tx) (err error) {
		n, err = sqldb.Affected(ctx, tx, setEventAside, sqldb.Key(e.ID), db.Now().UnixMicro())
		return err
	})
	if err == nil && n > 0 {
		db.Log.ErrorContext(ctx, "event is unreadable and was set aside",
			"event", e.ID, "session", e.Session, "error", db.Check(e))
	}
}

// RestoreEvents uses again what was set aside and can be decoded by now.
func (db *Outbox) RestoreEvents(ctx context.Context) error {
	for last := ""; ; {
		list, err := db.eventsSetAside(ctx, last, restoreScan)
		if err != nil {
			return err
		}
		for _, e := range list {
			last = sqldb.Key(e.ID)
			if db.Check(e.Event) != nil {
				continue
			}
			if err := db.Execute(ctx, restoreEvent, last); err != nil {
				return fmt.Errorf("restoring event %q: %w", e.ID, err)
			}
			db.Log.InfoContext(ctx, "event is readable again", "event", e.ID)
		}
		if len(list) < restoreScan {
			return nil
		}
	}
}

// CountUnreadableEvents is how many are set aside.
func (db *Outbox) CountUnreadableEvents(
	ctx context.Context, q sqldb.Queryer,
) (n int, err error) {
	err = q.QueryRowContext(ctx, countSetAside).Scan(&n)
	return n, sqldb.Wrap(err, "counting unreadable events")
}

// UnreadableEvents returns events that are set aside, at most limit.
func (db *Outbox) UnreadableEvents(
	ctx context.Context, limit int,
) (all []console.Unreadable, err error) {
	list, err := db.eventsSetAside(ctx, "", limit)
	for _, e := range list {
		u := console.Unreadable{
			Kind: console.UnreadableEvent, ID: e.ID, Session: e.Session,
			Since: time.UnixMicro(e.since).UTC(),
		}
		if err := db.Check(e.Event); err != nil {
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

func (db *Outbox) eventsSetAside(
	ctx context.Context, after string, limit int,
) ([]eventSetAside, error) {
	list, err := sqldb.List(ctx, db.DB, func(rows *sql.Rows) (e eventSetAside, err error) {
		var at int64
		err = rows.Scan(&e.ID, &e.Type, &e.Session, &at, &e.Body, &e.since)
		e.ID, e.Session = sqldb.FromKey(e.ID), sqldb.FromKey(e.Session)
		e.At = time.UnixMicro(at).UTC()
		return e, err
	}, eventsSetAside, after, limit)
	return list, sqldb.Wrap(err, "finding unreadable events")
}
