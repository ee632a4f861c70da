package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"coinslot/bff/payment"
)

const (
	deleteAttempt = `DELETE FROM attempts WHERE session = $1 AND number = $2`
	insertAttempt = `INSERT INTO attempts (session, number, marker, tracking_code, order_id, tx_id)
		VALUES ($1, $2, $3, $4, $5, $6)`
)

// attemptKeys is what an attempt holds that no other attempt may; zero = nothing.
type attemptKeys struct {
	number       int
	marker       string
	trackingCode string
	orderID      int
	txID         string
}

// keysOf returns what each attempt of s holds. A transaction id is held by the session, so only the
// first of its confirmed attempts has it. Each further id of an attempt has a row of its own, with a
// negative number.
func keysOf(s payment.Session) []attemptKeys {
	var all []attemptKeys
	held := map[string]bool{"": true}
	further := 0
	for i := range s.Attempts {
		a := &s.Attempts[i]
		h := attemptKeys{number: a.Number, marker: a.Marker, trackingCode: a.TrackingCode}
		if a.Drawn && a.Live() {
			h.orderID = a.OrderID
		}
		for _, id := range a.HeldTxIDs() {
			switch {
			case held[id]:
			case h.txID == "":
				h.txID = id
			default:
				further++
				all = append(all, attemptKeys{number: -further, txID: id})
			}
			held[id] = true
		}
		all = append(all, h)
	}
	return all
}

// writeAttemptKeys writes what has changed from old to now. Everything given up is
// deleted first, so that one attempt can take over what another one held.
// Errors: ErrTaken, ErrTxUsed, ErrTrackingUsed as they are.
func (db *DB) writeAttemptKeys(
	ctx context.Context, tx *sql.Tx, session string, old, now []attemptKeys,
) error {
	for _, h := range old {
		if slices.Contains(now, h) {
			continue
		}
		if _, err := tx.ExecContext(ctx, deleteAttempt, keyOf(session), h.number); err != nil {
			return fmt.Errorf("indexing attempt %d: %w", h.number, err)
		}
	}
	for _, h := range now {
		if slices.Contains(old, h) {
			continue
		}
		orderID := sql.NullInt64{Int64: int64(h.orderID), Valid: h.orderID != 0}
		_, err := tx.ExecContext(ctx, insertAttempt, keyOf(session), h.number,
			keyOrNull(h.marker), keyOrNull(h.trackingCode), orderID, keyOrNull(h.txID))
		if err != nil {
			return db.conflict(h, err)
		}
	}
	return nil
}

// conflict returns err, of writing h, as the contract names it.
func (db *DB) conflict(h attemptKeys, err error) error {
	switch db.dialect.Violated(err) {
	case "attempts.order_id":
		return payment.ErrTaken
	case "attempts.tx_id":
		return payment.ErrTxUsed
	case "attempts.tracking_code":
		return payment.ErrTrackingUsed
	}
	return fmt.Errorf("indexing attempt %d: %w", h.number, err)
}

func isConflict(err error) bool {
	return errors.Is(err, payment.ErrTaken) || errors.Is(err, payment.ErrTxUsed) ||
		errors.Is(err, payment.ErrTrackingUsed)
}

// FindAttempts implements checkout.Store.
func (db *DB) FindAttempts(ctx context.Context, keys []string) ([]payment.AttemptRef, error) {
	var found []payment.AttemptRef
	for batch := range slices.Chunk(distinct(keys), batchSize) {
		query, args := heldQuery(batch)
		list, err := listRows(ctx, db, scanHeld, query, args...)
		if err != nil {
			return nil, fmt.Errorf("finding attempts: %w", err)
		}
		found = append(found, list...)
	}
	// One can be found in two batches, by its marker and by its tracking code.
	slices.SortFunc(found, func(a, b payment.AttemptRef) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Number, b.Number))
	})
	return slices.Compact(found), nil
}

// distinct returns keys without duplicates and empty ones.
func distinct(keys []string) []string {
	all := slices.Compact(slices.Sorted(slices.Values(keys)))
	return slices.DeleteFunc(all, func(k string) bool { return k == "" })
}

func heldQuery(keys []string) (query string, args []any) {
	in, args := inList(1, keys)
	const columns = `SELECT session, number, marker, tracking_code FROM attempts WHERE `
	return columns + `marker IN ` + in + ` UNION ALL ` + columns + `tracking_code IN ` + in, args
}

func scanHeld(rows *sql.Rows) (h payment.AttemptRef, err error) {
	var marker, code sql.NullString
	err = rows.Scan(&h.Session, &h.Number, &marker, &code)
	h.Marker, h.TrackingCode = fromKey(marker.String), fromKey(code.String)
	return h, err
}
