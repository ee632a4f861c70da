package e2e

import (
	"testing"
	"time"

	"coinslot/e2e/browser"
)

// countLongTasks is a script that counts a page's long tasks, which are those of more
// than 50 ms, from when window.long is set to 0.
const countLongTasks = `new PerformanceObserver(list => { window.long += list.getEntries().length }).observe({type: "longtask"})`

// BenchmarkWaiting measures what a minute of waiting for the payment costs: the processor time of
// all tasks of the main thread of the page that holds the checkout, the long ones among them, and
// the share of scripts. The computer is slowed down four times, the gateway is polled every 3 s,
// and each answer comes over the websocket.
//
// It is a payment of half an hour, whose countdown shows minutes until the last five. last-ms/min
// is the same for these, where it shows seconds; still-ms/min is the page without WebAssembly,
// which polls; own-ms/min is at the computer's own speed.
func BenchmarkWaiting(b *testing.B) {
	s := newStack(b, "COINSLOT_POLL_INTERVAL=3s") // the default
	for b.Loop() {
		pages := map[string]*browser.Page{
			"":       s.openPayment(b, 30, 4, browser.Options{}),
			"own-":   s.openPayment(b, 30, 1, browser.Options{}),
			"last-":  s.openPayment(b, 4, 4, browser.Options{}),
			"still-": s.openPayment(b, 30, 4, modes["no wasm"]),
		}
		<-time.After(browserIdleTime)
		before := map[string]browser.Spent{}
		for name, p := range pages {
			p.Eval(`window.long = 0`, nil)
			before[name] = p.Spent()
		}
		<-time.After(time.Minute)
		for name, p := range pages {
			spent := p.Spent().Since(before[name])
			b.ReportMetric(milliseconds(spent.Tasks), name+"ms/min")
			if name == "" {
				long := browser.Eval[float64](p, `window.long`)
				b.ReportMetric(long, "long-tasks")
				b.ReportMetric(milliseconds(spent.Scripts), "script-ms/min")
			}
			p.Close()
		}
	}
	b.ReportMetric(0, "ns/op")
}

// browserIdleTime is how long the browser tidies up after a page has come: it collects what
// the start has left three times, 8 s apart.
const browserIdleTime = 40 * time.Second

// openPayment shows a payment of ttl minutes, each in a process of its own.
func (s *stack) openPayment(b *testing.B, ttl int, slow float64, o browser.Options) *browser.Page {
	b.Helper()
	id := s.session(order{"amount_usd": "25.00", "ttl_minutes": ttl})
	o.Patience, o.Script = 2*time.Minute, countLongTasks
	p := chromium.Open(b, s.base+"/checkout/"+id, o)
	if o.BlockURLs == nil {
		p.Wait(`[data-live="wasm"]`)
	}
	choose(p.View, "USDT", "trc20")
	p.Wait(pending)
	p.Slow(slow)
	return p
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }
