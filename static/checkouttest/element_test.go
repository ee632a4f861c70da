package checkouttest_test

import (
	"fmt"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"

	"github.com/google/go-cmp/cmp"
)

// TestProperties: each attribute is a property, and the other way round.
func TestProperties(t *testing.T) {
	s := openPage(
		t,
		`<coinslot-checkout item=coffee amount=5 quantity=2 mode=modal prewarm=none return-url="/thanks" lang=de></coinslot-checkout>`,
	)
	s.WaitJS(`!!window.Coinslot`, "the script")
	var got []any
	s.Eval(`(() => { const el = `+element+`;
		const all = [el.item, el.amount, el.quantity, el.mode, el.returnUrl, el.lang, el.order, el.session, el.theme, el.open, typeof el.prewarm];
		el.theme = 'dark'; el.quantity = 3; el.returnUrl = 'https://shop.example/'; el.prewarm = 'idle'; el.item = null; el.session = 'cs_1'; el.amount = undefined;
		return [...all, ...el.getAttributeNames().sort().map((name) => name + '=' + el.getAttribute(name))] })()`, &got)
	want := []any{
		"coffee", "5", "2", "modal", "/thanks", "de", "", "", "", false, "function", "lang=de",
		"mode=modal", "prewarm=idle", "quantity=3", "return-url=https://shop.example/",
		"session=cs_1", "theme=dark",
	}
	fortest.Diff(t, got, want, "properties")
	s.Eval(element+`.open = true`, nil)
	s.Wait(dialog)
	s.waitEvent("ready cs_1 open")
	if got := s.requested()[0]; !strings.HasPrefix(got, "/checkout/cs_1?embed=modal") {
		t.Errorf("frame = %s; want the session's", got)
	}
	s.Eval(element+`.open = false`, nil)
	s.WaitGone(dialog)
}

// TestPropertiesAssignedEarly: frameworks assign properties to elements that the script has not
// reached yet.
func TestPropertiesAssignedEarly(t *testing.T) {
	s := openPageWith(t, ``, "", browser.Options{Script: `document.addEventListener('readystatechange', () => { if (window.early || !document.body || window !== top) return;
		window.early = document.createElement('coinslot-checkout'); early.session = 'cs_early'; early.returnUrl = '/x'; document.body.append(early) })`})
	s.waitEvent("ready cs_early open")
	s.WaitJS(element+`.getAttribute('return-url') === '/x'`, "the attribute")
}

func TestOpenOptions(t *testing.T) {
	s := openPage(t, "")
	s.WaitJS(`!!window.Coinslot`, "the script")
	s.Eval(`(() => { Object.prototype.evil = 'x'; window.el = Coinslot.open({ item: 'tip', amount: 7, quantity: 2, returnUrl: '/thanks', theme: 'dark', target: document.body });
		delete Object.prototype.evil })()`, nil)
	s.WaitJS(
		`el === `+element+
			` && el.mode === 'modal' && el.getAttribute('return-url') === '/thanks' && !el.hasAttribute('evil') && el.result instanceof Promise`,
		"the element",
	)
	s.WaitJS(`seen.some((line) => line.startsWith('ready'))`, "ready")
	got, want := s.requested()[0], "/checkout?item=tip&amount=7&quantity=2&embed=modal"
	if !strings.HasPrefix(got, want) {
		t.Errorf("frame = %s; want %s…", got, want)
	}
}

// TestReturnURLQuery: what is added to the page's own query, and that its fragment stays last.
func TestReturnURLQuery(t *testing.T) {
	s := openPage(t, "")
	const jwt = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJjc185In0.c2ln-_"
	for name, c := range map[string]struct{ url, receipt, want string }{
		"receipt": {
			"/thanks",
			"'" + jwt + "'",
			"/thanks?session=cs_9&status=confirmed&receipt=" + jwt,
		},
		"no receipt": {
			"/thanks?a=%20b&c#top",
			"''",
			"/thanks?a=%20b&c&session=cs_9&status=confirmed#top",
		},
		"not a receipt": {"/thanks?#top", "'a.b'", "/thanks?session=cs_9&status=confirmed#top"},
		"markup":        {"/thanks", "'a.b.<c>'", "/thanks?session=cs_9&status=confirmed"},
		"missing":       {"/thanks", "undefined", "/thanks?session=cs_9&status=confirmed"},
	} {
		t.Run(name, func(t *testing.T) {
			s.SetTest(t)
			s.visit(`<coinslot-checkout session=cs_9 return-url="`+c.url+`"></coinslot-checkout>`,
				fmt.Sprintf(policy, s.bff))
			s.waitEvent("ready cs_9 open")
			s.post(`{ type: 'complete', session: 'cs_9', status: 'confirmed', receipt: ` +
				c.receipt + ` }`)
			s.WaitJS(`location.pathname === '/thanks'`, "the return URL")
			fortest.Equal(t, s.URL(), s.host+c.want, "URL")
		})
	}
	s.SetTest(t)
}

func TestMarks(t *testing.T) {
	s := openReady(t)
	var got []string
	s.Eval(`performance.getEntriesByType('mark').map(({ name }) => name)`, &got)
	diff := cmp.Diff(
		[]string{
			"coinslot:script", "coinslot:frame", "coinslot:hello", "coinslot:shown",
			"coinslot:ready",
		},
		got,
	)
	if diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}

// TestSlowNetwork: nothing is loaded ahead of need where that costs the shopper, unless the page
// insists.
func TestSlowNetwork(t *testing.T) {
	for name, c := range map[string]struct {
		connection, prewarm string
		warm                bool
	}{
		"fast":       {`{ effectiveType: '4g', saveData: false }`, "intent", true},
		"2g":         {`{ effectiveType: '2g', saveData: false }`, "intent", false},
		"slow-2g":    {`{ effectiveType: 'slow-2g', saveData: false }`, "idle", false},
		"save data":  {`{ effectiveType: '4g', saveData: true }`, "intent", false},
		"none":       {`undefined`, "intent", true},
		"the page's": {`{ effectiveType: '2g', saveData: true }`, "load", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openPageWith(t, `<coinslot-checkout session=cs_1 mode=modal prewarm=`+c.prewarm+
				`><a id=buy href="/thanks">Pay</a></coinslot-checkout>`, "",
				browser.Options{
					Script: `Object.defineProperty(navigator, 'connection', { value: ` +
						c.connection + ` })`,
				})
			s.WaitJS(`!!window.Coinslot`, "the script")
			s.Eval(`document.querySelector('#buy').focus()`, nil)
			if c.warm {
				s.waitEvent("ready cs_1 open")
				return
			}
			s.wait(2500) // idle waits for 2 s
			fortest.Equal(t, len(s.requested()), 0, "frames")
		})
	}
}

// TestBackForwardCache: the page comes back alive, with the line to its frame.
func TestBackForwardCache(t *testing.T) {
	s := openReady(t)
	s.Eval(`addEventListener('pageshow', ({ persisted }) => { window.persisted = persisted }), 0`,
		nil)
	var shop string
	s.Eval(`location.origin`, &shop)
	s.Goto(shop + "/thanks") // waits without a script, which would drop a page from the cache
	s.Eval(`history.back()`, nil)
	s.WaitJS(`location.pathname === '/' && window.persisted === true`, "the page out of the cache")
	s.sync()
	fortest.Equal(t, len(s.requested()), 1, "frames were loaded")
}

// TestNoLayoutShift: from the script's first act until the frame is on show nothing under an inline
// checkout moves.
func TestNoLayoutShift(t *testing.T) {
	s := openPageWith(t, `<style>coinslot-checkout:not(:defined) { display: block; min-height: 420px }</style>`+
		inline+`<p>below</p>`,
		"frame-src *; script-src * 'unsafe-inline'; style-src 'unsafe-inline'", browser.Options{
			Script: `window.shifts = []; new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value))).observe({ type: 'layout-shift', buffered: true })`})
	s.WaitJS(`seen.includes('ready cs_1 open')`, "ready")
	s.post(`{ type: 'size', height: 420 }`)
	s.WaitJS(iframe+`.offsetHeight === 420`, "the height")
	var total float64
	s.Eval(`shifts.reduce((sum, value) => sum + value, 0)`, &total)
	if total > 0.02 {
		t.Errorf("cumulative layout shift = %v; want at most 0.02", total)
	}
}
