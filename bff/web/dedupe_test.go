package web

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/realtime"
)

// waiting is an open socket of a payment, and what it has said.
type waiting struct {
	*liveView
	began time.Time

	mu      sync.Mutex // guards the fields below; held by the test while no time passes
	version int64
	checked time.Time       // by the gateway
	said    []time.Duration // when, since it began
}

// wait opens the socket of a payment that was checked just now.
func wait(t *testing.T, test func(w *waiting)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &waiting{liveView: &liveView{server: &server{}, session: "cs_1"}, began: time.Now(), version: 1, checked: time.Now()}
		w.Hub = realtime.NewHub(realtime.HubConfig{})
		w.views = views{hub: w.Hub, keep: sharedFor, recent: map[viewKey]*rendering{}, encode: func(viewKey) (encodedView, error) {
			a := wire.Attempt{Number: 1, ExpiresInMs: 1_800_000 - time.Since(w.began).Milliseconds()}
			return encode(wire.View{Version: w.version, Status: wire.Pending, Attempt: &a, CheckedMsAgo: time.Since(w.checked).Milliseconds()})
		}}
		news, gone := make(chan struct{}, 1), make(chan struct{})
		defer close(gone)
		w.notify = func() {
			select {
			case news <- struct{}{}:
			default:
			}
		}
		w.unsubscribe, _ = w.Hub.Subscribe("cs_1", w.notify)
		defer w.unsubscribe()
		go func() {
			for {
				select {
				case <-news:
					w.speak(t)
				case <-gone:
					return
				}
			}
		}()
		w.notify()
		w.mu.Lock()
		w.pass(0)
		test(w)
	})
}

// speak sends what there is to send.
func (w *waiting) speak(t *testing.T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, err := w.Message(w.Hub.Published())
	if err != nil {
		t.Error(err)
	}
	if m != nil {
		w.said = append(w.said, time.Since(w.began))
	}
}

// check is the poller's: the gateway has answered.
func (w *waiting) check() {
	w.checked = time.Now()
	w.Hub.Publish("cs_1")
	w.pass(0)
}

// pass lets time go by, and what is to be said be said.
func (w *waiting) pass(d time.Duration) {
	w.mu.Unlock()
	time.Sleep(d)
	synctest.Wait()
	w.mu.Lock()
}

// took is how long after at it has spoken next; negative if it has not.
func (w *waiting) took(at time.Time, pause time.Duration) time.Duration {
	before := len(w.said)
	w.pass(pause)
	if len(w.said) == before {
		return -1
	}
	return w.said[before] - at.Sub(w.began)
}

// TestChecksThatFindNothingAreSilent holds what a minute of waiting costs: an
// unchanged payment that is checked every three seconds is told five times at most.
func TestChecksThatFindNothingAreSilent(t *testing.T) {
	wait(t, func(w *waiting) {
		for n := 1; n < 20; n++ {
			w.pass(3 * time.Second)
			w.check()
			if n%8 == 0 {
				w.notify() // a ping
			}
		}
		w.pass(3 * time.Second)
		if got := len(w.said); got < 4 || got > 5 {
			t.Errorf("%d messages in a minute, at %v; want one each 15 s", got, w.said)
		}
	})
}

// TestNewsAreSaidAtOnce: a change, an answer that does not come any more, and the
// first one after that.
func TestNewsAreSaidAtOnce(t *testing.T) {
	wait(t, func(w *waiting) {
		w.pass(3 * time.Second)
		w.check()
		w.version++
		w.check()
		if len(w.said) != 2 {
			t.Errorf("said at %v; want the change at once", w.said)
		}
		if took := w.took(w.checked, 30*time.Second); took < justNow || took > justNow+10*time.Millisecond {
			t.Errorf("that the gateway is silent was said %v after its last answer; want %v", took, justNow)
		}
		if len(w.said) != 3 {
			t.Errorf("said at %v; want once that the gateway is silent", w.said)
		}
		w.check()
		w.check()
		if len(w.said) != 4 {
			t.Errorf("said at %v; want once, and at once, that the gateway is back", w.said)
		}
	})
}

// TestSilenceIsShort: while nobody publishes, an answer that the database has makes
// no socket speak, and it is not silent for longer than it may be.
func TestSilenceIsShort(t *testing.T) {
	wait(t, func(w *waiting) {
		for range 3 {
			w.pass(4 * time.Second)
			w.checked = time.Now() // unheard
		}
		if took := w.took(w.checked, 4*time.Second); len(w.said) != 2 || w.said[1] > sendEvery+10*time.Millisecond {
			t.Errorf("said at %v, %v after the last answer; want again after %v", w.said, took, sendEvery)
		}
	})
}
