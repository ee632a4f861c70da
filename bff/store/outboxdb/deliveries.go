package outboxdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/outbox"
	"coinslot/bff/store/sqldb"
)

const (
	rowColumns = `SELECT d.event, d.endpoint, d.state, d.tries, d.last_status, d.note,
		d.settled_at, d.next_at, e.id, e.type, e.session, e.at `
	rowOrder = ` ORDER BY d.event DESC, d.endpoint DESC LIMIT $2`
	// The deliveries of events up to $1, at most $2: all, those of state $3 that have
	// failed, those of session $3. CROSS says to SQLite which table comes first.
	listDeliveries = rowColumns + `FROM deliveries d CROSS JOIN events e WHERE e.seq = d.event AND
		d.event <= $1` + rowOrder
	listFailed = rowColumns + `FROM deliveries d CROSS JOIN events e WHERE e.seq = d.event AND
		d.event <= $1
		AND d.state = $3 AND d.tries > 0 AND d.state <> 'delivered'` + rowOrder
	listOfSession = rowColumns + `FROM events e CROSS JOIN deliveries d WHERE e.seq = d.event AND
		e.seq <= $1
		AND e.session = $3 ORDER BY e.seq DESC, d.endpoint DESC LIMIT $2`
	listFailedOfSession = rowColumns + `FROM events e CROSS JOIN deliveries d WHERE e.seq = d.event
		AND e.seq <= $1
		AND e.session = $3 AND d.state = $4 AND d.tries > 0 ORDER BY e.seq DESC, d.endpoint DESC
		LIMIT $2`

	countWaiting = `SELECT count(*), min(next_at) FROM (SELECT next_at FROM deliveries WHERE
		endpoint = $1 AND state = 'open'
		ORDER BY next_at LIMIT 10000) AS waiting`
	countFailed = `SELECT count(*) FROM (SELECT event FROM deliveries WHERE endpoint = $1 AND state
		= $2 AND tries > 0 AND state <> 'delivered'
		LIMIT 10000) AS failed`

	sessionOfEvent = `SELECT session FROM events WHERE id = $1`

	redeliver = `INSERT INTO deliveries (event, endpoint, next_at, opened_at, urgent)
		SELECT seq, CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($3 AS BIGINT), ` + Urgent + `
		FROM events WHERE id = $1 ` + openAgain
)

// deliveryCursor is where a page of deliveries begins: it passes over the first ones of an
// event, and names no endpoint, since their addresses may hold secrets.
type deliveryCursor struct {
	event int64
	shown int // of that event
}

func (m deliveryCursor) String() string {
	return strconv.FormatInt(m.event, 10) + "." + strconv.Itoa(m.shown)
}

// maxShown bounds what a cursor can make a page pass over.
const maxShown = 1_000

// parseDeliveryCursor reads what String writes; "" stands before the first delivery. Errors:
// *wire.Error with CodeInvalid and Param "cursor".
func parseDeliveryCursor(text string) (deliveryCursor, error) {
	if text == "" {
		return deliveryCursor{event: math.MaxInt64}, nil
	}
	event, shown, _ := strings.Cut(text, ".")
	seq, err1 := strconv.ParseInt(event, 10, 64)
	n, err2 := strconv.Atoi(shown)
	m := deliveryCursor{seq, n}
	if err1 != nil || err2 != nil || n < 0 || n > maxShown || m.String() != text {
		return deliveryCursor{}, &wire.Error{
			Code: wire.CodeInvalid, Param: "cursor", Detail: "the cursor is not one of ours",
		}
	}
	return m, nil
}

// Deliveries implements records.Records.
func (db *Outbox) Deliveries(
	ctx context.Context, q outbox.DeliveryQuery,
) (outbox.DeliveryPage, error) {
	from, err := parseDeliveryCursor(q.Cursor)
	if err != nil {
		return outbox.DeliveryPage{}, err
	}
	size := sqldb.PageSize(q.Limit)
	// one more tells whether there is a next page
	query, args := deliveryQuery(q, from, from.shown+size+1)
	var page outbox.DeliveryPage
	err = db.View(ctx, func(ctx context.Context, conn sqldb.Queryer) (err error) {
		page, err = deliveryPage(ctx, conn, query, args, from, size)
		return err
	})
	if err != nil {
		return outbox.DeliveryPage{}, fmt.Errorf("listing deliveries: %w", err)
	}
	return page, nil
}

func deliveryQuery(
	q outbox.DeliveryQuery, from deliveryCursor, limit int,
) (query string, args []any) {
	state := string(q.State)
	if q.State == outbox.DeliveryRetrying {
		state = waiting
	} else if q.State != outbox.DeliveryAbandoned && q.State != "" {
		state = "no such state"
	}
	args = []any{from.event, limit}
	switch {
	case q.Session != "" && state != "":
		return listFailedOfSession, append(args, sqldb.Key(q.Session), state)
	case q.Session != "":
		return listOfSession, append(args, sqldb.Key(q.Session))
	case state != "":
		return listFailed, append(args, state)
	}
	return listDeliveries, args
}

func deliveryPage(
	ctx context.Context, q sqldb.Queryer, query string, args []any, from deliveryCursor, size int,
) (page outbox.DeliveryPage, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return page, err
	}
	defer rows.Close()
	last := from
	for skip := from.shown; rows.Next(); {
		seq, row, err := readDelivery(rows)
		if err != nil {
			return page, err
		}
		if seq == from.event && skip > 0 {
			skip--
			continue
		}
		if len(page.Rows) == size {
			page.Next = last.String()
			return page, nil
		}
		if seq != last.event {
			last = deliveryCursor{event: seq}
		}
		last.shown++
		page.Rows = append(page.Rows, row)
	}
	return page, rows.Err()
}

func readDelivery(rows *sql.Rows) (seq int64, r outbox.DeliveryRow, err error) {
	var state string
	var status, tried sql.NullInt64
	var note sql.NullString
	var next, told int64
	err = rows.Scan(
		&seq, &r.Endpoint, &state, &r.Tries, &status, &note, &tried, &next, &r.Event, &r.Type,
		&r.Session, &told,
	)
	r.Endpoint, r.Session = sqldb.FromKey(r.Endpoint), sqldb.FromKey(r.Session)
	r.At, r.Status, r.Note, r.TriedAt = time.UnixMicro(told).
		UTC(), int(status.Int64), note.String, sqldb.Time(tried)
	switch {
	case state != waiting:
		r.State = outbox.DeliveryState(state)
		return seq, r, err
	case r.Tries > 0:
		r.State = outbox.DeliveryRetrying
	default:
		r.State = outbox.DeliveryWaiting
	}
	r.NextAt = time.UnixMicro(next).UTC()
	return seq, r, err
}

// Backlogs implements records.Records.
func (db *Outbox) Backlogs(ctx context.Context) ([]outbox.Backlog, error) {
	var list []outbox.Backlog
	err := db.View(ctx, func(ctx context.Context, q sqldb.Queryer) error {
		list = nil
		for _, endpoint := range db.Endpoints {
			b := outbox.Backlog{Endpoint: endpoint}
			var oldest sql.NullInt64
			if err := q.QueryRowContext(ctx, countWaiting, sqldb.Key(endpoint)).
				Scan(&b.Waiting, &oldest); err != nil {
				return err
			}
			for state, n := range map[string]*int{waiting: &b.Retrying, abandoned: &b.Abandoned} {
				if err := q.QueryRowContext(ctx, countFailed, sqldb.Key(endpoint), state).
					Scan(n); err !=
					nil {
					return err
				}
			}
			b.OldestAt = sqldb.Time(oldest)
			list = append(list, b)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("counting deliveries: %w", err)
	}
	return list, nil
}

// SessionOf implements records.Records.
func (db *Outbox) SessionOf(ctx context.Context, event string) (session string, err error) {
	err = db.View(ctx, func(ctx context.Context, q sqldb.Queryer) error {
		return q.QueryRowContext(ctx, sessionOfEvent, sqldb.Key(event)).Scan(&session)
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", outbox.ErrEventUnknown
	case err != nil:
		return "", fmt.Errorf("reading whose event %q is: %w", event, err)
	}
	return sqldb.FromKey(session), nil
}

// Redeliver implements records.Records.
func (db *Outbox) Redeliver(ctx context.Context, event, endpoint string) error {
	endpoints := db.Endpoints
	if endpoint != "" {
		endpoints = []string{endpoint}
	}
	if len(endpoints) == 0 || !slices.Contains(db.Endpoints, endpoints[0]) {
		return outbox.ErrEndpoint
	}
	err := db.Write(ctx, func(tx *sql.Tx) error {
		for _, endpoint := range endpoints {
			result, err := tx.ExecContext(
				ctx, redeliver, sqldb.Key(event), sqldb.Key(endpoint), db.Now().UnixMicro(),
			)
			if err != nil {
				return err
			}
			if n, err := result.RowsAffected(); err != nil {
				return err
			} else if n == 0 {
				return outbox.ErrEventUnknown
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, outbox.ErrEventUnknown) {
		return fmt.Errorf("sending event %q again: %w", event, err)
	}
	return err
}
