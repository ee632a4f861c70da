package realtime

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"coinslot/bff/fortest"
)

// subscribe adds a subscriber that counts; it fails the test if it may not.
func subscribe(tb testing.TB, h *Hub, session string) (notified *atomic.Int32, cancel func()) {
	tb.Helper()
	notified = new(atomic.Int32)
	cancel, ok := h.Subscribe(session, func() { notified.Add(1) })
	if !ok {
		tb.Fatalf("Subscribe(%q) is refused", session)
	}
	return notified, cancel
}

func TestPublish(t *testing.T) {
	h := NewHub(HubConfig{})
	a1, cancel := subscribe(t, h, "a")
	a2, _ := subscribe(t, h, "a")
	b, _ := subscribe(t, h, "b")
	h.Publish("a")
	h.Publish("unwatched")
	if a1.Load() != 1 || a2.Load() != 1 || b.Load() != 0 {
		t.Errorf("notified %d, %d, %d times; want 1, 1, 0", a1.Load(), a2.Load(), b.Load())
	}
	cancel()
	cancel()
	h.Publish("a")
	if a1.Load() != 1 || a2.Load() != 2 {
		t.Errorf("after cancel notified %d, %d times; want 1, 2", a1.Load(), a2.Load())
	}
	fortest.Equal(t, h.Len(), 2, "Len")
}

func TestWatched(t *testing.T) {
	h := NewHub(HubConfig{})
	if h.Watched("a") {
		t.Error("Watched without subscribers = true")
	}
	_, one := subscribe(t, h, "a")
	_, two := subscribe(t, h, "a")
	one()
	if a, b := h.Watched("a"), h.Watched("b"); !a || b {
		t.Errorf("Watched(a), Watched(b) = %v, %v; want true, false", a, b)
	}
	two()
	if a := h.Watched("a"); a || len(h.byID) != 0 {
		t.Errorf("after the last cancel Watched = %v, %d sessions; want false, 0", a, len(h.byID))
	}
}

func TestCaps(t *testing.T) {
	h := NewHub(HubConfig{PerSession: 2, PerProcess: 3})
	_, cancel := subscribe(t, h, "a")
	subscribe(t, h, "a")
	refused := func(session string) {
		t.Helper()
		if c, ok := h.Subscribe(session, func() {}); ok || c != nil {
			t.Errorf("Subscribe(%q) is taken beyond the cap", session)
		}
	}
	refused("a")
	subscribe(t, h, "b")
	refused("c")
	cancel()
	cancel() // must not make room twice
	subscribe(t, h, "c")
	refused("d")
}

// TestStats: what is open, and what found no place.
func TestStats(t *testing.T) {
	h := NewHub(HubConfig{PerSession: 2, PerProcess: 3})
	for _, id := range []string{"a", "a", "a", "b", "c"} {
		h.Subscribe(id, func() {})
	}
	if got, want := h.Stats(), (HubStats{Subscribers: 3, Sessions: 2, Refused: 2}); got != want {
		t.Errorf("Stats = %+v; want %+v", got, want)
	}
}

func TestDefaultCaps(t *testing.T) {
	h := NewHub(HubConfig{})
	taken := 0
	for n := range 800 {
		for range 25 {
			if _, ok := h.Subscribe(strconv.Itoa(n), func() {}); ok {
				taken++
			}
		}
		if n == 0 && taken != 20 {
			t.Errorf("%d subscribers of one session; want 20", taken)
		}
	}
	if taken != 15_000 {
		t.Errorf("%d subscribers; want 15000", taken)
	}
}

func TestClose(t *testing.T) {
	h := NewHub(HubConfig{})
	notified, cancel := subscribe(t, h, "a")
	var closed atomic.Bool
	h.Subscribe("b", func() { closed.Store(h.Closed()) })
	if h.Closed() {
		t.Error("Closed before Close = true")
	}
	h.Close()
	h.Close()
	h.Publish("a")
	if notified.Load() != 1 || !closed.Load() {
		t.Errorf("notified %d times, sees closed = %v; want 1, true", notified.Load(),
			closed.Load())
	}
	if _, ok := h.Subscribe("c", func() {}); ok {
		t.Error("Subscribe after Close is taken")
	}
	fortest.Equal(t, h.Len(), 2, "Len (2 until they leave)")
	cancel()
	fortest.Equal(t, h.Len(), 1, "Len")
}

// TestReentrant: a notify may use the hub, even leave it.
func TestReentrant(t *testing.T) {
	h := NewHub(HubConfig{})
	var cancels [3]func()
	notified := 0
	for i := range cancels {
		cancels[i], _ = h.Subscribe("a", func() {
			notified++
			cancels[i]()
			h.Watched("a")
			h.Subscribe("b", func() {})
			h.Publish("b")
		})
	}
	h.Publish("a")
	if notified != 3 || h.Watched("a") || h.Len() != 3 {
		t.Errorf("notified %d, %d left; want 3, and 3 of b", notified, h.Len())
	}
}

// TestRace has all methods at once, and checks that a subscriber is notified of
// everything that is published between Subscribe and cancel.
func TestRace(t *testing.T) {
	h := NewHub(HubConfig{PerSession: 100})
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			for n := range 2000 {
				session := fmt.Sprint(n % 3)
				notified := new(atomic.Int32)
				cancel, ok := h.Subscribe(session, func() { notified.Add(1) })
				if !ok {
					t.Errorf("worker %d: refused", w)
					return
				}
				h.Publish(session)
				if notified.Load() == 0 || !h.Watched(session) {
					t.Errorf("worker %d: news were lost", w)
				}
				cancel()
			}
		})
	}
	workers.Wait()
	if h.Len() != 0 || len(h.byID) != 0 {
		t.Errorf("%d subscribers, %d sessions left; want none", h.Len(), len(h.byID))
	}
}

// TestCloseRace: each subscriber is notified of the end, whenever Close is called.
func TestCloseRace(t *testing.T) {
	for range 200 {
		h := NewHub(HubConfig{})
		var missed atomic.Int32
		var workers sync.WaitGroup
		for w := range 4 {
			workers.Go(func() {
				for range 5 {
					if _, ok := h.Subscribe(fmt.Sprint(w), func() { missed.Add(-1) }); ok {
						missed.Add(1)
					}
				}
			})
		}
		workers.Go(h.Close)
		workers.Wait()
		if missed.Load() != 0 {
			t.Fatalf("%d subscribers were not notified", missed.Load())
		}
	}
}
