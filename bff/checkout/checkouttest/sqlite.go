package checkouttest

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/outbox"
	"coinslot/bff/payment"
	"coinslot/bff/poller"
	"coinslot/bff/store"
)

// Store is a store whose outbox can be read and whose writes can be made to fail.
type Store interface {
	checkout.Store
	Lookup(ctx context.Context, trackingCodeOrMarker string) (payment.Session, error)
	poller.Store
	poller.ListStore
	Watch(ctx context.Context, ids []string, until, dueBy time.Time) error
	// FailUpdates sets a hook that runs in every Update: an error from before means that nothing
	// was written, one from after that it was, although Update returns that error. Nil removes it.
	FailUpdates(hook func() (before, after error))
	// Outbox returns the events of a session, oldest first.
	Outbox(id string) []payment.Event
}

// FailUpdates implements Store.
// FailUpdates implements Store.
func (m *Memory) FailUpdates(hook func() (before, after error)) { m.updateHook = hook }

// sqliteStore is the real store as a Store.
type sqliteStore struct {
	*store.DB
	t          *testing.T
	updateHook func() (before, after error)

	mu     sync.Mutex // guards events
	events []payment.Event
}

const endpoint = "https://shop.test/hook"

func newSQLiteStore(t *testing.T, now func() time.Time) *sqliteStore {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{
		DSN: filepath.Join(t.TempDir(), "coinslot.db"), Endpoints: []string{endpoint}, Now: now,
	})
	fortest.OK(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return &sqliteStore{DB: db, t: t}
}

func (d *sqliteStore) FailUpdates(hook func() (before, after error)) { d.updateHook = hook }

func (d *sqliteStore) Update(
	ctx context.Context, id string, change func(*payment.Session) ([]payment.Event, error),
) (payment.Session, error) {
	var before, after error
	if d.updateHook != nil {
		before, after = d.updateHook()
	}
	s, err := d.DB.Update(ctx, id, func(s *payment.Session) ([]payment.Event, error) {
		events, err := change(s)
		return events, cmp.Or(err, before)
	})
	d.drain()
	if err == nil && after != nil {
		return payment.Session{}, after
	}
	return s, err
}

// drain collects the events of the last change.
func (d *sqliteStore) drain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	far := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	list, err := d.ClaimDeliveries(context.Background(), far, time.Hour, 100, []string{endpoint})
	if err != nil {
		d.t.Errorf("claiming deliveries: %v", err)
	}
	rank := map[payment.EventType]int{payment.EventPartial: 1, payment.EventReview: 2}
	slices.SortFunc(list, func(a, b outbox.Delivery) int {
		first := func(t payment.EventType) int { return cmp.Or(rank[t], 3) }
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(first(a.Type), first(b.Type)))
	})
	for _, e := range list {
		d.events = append(d.events, payment.Event{
			ID: e.EventID, Type: e.Type, Session: e.Session, At: e.CreatedAt, Body: e.Body,
		})
	}
}

// Outbox returns the events of a session, in order.
func (d *sqliteStore) Outbox(id string) []payment.Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []payment.Event
	for _, e := range d.events {
		if e.Session == id {
			list = append(list, e)
		}
	}
	return list
}
