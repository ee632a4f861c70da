package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/store/sqldb"
)

// tombstone is the status column of a deleted session: no list by status shows it, while its
// document keeps the status for late payments and repeated orders.
const tombstone = "deleted"

func statusColumn(s *payment.Session) string {
	if s.Tombstone() {
		return tombstone
	}
	return string(s.Status)
}

func isUnpaidItem(s *payment.Session) bool {
	return s.Order.Item != "" && s.Status.Outcome() == wire.Unpaid
}

const (
	// erasable finds finished sessions of one status, and whether something was erased of them.
	erasable = `SELECT created_at, id, erased_at IS NOT NULL, unreadable_at IS NOT NULL
		FROM sessions WHERE status = $1 AND (created_at, id) > ($2, $3) AND created_at < $4
		ORDER BY created_at, id LIMIT $5`
	unpaidItems = `SELECT created_at, id FROM sessions
		WHERE unpaid_item = 1 AND unreadable_at IS NULL AND (created_at, id) > ($1, $2)
		AND created_at < $3 ORDER BY created_at, id LIMIT $4`
	undelivered = `SELECT EXISTS (SELECT 1 FROM deliveries d JOIN events e ON e.seq = d.event
		WHERE e.session = $1 AND d.state = 'open')`

	deleteTerm   = `DELETE FROM words WHERE word = $1`
	deleteTermOf = `DELETE FROM words WHERE word = $1 AND created_at = $2 AND session = $3`
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

	sessionsWithTerm = `SELECT session FROM words WHERE word = $1 ORDER BY created_at, session`
)

// finalStatuses are the statuses that Erasable goes through, in this order.
func finalStatuses() []wire.Status { return wire.StatusesWhere(wire.Status.Final) }

// Erasable implements checkout.Eraser. Its cursor begins with the number of a status.
func (db *DB) Erasable(
	ctx context.Context, before time.Time, from string, limit int,
) (ids []string, next string, err error) {
	at, rest := 0, cursor{}
	if from != "" {
		_, err := fmt.Sscanf(from, "%d.%d.%s", &at, &rest.createdAt, &rest.id)
		if err != nil || at < 0 || at >= len(finalStatuses()) {
			return nil, "", fmt.Errorf("finding sessions to erase: cursor %q is not valid", from)
		}
	}
	status := finalStatuses()[at]
	found, err := sqldb.List(ctx, db.DB, scanFinished, erasable,
		sqldb.Key(string(status)), rest.createdAt, sqldb.Key(rest.id), before.UnixMicro(), limit)
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
		if after, err = parseCursor(from); err != nil {
			return nil, "", err
		}
	}
	found, err := sqldb.List(ctx, db.DB, scanPlace, unpaidItems,
		after.createdAt, sqldb.Key(after.id), before.UnixMicro(), limit)
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
	f.id = sqldb.FromKey(f.id)
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
	r, err := readRow(ctx, tx, db.Dialect.Locked(sessionForUpdate), id)
	if err != nil {
		return 0, err
	}
	s, err := r.session()
	if err != nil {
		return 0, err
	}
	var open bool
	if err := tx.QueryRowContext(ctx, undelivered, sqldb.Key(id)).Scan(&open); err != nil {
		return 0, err
	}
	before, had := indexEntryOf(&s), keysOf(s)
	e := decide(s, open)
	if e == payment.EraseNothing {
		return e, nil
	}
	s.Erase(e, now)
	s.Version++
	if _, _, err := put(ctx, tx, updateSession, s); err != nil {
		return 0, err
	}
	if err := db.writeRelated(ctx, tx, &s, had, before); err != nil {
		return 0, err
	}
	if err := deleteOldTerms(ctx, tx, &s, before.terms); err != nil {
		return 0, err
	}
	if e == payment.EraseAll && db.Dialect.Pack != "" {
		if _, err := tx.ExecContext(ctx, db.Dialect.Pack, sqldb.Key(id)); err != nil {
			return 0, fmt.Errorf("packing the row: %w", err)
		}
	}
	return e, db.eraseRelated(ctx, tx, id, e, now)
}

// deleteOldTerms deletes the terms by which s is not found any more.
func deleteOldTerms(ctx context.Context, tx *sql.Tx, s *payment.Session, before []string) error {
	now := searchTerms(s)
	for _, w := range before {
		if slices.Contains(now, w) {
			continue
		}
		_, err := tx.ExecContext(ctx, deleteTermOf, w, s.CreatedAt.UnixMicro(), sqldb.Key(s.ID))
		if err != nil {
			return fmt.Errorf("erasing a search term: %w", err)
		}
	}
	return nil
}

func (db *DB) eraseRelated(
	ctx context.Context, tx *sql.Tx, id string, e payment.Erasure, now time.Time,
) error {
	queries := []string{eraseNotes, eraseActionsOf}
	if e == payment.EraseAll {
		// No instance may add deliveries to these events while they are deleted.
		if _, err := tx.ExecContext(ctx, db.Dialect.Locked(lockEvents), sqldb.Key(id)); err != nil {
			return fmt.Errorf("locking its events: %w", err)
		}
		older := db.Dialect.NotNewest
		queries = []string{
			fmt.Sprintf(deleteDeliveries, older), fmt.Sprintf(deleteEvents, older),
			eraseNotes, deleteActionsOf,
		}
	}
	for _, query := range queries {
		if _, err := tx.ExecContext(ctx, query, sqldb.Key(id)); err != nil {
			return fmt.Errorf("erasing its events: %w", err)
		}
	}
	left, err := sqldb.Collect(ctx, tx, scanStored, eventsToErase, sqldb.Key(id))
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
	e.Session, e.At = sqldb.FromKey(e.Session), time.UnixMicro(at).UTC()
	return e, err
}

// SessionsWithEmail implements checkout.Eraser.
func (db *DB) SessionsWithEmail(ctx context.Context, email string) ([]string, error) {
	term := searchTerm(email)
	if term == "" {
		return nil, nil
	}
	ids, err := sqldb.List(ctx, db.DB, sqldb.ScanKey, sessionsWithTerm, term)
	return ids, sqldb.Wrap(err, "finding the sessions with an e-mail")
}

// ForgetEmail makes no session be found by an e-mail any more: an older release has left
// those in the search index that a session had before another one.
func (db *DB) ForgetEmail(ctx context.Context, email string) error {
	err := db.Execute(ctx, deleteTerm, searchTerm(email))
	return sqldb.Wrap(err, "erasing an e-mail from the search index")
}

// EraseActions implements checkout.Eraser.
func (db *DB) EraseActions(ctx context.Context, before time.Time, limit int) (n int, err error) {
	err = db.Write(ctx, func(tx *sql.Tx) error {
		n = 0
		for _, query := range []string{deleteActions, eraseActions} {
			changed, err := sqldb.Affected(ctx, tx, query, before.UnixMicro(), limit-n)
			if err != nil {
				return err
			}
			n += changed
		}
		return nil
	})
	return n, sqldb.Wrap(err, "erasing console actions")
}
