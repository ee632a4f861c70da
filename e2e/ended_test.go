package e2e

import (
	"strings"
	"testing"

	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// end brings a fresh payment to its end by kinds of payments.
func (s *stack) end(t *testing.T, o browser.Options, status string, kinds ...sandbox.Kind) (string, *browser.Page, sandbox.Transaction) {
	t.Helper()
	id, p, tx := s.waiting(t, 20, o)
	for _, kind := range kinds {
		s.simulate(tx, kind)
	}
	p.Wait(`[data-status="` + status + `"]`)
	return id, p, tx
}

// Money that came after the time was up is found by whoever looks again, and the
// page says that it was late.
func TestRecheckFindsLatePayment(t *testing.T) {
	runParallel(t)
	for name, o := range modes {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			id, p, tx := s.end(t, o, "expired", "late")
			found := func() {
				t.Helper()
				p.WaitText(".outcome", "What happens next")
				p.Click(`[data-part="recheck"]`)
				p.Wait(paid)
				p.WaitText(`[data-part="late"]`, "after the time was up")
				p.WaitText(`[data-part="reference"]`, tx.TrackingCode)
				s.sink.await(t, id, "checkout.confirmed")
			}
			found()
			id, tx = s.waitingOn(p, "1002", 20, o)
			s.simulate(tx, "cancel")
			s.simulate(tx, "pay")
			p.Wait(`[data-status="cancelled"]`)
			found()
		})
	}
}

// An ended payment starts again with the same coin, and with another one; the last
// one pays the order.
func TestRetriesAfterEnd(t *testing.T) {
	runParallel(t)
	for name, o := range modes {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			id, p, last := s.waiting(t, 20, o)
			ends := func(status string, kind sandbox.Kind) {
				t.Helper()
				s.simulate(last, kind)
				p.Wait(`[data-status="` + status + `"]`)
			}
			begun := func(network string) {
				t.Helper()
				p.Wait(pending)
				next := s.matches(p.View)
				if next.WalletAddress == last.WalletAddress || next.TrackingCode == last.TrackingCode || next.NetworkCode != network {
					t.Errorf("the new address is %s on %s; want another one on %s", next.WalletAddress, next.NetworkCode, network)
				}
				last = next
			}
			benchmarkWarmLoads := func() {
				t.Helper()
				network := last.NetworkCode
				p.Click(`[data-part="retry"]`)
				begun(network)
			}
			another := func(symbol, network string) {
				t.Helper()
				p.Click(`[data-part="change"]`)
				choose(p.View, symbol, network)
				begun(network)
			}
			ends("expired", "expire")
			benchmarkWarmLoads()
			ends("cancelled", "cancel")
			another("TON", "ton")
			ends("cancelled", "cancel")
			benchmarkWarmLoads()
			ends("expired", "expire")
			another("USDC", "polygon")
			ends("confirmed", "pay")
			s.sink.await(t, id, "checkout.confirmed")
		})
	}
}

// A part that came before the time was up is shown with its arithmetic and a
// reference, and nobody is asked to send more.
func TestExpiresPartlyPaid(t *testing.T) {
	s := newStack(t)
	id, p, tx := s.end(t, browser.Options{}, "expired", "half", "expire")
	p.WaitText(".outcome", "Money has arrived, but not all of it")
	for _, part := range []string{"pay-amount", "paid", "missing"} {
		if p.Attr(`[data-part="`+part+`"]`, "data-value") == "" {
			t.Errorf("no %s", part)
		}
	}
	p.WaitText(".next", "The shop has been told and decides")
	for _, line := range []string{"Order 1001", id, tx.TrackingCode} {
		p.WaitText(`[data-part="reference"]`, line)
	}
	if p.Exists(`[data-part="retry"]`) {
		t.Error("the page asks to pay once more, although money has come")
	}
}

// A review says what is known and is over as soon as the shopper looks.
func TestRecheckEndsReview(t *testing.T) {
	runParallel(t)
	for name, o := range modes {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			s.gateway.Inject(sandbox.Fault{Path: "status", Times: -1, Set: map[string]any{"amount_usd": "1.00000000"}})
			_, p, tx := s.end(t, o, "review", "pay")
			p.WaitText(".next", "The shop has been told")
			p.WaitText(`[data-part="reference"]`, tx.TrackingCode)
			s.gateway.ClearFaults()
			p.Click(`[data-part="recheck"]`)
			p.Wait(paid)
		})
	}
}

// givesReceipt: the paid page says what, where and when; its receipt does so on a page to keep.
func (s *stack) givesReceipt(t *testing.T, p *browser.Page, tx sandbox.Transaction, o browser.Options) {
	t.Helper()
	want := func(part, text string) {
		t.Helper()
		p.WaitText(`[data-part="`+part+`"]`, text)
	}
	want("time", " UTC")
	want("order", "1001")
	want("tx", "See it on the blockchain")
	if link := p.Attr(`[data-part="tx"]`, "href"); !strings.HasPrefix(link, "https://") {
		t.Errorf("the transaction leads to %q", link)
	}
	p.Goto(s.base + p.Attr(`[data-part="receipt"]`, "href"))
	p.WaitText("h1", "Receipt")
	want("paid", "25")
	want("time", " UTC")
	want("payment-code", tx.TrackingCode)
	p.WaitText(".receipt", "again at any time")
	if o.NoJS {
		p.WaitJS(`!document.querySelector('[data-part="print"]').checkVisibility()`, "no button that needs a script")
	} else {
		p.Eval(`window.print = () => { window.printed = true; }, 0`, nil)
		p.Click(`[data-part="print"]`)
		p.WaitJS(`window.printed === true`, "the print dialog")
	}
	p.Click(`[data-part="payment"]`)
	p.WaitText("h1", "Payment complete")
}

// Too much is said with what to do about it, and whom to ask.
func TestOverpaidShowsSupport(t *testing.T) {
	s := newStack(t, "COINSLOT_SUPPORT=help@shop.example")
	_, p, _ := s.end(t, browser.Options{}, "confirmed", "over")
	p.WaitText(`.next`, "Ask for it back")
	if link := p.Attr(`[data-part="support"]`, "href"); link != "mailto:help@shop.example?subject=1001" {
		t.Errorf("the link for help is %q", link)
	}
}

// The reference is copied whole, by the program and by the page's script.
func TestCopiesReference(t *testing.T) {
	runParallel(t)
	for _, name := range []string{"wasm", "no wasm"} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			id, p, tx := s.end(t, modes[name], "expired", "expire")
			p.Eval(recordCopies, nil)
			p.Click(`[data-part="copy-reference"]`)
			p.WaitText(`[data-part="copy-reference"]`, "Reference copied")
			var copied []string
			p.Eval(`window.copied`, &copied)
			want := "Order 1001\n" + id + "\nPayment " + tx.TrackingCode
			if len(copied) != 1 || copied[0] != want {
				t.Errorf("copied %q; want %q", copied, want)
			}
		})
	}
}

// A link that leads nowhere says so, and shows the way to the shop.
func TestUnknownSessionLinksToShop(t *testing.T) {
	s := newStack(t)
	for name, o := range modes {
		p := chromium.Open(t, s.base+"/checkout/cs_unknown", o)
		p.WaitText("h1", "There is nothing to do here")
		p.WaitText(".error", "There is no such checkout")
		p.Click(`.buttons a[href^="` + s.shop.URL + `"]`)
		p.WaitText("h1", "Shop")
		t.Log(name)
	}
}
