package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/e2e/browser"
	"coinslot/e2e/link"

	"github.com/google/go-cmp/cmp"
)

// beforeUsable is the most that may come to a shopper's phone before a coin can
// be chosen, in bytes with headers: of all but the checkout's own page, whose size
// has a limit of its own, and what no shopper waits for.
const beforeUsable = 8_000

// asked are the requests of since until until, without their queries, sorted, and the bytes of
// their answers but the checkout's page. Left out are the marks of coins and the module that steps
// in for the page's script, which no shopper waits for, and what a browser asks of a shop by itself.
func asked(l *link.Link, since, until time.Time) (paths []string, bytes int) {
	for _, e := range l.Exchanges(since) {
		path, _, _ := strings.Cut(strings.TrimPrefix(e.Line, "GET "), "?")
		if e.Asked.After(until) || strings.HasPrefix(path, "/icons/") || strings.HasPrefix(path, "/assets/fallback.") || path == "/favicon.ico" {
			continue
		}
		path = plainPath(path)
		if path != "/checkout/cs" {
			bytes += e.Bytes
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths, bytes
}

// plainPath is a path without what is other each time.
func plainPath(path string) string {
	if rest, ok := strings.CutPrefix(path, "/checkout/cs_"); ok {
		_, rest, _ = strings.Cut(rest, "/")
		return strings.TrimSuffix("/checkout/cs/"+rest, "/")
	}
	if strings.HasPrefix(path, "/assets/") { // name.hash.extension
		parts := strings.Split(path, ".")
		return parts[0] + "." + parts[len(parts)-1]
	}
	return path
}

// A coin can be chosen as soon as the page has loaded: no other file is needed. Only then the
// WebAssembly program is requested. A second visit requests pages only.
func TestLittleLoadsBeforeUsable(t *testing.T) {
	h := newPhone(t)
	p := chromium.Open(t, "", browser.Options{Script: coinslotClocks, Width: 400, Height: 800, Patience: time.Minute})
	var s pageLoad
	to := h.page(h.crossSiteShop)
	onSlowLine(h.line, func() {
		p.Goto(to)
		frameView(p).WaitJS(`window.usable`, "a coin to be there")
		s = readClocks(h.line, p, frameView(p))
	})
	usable := s.began.Add(time.Duration(s.usable * float64(time.Millisecond)))
	paths, bytes := asked(h.line, s.began, usable)
	want := []string{"/", "/checkout.js", "/checkout/cs", "/checkout/embed.js"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("asked for before a coin could be chosen (-want +got):\n%s\n%s", diff, s.log)
	}
	if bytes > beforeUsable {
		t.Errorf("%d bytes came beside the page, of which %d may\n%s", bytes, beforeUsable, s.log)
	}
	frameView(p).WaitJS(`window.live`, "WebAssembly to drive the checkout")
	frameView(p).WaitJS(`document.getElementById("after").sheet`, "the styles of later screens")
	if n := strings.Count(strings.Join(p.Requests(), " "), "/icons/"); n != 1 {
		t.Errorf("%d requests for logos; want one file for all", n)
	}

	to = h.page(h.crossSiteShop)
	began := time.Now()
	p.Goto(to)
	frameView(p).WaitJS(`window.live`, "WebAssembly to drive the checkout again")
	paths, _ = asked(h.line, began, time.Now())
	for _, path := range paths {
		if !slices.Contains([]string{"/", "/checkout/cs", "/checkout/cs/live", "/checkout/cs/view"}, path) {
			t.Errorf("asked for again: %s", path)
		}
	}
}

// A frame greets the shop's page as soon as it is whole. A browser lays it out before
// it says that it has read it, and would lay out and paint twice.
func TestFrameConnectsBeforeLayout(t *testing.T) {
	var checkout string
	host, _ := newHost(t, &checkout)
	s := newStack(t, "COINSLOT_ORIGINS="+host)
	checkout = s.base
	p := chromium.Open(t, host+"/?mode=inline&session="+s.session(order{"amount_usd": "25.00"}), browser.Options{Script: greetings})
	f := p.Frame(frame)
	f.WaitJS(`window.greeted`, "the frame to greet the shop's page")
	f.Wait(`[data-part="currency"]`)
	greeted := browser.Eval[string](f, `window.greeted`)
	if greeted != "loading" {
		t.Errorf("the page was %q when it greeted the shop's; want it to be loading", greeted)
	}
	var before, after float64
	const width = `document.querySelector(".languages select").getBoundingClientRect().width`
	f.Eval(width, &before)
	f.Eval(`document.querySelector(".languages select").replaceChildren()`, nil)
	f.Eval(width, &after)
	if before != after {
		t.Errorf("the menu of languages is %g px wide, and %g without its languages: all of them are laid out", before, after)
	}
}

// greetings is JavaScript that keeps how far a document was when it made its line to another one.
const greetings = `window.MessageChannel = class extends MessageChannel {
	constructor() { super(); window.greeted ??= document.readyState; }
}`
