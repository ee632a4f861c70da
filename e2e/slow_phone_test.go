package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/e2e/browser"
	"coinslot/e2e/link"
)

// phone is a shopper with a slow phone: a shop's page and a checkout, both behind one line, which
// is unlimited until it is slowed down.
type phone struct {
	*stack
	line          *link.Link
	shop          string // the shop's origin, on the checkout's site
	crossSiteShop string // the same shop on another site
}

func newPhone(t testing.TB, extra ...string) *phone {
	t.Helper()
	h := &phone{line: newLine(t)}
	var inner atomic.Value // a string, known once the server runs
	checkout := "http://localhost:" + port(h.front(t, func() string { return inner.Load().(string) }))
	host, _ := newHost(t, &checkout)
	h.crossSiteShop = "http://" + h.front(t, func() string { return strings.TrimPrefix(host, "http://") })
	h.shop = "http://localhost:" + port(h.crossSiteShop)
	h.stack = newStack(t, append(extra, "COINSLOT_PUBLIC_URL="+checkout, "COINSLOT_ORIGINS="+h.shop+","+h.crossSiteShop)...)
	inner.Store(strings.Replace(h.base, "http://localhost", "127.0.0.1", 1))
	h.public = checkout
	return h
}

// newLine returns a line that ends with the test.
func newLine(t testing.TB) *link.Link {
	t.Helper()
	l := link.New(link.Shape{})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func (h *phone) front(t testing.TB, target func() string) string { return front(t, h.line, target) }

func front(t testing.TB, l *link.Link, target func() string) string {
	t.Helper()
	address, err := l.Front(target)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// port is that of an address.
func port(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }

// onSlowLine does it with a slow phone's line.
func onSlowLine(l *link.Link, do func()) {
	l.Set(link.SlowPhone)
	defer l.Set(link.Shape{})
	do()
}

// page is where a shop shows the checkout of a new session in its page.
func (h *phone) page(shop string) string {
	return shop + "/?session=" + h.session(order{"amount_usd": "25.00"}) + "&mode=inline"
}

// pageLoad is a page that was loaded: when, and what it cost.
type pageLoad struct {
	began        time.Time
	usable, live float64 // ms since; 0 = not waited for
	blocking     float64 // ms of tasks beyond their first 50, until it was usable
	bytes        int     // that came until it was usable
	log          string  // what was asked for, and when
}

// newTab is a window of a phone that is four times as slow.
func newTab(t testing.TB, script string) *browser.Page {
	t.Helper()
	p := chromium.Open(t, "", browser.Options{Script: script, Width: 400, Height: 800, Patience: 3 * time.Minute})
	p.Slow(4)
	return p
}

// readClocks reads the clocks of the document that has them.
func readClocks(l *link.Link, p *browser.Page, in *browser.View) (s pageLoad) {
	var m struct{ Began, Usable, Live float64 }
	p.Eval(`({began: performance.timeOrigin})`, &m)
	in.Eval(`({usable: window.usable ?? 0, live: window.live ?? 0})`, &m)
	s.began = time.UnixMicro(int64(m.Began * 1000))
	if m.Usable > 0 {
		s.usable = m.Usable - m.Began
	}
	if m.Live > 0 {
		s.live = m.Live - m.Began
	}
	until := time.UnixMicro(int64(m.Usable * 1000))
	s.bytes = l.BytesReceived(s.began, until)
	s.log = waterfall(l, s.began) + fmt.Sprintf("%7.0f ms usable, %d bytes; %.0f ms live", s.usable, s.bytes, s.live)
	return s
}

// waterfall lists connections and unencrypted requests since began, in ms.
func waterfall(l *link.Link, began time.Time) string {
	var b strings.Builder
	at := func(t time.Time) string {
		if t.IsZero() {
			return "      -"
		}
		return fmt.Sprintf("%7.0f", float64(t.Sub(began).Microseconds())/1000)
	}
	fmt.Fprintln(&b, "dialled   asked   first    last   bytes")
	for _, c := range l.Connections(began.Add(-20 * time.Millisecond)) { // two clocks
		fmt.Fprintf(&b, "%s         %s %s %7d %s\n", at(c.Dialled), at(c.First), at(c.Last), c.Bytes, port(c.To))
	}
	for _, e := range l.Exchanges(began) {
		fmt.Fprintf(&b, "%s %s %s %s %7d %s %s\n", at(e.Dialled), at(e.Asked), at(e.First), at(e.Last), e.Bytes, port(e.To), e.Line)
	}
	return b.String()
}

// plainPage returns the address of a page of 10 kB with a form, in which nothing has to be loaded.
func plainPage(t testing.TB, l *link.Link) string {
	t.Helper()
	server := plainServer(t)
	return "http://" + front(t, l, func() string { return strings.TrimPrefix(server, "http://") })
}

// plainServer serves that page, uncompressed: it stands for a page that has 10 kB on the line.
func plainServer(t testing.TB) string {
	t.Helper()
	body := "<!doctype html><html lang=en><meta charset=utf-8><title>Shop</title><link rel=icon href=data:,><form><label><input type=radio name=coin>A coin</label></form><p>"
	body += strings.Repeat("Roasted this week. ", (10_000-len(body))/19)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
