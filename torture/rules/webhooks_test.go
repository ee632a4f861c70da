package rules

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/store"
	"coinslot/bff/webhook"
	"coinslot/e2e/need"
	"coinslot/torture/goal"

	"github.com/shopspring/decimal"
)

var secrets = []string{
	"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgaw3Q7cM=",
}

// verify checks a message as the Standard Webhooks specification has it, with nothing of ours:
// every secret in use has to have signed it, and the time has to be about now.
func verify(h http.Header, body []byte, now time.Time, inUse []string) error {
	id, stamp := h.Get("webhook-id"), h.Get("webhook-timestamp")
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || id == "" || now.Unix()-at > 300 || at-now.Unix() > 300 {
		return fmt.Errorf("id %q, timestamp %q at %d", id, stamp, now.Unix())
	}
	for _, secret := range inUse {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			return err
		}
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
		want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		if !slices.Contains(strings.Fields(h.Get("webhook-signature")), want) {
			return fmt.Errorf("no signature of %s is by secret %d", id,
				slices.Index(secrets, secret)+1)
		}
	}
	return nil
}

// receiver is a merchant's endpoint, over a real socket. Of a hundred answers
// fails are failures of some kind.
type receiver struct {
	server   *httptest.Server
	now      func() time.Time
	fails    atomic.Int64
	down     atomic.Bool   // every connection is cut, or refused by a 503
	die      atomic.Int64  // after so many more deliveries the sender dies; below zero = never
	dying    func()        // what that does
	patience time.Duration // how long a try may take

	mu     sync.Mutex // guards the fields below
	rng    *rand.Rand
	inUse  []string          // secrets
	bodies map[string]string // by id, as first received
	acked  map[string]int    // 2xx answers by id
	tries  int
	wrong  []string
}

func newReceiver(
	t *testing.T, now func() time.Time, seed uint64, patience time.Duration,
) *receiver {
	r := &receiver{
		now: now, rng: rand.New(rand.NewPCG(seed, 99)), inUse: secrets[:1], patience: patience,
		bodies: map[string]string{}, acked: map[string]int{}, dying: func() {},
	}
	r.die.Store(-1)
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	return r
}

// take notes what has come and draws what to answer.
func (r *receiver) take(in *http.Request, body []byte) (id string, draw int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id = in.Header.Get("webhook-id")
	r.tries++
	if err := verify(in.Header, body, r.now(), r.inUse); err != nil {
		r.wrong = append(r.wrong, err.Error())
	}
	if first, seen := r.bodies[id]; seen && first != string(body) {
		r.wrong = append(r.wrong, "another body for "+id)
	}
	if in.URL.Path != "/hook" {
		r.wrong = append(r.wrong, "a redirect was followed to "+in.URL.Path)
	}
	r.bodies[id] = string(body)
	if int64(r.rng.IntN(100)) >= r.fails.Load() && !r.down.Load() {
		return id, -1
	}
	return id, r.rng.IntN(20)
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		return
	}
	id, draw := r.take(in, body)
	if r.die.Add(-1) == 0 {
		r.dying()
	}
	switch {
	case draw < 0:
		r.mu.Lock()
		r.acked[id]++
		r.mu.Unlock()
		w.WriteHeader([]int{200, 201, 202, 204}[len(body)%4])
	case draw < 5:
		w.WriteHeader(http.StatusInternalServerError)
	case draw < 10: // hangs up
		panic(http.ErrAbortHandler)
	case draw < 13:
		w.Header().Set("Retry-After", strconv.Itoa(draw*60))
		w.WriteHeader(http.StatusTooManyRequests)
	case draw < 16:
		http.Redirect(w, in, "/elsewhere", []int{301, 302, 307, 308}[draw%4])
	case draw < 19 || r.down.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
	default: // longer than anyone waits
		select {
		case <-in.Context().Done():
		case <-time.After(10 * r.patience):
		}
	}
}

func (r *receiver) rotate(inUse []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inUse = inUse
}

// crashingOutbox is the outbox of a process that can be killed: from then on nothing
// that it does arrives.
type crashingOutbox struct {
	*store.DB
	dead atomic.Bool
}

var errCrashed = errors.New("killed")

func (m *crashingOutbox) ClaimDeliveries(
	ctx context.Context, now time.Time, lease time.Duration, limit int, endpoints []string,
) ([]webhook.Delivery, error) {
	if m.dead.Load() {
		return nil, errCrashed
	}
	return m.DB.ClaimDeliveries(ctx, now, lease, limit, endpoints)
}

func (m *crashingOutbox) RecordResult(
	ctx context.Context, d webhook.Delivery, r webhook.DeliveryResult,
) error {
	if m.dead.Load() {
		return errCrashed
	}
	return m.DB.RecordResult(ctx, d, r)
}

// deliverer commits events to a database, each in the change of a session.
type deliverer struct {
	t       *testing.T
	session string
	n       int
	bodies  map[string]string // by id
}

func newDeliverer(t *testing.T, db *store.DB, now time.Time) *deliverer {
	t.Helper()
	s := payment.Session{
		ID:        payment.NewSessionID(),
		Status:    wire.Open,
		CreatedAt: now,
		ExpiresAt: now.Add(time.Hour),
		Order:     payment.Order{AmountUSD: decimal.RequireFromString("25")},
	}
	fortest.Must(db.Insert(t.Context(), s))(t)
	return &deliverer{t: t, session: s.ID, bodies: map[string]string{}}
}

// tell commits that many events in one change and returns their ids.
func (l *deliverer) tell(db *store.DB, count int, now time.Time) (ids []string) {
	l.t.Helper()
	var events []payment.Event
	for range count {
		l.n++
		id := fmt.Sprintf("evt_%08d", l.n)
		body := fmt.Sprintf(`{"type":"checkout.confirmed","data":{"n":%d,"pad":"%s"}}`, l.n,
			strings.Repeat("x", l.n%50))
		events = append(events, payment.Event{
			ID:      id,
			Type:    payment.EventConfirmed,
			Session: l.session,
			At:      now,
			Body:    []byte(body),
		})
		l.bodies[id] = body
		ids = append(ids, id)
	}
	fortest.Must(db.Update(l.t.Context(), l.session, 0,
		func(*payment.Session) ([]payment.Event, error) { return events, nil }))(l.t)
	return ids
}

// deliveryRun is a sender over a database that is killed and begun anew.
type deliveryRun struct {
	t        *testing.T
	path     string
	clock    *checkouttest.Clock
	receiver *receiver
	outbox   *crashingOutbox
	sender   *webhook.Sender
	kills    int
}

// begin is the start of the process.
func (p *deliveryRun) begin(inUse []string) {
	p.t.Helper()
	endpoint := p.receiver.server.URL + "/hook"
	db, err := store.Open(p.t.Context(), store.Config{
		DSN: p.path, Endpoints: []string{endpoint}, Now: p.clock.Now,
	})
	fortest.OK(p.t, err)
	p.outbox = &crashingOutbox{DB: db}
	p.receiver.rotate(inUse)
	p.receiver.dying = func() { p.outbox.dead.Store(true) }
	p.sender, err = webhook.New(webhook.Config{
		Outbox:       p.outbox,
		Endpoints:    []string{endpoint},
		Secrets:      inUse,
		AllowPrivate: true,
		Timeout:      p.receiver.patience,
		Now:          p.clock.Now,
	})
	fortest.OK(p.t, err)
}

// kill ends the process in the middle of its tries, with more of them claimed
// and not begun, and starts it anew.
func (p *deliveryRun) kill(n int, inUse []string) {
	p.t.Helper()
	p.kills++
	p.receiver.die.Store(int64(1 + n%4))
	p.pass()
	p.receiver.die.Store(-1)
	fortest.Must(p.outbox.DB.ClaimDeliveries(p.t.Context(), p.clock.Now(), time.Minute, 3,
		[]string{p.receiver.server.URL + "/hook"}))(p.t)
	p.end()
	p.begin(inUse)
}

func (p *deliveryRun) end() {
	p.t.Helper()
	p.outbox.dead.Store(true)
	fortest.OK(p.t, p.outbox.DB.Close())
}

// pass makes tries until nothing is due.
func (p *deliveryRun) pass() {
	p.t.Helper()
	for {
		n, err := p.sender.Pass(p.t.Context())
		if err != nil && !p.outbox.dead.Load() {
			p.t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// outage is 29 days in which nothing is taken, seen through by steps, with a kill in the middle.
func (p *deliveryRun) outage(days int) {
	p.receiver.down.Store(true)
	defer p.receiver.down.Store(false)
	for hour := range days * 24 {
		p.clock.Move(time.Hour)
		p.pass()
		if hour == days*12 {
			p.kill(hour, secrets[1:])
		}
	}
}

// scratch returns a directory for a test's databases: in memory where the
// system offers that, since nothing here is about what a disk keeps.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "coinslot-torture-") //nolint:usetesting // not on a disk
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// TestTortureWebhooks: an event that was committed arrives, whatever the receiver answers, whenever
// the sender dies and however long the receiver is away.
func TestTortureWebhooks(t *testing.T) {
	need.Long(t, "it delivers hundreds of webhooks to a faulty receiver")
	began, seed := time.Now(), goal.Seed(t)
	rounds := goal.Rounds(300, 10_000)
	rng := rand.New(rand.NewPCG(seed, 0))
	c := &checkouttest.Clock{At: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)}
	r := newReceiver(
		t,
		c.Now,
		seed,
		1500*time.Millisecond,
	) // a machine that is busy answers late: by then the clock must not have moved
	p := &deliveryRun{t: t, path: filepath.Join(scratch(t), "coinslot.db"), clock: c, receiver: r}
	p.begin(secrets[:1])
	l := newDeliverer(t, p.outbox.DB, c.Now())

	// The last of them are committed into the outage.
	every, away := min(500, rounds/6), max(10, min(500, rounds/20))
	r.fails.Store(30)
	rotation := [][]string{secrets[:1], {secrets[1], secrets[0]}, secrets[1:]}
	for l.n < rounds-away {
		before := l.n / every
		l.tell(p.outbox.DB, min(1+rng.IntN(8), rounds-away-l.n), c.Now())
		if l.n/every > before {
			p.kill(l.n, rotation[min(p.kills, len(rotation)-1)])
		}
		c.Move(time.Duration(rng.IntN(20_000)) * time.Millisecond)
		p.pass()
	}
	l.tell(p.outbox.DB, away, c.Now())
	faulty := r.tries
	p.outage(29)
	r.fails.Store(0)
	for range 30 { // the longest pause is 24 hours and a tenth
		c.Move(time.Hour)
		p.pass()
	}
	p.end()

	violations := len(r.wrong)
	for _, why := range r.wrong[:min(5, len(r.wrong))] {
		t.Error(why)
	}
	lost, again := 0, 0
	for id, body := range l.bodies {
		switch n := r.acked[id]; {
		case n == 0 || r.bodies[id] != body:
			if lost++; lost <= 5 {
				t.Errorf("event %s: taken %d times, body %q", id, n, r.bodies[id])
			}
		default:
			again += n - 1
		}
	}
	goal.Report(t, goal.Result{
		Goal:       "webhooks",
		Rounds:     l.n,
		Wanted:     10_000,
		Violations: violations + lost,
		Seed:       seed,
		Took:       time.Since(began),
		Figure: fmt.Sprintf("events, %d tries of which %d in 29 days of outage for %d of them, %d kills: %d lost, %d duplicates, %d wrong signatures or bodies",
			r.tries, r.tries-faulty, away, p.kills, lost, again, violations),
	})
}
