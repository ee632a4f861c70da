package e2e

import (
	"net/http"
	"strings"
	"testing"

	"coinslot/bff/fortest"
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

// post sends JSON and ignores the answer: the server may be dying.
func (s *stack) post(path, body string) {
	resp, err := http.Post(s.base+path, "application/json", strings.NewReader(body))
	if err == nil {
		resp.Body.Close()
	}
}
