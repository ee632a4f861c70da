package e2e

import (
	"fmt"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// modes are the three ways in which a page is driven.
var modes = map[string]browser.Options{
	"wasm":          {},
	"no wasm":       {BlockURLs: []string{"*.wasm"}},
	"no javascript": {NoJS: true},
}

// waiting shows the payment of a fresh order whose first address lasts ttl minutes.
func (s *stack) waiting(
	t *testing.T, ttl int, o browser.Options,
) (id string, p *browser.Page, tx sandbox.Transaction) {
	t.Helper()
	if o.Height == 0 {
		o.Height = 2400
	}
	p = chromium.Open(t, "", o)
	id, tx = s.waitingOn(p, "1001", ttl, o)
	return id, p, tx
}

// waitingOn is waiting on a page that is open, with its options, for an order that ref names.
func (s *stack) waitingOn(
	p *browser.Page, ref string, ttl int, o browser.Options,
) (id string, tx sandbox.Transaction) {
	s.t.Helper()
	id = s.session(order{"amount_usd": "25.00", "order_ref": ref, "ttl_minutes": ttl})
	p.Goto(s.base + "/checkout/" + id)
	if !o.NoJS && o.BlockURLs == nil {
		p.Wait(`[data-live="wasm"]`)
	}
	choose(p.View, "USDT", "trc20")
	p.Wait(pending)
	return id, s.matches(p.View)
}

// More time is a new address for the same coin; the old one can no longer be paid, and the merchant
// gets no event about a cancellation.
func TestMoreTime(t *testing.T) {
	runParallel(t)
	for _, name := range []string{"wasm", "no javascript"} {
		t.Run(name, func(t *testing.T) { newStack(t).getsMoreTime(t, name) })
	}
}

func TestFullMoreTimeWithoutWasm(t *testing.T) { newStack(t).getsMoreTime(t, "no wasm") }

// getsMoreTime asks for more time in one of modes, and pays.
func (s *stack) getsMoreTime(t *testing.T, name string) {
	t.Helper()
	o := modes[name]
	id, p, first := s.waiting(t, 4, o)
	p.WaitText(`[data-part="countdown"]`, "3:5")
	p.WaitText(`[data-part="more-time"]`, "60 minutes, a new address")
	if o.NoJS {
		p.Click(`[data-part="extend"]`)
	} else { // an impatient click does not give up the new address as well
		s.gateway.Inject(slowCreate)
		p.Eval(`(b => { b.click(); b.click(); })(document.querySelector('[data-part="extend"]'))`,
			nil)
	}
	p.Wait(`[data-part="address"]:not([data-value="` + first.WalletAddress + `"])`)
	second := s.matches(p.View)
	if second.NetworkCode != first.NetworkCode || len(s.issued()) != 2 {
		t.Errorf("%d transactions, the last on %s; want two on %s", len(s.issued()),
			second.NetworkCode, first.NetworkCode)
	}
	if live := s.live(); len(live) != 1 || live[0].TrackingCode != second.TrackingCode {
		t.Errorf("%d transactions can be paid; want only the second", len(live))
	}
	p.WaitText(`[data-part="countdown"]`, "min left")
	if name == "wasm" {
		p.WaitText(`.announce`, "You have more time")
	}
	s.simulate(second, "pay")
	p.Wait(paid)
	s.sink.await(t, id, "checkout.confirmed")
	fortest.Equal(t, count(s.sink.types(id), "checkout.cancelled"), 0,
		"events (more time is no cancellation)")
}

// TestWaitsAndIsPaid is a typical payment, from its address to its receipt. Title and icon of the
// tab change with it.
func TestWaitsAndIsPaid(t *testing.T) {
	runParallel(t)
	for _, name := range []string{"wasm", "no javascript"} {
		t.Run(name, func(t *testing.T) { newStack(t).waitsAndIsPaid(t, name) })
	}
}

func TestFullWaitsWithoutWasm(t *testing.T) { newStack(t).waitsAndIsPaid(t, "no wasm") }

// waitsAndIsPaid pays in one of modes.
func (s *stack) waitsAndIsPaid(t *testing.T, name string) {
	t.Helper()
	o := modes[name]
	_, p, tx := s.waiting(t, 20, o)
	offersMoreTime(p, name != "wasm")
	tab := func(title, icon string) {
		t.Helper()
		p.WaitJS(
			fmt.Sprintf(
				`document.title === %q && document.querySelector("link[rel=icon]").getAttribute("href") === %q`,
				title,
				icon,
			),
			title+" with "+icon,
		)
	}
	for _, icon := range []string{"tab", "tab-paid"} {
		fortest.Has(t, "the icon "+icon+" draws nothing", s.download("/icons/"+icon+".svg"),
			"<rect")
	}
	tab("Waiting for $25.00", "/icons/tab.svg")
	s.simulate(tx, "pay")
	p.Wait(paid)
	tab("✓ Paid $25.00", "/icons/tab-paid.svg")
	s.givesReceipt(t, p, tx, o)
}

// offersMoreTime: a page that counts offers more time in the last minutes only; one that cannot
// count, always.
func offersMoreTime(p *browser.Page, now bool) {
	if !now {
		p.Wait(`[data-part="countdown"]`)
		p.WaitJS(`document.querySelector('[data-part="more-time"]')?.checkVisibility() === false`,
			"more time not to be offered yet")
		return
	}
	p.Wait(`[data-part="more-time"] summary`)
	p.WaitJS(`document.querySelector('[data-part="more-time"]').checkVisibility()`,
		"more time to be offered")
}

// shiftClock sets the device's clock off by hours from now on; nothing that measures
// may look at it.
const shiftClock = `((hours) => {
	const Real = window.RealDate ??= Date;
	window.Date = class extends Real {
		constructor(...given) { given.length ? super(...given) : super(Real.now() + hours * 3600e3); }
		static now() { return Real.now() + hours * 3600e3; }
	};
})(%d)`

// The time left is measured, not read from a clock: one that is wrong, or is put
// right meanwhile, changes nothing, and what counts down never counts up.
func TestFullWrongClock(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00", "ttl_minutes": 4})
	p := s.openPage(t, id, browser.Options{})
	p.Wait(`[data-live="wasm"]`)
	p.Eval(fmt.Sprintf(shiftClock, -30), nil)
	choose(p.View, "USDT", "trc20")
	p.WaitText(`[data-part="countdown"]`, "3:5")
	last := 240
	for i := range 12 {
		p.Eval(fmt.Sprintf(shiftClock, []int{7, -26, 0, 9000}[i%4]), nil)
		p.Eval(`new Promise(done => setTimeout(done, 400))`, nil)
		var minutes, seconds int
		text := p.Text(`[data-part="countdown"]`)
		if _, err := fmt.Sscanf(text, "%d:%d left", &minutes, &seconds); err != nil {
			t.Fatalf("the countdown says %q", text)
		}
		now := 60*minutes + seconds
		if now > last || last-now > 10 {
			t.Errorf("%d seconds left after %d", now, last)
		}
		last = now
		if text := p.Text(`[data-part="checked"]`); !strings.Contains(text, "just now") &&
			!strings.Contains(text, "second") {
			t.Errorf("checked: %q", text)
		}
	}
}

// What was missed while the telephone slept is there when it wakes, and not before.
func TestFullReturnToTab(t *testing.T) {
	s := newStack(t)
	id, p, tx := s.waiting(t, 20, browser.Options{})
	p.Eval(`dispatchEvent(new PageTransitionEvent("pagehide", {persisted: true}))`, nil)
	s.simulate(tx, "pay")
	s.sink.await(t, id, "checkout.confirmed")
	p.Eval(`new Promise(done => setTimeout(done, 1000))`, nil)
	if p.Exists(paid) {
		t.Error("a page that was left still listens")
	}
	p.Eval(`dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}))`, nil)
	p.Wait(paid)
	p.WaitText(`.announce`, "Paid. Thank you.")
}

// Without network the page says so at once and keeps counting down; it recovers when the network is
// back.
func TestFullShowsOffline(t *testing.T) {
	s := newStack(t)
	_, p, tx := s.waiting(t, 20, browser.Options{})
	p.WaitText(`[data-part="checked"]`, "Checked")
	p.Offline(true)
	p.WaitText(`[data-part="checked"]`, "You’re offline. Your payment is safe")
	p.WaitText(`[data-part="countdown"]`, "min left")
	s.matches(p.View)
	p.Offline(false)
	p.WaitText(`[data-part="checked"]`, "Checked")
	p.Offline(true)
	p.WaitText(`[data-part="checked"]`, "You’re offline")
	p.Click(`[data-part="cancel"]`)
	p.WaitText(`[data-part="error"]`, "You’re offline")
	s.simulate(tx, "pay")
	p.Offline(false)
	p.Wait(paid)
	p.WaitGone(`[data-part="error"]`)
}

// recordAnnouncements keeps every text that the live region says from now on.
const recordAnnouncements = `(() => {
	const text = css => document.querySelector(css)?.textContent ?? "";
	const countdown = '[data-part="countdown"]';
	let last = text(".announce"), left = text(countdown);
	window.said = [];
	window.ticks = 0;
	new MutationObserver(() => {
		if (text(".announce") !== last) window.said.push(last = text(".announce"));
		if (text(countdown) !== left) window.ticks++, left = text(countdown);
	}).observe(document.body, {childList: true, subtree: true, characterData: true});
})()`

// A screen reader announces each change once, and not the time every second.
func TestFullAnnouncesChangesOnce(t *testing.T) {
	s := newStack(t)
	id, p, tx := s.waiting(t, 4, browser.Options{})
	p.WaitText(`.announce`, "Your address is ready")
	p.Eval(recordAnnouncements, nil)
	p.WaitJS(`ticks >= 4`, "the countdown to go on")
	said := func() (list []string) {
		p.Eval(`window.said`, &list)
		return list
	}
	fortest.Equal(t, len(said()), 0, "while nothing happened, it was said")
	s.simulate(tx, "parts")
	p.Wait(`[data-part="missing"]`)
	p.Wait(`[data-part="paid"]`)
	s.sink.await(t, id, "checkout.partial")
	s.simulate(tx, "parts")
	p.Wait(paid)
	s.sink.await(t, id, "checkout.confirmed")
	p.WaitText(`.announce`, "Paid")
	if list := said(); len(list) != 2 || !strings.Contains(list[0], "Part of your payment") ||
		!strings.Contains(list[1], "Paid") {
		t.Errorf("said %q; want each change once", list)
	}
}
