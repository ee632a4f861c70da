package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/app/feed"
	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/e2e/child"
)

const (
	stormSockets = 15_000 // as many as a process takes
	stormEach    = 20     // of one session, as many as it takes
)

// BenchmarkStorm kills the server that 15,000 pages are connected to, and starts it again. Sessions
// change just before that and while the pages come back, which they do as they do in a browser, by
// package feed. It reports when the last page was connected again, and how many do not show the
// newest state of their session five seconds after that; pings would bring it in the end.
func BenchmarkStorm(b *testing.B) {
	w := newWorld(b)
	sessions := w.sessions(stormSockets / stormEach)
	pages := openPages(b, w, repeatEach(sessions, stormEach))
	third := len(sessions) / 3
	parallel(b, third, 8, func(i int) error { w.cancel(sessions[i]); return nil })
	child.End(w.process)
	pages.life.Add(1)
	began := time.Now()
	w.start()
	up := time.Since(began)
	parallel(b, third, 2, func(i int) error { w.cancel(sessions[third+i]); return nil })
	eachPage(b, "the last page to come back", pages.list,
		func(p *page) bool { return p.life.Load() == pages.life.Load() })
	took := time.Since(began)
	discardLog(b)
	b.ReportMetric(took.Seconds(), "s")
	b.ReportMetric(up.Seconds(), "up-s")
	b.ReportMetric(float64(pages.lost(w, sessions)), "lost")
}

// pages are what shoppers have open.
type pages struct {
	base   string
	life   atomic.Int32 // how often the server was started again
	client http.Client
	list   []*page
}

// page is one of them.
type page struct {
	of      *pages
	session string
	pings   atomic.Int32
	version atomic.Int64 // on the screen
	life    atomic.Int32 // of the server that its socket has heard of last
}

// openPages opens a page of each session and waits until all are connected.
func openPages(b *testing.B, w *world, sessions []string) *pages {
	b.Helper()
	all := &pages{
		base: w.base,
		client: http.Client{
			Transport: &http.Transport{MaxConnsPerHost: 64, MaxIdleConnsPerHost: 64},
		},
	}
	all.list = make([]*page, len(sessions))
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	b.Cleanup(func() { cancel(); running.Wait() })
	parallel(b, len(sessions), 32, func(i int) error {
		p := &page{of: all, session: sessions[i]}
		all.list[i] = p
		f := feed.New(feed.Config{
			Fetch: p.fetch, Dial: p.dial,
			OnView:    func(v wire.View) { p.version.Store(v.Version) },
			OnOffline: func(bool) {},
		})
		running.Go(func() { f.Run(ctx) })
		fortest.Within(b, time.Minute, "a page to be connected",
			func() bool { return p.version.Load() > 0 })
		return nil
	})
	return all
}

// eachPage waits until ok is true of all pages.
func eachPage(b *testing.B, what string, list []*page, ok func(p *page) bool) {
	b.Helper()
	next := 0
	fortest.Within(b, time.Minute, what, func() bool {
		for next < len(list) && ok(list[next]) {
			next++
		}
		return next == len(list)
	})
}

// lost returns how many pages have missed something in the end.
func (all *pages) lost(w *world, sessions []string) (lost int) {
	newest := map[string]int64{}
	for _, session := range sessions {
		newest[session] = w.version(session)
	}
	for until := time.Now().Add(5 * time.Second); ; <-time.After(50 * time.Millisecond) {
		lost = 0
		for _, p := range all.list {
			if p.version.Load() < newest[p.session] {
				lost++
			}
		}
		if lost == 0 || time.Now().After(until) {
			return lost
		}
	}
}

// fetch asks for the view as a page does whose socket is away.
func (p *page) fetch(ctx context.Context) (v wire.View, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		p.of.base+"/checkout/"+p.session+"/view", nil)
	if err != nil {
		return v, err
	}
	resp, err := p.of.client.Do(req)
	if err != nil {
		return v, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return v, fmt.Errorf("the view: %s", resp.Status)
	}
	return v, json.NewDecoder(resp.Body).Decode(&v)
}

// dial opens the page's socket.
func (p *page) dial(context.Context) (feed.Socket, error) {
	life := p.of.life.Load()
	l, err := dial(p.of.base, livePath(p.session))
	if err != nil {
		return nil, err
	}
	return &pageSocket{l, p, life}, nil
}

// pageSocket implements feed.Socket.
type pageSocket struct {
	*link
	page *page
	life int32 // of the server it was opened at
}

// Next implements feed.Socket. Of the view it reads the version only.
func (s *pageSocket) Next(ctx context.Context) (wire.View, error) {
	stop := context.AfterFunc(ctx, s.Close)
	defer stop()
	version, _, err := s.nextView(&s.page.pings)
	if err != nil {
		return wire.View{}, err
	}
	s.page.life.Store(s.life)
	return wire.View{Version: version, Status: wire.Open}, nil
}

// Deduped implements feed.Socket.
func (s *pageSocket) Deduped() bool { return false }

// Close implements feed.Socket.
func (s *pageSocket) Close() { s.Conn.Close() }
