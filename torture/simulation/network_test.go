package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/payment"
)

// Ports that calls go to.
const (
	database = "database"
	gateway  = "gateway"
	endpoint = "endpoint" // the merchant's, for webhooks
)

// patience is after how long the client of a port gives up.
const patience = 10 * time.Second

// call is a call of a port that waits for the scheduler.
type call struct {
	actor, port, method, arg string
	in                       *instance
	answers                  bool // its effect has happened
	decision                 chan decision
}

func (c *call) compare(o *call) int {
	return cmp.Or(cmp.Compare(c.actor, o.actor), cmp.Compare(c.port, o.port),
		cmp.Compare(c.method, o.method), cmp.Compare(c.arg, o.arg))
}

// decision is what becomes of a call; the zero decision lets it go on.
type decision struct {
	lost  error // it does not arrive
	cut   error // its answer does not arrive
	slow  bool  // its answer waits for the scheduler, too
	late  bool  // lost, but it arrives after its caller has given up
	wrong bool  // its answer is not true
}

func (d decision) String() string {
	return fmt.Sprintf("%v, %v, slow %t, late %t, wrong %t", d.lost, d.cut, d.slow, d.late, d.wrong)
}

var (
	errDead = errors.New("the process has died")
	errDisk = errors.New("disk I/O error")
)

// failure is the error of a call that may have had an effect.
func failure(port string) error {
	if port == gateway {
		return checkouttest.LostAnswer()
	}
	return errDisk
}

type actorKey struct{}

// wait lets the caller wait for the scheduler.
func (w *world) wait(ctx context.Context, c *call) decision {
	w.mu.Lock()
	if c.in.dead {
		w.mu.Unlock()
		return decision{lost: errDead}
	}
	c.actor, _ = ctx.Value(actorKey{}).(string)
	c.decision = make(chan decision, 1)
	w.calls = append(w.calls, c)
	w.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case d := <-c.decision:
		return d
	case <-ctx.Done():
	case <-timer.C:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lossy = true
	if c.in.frozen {
		w.mu.Unlock()
		d := <-c.decision
		w.mu.Lock()
		if c.answers {
			return d // it was there before the deadline
		}
		return decision{lost: cmp.Or(d.lost, failure(c.port))}
	}
	w.calls = slices.DeleteFunc(w.calls, func(o *call) bool { return o == c })
	return decision{lost: failure(c.port), late: !c.answers}
}

// through makes a call of a port of in: do has its effect, which blocks nothing.
func through[T any](
	ctx context.Context, in *instance, port, method, arg string, do func(d decision) (T, error),
) (T, error) {
	var none T
	w := in.w
	c := &call{in: in, port: port, method: method, arg: arg}
	d := w.wait(ctx, c)
	if d.late && port == gateway && (method == "create" || method == "cancel") {
		w.mu.Lock()
		w.late = append(w.late, lateCall{method, arg, time.Now(), func() { _, _ = do(decision{}) }})
		w.mu.Unlock()
	}
	if d.lost != nil {
		return none, d.lost
	}
	w.mu.Lock()
	w.actor = c.actor
	result, err := do(d)
	w.dirty = true
	w.logf("    %s %s: %v", method, arg, err)
	w.mu.Unlock()
	if d.slow {
		next := w.wait(ctx, &call{in: in, port: port, method: method, arg: arg, answers: true})
		d.cut = cmp.Or(next.lost, next.cut)
	}
	if d.cut != nil {
		return none, d.cut
	}
	return result, err
}

// lateCall is a request to the gateway that arrives after its caller has given up.
type lateCall struct {
	method, arg string
	at          time.Time
	do          func()
}

func (l lateCall) compare(o lateCall) int {
	return cmp.Or(l.at.Compare(o.at), cmp.Compare(l.method, o.method), cmp.Compare(l.arg, o.arg))
}

// decide draws what becomes of a call.
func (w *world) decide(c *call) (d decision) {
	draw := func(percent int) bool { return w.rng.IntN(100) < percent }
	d.slow = !c.answers && draw(20)
	if !draw(w.faults) {
		return d
	}
	w.lossy = true
	switch {
	case c.answers:
		d.cut = failure(c.port)
	case c.port == gateway && draw(25):
		d.lost = w.refusal()
	case slices.Contains([]string{"status", "create", "transactions"}, c.method) && draw(50):
		d.wrong = true
	case draw(50):
		d.lost, d.late = failure(c.port), draw(20)
	default:
		d.cut = failure(c.port)
	}
	return d
}

// refusal draws why the gateway does nothing.
func (w *world) refusal() error {
	e := &payment.RefusedError{Reason: payment.ReasonBusy, Status: 429}
	switch w.rng.IntN(6) {
	case 0:
		e.Reason, e.Status = payment.ReasonUnsent, 0
	case 1:
		e.Reason, e.Status = payment.ReasonKey, 401
	case 2:
		e.Reason, e.Status = payment.ReasonRefused, 422
	case 3:
		e.Reason, e.Status = payment.ReasonAbsent, 404
	case 4:
		e.RetryAfter = time.Duration(1+w.rng.IntN(90)) * time.Second
	}
	return e
}
