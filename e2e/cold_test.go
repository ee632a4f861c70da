package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// beforeUsable is the most that may come to a shopper's phone before a coin can
// be chosen, in bytes with headers: of all but the checkout's own page, whose size
// has a limit of its own, and what no shopper waits for.
const beforeUsable = 8_000

// asked are the paths that were requested until a mark, sorted, and the bytes of their answers but
// the checkout's page. Left out are the marks of coins and the module that steps in for the page's
// script, which no shopper waits for, and what a browser asks of a shop by itself.
func asked(trace *browser.Trace, mark string) (paths []string, bytes int) {
	for address, size := range trace.Requested(mark) {
		path := plainPath(address)
		if strings.HasPrefix(path, "/icons/") || path == "/assets/fallback.js" ||
			path == "/favicon.ico" {
			continue
		}
		if path != "/checkout/cs" {
			bytes += size
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths, bytes
}

// plainPath is the path of a URL without what is other each time.
func plainPath(address string) string {
	_, path, _ := strings.Cut(strings.SplitAfter(address, ".test")[1], "/")
	path, _, _ = strings.Cut("/"+path, "?")
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

// longSeconds is JavaScript with which a timer of two seconds lasts a minute. The element requests
// its texts after such a timer, and a busy machine may need more before a coin can be chosen.
const longSeconds = `{
	const timer = setTimeout;
	window.setTimeout = (f, ms, ...args) => timer(f, ms === 2000 ? 60000 : ms, ...args);
}`

// A coin can be chosen as soon as the page has loaded: no other file is needed. Only then the
// WebAssembly program is requested. A second visit requests pages only.
func TestFullLittleLoadsBeforeUsable(t *testing.T) {
	h := newPhone(t, "pay.test")
	p := browser.Start(t).Open(t, "", browser.Options{
		Script: coinslotClocks + longSeconds, Width: 400, Height: 800, Patience: time.Minute,
	})
	to, end := h.page(), p.Trace(true)
	onSlowLine(h.line, func() {
		p.Goto(to)
		frameView(p).WaitJS(`window.usable`, "a coin to be there")
	})
	frameView(p).WaitJS(`window.live`, "WebAssembly to drive the checkout")
	frameView(p).WaitJS(`document.getElementById("after").sheet`, "the styles of later screens")
	if n := strings.Count(strings.Join(p.Requests(), " "), "/icons/"); n != 1 {
		t.Errorf("%d requests for logos; want one file for all", n)
	}
	position := func(file string) int {
		return slices.IndexFunc(p.Requests(),
			func(url string) bool { return strings.Contains(url, file) })
	}
	program := position("/app.")
	if position("/wasm_exec.") > program || position("/text") > program {
		t.Errorf("the program is not requested last, so the loader and the texts wait for it: %q",
			p.Requests())
	}
	trace := end()
	paths, bytes := asked(trace, "usable")
	want := []string{"/", "/checkout.js", "/checkout/cs"}
	fortest.Diff(t, paths, want, "asked for before a coin could be chosen")
	if bytes > beforeUsable {
		t.Errorf("%d bytes came beside the page, of which %d may", bytes, beforeUsable)
	}

	to, end = h.page(), p.Trace(true)
	p.Goto(to)
	frameView(p).WaitJS(`window.live`, "WebAssembly to drive the checkout again")
	paths, _ = asked(end(), "live")
	for _, path := range paths {
		if !slices.Contains([]string{"/", "/checkout/cs", "/checkout/cs/live", "/checkout/cs/view"},
			path) {
			t.Errorf("asked for again: %s", path)
		}
	}
}

// A browser keeps the script that the first page in a frame has inline. Later pages come without it,
// and look and act as the first one did.
func TestFullLaterVisitLeavesOutWhatIsKept(t *testing.T) {
	h := newPhone(t, "pay.test")
	p := chromium.Open(t, "", browser.Options{ThirdPartyStorage: true})
	const page = `performance.getEntriesByType("navigation")[0]`
	visit := func() (encoded, decoded int) {
		p.Goto(h.pageWithFrame())
		f := frameView(p)
		f.WaitJS(`document.querySelector("#coinslot[data-live=wasm]")`, "WebAssembly to drive the page")
		f.Eval(page+`.encodedBodySize`, &encoded)
		f.Eval(page+`.decodedBodySize`, &decoded)
		return encoded, decoded
	}

	first, whole := visit()
	const kept = `document.querySelector("link[rel=compression-dictionary]").href`
	frameView(p).WaitJS(kept, "the page to have the browser keep the script")
	// A browser loads it when it is idle, which one with many tabs is not.
	frameView(p).Eval(`fetch(`+kept+`).then((answer) => answer.text())`, nil)
	var later, read int
	fortest.Until(t, "a page without the script", func() bool { // keeping ends after loading
		later, read = visit()
		return later < first/2
	})

	t.Logf("%d bytes of %d at first, then %d of %d", first, whole, later, read)
	fortest.Equal(t, read/1000, whole/1000, "kB of the page")
}

// A frame greets the shop's page as soon as it is whole. A browser lays it out before
// it says that it has read it, and would lay out and paint twice. Nor does the frame's script ask
// for a layout before the one that is painted.
func TestFullFrameConnectsBeforeLayout(t *testing.T) {
	var checkout string
	host, _ := newHost(t, &checkout)
	s := newStack(t, "COINSLOT_ORIGINS="+host)
	checkout = s.base
	p := chromium.Open(t, host+"/?mode=inline&session="+s.session(order{"amount_usd": "25.00"}),
		browser.Options{Script: greetings})
	f := p.Frame(frame)
	f.WaitJS(`window.greeted`, "the frame to greet the shop's page")
	f.Wait(`[data-part="currency"]`)
	greeted := browser.Eval[string](f, `window.greeted`)
	fortest.Equal(t, greeted, "loading", "the page when it greeted the shop's")
	f.WaitJS(`window.painting`, "the first painted frame")
	if early := browser.Eval[[]string](f, `window.measured`); len(early) > 0 {
		t.Errorf("the page was measured, and so laid out, before it was painted: %s", early)
	}
	var before, after float64
	const width = `document.querySelector(".languages select").getBoundingClientRect().width`
	f.Eval(width, &before)
	f.Eval(`document.querySelector(".languages select").replaceChildren()`, nil)
	f.Eval(width, &after)
	if before != after {
		t.Errorf(
			"the menu of languages is %g px wide, and %g without its languages: all of them are laid out",
			before,
			after,
		)
	}
}

// greetings is JavaScript that keeps how far a document was when it made its line to another one,
// and from where it was measured before its first painted frame. An end of loading that comes before
// is left out: it may be that of a frame out of sight.
const greetings = `window.MessageChannel = class extends MessageChannel {
	constructor() { super(); window.greeted ??= document.readyState; }
};
window.measured = [];
requestAnimationFrame(() => { window.painting = true });
const measure = Element.prototype.getBoundingClientRect;
Element.prototype.getBoundingClientRect = function () {
	if (!window.painting && window.event?.type !== "load") measured.push(new Error().stack);
	return measure.call(this);
};`
