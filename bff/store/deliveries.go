package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

const (
	insertEvent = `INSERT INTO events (id, session, type, at, body) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (id) DO NOTHING RETURNING seq`
	// urgentEvent is the column urgent, for an event.
	urgentEvent = `CASE WHEN type IN ('` + string(payment.EventConfirmed) + `', '` +
		string(payment.EventReview) + `') THEN 1 ELSE 0 END`
	insertDelivery = `INSERT INTO deliveries (event, endpoint, next_at, urgent)
		VALUES ($1, $2, $3, (SELECT ` + urgentEvent + ` FROM events WHERE seq = $1))`
	// markUrgent makes the open deliveries of a session urgent.
	markUrgent = `UPDATE deliveries SET urgent = 1 WHERE state = 'open' AND urgent = 0
		AND event IN (SELECT seq FROM events WHERE session = $1)`
	selectDue = `SELECT d.event, d.next_at, d.tries, d.opened_at, d.urgent,
		e.id, e.type, e.session, e.at, e.body
		FROM deliveries d JOIN events e ON e.seq = d.event
		WHERE d.endpoint = $1 AND d.state = 'open' AND d.next_at <= $2
		AND (d.lease_until IS NULL OR d.lease_until <= $2) AND e.unreadable_at IS NULL`
	dueOrder      = ` ORDER BY d.next_at, d.event LIMIT $3 FOR UPDATE OF d SKIP LOCKED`
	dueDeliveries = selectDue + dueOrder
	dueUrgent     = selectDue + ` AND d.urgent = 1` + dueOrder
	leaseDelivery = `UPDATE deliveries SET lease_until = $3 WHERE event = $1 AND endpoint = $2`
	// $8 is when the delivery of the try was opened; one that was replayed since is left as it is.
	recordResult = `UPDATE deliveries SET tries = tries + 1, next_at = $4, last_status = $5,
		note = $6, tried_at = $7, lease_until = NULL,
		state = CASE WHEN state = 'open' OR $3 = 'delivered' THEN $3 ELSE state END
		WHERE event = (SELECT seq FROM events WHERE id = $1) AND endpoint = $2
		AND (opened_at IS NULL OR opened_at <= $8)`
	findDelivery = `SELECT 1 FROM deliveries WHERE event = (SELECT seq FROM events WHERE id = $1)
		AND endpoint = $2`
)

// States of a delivery.
const (
	stateOpen      = "open"
	stateDelivered = "delivered"
	stateAbandoned = "abandoned"
)

// AppendEvents stores events in their order, each with a delivery to every endpoint
// that is due at once. An event that is stored already is left out. With an urgent event,
// the open deliveries of its session become urgent, so that it does not overtake them.
func (db *DB) AppendEvents(ctx context.Context, tx *sql.Tx, events []payment.Event) error {
	for _, e := range events {
		var seq int64
		err := tx.QueryRowContext(
			ctx, insertEvent, keyOf(e.ID), keyOf(e.Session), string(e.Type),
			e.At.UnixMicro(), e.Body,
		).Scan(&seq)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err == nil && e.Type.Urgent() {
			_, err = tx.ExecContext(ctx, markUrgent, keyOf(e.Session))
		}
		if err != nil {
			return fmt.Errorf("storing event %q: %w", e.ID, err)
		}

		for _, endpoint := range db.endpoints {
			if _, err := tx.ExecContext(
				ctx, insertDelivery, seq, keyOf(endpoint), e.At.UnixMicro(),
			); err != nil {
				return fmt.Errorf("storing a delivery of event %q: %w", e.ID, err)
			}
		}
	}

	return nil
}

type dueDelivery struct {
	webhook.Delivery
	seq    int64 // of its event
	at     int64 // of its event, in microseconds
	nextAt int64 // microseconds
	urgent bool
}

func (d dueDelivery) storedEvent() payment.Event {
	return payment.Event{
		ID:      d.EventID,
		Type:    d.Type,
		Session: fromKey(d.Session),
		At:      time.UnixMicro(d.at).UTC(),
		Body:    d.Body,
	}
}

func (d dueDelivery) compare(o dueDelivery) int {
	return cmp.Or(cmp.Compare(d.priority(), o.priority()), cmp.Compare(d.seq, o.seq),
		cmp.Compare(d.Endpoint, o.Endpoint))
}

// priority is the due time that d is ordered by: an urgent one has a head start.
func (d dueDelivery) priority() int64 {
	if d.urgent {
		return d.nextAt - webhook.HeadStart.Microseconds()
	}
	return d.nextAt
}

// ClaimDeliveries implements webhook.Outbox. Deliveries due at the same time
// come in the order of their events. None is claimed if limit is below 1.
func (db *DB) ClaimDeliveries(
	ctx context.Context, now time.Time, lease time.Duration, limit int, endpoints []string,
) (claimed []webhook.Delivery, err error) {
	if limit < 1 {
		return nil, nil
	}

	for {
		claimed, unreadable, err := db.claimDeliveries(ctx, now, lease, limit, endpoints)
		if err != nil {
			return nil, fmt.Errorf("claiming due deliveries: %w", err)
		}
		for _, e := range unreadable {
			db.setEventAside(ctx, e)
		}
		if len(claimed) > 0 || len(unreadable) == 0 {
			return claimed, nil
		}
	}
}

// claimDeliveries claims once; what is unreadable of it is leased too, so that it is not claimed
// again at once.
func (db *DB) claimDeliveries(
	ctx context.Context, now time.Time, lease time.Duration, limit int, endpoints []string,
) (claimed []webhook.Delivery, unreadable []payment.Event, err error) {
	err = db.Write(ctx, func(tx *sql.Tx) error {
		list, err := db.firstDue(ctx, tx, now, limit, endpoints)
		if err != nil {
			return err
		}

		claimed = nil
		unreadable = nil
		for _, d := range list {
			if _, err := tx.ExecContext(
				ctx, leaseDelivery, d.seq, keyOf(d.Endpoint), now.Add(lease).UnixMicro(),
			); err != nil {
				return err
			}
			if e := d.storedEvent(); db.checkEvent(e) != nil {
				unreadable = append(unreadable, e)
				continue
			}
			claimed = append(claimed, d.Delivery)
		}

		return nil
	})
	return claimed, unreadable, err
}

// firstDue returns the first limit deliveries to any of the endpoints. Each endpoint has
// queries of its own, in the order of the indexes, so that a long queue of one costs the
// others nothing. The first ones of all are among the first of each query.
func (db *DB) firstDue(
	ctx context.Context, tx *sql.Tx, now time.Time, limit int, endpoints []string,
) ([]dueDelivery, error) {
	var all []dueDelivery
	for _, endpoint := range slices.Compact(slices.Sorted(slices.Values(endpoints))) {
		for _, query := range []string{dueUrgent, dueDeliveries} {
			list, err := collect(ctx, tx, func(rows *sql.Rows) (dueDelivery, error) {
				return scanDue(rows, endpoint)
			}, db.dialect.Locked(query), keyOf(endpoint), now.UnixMicro(), limit)
			if err != nil {
				return nil, err
			}
			all = append(all, list...)
		}
	}

	slices.SortFunc(all, dueDelivery.compare)
	all = slices.CompactFunc(all, func(a, b dueDelivery) bool { return a.compare(b) == 0 })
	return all[:min(limit, len(all))], nil
}

func scanDue(rows *sql.Rows, endpoint string) (d dueDelivery, err error) {
	var opened, created sql.NullInt64
	err = rows.Scan(&d.seq, &d.nextAt, &d.Tries, &opened, &d.urgent,
		&d.EventID, &d.Type, &d.Session, &created, &d.Body)
	d.at = created.Int64
	d.Endpoint = endpoint
	d.CreatedAt = timeOf(cmp.Or(opened, created))
	return d, err
}

// RecordResult implements webhook.Outbox. A try that ends after another one has delivered
// counts, but opens nothing again; one that began before its delivery was replayed does
// nothing. Errors: there is no such delivery.
func (db *DB) RecordResult(
	ctx context.Context, d webhook.Delivery, r webhook.DeliveryResult,
) error {
	state := stateOpen
	switch {
	case r.Delivered:
		state = stateDelivered
	case r.Abandoned:
		state = stateAbandoned
	}

	status := sql.NullInt64{Int64: int64(r.Status), Valid: r.Status != 0}
	opened := microsOf(d.CreatedAt)
	if !opened.Valid {
		opened = sql.NullInt64{Int64: math.MaxInt64, Valid: true}
	}

	err := db.Write(ctx, func(tx *sql.Tx) error {
		n, err := affected(ctx, tx, recordResult, keyOf(d.EventID),
			keyOf(d.Endpoint), state, r.NextAt.UnixMicro(), status, noteOrNull(r.Note),
			db.Now().UnixMicro(), opened)
		if err != nil || n > 0 {
			return err
		}

		var one int
		err = tx.QueryRowContext(
			ctx, findDelivery, keyOf(d.EventID), keyOf(d.Endpoint),
		).Scan(&one)
		if errors.Is(err, sql.ErrNoRows) {
			return errors.New("no such delivery")
		}

		return err
	})
	return wrap(err, "recording the result of a delivery of event %q", d.EventID)
}
