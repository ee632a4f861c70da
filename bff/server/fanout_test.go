package server

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/realtime"
	"coinslot/bff/store"
)

// fakePeers is a database as a fanout sees it.
type fakePeers struct {
	mu        sync.Mutex // guards the fields below
	revisions map[string]store.Revision
	watched   []string
	rounds    int
	err       error
}

func (n *fakePeers) Watch(_ context.Context, ids []string, until, dueBy time.Time) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rounds++
	n.watched = append(n.watched, ids...)
	if !dueBy.Before(until) {
		return errors.New("to be checked after nobody looks any more")
	}
	return n.err
}

func (n *fakePeers) Revisions(
	_ context.Context, ids []string,
) (map[string]store.Revision, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	got := map[string]store.Revision{}
	for _, id := range ids {
		got[id] = n.revisions[id]
	}
	return got, n.err
}

func (n *fakePeers) set(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}

// page is a subscriber that counts its notifications.
type page struct {
	mu       sync.Mutex
	notified int
}

func (p *page) hear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notified++
}

func (p *page) taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.notified
	p.notified = 0
	return n
}

// running starts a fanout over n whose pages are open.
func running(t *testing.T, n *fakePeers, sessions ...string) (pages []*page, cancels []func()) {
	t.Helper()
	h := realtime.NewHub(realtime.HubConfig{})
	for _, id := range sessions {
		p := &page{}
		cancel, ok := h.Subscribe(id, p.hear)
		if !ok {
			t.Fatal("refused")
		}
		pages, cancels = append(pages, p), append(cancels, cancel)
	}
	f := newFanout(n, h, 3*time.Second, time.Now, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("run = %v", err)
		}
	})
	synctest.Wait()
	return pages, cancels
}

// What another instance has changed or checked reaches an open page within two seconds, and no other
// page.
func TestFanout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &fakePeers{
			revisions: map[string]store.Revision{"cs_a": {Version: 1}, "cs_b": {Version: 1}},
		}
		pages, _ := running(t, n, "cs_a", "cs_b")
		time.Sleep(2 * roundInterval) // knows the revisions by now
		synctest.Wait()
		pages[0].taken()
		pages[1].taken()

		for name, revision := range map[string]store.Revision{
			"changed": {Version: 2}, "checked": {Version: 2, CheckedAt: 1},
		} {
			n.set(func() { n.revisions["cs_b"] = revision })
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if a, b := pages[0].taken(), pages[1].taken(); a != 0 || b != 1 {
				t.Errorf("%s: notified %d and %d times; want b once", name, a, b)
			}
		}
	})
}

// Open pages are marked soon, again before the mark expires, and not after closing; a failed write
// is retried.
func TestOpenPagesAreMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &fakePeers{}
		n.err = errors.New("no database")
		_, cancels := running(t, n, "cs_a", "cs_b")
		time.Sleep(2*roundInterval + roundInterval/2)
		n.set(func() { n.err, n.watched = nil, nil })
		time.Sleep(roundInterval)
		seen := func() (ids []string) {
			n.set(func() { ids, n.watched = n.watched, nil })
			slices.Sort(ids)
			return ids
		}
		fortest.Diff(t, seen(), []string{"cs_a", "cs_b"}, "marked")
		time.Sleep(watchTime/2 - 2*roundInterval)
		fortest.Equal(t, len(seen()), 0, "marked again too soon")
		cancels[0]()
		time.Sleep(4 * roundInterval)
		fortest.Diff(t, seen(), []string{"cs_b"}, "marked later")
	})
}
