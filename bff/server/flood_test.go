package server

import (
	"context"
	"flag"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/limiter"
	"coinslot/bff/payment"
	"coinslot/bff/poller"
	"coinslot/bff/realtime"
	"coinslot/bff/sandbox"
	"coinslot/bff/store"

	"github.com/shopspring/decimal"
)

const (
	coin    = "USDT"
	network = "bep20"
)

// flood is a checkout with the default limiter, shoppers who pay with their page closed, and
// attackers who open sessions and never pay. Its clock is synctest's.
type flood struct {
	t       *testing.T
	gateway *sandbox.Server
	server  *Server
	unpaced *checkout.Service // whose calls take neither time nor a slot of the limiter

	mu         sync.Mutex // guards the fields below
	paid       map[string]time.Time
	detections []detection
	refused    int // honest shoppers who got no address
}

// detection is one payment: when it was made, and how long its confirmation took.
type detection struct {
	at   time.Time
	took time.Duration
}

func newFlood(t *testing.T) *flood {
	f := &flood{t: t, gateway: sandbox.New(sandbox.Config{Key: "key", Seed: 7}), paid: map[string]time.Time{}}
	db := fortest.Must(store.Open(t.Context(), store.Config{DSN: filepath.Join(t.TempDir(), "flood.db"), Now: time.Now}))(t)
	s := &Server{hub: realtime.NewHub(realtime.HubConfig{}), store: db}
	f.server = s
	service := func(rps int, takes time.Duration) (*checkout.Service, *limiter.Limiter) {
		c := config.Config{GatewayURL: "http://localhost:1", GatewayKey: config.NewSecret("key"), GatewayRPS: rps}
		client, admission, err := newGateway(c, Options{transport: GatewayTransport{f.gateway, takes}}, nil, nil)
		fortest.OK(t, err)
		return checkout.New(checkout.Config{
			Store: db, Gateway: creates{client}, Page: "https://pay.example/checkout/", Transitioned: f.moved, Now: time.Now,
		}), admission
	}
	s.checkout, s.limiter = service(10, 100*time.Millisecond)
	f.unpaced, _ = service(100_000, 0)
	s.poller = poller.New(poller.Config{
		Store: db, Process: s.process, Watched: s.hub.Sessions, WatchedInterval: 3 * time.Second,
		Interval: 500 * time.Millisecond, // a tenth of the turns, for the test to take less
	})
	s.listPoller = poller.NewListPoller(s.listPollConfig(slog.New(slog.DiscardHandler)))
	return f
}

// moved notes when a payment is confirmed.
func (f *flood) moved(_, s payment.Session) {
	if s.Status != wire.Confirmed {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if at, honest := f.paid[s.ID]; honest {
		f.detections = append(f.detections, detection{at, time.Since(at)})
		delete(f.paid, s.ID)
	}
}

// open opens a payment of so many minutes.
func open(ctx context.Context, c *checkout.Service, minutes int) (payment.Session, error) {
	s, _, err := c.Open(ctx, payment.Order{AmountUSD: decimal.NewFromInt(25), TTLMinutes: minutes}, "")
	if err != nil {
		return s, err
	}
	return c.Choose(ctx, s.ID, wire.Choice{CurrencySymbol: coin, NetworkCode: network})
}

// shop adds a shopper every three seconds until ctx ends. Each pays after half a minute to two
// minutes, with the page closed.
func (f *flood) shop(ctx context.Context) {
	random := rand.New(rand.NewPCG(1, 2))
	var shoppers sync.WaitGroup
	defer shoppers.Wait()
	for ctx.Err() == nil {
		pause := time.Duration(30+random.IntN(90))*time.Second + time.Duration(random.IntN(1000))*time.Millisecond
		shoppers.Go(func() {
			s, err := open(context.WithoutCancel(ctx), f.server.checkout, 30)
			if err != nil || s.Status != wire.Pending {
				f.mu.Lock()
				f.refused++
				f.mu.Unlock()
				return
			}
			if wait(ctx, pause) != nil {
				return
			}
			f.mu.Lock()
			f.paid[s.ID] = time.Now()
			f.mu.Unlock()
			_ = f.gateway.Pay(s.Attempts[0].TrackingCode, sandbox.KindPay)
		})
		_ = wait(ctx, 3*time.Second)
	}
}

// wait waits for d. Errors: ctx's.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// detected returns how many payments were made in a span, and the median and maximum time until
// their confirmation; an open one counts as confirmed now.
func (f *flood) detected(from, to time.Time) (n int, median, most time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var took []time.Duration
	for _, d := range f.detections {
		if !d.at.Before(from) && d.at.Before(to) {
			took = append(took, d.took)
		}
	}
	for _, at := range f.paid {
		if !at.Before(from) && at.Before(to) {
			took = append(took, time.Since(at))
		}
	}
	if len(took) == 0 {
		f.t.Fatal("nobody has paid")
	}
	slices.Sort(took)
	return len(took), took[len(took)/2], took[len(took)-1]
}

// Late checks wait behind all other checks for the gateway. Packages limiter and poller test what
// the priority and the slots of late checks do.
func TestLateChecksWaitBehindOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlood(t)
		ctx, stop := context.WithCancel(t.Context())
		var checks sync.WaitGroup
		check := func(late bool) {
			for range 40 {
				s := fortest.Must(open(ctx, f.unpaced, 30))(t)
				if late {
					s.LateFrom = s.DueAt
				}
				checks.Go(func() { _ = f.server.process(ctx, s) })
			}
			synctest.Wait()
		}
		check(false)
		before := f.server.limiter.State().Waiting
		check(true)
		after := f.server.limiter.State().Waiting
		if before[limiter.Single] == 0 || after[limiter.Single] != before[limiter.Single] || after[limiter.Late] != 40 {
			t.Errorf("waiting before = %v, with 40 late checks = %v; want these at priority %d", before, after, limiter.Late)
		}
		stop()
		checks.Wait()
		f.server.checkout.Close()
		f.unpaced.Close()
		_ = f.server.store.Close()
	})
}

var deadSessions = flag.Int("dead", 0, "unpaid sessions of TestDeadSessions; 2000 is the figure of docs/reliability.md")

// Payments with closed pages are detected in time while attackers' sessions open, end, and get
// their late checks, which could take the whole limiter for minutes.
func TestDeadSessions(t *testing.T) {
	dead := *deadSessions
	if dead == 0 {
		t.Skip("a measurement: go test -dead=2000")
	}
	together := func(int) int { return 2 }
	for name, attack := range map[string]struct {
		every   time.Duration   // between two that are opened; zero = all at once, and without the gateway
		minutes func(n int) int // to pay
	}{
		"that end together":       {0, together},
		"opened four in a second": {250 * time.Millisecond, func(int) int { return 15 }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { newFlood(t).run(dead, attack.every, attack.minutes) })
		})
	}
}

// run lets shoppers pay for some minutes, and then beside dead sessions until these had their
// first late check.
func (f *flood) run(dead int, every time.Duration, minutes func(n int) int) {
	t := f.t
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = f.server.poller.Run(ctx) })
	running.Go(func() { _ = f.server.listPoller.Run(ctx) })
	running.Go(func() { f.shop(ctx) })
	defer func() {
		stop()
		running.Wait()
		f.server.checkout.Close()
		f.unpaced.Close()
		_ = f.server.store.Close()
	}()

	time.Sleep(2 * time.Minute)
	begun := time.Now()
	time.Sleep(3 * time.Minute)
	attacked := time.Now()
	_, calm, calmMost := f.detected(begun, attacked)
	through := f.server.checkout
	if every == 0 {
		through = f.unpaced
	}
	var opening sync.WaitGroup
	for n := range dead {
		opening.Go(func() { _, _ = open(ctx, through, minutes(n)) })
		time.Sleep(every)
	}
	opening.Wait()

	ended := time.Now().Add(time.Duration(minutes(dead)) * time.Minute)
	late := f.server.checkout.Schedule.LateChecks[0]
	spans := []struct {
		name     string
		from, to time.Time
	}{
		{"opened", attacked, time.Now()},
		{"ending", attacked.Add(time.Duration(minutes(0)) * time.Minute), ended.Add(time.Minute)},
		{"checked late", attacked.Add(time.Duration(minutes(0))*time.Minute + late), ended.Add(late + time.Minute)},
		{"all the time", attacked, ended.Add(late + time.Minute)},
	}
	time.Sleep(time.Until(ended.Add(late + 2*time.Minute)))
	t.Logf("calm: median %.1f s, at most %.1f s", calm.Seconds(), calmMost.Seconds())
	for _, span := range spans {
		if span.to.Sub(span.from) < time.Minute {
			continue
		}
		n, median, most := f.detected(span.from, span.to)
		t.Logf("%s: %d payments, median %.1f s, at most %.1f s", span.name, n, median.Seconds(), most.Seconds())
		if n > 30 && median > 2*calm || most > 20*time.Second {
			t.Errorf("%s: payments were known after %v, at most %v; want %v and 20 s at most", span.name, median, most, 2*calm)
		}
	}
	if f.refused > 0 {
		t.Errorf("%d shoppers got no address", f.refused)
	}
	f.caughtUp(20 * time.Minute)
}

// caughtUp waits until no late check is overdue, which must be so within that time.
func (f *flood) caughtUp(within time.Duration) {
	began := time.Now()
	for {
		stats := fortest.Must(f.server.store.Stats(f.t.Context()))(f.t)
		behind := time.Duration(0)
		if !stats.DueLate.IsZero() {
			behind = max(0, time.Since(stats.DueLate))
		}
		if behind < 5*time.Second {
			f.t.Logf("late checks had caught up %v later", time.Since(began))
			return
		}
		if time.Since(began) > within {
			f.t.Fatalf("late checks are %v behind after %v", behind, within)
		}
		time.Sleep(5 * time.Second)
	}
}
