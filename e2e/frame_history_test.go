package e2e

import (
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// TestFullOneBackLeavesTheShop: without WebAssembly, a frame's pages add nothing to the tab's history.
func TestFullOneBackLeavesTheShop(t *testing.T) {
	runParallel(t)
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	p, f := s.open(t, id, "inline", browser.Options{BlockURLs: []string{"*.wasm"}, Height: 1800})
	f.Wait(`[data-live="html"]`)
	f.WaitJS(`document.documentElement.dataset.wasm === "failed"`, "the frame to do without")
	length := browser.Eval[int](p, `history.length`)

	s.choose(f, "USDT", "trc20")
	f.Wait(pending)
	f.Click(`[data-part="change"]`)
	f.Wait(`form.choose`)
	s.choose(f, "ETH", "eth")
	f.Click(`[data-part="recheck"]`)
	f.Wait(pending)
	fortest.Equal(t, browser.Eval[int](p, `history.length`), length, "entries in the history")
}
