package feed

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

var errDown = errors.New("down")

// record is what a Feed has done.
type record struct {
	open    []*socket       // all that were opened
	dials   []time.Duration // since start
	fetches []time.Duration // since start
	shown   []int64         // versions passed to OnView
	updates []bool          // WillUpdate of these
	offline []bool          // calls of OnOffline
}

// server is a fake server with the current version, and what works.
type server struct {
	start time.Time

	mu      sync.Mutex // guards the fields below
	version int64
	sockets bool // Dial works
	answers bool // Fetch works
	dedupe  bool // sockets are deduplicating
	hangs   bool // Dial does not return
	silent  bool // sockets say nothing when they open
	record
}

// seen returns what the Feed has done so far.
func (s *server) seen() record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return record{slices.Clone(s.open), slices.Clone(s.dials), slices.Clone(s.fetches), slices.Clone(s.shown), slices.Clone(s.updates), slices.Clone(s.offline)}
}

type socket struct {
	views   chan wire.View // capacity 8
	closed  chan struct{}
	once    sync.Once
	deduped bool
	silent  atomic.Bool // no message, or none lately
}

func (s *socket) Next(ctx context.Context) (wire.View, error) {
	select {
	case v := <-s.views:
		return v, nil
	case <-s.closed:
		return wire.View{}, errDown
	case <-ctx.Done():
		return wire.View{}, ctx.Err()
	}
}

func (s *socket) Deduped() bool { return s.deduped && !s.isClosed() && !s.silent.Load() }

func (s *socket) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

func (s *socket) Close() { s.once.Do(func() { close(s.closed) }) }

func (s *server) dial(ctx context.Context) (Socket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dials = append(s.dials, time.Since(s.start))
	if s.hangs {
		s.mu.Unlock()
		<-ctx.Done()
		s.mu.Lock()
		return nil, ctx.Err()
	}
	if !s.sockets {
		return nil, errDown
	}
	c := &socket{views: make(chan wire.View, 8), closed: make(chan struct{}), deduped: s.dedupe}
	c.silent.Store(s.silent)
	if !s.silent {
		c.views <- wire.View{Version: s.version}
	}
	s.open = append(s.open, c)
	return c, nil
}

func (s *server) fetch(context.Context) (wire.View, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetches = append(s.fetches, time.Since(s.start))
	if !s.answers {
		return wire.View{}, errDown
	}
	return wire.View{Version: s.version}, nil
}

func (s *server) onView(v wire.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown, s.updates = append(s.shown, v.Version), append(s.updates, v.WillUpdate)
}

func (s *server) onOffline(is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offline = append(s.offline, is)
}

// push sends a view on the newest socket.
func (s *server) push(version int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
	newest := s.open[len(s.open)-1]
	newest.silent.Store(false)
	newest.views <- wire.View{Version: version}
}

// fallSilent is what program.js does with a socket from which nothing has come for a while.
func (s *server) fallSilent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	newest := s.open[len(s.open)-1]
	newest.silent.Store(true)
	newest.views <- wire.View{Version: s.version}
}

// assertPolled asserts that there was a poll within five seconds of begin, and from then to end one
// at least every pollInterval.
func (s *server) assertPolled(t *testing.T, begin, end time.Duration) {
	t.Helper()
	last := begin
	most := 5 * time.Second
	for _, at := range append(s.seen().fetches, end) {
		if at < begin || at > end {
			continue
		}
		if at-last > most {
			t.Errorf("no poll from %v to %v; fetched at %v", last, at, s.seen().fetches)
		}
		last = at
		most = pollInterval
	}
}

func (s *server) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// run starts a Feed in a bubble; every pause is half of what it may be.
func run(t *testing.T, s *server, test func(f *Feed)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s.start = time.Now()
		f := New(Config{
			Fetch:     s.fetch,
			Dial:      s.dial,
			OnView:    s.onView,
			OnOffline: s.onOffline,
			Version:   1,
			Random:    func() float64 { return 0.5 },
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			f.Run(ctx)
			close(done)
		}()
		synctest.Wait()
		test(f)
		cancel()
		<-done
		for _, c := range s.seen().open {
			select {
			case <-c.closed:
			default:
				t.Error("a socket is open after the end")
			}
		}
	})
}

// pass lets time go by; in the bubble it takes none.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestSocket(t *testing.T) {
	s := &server{version: 1, sockets: true, answers: true}
	run(t, s, func(*Feed) {
		for _, version := range []int64{2, 2, 1, 5} {
			s.push(version)
			synctest.Wait()
		}
	})
	if want := []int64{1, 2, 2, 5}; !slices.Equal(s.seen().shown, want) {
		t.Errorf("shown %v; want %v: an older version is dropped, an equal one is fresher", s.seen().shown, want)
	}
	fortest.Equal(t, len(s.seen().fetches), 0, "fetched times beside a working socket")
}

func TestPollingTakesOver(t *testing.T) {
	s := &server{version: 3, answers: true}
	run(t, s, func(*Feed) {
		pass(900 * time.Millisecond)
		if len(s.seen().fetches) != 0 {
			t.Errorf("fetched at %v, before the second socket failed", s.seen().fetches)
		}
		pass(20 * time.Second)
	})
	// The first socket fails at once, the second after half of 2 s; then a poll every 3 s.
	want := time.Second
	if len(s.seen().fetches) == 0 || s.seen().fetches[0] != want {
		t.Errorf("fetched at %v; want first at %v", s.seen().fetches, want)
	}
	for i := 1; i < len(s.seen().fetches); i++ {
		if gap := s.seen().fetches[i] - s.seen().fetches[i-1]; gap > pollInterval {
			t.Errorf("a gap of %v between polls; want at most %v", gap, pollInterval)
		}
	}
	if len(s.seen().shown) == 0 || s.seen().shown[0] != 3 {
		t.Errorf("shown %v; want version 3", s.seen().shown)
	}
}

// TestBackOff prints the schedule and holds it: half of 2, 4, 8, 16, 30, 30 s.
func TestBackOff(t *testing.T) {
	s := &server{version: 1, answers: true}
	run(t, s, func(*Feed) { pass(62 * time.Second) })
	want := []time.Duration{0, 1, 3, 7, 15, 30, 45, 60}
	for i := range want {
		want[i] *= time.Second
	}
	t.Logf("sockets opened at %v", s.seen().dials)
	fortest.Diff(t, s.seen().dials, want, "sockets opened at")
}

func TestSocketReconnects(t *testing.T) {
	s := &server{version: 1, answers: true}
	run(t, s, func(*Feed) {
		pass(10 * time.Second)
		s.set(func() {
			s.sockets = true
			s.version = 4
		})
		pass(31 * time.Second)
		before := len(s.seen().fetches)
		pass(30 * time.Second)
		fortest.Equal(t, len(s.seen().fetches), before, "polling continues beside a working socket")
	})
	fortest.Equal(t, s.seen().shown[len(s.seen().shown)-1], 4, "shown at last")
}

func TestOfflineAndOnline(t *testing.T) {
	s := &server{version: 1}
	run(t, s, func(*Feed) {
		pass(10 * time.Second)
		s.set(func() { s.answers = true })
		pass(60 * time.Second)
	})
	if want := []bool{true, false}; !slices.Equal(s.seen().offline, want) {
		t.Errorf("offline %v; want %v", s.seen().offline, want)
	}
}

func TestResumeFetchesAtOnce(t *testing.T) {
	s := &server{version: 1, sockets: true, answers: true}
	run(t, s, func(f *Feed) {
		s.set(func() { s.version = 6 }) // and the socket is silent: it is dead
		f.Resume()
		synctest.Wait()
		if !slices.Contains(s.seen().shown, 6) {
			t.Errorf("shown %v right after coming back; want 6", s.seen().shown)
		}
		pass(2 * time.Second)
		fortest.Equal(t, len(s.seen().open), 2, "sockets; the dead one was not replaced")
	})
}

// A fetch that fails beside a socket leads to a new socket.
func TestFetchFailureClosesSocket(t *testing.T) {
	s := &server{version: 1, sockets: true}
	run(t, s, func(f *Feed) {
		f.Resume()
		pass(2 * time.Second)
	})
	got := s.seen()
	if len(got.open) != 2 || !slices.Equal(got.offline, []bool{true, false}) {
		t.Errorf("%d sockets, offline %v; want another one, and offline, then online", len(got.open), got.offline)
	}
}

// A view that is fetched beside a deduplicating socket will update, like the socket's own.
func TestWillUpdate(t *testing.T) {
	s := &server{version: 1, sockets: true, answers: true, dedupe: true}
	run(t, s, func(f *Feed) {
		f.Resume()
		synctest.Wait()
		if !f.WillUpdate() {
			t.Error("an open socket will not update")
		}
		s.set(func() { s.sockets = false })
		s.open[0].Close()
		pass(10 * time.Second)
		if f.WillUpdate() {
			t.Error("a closed socket will update")
		}
	})
	if u := s.seen().updates; len(u) < 3 || !u[0] || !u[1] || u[2] {
		t.Errorf("updates %v; want those of an open socket only", u)
	}
}

func TestPauseClosesSocket(t *testing.T) {
	s := &server{version: 1, sockets: true, answers: true}
	run(t, s, func(f *Feed) {
		f.Pause()
		f.Pause()
		synctest.Wait()
		f.requestFetch() // as a click does just before
		synctest.Wait()
		select {
		case <-s.seen().open[0].closed:
		default:
			t.Error("the socket stays open while paused")
		}
		pass(time.Hour)
		if len(s.seen().dials) != 1 || len(s.seen().fetches) != 0 {
			t.Errorf("%d sockets and %d fetches while paused", len(s.seen().dials), len(s.seen().fetches))
		}
		s.set(func() { s.version = 8 })
		f.Resume()
		synctest.Wait()
		if !slices.Contains(s.seen().shown, 8) {
			t.Errorf("shown %v after coming back; want 8", s.seen().shown)
		}
	})
}

func TestSilentSocketIsReplaced(t *testing.T) {
	s := &server{version: 1, sockets: true, answers: true}
	run(t, s, func(*Feed) { pass(readTimeout + 2*time.Second) })
	if len(s.seen().open) != 2 {
		t.Errorf("%d sockets after a silence of %v; want 2", len(s.seen().open), readTimeout)
	}
}

// A deduplicating socket may be silent for hours.
func TestDedupedSocketIsKept(t *testing.T) {
	s := &server{version: 1, sockets: true, answers: true, dedupe: true}
	run(t, s, func(*Feed) { pass(time.Hour) })
	if got := s.seen(); len(got.open) != 1 || len(got.fetches) != 0 {
		t.Errorf("%d sockets and %d fetches in an hour; want one and none", len(got.open), len(got.fetches))
	}
}

// A proxy may hold back the handshake, or all that follows. Polling begins soon, keeps its pace from
// one socket to the next, and ends when a socket delivers.
func TestPollingBesideSilentSocket(t *testing.T) {
	for name, s := range map[string]*server{
		"no handshake": {version: 1, answers: true, sockets: true, hangs: true},
		"no message":   {version: 1, answers: true, sockets: true, silent: true},
		"no message, deduplicated": {
			version: 1,
			answers: true,
			sockets: true,
			silent:  true,
			dedupe:  true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, s, func(*Feed) {
				pass(10 * time.Second)
				s.set(func() { s.version = 2 })
				pass(3 * readTimeout)
				if len(s.seen().dials) < 3 {
					t.Errorf("sockets opened at %v; want dead ones replaced", s.seen().dials)
				}
				s.assertPolled(t, 0, time.Since(s.start))
				if shown := s.seen().shown; len(shown) == 0 || shown[len(shown)-1] != 2 {
					t.Errorf("shown %v; want the news", shown)
				}
				for _, willUpdate := range s.seen().updates {
					if willUpdate {
						t.Fatal("a silent socket will update")
					}
				}
				s.set(func() {
					s.hangs = false
					s.silent = false
				})
				pass(2*readTimeout + maxDialBackoff)
				before := len(s.seen().fetches)
				s.push(3)
				pass(readTimeout / 2)
				fortest.Equal(t, len(s.seen().fetches), before, "fetches beside a working socket")
			})
		})
	}
}

// The first message ends polling, however late it is.
func TestPollingEndsWithFirstMessage(t *testing.T) {
	s := &server{version: 1, answers: true, sockets: true, silent: true, dedupe: true}
	run(t, s, func(*Feed) {
		pass(20 * time.Second)
		s.assertPolled(t, 0, time.Since(s.start))
		s.push(2)
		synctest.Wait()
		before := len(s.seen().fetches)
		pass(time.Hour)
		fortest.Equal(t, len(s.seen().fetches), before, "fetches after the first message")
		fortest.Equal(t, len(s.seen().open), 1, "sockets")
	})
}

// A socket that has delivered and falls silent does not count until it delivers again.
func TestPollingBesideSocketThatFallsSilent(t *testing.T) {
	s := &server{version: 1, answers: true, sockets: true, dedupe: true}
	run(t, s, func(f *Feed) {
		pass(time.Minute)
		fortest.Equal(t, len(s.seen().fetches), 0, "fetches beside a working socket")
		s.fallSilent()
		synctest.Wait()
		if f.WillUpdate() {
			t.Error("a silent socket will update")
		}
		pass(20 * time.Second)
		s.assertPolled(t, time.Minute, time.Since(s.start))
		s.push(2)
		synctest.Wait()
		before := len(s.seen().fetches)
		pass(time.Hour)
		fortest.Equal(t, len(s.seen().fetches), before, "fetches after the socket delivers again")
		if !f.WillUpdate() {
			t.Error("a socket that delivers will not update")
		}
	})
}

// Coming back fetches at once, also while the socket is being opened or silent, and keeps both.
func TestResumeBesideSilentSocket(t *testing.T) {
	for name, s := range map[string]*server{
		"no handshake": {version: 1, answers: true, sockets: true, hangs: true},
		"no message":   {version: 1, answers: true, sockets: true, silent: true},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, s, func(f *Feed) {
				pass(time.Second)
				s.set(func() { s.version = 2 })
				f.Resume()
				synctest.Wait()
				fortest.Equal(t, len(s.seen().fetches), 1, "fetches at once")
				fortest.Equal(t, len(s.seen().dials), 1, "sockets")
			})
		})
	}
}
