package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"coinslot/app/widget"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/e2e/browser"
)

// end brings a fresh payment to its end by kinds of payments.
func (s *stack) end(
	t *testing.T, o browser.Options, status string, kinds ...sandbox.Kind,
) (string, *browser.Page, sandbox.Transaction) {
	t.Helper()
	id, p, tx := s.waiting(t, 20, o)
	for _, kind := range kinds {
		s.simulate(tx, kind)
	}
	p.Wait(`[data-status="` + status + `"]`)
	return id, p, tx
}

// Money that came after the time was up is found by a recheck, and the page says that it was late.
// The reference of the payment is copied whole, by the program and by the page's script.
func TestRecheckFindsLatePayment(t *testing.T) {
	s := newStack(t)
	p := s.latePayment(t, modes["wasm"])

	id, tx := s.waitingOn(p, "1002", 20, modes["wasm"])
	s.simulate(tx, "cancel")
	s.simulate(tx, "pay")
	p.Wait(`[data-status="cancelled"]`)
	s.recheckFindsMoney(t, p, id, tx)
}

func TestFullRecheckWithoutWasm(t *testing.T) {
	newStack(t).latePayment(t, modes["no wasm"])
}

// latePayment pays an order that has expired, and finds that by a recheck.
func (s *stack) latePayment(t *testing.T, o browser.Options) *browser.Page {
	t.Helper()
	id, p, tx := s.end(t, o, "expired", "late")
	s.copiesReference(t, p, id, tx)
	s.recheckFindsMoney(t, p, id, tx)
	return p
}

func (s *stack) recheckFindsMoney(
	t *testing.T, p *browser.Page, id string, tx sandbox.Transaction,
) {
	t.Helper()
	p.Click(`[data-part="recheck"]`)
	p.Wait(paid)
	p.WaitText(`[data-part="late"]`, "after the time was up")
	p.WaitText(`[data-part="reference"]`, tx.TrackingCode)
	s.sink.await(t, id, "checkout.confirmed")
}

func (s *stack) copiesReference(t *testing.T, p *browser.Page, id string, tx sandbox.Transaction) {
	t.Helper()
	p.Eval(recordCopies, nil)
	p.Click(`[data-part="copy-reference"]`)
	p.WaitText(`[data-part="copy-reference"]`, "Copied")
	copied := browser.Eval[[]string](p, `window.copied`)
	want := "Order 1001\n" + id + "\nPayment " + tx.TrackingCode
	if len(copied) != 1 || copied[0] != want {
		t.Errorf("copied %q; want %q", copied, want)
	}
}

// An ended payment starts again with the same coin, and with another one; the last
// one pays the order. TestPlainChangesCancelsAndRetries is the same without scripts.
func TestRetriesAfterEnd(t *testing.T) {
	runParallel(t)
	for _, name := range []string{"wasm", "no wasm"} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			id, p, last := s.waiting(t, 20, modes[name])
			ends := func(status string, kind sandbox.Kind) {
				t.Helper()
				s.simulate(last, kind)
				p.Wait(`[data-status="` + status + `"]`)
			}
			begun := func(network string) {
				t.Helper()
				p.Wait(pending)
				next := s.matches(p.View)
				if next.WalletAddress == last.WalletAddress ||
					next.TrackingCode == last.TrackingCode || next.NetworkCode != network {
					t.Errorf("the new address is %s on %s; want another one on %s",
						next.WalletAddress, next.NetworkCode, network)
				}
				last = next
			}
			again := func() {
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
			again()
			ends("cancelled", "cancel")
			another("GRAM", "ton")
			ends("confirmed", "pay")
			s.sink.await(t, id, "checkout.confirmed")
		})
	}
}

// A review says what is known, and a recheck ends it: with the program, and with forms alone.
func TestFullRecheckEndsReview(t *testing.T) {
	s := newStack(t)
	s.gateway.Falsify(sandboxtest.Answer{
		Path:  "transaction/status",
		Times: -1,
		Set:   map[string]any{"amount_usd": "1.00000000"},
	})
	_, p, tx := s.end(t, browser.Options{}, "review", "pay")
	p.WaitText(".trail", "The shop is checking it")
	p.WaitText(`[data-part="reference"]`, tx.TrackingCode)
	fortest.Has(t, "without scripts the review", plainly(t, p.URL(), lynx).text(),
		"The shop is checking it", tx.TrackingCode)
	id := s.session(order{"amount_usd": "25.00"})
	second := plainly(t, s.base+"/checkout/"+id, lynx)
	second.pick("USDT:trc20")
	s.payLast("pay")
	second.until("review")
	s.gateway.ClearFaults()
	p.Click(`[data-part="recheck"]`)
	p.Wait(paid)
	second.submit("recheck", nil)
	second.until("confirmed")
}

// givesReceipt: the paid page says what, where and when; its receipt does so on a page to keep.
func (s *stack) givesReceipt(
	t *testing.T, p *browser.Page, tx sandbox.Transaction, o browser.Options,
) {
	t.Helper()
	want := func(part, text string) {
		t.Helper()
		p.WaitText(`[data-part="`+part+`"]`, text)
	}
	want("time", " UTC")
	want("order", "1001")
	want("tx", "…")
	if link := p.Attr(`[data-part="tx"]`, "href"); !strings.HasPrefix(link, "https://") {
		t.Errorf("the transaction leads to %q", link)
	}
	p.Goto(s.base + p.Attr(`[data-part="receipt"]`, "href"))
	p.WaitText("h1", "Receipt")
	want("paid", "25")
	want("time", " UTC")
	want("payment-code", tx.TrackingCode)
	p.WaitText(".saved", "any time")
	if o.NoJS {
		p.WaitJS(`!document.querySelector('[data-part="print"]').checkVisibility()`,
			"no button that needs a script")
	} else {
		p.Eval(`window.print = () => { window.printed = true; }, 0`, nil)
		p.Click(`[data-part="print"]`)
		p.WaitJS(`window.printed === true`, "the print dialog")
	}
	p.Click(`[data-part="payment"]`)
	p.WaitText("h1", "Paid. Thank you.")
}

// TestFullOverpaid: the page says to the digit that too much has come, what to do about it, and whom to ask.
func TestFullOverpaid(t *testing.T) {
	s := newStack(t, "COINSLOT_SUPPORT=help@shop.example")
	id, p, _ := s.end(t, browser.Options{}, "confirmed", "over")
	p.WaitText(`[data-part="overpaid"]`,
		widget.Padded(p.Attr(`[data-part="overpaid"]`, "data-value"))+"\u00a0USDT more")
	p.Wait(`[data-part="paid"]`)
	p.WaitText(`.ask`, "Ask the shop for the difference")
	fortest.Equal(t, p.Attr(`[data-part="support"]`, "href"),
		"mailto:help@shop.example?subject=1001", "the link for help")
	s.sink.await(t, id, "checkout.confirmed")
}

// inAlaska gives a page the time zone of Anchorage, which the shared browser can't have.
const inAlaska = `{
  const Format = Intl.DateTimeFormat;
  Intl.DateTimeFormat = function (lang, options) {
    return new Format(lang, { ...options, timeZone: 'America/Anchorage' });
  };
  Date.prototype.getTimezoneOffset = () => 540;
}`

// TestFullReceiptDate: receipts are dated as the language writes dates, in the browser's time zone
// and with its name; without scripts in UTC.
func TestFullReceiptDate(t *testing.T) {
	s := newStack(t)
	_, p, _ := s.end(t, browser.Options{Script: inAlaska}, "confirmed", "pay")
	receipt := s.base + p.Attr(`[data-part="receipt"]`, "href") + "?lang=de"
	value := p.Attr(`[data-part="time"]`, "data-value")
	paid, err := time.Parse(time.RFC3339, value)
	fortest.OK(t, err)
	clock := func(at time.Time) string {
		return fmt.Sprintf("%d, %s ", at.Year(), at.Format("15:04"))
	}
	here, there := clock(paid.UTC()), clock(paid.UTC().Add(-9*time.Hour))
	p.WaitText(`[data-part="time"]`, there+"AKST")
	p.Goto(receipt)
	p.WaitText(`[data-part="time"]`, there+"GMT-9")
	plain := chromium.Open(t, receipt, browser.Options{NoJS: true})
	plain.WaitText(`[data-part="time"]`, here+"UTC")
}
