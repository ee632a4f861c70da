package shop

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/realtime"
)

// viewRig is views of a session that is a number in memory.
type viewRig struct {
	views
	committed atomic.Int64
	made      atomic.Int64 // encodings
	err       error
}

func newViewRig(watchers int) *viewRig {
	g := &viewRig{views: views{hub: realtime.NewHub(realtime.HubConfig{PerSession: 1000}), keep: shareTime, recent: map[viewKey]*rendering{}}}
	g.encode = func(viewKey) (encodedView, error) {
		g.made.Add(1)
		text := fmt.Append(nil, g.committed.Load())
		time.Sleep(time.Millisecond)
		return encodedView{text: text}, g.err
	}
	for range watchers {
		g.hub.Subscribe("cs_1", func() {})
	}
	return g
}

// publish commits a change and tells of it.
func (g *viewRig) publish() (update uint64) {
	g.committed.Add(1)
	g.hub.Publish("cs_1")
	return g.hub.Published()
}

// get is the message for a socket that is notified of that publication.
func (g *viewRig) get(t *testing.T, update uint64) encodedView {
	t.Helper()
	m, err := g.message(viewKey{"cs_1", "en"}, update)
	if err != nil {
		t.Error(err)
	}
	return m
}

// A change is encoded once for all watchers; a session with one watcher is not cached.
func TestViewsAreEncodedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for watchers, want := range map[int]int64{1: 20, 2: 1, 20: 1} {
			g := newViewRig(watchers)
			for round := range int64(3) {
				update := g.publish()
				var sockets sync.WaitGroup
				for range 20 {
					sockets.Go(func() { g.get(t, update) })
				}
				sockets.Wait()
				if got := g.made.Load(); got != want*(round+1) {
					t.Errorf("%d watchers: %d encodings after %d changes; want %d each", watchers, got, round+1, want)
				}
			}
			time.Sleep(2 * shareTime)
			synctest.Wait()
			fortest.Equal(t, len(g.recent), 0, "views are kept for nobody")
		}
	})
}

// A view from before a publication is not sent after it, and none is older than the maximum.
func TestViewsAreNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newViewRig(2)
		for _, c := range []struct {
			what string
			do   func()
			want int64 // encodings
		}{
			{"first", func() {}, 1}, {"same", func() {}, 1}, {"a change", func() { g.publish() }, 2},
			{"another session's change", func() { g.hub.Publish("cs_2") }, 3}, // told apart by number only
			{"nearly old", func() { time.Sleep(shareTime - 2*time.Millisecond) }, 3}, {"old", func() { time.Sleep(2 * time.Millisecond) }, 4},
		} {
			c.do()
			g.get(t, g.hub.Published())
			fortest.Equal(t, g.made.Load(), c.want, "%s encodings", c.what)
		}
		time.Sleep(time.Second)
	})
}

// During fast changes, no view from before an announced change is sent.
func TestViewsHoldThePublication(t *testing.T) {
	g := newViewRig(2)
	g.encode = func(viewKey) (encodedView, error) {
		return encodedView{text: fmt.Appendf(nil, "%06d", g.committed.Load())}, nil
	}
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for range 2000 {
				before := g.committed.Add(1)
				g.hub.Publish("cs_1")
				var got int64
				fmt.Sscanf(string(g.get(t, g.hub.Published()).text), "%d", &got)
				if got < before {
					t.Errorf("a view of change %d after change %d", got, before)
					return
				}
			}
		})
	}
	workers.Wait()
}

// TestViewErrorsAreNotCached: who comes after an error tries again.
func TestViewErrorsAreNotCached(t *testing.T) {
	g := newViewRig(2)
	g.err = errors.New("no database")
	if _, err := g.message(viewKey{"cs_1", "en"}, 0); err == nil {
		t.Error("no error")
	}
	g.err = nil
	g.get(t, 0)
}

// TestViewsAreBounded: however many sessions are shared, so many views are kept.
func TestViewsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newViewRig(0)
		g.keep = time.Minute
		for i := range maxShared + 100 {
			session := fmt.Sprint(i)
			g.hub.Subscribe(session, func() {})
			g.hub.Subscribe(session, func() {})
			if _, err := g.message(viewKey{session, "en"}, 0); err != nil {
				t.Fatal(err)
			}
		}
		g.mu.Lock()
		kept := len(g.recent)
		g.mu.Unlock()
		fortest.Equal(t, kept, maxShared, "views are kept")
		time.Sleep(2 * time.Minute)
	})
}

// kept returns how many views are kept, and their bytes.
func (v *views) kept() (n, bytes int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.recent), v.bytes
}

// Views that are too large to be kept are still sent, and nothing of them stays.
func TestBytesOfViewsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newViewRig(2)
		g.encode = func(viewKey) (encodedView, error) {
			return encodedView{text: make([]byte, maxSharedBytes/4+1)}, nil
		}
		for n := range 10 {
			key := viewKey{"cs_1", fmt.Sprint(n)}
			if m, err := g.message(key, 0); err != nil || len(m.text) == 0 {
				t.Errorf("view %d = %d bytes, %v", n, len(m.text), err)
			}
			if kept, bytes := g.kept(); bytes > maxSharedBytes || kept > 3 {
				t.Errorf("%d views of %d bytes are kept", kept, bytes)
			}
		}
		time.Sleep(2 * shareTime)
		synctest.Wait()
		if kept, bytes := g.kept(); bytes != 0 || kept != 0 {
			t.Errorf("%d views of %d bytes are left", kept, bytes)
		}
	})
}
