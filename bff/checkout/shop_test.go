package checkout_test

import (
	"errors"
	"flag"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"

	"github.com/google/go-cmp/cmp"
)

// clock is a clock that is moved by hand.
type clock struct {
	mu sync.Mutex // guards at
	at time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// shop is a service with everything around it.
type shop struct {
	t       *testing.T
	clock   *clock
	gateway *gateway
	store   ledger
	service *checkout.Service
}

var storeKind = flag.String("store", "memory", "store of the tests that do not say which: memory or sqlite")

// newShop returns a shop over the store that -store names.
func newShop(t *testing.T) *shop { return newShopOver(t, *storeKind) }

// overBoth runs a test over both stores, beside other tests: what they do most is wait.
func overBoth(t *testing.T, test func(*testing.T, *shop)) {
	t.Parallel()
	for _, kind := range []string{"memory", "sqlite"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, newShopOver(t, kind))
		})
	}
}

func newShopOver(t *testing.T, kind string) *shop {
	c := &clock{at: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)}
	h := &shop{t: t, clock: c, gateway: newGateway(c.Now), store: newMemory()}
	if kind == "sqlite" {
		h.store = newDisk(t, c.Now)
	}
	h.restart()
	t.Cleanup(func() { h.service.Close() })
	return h
}

// restart drops the service and all that it has in memory.
func (h *shop) restart() {
	h.service = checkout.New(checkout.Config{
		Store: h.store, Gateway: h.gateway, Page: "https://shop.test/checkout/",
		PaymentPage: "https://pay.test/p", Now: h.clock.Now,
	})
}

func (h *shop) open(usd string) payment.Session {
	h.t.Helper()
	s, _, err := h.service.Open(h.t.Context(), payment.Order{AmountUSD: dec(usd)}, "")
	if err != nil {
		h.t.Fatalf("Open(%s) = %v", usd, err)
	}
	return s
}

func usdt() wire.Choice { return wire.Choice{CurrencySymbol: "USDT", NetworkCode: "trc20"} }
func bnb() wire.Choice  { return wire.Choice{CurrencySymbol: "BNB", NetworkCode: "bep20"} }

func (h *shop) choose(id string, c wire.Choice) (payment.Session, error) {
	h.t.Helper()
	return h.service.Choose(h.t.Context(), id, c)
}

// chosen opens a session and an attempt in the coin.
func (h *shop) chosen(usd string, c wire.Choice) payment.Session {
	h.t.Helper()
	s, err := h.choose(h.open(usd).ID, c)
	if err != nil {
		h.t.Fatalf("Choose(%v) = %v", c, err)
	}
	return s
}

func (h *shop) load(id string) payment.Session {
	h.t.Helper()
	s, err := h.store.Session(h.t.Context(), id)
	if err != nil {
		h.t.Fatalf("loading %s: %v", id, err)
	}
	return s
}

func (h *shop) view(id string) wire.View {
	h.t.Helper()
	s := h.load(id)
	return checkout.View(&s, h.showing())
}

func (h *shop) showing() checkout.Showing {
	return checkout.Showing{Now: h.clock.Now(), Currencies: coins(), Words: func(key string, _ ...string) string { return key }}
}

// tend does one pass of what is due now and returns what went wrong.
func (h *shop) tend() error {
	h.t.Helper()
	due, err := h.store.Claim(h.t.Context(), h.clock.Now(), 45*time.Second, 100)
	late, lateErr := h.store.ClaimLate(h.t.Context(), h.clock.Now(), 45*time.Second, 100)
	due = append(due, late...)
	errs := []error{err, lateErr}
	for _, s := range due {
		errs = append(errs, h.service.Tend(h.t.Context(), s))
	}
	return errors.Join(errs...)
}

// run lets d pass, tending all the while, in steps that leave no look out.
func (h *shop) run(d time.Duration) {
	h.t.Helper()
	step := max(time.Second, d/500)
	for end := h.clock.Now().Add(d); h.clock.Now().Before(end); {
		h.clock.move(step)
		h.tend()
	}
}

func (h *shop) wantStatus(id string, want wire.Status) {
	h.t.Helper()
	if got := h.load(id).Status; got != want {
		h.t.Fatalf("status of the session = %s; want %s\n%s", got, want, h.trail(id))
	}
}

func (h *shop) trail(id string) (text string) {
	for _, e := range h.load(id).Trail {
		text += e.At.Format(time.TimeOnly) + " " + e.By + " " + e.What + " " + e.Detail + "\n"
	}
	return text
}

// told returns the types of the events of a session, in order.
func (h *shop) told(id string) []payment.EventType {
	var types []payment.EventType
	for _, e := range h.store.outbox(id) {
		types = append(types, e.Type)
	}
	return types
}

func (h *shop) wantTold(id string, want ...payment.EventType) {
	h.t.Helper()
	if diff := cmp.Diff(want, h.told(id)); diff != "" {
		h.t.Fatalf("events of the session (-want +got):\n%s", diff)
	}
}

func wantCode(t *testing.T, err error, want wire.Code) {
	t.Helper()
	if !errors.Is(err, &wire.Error{Code: want}) {
		t.Fatalf("error = %v; want code %s", err, want)
	}
}

func must(t *testing.T) func(payment.Session, error) payment.Session {
	return func(s payment.Session, err error) payment.Session {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}
