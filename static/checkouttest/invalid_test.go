package checkouttest_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// Cases of invalid input to checkout.js: B28 to B37 are in a page's HTML, B64 to B70 in messages.
// See also TestForgedMessages, TestScriptTwiceAndTwoElements and TestOpenIsIdempotent.

// TestNothingToSell: an element without a sale shows an error and logs one line, after a delay for
// frameworks that set attributes later.
func TestNothingToSell(t *testing.T) {
	for name, body := range map[string]string{
		"B28/missing":        `<coinslot-checkout></coinslot-checkout>`,
		"B28/empty":          `<coinslot-checkout session="" order="" item=""></coinslot-checkout>`,
		"B28/misspelt":       `<coinslot-checkout sesion=cs_1></coinslot-checkout>`,
		"B30/a price is not": `<coinslot-checkout price=5 currency_amount=5 address=T1 wallet=x status=confirmed></coinslot-checkout>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openPage(t, body)
			s.WaitJS(
				`details.some(({ name, code, url }) => name === 'error' && code === 'session_unknown' && url === '')`,
				"the error",
			)
			s.WaitText("coinslot-checkout >>> [role=alert]", "That did not work.")
			got := strings.Join(s.Console(), "\n")
			if strings.Count(got, "coinslot session_unknown session "+s.bff) != 1 {
				t.Errorf("console = %s; want one line", got)
			}
			s.Eval(element+`.session = 'cs_1'`, nil) // better late
			s.waitEvent("ready cs_1 open")
			s.WaitGone(retry)
		})
	}
}

func TestSaleSetLater(t *testing.T) {
	s := openPage(t, `<coinslot-checkout></coinslot-checkout>`)
	s.WaitJS(`!!window.Coinslot`, "the script")
	s.Eval(element+`.setAttribute('session', 'cs_1')`, nil)
	s.waitEvent("ready cs_1 open")
	s.wait(4500) // nothing to sell is an error after 4 s
	s.checkNoError(t)
}

// TestOddAttributes: each page shows its checkout, and requests have known parameters only.
func TestOddAttributes(t *testing.T) {
	s := openPage(t, "")
	for name, c := range map[string]struct{ attributes, want string }{
		"B29/path": {
			`session="../../v1/sessions?x=1#y"`,
			"/checkout/..%2F..%2Fv1%2Fsessions%3Fx%3D1%23y?embed=inline",
		},
		"B29/query": {
			`item="tip&amount=1" amount="1&x=2"`,
			"/checkout?item=tip%26amount%3D1&amount=1%26x%3D2&embed=inline",
		},
		"B30/prices": {
			`session=cs_1 price=1 currency_amount=1 address=T1 wallet=x status=confirmed`,
			"/checkout/cs_1?embed=inline",
		},
		"B31/unknown": {`session=cs_1 lang=xx`, "lang=xx"},
		"B31/path":    {`session=cs_1 lang="../en"`, "lang=..%2Fen"},
		"B31/markup":  {`session=cs_1 lang="<b>&"`, "lang=%3Cb%3E%26"},
		"B31/long":    {`session=cs_1 lang=` + strings.Repeat("x", 1000), "lang=xxx"},
		"B32/theme": {
			`session=cs_1 theme="red;background:url(//evil.example)"`,
			"/checkout/cs_1?embed=inline",
		},
		"B32/mode":  {`session=cs_1 mode="<b>"`, "/checkout/cs_1?embed=%3Cb%3E"},
		"B33/table": {`session=cs_1 style="display:table-cell"`, "/checkout/cs_1?embed=inline"},
		"B33/tiny": {
			`session=cs_1 style="display:block;width:0;height:0"`,
			"/checkout/cs_1?embed=inline",
		},
		"B28/10 KiB": {`order=` + strings.Repeat("x", 10<<10), "/checkout?order=xxx"},
		"B28/both":   {`session=cs_1 item=coffee`, "/checkout/cs_1?embed=inline"},
		"B28/unicode": {
			`item="кофе ☕"`,
			"/checkout?item=%D0%BA%D0%BE%D1%84%D0%B5%20%E2%98%95&embed=inline",
		},
		"B30/negative": {
			`item=tip amount=-5 quantity=1e9`,
			"/checkout?item=tip&amount=-5&quantity=1e9&embed=inline",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s.SetTest(t)
			s.visit(`<coinslot-checkout `+c.attributes+`></coinslot-checkout>`,
				fmt.Sprintf(policy, s.bff))
			s.WaitJS(`performance.getEntriesByName('coinslot:shown').length > 0`,
				"the frame on show")
			got := s.requested()
			if len(got) != 1 || !strings.Contains(got[0], c.want) ||
				strings.Contains(got[0], "price") {
				t.Errorf("frames = %.300v; want one with %s", got, c.want)
			}
		})
	}
	s.SetTest(t)
}

// TestOddPlaces: B33, B34 and B35.
func TestOddPlaces(t *testing.T) {
	s := openPageWith(t, ``, "script-src * 'unsafe-inline'; frame-src *", browser.Options{})
	for name, c := range map[string]struct{ body, ready string }{
		"B33/hidden until later": {
			`<coinslot-checkout session=cs_1 hidden></coinslot-checkout><script>setTimeout(() => document.querySelector('coinslot-checkout').hidden = false, 300)</script>`,
			"cs_1",
		},
		"B33/in a shadow tree": {
			`<main></main><script>document.querySelector('main').attachShadow({ mode: 'open' }).append(Object.assign(document.createElement('coinslot-checkout'), { session: 'cs_2' }))</script>`,
			"cs_2",
		},
		"B34/script late": {
			`<coinslot-checkout session=cs_3></coinslot-checkout><script>setTimeout(() => document.body.append(Object.assign(document.createElement('script'), { src: '{bff}/checkout.js?late' })), 300)</script>`,
			"cs_3",
		},
		"B34/route change": {`<script>addEventListener('load', () => { const make = (session) => { document.body.replaceChildren(Object.assign(document.createElement('coinslot-checkout'), { session })) };
			history.pushState({}, '', '/#a'); make('cs_a'); setTimeout(() => { history.pushState({}, '', '/#b'); make('cs_4') }, 300) })</script>`, "cs_4"},
		"B37/polluted": {
			`<script>Object.prototype.src = Object.prototype.session = 'evil'; Array.prototype.x = 1; window.fetch = JSON.parse = null</script><coinslot-checkout session=cs_5></coinslot-checkout>`,
			"cs_5",
		},
	} {
		s.visit(c.body, "script-src * 'unsafe-inline'; frame-src *")
		s.WaitJS(`seen.some((line) => line === 'ready `+c.ready+` open')`, name)
		s.WaitJS(`(() => { const all = (root) => [...root.querySelectorAll('*')].flatMap((el) => el.shadowRoot ? all(el.shadowRoot) : el.tagName === 'IFRAME' ? [el] : []);
			return all(document).length === 1 })()`, name+": one frame")
	}
}

// TestPageWithoutOrigin: B35. A page in a sandbox, from a data: URL or a file has no origin. The link
// of the failure opens a tab: in a frame, the browser refuses the checkout.
func TestPageWithoutOrigin(t *testing.T) {
	s := openPage(t, "")
	s.visit(`<iframe name=page sandbox="allow-scripts" srcdoc='<script src="{bff}/seen.js"></script><script src="{bff}/checkout.js"></script><coinslot-checkout session=cs_mute lang=x-refused></coinslot-checkout>'></iframe>`,
		"script-src *; frame-src *")
	page := s.Frame("page")
	page.WaitJS(`details.some(({ name, code }) => name === 'error' && code === 'origin_refused')`,
		"the error")
	page.WaitText("coinslot-checkout >>> [role=alert]", failedText)
	fortest.Equal(t, page.Attr(fallback, "target"), "_blank", "the link opens in")
	fortest.Has(t, "frame", s.requested()[0], "origin=null")
}

// TestOriginOfFrames: a page in a frame has the origin that browsers send, not that of its address.
// Site builders put HTML into such frames.
func TestOriginOfFrames(t *testing.T) {
	s := openPage(t, "")
	const shop = `<script src="{bff}/checkout.js"></script><coinslot-checkout session=cs_1></coinslot-checkout>`
	for name, c := range map[string]struct{ frame, origin string }{
		"srcdoc":      {`<iframe name=page srcdoc='` + shop + `'></iframe>`, s.host},
		"own address": {`<iframe name=page src="/shop" sandbox="allow-scripts"></iframe>`, "null"},
	} {
		s.shop = shop
		s.visit(c.frame, "script-src *; frame-src *")
		fortest.Until(t, name+": the frame", func() bool { return len(s.requested()) > 0 })
		fortest.Has(t, name, s.requested()[0], "origin="+url.QueryEscape(c.origin)+"&")
	}
}

// TestWrongIntegrity: B36. The link pays.
func TestWrongIntegrity(t *testing.T) {
	s := openPageWith(t, "", "", browser.Options{BlockURLs: []string{"*/checkout.js"}})
	s.visit(
		`<script src="{bff}/checkout.js?pinned" integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC" crossorigin></script>`+
			inline,
		fmt.Sprintf(policy, s.bff),
	)
	s.WaitJS(`document.readyState === 'complete' && !window.Coinslot`, "no script")
	s.Click("coinslot-checkout a")
	s.WaitText("h1", "Pay here")
}

// TestOtherVersions: B36. Frames of other versions work if they have the same protocol.
func TestOtherVersions(t *testing.T) {
	s := openReady(t)
	s.frameView().Eval(`(() => { const { port1, port2 } = new MessageChannel(); window.other = port1;
		parent.postMessage({ coinslot: 2, type: 'hello', version: '9.0.0' }, query.get('origin'), [port2]);
		port1.postMessage({ type: 'status', session: 'cs_1', status: 'confirmed' }) })()`, nil)
	s.sync()
	var heard bool
	if s.Eval(`seen.includes('status cs_1 confirmed')`, &heard); heard {
		t.Error("a frame that speaks another protocol was heard")
	}
	s.frameView().Eval(`(() => { const { port1, port2 } = new MessageChannel(); window.other = port1;
		parent.postMessage({ coinslot: 1, type: 'hello', version: '0.0.1', news: {} }, query.get('origin'), [port2]);
		port1.postMessage({ type: 'status', session: 'cs_1', status: 'review', more: [] }) })()`, nil)
	s.waitEvent("status cs_1 review")
}

// TestLookAlikeOrigin: B66. The frame navigates to an origin whose name starts like the server's.
func TestLookAlikeOrigin(t *testing.T) {
	s := openPageWith(t, inline, "script-src *; frame-src *", browser.Options{})
	s.waitEvent("ready cs_1 open")
	alike := strings.Replace(s.bff, "localhost", "localhost.localhost", 1)
	s.frameView().Eval(`location.href = '`+alike+`/checkout/cs_1' + location.search`, nil)
	s.frameView().WaitJS(`location.hostname === 'localhost.localhost' && typeof say === 'function'`,
		"the other origin")
	s.post(`{ type: 'complete', session: 'cs_1', status: 'confirmed', receipt: '' }`)
	s.frameView().Eval(`location.href = '`+s.bff+`/checkout/cs_1' + location.search`,
		nil) // back home it is heard, later than what it said before
	s.frameView().WaitJS(`location.hostname === 'localhost' && typeof say === 'function'`,
		"the server's own origin")
	s.sync()
	var believed bool
	if s.Eval(`seen.includes('complete cs_1 confirmed')`, &believed); believed {
		t.Error("a frame of another origin was believed")
	}
}

// TestFlood: B67. The page survives 100,000 messages from another frame, and as many from its own.
func TestFlood(t *testing.T) {
	s := openPage(t, inline+`<iframe name=evil src="{bff}/checkout/cs_evil"></iframe>`)
	s.waitEvent("ready cs_1 open")
	s.Frame("evil").Eval(
		`setTimeout(() => { for (let n = 0; n < 1e5; n++) parent.postMessage({ coinslot: 1, type: 'hello', n }, '*') }), 0`,
		nil,
	)
	s.frameView().Eval(`setTimeout(() => { const cyclic = { type: '__proto__' }; cyclic.self = cyclic;
		for (let n = 0; n < 1e5; n++) say(n % 2 ? { type: 'size', height: 200 + n % 100 } : cyclic);
		say({ type: 'x'.repeat(1e7) }); say({ type: 'status', session: 'cs_1', status: 'pending' }) }), 0`, nil)
	s.waitEvent("status cs_1 pending")
	s.WaitJS(`!Object.prototype.self && seen.length === 3`, "three events")
}

// TestSizes: B69. An invalid height changes nothing; a valid one is clamped.
func TestSizes(t *testing.T) {
	s := openReady(t)
	for _, c := range []struct{ height, want string }{
		{`-1`, "300"},
		{`NaN`, "300"},
		{`Infinity`, "300"},
		{`'100px;width:1px'`, "300"},
		{`{}`, "300"},
		{`null`, "300"},
		{`1e9`, "4000"},
		{`0`, "120"},
		{`500`, "500"},
	} {
		s.post(`{ type: 'size', height: 300 }`)
		s.post(`{ type: 'size', height: ` + c.height + ` }`)
		s.sync()
		s.WaitJS(iframe+`.offsetHeight === `+c.want, "height "+c.height)
	}
}

// TestOnlyProtocolMessages: B68. Unknown messages change nothing.
func TestOnlyProtocolMessages(t *testing.T) {
	s := openReady(t)
	for _, kind := range []string{
		"setAmount", "setAddress", "confirm", "navigate", "constructor", "__proto__", "toString",
	} {
		s.post(`{ type: '` + kind +
			`', amount: '1', address: 'T1', href: 'https://evil.example/', url: 'https://evil.example/' }`)
	}
	s.sync()
	s.WaitJS(`seen.length === 3 && location.pathname === '/'`, "nothing else")
}
