package checkout_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

var (
	walkSeed  = flag.Uint64("walk.seed", 0, "seed of the only walk to make; 0 = a fixed row of seeds")
	walkSteps = flag.Int("walk.steps", 400, "steps of each walk")
	walkCount = flag.Int("walk.count", 5, "walks to make")
)

// walk performs random actions with random failures on a shop.
type walk struct {
	*checkouttest.Shop
	rng    *rand.Rand
	faults int // of a hundred calls
	ids    []string
	stale  []payment.Session                   // processed later, when outdated
	ghosts []ghost                             // requests that the gateway does long after
	woken  map[string]bool                     // ghosts that were done, by comment
	last   map[string]payment.Session          // by id, as seen after the last step
	shown  map[string]map[string]bool          // addresses by session
	did    map[string]int                      // by step
	seen   map[wire.Status]map[wire.Status]int // transitions
}

// ghost is an abandoned request.
type ghost struct {
	req payment.CreateRequest
	at  time.Time
}

func TestRandomWalk(t *testing.T) {
	t.Parallel()
	total := map[wire.Status]map[wire.Status]int{}
	seeds := make([]uint64, *walkCount)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	if *walkSeed != 0 {
		seeds = []uint64{*walkSeed}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			w := &walk{
				Shop: checkouttest.NewShop(t), rng: rand.New(rand.NewPCG(seed, 0)), faults: 10,
				last: map[string]payment.Session{}, shown: map[string]map[string]bool{}, did: map[string]int{}, seen: total, woken: map[string]bool{},
			}
			w.breakThings()
			for range *walkSteps {
				w.step()
				w.check()
			}
			w.finishAll()
		})
	}
	for from, tos := range total {
		t.Logf("%-10s -> %v", from, tos)
	}
}

var errDisk = errors.New("disk I/O error")

// breakThings makes calls fail now and then.
func (w *walk) breakThings() {
	fail := func() bool { return w.rng.IntN(100) < w.faults }
	w.Gateway.CreateHook = func(req payment.CreateRequest) (before, after error) {
		switch {
		case fail():
			return checkouttest.Refusal([]payment.Reason{payment.ReasonRefused, payment.ReasonBusy, payment.ReasonKey}[w.rng.IntN(3)]), nil
		case fail():
			if w.rng.IntN(3) == 0 {
				w.ghosts = append(w.ghosts, ghost{req, w.Clock.Now()})
			}
			return checkouttest.LostAnswer(), nil
		case fail():
			return nil, checkouttest.LostAnswer()
		}
		return nil, nil
	}
	w.Gateway.CancelHook = func(string) (before, after error) {
		switch {
		case fail():
			return checkouttest.Refusal(payment.ReasonBusy), nil
		case fail():
			return checkouttest.LostAnswer(), nil
		case fail():
			return nil, checkouttest.LostAnswer()
		}
		return nil, nil
	}
	maybe := func() error {
		if fail() {
			return checkouttest.LostAnswer()
		}
		return nil
	}
	w.Gateway.StatusHook = func(string) error { return maybe() }
	w.Gateway.ListHook = maybe
	w.Gateway.MangleStatus = func(r *payment.Record) {
		if fail() {
			w.garble(r)
		}
	}
	w.Gateway.MangleCreated = func(c *payment.Created) {
		if fail() {
			c.Address = "T" + c.Address
		}
	}
	w.Store.FailUpdates(func() (before, after error) {
		switch {
		case w.rng.IntN(200) < w.faults:
			return errDisk, nil
		case w.rng.IntN(200) < w.faults:
			return nil, errDisk
		}
		return nil, nil
	})
}

// garble changes a record so that it proves nothing.
func (w *walk) garble(r *payment.Record) {
	switch w.rng.IntN(6) {
	case 0:
		r.TrackingCode = "T99999"
	case 1:
		r.Status = "processing"
	case 2:
		r.PaidReadable = false
	case 3:
		r.AmountUSD = r.AmountUSD.Add(checkouttest.Dec("0.01"))
	case 4:
		r.PayAmount = r.PayAmount.Add(checkouttest.Dec("0.00000001"))
	case 5:
		r.NetworkCode = "erc20"
	}
}

func (w *walk) step() {
	steps := []struct {
		name   string
		weight int
		do     func()
	}{
		{"open", 3, w.stepOpen}, {"choose", 14, w.stepChoose}, {"extend", 6, w.stepExtend}, {"pay", 8, w.stepPay},
		{"process", 30, func() { w.Process() }}, {"wait", 25, w.stepWait}, {"cancel", 3, w.stepCancel},
		{"recheck", 4, w.stepRecheck}, {"resolve", 2, w.stepResolve}, {"restart", 2, w.Restart},
		{"stale", 5, w.stepStale}, {"ghost", 2, w.stepGhost}, {"payer cancels", 1, w.stepPayerCancels},
		{"stubborn", 1, w.stepStubborn},
	}
	n := 0
	for _, s := range steps {
		n += s.weight
	}
	n = w.rng.IntN(n)
	for _, s := range steps {
		if n -= s.weight; n < 0 {
			w.did[s.name]++
			s.do()
			return
		}
	}
}

func (w *walk) any() (string, bool) {
	if len(w.ids) == 0 {
		return "", false
	}
	return w.ids[w.rng.IntN(len(w.ids))], true
}

func (w *walk) stepOpen() {
	if len(w.ids) >= 8 {
		return
	}
	o := payment.Order{AmountUSD: checkouttest.Dec([]string{"25", "19.99", "10.01", "999"}[w.rng.IntN(4)])}
	if w.rng.IntN(3) == 0 {
		o.OrderID = 100_000 + w.rng.IntN(900_000)
	}
	s, _, err := w.Service.Open(w.T.Context(), o, "")
	fortest.OK(w.T, err)
	w.ids = append(w.ids, s.ID)
}

// allowed fails on an error without a code.
func (w *walk) allowed(doing string, err error) {
	w.T.Helper()
	if problem := (*wire.Error)(nil); err == nil || errors.As(err, &problem) || errors.Is(err, errDisk) {
		return
	}
	w.T.Fatalf("%s = %v; want an error with a code", doing, err)
}

func (w *walk) stepChoose() {
	id, ok := w.any()
	if !ok {
		return
	}
	offered := w.View(id)
	_, err := w.Choose(id, []wire.Choice{checkouttest.USDT(), checkouttest.BNB()}[w.rng.IntN(2)])
	w.allowed("Choose", err)
	refused := errors.Is(err, &wire.Error{Code: wire.CodeSessionExpired}) || errors.Is(err, &wire.Error{Code: wire.CodeTooManyAttempts})
	if refused && (offered.Can(wire.Choose) || offered.Can(wire.Retry)) {
		w.T.Fatalf("Choose = %v although %v was offered", err, offered.Actions)
	}
}

// stepExtend extends the current attempt or an earlier one.
func (w *walk) stepExtend() {
	id, ok := w.any()
	if !ok {
		return
	}
	offered, cancelled := w.View(id), count(w.EventTypes(id), payment.EventCancelled)
	s, err := w.Extend(id, w.rng.IntN(len(w.Load(id).Attempts)+1))
	w.allowed("Extend", err)
	if errors.Is(err, &wire.Error{Code: wire.CodeTooManyAttempts}) && offered.Can(wire.Extend) {
		w.T.Fatalf("Extend = %v although %v was offered", err, offered.Actions)
	}
	if err == nil && s.Status == wire.Pending && count(w.EventTypes(id), payment.EventCancelled) > cancelled {
		w.fail(id, "an extension was reported as a cancellation")
	}
}

func count(list []payment.EventType, want payment.EventType) int {
	n := 0
	for _, t := range list {
		if t == want {
			n++
		}
	}
	return n
}

// stepPay pays an attempt whose address was shown.
func (w *walk) stepPay() {
	id, ok := w.any()
	if !ok {
		return
	}
	s := w.Load(id)
	if len(s.Attempts) == 0 {
		return
	}
	a := s.Attempts[w.rng.IntN(len(s.Attempts))]
	seen := w.shown[id][a.Address] || a.Address == "" && a.State == payment.Waiting
	if !seen || a.TrackingCode == "" || a.State == payment.Confirmed || resolved(s) {
		return
	}
	amount := a.PayAmount.Mul(checkouttest.Dec([]string{"1", "1", "1", "0.4", "0.995", "0.98999", "1.5"}[w.rng.IntN(7)])).RoundCeil(8)
	w.Gateway.Pay(a.TrackingCode, amount, fmt.Sprintf("0x%d", w.rng.IntN(1000)))
}

func resolved(s payment.Session) bool {
	for _, e := range s.Timeline {
		if e.What == "session.resolved" {
			return true
		}
	}
	return false
}

func (w *walk) stepWait() {
	d := time.Duration(1+w.rng.IntN(20)) * time.Second
	switch n := w.rng.IntN(100); {
	case n < 3:
		d = time.Duration(1+w.rng.IntN(120)) * time.Minute
	case n < 20:
		d = time.Duration(1+w.rng.IntN(10)) * time.Minute
	}
	w.Clock.Move(d)
}

func (w *walk) stepCancel() {
	if id, ok := w.any(); ok {
		by := payment.ClosedByShopper
		if w.rng.IntN(4) == 0 {
			by = payment.ClosedByMerchant
		}
		_, err := w.Cancel(id, by)
		w.allowed("Cancel", err)
	}
}

func (w *walk) stepRecheck() {
	if id, ok := w.any(); ok {
		_, err := w.Recheck(id)
		w.allowed("Recheck", err)
	}
}

func (w *walk) stepResolve() {
	id, ok := w.any()
	if !ok || w.Load(id).Status != wire.Review {
		return
	}
	as := []wire.Status{wire.Confirmed, wire.Cancelled}[w.rng.IntN(2)]
	_, err := w.Resolve(id, as, "by hand")
	w.allowed("Resolve", err)
}

// stepStale processes a session as it was some steps ago, like a poller whose claim has
// expired, and keeps another for later.
func (w *walk) stepStale() {
	if n := len(w.stale); n > 0 {
		w.Service.Process(w.T.Context(), w.stale[w.rng.IntN(n)])
	}
	if id, ok := w.any(); ok {
		s := w.Load(id)
		if w.rng.IntN(2) == 0 { // as the poller has it, whose claim is fenced
			s, _ = w.Store.Hold(w.T.Context(), id, w.Clock.Now(), 0)
		}
		w.stale = append(w.stale, s)
	}
	if len(w.stale) > 6 {
		w.stale = w.stale[1:]
	}
}

func (w *walk) stepGhost() {
	if len(w.ghosts) == 0 {
		return
	}
	g := w.ghosts[0]
	w.ghosts = w.ghosts[1:]
	if w.Clock.Now().Sub(g.at) < 28*time.Minute { // later ones are not searched for
		w.Gateway.Add(g.req)
		w.woken[g.req.Comment] = true
	}
}

func (w *walk) stepPayerCancels() {
	if live := w.Gateway.Live(); len(live) > 0 {
		w.Gateway.Set(live[w.rng.IntN(len(live))], func(tx *checkouttest.Transaction) { tx.Status = "cancelled" })
	}
}

func (w *walk) stepStubborn() {
	if live := w.Gateway.Live(); len(live) > 0 {
		w.Gateway.Set(live[w.rng.IntN(len(live))], func(tx *checkouttest.Transaction) { tx.Stubborn = true })
	}
}
