package e2e

import (
	"testing"

	"coinslot/e2e/browser"
	"coinslot/e2e/link"
)

// warmLoads are how often a browser has been somewhere before it is measured: V8
// keeps the code of a program that it has seen more than once.
const warmLoads = 3

// BenchmarkAgain measures how long a shopper with a slow phone, who has been here before, waits until
// WebAssembly drives the checkout: in another page of the shop, with another order, the connections
// still open. Rows are those of BenchmarkCold.
func BenchmarkAgain(b *testing.B) {
	b.Run("tls", func(b *testing.B) {
		for _, k := range tlsRows {
			b.Run(k.name, func(b *testing.B) {
				l, url := k.start(b)
				benchmarkWarmLoads(b, l, k.clocks, url, k.view)
			})
		}
	})
	b.Run("http1", benchmarkAgainHTTP1)
}

func benchmarkAgainHTTP1(b *testing.B) {
	b.Run("coinslot", func(b *testing.B) {
		h := newPhone(b)
		benchmarkWarmLoads(b, h.line, coinslotClocks, func() string { return h.page(h.shop) }, frameView)
	})
	b.Run("goapp", func(b *testing.B) {
		l := newLine(b)
		url := startGoapp(b, l)
		benchmarkWarmLoads(b, l, goappClocks, func() string { return url }, pageView)
	})
}

// benchmarkWarmLoads loads pages, all in one browser that knows them, and reports medians.
func benchmarkWarmLoads(b *testing.B, l *link.Link, script string, url func() string, in func(*browser.Page) *browser.View) {
	p := newTab(b, script)
	for range warmLoads {
		loadUntilLive(l, p, url(), in)
	}
	var all []pageLoad
	for b.Loop() {
		to := url()
		onSlowLine(l, func() { all = append(all, loadUntilLive(l, p, to, in)) })
	}
	report(b, all)
}
