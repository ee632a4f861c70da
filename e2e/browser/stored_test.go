package browser_test

import (
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// What a page keeps is seen, also by one that has covered its tracks, and only
// where the browser lets it keep anything.
func TestStored(t *testing.T) {
	t.Parallel()
	s := serveSites(t)
	for allowed, want := range map[bool][]string{
		true:  {"localStorage k", "sessionStorage s", "indexedDB d", "caches c"},
		false: {},
	} {
		p := chromium.Open(t, s.shop, browser.Options{ThirdPartyStorage: allowed})
		f := p.Frame("till")
		f.WaitText("#store", "cookies:")
		f.Eval(`(async () => {
			try { sessionStorage.setItem("s", "1") } catch {}
			try { await caches.open("c") } catch {}
			await new Promise(done => { const r = indexedDB.open("d"); r.onsuccess = r.onerror = done });
			Object.defineProperty(window, "localStorage", {value: {}});
		})()`, nil)
		fortest.Diff(t, f.Stored(), want, "storage allowed %t: the frame's", allowed)
		if got := p.Frame("near").Stored(); len(got) > 0 {
			t.Errorf("storage allowed %t: the shop's: %q; want none", allowed, got)
		}
		var cookies []string
		if allowed {
			cookies = []string{"c@localhost"}
		}
		fortest.Diff(t, p.Cookies(), cookies, "storage allowed %t: cookies", allowed)
	}
}

// A slow page is slow in a frame of another site too, whichever came first. Other
// work on the machine makes either speed look slower now and then: the two take
// turns until the difference is seen, and where it is not they never differ.
func TestSlow(t *testing.T) {
	s := serveSites(t)
	p := browser.Start(t).Open(t, s.shop, browser.Options{})
	p.Slow(8)
	slowdown(t, p, "a frame that was there")
	p.Slow(8)
	p.Reload()
	slowdown(t, p, "a frame that came later")
}

// slowdown asserts that a page which is 8 times slower now needs four times the time
// at least for the same work in its frame, and leaves it at its own speed.
func slowdown(t *testing.T, p *browser.Page, what string) {
	t.Helper()
	took := func() (ms float64) {
		p.Frame("till").Eval(
			`(() => { const t = performance.now(); for (let i = 0, x = 0; i < 2e6; i++) x += Math.sqrt(i); return performance.now() - t })()`,
			&ms,
		)
		return ms
	}
	best := 0.0
	for range 10 {
		slow := min(took(), took(), took(), took(), took())
		p.Slow(1)
		best = max(best, slow/min(took(), took(), took(), took(), took()))
		if best >= 4 {
			return
		}
		p.Slow(8)
	}
	t.Errorf("%s: 8 times slower it took %.1f times as long at most; want 4 at least", what, best)
}
