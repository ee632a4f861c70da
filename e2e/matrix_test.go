package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// hosts are the headers of host pages, %s standing for the checkout's origin: a page without any,
// the strictest policy in which a checkout can be, and pages with a process of their own, in two
// ways.
var hosts = map[string]http.Header{
	"light": {},
	"strict": {"Content-Security-Policy": {"default-src 'none'; script-src %[1]s; frame-src %[1]s; " +
		"require-trusted-types-for 'script'; trusted-types 'none'"}},
	"isolated": {
		"Cross-Origin-Opener-Policy":   {"same-origin"},
		"Cross-Origin-Embedder-Policy": {"require-corp"},
	},
	"credentialless": {
		"Cross-Origin-Opener-Policy":   {"same-origin"},
		"Cross-Origin-Embedder-Policy": {"credentialless"},
	},
}

// cell is one kind of page in one kind of browser.
type cell struct {
	sameSite bool // the page is on the checkout's site; never on its origin
	stores   bool // the browser lets frames of other sites store
	mode     string
	host     string // one of hosts
}

func (c cell) String() string {
	site, storage := "cross-site", "blocked"
	if c.sameSite {
		site = "same-site"
	}
	if c.stores {
		storage = "allowed"
	}
	return strings.Join([]string{site, storage, c.mode, c.host}, " ")
}

// cells are 8 of the 32 kinds: every kind of page in both modes, and every two values of site,
// storage, mode and page together in at least one of them. A failure comes from one of these or
// from two that meet, as a policy and a site do; no code of ours combines three.
func cells() []cell {
	var list []cell
	for i, host := range []string{"light", "strict", "isolated", "credentialless"} {
		for j, mode := range []string{"inline", "modal"} {
			list = append(list,
				cell{sameSite: (i/2+j)%2 == 1, stores: (i+j)%2 == 1, mode: mode, host: host})
		}
	}
	return list
}

// TestMatrixIsPairwise: no two values are left out.
func TestMatrixIsPairwise(t *testing.T) {
	met := map[string]bool{}
	for _, c := range cells() {
		values := strings.Fields(c.String())
		for i, a := range values {
			for _, b := range values[i+1:] {
				met[a+" "+b] = true
			}
		}
	}
	if want := 4 + 4 + 8 + 4 + 8 + 8; len(met) != want {
		t.Errorf("%d pairs of values meet; want all %d", len(met), want)
	}
}

// frameInHTML is what a page that carries the frame itself has in the element.
const frameInHTML = `<iframe src="%s/checkout/%s?embed=inline&amp;origin=%s&amp;lang=en" name="coinslot-checkout" title="Checkout"
	allow="clipboard-write" sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
	width="100%%" height="420" frameborder="0"></iframe></coinslot-checkout>`

// plainHTML is a page of 10 kB with a form, in which nothing has to be loaded. It is sent as it is,
// so that it stands for a page that has 10 kB on the line.
var plainHTML = `<!doctype html><html lang=en><meta charset=utf-8><title>Shop</title><link rel=icon href=data:,>
<form><label><input type=radio name=coin>A coin</label></form><p>` + strings.Repeat(
	"Roasted this week. ",
	518,
)

// newHost serves host pages, of any kind that a query names, for a checkout that is known by the
// first request only. A page of 127.0.0.1 is cross-site to localhost, one of another port is not.
func newHost(t testing.TB, checkout *string) (crossSite, sameSite string) {
	t.Helper()
	server := httptest.NewServer(hostPages(checkout))
	t.Cleanup(server.Close)
	return server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
}

// hostPages are those of newHost.
func hostPages(checkout *string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		for name, values := range hosts[q.Get("host")] {
			w.Header().Set(name, strings.ReplaceAll(values[0], "%[1]s", *checkout))
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if q.Has("plain") {
			fmt.Fprint(w, plainHTML)
			return
		}
		fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<script async src="%[1]s/checkout.js"></script>
<coinslot-checkout session="%[2]s" mode="%[3]s" prewarm="%[4]s">`, *checkout, q.Get("session"), q.Get("mode"), q.Get("prewarm"))
		if origin := q.Get("origin"); origin != "" {
			fmt.Fprintf(w, frameInHTML, *checkout, q.Get("session"), url.QueryEscape(origin))
			return
		}
		fmt.Fprintf(w, `<a href="%s/checkout/%s">Pay with crypto</a></coinslot-checkout>`,
			*checkout, q.Get("session"))
	})
}

// recordViolations is a script of every document that records violations of its policies and the
// events of its checkouts.
const recordViolations = `window.refusals = [];
addEventListener("securitypolicyviolation", e => refusals.push(e.effectiveDirective + " " + e.blockedURI + " " + e.sourceFile));
` + recordEvents

// Whatever the shop's page is like and whatever the browser forbids, a shopper pays, with
// WebAssembly, in one frame; nothing is stored in the browser, requested from third parties or
// refused by a policy, and the page gets no error event.
func TestFullPaysEverywhere(t *testing.T) {
	var checkout string
	crossSite, sameSite := newHost(t, &checkout)
	s := newStack(t, "COINSLOT_ORIGINS="+crossSite+","+sameSite)
	checkout = s.base
	for _, c := range cells() {
		id := s.session(order{"amount_usd": "25.00"})
		host := crossSite
		if c.sameSite {
			host = sameSite
		}
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			p := chromium.Open(t, host+"/?session="+id+"&mode="+c.mode+"&host="+c.host,
				browser.Options{
					Height:            2400,
					ThirdPartyStorage: c.stores,
					Script:            recordViolations,
				})
			f := c.open(p)
			s.paysIn(t, f)
			p.WaitJS(`told.some(e => e.type === "complete" && e.status === "confirmed")`,
				"the complete event")
			s.sink.await(t, id, "checkout.confirmed")
			if said := lines(t, p); len(said)+len(faults(p)) != 0 {
				t.Errorf("the console says %q, and the events are %+v; want nothing", said,
					faults(p))
			}
			assertNothingStored(t, p, f)
			assertOnlyRequests(t, p, host, s.base)
			assertCleanConsole(t, p)
			c.closes(p)
		})
	}
}

// open brings the checkout up as a shopper does.
func (c cell) open(p *browser.Page) *browser.View {
	p.WaitJS(`customElements.get("coinslot-checkout")`, "the element to be defined")
	if c.mode == "modal" {
		p.Click(`coinslot-checkout a`)
		p.Wait(`coinslot-checkout >>> dialog[open]`)
	}
	if hosts[c.host].Get("Cross-Origin-Embedder-Policy") != "" {
		p.WaitJS(`crossOriginIsolated`, "the page to be isolated")
	}
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	return f
}

// closes shuts the dialog; the keyboard is back where it was.
func (c cell) closes(p *browser.Page) {
	if c.mode != "modal" {
		return
	}
	p.Click(`coinslot-checkout >>> dialog button`)
	p.WaitGone(`coinslot-checkout >>> dialog[open]`)
	p.WaitJS(`document.activeElement?.matches("coinslot-checkout a")`,
		"the focus to be on the link again")
}

// paysIn pays to the address in the frame. Other payments may go on beside it.
func (s *stack) paysIn(t *testing.T, f *browser.View) {
	t.Helper()
	choose(f, "USDT", "trc20")
	f.Wait(pending)
	address := f.Attr(`[data-part="address"]`, "data-value")
	issued := s.issued()
	at := slices.IndexFunc(issued,
		func(tx sandbox.Transaction) bool { return tx.WalletAddress == address })
	if at < 0 {
		t.Fatalf("the gateway never issued the address on screen, %q", address)
	}
	fortest.OK(t, s.gateway.Pay(issued[at].TrackingCode, "pay"))
	f.Wait(paid)
	f.Wait(`[data-live="wasm"]`)
}

// assertNothingStored asserts that there is one frame, no policy violation and nothing stored.
func assertNothingStored(t *testing.T, p *browser.Page, f *browser.View) {
	t.Helper()
	n, others := p.Count(`coinslot-checkout >>> iframe`), p.Count(`iframe`)
	if n != 1 || others != 0 {
		t.Errorf("%d frames and %d beside the element; want 1 and 0", n, others)
	}
	if list := p.Cookies(); len(list) > 0 {
		t.Errorf("cookies: %q; want none", list)
	}
	for name, v := range map[string]*browser.View{"shop": p.View, "checkout": f} {
		if list := v.Stored(); len(list) > 0 {
			t.Errorf("the %s has stored %q; want nothing", name, list)
		}
		if refusals := browser.Eval[[]string](v, `refusals`); len(refusals) > 0 {
			t.Errorf("the %s's policy refused %q; want nothing", name, refusals)
		}
	}
}
