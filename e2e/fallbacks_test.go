package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// fallbackShop is one checkout, and a German shop with a page for everything that can
// go wrong between the two.
type fallbackShop struct {
	*stack
	german map[string]any
	server *httptest.Server // the listed shop
	pages  sync.Map         // path to *shopPage
}

// shopPage is a page of the shop: what is asked of its own server, whichever the checkout it shows.
type shopPage struct {
	base   string            // of the checkout
	header map[string]string // of the page; $BASE stands for base
	html   string            // after <body>, instead of the element
	sells  string            // attributes of the element
}

// recordEvents keeps every event of the page's checkouts. It is a file of its own,
// because a strict policy lets nothing inline run.
const recordEvents = `window.told = [];
for (const type of ['ready', 'open', 'status', 'complete', 'close', 'error'])
  addEventListener('coinslot-' + type, e => told.push({type, ...e.detail}), true);`

func newFallbackShop(t *testing.T, extra ...string) *fallbackShop {
	t.Helper()
	catalog := filepath.Join(t.TempDir(), "catalog.yaml")
	fortest.OK(
		t,
		os.WriteFile(catalog, []byte("items: {coffee: {title: Coffee, amount_usd: \"14.50\"}}\n"),
			0o600),
	)
	l := &fallbackShop{}
	l.server = httptest.NewServer(l)
	t.Cleanup(l.server.Close)
	l.stack = newStack(t, append([]string{
		"COINSLOT_CATALOG=" + catalog, "COINSLOT_ORIGINS=" + l.server.URL,
	}, extra...)...)
	fortest.OK(t, json.Unmarshal(fortest.Must(os.ReadFile("../static/text/de.json"))(t), &l.german))
	return l
}

// text is a sentence in the shopper's language.
func (l *fallbackShop) text(t *testing.T, key string) string {
	t.Helper()
	sentence, _ := l.german[key].(string)
	if sentence == "" {
		t.Fatalf("text/de.json has no %q", key)
	}
	return sentence
}

func (l *fallbackShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/told.js" {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, recordEvents)
		return
	}
	found, ok := l.pages.Load(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	p := found.(*shopPage)
	for name, value := range p.header {
		w.Header().Set(name, strings.ReplaceAll(value, "$BASE", p.base))
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<!doctype html><html lang="de"><meta charset="utf-8"><title>Laden</title>
<meta name="viewport" content="width=device-width, initial-scale=1">`+strings.ReplaceAll(p.body(),
		"$BASE", p.base))
}

func (p *shopPage) body() string {
	if p.html != "" {
		return p.html
	}
	path := "/checkout/"
	if id, ok := strings.CutPrefix(p.sells, `session="`); ok {
		path += strings.SplitN(id, `"`, 2)[0]
	}
	return `<script src="/told.js"></script><script async src="$BASE/checkout.js"></script><h1>Laden</h1>
<coinslot-checkout id="a" ` + p.sells + `><a id="pay" href="$BASE` + path + `">Bezahlen</a></coinslot-checkout>`
}

// open shows a page of the shop.
func (l *fallbackShop) open(t *testing.T, page *shopPage, o browser.Options) *browser.Page {
	t.Helper()
	path := "/" + strings.ReplaceAll(t.Name(), "#", "-")
	l.pages.Store(path, page)
	if o.Height == 0 {
		o.Height = 1400
	}
	o.Patience = time.Minute // some failures take 15 s to be found out
	return chromium.Open(t, l.server.URL+path, o)
}

// fault is the detail of an error event.
type fault struct {
	Code, URL   string
	Recoverable bool
}

// faults returns the error events so far.
func faults(p *browser.Page) []fault {
	return browser.Eval[[]fault](p, `told.filter(e => e.type === 'error')`)
}

// lines are those that the checkout has written into the console; what else is
// there must not be an exception.
func lines(t *testing.T, p *browser.Page) []string {
	t.Helper()
	var list []string
	for _, line := range p.Console() {
		kind, text, _ := strings.Cut(line, " ")
		if kind == "[exception]" {
			t.Errorf("console: %s", line)
		}
		if strings.HasPrefix(text, "coinslot") {
			list = append(list, line)
		}
	}
	return list
}

// assertReported asserts that there was one event with that code, and one line that
// names what to change and where to read on.
func (l *fallbackShop) assertReported(t *testing.T, p *browser.Page, base, code, fix string) fault {
	t.Helper()
	p.WaitJS(`told.some(e => e.type === 'error')`, "an error event")
	list := faults(p)
	if len(list) != 1 || list[0].Code != code {
		t.Errorf("events %+v; want %s once", list, code)
	}
	if !strings.HasPrefix(list[0].URL, base+"/checkout") {
		t.Errorf("detail.url = %q; want the checkout at %s", list[0].URL, base)
	}
	said := lines(t, p)
	if len(said) != 1 {
		t.Fatalf("%d lines in the console; want one: %q", len(said), said)
	}
	fortest.Has(t, "the console", said[0],
		"coinslot "+code, fix, base+"/checkout/doctor?origin=", "&code="+code)
	return list[0]
}

// assertSomethingVisible asserts that the element shows something to read and takes room for it.
func assertSomethingVisible(t *testing.T, p *browser.Page) {
	t.Helper()
	p.WaitJS(`(() => {
		const root = document.getElementById('a').shadowRoot;
		const alert = root.querySelector('[role="alert"]'), frame = root.querySelector('iframe');
		const shown = e => e?.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().height > 40;
		return (shown(alert) && alert.innerText.length > 20) !== !!shown(frame);
	})()`, "either words or the frame to be on show")
}

// frameFailures are failures in which the frame cannot be seen: the page itself shows
// words in the shopper's language, and a link that pays.
var frameFailures = []struct {
	name, mode, code, fix string
	words                 string // text key
	header                map[string]string
	o                     browser.Options
	proxied               func(*http.Response)
	then                  func(t *testing.T, p *browser.Page, between *proxy) // after checkout.js has come
	unlisted              bool
	pays                  bool // follow the link and pay: the others lead to the same page
}{
	{
		name:  "csp_frame_src, inline",
		mode:  "inline",
		code:  "csp_frame_src",
		fix:   "frame-src",
		words: "loader.failed",
		pays:  true,
		header: map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self' $BASE; frame-src 'self'",
		}},
	{
		name:  "csp_frame_src, modal, phone",
		mode:  "modal",
		code:  "csp_frame_src",
		fix:   "frame-src",
		words: "loader.failed",
		header: map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self' $BASE",
		},
		o: browser.Options{Width: 390, Height: 844}},
	{
		name:  "frame_blocked by a proxy's header",
		mode:  "inline",
		code:  "frame_blocked",
		fix:   "X-Frame-Options",
		words: "loader.failed",
		pays:  true,
		proxied: func(r *http.Response) {
			r.Header.Del("Content-Security-Policy")
			r.Header.Set("X-Frame-Options", "DENY")
		}},
	{
		name:  "frame_blocked by a proxy's policy, modal, phone",
		mode:  "modal",
		code:  "frame_blocked",
		fix:   "X-Frame-Options",
		words: "loader.failed",
		proxied: func(r *http.Response) {
			r.Header.Add("Content-Security-Policy", "frame-ancestors 'self'")
		},
		o: browser.Options{Width: 390, Height: 844}},
	{
		name:     "origin_refused, inline",
		mode:     "inline",
		code:     "origin_refused",
		fix:      "COINSLOT_ORIGINS",
		words:    "loader.failed",
		unlisted: true,
	},
	{
		name:     "origin_refused, modal, dark",
		mode:     "modal",
		code:     "origin_refused",
		fix:      "COINSLOT_ORIGINS",
		words:    "loader.failed",
		unlisted: true,
		o:        browser.Options{Dark: true},
	},
	{
		name:  "the server hangs",
		mode:  "modal",
		code:  "timeout",
		fix:   "COINSLOT_PUBLIC_URL",
		words: "loader.failed",
		then:  func(_ *testing.T, _ *browser.Page, between *proxy) { between.hang() },
		o:     browser.Options{Width: 390, Height: 844}},
	{
		name:  "the server is dead",
		mode:  "modal",
		code:  "frame_blocked",
		fix:   "COINSLOT_PUBLIC_URL",
		words: "loader.failed",
		then:  func(t *testing.T, _ *browser.Page, between *proxy) { between.die(t) }},
}

// TestFullFailureFallbacks causes each failure and checks what shopper and developer get instead.
func TestFullFailureFallbacks(t *testing.T) {
	l := newFallbackShop(t)
	t.Run("ended", l.ended) // it counts payments, so it runs before the others open some
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"outside", l.outside}, {"program", l.program},
		{"program of another type", l.programOfAnotherType}, {"inside", l.inside},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.run(t)
		})
	}
}

// outside: whatever keeps the frame away, the shopper reads why in German and can pay by a link;
// the developer gets one event and one line with what to change.
func (l *fallbackShop) outside(t *testing.T) {
	other := httptest.NewServer(l)
	t.Cleanup(other.Close)
	ids := map[string]string{}
	for _, failure := range frameFailures {
		ids[failure.name] = l.session(order{"amount_usd": "25.00", "title": "Zwei Karten"})
	}
	for _, failure := range frameFailures {
		t.Run(failure.name, func(t *testing.T) {
			t.Parallel()
			between := newProxy(t, l.base, failure.proxied)
			page := &shopPage{
				base:   between.base,
				header: failure.header,
				sells: fmt.Sprintf(`session="%s" mode="%s" prewarm="none"`, ids[failure.name],
					failure.mode),
			}
			p := l.open(t, page, failure.o)
			if failure.unlisted {
				p.Goto(strings.Replace(p.URL(), l.server.URL, other.URL, 1))
			}
			p.WaitJS(`customElements.get('coinslot-checkout') !== undefined`, "checkout.js to run")
			if failure.then != nil {
				p.WaitJS(
					`document.getElementById('a').shadowRoot.querySelector('dialog').ariaLabel === '`+
						l.text(t, "title.none")+`'`,
					"the words",
				)
				failure.then(t, p, between)
			}
			if failure.mode == "modal" {
				p.Click("#pay")
			}
			p.WaitText(`#a >>> [role="alert"]`, l.text(t, failure.words))
			assertSomethingVisible(t, p)
			p.Screenshot(filepath.Join(t.ArtifactDir(), "words.png"))
			fault := l.assertReported(t, p, between.base, failure.code, failure.fix)
			link := p.Attr(`#a >>> [role="alert"] a`, "href")
			if link != between.base+"/checkout/"+ids[failure.name] || fault.URL != link {
				t.Errorf("the link leads to %q, the event to %q; want the checkout", link,
					fault.URL)
			}
			if failure.pays {
				l.followAndPay(t, p, `#a >>> [role="alert"] a`)
			}
		})
	}
}

// followAndPay clicks a link and asserts that the checkout there can be paid. The
// driver does not follow new windows, so a link that opens one opens here.
func (l *fallbackShop) followAndPay(t *testing.T, p *browser.Page, css string) {
	t.Helper()
	p.Eval(
		`document.querySelectorAll('coinslot-checkout').forEach(e => [...e.querySelectorAll('a'), ...e.shadowRoot?.querySelectorAll('a') ?? []].forEach(a => { a.target = ''; }))`,
		nil,
	)
	p.Click(css)
	p.Wait(`[data-status="open"]`)
	l.payInView(t, p, p.View)
}

// payInView chooses a coin, pays and waits until the screen says so.
func (l *fallbackShop) payInView(t *testing.T, p *browser.Page, v *browser.View) {
	t.Helper()
	choose(v, "USDT", "trc20")
	v.Wait(pending)
	address := v.Attr(`[data-part="address"]`, "data-value")
	for _, tx := range l.issued() {
		if tx.WalletAddress == address {
			fortest.OK(t, l.gateway.Pay(tx.TrackingCode, sandbox.Kind("pay")))
			v.Wait(paid)
			return
		}
	}
	t.Errorf("the gateway has issued no address %q", address)
}

// wasmFailures are failures of WebAssembly alone: the frame continues as HTML and pays, and the
// developer gets one event, whatever the number of steps.
var wasmFailures = []struct {
	name, code, fix string
	o               browser.Options
	proxied         func(*http.Response)
}{
	{
		"wasm_unsupported",
		"wasm_unsupported",
		"no WebAssembly",
		browser.Options{Script: `delete globalThis.WebAssembly`},
		nil,
	},
	{
		"policy",
		"wasm_failed",
		"script-src needs 'wasm-unsafe-eval'",
		browser.Options{},
		without("Content-Security-Policy", " 'wasm-unsafe-eval'"),
	},
	{
		"corrupt",
		"wasm_failed",
		"app.wasm has been changed on the way",
		browser.Options{},
		rewritten(".wasm", func(b []byte) []byte { b[len(b)/2] ^= 0xff; b[9] ^= 0xff; return b }),
	},
	{
		"cut short",
		"wasm_failed",
		"app.wasm has been changed on the way",
		browser.Options{},
		rewritten(".wasm", func(b []byte) []byte { return b[:len(b)/3] }),
	},
	{
		"an error page in its place",
		"wasm_failed",
		"app.wasm",
		browser.Options{},
		rewritten(".wasm", func([]byte) []byte { return []byte("<html>Blocked by policy") }),
	},
	{
		"not found",
		"wasm_failed",
		"must pass /assets/app.",
		browser.Options{},
		func(r *http.Response) {
			if strings.HasSuffix(r.Request.URL.Path, ".wasm") {
				r.StatusCode, r.Status = http.StatusForbidden, "403 Forbidden"
			}
		}},
}

// program: the frame says which of them it is.
func (l *fallbackShop) program(t *testing.T) {
	for _, failure := range wasmFailures {
		t.Run(failure.name, func(t *testing.T) {
			t.Parallel()
			base := proxied(t, l.base, failure.proxied)
			failure.o.Height = 2400
			p := l.open(
				t,
				&shopPage{
					base:  base,
					sells: `session="` + l.session(order{"amount_usd": "25.00"}) + `"`,
				},
				failure.o,
			)
			f := p.Frame(frame)
			l.assertReported(t, p, base, failure.code, failure.fix)
			f.Wait(`html[data-wasm="failed"] [data-live="html"]`)
			assertSomethingVisible(t, p)
			if failure.name != "policy" {
				return // the forms that pay are the same
			}
			l.payInView(t, p, f)
			p.WaitJS(`told.some(e => e.type === 'complete' && e.status === 'confirmed')`,
				"the complete event")
			l.assertReported(t, p, base, failure.code, failure.fix)
			p.Screenshot(filepath.Join(t.ArtifactDir(), "paid.png"))
		})
	}
}

// programOfAnotherType: a type that a proxy has changed costs a second pass and nothing else.
func (l *fallbackShop) programOfAnotherType(t *testing.T) {
	base := proxied(t, l.base, func(r *http.Response) {
		if strings.HasSuffix(r.Request.URL.Path, ".wasm") {
			r.Header.Set("Content-Type", "application/octet-stream")
		}
	})
	p := l.open(
		t,
		&shopPage{base: base, sells: `session="` + l.session(order{"amount_usd": "25.00"}) + `"`},
		browser.Options{},
	)
	p.Frame(frame).Wait(`[data-live="wasm"]`)
	if said := lines(t, p); len(said)+len(faults(p)) != 0 {
		t.Errorf("the console says %q, and the events are %+v; want nothing", said, faults(p))
	}
}
