package browser_test

import (
	"testing"

	"coinslot/e2e/browser"

	"github.com/google/go-cmp/cmp"
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
		if diff := cmp.Diff(want, f.Stored()); diff != "" {
			t.Errorf("storage allowed %t: the frame's (-want +got):\n%s", allowed, diff)
		}
		if got := p.Frame("near").Stored(); len(got) > 0 {
			t.Errorf("storage allowed %t: the shop's: %q; want none", allowed, got)
		}
		var cookies []string
		if allowed {
			cookies = []string{"c@localhost"}
		}
		if diff := cmp.Diff(cookies, p.Cookies()); diff != "" {
			t.Errorf("storage allowed %t: cookies (-want +got):\n%s", allowed, diff)
		}
	}
}
