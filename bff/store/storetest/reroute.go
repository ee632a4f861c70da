package storetest

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

// Starter starts a process on a database that no other process uses, with these webhook
// URLs. It returns when the process has done what it does at its start.
type Starter func(endpoints ...string) (b Backend, stop func())

// RunRerouting tests what becomes of deliveries when the webhook URL changes. open
// returns how to start processes on an empty database, by the clock now.
func RunRerouting(t *testing.T, open func(t *testing.T, now func() time.Time) Starter) {
	for name, test := range reroutingTests {
		t.Run(name, func(t *testing.T) {
			l := &restarts{t: t}
			l.clock.Store(epoch().Add(time.Minute).UnixMicro())
			l.open = open(t, func() time.Time { return time.UnixMicro(l.clock.Load()).UTC() })
			test(t, l)
		})
	}
}

// restarts are those of one process after another.
type restarts struct {
	t     *testing.T
	clock atomic.Int64 // microseconds
	open  Starter
	stop  func() // nil = no process runs
}

// restart ends the process, waits and starts it again with these URLs.
func (r *restarts) restart(wait time.Duration, endpoints ...string) Backend {
	r.t.Helper()
	if r.stop != nil {
		r.stop()
	}
	r.clock.Add(wait.Microseconds())
	b, stop := r.open(endpoints...)
	r.stop = stop
	return b
}

func (r *restarts) now() time.Time { return time.UnixMicro(r.clock.Load()).UTC() }

// fresh is one session.
func (r *restarts) session(b Backend) payment.Session { return inserted(r.t, b, fresh(1)) }

// brieflyDown is a restart that takes longer than another instance waits for this one.
const brieflyDown = 3 * time.Minute

func unrouted(t *testing.T, b Backend) (waiting map[string]int) {
	t.Helper()
	list := fortest.Must(b.Unrouted(t.Context()))(t)
	waiting = map[string]int{}
	for _, l := range list {
		waiting[l.Endpoint] = l.Waiting
	}
	return waiting
}

func reroute(t *testing.T, b Backend, endpoint string) webhook.Rerouted {
	return fortest.Must(b.Reroute(t.Context(), endpoint))(t)
}

// confirmed is the nth event of a session, of its end.
func confirmed(session string, n int) payment.Event {
	e := event(session, n)
	e.Type = payment.EventConfirmed
	return e
}

var reroutingTests = map[string]func(*testing.T, *restarts){
	"a replaced URL": func(t *testing.T, l *restarts) {
		b := l.restart(0, endA)
		s := l.session(b)
		list := []payment.Event{confirmed(s.ID, 0), confirmed(s.ID, 1), confirmed(s.ID, 2)}
		updated(t, b, s.ID, nothing, list...)
		sent(t, b, l.now(), endA, webhook.DeliveryResult{Delivered: true, Status: 200})
		sent(t, b, l.now(), endA, webhook.DeliveryResult{
			NextAt: l.now().AddDate(0, 0, 1),
			Note:   "no route",
		})

		b = l.restart(brieflyDown, endB)
		same(t, "unrouted", unrouted(t, b), map[string]int{})
		same(t, "deliveries to the old URL", claimTo(t, b, later().AddDate(0, 0, 40), 9, endA),
			[]webhook.Delivery(nil))
		var want []webhook.Delivery // with all the time to be tried, in their order
		for _, e := range list[1:] {
			want = append(want, webhook.Delivery{
				EventID:   e.ID,
				Endpoint:  endB,
				Type:      e.Type,
				Session:   s.ID,
				Body:      e.Body,
				CreatedAt: l.now(),
			})
		}

		same(t, "deliveries to the new URL", claimTo(t, b, l.now(), 9, endB), want)
	},
	"a URL that is put back": func(t *testing.T, l *restarts) {
		b := l.restart(0, endA)
		s := l.session(b)
		updated(t, b, s.ID, nothing, confirmed(s.ID, 0), confirmed(s.ID, 1))
		l.restart(brieflyDown, endB)
		b = l.restart(brieflyDown, endB)
		sent(t, b, l.now(), endB, webhook.DeliveryResult{Delivered: true, Status: 200})
		b = l.restart(brieflyDown, endA)
		same(t, "deliveries", eventIDs(claimTo(t, b, l.now(), 9, endA, endB)),
			[]string{confirmed(s.ID, 1).ID})
	},
	"one of two URLs is replaced": func(t *testing.T, l *restarts) {
		const third = "https://c.example/hook"
		b := l.restart(0, endA, endB)
		s := l.session(b)
		updated(t, b, s.ID, nothing, confirmed(s.ID, 0))
		b = l.restart(brieflyDown, third, endB)
		for _, endpoint := range []string{endB, third} {
			same(t, "deliveries to "+endpoint, len(claimTo(t, b, l.now(), 9, endpoint)), 1)
		}
		same(t, "unrouted", unrouted(t, b), map[string]int{})
	},
	// Every URL that is left has the event, so that it is unknown whether it is to be
	// delivered once more: an operator decides.
	"a URL that is removed": func(t *testing.T, l *restarts) {
		b := l.restart(0, endA, endB)
		s := l.session(b)
		updated(t, b, s.ID, nothing, confirmed(s.ID, 0))
		sent(t, b, l.now(), endB, webhook.DeliveryResult{Delivered: true, Status: 200})
		b = l.restart(brieflyDown, endB)
		same(t, "unrouted", unrouted(t, b), map[string]int{endA: 1})
		same(t, "Reroute", reroute(t, b, endA), webhook.Rerouted{Closed: 1})
		same(t, "unrouted afterwards", unrouted(t, b), map[string]int{})
		same(t, "deliveries", claimTo(t, b, later().AddDate(0, 0, 40), 9, endA, endB),
			[]webhook.Delivery(nil))
		rows := listDeliveries(t, b, webhook.DeliveryQuery{}).Rows
		if len(rows) != 2 || rows[1].State != webhook.DeliveryAbandoned || rows[1].Note == "" {
			t.Errorf("deliveries = %v; want the one to the removed URL closed, with a note",
				brief(rows))
		}
	},
	"deliveries of more than 30 days": func(t *testing.T, l *restarts) {
		b := l.restart(0, endA)
		s := l.session(b)
		updated(t, b, s.ID, nothing, confirmed(s.ID, 0))
		b = l.restart(40*24*time.Hour, endB)
		same(t, "unrouted", unrouted(t, b), map[string]int{endA: 1})
		same(t, "deliveries", claimTo(t, b, l.now(), 9, endB), []webhook.Delivery(nil))
		same(t, "Reroute", reroute(t, b, endA), webhook.Rerouted{Moved: 1})
		same(t, "deliveries afterwards", eventIDs(claimTo(t, b, l.now(), 9, endA, endB)),
			[]string{confirmed(s.ID, 0).ID})
	},
	// The first URL gets the events of the last 30 days, without what is over.
	"a URL that is set later": func(t *testing.T, l *restarts) {
		b := l.restart(0)
		s := l.session(b)
		old := confirmed(s.ID, 9)
		old.At = l.now().AddDate(0, 0, -20)
		updated(t, b, s.ID, nothing, old, event(s.ID, 0), confirmed(s.ID, 1))
		b = l.restart(15*24*time.Hour, endA)
		want := []string{confirmed(s.ID, 1).ID}
		same(t, "deliveries", eventIDs(claimTo(t, b, l.now(), 9, endA)), want)
		b = l.restart(brieflyDown, endA, endB)
		same(t, "deliveries to a second URL", claimTo(t, b, l.now(), 9, endB),
			[]webhook.Delivery(nil))
		same(t, "deliveries after another start", eventIDs(claimTo(t, b, l.now(), 9, endA)), want)
	},
	"what cannot be moved by an operator": func(t *testing.T, l *restarts) {
		b := l.restart(0, endA)
		s := l.session(b)
		updated(t, b, s.ID, nothing, confirmed(s.ID, 0))
		for _, endpoint := range []string{endA, endB, "", "a\x00b"} {
			_, err := b.Reroute(t.Context(), endpoint)
			if !errors.Is(err, webhook.ErrEndpoint) {
				t.Errorf("Reroute(%q) = %v; want ErrEndpoint", endpoint, err)
			}
		}

		b = l.restart(brieflyDown)
		same(t, "unrouted without a URL", unrouted(t, b), map[string]int{endA: 1})
		_, err := b.Reroute(t.Context(), endA)
		if !errors.Is(err, webhook.ErrNoEndpoint) {
			t.Errorf("Reroute without a URL = %v; want ErrNoEndpoint", err)
		}
	},
	"more deliveries than one transaction": func(t *testing.T, l *restarts) {
		const many = 250
		b := l.restart(0, endA)
		s := l.session(b)
		var list []payment.Event
		var want []string
		for n := range many {
			list = append(list, confirmed(s.ID, n))
			want = append(want, confirmed(s.ID, n).ID)
		}

		updated(t, b, s.ID, nothing, list...)
		l.clock.Add((10 * time.Minute).Microseconds())
		b = l.restart(0, endB)
		same(t, "deliveries", eventIDs(claimTo(t, b, l.now(), 2*many, endA, endB)), want)
	},
}
