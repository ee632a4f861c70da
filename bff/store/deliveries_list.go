package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"coinslot/bff/webhook"
)

const (
	rowColumns = `SELECT d.event, d.endpoint, d.state, d.tries, d.last_status, d.note,
		d.tried_at, d.next_at, e.id, e.type, e.session, e.at `
	rowOrder = ` ORDER BY d.event DESC, d.endpoint DESC LIMIT $2`
	// The deliveries of events up to $1, at most $2: all, those of state $3 that have
	// failed, those of session $3. CROSS says to SQLite which table comes first.
	listDeliveries = rowColumns + `FROM deliveries d CROSS JOIN events e
		WHERE e.seq = d.event AND d.event <= $1` + rowOrder
	listFailed = rowColumns + `FROM deliveries d CROSS JOIN events e
		WHERE e.seq = d.event AND d.event <= $1
		AND d.state = $3 AND d.tries > 0 AND d.state <> 'delivered'` + rowOrder
	listOfSession = rowColumns + `FROM events e CROSS JOIN deliveries d
		WHERE e.seq = d.event AND e.seq <= $1
		AND e.session = $3 ORDER BY e.seq DESC, d.endpoint DESC LIMIT $2`
	listFailedOfSession = rowColumns + `FROM events e CROSS JOIN deliveries d
		WHERE e.seq = d.event AND e.seq <= $1
		AND e.session = $3 AND d.state = $4 AND d.tries > 0
		ORDER BY e.seq DESC, d.endpoint DESC LIMIT $2`

	countOpenTo = `SELECT count(*), min(next_at) FROM (SELECT next_at FROM deliveries
		WHERE endpoint = $1 AND state = 'open' ORDER BY next_at LIMIT 10000) AS waiting`
	countFailed = `SELECT count(*) FROM (SELECT event FROM deliveries
		WHERE endpoint = $1 AND state = $2 AND tries > 0 AND state <> 'delivered'
		LIMIT 10000) AS failed`

	sessionOfEvent = `SELECT session FROM events WHERE id = $1`

	redeliver = `INSERT INTO deliveries (event, endpoint, next_at, opened_at, urgent)
		SELECT seq, CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($3 AS BIGINT), ` + urgentEvent + `
		FROM events WHERE id = $1 ` + openAgain
)

// maxShown bounds what a cursor can make a page skip.
const maxShown = 1_000

// Deliveries implements webhook.Deliveries. A cursor is the number of an event and how many
// of its deliveries were shown: it names no endpoint, since URLs may hold secrets.
func (db *DB) Deliveries(
	ctx context.Context, q webhook.DeliveryQuery,
) (page webhook.DeliveryPage, err error) {
	from, err := parsePairCursor(q.Cursor)
	if err != nil {
		return page, err
	}
	if from.Minor < 0 || from.Minor > maxShown {
		return page, badCursor("cursor")
	}
	skip, size := int(from.Minor), pageSize(q.Limit)
	// one more shows whether there is a next page
	query, args := deliveryQuery(q, from, skip+size+1)
	list, err := listRows(ctx, db, scanDelivery, query, args...)
	if err != nil {
		return page, fmt.Errorf("listing deliveries: %w", err)
	}
	last := from
	for _, d := range list {
		if d.seq == from.Major && skip > 0 {
			skip--
			continue
		}
		if len(page.Rows) == size {
			page.Next = last.String()
			break
		}
		if d.seq != last.Major {
			last = pairCursor{Major: d.seq}
		}
		last.Minor++
		page.Rows = append(page.Rows, d.DeliveryRow)
	}
	return page, nil
}

func deliveryQuery(q webhook.DeliveryQuery, from pairCursor, limit int) (query string, args []any) {
	state := string(q.State)
	if q.State == webhook.DeliveryRetrying {
		state = stateOpen
	} else if q.State != webhook.DeliveryAbandoned && q.State != "" {
		state = "no such state"
	}
	args = []any{from.Major, limit}
	switch {
	case q.Session != "" && state != "":
		return listFailedOfSession, append(args, keyOf(q.Session), state)
	case q.Session != "":
		return listOfSession, append(args, keyOf(q.Session))
	case state != "":
		return listFailed, append(args, state)
	}
	return listDeliveries, args
}

type listedDelivery struct {
	webhook.DeliveryRow
	seq int64
}

func scanDelivery(rows *sql.Rows) (d listedDelivery, err error) {
	var state string
	var status, tried sql.NullInt64
	var note sql.NullString
	var next, at int64
	err = rows.Scan(&d.seq, &d.Endpoint, &state, &d.Tries, &status, &note, &tried, &next,
		&d.Event, &d.Type, &d.Session, &at)
	d.Endpoint, d.Session = fromKey(d.Endpoint), fromKey(d.Session)
	d.At, d.TriedAt = time.UnixMicro(at).UTC(), timeOf(tried)
	d.Status, d.Note = int(status.Int64), note.String
	switch {
	case state != stateOpen:
		d.State = webhook.DeliveryState(state)
		return d, err
	case d.Tries > 0:
		d.State = webhook.DeliveryRetrying
	default:
		d.State = webhook.DeliveryWaiting
	}
	d.NextAt = time.UnixMicro(next).UTC()
	return d, err
}

// Backlogs implements webhook.Deliveries.
func (db *DB) Backlogs(ctx context.Context) (list []webhook.Backlog, err error) {
	err = db.View(ctx, func(ctx context.Context, q queryer) error {
		list = nil
		for _, endpoint := range db.endpoints {
			b, err := backlog(ctx, q, endpoint)
			if err != nil {
				return err
			}
			for state, n := range map[string]*int{stateOpen: &b.Retrying, stateAbandoned: &b.Abandoned} {
				row := q.QueryRowContext(ctx, countFailed, keyOf(endpoint), state)
				if err := row.Scan(n); err != nil {
					return err
				}
			}
			list = append(list, b)
		}
		return nil
	})
	return list, wrap(err, "counting deliveries")
}

// SessionOf implements webhook.Deliveries.
func (db *DB) SessionOf(ctx context.Context, event string) (string, error) {
	session, err := readOne[string](ctx, db, sessionOfEvent, keyOf(event))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", webhook.ErrEventUnknown
	case err != nil:
		return "", fmt.Errorf("reading the session of event %q: %w", event, err)
	}
	return fromKey(session), nil
}

// Redeliver implements webhook.Deliveries.
func (db *DB) Redeliver(ctx context.Context, event, endpoint string) error {
	endpoints := db.endpoints
	if endpoint != "" {
		endpoints = []string{endpoint}
	}
	if len(endpoints) == 0 || !slices.Contains(db.endpoints, endpoints[0]) {
		return webhook.ErrEndpoint
	}
	err := db.Write(ctx, func(tx *sql.Tx) error {
		for _, endpoint := range endpoints {
			n, err := affected(ctx, tx, redeliver, keyOf(event), keyOf(endpoint),
				db.Now().UnixMicro())
			if err != nil {
				return err
			}
			if n == 0 {
				return webhook.ErrEventUnknown
			}
		}
		return nil
	})
	if errors.Is(err, webhook.ErrEventUnknown) {
		return err
	}
	return wrap(err, "sending event %q again", event)
}
