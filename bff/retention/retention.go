// Package retention erases personal data that was kept for long enough, and deletes
// sessions that were never paid.
package retention

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

const (
	// batchSize is how many sessions one query reads, and erasePause the time between two
	// that are erased, each in a transaction of its own, so that other writers do not wait.
	batchSize  = 500
	erasePause = 10 * time.Millisecond
)

// deliveryDays is how long webhooks are tried: it delays the erasure of a session by that at
// most.
const deliveryDays = 30

// Service erases what was kept for long enough, at one instance at a time.
type Service struct {
	Eraser Eraser
	// Keep is how long after its end a session keeps personal data; zero = forever.
	Keep time.Duration
	// Items, if not nil, is all that is processed: the sessions of the catalog, which anyone can
	// open. Those that were never paid are deleted.
	Items Items
	// Day is how long a day is, of those between two erasures; zero = 24 hours.
	Day time.Duration
	// Acquire reports whether this instance may begin now. Hold keeps all instances from
	// beginning for so long.
	Acquire func(ctx context.Context) (bool, error)
	Hold    func(ctx context.Context, d time.Duration) error
	// Changed is called with each session that has changed. It must not block.
	Changed func(session string)
	Now     func() time.Time
	Log     *slog.Logger
}

func (r *Service) day() time.Duration { return cmp.Or(r.Day, 24*time.Hour) }

// lease is how long no other instance begins after the last heartbeat of this one.
func (r *Service) lease() time.Duration { return r.day() / 144 }

// Run erases at the start and once a day until ctx ends, and returns nil. It does
// nothing if Keep is zero. After an error, which is logged, it tries again in an hour.
func (r *Service) Run(ctx context.Context) error {
	for r.Keep > 0 && ctx.Err() == nil {
		if err := r.pass(ctx); err != nil && ctx.Err() == nil {
			r.Log.ErrorContext(ctx, "erasing old data failed; retrying in an hour",
				"error", err)
		}
		background.Sleep(ctx, r.day()/24)
	}
	return nil
}

func (r *Service) pass(ctx context.Context) error {
	if begin, err := r.Acquire(ctx); err != nil || !begin {
		return err
	}
	if err := r.Hold(ctx, r.lease()); err != nil {
		return err
	}
	var failed []error // a session that cannot be erased must not keep the others
	if r.Items != nil {
		deleted, err := r.items(ctx, &failed)
		err = errors.Join(append(failed, err)...)
		if err != nil {
			return err
		}
		if deleted > 0 {
			r.Log.InfoContext(ctx, "never-paid sessions of items deleted", "sessions", deleted)
		}
		return r.Hold(ctx, r.day())
	}
	erased, deleted, err := r.sessions(ctx, &failed)
	if err != nil {
		return err
	}
	actions, err := r.actions(ctx)
	err = errors.Join(append(failed, err, r.Eraser.Truncate(ctx))...)
	if err != nil {
		return err
	}
	r.Log.InfoContext(ctx, "old data erased",
		"sessions_erased", erased, "sessions_deleted", deleted, "console_actions", actions)
	return r.Hold(ctx, r.day())
}

const maxErrors = 10

// sessions erases what is due, and counts it. What goes wrong with single sessions is
// added to failed.
func (r *Service) sessions(ctx context.Context, failed *[]error) (erased, deleted int, err error) {
	before := r.Now().Add(-r.Keep)
	for at := ""; ; {
		ids, next, err := r.Eraser.Erasable(ctx, before, at, batchSize)
		if err != nil {
			return erased, deleted, err
		}
		for _, id := range ids {
			e, err := r.session(ctx, id)
			switch {
			case ctx.Err() != nil:
				return erased, deleted, ctx.Err()
			case errors.Is(err, payment.ErrUnreadable):
				// It is set aside, and erased after it was repaired.
			case err != nil && len(*failed) < maxErrors:
				*failed = append(*failed, err)
			case e == payment.ErasePersonal:
				erased++
			case e == payment.EraseAll:
				deleted++
			}
		}
		at = next
		if at == "" {
			return erased, deleted, nil
		}
		if err := r.Hold(ctx, r.lease()); err != nil {
			return erased, deleted, err
		}
	}
}

// items deletes the never-paid sessions of the catalog that are due, and counts them. What goes
// wrong with single sessions is added to failed.
func (r *Service) items(ctx context.Context, failed *[]error) (deleted int, err error) {
	before := r.Now().Add(-r.Keep)
	for at := ""; ; {
		ids, next, err := r.Items.UnpaidItems(ctx, before, at, batchSize)
		if err != nil {
			return deleted, err
		}
		for _, id := range ids {
			e, err := r.erase(ctx, id, r.retainItem)
			switch {
			case ctx.Err() != nil:
				return deleted, ctx.Err()
			case errors.Is(err, payment.ErrUnreadable):
				// It is set aside, and deleted after it was repaired.
			case err != nil && len(*failed) < maxErrors:
				*failed = append(*failed, err)
			case e == payment.EraseAll:
				deleted++
			}
		}
		at = next
		if at == "" {
			return deleted, nil
		}
		if err := r.Hold(ctx, r.lease()); err != nil {
			return deleted, err
		}
	}
}

func (r *Service) retainItem(
	s payment.Session, undelivered bool, now time.Time,
) payment.Erasure {
	e := s.Retain(r.Keep, deliveryDays*r.day(), undelivered, now)
	if e != payment.EraseAll {
		return payment.EraseNothing // something was paid
	}
	return e
}

func (r *Service) session(ctx context.Context, id string) (payment.Erasure, error) {
	return r.erase(ctx, id,
		func(s payment.Session, undelivered bool, now time.Time) payment.Erasure {
			return s.Retain(r.Keep, deliveryDays*r.day(), undelivered, now)
		})
}

func (r *Service) erase(
	ctx context.Context, id string,
	retain func(s payment.Session, undelivered bool, now time.Time) payment.Erasure,
) (payment.Erasure, error) {
	now := r.Now().UTC()
	e, err := r.Eraser.Erase(ctx, id, now,
		func(s payment.Session, undelivered bool) payment.Erasure {
			return retain(s, undelivered, now)
		})
	if e != payment.EraseNothing {
		r.Changed(id)
	}
	background.Sleep(ctx, erasePause)
	return e, err
}

func (r *Service) actions(ctx context.Context) (all int, err error) {
	before := r.Now().Add(-r.Keep)
	for {
		n, err := r.Eraser.EraseActions(ctx, before, batchSize)
		if all += n; err != nil || n == 0 {
			return all, err
		}
		background.Sleep(ctx, erasePause)
	}
}

// EraseRecord is the console action that records an erasure; EraseRecorded follows it
// once it is done.
const (
	EraseRecord   = "session.erase"
	EraseRecorded = EraseRecord + ".done"
)

// EraseByRequest erases the personal data of a session now. Errors:
// ErrNotFound; the database's.
func EraseByRequest(ctx context.Context, e Eraser, id string, now time.Time) error {
	_, err := e.Erase(ctx, id, now, func(s payment.Session, _ bool) payment.Erasure {
		if s.Tombstone() {
			return payment.EraseNothing // nothing is left
		}
		return payment.ErasePersonal
	})
	if err != nil {
		return fmt.Errorf("erasing personal data: %w", err)
	}
	return nil
}

// Items finds sessions of the catalog.
type Items interface {
	// UnpaidItems returns ids of sessions of the catalog that ended unpaid, or with late or partial
	// money, and were created before a time, the oldest first, from after a cursor on. next is empty
	// at the end. What is set aside as unreadable is left out.
	UnpaidItems(
		ctx context.Context, before time.Time, cursor string, limit int,
	) (ids []string, next string, err error)
}

// Eraser erases sessions; storetest.Run is the contract. Its errors are the database's
// unless they are named.
type Eraser interface {
	// Erasable returns ids of finished sessions that were created before a time, the
	// oldest of each status first, from after a cursor on: without those that are
	// deleted, or paid and erased. It looks at no more than limit of them, and may return
	// fewer ids. next is empty at the end. What is set aside as unreadable is left out.
	Erasable(
		ctx context.Context, before time.Time, cursor string, limit int,
	) (ids []string, next string, err error)
	// Erase asks decide how much of a session to erase, with whether webhooks of it are
	// still to be delivered, and does that in one transaction: in the session, its
	// events, deliveries, search index and console actions. The newest event of the
	// log is never deleted, since its position must not be used again. decide may run
	// more than once. Errors: ErrNotFound.
	Erase(ctx context.Context, id string, now time.Time,
		decide func(s payment.Session, undelivered bool) payment.Erasure) (payment.Erasure, error)
	// SessionsWithEmail returns the ids of the sessions with an e-mail, in any case.
	SessionsWithEmail(ctx context.Context, email string) ([]string, error)
	// EraseActions erases addresses and details of console actions before a time, and
	// deletes those that are about no session. It reports how many, at most limit.
	EraseActions(ctx context.Context, before time.Time, limit int) (int, error)
	// Truncate removes what was erased from the files of the database. Errors: readers
	// keep it from being done now.
	Truncate(ctx context.Context) error
}
