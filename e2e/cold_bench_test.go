package e2e

import (
	"flag"
	"fmt"
	"testing"

	"coinslot/e2e/browser"
	"coinslot/e2e/link"
)

// BenchmarkCold measures how long a shopper with a slow phone, who has never been here, waits from the
// request of the shop's page on: until a coin can be chosen in it, until WebAssembly drives the
// checkout, and how many bytes came until the former. In tls, TCP starts slowly, and Caddy speaks
// TLS 1.3 and HTTP/2; http1 is plain HTTP/1.1. static is a page with nothing but text, goapp a hello
// world in go-app. Medians; -v lists connections and requests.
func BenchmarkCold(b *testing.B) {
	b.Run("tls", func(b *testing.B) {
		for _, k := range tlsRows {
			b.Run(k.name, func(b *testing.B) {
				l, url := k.start(b)
				benchmarkColdLoads(b, l, k.clocks, url, k.view)
			})
		}
	})
	b.Run("http1", benchmarkColdHTTP1)
}

// tlsRow is a way to meet the checkout over TLS.
type tlsRow struct {
	name, clocks string
	view         func(*browser.Page) *browser.View
	start        func(testing.TB) (l *link.Link, url func() string)
}

// The checkout is on another site than the shop, with its frame in the HTML of the shop's page or
// made by the script, or its neighbor on one site.
var tlsRows = []tlsRow{
	{"static", plainClocks, pageView, func(t testing.TB) (*link.Link, func() string) {
		l, url := tlsPage(t)
		return l, func() string { return url }
	}},
	{"html", htmlClocks, frameView, func(t testing.TB) (*link.Link, func() string) {
		h := newTLSPhone(t, "pay.test")
		return h.line, h.pageWithFrame
	}},
	{"crosssite", coinslotClocks, frameView, func(t testing.TB) (*link.Link, func() string) {
		h := newTLSPhone(t, "pay.test")
		return h.line, func() string { return h.page(h.shop) }
	}},
	{"neighbor", coinslotClocks, frameView, func(t testing.TB) (*link.Link, func() string) {
		h := newTLSPhone(t, "pay.shop.test")
		return h.line, func() string { return h.page(h.shop) }
	}},
}

func benchmarkColdHTTP1(b *testing.B) {
	b.Run("static", func(b *testing.B) {
		l := newLine(b)
		url := plainPage(b, l)
		benchmarkColdLoads(b, l, plainClocks, func() string { return url }, pageView)
	})
	b.Run("coinslot", func(b *testing.B) {
		h := newPhone(b)
		benchmarkColdLoads(b, h.line, coinslotClocks, func() string { return h.page(h.shop) }, frameView)
	})
	b.Run("goapp", func(b *testing.B) {
		l := newLine(b)
		url := startGoapp(b, l)
		benchmarkColdLoads(b, l, goappClocks, func() string { return url }, pageView)
	})
}

// pageView and framed are the document in which clocks run.
func pageView(p *browser.Page) *browser.View  { return p.View }
func frameView(p *browser.Page) *browser.View { return p.Frame(frame) }

// benchmarkColdLoads loads pages, each in a browser that knows nothing, and reports medians.
func benchmarkColdLoads(b *testing.B, l *link.Link, script string, url func() string, in func(*browser.Page) *browser.View) {
	var all []pageLoad
	for b.Loop() {
		to := url()
		p := newTab(b, script)
		onSlowLine(l, func() { all = append(all, loadUntilLive(l, p, to, in)) })
		p.Close()
	}
	report(b, all)
}

// chain adds what the browser did to the log.
var chain = flag.Bool("chain", false, "list what a page waits for in the log of BenchmarkCold and BenchmarkAgain")

// loadUntilLive takes a page somewhere and reads its clocks once it is live.
func loadUntilLive(l *link.Link, p *browser.Page, to string, in func(*browser.Page) *browser.View) pageLoad {
	before := len(p.Console())
	end := p.Trace(*chain)
	p.Goto(to)
	p.WaitConsole(before, liveMessage)
	s := readClocks(l, p, in(p))
	trace := end()
	s.blocking = milliseconds(trace.Blocking("usable"))
	s.log += fmt.Sprintf("; %.0f ms blocked\n", s.blocking)
	if *chain {
		s.log += trace.String()
	}
	return s
}

// report reports the medians.
func report(b *testing.B, all []pageLoad) {
	var usable, live, bytes, blocking []float64
	for _, s := range all {
		usable, live, bytes = append(usable, s.usable), append(live, s.live), append(bytes, float64(s.bytes))
		blocking = append(blocking, s.blocking)
		b.Log(s.log)
	}
	b.ReportMetric(median(usable), "usable-ms")
	b.ReportMetric(usable[0], "fastest-ms") // median has sorted them
	b.ReportMetric(median(bytes), "wire-B")
	b.ReportMetric(median(blocking), "blocking-ms")
	b.ReportMetric(median(live), "live-ms")
	b.ReportMetric(0, "ns/op")
}
