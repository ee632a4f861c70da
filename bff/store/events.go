package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

// The events of a range, with those of session $4 only if it is given. An event
// is replayed by opening its delivery again, as new.
const (
	eventsOf     = `FROM events WHERE at >= $1 AND at < $2`
	eventsTimes  = `SELECT at ` + eventsOf + `%s ORDER BY at, seq LIMIT $3`
	countEvents  = `SELECT count(*) ` + eventsOf + `%s`
	replayEvents = insertAgain + `%s ` + openAgain
	insertAgain  = `INSERT INTO deliveries (event, endpoint, next_at, opened_at, urgent)
		SELECT seq, CAST($3 AS TEXT), CAST($4 AS BIGINT), CAST($4 AS BIGINT), ` + urgentEvent + ` ` +
		eventsOf
	replayUndelivered = insertAgain + `%s AND NOT EXISTS (SELECT 1 FROM deliveries d
		WHERE d.event = events.seq AND d.endpoint = CAST($3 AS TEXT) AND d.state = 'delivered') ` +
		openAgain
	openAgain = `ON CONFLICT (event, endpoint) DO UPDATE SET state = 'open',
		next_at = excluded.next_at, opened_at = excluded.opened_at, tries = 0,
		lease_until = NULL`
)

// Events implements webhook.Log. A Limit out of range is moved into it. On PostgreSQL an event is
// visible once every transaction has ended that began to write an event before it. What is
// unreadable is left out.
func (db *DB) Events(
	ctx context.Context, q webhook.EventQuery,
) (page webhook.EventPage, err error) {
	if q.After == webhook.Latest {
		return db.endOfLog(ctx)
	}

	after, err := parsePosition(q.After)
	if err != nil {
		return page, err
	}

	size := pageSize(q.Limit)
	var list []placedEvent
	err = db.View(ctx, func(ctx context.Context, conn queryer) (err error) {
		if err := db.verifyPosition(ctx, conn, after); err != nil {
			return err
		}

		horizon, err := db.horizon(ctx, conn)
		if err != nil {
			return err
		}

		// one more shows whether there is a next page
		query := db.dialect.EventsAfter
		args := []any{after.transaction, after.seq, size + 1, horizon}
		if q.Session != "" {
			query = db.dialect.SessionEventsAfter
			args = append(args, keyOf(q.Session))
		}

		list, err = collect(ctx, conn, scanEvent, query, args...)
		return err
	})
	if err != nil {
		return page, fmt.Errorf("reading events: %w", err)
	}

	page.More = len(list) > size
	for _, e := range list[:min(size, len(list))] {
		after = e.position
		if db.checkEvent(e.Event) == nil {
			page.Events = append(page.Events, e.Event)
		} else if !e.setAside {
			db.setEventAside(ctx, e.Event)
		}
	}

	page.Next = after.String()
	return page, nil
}

// endOfLog returns an empty page behind the last event.
func (db *DB) endOfLog(ctx context.Context) (page webhook.EventPage, err error) {
	err = db.View(ctx, func(ctx context.Context, q queryer) error {
		horizon, err := db.horizon(ctx, q)
		if err != nil {
			return err
		}
		last, err := collect(ctx, q, scanEvent, db.dialect.LatestEvent, horizon)
		for _, e := range last {
			page.Next = e.position.String()
		}
		return err
	})
	if err != nil {
		return webhook.EventPage{}, fmt.Errorf("reading the end of the event log: %w", err)
	}

	return page, nil
}

// horizon is the last position whose events are visible; read it before them.
func (db *DB) horizon(ctx context.Context, q queryer) (last int64, err error) {
	err = q.QueryRowContext(ctx, db.dialect.Horizon).Scan(&last)
	return last, wrap(err, "reading the horizon of the log")
}

// HeldBack is when the oldest event was written that is not visible yet, because a transaction
// that began to write one before has not ended; zero = there is none.
func (db *DB) HeldBack(ctx context.Context, q queryer) (time.Time, error) {
	horizon, err := db.horizon(ctx, q)
	if err != nil {
		return time.Time{}, err
	}
	var at sql.NullInt64
	err = q.QueryRowContext(ctx, db.dialect.HeldBack, horizon).Scan(&at)
	return timeOf(at), wrap(err, "reading what the log holds back")
}

type placedEvent struct {
	payment.Event
	position
	setAside bool
}

func scanEvent(rows *sql.Rows) (e placedEvent, err error) {
	var at int64
	err = rows.Scan(
		&e.transaction, &e.seq, &e.ID, &e.Type, &e.Session, &at, &e.Body, &e.setAside,
	)
	e.Session = fromKey(e.Session)
	e.At = time.UnixMicro(at).UTC()
	e.digest = eventDigest(e.ID, at)
	return e, err
}

// Sizes of a replay, in events.
const (
	defaultReplay = 1_000
	largestReplay = 10_000
)

// Replay implements webhook.Log. Events of one instant are taken all or none, so that
// another Replay may also begin a microsecond after Last.
func (db *DB) Replay(
	ctx context.Context, r webhook.Range, now time.Time,
) (done webhook.Replayed, err error) {
	err = db.Write(ctx, func(tx *sql.Tx) (err error) {
		done, err = db.replay(ctx, tx, r, now)
		return err
	})
	if err != nil {
		return webhook.Replayed{}, fmt.Errorf("replaying events: %w", err)
	}
	return done, nil
}

func (db *DB) replay(
	ctx context.Context, tx *sql.Tx, r webhook.Range, now time.Time,
) (done webhook.Replayed, err error) {
	limit := defaultReplay
	if r.Limit > 0 {
		limit = min(r.Limit, largestReplay)
	}

	taken, err := eventTimes(ctx, tx, r, limit)
	if err != nil || len(taken) == 0 {
		return done, err
	}

	done.Last = taken[len(taken)-1]
	rest := r
	rest.From = done.Last.Add(time.Microsecond)
	r.To = rest.From
	more, err := eventTimes(ctx, tx, rest, 1)
	if err != nil {
		return done, err
	}

	done.More = len(more) > 0
	query, args := eventsQuery(r, countEvents)
	if err := tx.QueryRowContext(ctx, query, args...).Scan(&done.Events); err != nil {
		return done, err
	}

	again := replayEvents
	if r.Undelivered {
		again = replayUndelivered
	}

	for _, endpoint := range db.endpoints {
		query, args := eventsQuery(r, again, keyOf(endpoint), now.UnixMicro())
		n, err := affected(ctx, tx, query, args...)
		if err != nil {
			return done, err
		}
		done.Deliveries += n
	}

	return done, nil
}

func eventTimes(ctx context.Context, tx *sql.Tx, r webhook.Range, limit int) ([]time.Time, error) {
	query, args := eventsQuery(r, eventsTimes, limit)
	return collect(ctx, tx, func(rows *sql.Rows) (time.Time, error) {
		var at int64
		err := rows.Scan(&at)
		return time.UnixMicro(at).UTC(), err
	}, query, args...)
}

// eventsQuery is a query for the events of r with further arguments from $3 on.
func eventsQuery(r webhook.Range, query string, more ...any) (string, []any) {
	args := append([]any{ceilMicros(r.From), ceilMicros(r.To)}, more...)
	if r.Session == "" {
		return fmt.Sprintf(query, ""), args
	}
	args = append(args, keyOf(r.Session))
	return fmt.Sprintf(query, fmt.Sprintf(" AND session = $%d", len(args))), args
}
