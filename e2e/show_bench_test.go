package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"coinslot/e2e/browser"
)

// BenchmarkShow measures the time from the click on a shop's link until the checkout can be used
// and until WebAssembly drives it, in milliseconds: medians, and the fastest, which a busy computer
// distorts least. Cold is a browser that has never seen the checkout and learns of it by the click;
// warm is one whose shopper has pointed at the link until all was loaded. cpu4 is a computer four
// times as slow. The network costs nothing.
func BenchmarkShow(b *testing.B) {
	var checkout string
	host, _ := newHost(b, &checkout)
	s := newStack(b, "COINSLOT_ORIGINS="+host)
	checkout = s.base
	for _, warm := range []bool{false, true} {
		for _, slow := range []float64{1, 4} {
			b.Run(fmt.Sprintf("%s/cpu%.0f", map[bool]string{false: "cold", true: "warm"}[warm],
				slow), func(b *testing.B) {
				var usable, live []float64
				for b.Loop() {
					m := s.show(b, host, warm, slow)
					usable, live = append(usable, m.Usable), append(live, m.Live)
				}
				b.ReportMetric(median(usable), "usable-ms")
				b.ReportMetric(slices.Min(usable), "fastest-ms")
				b.ReportMetric(median(live), "live-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// shown are two moments after a click, in milliseconds.
type shown struct{ Usable, Live float64 }

// show opens a checkout in a fresh browser and measures it.
func (s *stack) show(b *testing.B, host string, warm bool, slow float64) (m shown) {
	b.Helper()
	prewarm := "none"
	if warm {
		prewarm = "intent"
	}
	id := s.session(order{"amount_usd": "25.00"})
	p := chromium.Open(b, "",
		browser.Options{Script: coinslotClocks, Height: 1000, Patience: 2 * time.Minute})
	defer p.Close()
	p.Goto(host + "/?session=" + id + "&mode=modal&prewarm=" + prewarm)
	p.WaitJS(`customElements.get("coinslot-checkout")`, "the element to be defined")
	if warm {
		p.Eval(`document.querySelector("coinslot-checkout a").focus()`, nil)
		p.Frame(frame).WaitJS(`document.querySelector("#coinslot[data-live=wasm]")`,
			"WebAssembly to drive the hidden checkout")
		p.Eval(`document.querySelector("coinslot-checkout").ready.then(() => 0)`, nil)
	}
	p.Slow(slow)
	before := len(p.Console())
	p.Click(`coinslot-checkout a`)
	p.WaitConsole(before, liveMessage)
	f := p.Frame(frame)
	clicked := browser.Eval[float64](p, `clicked`)
	f.Eval(`({usable: usable, live: live})`, &m)
	return shown{m.Usable - clicked, m.Live - clicked}
}

// median is the middle of a list, which it sorts.
func median(list []float64) float64 {
	slices.Sort(list)
	n := len(list)
	if n == 0 {
		return 0
	}
	return (list[(n-1)/2] + list[n/2]) / 2
}
