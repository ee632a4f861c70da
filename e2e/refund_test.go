package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"coinslot/e2e/browser"
)

// An operator records that the excess of a payment went back. The shopper's open page shows it at
// once, and so does the receipt, in two languages.
func TestRefundIsShown(t *testing.T) {
	runParallel(t)
	s := newStack(t, "COINSLOT_ADMIN_PASSWORD="+consoleHash)
	id := s.session(order{"amount_usd": "25.00", "order_ref": "ORD-2042", "title": "Pour-over set"})
	s.chooseByForm(id)
	s.payLast("over")
	s.awaitStatus(id, "confirmed")

	phone := browser.Options{Width: 390, Height: 844, ReducedMotion: true}
	page := chromium.Open(t, s.base+"/checkout/"+id+"?lang=de", phone)
	page.Wait(`[data-status="confirmed"][data-live="wasm"]`)
	page.WaitText(`[data-part="overpaid"]`, "Sie haben 2,50")

	back := strings.Repeat("7f2b6c1d", 8)
	s.recordRefund(t, id, back)

	page.WaitText(`[data-part="refund"]`, "wurden am")
	page.Wait(`[data-part="refund"][data-value="2.5"] a[href="https://tronscan.org/#/transaction/` +
		back + `"]`)
	page.WaitJS(`!document.querySelector('[data-part="overpaid"]')`, "the excess to be gone")
	s.keep(page, "refund-de-phone")

	page.Goto(s.base + "/checkout/" + id + "/receipt?lang=ar")
	page.WaitText(`[dir="rtl"] [data-part="refund"]`, "أُعيد مبلغ")
	page.WaitText(`[data-part="refund-tx"]`, back)
	s.keep(page, "refund-ar-receipt-phone")
	page.Resize(1280, 1000)
	s.keep(page, "refund-ar-receipt")
	page.Goto(s.base + "/checkout/" + id + "?lang=de")
	page.Wait(`[data-part="refund"]`)
	s.keep(page, "refund-de")

	s.sink.await(t, id, "checkout.refund")
}

// recordRefund records in the console that the excess of a payment went back by a transaction.
func (s *stack) recordRefund(t *testing.T, id, tx string) {
	t.Helper()
	p := signIn(t, s, browser.Options{Height: 1200})
	p.WaitText(`[data-part="need"] h3`, "1 overpaid order")
	p.Goto(s.base + "/admin/payments/" + id)
	p.Click(`[data-part="refund"]`)
	p.WaitText(`[data-part="holdings"]`, "2.50 USDT")
	p.WaitJS(`document.querySelector('#f-amount').value === '2.5'`, "the excess in the form")
	s.keep(p, "refund-form")
	p.Resize(390, 844)
	s.keep(p, "refund-form-phone")
	p.Resize(1280, 1200)

	p.Type("#f-tx_id", "not an id")
	p.Click(`[data-part="do-refund"]`)
	p.WaitText(`[data-part="problem"]`, "64 hexadecimal digits")
	s.keep(p, "refund-form-problem")
	p.Type("#f-tx_id", tx)
	p.Click(`[data-part="do-refund"]`)
	p.WaitText(`[data-part="notice"]`, "The refund is recorded.")
	p.WaitText(`#refunds [data-part="refund"]`, "2.50 USDT")
	s.keep(p, "refund-payment")
	p.Resize(390, 844)
	s.keep(p, "refund-payment-phone")

	p.Goto(s.base + "/admin")
	p.WaitText("main", "All good")
}

// keep leaves a picture of a page, with -screens.
func (s *stack) keep(p *browser.Page, name string) {
	if *screens != "" {
		p.FullPageScreenshot(filepath.Join(*screens, name+".png"), 1)
	}
}
