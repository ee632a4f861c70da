package checkout

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

const (
	// erasureBatch is how many sessions one query reads, and erasurePause the time between two
	// that are erased, each in a transaction of its own, so that other writers do not wait.
	erasureBatch = 500
	erasurePause = 10 * time.Millisecond
	// maxErasureErrors bounds what one pass reports.
	maxErasureErrors = 10
)

// deliveryDays is how long webhooks are tried: it delays the erasure of a session by that at
// most.
const deliveryDays = 30

// Retention erases personal data that was kept for long enough, and deletes sessions that were
// never paid, at one instance at a time.
type Retention struct {
	Eraser Eraser
	// Keep is how long after its end a session keeps personal data; zero = forever.
	Keep time.Duration
	// Items, if not nil, is all that is processed: the sessions of the catalog, which anyone can
	// open. Those that were never paid are deleted.
	Items UnpaidItems
	// Day is how long a day is, of those between two passes; zero = 24 hours.
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

func (r *Retention) day() time.Duration { return cmp.Or(r.Day, 24*time.Hour) }

// lease is how long no other instance begins after the last heartbeat of this one.
func (r *Retention) lease() time.Duration { return r.day() / 144 }

// Run erases at the start and once a day until ctx ends, and returns nil. It does
// nothing if Keep is zero. After an error, which is logged, it tries again in an hour.
func (r *Retention) Run(ctx context.Context) error {
	for r.Keep > 0 && ctx.Err() == nil {
		err := r.pass(ctx)
		if err != nil && ctx.Err() == nil {
			r.Log.ErrorContext(ctx, "erasing old data failed; retrying in an hour",
				"error", err)
		}
		background.Sleep(ctx, r.day()/24)
	}
	return nil
}

func (r *Retention) pass(ctx context.Context) error {
	begins, err := r.Acquire(ctx)
	if err != nil || !begins {
		return err
	}
	if err := r.Hold(ctx, r.lease()); err != nil {
		return err
	}

	erased, failed, err := r.sessions(ctx)
	if err != nil {
		return errors.Join(append(failed, err)...)
	}

	actions := 0
	if r.Items == nil {
		actions, err = r.actions(ctx)
		failed = append(failed, err, r.Eraser.Truncate(ctx))
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}

	switch {
	case r.Items == nil:
		r.Log.InfoContext(ctx, "old data erased", "sessions_erased", erased.personal,
			"sessions_deleted", erased.all, "console_actions", actions)
	case erased.all > 0:
		r.Log.InfoContext(ctx, "never-paid sessions of items deleted", "sessions", erased.all)
	}
	return r.Hold(ctx, r.day())
}

// erasures counts sessions by what was erased of them.
type erasures struct {
	personal int
	all      int
}

// sessions erases what is due, and counts it. failed has the errors of single sessions, ten at most,
// which do not keep the others. Errors: ctx's; the database's.
func (r *Retention) sessions(ctx context.Context) (done erasures, failed []error, err error) {
	find := r.Eraser.Erasable
	if r.Items != nil {
		find = r.Items.UnpaidItems
	}

	before := r.Now().Add(-r.Keep)
	for cursor := ""; ; {
		ids, next, err := find(ctx, before, cursor, erasureBatch)
		if err != nil {
			return done, failed, err
		}

		for _, id := range ids {
			erased, err := r.session(ctx, id)
			switch {
			case ctx.Err() != nil:
				return done, failed, ctx.Err()
			case errors.Is(err, payment.ErrUnreadable):
				// It is set aside, and erased after it was repaired.
			case err != nil && len(failed) < maxErasureErrors:
				failed = append(failed, err)
			case erased == payment.ErasePersonal:
				done.personal++
			case erased == payment.EraseAll:
				done.all++
			}
		}
		if next == "" {
			return done, failed, nil
		}

		cursor = next
		if err := r.Hold(ctx, r.lease()); err != nil {
			return done, failed, err
		}
	}
}

// session erases what is due of one session.
func (r *Retention) session(ctx context.Context, id string) (payment.Erasure, error) {
	now := r.Now().UTC()
	erased, err := r.Eraser.Erase(ctx, id, now,
		func(s payment.Session, undelivered bool) payment.Erasure {
			e := s.Retain(r.Keep, deliveryDays*r.day(), undelivered, now)
			if r.Items != nil && e != payment.EraseAll {
				return payment.EraseNothing // something was paid
			}
			return e
		})
	if erased != payment.EraseNothing {
		r.Changed(id)
	}

	background.Sleep(ctx, erasurePause)
	return erased, err
}

// actions erases old actions of the console, and counts them.
func (r *Retention) actions(ctx context.Context) (all int, err error) {
	before := r.Now().Add(-r.Keep)
	for {
		n, err := r.Eraser.EraseActions(ctx, before, erasureBatch)
		all += n
		if err != nil || n == 0 {
			return all, err
		}
		background.Sleep(ctx, erasurePause)
	}
}
