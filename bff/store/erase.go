package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

func isUnpaidItem(s *payment.Session) bool {
	return s.Order.Item != "" && s.Status.Outcome() == wire.Unpaid
}

const (
	// erasable finds finished sessions of one status, and whether something was erased of them.
	erasable = `SELECT created_at, id, erased_at IS NOT NULL, unreadable_at IS NOT NULL
		FROM sessions WHERE status = $1 AND deleted = 0
		AND (created_at, id) > ($2, $3) AND created_at < $4
		ORDER BY created_at, id LIMIT $5`
	unpaidItems = `SELECT created_at, id FROM sessions
		WHERE unpaid_item = 1 AND unreadable_at IS NULL AND (created_at, id) > ($1, $2)
		AND created_at < $3 ORDER BY created_at, id LIMIT $4`
	undelivered = `SELECT EXISTS (SELECT 1 FROM deliveries d JOIN events e ON e.seq = d.event
		WHERE e.session = $1 AND d.state = 'open')`

	deleteTerm = `DELETE FROM search_terms WHERE term = $1 AND created_at = $2 AND session = $3`
	// These leave the newest event of the log, whose position must not be used again: %s is
	// the condition. Without its deliveries it would count as never sent.
	deleteDeliveries = `DELETE FROM deliveries
		WHERE event IN (SELECT seq FROM events WHERE session = $1 AND %s)`
	deleteEvents = `DELETE FROM events WHERE session = $1 AND %s`
	eraseNotes   = `UPDATE deliveries SET note = NULL
		WHERE note IS NOT NULL AND event IN (SELECT seq FROM events WHERE session = $1)`
	lockEvents    = `SELECT seq FROM events WHERE session = $1 FOR UPDATE`
	eventsToErase = `SELECT seq, id, session, type, at, body FROM events WHERE session = $1
		ORDER BY seq`
	replaceBody = `UPDATE events SET body = $2, unreadable_at = NULL WHERE seq = $1`

	deleteActionsOf = `DELETE FROM actions WHERE session = $1`
	eraseActionsOf  = `UPDATE actions SET detail = NULL WHERE session = $1`
	deleteActions   = `DELETE FROM actions WHERE seq IN (
		SELECT seq FROM actions WHERE at < $1 AND session IS NULL ORDER BY at, seq LIMIT $2)`
	eraseActions = `UPDATE actions SET address = NULL, detail = NULL WHERE seq IN (
		SELECT seq FROM actions WHERE at < $1 AND session IS NOT NULL
			AND (address IS NOT NULL OR detail IS NOT NULL) ORDER BY at, seq LIMIT $2)`

	sessionsWithTerm = `SELECT session FROM search_terms WHERE term = $1 ORDER BY created_at, session`
)

// finalStatuses are the statuses that Erasable goes through, in this order.
func finalStatuses() []wire.Status { return wire.StatusesWhere(wire.Status.Final) }

// Erasable implements checkout.Eraser. Its cursor begins with the number of a status.
func (db *DB) Erasable(
	ctx context.Context, before time.Time, from string, limit int,
) (ids []string, next string, err error) {
	at := 0
	rest := cursor{}
	if from != "" {
		_, err := fmt.Sscanf(from, "%d.%d.%s", &at, &rest.createdAt, &rest.id)
		if err != nil || at < 0 || at >= len(finalStatuses()) {
			return nil, "", fmt.Errorf("finding sessions to erase: cursor %q is not valid", from)
		}
	}

	status := finalStatuses()[at]
	found, err := listRows(ctx, db, scanFinished, erasable,
		keyOf(string(status)), rest.createdAt, keyOf(rest.id), before.UnixMicro(), limit)
	if err != nil {
		return nil, "", fmt.Errorf("finding sessions to erase: %w", err)
	}

	for _, f := range found {
		done := f.erased && status == wire.Confirmed // of the others, there is more to erase
		if !done && !f.setAside {
			ids = append(ids, f.id)
		}
	}

	switch {
	case len(found) == limit:
		last := found[len(found)-1]
		next = fmt.Sprintf("%d.%d.%s", at, last.createdAt, last.id)
	case at+1 < len(finalStatuses()):
		next = fmt.Sprintf("%d.0.-", at+1) // no id begins with a minus sign
	}

	return ids, next, nil
}

// UnpaidItems implements checkout.UnpaidItems.
func (db *DB) UnpaidItems(
	ctx context.Context, before time.Time, from string, limit int,
) (ids []string, next string, err error) {
	after := cursor{}
	if from != "" {
		after, err = parseCursor(from)
		if err != nil {
			return nil, "", err
		}
	}

	found, err := listRows(ctx, db, scanPlace, unpaidItems,
		after.createdAt, keyOf(after.id), before.UnixMicro(), limit)
	if err != nil {
		return nil, "", fmt.Errorf("finding unpaid sessions of items: %w", err)
	}

	for _, f := range found {
		ids = append(ids, f.id)
	}
	if len(found) == limit {
		next = found[limit-1].String()
	}

	return ids, next, nil
}

type finishedSession struct {
	cursor
	erased   bool // something was erased already
	setAside bool
}

func scanFinished(rows *sql.Rows) (f finishedSession, err error) {
	err = rows.Scan(&f.createdAt, &f.id, &f.erased, &f.setAside)
	f.id = fromKey(f.id)
	return f, err
}

// Erase implements checkout.Eraser. A commit of unknown outcome is made again: to erase
// twice changes nothing more.
func (db *DB) Erase(
	ctx context.Context, id string, now time.Time,
	decide func(payment.Session, bool) payment.Erasure,
) (done payment.Erasure, err error) {
	err = retryUnknown(func() error {
		return db.Write(ctx, func(tx *sql.Tx) (err error) {
			done, err = db.erase(ctx, tx, id, now, decide)
			return err
		})
	}, func(error) bool { return false })
	if errors.Is(err, payment.ErrNotFound) {
		return payment.EraseNothing, payment.ErrNotFound
	}
	if err != nil {
		return payment.EraseNothing, fmt.Errorf("erasing session %q: %w", id,
			db.noteUnreadable(ctx, err))
	}

	return done, nil
}

func (db *DB) erase(
	ctx context.Context, tx *sql.Tx, id string, now time.Time,
	decide func(payment.Session, bool) payment.Erasure,
) (payment.Erasure, error) {
	r, err := readRow(ctx, tx, db.dialect.Locked(sessionForUpdate), id)
	if err != nil {
		return 0, err
	}

	s, err := r.session()
	if err != nil {
		return 0, err
	}

	var open bool
	if err := tx.QueryRowContext(ctx, undelivered, keyOf(id)).Scan(&open); err != nil {
		return 0, err
	}

	before := relatedTo(&s)
	e := decide(s, open)
	if e == payment.EraseNothing {
		return e, nil
	}

	s.Erase(e, now)
	s.Version++
	if _, _, err := put(ctx, tx, updateSession, s); err != nil {
		return 0, err
	}
	if err := db.writeRelated(ctx, tx, &s, before); err != nil {
		return 0, err
	}
	if err := deleteTerms(ctx, tx, &s, without(before.terms.all, searchTerms(&s))); err != nil {
		return 0, err
	}
	if e == payment.EraseAll && db.dialect.Pack != "" {
		if _, err := tx.ExecContext(ctx, db.dialect.Pack, keyOf(id)); err != nil {
			return 0, fmt.Errorf("packing the row: %w", err)
		}
	}

	return e, db.eraseRelated(ctx, tx, id, e, now)
}

func (db *DB) eraseRelated(
	ctx context.Context, tx *sql.Tx, id string, e payment.Erasure, now time.Time,
) error {
	queries := []string{eraseNotes, eraseActionsOf}
	if e == payment.EraseAll {
		// No instance may add deliveries to these events while they are deleted.
		if _, err := tx.ExecContext(ctx, db.dialect.Locked(lockEvents), keyOf(id)); err != nil {
			return fmt.Errorf("locking its events: %w", err)
		}
		older := db.dialect.NotNewest
		queries = []string{
			fmt.Sprintf(deleteDeliveries, older), fmt.Sprintf(deleteEvents, older),
			eraseNotes, deleteActionsOf,
		}
	}

	for _, query := range queries {
		if _, err := tx.ExecContext(ctx, query, keyOf(id)); err != nil {
			return fmt.Errorf("erasing its events: %w", err)
		}
	}

	left, err := collect(ctx, tx, scanStored, eventsToErase, keyOf(id))
	if err != nil {
		return fmt.Errorf("reading its events: %w", err)
	}

	for _, l := range left {
		if _, err := tx.ExecContext(ctx, replaceBody, l.seq, l.Erased(e, now).Body); err != nil {
			return fmt.Errorf("erasing event %q: %w", l.ID, err)
		}
	}

	return nil
}

type storedEvent struct {
	payment.Event
	seq int64
}

func scanStored(rows *sql.Rows) (e storedEvent, err error) {
	var at int64
	err = rows.Scan(&e.seq, &e.ID, &e.Session, &e.Type, &at, &e.Body)
	e.Session = fromKey(e.Session)
	e.At = time.UnixMicro(at).UTC()
	return e, err
}

// SessionsWithEmail implements checkout.Eraser.
func (db *DB) SessionsWithEmail(ctx context.Context, email string) ([]string, error) {
	term := searchTerm(email)
	if term == "" {
		return nil, nil
	}
	ids, err := listRows(ctx, db, scanKey, sessionsWithTerm, term)
	return ids, wrap(err, "finding the sessions with an e-mail")
}

// EraseActions implements checkout.Eraser.
func (db *DB) EraseActions(ctx context.Context, before time.Time, limit int) (n int, err error) {
	err = db.Write(ctx, func(tx *sql.Tx) error {
		n = 0
		for _, query := range []string{deleteActions, eraseActions} {
			changed, err := affected(ctx, tx, query, before.UnixMicro(), limit-n)
			if err != nil {
				return err
			}
			n += changed
		}
		return nil
	})
	return n, wrap(err, "erasing console actions")
}
