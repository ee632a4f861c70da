package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"time"

	"coinslot/bff/payment"
	"coinslot/bff/store/sqldb"
)

// rerouteScan is how many events one read looks at for missing deliveries.
const rerouteScan = 1_000

const (
	// Events after ($1, $2), and whether each has a delivery.
	eventsWithState = `SELECT e.at, e.seq, e.type,
			EXISTS (SELECT 1 FROM deliveries d WHERE d.event = e.seq)
		FROM events e WHERE (e.at, e.seq) > ($1, $2) ORDER BY e.at, e.seq LIMIT $3`
	hasDelivery = `SELECT EXISTS (SELECT 1 FROM deliveries WHERE event = $1)`
)

// addMissingDeliveries gives deliveries to events of since and later that were written while no
// URL was configured.
func (db *DB) addMissingDeliveries(ctx context.Context, since time.Time) error {
	at := openDelivery{nextAt: since.UnixMicro() - 1, event: math.MaxInt64}
	for ctx.Err() == nil {
		unbound, last, more, err := db.eventsWithoutDelivery(ctx, at)
		if err != nil {
			return fmt.Errorf("looking for events without a delivery: %w", err)
		}
		for batch := range slices.Chunk(unbound, rerouteBatch) {
			if err := db.addBatch(ctx, batch); err != nil {
				return fmt.Errorf("delivering events of before the webhook URL was set: %w", err)
			}
		}
		if len(unbound) > 0 {
			db.Log.Info("webhooks opened for events of before the URL was configured",
				"count", len(unbound))
		}
		if !more {
			return nil
		}
		at = last
		sqldb.Doze(ctx, backfillPause)
	}
	return ctx.Err()
}

// eventsWithoutDelivery returns those of the next events that have no delivery and tell how a
// checkout ended, or need a person: what it passed through on the way is not news any
// more.
func (db *DB) eventsWithoutDelivery(
	ctx context.Context, after openDelivery,
) (unbound []int64, last openDelivery, more bool, err error) {
	err = db.View(ctx, func(ctx context.Context, q sqldb.Queryer) error {
		unbound, last, more = nil, after, false
		rows, err := q.QueryContext(ctx, eventsWithState, after.nextAt, after.event, rerouteScan)
		if err != nil {
			return err
		}
		defer rows.Close()
		read := 0
		for ; rows.Next(); read++ {
			var t payment.EventType
			var bound bool
			if err := rows.Scan(&last.nextAt, &last.event, &t, &bound); err != nil {
				return err
			}
			if !bound && t != payment.EventPending && t != payment.EventPartial {
				unbound = append(unbound, last.event)
			}
		}
		more = read == rerouteScan
		return rows.Err()
	})
	return unbound, last, more, err
}

func (db *DB) addBatch(ctx context.Context, events []int64) error {
	return db.Write(ctx, func(tx *sql.Tx) error {
		for _, event := range events {
			var bound bool // by another instance, meanwhile
			if err := tx.QueryRowContext(ctx, hasDelivery, event).Scan(&bound); err != nil {
				return err
			}
			if bound {
				continue
			}
			if _, err := db.addDeliveries(ctx, tx, event, ""); err != nil {
				return err
			}
		}
		return nil
	})
}
