package checkouttest_test

import (
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// buyScript lets a page open a checkout in one of the documented ways. Each session that it creates
// is a new order: cs_1, cs_2, and so on.
const buyScript = `
	window.calls = 0;
	const create = () => Promise.resolve('cs_' + ++calls);
	window.ways = {
		script: () => Coinslot.open({ createSession: async () => create() }),
		element: () => {
			window.el ??= Object.assign(document.createElement('coinslot-checkout'), { mode: 'modal' });
			if (!el.isConnected) document.body.append(el);
			el.createSession = () => create();
			el.show();
		},
		order: () => Coinslot.open({ orderRef: '1001', createSession: Math.random() < 2 ? create : 0 }),
	};`

// openShopPage opens a page with buyScript.
func openShopPage(t *testing.T) *testPage {
	t.Helper()
	s := openPage(t, "")
	s.WaitJS(`!!window.Coinslot`, "the script")
	s.Eval(`(() => {`+buyScript+`})()`, nil)
	return s
}

// buy opens a checkout and waits until the frame of the session is on show.
func (s *testPage) buy(way, session string) {
	s.Eval(`void ways.`+way+`()`, nil)
	s.Wait(dialog)
	s.WaitJS(`document.querySelector('coinslot-checkout').session === '`+session+`'`, session)
	s.waitEvent("ready " + session + " open")
}

func (s *testPage) closeDialog() {
	s.Click(closeButton)
	s.WaitGone(dialog)
}

// TestReopenedOrder: while the session that createSession returned can still be paid, or money for
// it is awaited, opening again shows it. Otherwise a shopper could pay twice.
func TestReopenedOrder(t *testing.T) {
	const end = `say({ type: 'complete', session: 'cs_1', status: 'STATUS', receipt: '', again: AGAIN })`
	for name, c := range map[string]struct {
		message string // of the first session's frame
		isOver  bool
	}{
		"nothing chosen": {``, false},
		"preparing":      {`say({ type: 'status', session: 'cs_1', status: 'preparing' })`, false},
		"pending":        {`say({ type: 'status', session: 'cs_1', status: 'pending' })`, false},
		"in review":      {`say({ type: 'status', session: 'cs_1', status: 'review' })`, false},
		"to be retried": {
			strings.NewReplacer("STATUS", "expired", "AGAIN", "true").Replace(end),
			false,
		},
		"canceled, to be retried": {
			strings.NewReplacer("STATUS", "cancelled", "AGAIN", "true").Replace(end), false,
		},
		"retried": {strings.NewReplacer("STATUS", "expired", "AGAIN", "false").Replace(end) +
			`, say({ type: 'status', session: 'cs_1', status: 'pending' })`, false},
		"a warning": {
			`say({ type: 'error', code: 'gateway_unavailable', recoverable: true })`,
			false,
		},
		"paid": {
			strings.NewReplacer("STATUS", "confirmed", "AGAIN", "false").Replace(end),
			true,
		},
		"expired": {strings.NewReplacer("STATUS", "expired", "AGAIN", "false").Replace(end), true},
		"canceled": {
			strings.NewReplacer("STATUS", "cancelled", "AGAIN", "false").Replace(end),
			true,
		},
		"deleted": {`say({ type: 'error', code: 'session_unknown', recoverable: false })`, true},
	} {
		for _, way := range []string{"script", "element", "order"} {
			t.Run(name+", "+way, func(t *testing.T) {
				t.Parallel()
				s := openShopPage(t)
				s.buy(way, "cs_1")
				if c.message != "" {
					s.frameView().Eval(`void (`+c.message+`)`, nil)
					s.frameView().Eval(`say({ type: 'warning', code: 'sent', cure: 'x' })`, nil)
					s.WaitConsole(0, "coinslot sent")
				}
				s.closeDialog()

				want := "cs_1"
				if c.isOver {
					want = "cs_2"
				}
				s.buy(way, want)
				s.closeDialog()
				s.buy(way, want)
				fortest.Equal(t, len(s.requested()), map[bool]int{false: 1, true: 2}[c.isOver],
					"frames")
			})
		}
	}
}

// TestReopenedWhileCreating: an answer that is still awaited is that of every opening. After a
// timeout or a failure the next opening asks again.
func TestReopenedWhileCreating(t *testing.T) {
	s := openShopPage(t)
	s.Eval(`window.buy = () => void Coinslot.open({ createSession: () => (calls++, new Promise(
		(resolve, reject) => { window.resolve = resolve, window.reject = reject })) }), buy()`, nil)
	s.Wait(dialog)
	s.closeDialog()
	s.Eval(`buy()`, nil)
	s.Wait(dialog)
	s.WaitJS(`calls === 1`, "one call")
	s.Eval(`reject(Error('sold out'))`, nil)
	s.waitEvent("error")
	s.closeDialog()
	s.Eval(`buy()`, nil)
	s.WaitJS(`calls === 2`, "another call after the failure")
	s.Eval(`resolve('cs_2')`, nil)
	s.waitEvent("ready cs_2 open")
}

// TestReopenedAfterRemoval: an element that a single-page app has thrown away comes back with its
// session.
func TestReopenedAfterRemoval(t *testing.T) {
	s := openShopPage(t)
	for _, way := range []string{"script", "element", "order"} {
		s.Eval(`calls = 0`, nil)
		s.buy(way, "cs_1")
		s.Eval(`document.body.replaceChildren()`, nil)
		s.wait(0)
		s.buy(way, "cs_1")
		s.WaitJS(`calls === 1`, "one call")
		s.Eval(`document.body.replaceChildren()`, nil)
	}
	s.WaitJS(`document.documentElement.style.overflow === ''`, "a page that scrolls")
}

// TestOtherOrder: another order_ref, other code, or a session that the page takes back is another
// order.
func TestOtherOrder(t *testing.T) {
	s := openShopPage(t)
	s.Eval(`window.create = () => Promise.resolve('cs_' + ++calls)`, nil)
	s.Eval(`ways.ref = () => Coinslot.open({ orderRef: ref, createSession: create })`, nil)
	shown := func() (session string) {
		s.Wait(dialog)
		s.WaitJS(
			`[...document.querySelectorAll('coinslot-checkout')].find((el) => el.open).session`,
			"id",
		)
		s.Eval(`[...document.querySelectorAll('coinslot-checkout')].find((el) => el.open).session`,
			&session)
		s.Eval(`document.querySelectorAll('coinslot-checkout').forEach((el) => el.close())`, nil)
		s.WaitGone(dialog)
		return session
	}
	for _, c := range []struct{ script, want string }{
		{`window.ref = '1001'; ways.ref()`, "cs_1"}, {`ref = '1002'; ways.ref()`, "cs_2"},
		{`ref = '1001'; ways.ref()`, "cs_1"}, {`ref = ''; ways.ref()`, "cs_3"},
		{`Coinslot.open({ createSession: async () => create('other code') })`, "cs_4"},
		{`ways.ref()`, "cs_3"},
		{
			`document.querySelectorAll('coinslot-checkout').forEach((el) => { el.session = '' }); ways.ref()`,
			"cs_5",
		},
	} {
		s.Eval(`(() => {`+c.script+`})()`, nil)
		fortest.Equal(t, shown(), c.want, "after %s", c.script)
	}
}

// TestStartedItemKeepsItsSession: a new language, mode or place gives the payment of an item a new
// frame, but no new order.
func TestStartedItemKeepsItsSession(t *testing.T) {
	s := openPage(t, `<coinslot-checkout item=coffee></coinslot-checkout>`)
	s.WaitJS(`seen.length > 0`, "ready")
	s.post(`{ type: 'status', session: 'cs_7', status: 'pending' }`)
	s.waitEvent("status cs_7 pending")
	for _, change := range []string{
		`document.documentElement.lang = 'de'`, `el.mode = 'modal'; el.show()`,
		`el.close(); el.mode = ''; el.remove(); setTimeout(() => document.body.append(el))`,
	} {
		s.Eval(`(() => { const el = window.el ??= `+element+`; `+change+` })()`, nil)
		s.WaitJS(
			`(el.ready.then(() => {}), el.shadowRoot.querySelector('iframe')?.src.includes('/checkout/cs_7?'))`,
			change,
		)
		for _, url := range s.requested()[1:] {
			fortest.Has(t, "frame", url, "/checkout/cs_7?")
		}
	}
	s.WaitJS(`el.session === 'cs_7'`, "the session")

	s.Eval(`el.item = 'tea'`, nil) // another order
	s.WaitJS(`el.shadowRoot.querySelector('iframe')?.src.includes('/checkout?item=tea')`,
		"another item")
}
