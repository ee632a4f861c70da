package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// A release replaces another one while pages are open, on the choice of a coin and on an
// address. They go on to pay with the new server, and end confirmed. What they still ask for of the
// old release is not there, or is what it was: never something else.
func TestFullPagesOpenDuringAnUpgrade(t *testing.T) {
	from, to := os.Getenv("UPGRADE_FROM"), os.Getenv("UPGRADE_TO")
	if from == "" || to == "" {
		t.Skip("torture/upgrade.sh runs this with two commits")
	}
	s := newStackOf(t, from)
	type open struct {
		*browser.Page
		id string
		tx sandbox.Transaction // zero = no coin is chosen
	}
	var pages []open
	for _, o := range []browser.Options{{}, {NoJS: true}, {BlockURLs: []string{"*.wasm"}}} {
		for _, chosen := range []bool{true, false} {
			id := s.session(order{"amount_usd": "25.00"})
			p := open{Page: s.openPage(t, id, o), id: id}
			if o.BlockURLs == nil {
				awaitWasm(p.Page, o)
			}
			if chosen {
				p.tx = s.choose(p, "USDT", "trc20")
			}
			pages = append(pages, p)
		}
	}
	_, frame := s.open(t, s.session(order{"amount_usd": "25.00"}), "inline", browser.Options{})
	frame.Wait(`[data-live="wasm"]`)
	framed := s.choose(frame, "USDT", "trc20")

	s.kill()
	s.program = to
	s.start()
	s.simulate(framed, "pay")
	frame.Wait(paid)
	for _, p := range pages {
		if p.tx.TrackingCode == "" {
			p.tx = s.choose(p, "USDT", "trc20")
		}
		s.simulate(p.tx, "pay")
		p.Wait(paid)
		s.sink.await(t, p.id, "checkout.confirmed")
	}
	fortest.Equal(t, len(s.issued()), len(pages)+1, "transactions were created")
	var gone int
	for _, url := range pages[0].Requests() {
		if !strings.HasPrefix(url, s.base+"/assets/") {
			continue
		}
		res := fortest.Must(http.Get(url))(t)
		res.Body.Close()
		if kind := res.Header.Get("Content-Type"); res.StatusCode == http.StatusNotFound {
			gone++
		} else if res.StatusCode != http.StatusOK || strings.Contains(kind, "html") {
			t.Errorf("%s: %s, %s", url, res.Status, kind)
		}
	}
	if gone == 0 {
		t.Error("both commits have the same assets: give torture/upgrade.sh two whose assets differ")
	}
}
