package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/webhook"
)

// A delivery is bound to the URL that was configured when its event was written. When
// COINSLOT_WEBHOOK_URL changes, what is open to a URL that no running instance has any
// more is moved to the URLs that are configured now.

const (
	// rerouteEvery is the pause between two passes.
	rerouteEvery = 30 * time.Second
	// rerouteAgain is the pause before it is tried again to move the same deliveries.
	rerouteAgain = 5 * time.Minute
	// rerouteWindow is how old a delivery or an event may be to be moved without an
	// operator. It is as long as the sender retries.
	rerouteWindow = 30 * 24 * time.Hour
	// rerouteBatch is how many deliveries one transaction moves.
	rerouteBatch = 100
	// maxRerouted bounds what one request of an operator moves.
	maxRerouted = 10_000
)

const (
	// Open deliveries to $1 after ($2, $3) that are not leased at $4 and were opened at $5
	// or later.
	openDeliveriesTo = `SELECT d.next_at, d.event FROM deliveries d JOIN events e ON e.seq = d.event
		WHERE d.endpoint = $1 AND d.state = 'open' AND (d.next_at, d.event) > ($2, $3)
		AND (d.lease_until IS NULL OR d.lease_until <= $4) AND COALESCE(d.opened_at, e.at) >= $5
		ORDER BY d.next_at, d.event LIMIT $6 FOR UPDATE OF d SKIP LOCKED`
	addDelivery = `INSERT INTO deliveries (event, endpoint, next_at, opened_at, note, urgent)
		VALUES ($1, $2, $3, $3, $4, (SELECT ` + urgentEvent + ` FROM events WHERE seq = $1))
		ON CONFLICT (event, endpoint) DO NOTHING`
	deleteDelivery = `DELETE FROM deliveries WHERE event = $1 AND endpoint = $2`
	closeDelivery  = `UPDATE deliveries SET state = 'abandoned', note = $3, tried_at = $4
		WHERE event = $1 AND endpoint = $2`
)

// runReroutes makes a pass at the start, and then one every half minute until ctx ends.
func (db *DB) runReroutes(ctx context.Context) {
	r := db.newRerouter()
	failing := false
	for first := true; ctx.Err() == nil; first = false {
		err := r.pass(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			db.log.Warn("moving open webhooks failed; retrying", "error", err)
		}
		failing = err != nil
		if first {
			close(db.rerouted)
		}
		background.Sleep(ctx, rerouteEvery)
	}
}

// rerouter is what one pass leaves to the next.
type rerouter struct {
	db      *DB
	since   time.Time           // the first event that may lack a delivery
	renewed time.Time           // when this instance last renewed its URLs; zero = never
	kept    map[string]leftover // by URL
}

// leftover is what stayed open to a URL: every configured URL has it, it is too old, or a
// delivery of it was under way.
type leftover struct {
	deliveries int
	tried      time.Time // when moving them was tried last
}

func (db *DB) newRerouter() *rerouter {
	return &rerouter{db: db, since: db.Now().Add(-rerouteWindow), kept: map[string]leftover{}}
}

// pass renews this instance's URLs, gives events that have no delivery one to each of them, and
// moves what is open to URLs that no instance has. If this instance could not renew in time,
// because the database was down, others could not either: it waits for the next pass.
func (r *rerouter) pass(ctx context.Context) error {
	now := r.db.Now()
	if err := r.db.RenewEndpoints(ctx); err != nil {
		return err
	}

	late := !r.renewed.IsZero() && now.Sub(r.renewed) >= endpointLease
	r.renewed = now
	if late && r.db.Shared() {
		return nil
	}
	if len(r.db.endpoints) > 0 {
		if err := r.db.addMissingDeliveries(ctx, r.since); err != nil {
			return err
		}
	}

	r.since = now.Add(-time.Minute) // longer than any transaction
	list, err := r.db.Unrouted(ctx)
	if err != nil {
		return err
	}

	for _, b := range list {
		k := r.kept[b.Endpoint]
		if b.Waiting == k.deliveries && now.Sub(k.tried) < rerouteAgain {
			continue
		}

		left, err := r.db.rerouteRecent(ctx, b)
		if err != nil {
			return err
		}
		if left > 0 && left != k.deliveries {
			r.db.log.Warn("webhooks wait for a URL that is no longer configured: "+
				"move them in the console, or configure the URL again",
				"host", endpointHost(b.Endpoint), "count", left)
		}

		r.kept[b.Endpoint] = leftover{left, now}
	}

	return nil
}

// rerouteRecent moves what may be moved without an operator, and returns how much stays open.
func (db *DB) rerouteRecent(ctx context.Context, b webhook.Backlog) (left int, err error) {
	moved := webhook.Rerouted{}
	if len(db.endpoints) > 0 {
		r := reroute{since: db.Now().Add(-rerouteWindow)}
		moved, err = db.reroute(ctx, b.Endpoint, r)
		if err != nil {
			return 0, err
		}
	}
	if moved.Moved > 0 {
		db.log.Info("open webhooks moved to the configured URL",
			"from", endpointHost(b.Endpoint), "count", moved.Moved)
	}

	return max(0, b.Waiting-moved.Moved), nil
}

// Reroute implements webhook.Rerouting.
func (db *DB) Reroute(ctx context.Context, endpoint string) (webhook.Rerouted, error) {
	if len(db.endpoints) == 0 {
		return webhook.Rerouted{}, webhook.ErrNoEndpoint
	}
	list, err := db.Unrouted(ctx)
	if err != nil {
		return webhook.Rerouted{}, err
	}
	if !slices.ContainsFunc(list, func(b webhook.Backlog) bool { return b.Endpoint == endpoint }) {
		return webhook.Rerouted{}, webhook.ErrEndpoint
	}
	return db.reroute(ctx, endpoint, reroute{closeRest: true, most: maxRerouted})
}

// reroute says which deliveries to move, and what to do with those that every URL already has.
type reroute struct {
	since     time.Time // leaves out what was opened earlier; zero = nothing
	closeRest bool      // false = they stay open, for an operator to decide
	most      int       // deliveries; zero = no limit
}

// reroute moves what is open to endpoint, in batches. It stops when an instance with
// that URL starts.
func (db *DB) reroute(
	ctx context.Context, endpoint string, r reroute,
) (done webhook.Rerouted, err error) {
	at := openDelivery{nextAt: math.MinInt64}
	for ctx.Err() == nil {
		var batch webhook.Rerouted
		var list []openDelivery
		err := db.Write(ctx, func(tx *sql.Tx) (err error) {
			batch = webhook.Rerouted{}
			list, err = db.lockOpen(ctx, tx, endpoint, at, r.since)
			if err != nil {
				return err
			}
			for _, d := range list {
				if err := db.moveDelivery(ctx, tx, d, endpoint, r.closeRest, &batch); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return done, fmt.Errorf("moving deliveries to %s: %w", endpointHost(endpoint),
				err)
		}

		done.Moved += batch.Moved
		done.Closed += batch.Closed
		if len(list) < rerouteBatch {
			return done, nil
		}

		done.More = r.most > 0 && done.Moved+done.Closed >= r.most
		if done.More {
			return done, nil
		}

		at = list[len(list)-1]
	}

	return done, ctx.Err()
}

// openDelivery is an open delivery in the order of its endpoint's queue.
type openDelivery struct{ nextAt, event int64 }

// lockOpen locks and returns the next deliveries that are open to endpoint; none if an
// instance has it by now.
func (db *DB) lockOpen(
	ctx context.Context, tx *sql.Tx, endpoint string, after openDelivery, since time.Time,
) ([]openDelivery, error) {
	configured, err := db.IsConfigured(ctx, tx, endpoint)
	if err != nil || configured {
		return nil, err
	}

	opened := int64(math.MinInt64)
	if !since.IsZero() {
		opened = since.UnixMicro()
	}

	return collect(ctx, tx, func(rows *sql.Rows) (d openDelivery, err error) {
		err = rows.Scan(&d.nextAt, &d.event)
		return d, err
	}, db.dialect.Locked(openDeliveriesTo), keyOf(endpoint), after.nextAt, after.event,
		db.Now().UnixMicro(), opened, rerouteBatch)
}

// moveDelivery moves one delivery to the configured URLs that have none of its event, and counts it
// in done. If all of them have one, closeRest decides whether it is closed or stays open.
func (db *DB) moveDelivery(
	ctx context.Context, tx *sql.Tx, d openDelivery, from string, closeRest bool,
	done *webhook.Rerouted,
) error {
	moved, err := db.addDeliveries(ctx, tx, d.event, "moved from "+endpointHost(from))
	switch {
	case err != nil:
		return err
	case moved:
		done.Moved++
		_, err = tx.ExecContext(ctx, deleteDelivery, d.event, keyOf(from))
	case closeRest:
		done.Closed++
		note := "closed by an operator: every configured URL has this event"
		_, err = tx.ExecContext(ctx, closeDelivery, d.event, keyOf(from), note,
			db.Now().UnixMicro())
	}

	return err
}

// addDeliveries gives an event a delivery to each configured URL that has none, with the full
// time to be tried, and reports whether there was one to give.
func (db *DB) addDeliveries(
	ctx context.Context, tx *sql.Tx, event int64, note string,
) (bound bool, err error) {
	now := db.Now().UnixMicro()
	for _, endpoint := range db.endpoints {
		n, err := affected(ctx, tx, addDelivery, event, keyOf(endpoint), now,
			noteOrNull(note))
		if err != nil {
			return false, err
		}
		bound = bound || n > 0
	}
	return bound, nil
}
