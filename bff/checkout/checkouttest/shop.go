// Package checkouttest is a checkout for tests: a fake gateway with state, whose answers can
// be made to fail, the real store, whose writes can, and a manual clock.
package checkouttest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"

	"github.com/google/go-cmp/cmp"
)

// Clock is a manual clock.
type Clock struct {
	mu sync.Mutex // guards at
	At time.Time
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.At
}

// Move moves the clock.
func (c *Clock) Move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.At = c.At.Add(d)
}

// Shop is a service with its gateway, store and clock.
type Shop struct {
	T       *testing.T
	Clock   *Clock
	Gateway *Gateway
	Store   *Store
	Service *checkout.Service
}

// NewPending returns a shop with a session that awaits 25 USDT.
func NewPending(t *testing.T) (*Shop, payment.Session) {
	t.Helper()
	h := NewShop(t)
	return h, h.Chosen("25", USDT())
}

// NewShop returns a shop without sessions.
func NewShop(t *testing.T) *Shop {
	c := &Clock{At: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)}
	h := &Shop{
		T:       t,
		Clock:   c,
		Gateway: NewGateway(c.Now),
		Store:   NewStore(t, c.Now),
	}
	h.Restart()
	t.Cleanup(func() { h.Service.Close() })
	return h
}

// Restart drops the service and all that it has in memory.
func (sh *Shop) Restart() {
	sh.Service = checkout.New(checkout.Config{
		Store:       sh.Store,
		Gateway:     sh.Gateway,
		Page:        "https://shop.test/checkout/",
		PaymentPage: "https://pay.test/p",
		Now:         sh.Clock.Now,
	})
}

// Open opens a session of that many dollars.
func (sh *Shop) Open(usd string) payment.Session {
	sh.T.Helper()
	s, err := sh.Service.Open(sh.T.Context(), payment.Order{AmountUSD: Dec(usd)}, "")
	if err != nil {
		sh.T.Fatalf("Open(%s) = %v", usd, err)
	}
	return s.Session
}

// USDT is a choice of Tether on TRON.
func USDT() wire.Choice { return wire.Choice{CurrencySymbol: "USDT", NetworkCode: "trc20"} }

// BNB is a choice of BNB.
func BNB() wire.Choice { return wire.Choice{CurrencySymbol: "BNB", NetworkCode: "bep20"} }

// Choose makes a choice in a session.
func (sh *Shop) Choose(id string, c wire.Choice) (payment.Session, error) {
	sh.T.Helper()
	return sh.Service.Choose(sh.T.Context(), id, c)
}

// Chosen opens a session and an attempt in the coin.
func (sh *Shop) Chosen(usd string, c wire.Choice) payment.Session {
	sh.T.Helper()
	s, err := sh.Choose(sh.Open(usd).ID, c)
	if err != nil {
		sh.T.Fatalf("Choose(%v) = %v", c, err)
	}
	return s
}

// Load returns a session as it is stored.
func (sh *Shop) Load(id string) payment.Session {
	sh.T.Helper()
	s, err := sh.Store.Load(sh.T.Context(), id)
	if err != nil {
		sh.T.Fatalf("loading %s: %v", id, err)
	}
	return s.Session
}

// View returns what a browser is shown of a session.
func (sh *Shop) View(id string) wire.View {
	sh.T.Helper()
	s := sh.Load(id)
	return checkout.View(&s, sh.ViewOptions())
}

// ViewOptions returns the options of View.
func (sh *Shop) ViewOptions() checkout.ViewOptions {
	return checkout.ViewOptions{
		Now:        sh.Clock.Now(),
		Currencies: coins(),
		Translate:  func(key string, _ ...string) string { return key },
	}
}

// Process processes what is due now, once, and returns the errors.
func (sh *Shop) Process() error {
	sh.T.Helper()
	next, found := sh.Store.NextDue()
	if !found || next.After(sh.Clock.Now()) {
		return nil // claiming costs more than asking
	}

	due, err := sh.Store.Claim(sh.T.Context(), sh.Clock.Now(), 45*time.Second, 100, false)
	late, lateErr := sh.Store.Claim(sh.T.Context(), sh.Clock.Now(), 45*time.Second, 100, true)
	due = append(due, late...)
	errs := []error{err, lateErr}
	for _, s := range due {
		errs = append(errs, sh.Service.Process(sh.T.Context(), s))
	}

	return errors.Join(errs...)
}

// Run lets d pass from one due session to the next, processing each.
func (sh *Shop) Run(d time.Duration) {
	sh.T.Helper()
	end := sh.Clock.Now().Add(d)
	for sh.Clock.Now().Before(end) {
		sh.Clock.Move(min(sh.untilDue(d), end.Sub(sh.Clock.Now())))
		_ = sh.Process() // failures are retried
	}
}

// untilDue returns for how long nothing is due: at least a second, and more of a long time d, because
// what has failed stays due.
func (sh *Shop) untilDue(d time.Duration) time.Duration {
	sh.T.Helper()
	wait := d
	due, found := sh.Store.NextDue()
	if found {
		wait = min(wait, due.Sub(sh.Clock.Now()))
	}
	return max(wait, time.Second, d/500)
}

// WantStatus ends the test unless a session has that status.
func (sh *Shop) WantStatus(id string, want wire.Status) {
	sh.T.Helper()
	if got := sh.Load(id).Status; got != want {
		sh.T.Fatalf("status of the session = %s; want %s\n%s", got, want, sh.Timeline(id))
	}
}

// Timeline returns the timeline of a session as text.
func (sh *Shop) Timeline(id string) (text string) {
	for _, e := range sh.Load(id).Timeline {
		text += e.At.Format(time.TimeOnly) + " " + e.By + " " + e.What + " " + e.Detail + "\n"
	}
	return text
}

// EventTypes returns the types of the events of a session, in order.
func (sh *Shop) EventTypes(id string) []payment.EventType {
	var types []payment.EventType
	for _, e := range sh.Store.EventsOf(id) {
		types = append(types, e.Type)
	}
	return types
}

// WantEvents ends the test unless a session has exactly those events.
func (sh *Shop) WantEvents(id string, want ...payment.EventType) {
	sh.T.Helper()
	if diff := cmp.Diff(want, sh.EventTypes(id)); diff != "" {
		sh.T.Fatalf("events of the session (-want +got):\n%s", diff)
	}
}

// WantCalls fails unless a method of the gateway was called that often.
func (sh *Shop) WantCalls(method string, want int) {
	sh.T.Helper()
	sh.WantCallsSince(0, method, want)
}

// WantCallsSince fails unless a method was called that often since it had been called before times.
func (sh *Shop) WantCallsSince(before int, method string, want int) {
	sh.T.Helper()
	fortest.Equal(sh.T, sh.Gateway.Calls(method)-before, want, "calls of %s", method)
}

// WantTransactions fails unless the gateway has that many transactions.
func (sh *Shop) WantTransactions(want int) {
	sh.T.Helper()
	fortest.Equal(sh.T, len(sh.Gateway.All()), want, "transactions")
}

// WantNotDue fails unless a session is never due again.
func (sh *Shop) WantNotDue(id string) {
	sh.T.Helper()
	if due := sh.Load(id).DueAt; !due.IsZero() {
		sh.T.Errorf("DueAt = %v; want none", due)
	}
}

// WantLive fails unless that many transactions can be paid at the gateway.
func (sh *Shop) WantLive(want int) {
	sh.T.Helper()
	fortest.Equal(sh.T, len(sh.Gateway.Live()), want, "live at the gateway")
}

// WantCode returns a function that ends the test unless an action failed with that code.
func (sh *Shop) WantCode(want wire.Code) func(payment.Session, error) {
	return func(_ payment.Session, err error) {
		sh.T.Helper()
		WantCode(sh.T, err, want)
	}
}

// WantCode ends the test unless err has that code.
func WantCode(t *testing.T, err error, want wire.Code) {
	t.Helper()
	if !errors.Is(err, &wire.Error{Code: want}) {
		t.Fatalf("error = %v; want code %s", err, want)
	}
}

// Must returns s, or ends the test.
func (sh *Shop) Must(s payment.Session, err error) payment.Session {
	sh.T.Helper()
	fortest.OK(sh.T, err)
	return s
}
