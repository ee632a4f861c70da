package shop

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/realtime"
)

// dedupeRig is an open socket of a payment, and what it has sent.
type dedupeRig struct {
	*liveView
	began time.Time

	mu      sync.Mutex // guards the fields below; held by the test while no time passes
	version int64
	checked time.Time       // by the gateway
	sent    []time.Duration // when, since it began
}

// wait opens the socket of a payment that was checked just now.
func wait(t *testing.T, test func(w *dedupeRig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &dedupeRig{
			liveView: &liveView{
				liveSockets: &liveSockets{hub: realtime.NewHub(realtime.HubConfig{})},
				session:     "cs_1",
			},
			began: time.Now(), version: 1, checked: time.Now(),
		}
		updated, gone := make(chan struct{}, 1), make(chan struct{})
		defer close(gone)
		w.notify = func() {
			select {
			case updated <- struct{}{}:
			default:
			}
		}
		w.unsubscribe, _ = w.hub.Subscribe("cs_1", w.notify)
		defer w.unsubscribe()
		go func() {
			for {
				select {
				case <-updated:
					w.send(t)
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

// send sends what there is to send.
func (w *dedupeRig) send(t *testing.T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := 30*time.Minute - time.Since(w.began)
	view, err := encode(wire.View{
		Version: w.version, Status: wire.Pending,
		Attempt:      &wire.Attempt{Number: 1, ExpiresInMs: left.Milliseconds()},
		CheckedMsAgo: time.Since(w.checked).Milliseconds(),
	})
	if err != nil {
		t.Error(err)
	}
	if w.dedupe.shouldSend(view, w.notify) {
		w.sent = append(w.sent, time.Since(w.began))
	}
}

// check is the poller's: the gateway has answered.
func (w *dedupeRig) check() {
	w.checked = time.Now()
	w.hub.Publish("cs_1")
	w.pass(0)
}

// pass lets time go by, and what is to be sent be sent.
func (w *dedupeRig) pass(d time.Duration) {
	w.mu.Unlock()
	time.Sleep(d)
	synctest.Wait()
	w.mu.Lock()
}

// sentCount is how long after at the next message was sent; negative if none was.
func (w *dedupeRig) sentCount(at time.Time, pause time.Duration) time.Duration {
	before := len(w.sent)
	w.pass(pause)
	if len(w.sent) == before {
		return -1
	}
	return w.sent[before] - at.Sub(w.began)
}

// An unchanged payment that is checked every three seconds is sent five times a minute at most.
func TestChecksThatFindNothingAreSilent(t *testing.T) {
	wait(t, func(w *dedupeRig) {
		for n := 1; n < 20; n++ {
			w.pass(3 * time.Second)
			w.check()
			if n%8 == 0 {
				w.notify() // a ping
			}
		}
		w.pass(3 * time.Second)
		if got := len(w.sent); got < 4 || got > 5 {
			t.Errorf("%d messages in a minute, at %v; want one each 15 s", got, w.sent)
		}
	})
}

// A change, a missing answer, and the first one after that are sent immediately.
func TestUpdatesAreSentAtOnce(t *testing.T) {
	wait(t, func(w *dedupeRig) {
		w.pass(3 * time.Second)
		w.check()
		w.version++
		w.check()
		if len(w.sent) != 2 {
			t.Errorf("sent at %v; want the change at once", w.sent)
		}
		took := w.sentCount(w.checked, 30*time.Second)
		if took < freshFor || took > freshFor+10*time.Millisecond {
			t.Errorf("that the gateway is silent was sent %v after its last answer", took)
		}
		if len(w.sent) != 3 {
			t.Errorf("sent at %v; want once that the gateway is silent", w.sent)
		}
		w.check()
		w.check()
		if len(w.sent) != 4 {
			t.Errorf("sent at %v; want once, and at once, that the gateway is back", w.sent)
		}
	})
}

// Without publications, an unchanged answer is not sent to sockets, but not for longer than the
// maximum.
func TestSilenceIsShort(t *testing.T) {
	wait(t, func(w *dedupeRig) {
		for range 3 {
			w.pass(4 * time.Second)
			w.checked = time.Now() // and no page is notified
		}
		w.pass(4 * time.Second)
		if len(w.sent) != 2 || w.sent[1] > maxSilence+10*time.Millisecond {
			t.Errorf("sent at %v; want again after %v", w.sent, maxSilence)
		}
	})
}

// Before the gateway was ever asked, the socket is not silent for longer than the maximum either: a
// page would take it for dead.
func TestSilenceIsShortBeforeTheFirstCheck(t *testing.T) {
	wait(t, func(w *dedupeRig) {
		w.checked = time.Now().Add(time.Hour) // a negative age
		w.pass(3*maxSilence + time.Second)
		if len(w.sent) != 4 {
			t.Errorf("sent at %v; want every %v", w.sent, maxSilence)
		}
	})
}
