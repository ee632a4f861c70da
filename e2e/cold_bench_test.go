package e2e

import (
	"testing"

	"coinslot/e2e/browser"
	"coinslot/e2e/link"
)

// BenchmarkCold measures how long a shopper with a slow phone, who has never been here, waits from the
// request of the shop's page on: until a coin can be chosen in it, until WebAssembly drives the
// checkout, and how many bytes came until the former. static is a page with nothing but text, adyen
// one with Adyen's Drop-in, goapp a hello world in go-app. Medians; -v -artifacts keeps traces.
//
// times-plain is the time until usable by that of static. takeover-ms is from usable to live without
// the time that the line takes for what comes meanwhile. blocking-ms is what tasks of the checkout's
// main thread take beyond 50 ms each.
func BenchmarkCold(b *testing.B) { benchmarkLoads(b, coldLoads) }

// BenchmarkAgain is BenchmarkCold for a shopper who has been here before, in another page of the shop,
// with another order, the connections still open.
func BenchmarkAgain(b *testing.B) { benchmarkLoads(b, warmLoads) }

// loadsOf loads pages over a line and returns what was measured. url is asked for each.
type loadsOf func(b *testing.B, l *link.Link, script string, url func() string, in viewOf) []pageLoad

// viewOf is the document of a page in which clocks run.
type viewOf func(*browser.Page) *browser.View

// ways are those to meet the checkout: over TLS, where it has a host, on another site than the shop or
// as its neighbor, with its frame in the HTML of the shop's page or made by the script.
var ways = []struct {
	name, host, clocks string
	in                 viewOf
	page               func(*phone) string
}{
	{"tls/static", "pay.test", plainClocks, pageView, (*phone).plainPage},
	{"tls/html", "pay.test", htmlClocks, frameView, (*phone).pageWithFrame},
	{"tls/crosssite", "pay.test", coinslotClocks, frameView, (*phone).page},
	{"tls/neighbor", "pay.shop.test", coinslotClocks, frameView, (*phone).page},
	{"http1/static", "", plainClocks, pageView, (*phone).plainPage},
	{"http1/coinslot", "", coinslotClocks, frameView, (*phone).page},
}

// benchmarkLoads measures all ways, Adyen's Drop-in and go-app.
func benchmarkLoads(b *testing.B, loads loadsOf) {
	plain := 0.0
	for _, w := range ways {
		b.Run(w.name, func(b *testing.B) {
			h := newPhone(b, w.host)
			page := func() string { return w.page(h) }
			usable := report(b, loads(b, h.line, w.clocks, page, w.in))
			if w.name == "tls/static" {
				plain = usable
			}
			if plain > 0 && w.host != "" {
				b.ReportMetric(usable/plain, "times-plain")
			}
		})
	}
	b.Run("tls/adyen", func(b *testing.B) {
		l := newLine(b)
		url := startAdyen(b, l)
		usable := report(b, loads(b, l, adyenClocks, func() string { return url }, pageView))
		if plain > 0 {
			b.ReportMetric(usable/plain, "times-plain")
		}
	})
	b.Run("http1/goapp", func(b *testing.B) {
		l := newLine(b)
		url := startGoapp(b, l)
		report(b, loads(b, l, goappClocks, func() string { return url }, pageView))
	})
}

func pageView(p *browser.Page) *browser.View  { return p.View }
func frameView(p *browser.Page) *browser.View { return p.Frame(frame) }

// coldLoads loads pages, each in a browser that knows nothing.
func coldLoads(
	b *testing.B, l *link.Link, script string, url func() string, in viewOf,
) (all []pageLoad) {
	for b.Loop() {
		to := url()
		p := newTab(b, script)
		onSlowLine(l, func() { all = append(all, loadUntilLive(b, l, p, to, in)) })
		p.Close()
	}
	return all
}

// warmVisits are how often a browser has been somewhere before it is measured: V8
// keeps the code of a program that it has seen more than once.
const warmVisits = 3

// warmLoads loads pages, all in one browser that knows them.
func warmLoads(
	b *testing.B, l *link.Link, script string, url func() string, in viewOf,
) (all []pageLoad) {
	p := newTab(b, script)
	for range warmVisits {
		loadUntilLive(b, l, p, url(), in)
	}
	for b.Loop() {
		to := url()
		onSlowLine(l, func() { all = append(all, loadUntilLive(b, l, p, to, in)) })
	}
	return all
}

// report reports the medians and returns that of the time until usable.
func report(b *testing.B, all []pageLoad) float64 {
	medians := map[string]float64{"ns/op": 0}
	for unit, of := range map[string]func(pageLoad) float64{
		"usable-ms":   func(s pageLoad) float64 { return s.usable },
		"live-ms":     func(s pageLoad) float64 { return s.live },
		"blocking-ms": func(s pageLoad) float64 { return s.blocking },
		"takeover-ms": func(s pageLoad) float64 { return s.takeover },
		"wire-B":      func(s pageLoad) float64 { return float64(s.bytes) },
	} {
		var list []float64
		for _, s := range all {
			list = append(list, of(s))
		}
		medians[unit] = median(list)
	}
	for unit, value := range medians {
		b.ReportMetric(value, unit)
	}
	for _, s := range all {
		b.Log(s.log)
	}
	return medians["usable-ms"]
}
