package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

const (
	// rerouteScan is how many events one read looks at for missing deliveries.
	rerouteScan = 1_000
	// missingPause is between two reads: shoppers wait for them.
	missingPause = 10 * time.Millisecond
)

const (
	// Events after ($1, $2), and whether each has a delivery.
	eventsWithState = `SELECT e.at, e.seq, e.type,
			EXISTS (SELECT 1 FROM deliveries d WHERE d.event = e.seq)
		FROM events e WHERE (e.at, e.seq) > ($1, $2) ORDER BY e.at, e.seq LIMIT $3`
	hasDelivery = `SELECT EXISTS (SELECT 1 FROM deliveries WHERE event = $1)`
)

// addMissingDeliveries adds deliveries to events of since and later that were written while
// no URL was configured.
func (db *DB) addMissingDeliveries(ctx context.Context, since time.Time) error {
	at := openDelivery{nextAt: since.UnixMicro() - 1, event: math.MaxInt64}
	for ctx.Err() == nil {
		list, err := listRows(ctx, db, scanEventState,
			eventsWithState, at.nextAt, at.event, rerouteScan)
		if err != nil {
			return fmt.Errorf("finding events without a delivery: %w", err)
		}

		var missing []int64
		for _, e := range list {
			at = e.openDelivery
			if e.isMissing() {
				missing = append(missing, e.event)
			}
		}

		for batch := range slices.Chunk(missing, rerouteBatch) {
			if err := db.addBatch(ctx, batch); err != nil {
				return fmt.Errorf("adding deliveries of events before the webhook URL: %w", err)
			}
		}
		if len(missing) > 0 {
			db.log.Info("webhooks added for events before the URL was configured",
				"count", len(missing))
		}
		if len(list) < rerouteScan {
			return nil
		}

		background.Sleep(ctx, missingPause)
	}

	return ctx.Err()
}

type eventState struct {
	openDelivery
	kind      payment.EventType
	delivered bool
}

func scanEventState(rows *sql.Rows) (e eventState, err error) {
	err = rows.Scan(&e.nextAt, &e.event, &e.kind, &e.delivered)
	return e, err
}

// isMissing reports whether e has no delivery and needs one: it is about the end of a
// checkout or a review. What happened on the way is out of date by now.
func (e eventState) isMissing() bool {
	return !e.delivered && e.kind != payment.EventPending && e.kind != payment.EventPartial
}

func (db *DB) addBatch(ctx context.Context, events []int64) error {
	return db.Write(ctx, func(tx *sql.Tx) error {
		for _, event := range events {
			var bound bool // another instance has bound it meanwhile
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
