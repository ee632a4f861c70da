package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/e2e/firefox"
	"coinslot/e2e/webkit"
)

// phoneAgent is the name of a phone's browser.
const phoneAgent = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) " +
	"Chrome/142.0.0.0 Mobile Safari/537.36"

// wallets are an operator's file. No page is at these addresses.
const wallets = `wallets:
- {id: north, name: North Wallet, mark: N, platforms: [ios, android], sends: [{networks: [tron],
    token: "https://north.test/send?token={contract}&to={address}&amount={amount}",
    source: "https://north.test/docs"}]}
- {id: south, name: South Wallet, mark: S, platforms: [ios, android], sends: [{networks: [tron],
    token: "https://south.test/send?token={contract}&to={address}&amount={amount}",
    source: "https://south.test/docs"}]}
`

const (
	southLink = `[data-part="wallet"][data-value="south"]`
	asksSouth = `[data-part="wallet-back"] b`
)

// newPhoneStack starts a checkout with those wallets, and a host page that forbids its frame to open
// tabs: /?session=….
func newPhoneStack(t *testing.T) (s *stack, strict string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "wallets.yaml")
	fortest.OK(t, os.WriteFile(file, []byte(wallets), 0o600))
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<iframe name="coinslot-checkout" src="%s/checkout/%s?embed=inline&amp;origin=http://%s" width="390" height="1400"
	sandbox="allow-scripts allow-same-origin allow-forms"></iframe>`, s.base, r.FormValue("session"), r.Host)
	}))
	t.Cleanup(host.Close)
	s = newStack(t, "COINSLOT_WALLETS="+file)
	s.kill()
	s.env = append(s.env, "COINSLOT_ORIGINS="+s.shop.URL+","+host.URL)
	s.start()
	return s, host.URL
}

// pays opens a session with a payment of USDT on TRON.
func (s *stack) pays(t *testing.T) string {
	t.Helper()
	id := s.session(order{"amount_usd": "25.00"})
	s.begin(t, "/checkout/"+id)
	return id
}

// opensSouth taps the second wallet and asserts that its link opens a tab.
func opensSouth(t *testing.T, v screen, opened func() []string) {
	t.Helper()
	before := len(opened())
	v.Click(southLink)
	fortest.Until(t, "a tab with the wallet's link", func() bool {
		list := opened()
		return len(list) == before+1 && strings.HasPrefix(list[before], "https://south.test/send?token=")
	})
}

// TestFullWalletOpens: in every kind of page a tap opens the wallet's link in a tab, and the page then
// says what to do if the wallet has not opened. The wallet comes first after a reload.
func TestFullWalletOpens(t *testing.T) {
	s, _ := newPhoneStack(t)
	options := browser.Options{Width: 390, Height: 844, UserAgent: phoneAgent, ThirdPartyStorage: true}
	for _, mode := range []string{"page", "inline", "modal"} {
		for _, live := range []string{"wasm", "html"} {
			t.Run(mode+" "+live, func(t *testing.T) {
				o := options
				if live == "html" {
					o.BlockURLs = []string{"*.wasm"}
				}
				p, v := s.openPhone(t, mode, o)
				v.Wait(`[data-live="` + live + `"] ` + southLink)
				opensSouth(t, v, p.Opened)
				v.WaitText(asksSouth, "Nothing opened in South Wallet?")
				if mode == "modal" {
					return // is closed after a reload
				}
				p.Reload()
				v.Wait(`[data-live="` + live + `"] [data-part="wallets"] li:first-child ` + southLink)
				v.WaitText(asksSouth, "Nothing opened in South Wallet?")
			})
		}
	}
}

// openPhone opens a page on which USDT on TRON is paid, and returns the document of the checkout.
func (s *stack) openPhone(t *testing.T, mode string, o browser.Options) (*browser.Page, *browser.View) {
	t.Helper()
	id := s.pays(t)
	if mode == "page" {
		p := chromium.Open(t, s.base+"/checkout/"+id, o)
		return p, p.View
	}
	p := chromium.Open(t, s.shopURL(id, mode), o)
	if mode == "modal" {
		p.WaitJS(`customElements.get('coinslot-checkout')`, "the element")
		p.Click(`coinslot-checkout a`)
	}
	return p, p.Frame(frame)
}

// TestFullWalletOpensWithoutScripts: links are plain ones, and a line says what to do.
func TestFullWalletOpensWithoutScripts(t *testing.T) {
	s, _ := newPhoneStack(t)
	p, v := s.openPhone(t, "page", browser.Options{Width: 390, Height: 844, UserAgent: phoneAgent, NoJS: true})
	opensSouth(t, v, p.Opened)
	v.WaitText(`.no-script`, "If nothing opens, copy")
}

// TestFullWalletInStrictFrame: where the host forbids tabs, nothing opens, and the note appears.
func TestFullWalletInStrictFrame(t *testing.T) {
	s, host := newPhoneStack(t)
	p := chromium.Open(t, host+"/?session="+s.pays(t),
		browser.Options{Width: 390, Height: 1400, UserAgent: phoneAgent})
	v := p.Frame(frame)
	v.Wait(`[data-live="wasm"]`)
	v.Click(southLink)
	v.WaitText(asksSouth, "Nothing opened in South Wallet?")
	v.Click(`[data-part="copy-address"]`)
	fortest.Equal(t, len(p.Opened()), 0, "tabs")
}

// hasItsHeight holds once the host page has made the frame as high as what is in it: until then a
// tap may miss what moves.
const hasItsHeight = `self === top || innerHeight >= document.documentElement.scrollHeight`

// TestFullWalletOpensInFirefox: the same in another engine.
func TestFullWalletOpensInFirefox(t *testing.T) {
	s, host := newPhoneStack(t)
	b := firefox.StartPhone(t)
	opened := func() (list []string) {
		for _, url := range b.Requests() {
			if strings.HasPrefix(url, "https://") {
				list = append(list, url)
			}
		}
		return list
	}
	for _, mode := range []string{"page", "inline"} {
		url := s.base + "/checkout/" + s.pays(t)
		if mode == "inline" {
			url = s.shopURL(s.pays(t), mode)
		}
		v := b.Open(url)
		if mode == "inline" {
			v = v.Frame(frame)
		}
		v.Wait(`[data-live="wasm"]`)
		v.WaitJS(hasItsHeight)
		opensSouth(t, v, opened)
		v.WaitJS(`document.hidden && !document.querySelector('[data-part="wallet-back"] b')`)
		b.Return()
		v.WaitText(asksSouth, "Nothing opened in South Wallet?")
	}
	v := b.Open(host + "/?session=" + s.pays(t)).Frame(frame)
	v.Wait(`[data-live="wasm"]`)
	v.WaitJS(hasItsHeight)
	before := len(opened())
	v.Click(southLink)
	v.WaitText(asksSouth, "Nothing opened in South Wallet?")
	fortest.Equal(t, len(opened()), before, "requests for the wallet's link in a strict frame")
}

// TestFullWalletOpensInWebKit: the same in the engine of Safari.
func TestFullWalletOpensInWebKit(t *testing.T) {
	s, host := newPhoneStack(t)
	b := webkit.Start(t, webkit.Phone)
	for _, c := range []struct {
		url string
		new int // windows
	}{
		{s.base + "/checkout/" + s.pays(t), 1},
		{s.shopURL(s.pays(t), "inline"), 1},
		{host + "/?session=" + s.pays(t), 0},
	} {
		v := b.Open(c.url)
		if !strings.HasPrefix(c.url, s.base) {
			v = v.Frame(frame)
		}
		v.Wait(`[data-live="wasm"]`)
		before := b.Windows()
		v.Click(southLink)
		v.WaitText(asksSouth, "Nothing opened in South Wallet?")
		fortest.Equal(t, b.Windows(), before+c.new, "windows after the tap on %s", c.url)
	}
}

// TestWalletNote: the page asks once the shopper is back, or has stayed for two seconds, and never
// while it is hidden.
func TestWalletNote(t *testing.T) {
	s, _ := newPhoneStack(t)
	_, v := s.openPhone(t, "page", browser.Options{UserAgent: phoneAgent})
	v.Wait(`[data-live="wasm"]`)
	for _, c := range []struct {
		tap    string
		now    int
		hidden bool
		want   bool
	}{
		{`{at: 1000}`, 1000, false, false},
		{`{at: 1000}`, 2999, false, false},
		{`{at: 1000}`, 3000, false, true},
		{`{at: 1000}`, 3000, true, false},
		{`{at: 1000, hasLeft: true}`, 1500, true, false},
		{`{at: 1000, hasLeft: true}`, 1500, false, true},
		{`{hasLeft: true}`, 0, false, true}, // before a reload
		{`{}`, 9000, false, false},
	} {
		var got bool
		v.Eval(fmt.Sprintf(`!!coinslotAsks(%s, %d, %t)`, c.tap, c.now, c.hidden), &got)
		fortest.Equal(t, got, c.want, "asks after %s at %d, hidden %t", c.tap, c.now, c.hidden)
	}
}
