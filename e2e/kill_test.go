package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
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
	tx := s.choose(f, "USDT", "trc20")
	s.kill()
	s.simulate(tx, "pay")
	s.start()
	f.Wait(paid)
	s.sink.await(t, id, "checkout.confirmed")
	fortest.Equal(t, len(s.issued()), 1, "transactions were created")
}

// The process dies after the gateway has created and before it could answer. The address of that
// one is lost: it is cancelled and replaced, and was never on a screen.
func TestKilledDuringCreate(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	_, f := s.open(t, id, "inline", browser.Options{Patience: 90 * time.Second})
	f.Wait(`[data-live="wasm"]`)
	s.gateway.Inject(sandbox.Fault{Path: "create", CutAfter: true, Times: 1})
	choose(f, "USDT", "trc20")
	fortest.Until(t, "the gateway to create", func() bool { return len(s.issued()) == 1 })
	lost := s.issued()[0]
	s.kill()
	s.start()
	f.Wait(pending)
	shown := s.matches(f)
	if shown.TrackingCode == lost.TrackingCode {
		t.Errorf("the page shows %s, whose address was lost", lost.TrackingCode)
	}
	fortest.Equal(t, len(s.live()), 1, "transactions can be paid")
	fortest.Equal(t, s.read(id).Status, "pending", "status")
}

// post sends JSON and ignores the answer: the server may be dying.
func (s *stack) post(path, body string) {
	resp, err := http.Post(s.base+path, "application/json", strings.NewReader(body))
	if err == nil {
		resp.Body.Close()
	}
}
