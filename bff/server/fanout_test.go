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
)

// fakePeers is a database as a fanout sees it, whose hints can get lost.
type fakePeers struct {
	mu       sync.Mutex // guards the fields below
	versions map[string]int64
	watched  []string
	rounds   int
	err      error
	tell     func(session string)
}

func (n *fakePeers) Announce(string) {}

func (n *fakePeers) Listen(ctx context.Context, hear func(string)) error {
	n.mu.Lock()
	n.tell = hear
	n.mu.Unlock()
	<-ctx.Done()
	return nil
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

func (n *fakePeers) Versions(_ context.Context, ids []string) (map[string]int64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	got := map[string]int64{}
	for _, id := range ids {
		got[id] = n.versions[id]
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
	f := newFanout(n, h, func() {}, 3*time.Second, time.Now, slog.New(slog.DiscardHandler))
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

// Announced changes reach open pages at once, others a few seconds later.
func TestFanout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &fakePeers{versions: map[string]int64{"cs_a": 1, "cs_b": 1}}
		pages, _ := running(t, n, "cs_a", "cs_b")
		n.tell("cs_a")
		n.tell("cs_nobody")
		if a, b := pages[0].taken(), pages[1].taken(); a != 1 || b != 0 {
			t.Errorf("notified %d and %d times; want a once", a, b)
		}
		time.Sleep(2 * catchUpRounds * roundInterval) // knows the versions by now
		synctest.Wait()
		pages[0].taken()
		pages[1].taken()
		n.set(func() { n.versions["cs_b"] = 2 })
		time.Sleep(catchUpRounds*roundInterval + time.Second)
		synctest.Wait()
		if a, b := pages[0].taken(), pages[1].taken(); a != 0 || b != 1 {
			t.Errorf("notified %d and %d times; want b once, which has changed unheard", a, b)
		}
		n.set(func() { n.versions["cs_a"] = 2 })
		n.tell("") // the line was cut
		synctest.Wait()
		fortest.Equal(t, pages[0].taken(), 1, "notified times after a cut line")
	})
}

// Open pages are marked soon, again before the mark expires, and not after closing; a failed write
// is retried.
func TestOpenPagesAreMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &fakePeers{versions: map[string]int64{}}
		n.err = errors.New("no database")
		_, cancels := running(t, n, "cs_a", "cs_b")
		time.Sleep(2*roundInterval + time.Second)
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
