//go:build unix

package failpoint

import (
	"context"
	"slices"
	"sync"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	pacing "coinslot/bff/gateway"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

// Tune puts failpoints and the accelerated clock into the configuration of a part, which
// is given as a pointer. It leaves others as they are.
func Tune(config any) {
	switch c := config.(type) {
	case *checkout.Config:
		point("start")
		awaitShutdown()
		adopted := new(sync.Map)
		c.Store = &sessions{c.Store, adopted}
		c.Gateway = &gateway{c.Gateway, adopted}
		accelerate(&c.Schedule)
	case *checkout.PollerConfig:
		c.Store = due{c.Store}
		c.Lease = max(5*time.Second, 30*time.Second/speedup)
	case *webhook.Config:
		c.Outbox = deliveries{c.Outbox}
	case *pacing.LimiterConfig:
		c.FirstProbe = 2 * time.Second / speedup
		c.MaxPause = 2 * time.Second / speedup
	case *checkout.Retention:
		c.Keep = c.Keep / days
		c.Day = 24 * time.Hour / days
	}
}

func accelerate(p *payment.Schedule) {
	for _, d := range []*time.Duration{&p.Watched, &p.Unwatched, &p.CreateTimeout, &p.SearchGap} {
		*d /= speedup
	}
	for _, list := range [][]time.Duration{
		p.LateChecks, p.FollowUps, p.AbsenceChecks, p.OrphanSearches, p.ConfirmedChecks,
	} {
		for i := range list {
			list[i] /= speedup
		}
	}
}

// sessions is a store that dies before or after it has written.
type sessions struct {
	checkout.Store
	adopted *sync.Map // tracking codes of creates whose answer was lost
}

func (ss *sessions) Insert(ctx context.Context, s payment.Session) (payment.Session, error) {
	err := around("insert", func() (err error) {
		s, err = ss.Store.Insert(ctx, s)
		return err
	})
	return s, err
}

// around passes a point before a call, and one after it unless it has failed.
func around(name string, call func() error) error {
	point(name + ".before")
	err := call()
	if err == nil {
		point(name + ".after")
	}
	return err
}

func (ss *sessions) Update(
	ctx context.Context, id string, epoch int64,
	change func(*payment.Session) ([]payment.Event, error),
) (payment.Session, error) {
	var kind string
	s, err := ss.Store.Update(ctx, id, epoch, func(s *payment.Session) ([]payment.Event, error) {
		before := *s
		before.Attempts = slices.Clone(s.Attempts)
		kind = ""
		events, err := change(s)
		if err == nil {
			kind = ss.kindOf(before, *s)
			point(kind + ".before")
		}
		return events, err
	})
	if err == nil && kind != "" {
		point(kind + ".after")
	}

	return s, err
}

// kindOf names a change by what is at stake in it.
func (ss *sessions) kindOf(before, after payment.Session) string {
	if after.Status == wire.Confirmed && before.Status != wire.Confirmed {
		return "confirm"
	}

	for _, a := range after.Attempts {
		was := before.Attempt(a.Number)
		switch {
		case was == nil:
			last := before.Attempt(a.Number - 1)
			if last != nil && last.State == payment.Unknown {
				return "replacement"
			}
			return "intent"
		case was.TrackingCode != "" || a.TrackingCode == "":
		case was.State == payment.Creating:
			return "answer"
		default:
			ss.adopted.Store(a.TrackingCode, true)
			return "adopt"
		}
	}

	return "change"
}

func (ss *sessions) Touch(
	ctx context.Context, s checkout.StoredSession, checkedAt, dueAt time.Time,
) error {
	return around("touch", func() error { return ss.Store.Touch(ctx, s, checkedAt, dueAt) })
}

func (ss *sessions) Hold(
	ctx context.Context, id string, now time.Time, lease time.Duration,
) (checkout.StoredSession, error) {
	return ss.Store.Hold(ctx, id, now, lease/speedup)
}

func (ss *sessions) Release(
	ctx context.Context, s checkout.StoredSession, dueAt time.Time,
) error {
	return around("release", func() error { return ss.Store.Release(ctx, s, dueAt) })
}

// due is a store that dies after it has leased sessions.
type due struct{ checkout.DueStore }

func (d due) Claim(
	ctx context.Context, now time.Time, lease time.Duration, limit int, late bool,
) ([]checkout.StoredSession, error) {
	return claimed(d.DueStore.Claim(ctx, now, lease, limit, late))
}

func (d due) ClaimOf(
	ctx context.Context, ids []string, now time.Time, lease time.Duration, limit int,
) ([]checkout.StoredSession, error) {
	return claimed(d.DueStore.ClaimOf(ctx, ids, now, lease, limit))
}

func claimed(
	list []checkout.StoredSession, err error,
) ([]checkout.StoredSession, error) {
	if len(list) > 0 {
		point("claim.after")
	}
	return list, err
}

// deliveries is an outbox that dies after it has leased deliveries, and before or after
// it has written what came of one. Its leases and pauses are short.
type deliveries struct{ webhook.Outbox }

func (d deliveries) ClaimDeliveries(
	ctx context.Context, now time.Time, lease time.Duration, limit int, endpoints []string,
) ([]webhook.Delivery, error) {
	list, err := d.Outbox.ClaimDeliveries(ctx, now, lease/speedup, limit, endpoints)
	if len(list) > 0 {
		point("deliveries.after")
	}
	return list, err
}

func (d deliveries) RecordResult(
	ctx context.Context, delivery webhook.Delivery, r webhook.DeliveryResult,
) error {
	if now := time.Now(); r.NextAt.After(now) {
		r.NextAt = now.Add(r.NextAt.Sub(now) / speedup)
	}
	return around("record", func() error { return d.Outbox.RecordResult(ctx, delivery, r) })
}
