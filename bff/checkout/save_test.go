package checkout

import (
	"context"
	"errors"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// oneSession is a store with one session, in which nothing fails.
type oneSession struct {
	Store
	stored payment.Session
}

func (o *oneSession) Update(
	_ context.Context, _ string, _ int64,
	change func(*payment.Session) ([]payment.Event, error),
) (payment.Session, error) {
	next := o.stored.Snapshot()
	_, err := change(&next)
	if err != nil {
		return o.stored, err
	}
	o.stored = next
	o.stored.Version++
	return o.stored, nil
}

// TestSave: what was decided about a session is saved with the time of a check since then, which
// changes no version; after any other change it is not saved.
func TestSave(t *testing.T) {
	store := &oneSession{stored: *waiting()}
	service := New(Config{Store: store, Now: func() time.Time { return noon }})
	loaded := StoredSession{Session: store.stored.Snapshot()}
	next := loaded.Snapshot()
	next.AppendTimeline(noon, payment.ByMerchant, "decided", "")

	store.stored.CheckedAt = noon
	saved, err := service.save(t.Context(), loaded, next)
	fortest.OK(t, err)
	fortest.Equal(t, saved.CheckedAt, noon, "checked")
	fortest.Equal(t, len(saved.Timeline), len(loaded.Timeline)+1, "entries of the timeline")

	_, err = service.save(t.Context(), loaded, next)
	if !errors.Is(err, errChanged) {
		t.Errorf("save after a change = %v; want %v", err, errChanged)
	}
}
