package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"coinslot/bff/checkout"
)

const (
	deleteAttempt = `DELETE FROM attempts WHERE session = $1 AND number = $2`
	insertAttempt = `INSERT INTO attempts (session, number, marker, tracking_code, order_id, tx_id)
		VALUES ($1, $2, $3, $4, $5, $6)`
)

// hold is what an attempt holds that no other attempt may; zero = nothing.
type hold struct {
	number       int
	marker       string
	trackingCode string
	orderID      int
	txID         string
}

// holds returns what each attempt of s holds. A transaction id is held by the
// session, so only the first of its confirmed attempts has it.
func holds(s checkout.Session) []hold {
	var all []hold
	for _, a := range s.Attempts {
		h := hold{number: a.Number, marker: a.Marker, trackingCode: a.TrackingCode}
		if a.Drawn && a.Live() {
			h.orderID = a.OrderID
		}
		if a.State == checkout.Confirmed && !slices.ContainsFunc(all, func(o hold) bool { return o.txID == a.TxID }) {
			h.txID = a.TxID
		}
		all = append(all, h)
	}
	return all
}

// index writes what has changed from old to now. Everything given up is
// deleted first, so that one attempt can take over what another one held.
// Errors: ErrTaken, ErrTxUsed, ErrTrackingUsed as they are.
func (db *DB) index(ctx context.Context, tx *sql.Tx, session string, old, now []hold) error {
	for _, h := range old {
		if slices.Contains(now, h) {
			continue
		}
		if _, err := tx.ExecContext(ctx, deleteAttempt, session, h.number); err != nil {
			return fmt.Errorf("indexing attempt %d: %w", h.number, err)
		}
	}
	for _, h := range now {
		if slices.Contains(old, h) {
			continue
		}
		orderID := sql.NullInt64{Int64: int64(h.orderID), Valid: h.orderID != 0}
		_, err := tx.ExecContext(ctx, insertAttempt, session, h.number, text(h.marker), text(h.trackingCode), orderID, text(h.txID))
		if err != nil {
			return db.conflict(h, err)
		}
	}
	return nil
}

// conflict turns err, of writing h, into what the contract calls it.
func (db *DB) conflict(h hold, err error) error {
	switch db.dialect.violated(err) {
	case "attempts.order_id":
		return checkout.ErrTaken
	case "attempts.tx_id":
		return checkout.ErrTxUsed
	case "attempts.tracking_code":
		return checkout.ErrTrackingUsed
	}
	return fmt.Errorf("indexing attempt %d: %w", h.number, err)
}

// isConflict reports whether err is one that conflict names.
func isConflict(err error) bool {
	return errors.Is(err, checkout.ErrTaken) || errors.Is(err, checkout.ErrTxUsed) || errors.Is(err, checkout.ErrTrackingUsed)
}
