package browser_test

import (
	"testing"

	"coinslot/e2e/browser"
)

// A slow page is slow in a frame of another site too, whichever came first.
func TestSlow(t *testing.T) {
	s := serveSites(t)
	p := browser.Start(t).Open(t, s.shop, browser.Options{})
	took := func(v *browser.View) (ms float64) {
		v.Eval(`(() => { const t = performance.now(); for (let i = 0, x = 0; i < 2e7; i++) x += Math.sqrt(i); return performance.now() - t })()`, &ms)
		return ms
	}
	f := p.Frame("till")
	fast := min(took(f), took(f), took(f))
	p.Slow(8)
	if slow := min(took(f), took(f), took(f)); slow < 2*fast {
		t.Errorf("a loop in the frame took %.0f ms and, 8 times slower, %.0f", fast, slow)
	}
	p.Reload()
	if slow := min(took(p.Frame("till")), took(p.Frame("till"))); slow < 2*fast {
		t.Errorf("a loop in the new frame took %.0f ms; %.0f before the page was slow", slow, fast)
	}
}
