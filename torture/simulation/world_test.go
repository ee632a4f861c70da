package simulation

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"

	"github.com/shopspring/decimal"
)

// world is one seed: everything that happens in it follows from that.
type world struct {
	t          *testing.T
	rng        *rand.Rand // of the scheduler; no other goroutine may draw
	defect     string     // that is built in; "" = none
	tracing    bool
	gateway    *checkouttest.Gateway
	db         *memory
	slots      []*instance // that run
	born       int         // instances, ever
	started    int         // actors, ever
	faults     int         // of a hundred calls
	crashes    int         // of a thousand steps
	healthy    time.Time   // since when there are no faults; zero = there are
	sessions   []*session
	unseen     map[string][]transfer // that the gateway has not noticed, by tracking code
	received   map[string][]byte     // by the merchant: bodies by event
	transfers  int
	dirty      bool              // something has changed that the invariants are about
	steps      int               // calls of ports
	lossy      bool              // a call has failed
	belated    map[string]bool   // tracking codes of creates that arrived late
	misled     map[string]bool   // tracking codes whose status was read wrongly
	actor      string            // whose call has its effect
	canceledBy map[string]string // actors by the transactions that they canceled
	reported   map[string]bool   // as canceled, by tracking code

	mu    sync.Mutex // guards the fields below and instance.dead
	calls []*call
	late  []lateCall
	ended []end
	trace []string
	wrong []string // violations
}

// transfer is a payment of a shopper.
type transfer struct {
	amount decimal.Decimal
	id     string
}

// end is how an actor ended.
type end struct {
	actor string
	loop  string // of in that it was; "" = none
	in    *instance
	err   error
	took  time.Duration
}

// result is what a seed has come to.
type result struct {
	wrong, trace []string
	steps        int
	ends         map[string]int
}

// simulate runs a seed. Only one may run at a time in a process.
func simulate(t *testing.T, seed uint64, defect string, tracing bool) (r result) {
	synctest.Test(t, func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, seed)
		w := &world{
			t: t, rng: rand.New(rand.NewPCG(seed, 0)), defect: defect, tracing: tracing,
			gateway: checkouttest.NewGateway(time.Now), unseen: map[string][]transfer{},
			received: map[string][]byte{}, belated: map[string]bool{},
			misled: map[string]bool{}, reported: map[string]bool{},
			canceledBy: map[string]string{},
		}
		w.db = &memory{endpoints: []string{hook}, committed: w.committed, defect: defect}
		w.live()
		r = result{w.wrong, w.trace, w.steps, w.ends()}
	})
	return r
}

// logf adds a line to the trace.
func (w *world) logf(format string, args ...any) {
	if w.tracing {
		at := time.Now().UTC().Format("02 15:04:05.000 ")
		w.trace = append(w.trace, at+fmt.Sprintf(format, args...))
	}
}

// failf notes a violation.
func (w *world) failf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.logf("VIOLATION %s", text)
	w.wrong = append(w.wrong, text)
}

// live lets a world run: first with faults, then until nothing is due any more.
func (w *world) live() {
	w.faults = []int{0, 5, 20}[w.rng.IntN(3)]
	w.crashes = []int{0, 4}[w.rng.IntN(2)]
	for range 1 + w.rng.IntN(3) {
		w.slots = append(w.slots, w.newInstance())
	}
	w.open()
	for range 100 + w.rng.IntN(500) {
		w.settled()
		w.step()
		if len(w.wrong) > 0 {
			break
		}
	}
	w.heal()
	for _, in := range w.slots {
		in.stop()
	}
	w.quiesce(2 * time.Minute) // what has died ends without effect
}

// quiesce waits until all goroutines wait, after d. They see what the scheduler has written, and
// it sees what they have.
func (w *world) quiesce(d time.Duration) {
	w.mu.Lock()
	w.mu.Unlock() //nolint:staticcheck // for the race detector
	time.Sleep(d)
	synctest.Wait()
	w.mu.Lock()
	w.mu.Unlock() //nolint:staticcheck // likewise
}

// settled waits until all goroutines wait, and checks the invariants.
func (w *world) settled() {
	w.quiesce(0)
	slices.SortStableFunc(w.calls, (*call).compare)
	for _, c := range w.calls {
		c.in.frozen = c.in.frozen && time.Now().Before(c.in.thaws)
	}
	slices.SortStableFunc(w.late, lateCall.compare)
	slices.SortFunc(w.ended, func(a, b end) int { return cmp.Compare(a.actor, b.actor) })
	for _, e := range w.ended {
		w.logf("end   %s: %v", e.actor, e.err)
		delete(e.in.busy, e.loop)
		w.checkEnd(e)
	}
	w.ended = w.ended[:0]
	if w.dirty {
		w.dirty = false
		w.check()
	}
}

// step draws what happens next.
func (w *world) step() {
	n := w.rng.IntN(1000)
	switch {
	case n < w.crashes:
		w.crash(w.rng.IntN(len(w.slots)))
	case n < 2*w.crashes:
		w.leave(w.rng.IntN(len(w.slots)))
	case n < 3*w.crashes:
		w.freeze(w.slots[w.rng.IntN(len(w.slots))])
	case len(w.calls) > 0 && n < 800:
		if i := w.rng.IntN(len(w.calls)); !w.calls[i].in.frozen {
			w.proceed(i)
		}
	case len(w.late) > 0 && n < 830:
		w.arrive()
	case n < 930:
		w.act()
	default:
		w.pass(w.draw(
			time.Duration(w.rng.IntN(1000))*time.Millisecond,
			time.Duration(w.rng.IntN(16))*time.Second,
			time.Duration(w.rng.IntN(120))*time.Second,
			time.Duration(w.rng.IntN(30))*time.Minute,
		))
	}
}

// draw returns one of list, the first ones more often.
func (w *world) draw(list ...time.Duration) time.Duration {
	return list[w.rng.IntN(1+w.rng.IntN(len(list)))]
}

// pass lets time pass.
func (w *world) pass(d time.Duration) {
	w.logf("pass  %v", d)
	w.quiesce(d)
	w.dirty = true
}

// proceed lets the nth call go on.
func (w *world) proceed(n int) {
	w.steps++
	c := w.calls[n]
	w.calls = slices.Delete(w.calls, n, n+1)
	d := w.decide(c)
	if w.tracing {
		w.logf("  %s: %s %s %s %t: %v", c.actor, c.port, c.method, c.arg, c.answers, d)
	}
	c.decision <- d
}

// arrive lets a late request arrive at the gateway.
func (w *world) arrive() {
	l := w.late[0]
	w.late = w.late[1:]
	if time.Since(l.at) > time.Minute {
		return // it was lost
	}
	w.logf("late  %s %s", l.method, l.arg)
	w.dirty = true
	l.do()
	if all := w.gateway.All(); l.method == "create" && len(all) > 0 {
		w.belated[all[len(all)-1].TrackingCode] = true
	}
}

// freeze stops a process for a while. What it waits for happens meanwhile.
func (w *world) freeze(in *instance) {
	d := w.draw(20*time.Second, time.Minute, 15*time.Minute)
	w.logf("freeze @%d for %v", in.number, d)
	in.frozen, in.thaws = true, time.Now().Add(d)
}

// leave asks a process to stop. It goes on with what it has begun while another one starts.
func (w *world) leave(n int) {
	w.logf("leave @%d", w.slots[n].number)
	w.slots[n].stop()
	w.slots[n] = w.newInstance()
}

// crash ends a process. Of its calls under way some have their effect, and none is answered.
func (w *world) crash(n int) {
	in := w.slots[n]
	w.logf("crash @%d", in.number)
	in.dead, w.lossy = true, true
	w.calls = slices.DeleteFunc(w.calls, func(c *call) bool {
		if c.in != in {
			return false
		}
		d := decision{cut: errDead}
		if w.rng.IntN(2) == 0 {
			d = decision{lost: errDead}
		}
		w.logf("  %s: %s %s %s: %v", c.actor, c.port, c.method, c.arg, d)
		c.decision <- d
		w.quiesce(0)
		return true
	})
	in.stop()
	w.quiesce(0)
	w.slots[n] = w.newInstance()
	if len(w.slots) == 1 {
		w.slots[n].loop("recover", w.slots[n].service.Recover)
	}
}

// heal ends all faults and lets time pass until nothing is due any more.
func (w *world) heal() {
	w.settled()
	for range len(w.late) {
		w.arrive()
	}
	for _, c := range w.calls {
		c.in.frozen = false
	}
	for _, in := range w.slots {
		in.frozen = false
	}
	w.logf("heal")
	w.faults, w.crashes, w.healthy = 0, 0, time.Now()
	checked := false
	for range 20_000 {
		w.settled()
		if len(w.wrong) > 0 {
			return
		}
		if len(w.calls) > 0 {
			w.proceed(0)
			continue
		}
		if !checked && time.Since(w.healthy) > reconciled {
			checked = true
			w.checkKnown()
		}
		due := w.db.nextDue()
		if due.IsZero() && checked {
			w.checkFinal()
			return
		}
		if due.IsZero() {
			due = w.healthy.Add(reconciled)
		}
		pause := time.Second
		if checked { // then the pollers are slow
			pause = time.Duration(w.rng.IntN(600)) * time.Second
		}
		w.pass(max(time.Until(due), 0) + pause)
		in := w.slots[w.rng.IntN(len(w.slots))]
		in.poll()
		in.deliver()
	}
	w.failf("I12: something is due for ever")
}

// nextDue is when the next session or delivery is due; zero = never.
func (m *memory) nextDue() (next time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for _, r := range m.rows {
		sooner(r.DueAt)
	}
	for _, d := range m.deliveries {
		if !d.done {
			sooner(d.next)
		}
	}
	return next
}

// receive is the merchant's endpoint.
func (w *world) receive(d webhook.Delivery) {
	if old, twice := w.received[d.EventID]; twice && string(old) != string(d.Body) {
		w.failf("I5: %s has another body than before", d.EventID)
	}
	w.received[d.EventID] = d.Body
}

// shared is the id of a transfer by which an exchange pays several orders at once.
const shared = "0xshared"

// pay sends money to a transaction, whatever has become of it. What comes after the end the
// gateway notices when it is asked to check again.
func (w *world) pay(code string, amount decimal.Decimal) {
	w.transfers++
	t := transfer{amount, fmt.Sprintf("0x%d", w.transfers)}
	if w.rng.IntN(30) == 0 {
		t.id = shared
	}
	w.logf("pay   %s to %s by %s", amount, code, t.id)
	if tx := w.transaction(code); payment.HasEnded(tx.Status) {
		w.unseen[code] = append(w.unseen[code], t)
		return
	}
	w.gateway.Pay(code, amount, t.id)
}

// seeLateTransfers lets the gateway notice them.
func (w *world) seeLateTransfers(code string) {
	for _, t := range w.unseen[code] {
		w.gateway.Pay(code, t.amount, t.id)
	}
	delete(w.unseen, code)
}

// transaction returns a transaction of the gateway; the zero value if there is none.
func (w *world) transaction(code string) (found checkouttest.Transaction) {
	for _, tx := range w.gateway.All() {
		if tx.TrackingCode == code {
			return tx
		}
	}
	return found
}

// client runs a use case at some instance.
func (w *world) client(name string, do func(in *instance, ctx context.Context) error) {
	in := w.slots[w.rng.IntN(len(w.slots))]
	in.start(name, "", func(ctx context.Context) error { return do(in, ctx) })
}
