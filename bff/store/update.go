package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"coinslot/bff/payment"
	"coinslot/bff/token"
)

const (
	insertSession = `INSERT INTO sessions (id, version, status, order_ref, idempotency_key,
		created_at, checked_at, due_at, late_from, coin, network, currency, amount_cents,
		unpaid_item, unsettled, deleted, erased_at, doc)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
		ON CONFLICT DO NOTHING`
	updateSession = `UPDATE sessions
		SET version = $2, status = $3, order_ref = $4, idempotency_key = $5, created_at = $6,
		checked_at = $7, due_at = $8, late_from = $9, coin = $10, network = $11,
		currency = $12, amount_cents = $13, unpaid_item = $14, unsettled = $15, deleted = $16,
		erased_at = $17, doc = $18
		WHERE id = $1`
)

// maxUnknown bounds the tries of a write whose outcome is unknown.
const maxUnknown = 3

// retryUnknown runs do, which writes, until its outcome is known. From the second time on,
// do has to check whether it was written before; decided reports whether its error proves
// that nothing was written.
func retryUnknown(do func() error, decided func(err error) bool) error {
	err := do()
	for n := 1; isUnknown(err) && n < maxUnknown; n++ {
		doubt := err
		err = do()
		if err != nil && !isUnknown(err) && !decided(err) {
			return errors.Join(doubt, err)
		}
	}
	return err
}

// Insert implements checkout.Store. If Order.Ref and IdempotencyKey are taken
// by two sessions, the holder of IdempotencyKey is returned.
func (db *DB) Insert(ctx context.Context, s payment.Session) (payment.Session, error) {
	s.Version = 1
	var result row
	var sent []byte // the document that an earlier try sent
	err := retryUnknown(func() error {
		err := db.Write(ctx, func(tx *sql.Tx) (err error) {
			var written bool
			result, written, err = put(ctx, tx, insertSession, s)
			if err != nil {
				return err
			}
			if written {
				return db.writeRelated(ctx, tx, &s, related{})
			}
			if err := db.EnsureReplicated(ctx, tx); err != nil {
				return err // what is acknowledged now may be an earlier try's
			}
			if sent != nil {
				r, err := readRow(ctx, tx, sessionByID, s.ID)
				if err == nil &&
					bytes.Equal(r.doc, sent) {
					result = r
					return nil
				}
			}

			result, err = conflicting(ctx, tx, s)
			return err
		})
		sent = result.doc
		return err
	}, func(err error) bool { return errors.Is(err, payment.ErrExists) || isConflict(err) })
	if err != nil && !errors.Is(err, payment.ErrExists) {
		return payment.Session{}, fmt.Errorf("inserting session %q: %w", s.ID, err)
	}

	stored, err := result.with(err)
	return stored, db.noteUnreadable(ctx, err)
}

// conflicting returns the session that has s's IdempotencyKey or, if none has, its
// Order.Ref, with ErrExists: the key says which request it was.
func conflicting(ctx context.Context, tx *sql.Tx, s payment.Session) (row, error) {
	r, err := readRow(ctx, tx, sessionByKey, s.IdempotencyKey)
	if errors.Is(err, payment.ErrNotFound) {
		r, err = readRow(ctx, tx, sessionByRef, s.Order.Ref)
	}
	switch {
	case errors.Is(err, payment.ErrNotFound):
		return r, errors.New("the id is taken")
	case err != nil:
		return r, fmt.Errorf("reading the existing session: %w", err)
	}
	return r, payment.ErrExists
}

// Update implements checkout.Store. With one of its sentinels, or change's
// error, the session as it is comes too.
func (db *DB) Update(
	ctx context.Context, id string, epoch int64,
	change func(*payment.Session) ([]payment.Event, error),
) (payment.Session, error) {
	u := updateRun{
		db:     db,
		id:     id,
		epoch:  epoch,
		change: change,
	}
	err := retryUnknown(func() error {
		err := db.Write(ctx, func(tx *sql.Tx) error { return u.run(ctx, tx) })
		if !errors.Is(err, u.refused) {
			u.refused = nil // the database has undone what it was about
		}
		u.sent = u.after.doc
		u.version = u.next
		return err
	}, func(err error) bool { return u.refused != nil || isConflict(err) })
	switch {
	case err == nil:
		return u.after.session()
	case errors.Is(u.refused, payment.ErrUnchanged):
		return u.before.session()
	case u.refused != nil || isConflict(err):
		return u.before.with(err)
	case errors.Is(err, payment.ErrNotFound):
		return payment.Session{}, err
	}

	return payment.Session{}, fmt.Errorf("updating session %q: %w", id,
		db.noteUnreadable(ctx, err))
}

type updateRun struct {
	db     *DB
	id     string
	epoch  int64 // the epoch of the claim; 0 = not claimed
	change func(*payment.Session) ([]payment.Event, error)

	before, after row
	next          int64 // version of after
	refused       error // payment.ErrFenced, or that of change

	sent    []byte // doc of an earlier try that may have been written; nil = none
	version int64  // the version that sent has
}

func (u *updateRun) run(ctx context.Context, tx *sql.Tx) (err error) {
	u.refused = nil
	u.before, err = readRow(ctx, tx, u.db.dialect.Locked(sessionForUpdate), u.id)
	if err != nil {
		return err
	}

	s, err := u.before.session()
	if err != nil {
		return err
	}
	done, err := u.wasWritten(s)
	if done || err != nil {
		return err
	}
	if u.epoch != 0 && u.epoch != u.before.epoch {
		u.refused = payment.ErrFenced
		return u.refused
	}

	version := s.Version
	before := relatedTo(&s)
	events, err := u.change(&s)
	if err != nil {
		u.refused = err
		return err
	}

	s.ID = u.id
	s.Version = version + 1
	u.after, _, err = put(ctx, tx, updateSession, s)
	if err != nil {
		return err
	}

	u.next = s.Version
	if err := u.db.writeRelated(ctx, tx, &s, before); err != nil {
		return err
	}

	return u.db.AppendEvents(ctx, tx, events)
}

// wasWritten reports whether an earlier try was written. The row is locked, so that what was on its
// way is there by now, and so that this commit, too, waits for a synchronous standby. Errors: it was
// changed again since.
func (u *updateRun) wasWritten(current payment.Session) (bool, error) {
	switch {
	case u.sent == nil || current.Version < u.version:
		return false, nil
	case current.Version > u.version:
		return false, errors.New("another instance has changed the session since")
	case !bytes.Equal(u.before.doc, u.sent):
		return false, nil // another instance's
	}
	u.after = u.before
	return true, nil
}

// related is what other tables have of a session.
type related struct {
	attempts []attemptKeys
	terms    terms
	money    []time.Time
}

func relatedTo(s *payment.Session) related {
	return related{attempts: keysOf(*s), terms: termsOf(s), money: s.MoneyTimes()}
}

// writeRelated writes what other tables have of s, given what they had before.
func (db *DB) writeRelated(
	ctx context.Context, tx *sql.Tx, s *payment.Session, before related,
) error {
	if err := db.writeAttemptKeys(ctx, tx, s.ID, before.attempts, keysOf(*s)); err != nil {
		return err
	}
	if err := writeMoney(ctx, tx, s, before.money); err != nil {
		return err
	}
	return writeTerms(ctx, tx, s, before.terms)
}

// put writes s and returns what will be read; written is false if the query wrote nothing.
func put(
	ctx context.Context, tx *sql.Tx, query string, s payment.Session,
) (r row, written bool, err error) {
	doc, err := json.Marshal(s)
	if err != nil {
		return r, false, fmt.Errorf("encoding: %w", err)
	}

	r = row{
		id:        keyOf(s.ID),
		createdAt: s.CreatedAt.UnixMicro(),
		doc:       doc,
		checkedAt: microsOf(s.CheckedAt),
		dueAt:     microsOf(s.DueAt),
	}
	coin, network := choice(&s)
	_, currency := s.Order.Price()
	n, err := affected(
		ctx, tx, query,
		r.id,
		s.Version,
		keyOf(string(s.Status)),
		keyOrNull(s.Order.Ref),
		keyOrNull(s.IdempotencyKey),
		r.createdAt,
		r.checkedAt,
		r.dueAt,
		microsOf(s.LateFrom),
		keyOrNull(coin),
		keyOrNull(network),
		keyOf(currency),
		s.Order.AmountUSD.Shift(2).IntPart(),
		boolColumn(isUnpaidItem(&s)),
		boolColumn(len(s.Unsettled(token.Builtin())) > 0),
		boolColumn(s.Tombstone()),
		microsOf(s.ErasedAt),
		string(doc),
	)
	return r, n > 0, err
}
