package rules

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/e2e/need"
	"coinslot/torture/goal"

	"github.com/shopspring/decimal"
)

// coins are what shoppers choose from.
var coins = []wire.Choice{
	{CurrencySymbol: "USDT", NetworkCode: "trc20"}, {CurrencySymbol: "BNB", NetworkCode: "bep20"},
	{CurrencySymbol: "ETH", NetworkCode: "arbitrum"}, {CurrencySymbol: "TON", NetworkCode: "ton"},
	{CurrencySymbol: "USDC", NetworkCode: "polygon"},
}

// unexpected returns err unless it is one that a client may get.
func unexpected(err error) error {
	for _, e := range flatten(err) {
		problem := (*wire.Error)(nil)
		var refused *payment.RefusedError
		var unknown *payment.UnknownError
		known := errors.As(e, &problem) || errors.As(e, &refused) || errors.As(e, &unknown) || errors.Is(e, payment.ErrFenced)
		if !known {
			return e
		}
	}
	return nil
}

func flatten(err error) []error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok && !errors.As(err, new(*wire.Error)) {
		var all []error
		for _, e := range many.Unwrap() {
			all = append(all, flatten(e)...)
		}
		return all
	}
	return []error{err}
}

// open begins the session and shows the first address.
func (w *world) open() {
	amount := []string{"25", "19.99", "999", "3.01"}[w.rng.IntN(4)]
	o := payment.Order{AmountUSD: decimal.RequireFromString(amount), TTLMinutes: 1 + w.rng.IntN(4)}
	s, _, err := w.service.Open(w.ctx, o, "")
	fortest.OK(w.t, err)
	w.id = s.ID
	w.run(w.choose(w.rng.IntN(len(coins))))
	if len(w.shown) == 0 {
		w.fail("no address is shown")
	}
}

// end is when the window of the latest transaction closes.
func (w *world) end() time.Time {
	all := w.gateway.Transactions()
	return all[len(all)-1].ExpiredAt
}

func (w *world) load() payment.Session {
	return fortest.Must(w.db.Session(w.ctx, w.id))(w.t)
}

func (w *world) choose(coin int) op {
	return op{"choose " + coins[coin].CurrencySymbol, func() error {
		_, err := w.service.Choose(w.ctx, w.id, coins[coin])
		return err
	}}
}

func (w *world) poll() op {
	return op{"poll", func() error {
		_, err := w.instance().ProcessDue(w.ctx)
		return err
	}}
}

// reopen processes the session as it was claimed some time ago.
func (w *world) reopen(n int) op {
	return op{"tend again", func() error {
		w.mu.Lock()
		stale := w.stale
		w.mu.Unlock()
		if len(stale) == 0 {
			return nil
		}
		return w.service.Process(w.ctx, stale[n%len(stale)])
	}}
}

func (w *world) recheck() op {
	return op{"recheck", func() error {
		_, err := w.service.Recheck(w.ctx, w.id)
		return err
	}}
}

func (w *world) cancel(by payment.Closer) op {
	return op{"cancel by " + string(by), func() error {
		_, err := w.service.Cancel(w.ctx, w.id, by)
		return err
	}}
}

func (w *world) tick(d time.Duration) op {
	return op{"clock + " + d.String(), func() error {
		w.clock.move(d)
		return nil
	}}
}

// payerCancels is the button on the gateway's own page.
func (w *world) payerCancels() op {
	return op{"cancel on the gateway's page", func() error {
		if err := w.gateway.Pay(w.address(0), sandbox.KindCancel); !errors.Is(err, sandbox.ErrNotPending) {
			return err
		}
		return nil
	}}
}

// address returns the tracking code of the nth youngest address that was shown; there is one.
func (w *world) address(n int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shown[len(w.shown)-1-n%len(w.shown)]
}

// Amounts that a shopper may send, as a share of the amount asked for.
const (
	exact     = "1"
	over      = "1.1"
	tolerated = "0.99" // the sandbox tolerates one percent
	half      = "0.5"
	little    = "0.3"
)

// pay sends a share of what was asked for to the nth youngest address that was
// shown, whatever has become of it.
func (w *world) pay(n int, share string) op {
	return op{"pay " + share, func() error {
		code := w.address(n)
		w.log("to "+code, nil)
		for _, tx := range w.gateway.Transactions() {
			if tx.TrackingCode == code {
				amount := tx.PayAmount.Mul(decimal.RequireFromString(share)).RoundCeil(tx.Decimals)
				return w.gateway.PayAmount(code, amount)
			}
		}
		return fmt.Errorf("no transaction %s", code)
	}}
}

// race draws what happens around the end of the window. It always has a payment
// in it, or the late one that is returned too.
func (w *world) race() (ops []op, late []op) {
	n := w.rng.IntN
	share := []string{exact, exact, over, tolerated}[n(4)]
	switch kind := n(20); {
	case kind < 13:
		ops = append(ops, w.pay(n(2)*n(2), share))
	case kind < 15: // in two transfers
		ops = append(ops, w.pay(0, half), w.pay(0, half))
	case kind < 16: // never enough
		ops = append(ops, w.pay(0, little))
	case kind < 18: // two shoppers, or one who cannot wait
		ops = append(ops, w.pay(0, share), w.pay(1, exact))
	default:
		late = append(late, w.pay(n(3), share))
	}
	for range 2 + n(4) {
		ops = append(ops, w.tick(time.Duration(n(1500))*time.Millisecond))
	}
	for range 1 + n(4) {
		ops = append(ops, w.poll())
	}
	for range n(3) {
		ops = append(ops, w.reopen(n(4)))
	}
	for range n(3) {
		ops = append(ops, w.recheck())
	}
	for _, rare := range []struct {
		percent int
		op      op
	}{
		{35, w.cancel(payment.ClosedByShopper)}, {10, w.cancel(payment.ClosedByMerchant)}, {35, w.choose(n(len(coins)))},
		{15, w.choose(n(len(coins)))}, {10, w.payerCancels()}, {10, w.tick(time.Duration(1+n(10)) * time.Minute)},
	} {
		if n(100) < rare.percent {
			ops = append(ops, rare.op)
		}
	}
	return ops, late
}

// together lets ops happen at the same time, a goroutine for each.
func (w *world) together(ops []op) {
	w.parallel = true
	begin := make(chan struct{})
	var all sync.WaitGroup
	for _, o := range ops {
		all.Go(func() {
			<-begin
			w.run(o)
		})
	}
	close(begin)
	all.Wait()
	w.parallel = false
	w.checkShown()
}

// live is one round: an address is shown, everything happens at once around the
// end of its window, and three days pass.
func (w *world) live(parallel bool) {
	w.open()
	for w.rng.IntN(2) == 0 {
		w.clock.move(time.Duration(w.rng.IntN(20)) * time.Second)
		w.run(w.poll())
	}
	if w.rng.IntN(10) > 0 {
		w.clock.set(w.end().Add(-time.Duration(w.rng.IntN(2500)) * time.Millisecond))
	}
	ops, late := w.race()
	if w.rng.IntN(7) == 0 {
		w.faults = 15
	}
	if parallel {
		w.together(ops)
	} else {
		for w.pending = ops; len(w.pending) > 0; {
			w.next()
		}
	}
	w.faults = 0
	w.settle(late)
	w.check()
}

// settle lets time pass until nothing is due any more; each of late happens
// within the three days that ended payments are watched for.
func (w *world) settle(late []op) {
	began := w.clock.Now()
	for range 3000 {
		s := w.load()
		due := s.DueAt
		if len(late) > 0 {
			at := began.Add(time.Duration(w.rng.IntN(60*3600)) * time.Second)
			if s.Status.Final() || due.IsZero() || at.Before(due) {
				w.clock.set(at)
				w.run(late[0])
				late = late[1:]
				continue
			}
		}
		if due.IsZero() {
			return
		}
		w.clock.set(due.Add(time.Millisecond))
		if w.rng.IntN(4) == 0 { // in the middle of the poll, or after it
			w.pending = []op{w.reopen(w.rng.IntN(8))}
		}
		w.run(w.poll())
		for len(w.pending) > 0 {
			w.next()
		}
	}
	s := w.load()
	w.fail("%s is due for ever, next at %s: %+v", s.Status, s.DueAt, s.Attempts)
}

const (
	crews    = 2    // goroutines that make rounds; each has a database of its own, since a claim takes whatever is due
	perStore = 1000 // rounds over one database
)

// livesOf makes the rounds from first up to end, each crews after the one before,
// over one database in dir.
func livesOf(t *testing.T, dir string, seed uint64, first, end int, note func(int, *world)) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Error(err)
		return
	}
	c := &clock{}
	db := openStore(t, filepath.Join(dir, "coinslot.db"), c.Now, hook)
	for n := first; n < end; n += crews {
		w := newWorld(t, db, c, seed, uint64(n))
		w.live(n%8 >= 6)
		note(n, w)
	}
	if err := errors.Join(db.Close(), os.RemoveAll(dir)); err != nil {
		t.Error(err)
	}
}

// TestTortureExpiryRaces: a shopper who pays what was asked for, to an address that was shown, is reported
// to the merchant as paid once, however close to the end and whatever else happens.
func TestTortureExpiryRaces(t *testing.T) {
	need.Long(t, "it lets hundreds of payments race with their end")
	began, seed := time.Now(), goal.Seed(t)
	rounds := goal.Rounds(200/slowed, 20_000)
	ends, violations := map[string]int{}, 0
	var mu sync.Mutex // guards ends and violations
	note := func(n int, w *world) {
		mu.Lock()
		defer mu.Unlock()
		for _, end := range w.checkEnd() {
			ends[end]++
		}
		if len(w.wrong) == 0 {
			return
		}
		if violations++; violations <= 5 {
			t.Errorf("round %d of seed %d: %s\n%s", n, seed, strings.Join(w.wrong, "; "), strings.Join(w.trace, "\n"))
		}
	}
	var all sync.WaitGroup
	for worker := range crews {
		dir := scratch(t)
		all.Go(func() {
			for n := worker; n < rounds; n += crews * perStore {
				livesOf(t, filepath.Join(dir, fmt.Sprint(n)), seed, n, min(n+crews*perStore, rounds), note)
			}
		})
	}
	all.Wait()
	goal.Report(t, goal.Result{
		Goal: "expiry races", Rounds: rounds, Wanted: 20_000, Violations: violations, Seed: seed, Took: time.Since(began),
		Figure: "interleavings of pay, expire, poll, recheck, cancel and change of coin: " + tally(ends),
	})
	for _, end := range []string{"confirmed in time", "confirmed late", "confirmed after a change of coin"} {
		if ends[end] == 0 && rounds >= 200 {
			t.Errorf("no round has ended %s; only %v", end, slices.Sorted(maps.Keys(ends)))
		}
	}
}
