package feed

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
)

var errDown = errors.New("down")

// record is what a Feed has done.
type record struct {
	open    []*socket       // all that were opened
	dials   []time.Duration // since start
	fetches []time.Duration // since start
	got     []int64         // versions that the page was shown
	told    []bool          // of these, whether the page will be told of their time
	lost    []bool
}

// server is what a Feed talks to: a version, and which ways to it work.
type server struct {
	start time.Time

	mu      sync.Mutex // guards the fields below
	version int64
	sockets bool // Dial works
	answers bool // Fetch works
	dedupe  bool // sockets tell of the time by themselves
	record
}

// seen returns what has been done so far.
func (s *server) seen() record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return record{slices.Clone(s.open), slices.Clone(s.dials), slices.Clone(s.fetches), slices.Clone(s.got), slices.Clone(s.told), slices.Clone(s.lost)}
}

type socket struct {
	views   chan wire.View // capacity 8
	closed  chan struct{}
	once    sync.Once
	deduped bool // tells of the time by itself
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

func (s *socket) Deduped() bool { return s.deduped && !s.isClosed() }

func (s *socket) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

func (s *socket) Close() { s.once.Do(func() { close(s.closed) }) }

func (s *server) dial(context.Context) (Socket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dials = append(s.dials, time.Since(s.start))
	if !s.sockets {
		return nil, errDown
	}
	c := &socket{views: make(chan wire.View, 8), closed: make(chan struct{}), deduped: s.dedupe}
	c.views <- wire.View{Version: s.version}
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

func (s *server) take(v wire.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got, s.told = append(s.got, v.Version), append(s.told, v.WillUpdate)
}

func (s *server) tell(lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = append(s.lost, lost)
}

// push sends a view on the newest socket.
func (s *server) push(version int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
	s.open[len(s.open)-1].views <- wire.View{Version: version}
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
		f := New(Config{Fetch: s.fetch, Dial: s.dial, OnView: s.take, OnOffline: s.tell, Version: 1, Random: func() float64 { return 0.5 }})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { f.Run(ctx); close(done) }()
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
	if want := []int64{1, 2, 2, 5}; !slices.Equal(s.seen().got, want) {
		t.Errorf("shown %v; want %v: an older version is dropped, an equal one is fresher", s.seen().got, want)
	}
	if len(s.seen().fetches) != 0 {
		t.Errorf("asked %d times beside a working socket", len(s.seen().fetches))
	}
}

func TestPollingTakesOver(t *testing.T) {
	s := &server{version: 3, answers: true}
	run(t, s, func(*Feed) {
		pass(900 * time.Millisecond)
		if len(s.seen().fetches) != 0 {
			t.Errorf("asked after %v, before the second socket failed", s.seen().fetches)
		}
		pass(20 * time.Second)
	})
	// The first socket fails at once, the second after half of 2 s; from then on
	// a question every 3 s within each pause between two sockets.
	if want := time.Second; len(s.seen().fetches) == 0 || s.seen().fetches[0] != want {
		t.Errorf("asked at %v; want first at %v", s.seen().fetches, want)
	}
	for i := 1; i < len(s.seen().fetches); i++ {
		if gap := s.seen().fetches[i] - s.seen().fetches[i-1]; gap > pollInterval {
			t.Errorf("a gap of %v between questions; want at most %v", gap, pollInterval)
		}
	}
	if len(s.seen().got) == 0 || s.seen().got[0] != 3 {
		t.Errorf("shown %v; want version 3", s.seen().got)
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
	if !slices.Equal(s.seen().dials, want) {
		t.Errorf("sockets opened at %v; want %v", s.seen().dials, want)
	}
}

func TestSocketReconnects(t *testing.T) {
	s := &server{version: 1, answers: true}
	run(t, s, func(*Feed) {
		pass(10 * time.Second)
		s.set(func() { s.sockets, s.version = true, 4 })
		pass(31 * time.Second)
		before := len(s.seen().fetches)
		pass(30 * time.Second)
		if len(s.seen().fetches) != before {
			t.Error("asking goes on beside a working socket")
		}
	})
	if last := s.seen().got[len(s.seen().got)-1]; last != 4 {
		t.Errorf("shown %d at last; want 4", last)
	}
}

func TestOfflineAndOnline(t *testing.T) {
	s := &server{version: 1}
	run(t, s, func(*Feed) {
		pass(10 * time.Second)
		s.set(func() { s.answers = true })
		pass(60 * time.Second)
	})
	if want := []bool{true, false}; !slices.Equal(s.seen().lost, want) {
		t.Errorf("told %v; want %v", s.seen().lost, want)
	}
}

func TestResumeFetchesAtOnce(t *testing.T) {
	s := &server{version: 1, sockets: true, answers: true}
	run(t, s, func(f *Feed) {
		s.set(func() { s.version = 6 }) // and the socket says nothing: it is dead
		f.Resume()
		synctest.Wait()
		if !slices.Contains(s.seen().got, 6) {
			t.Errorf("shown %v right after coming back; want 6", s.seen().got)
		}
		pass(2 * time.Second)
		if len(s.seen().open) != 2 {
			t.Errorf("%d sockets; the dead one was not exchanged", len(s.seen().open))
		}
	})
}

// A question that fails beside a socket, whichever of them it is, makes for a new one.
func TestFetchFailureClosesSocket(t *testing.T) {
	s := &server{version: 1, sockets: true}
	run(t, s, func(f *Feed) {
		f.Resume()
		pass(2 * time.Second)
	})
	if got := s.seen(); len(got.open) != 2 || !slices.Equal(got.lost, []bool{true, false}) {
		t.Errorf("%d sockets, told %v; want another one, and that the connection was lost and found", len(got.open), got.lost)
	}
}

// What is asked for beside such a socket is told of later, like what it has said
// itself; without one, nothing is.
func TestWillUpdate(t *testing.T) {
	s := &server{version: 1, sockets: true, answers: true, dedupe: true}
	run(t, s, func(f *Feed) {
		f.Resume()
		synctest.Wait()
		if !f.WillUpdate() {
			t.Error("an open socket tells nothing")
		}
		s.set(func() { s.sockets = false })
		s.open[0].Close()
		pass(10 * time.Second)
		if f.WillUpdate() {
			t.Error("a socket that is closed would tell")
		}
	})
	if told := s.seen().told; len(told) < 3 || !told[0] || !told[1] || told[2] {
		t.Errorf("told %v; want what came while the socket was open, and no more", told)
	}
}

func TestPauseClosesSocket(t *testing.T) {
	s := &server{version: 1, sockets: true, answers: true}
	run(t, s, func(f *Feed) {
		f.Pause()
		f.Pause()
		synctest.Wait()
		f.requestFetch() // as a click does in the moment of leaving
		synctest.Wait()
		select {
		case <-s.seen().open[0].closed:
		default:
			t.Error("the socket stays open while the page is left")
		}
		pass(time.Hour)
		if len(s.seen().dials) != 1 || len(s.seen().fetches) != 0 {
			t.Errorf("%d sockets and %d questions while the page is left", len(s.seen().dials), len(s.seen().fetches))
		}
		s.set(func() { s.version = 8 })
		f.Resume()
		synctest.Wait()
		if !slices.Contains(s.seen().got, 8) {
			t.Errorf("shown %v after coming back; want 8", s.seen().got)
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

// A deduped socket keeps repeats to itself: it may have nothing to say for hours.
func TestDedupedSocketIsKept(t *testing.T) {
	s := &server{version: 1, sockets: true, answers: true, dedupe: true}
	run(t, s, func(*Feed) { pass(time.Hour) })
	if got := s.seen(); len(got.open) != 1 || len(got.fetches) != 0 {
		t.Errorf("%d sockets and %d questions in an hour in which nothing was new; want one and none", len(got.open), len(got.fetches))
	}
}
