package e2e

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// frameErrors are failures that the frame itself has words for.
var frameErrors = []struct {
	name, code, fix, sells string
	o                      browser.Options
}{
	{"session_unknown", "session_unknown", "session attribute", `session="cs_aaaaaaaaaaaaaaaaaaaaaaaaaa"`, browser.Options{}},
	{"no session id at all", "session_unknown", "session attribute", `session="<b>x</b>"`, browser.Options{}},
	{"order_invalid, modal, phone, dark", "order_invalid", "COINSLOT_ORDER_KEY", `order="x" mode="modal"`, browser.Options{Width: 390, Height: 844, Dark: true}},
	{"item_unknown", "item_unknown", "COINSLOT_CATALOG", `item="tea"`, browser.Options{}},
}

// inside: what is sold does not exist: words in the frame, in German, and no box is
// blank. The event's URL leads to the same words on a page of their own.
func (l *fallbackShop) inside(t *testing.T) {
	for _, failure := range frameErrors {
		t.Run(failure.name, func(t *testing.T) {
			t.Parallel()
			l.assertErrorInFrame(t, l.base, failure.code, failure.fix, failure.sells, failure.o)
		})
	}
}

// assertErrorInFrame asserts that a page that sells this has the words of code in the
// frame, and all that belongs to it.
func (l *fallbackShop) assertErrorInFrame(t *testing.T, base, code, fix, sells string, o browser.Options) *browser.View {
	t.Helper()
	p := l.open(t, &shopPage{base: base, sells: sells}, o)
	if strings.Contains(sells, "modal") {
		p.WaitJS(`customElements.get('coinslot-checkout') !== undefined`, "checkout.js to run")
		p.Click("#pay")
	}
	f := p.Frame(frame)
	words := l.text(t, "problem."+code)
	f.WaitText(`[data-part="error"]`, words)
	assertSomethingVisible(t, p)
	f.Wait(`[data-live="wasm"]`)
	f.WaitText(`[data-part="error"]`, words) // the program has kept them
	p.Screenshot(filepath.Join(t.ArtifactDir(), "words.png"))
	fault := l.assertReported(t, p, base, code, fix)
	page := l.page(t, strings.TrimPrefix(fault.URL, base))
	fortest.Has(t, fault.URL+" does not say", page, `data-part="error"`, words)
	if strings.Contains(page, `data-part="amount-usd"`) && code != "gateway_unavailable" {
		t.Error("a price is shown for what does not exist")
	}
	return f
}

// With the gateway away there is nothing to choose from; the order is kept, and
// another try pays when it is back.
func TestGatewayUnavailable(t *testing.T) {
	l := newFallbackShop(t)
	id := l.session(order{"amount_usd": "25.00"})
	var away sync.Map
	away.Store("", true)
	l.api.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := away.Load(""); ok {
			panic(http.ErrAbortHandler)
		}
		l.gateway.ServeHTTP(w, r)
	})
	f := l.assertErrorInFrame(t, l.base, "gateway_unavailable", "coinslot check", `session="`+id+`"`, browser.Options{Height: 2400})
	away.Delete("")
	fortest.Until(t, "the checkout to come back", func() bool {
		f.Eval(`document.querySelector('[data-part="reload"]')?.click()`, nil)
		return f.Exists(`[data-part="continue"]`)
	})
}

// ended: an order that ended while the shopper was choosing, without the page knowing: the choice
// is refused with an explanation.
func (l *fallbackShop) ended(t *testing.T) {
	plain := rewritten("", func(page []byte) []byte { // as built without the program: nothing but forms
		before, after, _ := bytes.Cut(page, []byte(` data-wasm="`))
		_, after, _ = bytes.Cut(after, []byte(`"`))
		return append(append(before, ` data-wasm="`+`"`...), after...)
	})
	base := proxied(t, l.base, plain)
	for _, failure := range []struct {
		code, fix string
		end       func(t *testing.T, id string)
	}{
		{"session_expired", "is over", func(t *testing.T, id string) {
			var ended object
			if status := l.call("POST", "/v1/sessions/"+id+"/cancel", nil, &ended); status != http.StatusOK {
				t.Fatalf("cancelling = %d", status)
			}
		}},
		{"session_paid", "is paid", func(t *testing.T, id string) {
			l.begin(t, "/checkout/"+id)
			l.payLast("pay")
			l.awaitStatus(id, "confirmed")
		}},
	} {
		t.Run(failure.code, func(t *testing.T) {
			id := l.session(order{"amount_usd": "25.00"})
			p := l.open(t, &shopPage{base: base, sells: `session="` + id + `"`}, browser.Options{Height: 2400})
			f := p.Frame(frame)
			f.Wait(`html[data-wasm="none"] [data-part="continue"]`)
			failure.end(t, id)
			choose(f, "USDT", "trc20")
			f.WaitText(`[data-part="error"]`, l.text(t, "problem."+failure.code))
			assertSomethingVisible(t, p)
			p.Screenshot(filepath.Join(t.ArtifactDir(), "words.png"))
			fault := l.assertReported(t, p, base, failure.code, failure.fix)
			fortest.Has(t, fault.URL, l.page(t, strings.TrimPrefix(fault.URL, base)), "<h1")
			fortest.Equal(t, len(l.live()), 0, "a payment was opened for an order that is over")
		})
	}
}

// signedToken is an order token over claims, signed with key.
// Source: RFC 7515, appendix A.1.
func signedToken(key, header, claims string) string {
	part := base64.RawURLEncoding.EncodeToString
	text := part([]byte(header)) + "." + part([]byte(claims))
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return text + "." + part(mac.Sum(nil))
}

// tokens: whatever is wrong with an order token, the page has the same words and nothing of what
// the token says. The server writes that page, so a browser opens one of them only.
func (l *fallbackShop) tokens(t *testing.T) {
	const hs256 = `{"alg":"HS256","typ":"JWT"}`
	claims := func(ref string, exp time.Time, more string) string {
		return fmt.Sprintf(`{"amount_usd":"987.65","title":"Geheimnis","order_ref":"%s","exp":%d%s}`, ref, exp.Unix(), more)
	}
	soon, past := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	good := signedToken(orderKey, hs256, claims("token-1", soon, ""))
	swapped := strings.Split(signedToken(orderKey, hs256, claims("token-2", soon, "")), ".")
	swapped[1] = strings.Split(good, ".")[1]
	for _, c := range []struct {
		name, token string
	}{
		{"another shop's", signedToken("another-key-0123456789abcdef0123456789abcdef", hs256, claims("token-1", soon, ""))},
		{"over", signedToken(orderKey, hs256, claims("token-1", past, ""))},
		{"another order's signature", strings.Join(swapped, ".")},
		{"unsigned", signedToken(orderKey, `{"alg":"none"}`, claims("token-1", soon, ""))},
		{"no signature", good[:strings.LastIndex(good, ".")+1]},
		{"cut short", good[:len(good)-4]},
		{"encoded twice", strings.ReplaceAll(url.QueryEscape(good), ".", "%2E")},
		{"10 KiB", signedToken(orderKey, hs256, claims("token-1", soon, `,"description":"`+strings.Repeat("x", 7600)+`"`))},
		{"10 KiB of nothing", strings.Repeat("A", 10<<10)},
		{"no reference", signedToken(orderKey, hs256, claims("", soon, ""))},
		{"a script", `"><script>alert(1)</script>`},
	} {
		page := l.page(t, "/checkout?order="+url.QueryEscape(c.token))
		fortest.Has(t, c.name+": the page does not say that the order is invalid", page,
			`data-code="order_invalid"`, l.text(t, "problem.order_invalid"))
		fortest.Lacks(t, c.name+": the page", page,
			"987.65", "987,65", "Geheimnis", "amount-usd", `data-part="continue"`)
	}
	fortest.Has(t, "the page of a valid token shows no price", l.page(t, "/checkout?order="+good),
		"987,65")
	l.assertErrorInFrame(t, l.base, "order_invalid", "COINSLOT_ORDER_KEY", `order="&quot;><script>alert(1)</script>"`, browser.Options{})
}

// page returns the HTML that a German browser gets, whatever its status.
func (l *fallbackShop) page(t *testing.T, path string) string {
	t.Helper()
	req := fortest.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, l.base+path, nil))(t)
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Accept-Language", "de")
	resp := fortest.Must(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()
	text := fortest.Must(io.ReadAll(resp.Body))(t)
	return html.UnescapeString(string(text))
}

// parameters: what an address says besides is not read, however often.
func (l *fallbackShop) parameters(t *testing.T) {
	id, other := l.session(order{"amount_usd": "25.00"}), l.session(order{"amount_usd": "35.00"})
	q := url.Values{
		"embed": {"inline", "modal"}, "origin": {l.server.URL, "https://evil.example"}, "lang": {"de", "fr"}, "amount": {"0.01", "1"}, "amount_usd": {"0.01"},
		"price": {"0.01"}, "status": {"confirmed"}, "address": {"TEvil"}, "session": {other}, "item": {"coffee"}, "order": {"x"}, "token": {"a", "b"}, "__proto__": {"x"},
	}
	src := l.base + "/checkout/" + id + "?" + q.Encode() + "#token=" + other
	p := l.open(t, &shopPage{base: l.base, html: `<iframe name="` + frame + `" width="600" height="2000" src="` + strings.ReplaceAll(src, "&", "&amp;") + `"></iframe>`},
		browser.Options{Height: 2400, ReducedMotion: true})
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	fortest.Equal(t, f.Attr(`[data-part="amount-usd"]`, "data-value"), "25.00", "price on screen")
	f.WaitJS(`document.getAnimations().every(a => a.playState !== 'running' || a.effect.getComputedTiming().duration <= 1)`, "nothing to move for who wants no motion")
	l.payInView(t, p, f)
	fortest.Lacks(t, "the frame has kept something of its address", f.HTML(), "evil", other)
}

// A shop that makes its session on the click opens one checkout for two
// clicks, and hears of the end by promise.
func TestOpensByScript(t *testing.T) {
	s, host := newShop(t, "")
	id := s.session(order{"amount_usd": "25.00"})
	host.body = `<button id="buy" onclick="window.widget = Coinslot.open({ createSession: async () => { window.asked = (window.asked || 0) + 1; return '` + id + `'; } })">Buy</button>`
	p := chromium.Open(t, host.server.URL, browser.Options{Height: 1400})
	p.WaitJS(`window.Coinslot`, "the script")
	p.Eval(`(b => { b.click(); b.click(); })(document.getElementById("buy"))`, nil)
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	s.simulate(s.choose(f, "ETH", "arbitrum"), "pay")
	f.Wait(paid)
	var outcome struct{ Session, Status string }
	p.Eval(`window.widget.result`, &outcome)
	if outcome.Session != id || outcome.Status != "confirmed" {
		t.Errorf("result = %+v; want %s confirmed", outcome, id)
	}
	var elements, asked int
	p.Eval(`document.querySelectorAll("coinslot-checkout").length`, &elements)
	p.Eval(`window.asked`, &asked)
	if elements != 1 || asked != 1 {
		t.Errorf("two clicks made %d elements and asked for %d sessions; want one of each", elements, asked)
	}
	p.Click(`coinslot-checkout >>> dialog button`)
	p.WaitGone(`coinslot-checkout >>> dialog[open]`)
	assertCleanConsole(t, p)
}

// A gateway that fails for a moment costs the shopper a second click, not the order.
func TestGatewayFailsOnce(t *testing.T) {
	runParallel(t)
	for name, noJS := range map[string]bool{"wasm": false, "no script": true} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			p := s.openPage(t, s.session(order{"amount_usd": "25.00"}), browser.Options{NoJS: noJS})
			if !noJS {
				p.Wait(`[data-live="wasm"]`)
			}
			s.gateway.Inject(sandbox.Fault{Path: "create", Times: 1, Status: http.StatusBadRequest})
			choose(p.View, "USDT", "trc20")
			p.Wait(`[data-part="error"]`)
			p.Wait(`[data-part="continue"]`)
			s.choose(p.View, "USDT", "bep20")
		})
	}
}
