package outboxdb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"coinslot/bff/outbox"
	"coinslot/bff/payment"
	"coinslot/bff/store/sqldb"
)

// The events of a range, with those of session $4 only if it is given. An event
// is replayed by opening its delivery again, as new.
const (
	eventsOf     = `FROM events WHERE at >= $1 AND at < $2`
	eventsTimes  = `SELECT at ` + eventsOf + `%s ORDER BY at, seq LIMIT $3`
	countEvents  = `SELECT count(*) ` + eventsOf + `%s`
	replayEvents = `INSERT INTO deliveries (event, endpoint, next_at, opened_at, urgent)
		SELECT seq, CAST($3 AS TEXT), CAST($4 AS BIGINT), CAST($4 AS BIGINT), ` + Urgent + ` ` +
		eventsOf + `%s ` + openAgain
	openAgain = `ON CONFLICT (event, endpoint) DO UPDATE SET state = 'open', next_at =
		excluded.next_at, opened_at = excluded.opened_at,
		tries = 0, lease_until = NULL`
)

// Events implements outbox.Log. A Limit out of range is moved into it. On
// PostgreSQL an event is shown once every transaction that began before its own
// has ended, which any transaction of the same server can delay.
func (db *Outbox) Events(ctx context.Context, q outbox.EventQuery) (outbox.EventPage, error) {
	after, err := parsePosition(q.After)
	if err != nil {
		return outbox.EventPage{}, err
	}
	size := sqldb.PageSize(q.Limit)
	// one more tells whether there is a next page
	query, args := db.Dialect.EventsAfter, []any{after.transaction, after.seq, size + 1}
	if q.Session != "" {
		query, args = db.Dialect.SessionEventsAfter, append(args, sqldb.Key(q.Session))
	}
	var page outbox.EventPage
	err = db.View(ctx, func(ctx context.Context, q sqldb.Queryer) (err error) {
		if after, err = db.verifyPosition(ctx, q, after); err != nil {
			return err
		}
		page, err = eventPage(ctx, q, query, args, after, size)
		return err
	})
	if err != nil {
		return outbox.EventPage{}, fmt.Errorf("reading events: %w", err)
	}
	return page, nil
}

func eventPage(
	ctx context.Context, q sqldb.Queryer, query string, args []any, after position, size int,
) (outbox.EventPage, error) {
	page := outbox.EventPage{}
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return page, err
	}
	defer rows.Close()
	for rows.Next() {
		var p position
		var e payment.Event
		var told int64
		err := rows.Scan(&p.transaction, &p.seq, &e.ID, &e.Type, &e.Session, &told, &e.Body)
		if err != nil {
			return page, err
		}
		if page.More = len(page.Events) == size; !page.More {
			e.At = time.UnixMicro(told).UTC()
			p.digest = eventDigest(e.ID, told)
			page.Events, after = append(page.Events, e), p
		}
	}
	page.Next = after.String()
	return page, rows.Err()
}

// Sizes of a replay, in events.
const (
	defaultReplay = 1_000
	largestReplay = 10_000
)

// Replay implements outbox.Log. Events of one instant are taken all or none,
// so that one may go on a microsecond after Last, too.
func (db *Outbox) Replay(
	ctx context.Context, r outbox.Range, now time.Time,
) (outbox.Replayed, error) {
	var done outbox.Replayed
	err := db.Write(ctx, func(tx *sql.Tx) (err error) {
		done, err = db.replay(ctx, tx, r, now)
		return err
	})
	if err != nil {
		return outbox.Replayed{}, fmt.Errorf("replaying events: %w", err)
	}
	return done, nil
}

func (db *Outbox) replay(
	ctx context.Context, tx *sql.Tx, r outbox.Range, now time.Time,
) (outbox.Replayed, error) {
	limit := defaultReplay
	if r.Limit > 0 {
		limit = min(r.Limit, largestReplay)
	}
	last, more, err := lastInRange(ctx, tx, r, limit)
	if err != nil || last.IsZero() {
		return outbox.Replayed{}, err
	}
	taken := r
	taken.To = last.Add(time.Microsecond)
	done := outbox.Replayed{More: more, Last: last}
	query, args := eventsQuery(taken, countEvents)
	if err := tx.QueryRowContext(ctx, query, args...).Scan(&done.Events); err != nil {
		return done, err
	}
	for _, endpoint := range db.Endpoints {
		query, args := eventsQuery(taken, replayEvents, sqldb.Key(endpoint), now.UnixMicro())
		result, err := tx.ExecContext(ctx, query, args...)
		if err != nil {
			return done, err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return done, err
		}
		done.Deliveries += int(n)
	}
	return done, nil
}

// lastInRange returns the At of the last event of r that limit allows, zero if there
// is none, and whether there are events after it.
func lastInRange(
	ctx context.Context, tx *sql.Tx, r outbox.Range, limit int,
) (last time.Time, more bool, err error) {
	n, told, err := countTimes(ctx, tx, r, limit)
	if err != nil || n == 0 {
		return time.Time{}, false, err
	}
	last = time.UnixMicro(told).UTC()
	r.From = last.Add(time.Microsecond)
	n, _, err = countTimes(ctx, tx, r, 1)
	return last, n > 0, err
}

// countTimes counts the first limit events of r; last is when the last of them was told.
func countTimes(
	ctx context.Context, tx *sql.Tx, r outbox.Range, limit int,
) (n int, last int64, err error) {
	query, args := eventsQuery(r, eventsTimes, limit)
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	for ; rows.Next(); n++ {
		if err := rows.Scan(&last); err != nil {
			return 0, 0, err
		}
	}
	return n, last, rows.Err()
}

// eventsQuery is a query for the events of r with further arguments from $3 on.
func eventsQuery(r outbox.Range, query string, more ...any) (string, []any) {
	args := append([]any{sqldb.Ceil(r.From), sqldb.Ceil(r.To)}, more...)
	if r.Session == "" {
		return fmt.Sprintf(query, ""), args
	}
	args = append(args, sqldb.Key(r.Session))
	return fmt.Sprintf(query, fmt.Sprintf(" AND session = $%d", len(args))), args
}
