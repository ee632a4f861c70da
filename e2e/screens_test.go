package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/e2e/browser"
)

// screens is where TestFullScreens leaves its pictures; empty = nowhere for long.
var screens = flag.String("screens", "", "folder for screenshots, for example ../docs/images")

// TestFullScreens walks through every screen and takes its picture, light and dark,
// narrow and wide. make screenshots keeps them.
func TestFullScreens(t *testing.T) {
	runParallel(t)
	dir := *screens
	if dir == "" {
		dir = t.TempDir()
	}
	for _, look := range []struct {
		name          string
		width, height int
		dark          bool
	}{{"light", 390, 1100, false}, {"dark", 720, 1000, true}} {
		if *screens == "" && look.name == "dark" {
			continue // TestFullHandles and the gallery look at the screens; this sees that pictures are made
		}
		t.Run(look.name, func(t *testing.T) {
			s := newStack(t)
			o := browser.Options{
				Width:         look.width,
				Height:        look.height,
				Dark:          look.dark,
				ReducedMotion: true,
			}
			w := &walk{
				t:    t,
				s:    s,
				page: chromium.Open(t, "about:blank", o),
				dir:  dir,
				name: look.name,
			}
			w.all()
		})
	}
}

// walk takes pictures of one look.
type walk struct {
	t         *testing.T
	s         *stack
	page      *browser.Page
	dir, name string
}

func (w *walk) shoot(screen string) {
	w.t.Helper()
	path := filepath.Join(w.dir, screen+"-"+w.name+".png")
	w.page.Screenshot(path)
	if info, err := os.Stat(path); err != nil || info.Size() < 5000 {
		w.t.Errorf("the picture of %s is missing or empty", screen)
	}
}

// order opens the page of a fresh order.
func (w *walk) order() {
	w.t.Helper()
	id := w.s.session(order{
		"amount_usd":  "25.00",
		"title":       "Two tickets, Saturday",
		"success_url": "https://shop.example/thanks",
	})
	w.page.Goto(w.s.base + "/checkout/" + id)
	w.page.Wait(`[data-live="wasm"]`)
}

// pending continues until the address is shown, then simulates payments.
func (w *walk) pending(kinds ...sandbox.Kind) {
	w.t.Helper()
	w.order()
	choose(w.page.View, "USDT", "trc20")
	tx := w.s.matches(w.page.View)
	for _, kind := range kinds {
		fortest.OK(w.t, w.s.gateway.Pay(tx.TrackingCode, kind))
	}
}

func (w *walk) all() {
	w.t.Helper()
	w.order()
	w.shoot("choose")
	w.page.Click(`label:has([data-part="currency"][value="USDT"])`)
	w.page.Click(`label:has([data-part="network"][value="USDT:trc20"])`)
	w.shoot("chosen")
	w.pending()
	w.shoot("pay")
	w.page.Click(`[data-part="change"]`)
	w.page.Wait(`[data-part="continue"]`)
	w.shoot("change")
	w.pending("half")
	w.page.Wait(`[data-part="missing"]`)
	w.shoot("partial")
	for status, kind := range map[string]sandbox.Kind{
		"confirmed": "pay",
		"expired":   "expire",
		"cancelled": "cancel",
	} {
		w.pending(kind)
		w.page.Wait(`[data-status="` + status + `"]`)
		w.shoot(status)
	}
	w.pending("over")
	w.page.Wait(paid)
	w.shoot("overpaid")
	w.s.gateway.Falsify(sandboxtest.Answer{
		Path:  "transaction/status",
		Times: -1,
		Set:   map[string]any{"amount_usd": "1.00000000"},
	})
	w.pending("pay")
	w.page.Wait(`[data-status="review"]`)
	w.shoot("review")
	w.s.gateway.ClearFaults()
}

// TestFullShopPicture takes the README's picture: the demo shop with its modal
// checkout open on a payment.
func TestFullShopPicture(t *testing.T) {
	dir := *screens
	if dir == "" {
		dir = t.TempDir()
	}
	p := chromium.Open(t, runDemo(t),
		browser.Options{Width: 1180, Height: 960, ReducedMotion: true})
	p.WaitJS(`customElements.get('coinslot-checkout') !== undefined`, "the element to be defined")
	p.Click(`[data-product="coffee"] coinslot-checkout a`)
	f := p.Frame(frame) // the first in the page: the modal
	f.Wait(`[data-live="wasm"]`)
	choose(f, "USDT", "trc20")
	f.Wait(`[data-part="address"]`)
	f.WaitJS(
		`[...document.images].filter(i => i.loading !== 'lazy').every(i => i.complete && i.naturalWidth > 0)`,
		"the pictures to be there",
	)
	f.Eval(twoFrames, nil)
	p.Screenshot(filepath.Join(dir, "checkout.png"))
}
