package rules

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/gateway"
	"coinslot/bff/payment"
	"coinslot/bff/poller"
	"coinslot/bff/sandbox"
	"coinslot/bff/store"
)

// clock is moved by hand.
type clock struct {
	mu sync.Mutex // guards at
	at time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) { c.set(c.Now().Add(d)) }

// set never goes back.
func (c *clock) set(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to.After(c.at) {
		c.at = to
	}
}

const hook = "https://shop.example/hook"

// openStore opens the database of a test. now may be nil.
func openStore(t *testing.T, path string, now func() time.Time, endpoints ...string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: path, Endpoints: endpoints, Now: now})
	fortest.OK(t, err)
	return db
}

// scratch returns a directory for a test's databases: in memory where the
// system offers that, since nothing here is about what a disk keeps.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "coinslot-torture-") //nolint:usetesting // t.TempDir is on a disk
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// op is one action.
type op struct {
	name string
	do   func() error
}

// world is a checkout with everything around it, for one session. What is still to happen in it is
// in pending, and happens at any seam: between two requests to the gateway or two accesses to the
// database of what is under way, as deep as maxDepth, or, if it is parallel, by real goroutines.
type world struct {
	t        *testing.T
	ctx      context.Context
	rng      *rand.Rand // of the scheduler; not for goroutines
	clock    *clock
	gateway  *sandbox.Server
	db       *store.DB
	service  *checkout.Service
	id       string // of the session
	parallel bool
	faults   int // of a hundred requests that read or cancel

	mu      sync.Mutex // guards the fields below, but for what one goroutine at a time does
	pending []op
	depth   int
	stale   []payment.Session // as claimed earlier
	shown   []string          // tracking codes whose address was shown, oldest first
	trace   []string
	wrong   []string // violations
}

const maxDepth = 4

var dawn = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// newWorld returns one whose gateway repeats itself for a seed. db is shared by
// the worlds of a test: nothing is ever due in one that has ended.
func newWorld(t *testing.T, db *store.DB, c *clock, seed, round uint64) *world {
	t.Helper()
	w := &world{t: t, ctx: t.Context(), rng: rand.New(rand.NewPCG(seed, round)), db: db, clock: c}
	c.mu.Lock()
	c.at = dawn.Add(time.Duration(w.rng.IntN(3_600_000)) * time.Millisecond)
	c.mu.Unlock()
	w.gateway = sandbox.New(sandbox.Config{Now: c.Now, Seed: int64(w.rng.Uint64() >> 1)})
	client := fortest.Must(gateway.New(gateway.Config{URL: "http://127.0.0.1:9", Key: sandbox.DefaultKey, Transport: link{w}, Now: c.Now}))(t)
	w.service = checkout.New(checkout.Config{
		Store: seams{db, w}, Gateway: client, Page: "https://shop.example/checkout/", PaymentPage: "http://127.0.0.1:9/pay",
		Now: c.Now, Watched: func(string) bool { return round%2 == 0 },
	})
	return w
}

// instance is a poller of its own, as each process has one.
func (w *world) instance() *poller.Poller {
	return poller.New(poller.Config{Store: w.db, Now: w.clock.Now, Concurrency: 4, Process: func(ctx context.Context, s payment.Session) error {
		w.keep(s)
		return w.log("process", w.service.Process(ctx, s))
	}})
}

// keep remembers a claimed session, to be processed again when the world has moved on.
func (w *world) keep(s payment.Session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stale = append(w.stale, s)
}

// log adds a line to the history and returns err.
func (w *world) log(what string, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	line := w.clock.Now().Format("02 15:04:05.000 ") + strings.Repeat(" ", w.depth) + what
	if err != nil {
		line += ": " + err.Error()
	}
	if len(w.trace) < 400 {
		w.trace = append(w.trace, line)
	}
	return err
}

// fail notes a violation.
func (w *world) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.log("VIOLATION "+text, nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong = append(w.wrong, text)
}

// seam is a moment at which something else may happen.
func (w *world) seam() {
	if w.parallel || w.depth >= maxDepth || len(w.pending) == 0 || w.rng.IntN(5) != 0 {
		return
	}
	w.next()
}

// next lets one of what is pending happen.
func (w *world) next() {
	i := w.rng.IntN(len(w.pending))
	o := w.pending[i]
	w.pending = append(w.pending[:i:i], w.pending[i+1:]...)
	w.depth++
	w.run(o)
	w.depth--
}

// run does o and looks at what is to be seen after it.
func (w *world) run(o op) {
	w.log(o.name+" …", nil)
	err := w.log(o.name, o.do())
	if problem := unexpected(err); problem != nil {
		w.fail("%s = %v", o.name, problem)
	}
	if !w.parallel {
		w.checkShown()
	}
}

// link carries requests to the gateway without a socket.
type link struct{ w *world }

var errCut = errors.New("connection reset")

func (l link) RoundTrip(r *http.Request) (*http.Response, error) {
	last := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	if strings.Contains(r.URL.Path, "currenc") { // renewed by a goroutine of its own
		return l.carry(r), nil
	}
	l.w.seam()
	if l.w.connectionCut(r, last) {
		return nil, errCut
	}
	answer := l.carry(r)
	l.w.seam()
	if l.w.connectionCut(r, last) {
		return nil, errCut
	}
	return answer, nil
}

// connectionCut reports whether the connection breaks now. Of a create it never does:
// that is another test's.
func (w *world) connectionCut(r *http.Request, last string) bool {
	if w.faults == 0 || strings.Contains(r.URL.Path, "create") {
		return false
	}
	w.mu.Lock()
	lost := w.rng.IntN(100) < w.faults
	w.mu.Unlock()
	if lost {
		w.log("lost "+last, nil)
	}
	return lost
}

func (l link) carry(r *http.Request) *http.Response {
	in := r.Clone(r.Context())
	in.RequestURI, in.Host, in.RemoteAddr = r.URL.RequestURI(), r.URL.Host, "127.0.0.1:1"
	if in.Body == nil {
		in.Body = http.NoBody
	}
	out := httptest.NewRecorder()
	l.w.gateway.ServeHTTP(out, in)
	return out.Result()
}

// seams is the database with a seam before and after what one access does.
type seams struct {
	checkout.Store
	w *world
}

func (s seams) Session(ctx context.Context, id string) (payment.Session, error) {
	s.w.seam()
	defer s.w.seam()
	return s.Store.Session(ctx, id)
}

func (s seams) Update(ctx context.Context, id string, change func(*payment.Session) ([]payment.Event, error)) (payment.Session, error) {
	s.w.seam()
	defer s.w.seam()
	return s.Store.Update(ctx, id, change)
}
