package simulation

import (
	"context"
	"fmt"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

// instance is one process. What it has in memory ends with it.
type instance struct {
	w       *world
	number  int // of all there were
	skew    time.Duration
	service *checkout.Service
	poller  *checkout.Poller
	pages   *gatewaylist.PageApplier
	reading *gatewaylist.ListPoll
	ctx     context.Context // ends when it is asked to stop, or dies
	stop    context.CancelFunc
	dead    bool            // guarded by world.mu
	frozen  bool            // likewise
	thaws   time.Time       // if it was ever frozen
	busy    map[string]bool // loops that are at work, by name
}

// schedule is that of real payments, with less of what comes long after the end.
func schedule() payment.Schedule {
	s := payment.DefaultSchedule()
	s.LateChecks, s.ConfirmedChecks = s.LateChecks[:3], s.ConfirmedChecks[:4]
	s.AbsenceChecks = s.AbsenceChecks[:8]
	return s
}

func (w *world) newInstance() *instance {
	w.born++
	in := &instance{w: w, number: w.born, busy: map[string]bool{}}
	in.skew = time.Duration(w.rng.IntN(1000)-500) * time.Millisecond
	in.ctx, in.stop = context.WithCancel(w.t.Context())
	store, gateway := in.ports()
	watched := w.rng.IntN(2) == 0
	in.service = checkout.New(checkout.Config{
		Store: store, Gateway: gateway, Page: "https://shop.test/checkout/",
		PaymentPage: "https://pay.test/p", Now: in.now, Schedule: schedule(),
		Watched: func(string) bool { return watched },
	})
	in.poller = checkout.NewPoller(checkout.PollerConfig{
		Store: store, Now: in.now, Concurrency: 4,
		Process: func(ctx context.Context, s checkout.StoredSession) error {
			actor, _ := ctx.Value(actorKey{}).(string)
			ctx = context.WithValue(ctx, actorKey{}, actor+" "+s.ID)
			defer w.recovered(actor)
			return in.service.Process(ctx, s)
		},
	})
	in.pages = &gatewaylist.PageApplier{
		Store: store, Environment: w.gateway.Environment(), Schedule: schedule(),
		IsWatched: in.service.IsWatched, Changed: func(string) {}, Now: in.now,
	}
	return in
}

// now is the time as the instance knows it.
func (in *instance) now() time.Time { return time.Now().Add(in.skew).Round(0) }

// recovered notes a panic.
func (w *world) recovered(actor string) {
	if r := recover(); r != nil {
		w.failf("I12: %s panics: %v", actor, r)
	}
}

// start lets do run as an actor of its own, which is one of the loops or none.
func (in *instance) start(name, loop string, do func(ctx context.Context) error) {
	w := in.w
	w.started++
	actor := fmt.Sprintf("%03d %s@%d", w.started, name, in.number)
	w.logf("start %s", actor)
	ctx := context.WithValue(in.ctx, actorKey{}, actor)
	began := time.Now()
	go func() {
		defer w.recovered(actor)
		err := do(ctx)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended = append(w.ended, end{actor, loop, in, err, time.Since(began)})
	}()
}

// loop is start for what an instance does one at a time.
func (in *instance) loop(name string, do func(ctx context.Context) error) {
	if in.busy[name] {
		return
	}
	in.busy[name] = true
	in.start(name, name, do)
}

// poll processes what is due.
func (in *instance) poll() {
	in.loop("poll", func(ctx context.Context) error {
		_, err := in.poller.ProcessDue(ctx)
		return err
	})
}

// list applies a page of the gateway's list of pending transactions, as old as its answer.
func (in *instance) list() {
	in.loop("list", func(ctx context.Context) error {
		in.reading = in.reading.After(15 * time.Second)
		asked := in.now()
		page, err := gatewayPort{in}.Transactions(ctx, payment.ListQuery{
			Limit: 50, Page: 1, Status: "pending",
			From: asked.AddDate(0, 0, -2), To: asked.AddDate(0, 0, 2),
		})
		if err == nil {
			_, err = in.pages.Apply(ctx, in.reading, page.Items, asked)
		}
		return err
	})
}

const hook = "https://shop.test/hook"

// deliver sends the webhooks that are due.
func (in *instance) deliver() {
	in.loop("deliver", func(ctx context.Context) error {
		store, _ := in.ports()
		due, err := store.ClaimDeliveries(ctx, in.now(), 40*time.Second, 4, []string{hook})
		for _, d := range due {
			var r webhook.DeliveryResult
			_, sent := through(ctx, in, endpoint, "webhook", d.EventID,
				func(decision) (struct{}, error) { in.w.receive(d); return struct{}{}, nil })
			if r.Delivered = sent == nil; !r.Delivered {
				wait, more := webhook.Next(d.Tries+1, in.now().Sub(d.CreatedAt))
				r.NextAt, r.Abandoned = in.now().Add(wait), !more
			}
			if err := store.RecordResult(ctx, d, r); err != nil {
				return err
			}
		}
		return err
	})
}
