package e2e

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// The process dies while a page is open: it recovers by itself, with the same
// address, and nothing is created twice.
func TestKilledWhileWaiting(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	_, f := s.open(t, id, "inline", browser.Options{})
	f.Wait(`[data-live="wasm"]`)
	choose(f, "USDT", "trc20")
	tx := s.matches(f)
	s.kill()
	if err := s.gateway.Pay(tx.TrackingCode, "pay"); err != nil {
		t.Fatal(err)
	}
	s.start()
	f.Wait(paid)
	s.sink.await(t, id, "checkout.confirmed")
	if n := len(s.issued()); n != 1 {
		t.Errorf("%d transactions were created; want 1", n)
	}
}

// The process dies after the gateway has created and before it could answer.
// The address of that one is lost: it is cancelled and replaced, and was never
// on a screen.
func TestKilledDuringCreate(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	_, f := s.open(t, id, "inline", browser.Options{Patience: 90 * time.Second})
	f.Wait(`[data-live="wasm"]`)
	s.gateway.Inject(sandbox.Fault{Path: "create", CutAfter: true, Times: 1})
	choose(f, "USDT", "trc20")
	await(t, "the gateway to create", func() bool { return len(s.issued()) == 1 })
	lost := s.issued()[0]
	s.kill()
	s.start()
	f.Wait(pending)
	shown := s.matches(f)
	if shown.TrackingCode == lost.TrackingCode {
		t.Errorf("the page shows %s, whose address nobody was told", lost.TrackingCode)
	}
	if live := s.live(); len(live) != 1 {
		t.Errorf("%d transactions can be paid; want 1", len(live))
	}
	if got := s.read(id); got.Status != "pending" {
		t.Errorf("status = %q; want pending", got.Status)
	}
}

// The process dies while it opens many payments at once, each caught at another
// step. Afterwards every session shows one address, the gateway can be paid
// once for each, and whatever else it opened is cancelled.
func TestKilledAtAnyMoment(t *testing.T) {
	runParallel(t)
	const sessions = 24
	for _, after := range []time.Duration{20 * time.Millisecond, 60 * time.Millisecond, 120 * time.Millisecond} {
		t.Run(after.String(), func(t *testing.T) {
			s := newStack(t)
			s.gateway.Inject(sandbox.Fault{Path: "create", Times: -1, Latency: 40 * time.Millisecond})
			ids := make([]string, sessions)
			for i := range ids {
				ids[i] = s.session(order{"amount_usd": "25.00"})
			}
			var posts sync.WaitGroup
			for _, id := range ids {
				posts.Go(func() { s.post("/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`) })
			}
			<-time.After(after)
			s.kill()
			posts.Wait()
			known := s.shown(ids)
			s.start()
			s.allPending(ids)
			s.onePayableEach(t, ids)
			for id, address := range known {
				if got := s.read(id); address != "" && got.Attempts[len(got.Attempts)-1].Address != address {
					t.Errorf("session %s: the address has changed", id)
				}
			}
		})
	}
}

// shown returns the addresses that the gateway had answered with before the
// kill and that the database had kept: none of them may change.
func (s *stack) shown(ids []string) map[string]string {
	s.t.Helper()
	s.start()
	known := map[string]string{}
	for _, id := range ids {
		if got := s.read(id); got.Status == "pending" {
			known[id] = got.Attempts[len(got.Attempts)-1].Address
		}
	}
	s.kill()
	return known
}

// allPending chooses again for sessions whose choice was never stored, as
// their shoppers would, and waits until every one is pending.
func (s *stack) allPending(ids []string) {
	s.t.Helper()
	for _, id := range ids {
		if s.read(id).Status == "open" {
			s.post("/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`)
		}
	}
	for _, id := range ids {
		awaitFor(s.t, 90*time.Second, "session "+id+" to be pending", func() bool { return s.read(id).Status == "pending" })
	}
}

// onePayableEach compares the sessions with the gateway's journal.
func (s *stack) onePayableEach(t *testing.T, ids []string) {
	t.Helper()
	payable := map[string]string{} // address by tracking code
	for _, tx := range s.live() {
		payable[tx.TrackingCode] = tx.WalletAddress
	}
	if len(payable) != len(ids) {
		t.Errorf("%d transactions can be paid for %d sessions", len(payable), len(ids))
	}
	for _, id := range ids {
		got := s.read(id)
		last := got.Attempts[len(got.Attempts)-1]
		if payable[last.TrackingCode] != last.Address || last.Address == "" {
			t.Errorf("session %s shows %q; the gateway issued %q for %s", id, last.Address, payable[last.TrackingCode], last.TrackingCode)
		}
	}
}

// post sends JSON and ignores the answer: the server may be dying.
func (s *stack) post(path, body string) {
	resp, err := http.Post(s.base+path, "application/json", strings.NewReader(body))
	if err == nil {
		resp.Body.Close()
	}
}
